/* tree.h - gravity in O(N): a binary tree of cells and expansions on both sides (fast multipole method).
 *
 * Greengard & Rokhlin 1987, J. Comput. Phys. 73, 325; in Cartesian coordinates with a dual walk Dehnen 2002, ibid. 179,
 * 27; the tree over sorted keys Karras 2012, High Performance Graphics, 33. What every device does:
 *
 *   keys      63 bits, Morton order, of the position in the cube around all bodies
 *   sort      bodies by key; equal keys keep the bodies' order
 *   build     a node is a range of sorted bodies, divided where the highest bit in which its keys differ changes, equal
 *             keys in the middle, while it has more than NB_TREE_LEAF bodies, or has two or more beside a much denser
 *             region: the cell of the curve NB_TREE_DENSE_BITS bits above its own holds some NB_TREE_DENSE bodies.
 *             On CUDA, where a leaf of large radius is one warp's long work, also where its own cell would hold
 *             NB_TREE_DENSE bodies at the mean density; and leaves of large systems have twice as many bodies
 *   moments   leaves up: mass, centre of mass c, radius r of a sphere about c that holds the bodies, moments to order 4
 *             (tree_expansion.h); then for each node an estimate f of the acceleration there
 *   walk      root down, the opening criterion: a source node B is well separated from a target node A when
 *                 r_A + r_B < 0.95 R,  r_A < 2/3 theta R,  ((r_A + r_B) / R)^6 M_B / R^2 < 0.015 theta^6 f_A
 *             with R = |c_A - c_B| (Dehnen 2014, Comput. Astrophys. Cosmol. 1, 1: an error that is small beside the
 *             whole acceleration is a small error). Then B's moments go into A's local expansion of order 5
 *             (multipole-to-local, M2L). Else the larger one is opened: B is replaced by its children, always where A
 *             is a leaf, or B is left to A's children. Two leaves that are not well separated, or have few bodies, are
 *             near: pair by pair (particle-to-particle, P2P). On CUDA a leaf too large for B, as leaves at the edge
 *             are, may take B's moments at each of its bodies (multipole-to-particle, M2P), and one near nearly all
 *             is summed over all
 *             With `reach`, a length, bodies nearer to each other than that are always near: r_A + r_B + reach < 0.95 R
 *             has to hold as well, and for M2P r_B + reach < 0.6 (R - r_A)
 *   far       the stage of M2L, and of expansions handed from parents to children (local-to-local, L2L)
 *   near      P2P of near leaves, and the local expansion at every body (local-to-particle)
 *   momentum  what A does to B and B to A are approximated independently, so that Newton's third law holds only to the
 *             tolerance: sum m a is not 0, and the total momentum would drift.
 *             Where all bodies act on all, a_i -= k |a_i| with k = sum m a / sum m |a|, summed in double: the total
 *             momentum is conserved, and no acceleration changes by more than |k|, a 1e-5th or less, of itself.
 *             (Subtracting the mean acceleration would let the errors of a dense core drown accelerations far outside.)
 *
 * Several GPUs have domains along the curve (domains.h, cuda/tree_domains.cuh): as parallel tree codes do since Warren
 * & Salmon 1993, Supercomputing '93, 12.
 *
 * r is the smaller of the distance from c to the farthest corner of the bodies' box and of max over children of
 * |c - c_child| + r_child. A body is in exactly one leaf.
 *
 * f_A: the siblings S of A and of all above it are everything outside A, each taken as one mass: with d = c_S - c_A and
 * q^2 = |d|^2 + 0.3 r_S^2, s^2 = q^2 + eps^2, f_A is the larger of |sum M_S d / s^3| and a fifth of
 * M_A q_A / (2 s_A^3) + sum M_S q / s^3, where q_A^2 = 0.3 r_A^2. The first alone vanishes in the middle of a system,
 * where nothing is to be had for so much care. Bodies at one place, or much nearer than eps, count for nothing. For the
 * far part of gravity eps is nb_changeover.outer here: what is small beside a close neighbour's force may be large
 * beside the far part.
 *
 * An error of the acceleration changes the energy and momentum in proportion to the mass that it acts on. If the bodies
 * of A have more than NB_TREE_HEAVY times the mean mass of all sources on average, f_A is divided by the excess.
 *
 * Cost, a body of a Plummer sphere at theta 0.75: about 10 M2L of 480 operations and 540 pairs of 13. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of `--force tree`, in the order of their values. */
enum { NB_TREE_THETA, NB_TREE_REBUILD };
extern const struct nb_force_kind nb_tree_kinds[];

#define NB_TREE_LEAF 16 /* bodies of a leaf, at most (CUDA: see above) */

#define NB_TREE_DENSE \
    256 /* bodies of a dense cell; to 1.5 times as many: they are counted in halves of it along the curve */
#define NB_TREE_DENSE_BITS 3 /* a cell twice as wide in each dimension */

#define NB_TREE_HEAVY 2 /* average mass of a node's bodies, in units of the mean mass */

/* The opening criterion: the numbers in its inequalities (above). */
struct nb_tree_opening {
    double separation; /* r_A + r_B + reach < separation R */
    double target;     /* r_A < target R */
    double source;     /* r_B + reach < source (R - r_A): M2P, for each body of a leaf A */
    double tolerance;  /* of the error: ((r_A + r_B) / R)^6 M_B / R^2 < tolerance f_A */
    double reach;      /* a length */
};

/* Those for an opening parameter theta > 0, with reach 0. */
struct nb_tree_opening nb_tree_opening(double theta);
/* The reach that the far part of gravity and a list of close pairs need, in the sources' unit; 0: neither is wanted. */
double nb_tree_reach(const struct nb_sources *s, const struct nb_field *out);

/* Why a tree cannot serve what is wanted (it has neither jerk nor snap), as nb_force.refuse: a sentence, or NULL. */
const char *nb_tree_refuse(enum nb_precision precision, unsigned want);
/* 0 where a tree may be opened with these parameters; else -1 after nb_fail. */
int nb_tree_check(double theta, double rebuild);

#ifdef __cplusplus
}
#endif
