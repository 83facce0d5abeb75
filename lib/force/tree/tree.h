/* tree.h - gravity in O(N) operations: a binary tree of cells, with expansions for sources and targets (fast multipole
 * method).
 *
 * Greengard & Rokhlin 1987, J. Comput. Phys. 73, 325; in Cartesian coordinates with a dual walk Dehnen 2002, ibid. 179,
 * 27; the tree over sorted keys Karras 2012, High Performance Graphics, 33. Steps on every device:
 *
 *   keys      63 bits, Morton order, of the position in the cube around all bodies
 *   sort      bodies by key; bodies with equal keys stay in their order
 *   build     A node is a range of sorted bodies. It is divided if it has more than NB_TREE_LEAF bodies: at the highest
 *             bit in which its keys differ or, if all keys are equal, in the middle (on the CPU by new keys, computed
 *             in the bounding box of these bodies). A node of two or more bodies is also divided if it lies in a dense
 *             cell (see NB_TREE_DENSE below).
 *             On CUDA one warp computes a leaf, so a leaf of large radius is slow. A node is therefore also divided if
 *             its cell would contain NB_TREE_DENSE bodies at the mean density. Leaves of large systems have up to
 *             2 NB_TREE_LEAF bodies.
 *   moments   from the leaves up: mass, centre of mass c, radius r of a sphere around c that contains the bodies, and
 *             moments to order 4 (tree_expansion.h); then for each node an estimate f of the acceleration in the node
 *   walk      from the root down. A source node B is well separated from a target node A if, with R = |c_A - c_B|,
 *               r_A + r_B < 0.95 R,  r_A < 2/3 theta R,  ((r_A + r_B) / R)^6 M_B / R^2 < 0.015 theta^6 f_A
 *             (opening criterion; Dehnen 2014, Comput. Astrophys. Cosmol. 1, 1: an error is acceptable if it is small
 *             compared with the total acceleration). Then the moments of B are added to the local expansion of A, of
 *             order 5 (multipole-to-local, M2L). If B is not well separated, the larger node is replaced by its
 *             children (always B if A is a leaf). Two leaves that are not well separated, or have few bodies, are near
 *             and are summed pair by pair (particle-to-particle, P2P).
 *             On CUDA a leaf A that is too large for B may evaluate the moments of B at each body of A
 *             (multipole-to-particle, M2P). A leaf that is near to almost all leaves is summed over all bodies.
 *             With `reach`, a length, bodies closer than `reach` are always near: the criterion also requires
 *             r_A + r_B + reach < 0.95 R, and for M2P r_B + reach < 0.6 (R - r_A)
 *   far       M2L, and expansions passed from parents to children (local-to-local, L2L)
 *   near      P2P of near leaves, and the local expansion at every body (local-to-particle)
 *   momentum  the forces of A on B and of B on A are approximated independently. Newton's third law holds only within
 *             the tolerance, sum m a is not 0, and the total momentum would drift.
 *             If all bodies act on all bodies, k |a_i| is subtracted from each acceleration a_i, with
 *             k = sum m a / sum m |a|, summed in double. The total momentum is then conserved, and each acceleration
 *             changes by at most |k| of itself, 1e-5 or less. (If the mean acceleration were subtracted instead, errors
 *             of a dense core would exceed the small accelerations of bodies far outside.)
 *
 * Several GPUs divide the bodies into domains along the Morton curve (domains.h, cuda/tree_domains.cuh), as in parallel
 * tree codes since Warren & Salmon 1993, Supercomputing '93, 12.
 *
 * r is the minimum of two lengths: the distance from c to the farthest corner of the bodies' box, and the maximum over
 * children of |c - c_child| + r_child. Each body is in exactly one leaf.
 *
 * f_A: all bodies outside A are in the siblings S of A and of its ancestors. These siblings are treated as point
 * masses. With d = c_S - c_A, q^2 = |d|^2 + 0.3 r_S^2 and s^2 = q^2 + eps^2, f_A is the maximum of |sum M_S d / s^3|
 * and one fifth of M_A q_A / (2 s_A^3) + sum M_S q / s^3, where q_A^2 = 0.3 r_A^2. The first expression vanishes at the
 * centre of a system, and would demand needless accuracy there. The second does not vanish. Bodies at the same point,
 * or much closer than eps, contribute nothing. If the tree computes the far part of gravity, eps is
 * nb_changeover.outer: the forces of close neighbours are not in the far part, and must not increase f_A.
 *
 * An error of a body's acceleration changes energy and momentum in proportion to the body's mass. If the mean mass of
 * A's bodies is h * NB_TREE_HEAVY times the mean mass of all sources, with h > 1, f_A is divided by h.
 *
 * Cost per body, for a Plummer sphere at theta 0.75: about 10 M2L of 480 operations each, and 540 pairs of 13
 * operations each. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Indices of the parameters of `--force tree` in nb_force_spec.value. */
enum { NB_TREE_THETA, NB_TREE_REBUILD };
extern const struct nb_force_kind nb_tree_kinds[];

#define NB_TREE_LEAF 16 /* maximum number of bodies in a leaf (on CUDA see the step `build` above) */

/* A node of two or more bodies is also divided if it lies in a dense cell. Let b be the number of leading bits that all
 * keys of the node share. The cell contains all bodies whose keys agree with these keys in the first
 * b - NB_TREE_DENSE_BITS bits. Only every (NB_TREE_DENSE / 2)-th sorted body is tested. The cell is dense if it
 * contains two successive tested bodies. A cell with NB_TREE_DENSE bodies is therefore always dense. A cell with little
 * more than half as many bodies may also be dense. */
#define NB_TREE_DENSE      256
#define NB_TREE_DENSE_BITS 3

/* The tolerance of a node is reduced if the average mass of its bodies is above NB_TREE_HEAVY times the mean mass of
 * all sources. */
#define NB_TREE_HEAVY 2

/* Constants of the opening criterion for a target node and a source node: A and B in the formulas of the step "walk" at
 * the top of this file. The distance of two nodes is the distance of their centres of mass. */
struct nb_tree_opening {
    double separation; /* maximum of (target radius + source radius + reach) / (distance of the two nodes) */
    double target;     /* maximum of (target radius) / (distance of the two nodes) */
    double source;     /* for M2P: maximum of (source radius + reach) / (distance of the two nodes - target radius) */
    double tolerance;  /* maximum of (estimated error by the source) / (estimated acceleration of the target) */
    double reach;      /* bodies closer than this length are always summed pair by pair */
};

/* Returns the constants for an opening parameter theta > 0, with reach 0. */
struct nb_tree_opening nb_tree_opening(double theta);
/* Returns the value for nb_tree_opening.reach, in the sources' unit of length. It is the larger of s->far.outer and the
 * maximum distance in the list of close pairs; 0 if neither is set. */
double nb_tree_reach(const struct nb_sources *s, const struct nb_field *out);

/* Implements nb_force.refuse: returns the reason why a tree cannot compute `want`, or NULL. A tree computes neither
 * jerk nor snap. */
const char *nb_tree_refuse(enum nb_precision precision, unsigned want);
/* Checks the parameters of a tree. Returns 0, or -1 after nb_fail. */
int nb_tree_check(double theta, double rebuild);
/* Calls nb_fail because a tree that was loaded from a checkpoint is not valid. Returns -1. */
int nb_tree_fail_loaded(void);

#ifdef __cplusplus
}
#endif
