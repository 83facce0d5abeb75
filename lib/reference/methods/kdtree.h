/* kdtree.h - gravity from a k-d tree, `--force kdtree`, a textbook method; shared by all devices.
 *
 * The tree (Bentley 1975, Commun. ACM 18, 509):
 * - Bodies are divided in two along the axis of largest extent (for equal extents: x before y before z), recursively
 *   down to single bodies. Bodies with equal coordinates may be on either side.
 * - The tree is complete: all levels above the deepest are full, and the leaves of the deepest level are at its left
 *   end. This determines how many bodies the left child has.
 * - Nodes need no pointers (Williams 1964, Commun. ACM 7, 347). The root is 1, the children of i are 2i and 2i + 1, and
 *   the leaves are n ... 2n - 1, one body each.
 *
 * The force:
 * - A node has a mass, a centre of mass and a radius r, the largest distance of its bodies from that centre. If the
 *   mass is 0, the centre is the middle between the centres of its children.
 * - d is the distance between a body and a node's centre of mass. If d^2 > lambda^2 r^2, and the node does not contain
 *   the body, the node acts as one mass (Barnes & Hut 1986, Nature 324, 446), softened as in force.h. Otherwise its
 *   children replace it. With lambda >= 1 no node that contains the body satisfies d^2 > lambda^2 r^2.
 * - Left children are always visited before right ones. Therefore forces are bitwise identical for all values of the
 *   parameter `traverse`.
 * - Forces are not pairwise symmetric. Therefore total momentum drifts by the errors of the forces (NB_ONE_SIDED).
 *
 * In a Plummer sphere of 10^6 bodies with lambda 4, 6600 nodes act on a body, and about as many are opened. */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

#include <stdbool.h>
#include <stdint.h>

NB_C_BEGIN

/* First enum: indices of the parameters of `--force kdtree`. Other enums: values of the parameters `traverse`, `visit`
 * and `layout`. */
enum { NB_KDTREE_LAMBDA, NB_KDTREE_TRAVERSE, NB_KDTREE_VISIT, NB_KDTREE_LAYOUT, NB_KDTREE_BLOCK };
enum { NB_KDTREE_RECURSIVE, NB_KDTREE_STACK, NB_KDTREE_STACKLESS };
enum { NB_KDTREE_INPUT, NB_KDTREE_LEAF };
enum { NB_KDTREE_NODES, NB_KDTREE_HEAP };
extern const struct nb_force_kind nb_kdtree_kinds[];

/* Maximum number of bodies. With more, the index of a node would not fit in 32 bits. */
#define NB_KDTREE_BODIES_MAX (UINT32_MAX / 2)
#define NB_KDTREE_DEPTH_MAX  32 /* maximum number of levels below the root, and of entries of a traversal's stack */

/* Returns 0 if n is at most NB_KDTREE_BODIES_MAX, else -1 after nb_fail. */
int nb_kdtree_check(uint64_t n);

/* Returns 0 if the parameters in `spec` work on devices other than the CPU, else -1 after nb_fail. */
int nb_kdtree_check_spec(const struct nb_force_spec *spec);

/* ---- indices of nodes, in a tree of n >= 1 bodies ---- */

#ifdef __CUDACC__
#define NB_KDTREE_BOTH __host__ __device__ static inline
#else
#define NB_KDTREE_BOTH static inline
#endif

/* Returns the level of node i, 0 for the root. */
NB_KDTREE_BOTH int nb_kdtree_level(uint32_t i)
{
#ifdef __CUDA_ARCH__
    return 31 - __clz((int)i);
#else
    return 31 - __builtin_clz(i);
#endif
}

/* Returns the node that a depth-first traversal visits after the subtree of node i. Left children are visited first.
 * Returns 1 if the traversal is complete. */
NB_KDTREE_BOTH uint32_t nb_kdtree_next(uint32_t i)
{
    i++;
#ifdef __CUDA_ARCH__
    return i >> (__ffs((int)i) - 1);
#else
    return i >> __builtin_ctz(i);
#endif
}

/* Returns whether node k is node i or a descendant of it. */
NB_KDTREE_BOTH bool nb_kdtree_holds(uint32_t i, uint32_t k)
{
    return k >= i && k >> (nb_kdtree_level(k) - nb_kdtree_level(i)) == i;
}

/* Returns the number of leaves to the left of a position in the deepest level of a tree of n bodies. deepest: index of
 * the node that is at this position if the deepest level is full. In the actual tree this node may be missing:
 * `deepest` may exceed the last index, 2n - 1. */
NB_KDTREE_BOTH uint32_t nb_kdtree_leaves_before(uint32_t n, uint64_t deepest)
{
    const uint64_t first = (uint64_t)1 << nb_kdtree_level(2 * n - 1);
    return (uint32_t)(deepest < 2 * (uint64_t)n ? deepest - first : deepest / 2 + n - first);
}

/* nb_kdtree_begin and nb_kdtree_end return the ends of the range [begin, end) of the leaves below node i. Leaves are
 * counted from left to right. */
NB_KDTREE_BOTH uint32_t nb_kdtree_begin(uint32_t n, uint32_t i)
{
    const int down = nb_kdtree_level(2 * n - 1) - nb_kdtree_level(i);
    return nb_kdtree_leaves_before(n, (uint64_t)i << down);
}

NB_KDTREE_BOTH uint32_t nb_kdtree_end(uint32_t n, uint32_t i)
{
    const int down = nb_kdtree_level(2 * n - 1) - nb_kdtree_level(i);
    return nb_kdtree_leaves_before(n, ((uint64_t)i + 1) << down);
}

/* Returns the node index of leaf k. Leaves are counted from left to right. */
NB_KDTREE_BOTH uint32_t nb_kdtree_leaf(uint32_t n, uint32_t k)
{
    const uint64_t i = ((uint64_t)1 << nb_kdtree_level(2 * n - 1)) + k;
    return (uint32_t)(i < 2 * (uint64_t)n ? i : i - n);
}

NB_C_END
