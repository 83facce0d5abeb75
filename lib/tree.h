/* tree.h - gravity in O(N): a binary tree of cells and expansions on both sides (fast multipole method).
 *
 * Greengard & Rokhlin 1987, J. Comput. Phys. 73, 325; in Cartesian coordinates with a dual walk Dehnen 2002, ibid. 179,
 * 27; the tree over sorted keys Karras 2012, High Performance Graphics, 33. What every device does:
 *
 *   keys      63 bits, Morton order, of the position in the cube around all bodies
 *   sort      bodies by key; equal keys keep the bodies' order
 *   build     a node is a range of sorted bodies; more than NB_TREE_LEAF are divided where the highest bit in which
 *             their keys differ changes, equal keys in the middle. Parents stand before their children, two children
 *             beside each other
 *   moments   leaves up: mass, centre of mass c, radius r of a sphere about c that holds the bodies, moments to order 4
 *             (tree_expansion.h)
 *   walk      root down: two nodes A (target), B (source) are far when  r_A + r_B < theta_eff |c_A - c_B|.  Far: B's
 *             moments go into A's local expansion of order 5. Else the larger one is divided (B where A is a leaf), and
 *             what A's children have to do with B they find out. Two leaves that are not far: pair by pair
 *   near      pairs of bodies of near leaves, and every body's leaf's local expansion
 *
 * r is the smaller of the distance from c to the farthest corner of the bodies' box and of max over children of
 * |c - c_child| + r_child. A body is in exactly one leaf. A pair of nodes is far for both or for neither, and the
 * expansion has the same order on both sides, so that momentum is kept to rounding (Dehnen 2002, section 3.2).
 *
 * Cost, a body of a Plummer sphere at theta 0.75: about 10 moments-to-local of 480 operations and 600 pairs of 13. */
#ifndef NB_TREE_H
#define NB_TREE_H

#ifdef __cplusplus
extern "C" {
#endif

#define NB_TREE_LEAF 16 /* bodies of a leaf, at most */

/* The opening parameter in use: theta (1 + theta^6)^(-1/6), near to theta where that is small and below 1 always, so
 * that the spheres of two far nodes never meet. theta > 0. */
double nb_tree_theta(double theta);

#ifdef __cplusplus
}
#endif

#endif
