/* kdtree.h - gravity from a k-d tree: `--force kdtree`, a textbook method. What all devices share.
 *
 * The tree (Bentley 1975, Commun. ACM 18, 509): n bodies are divided in two along the axis in which they extend most
 * (of equal ones x before y before z), and so on, down to single bodies. It is complete: the left half is as large as
 * it has to be for all leaves to be on the two deepest levels, those of the deepest to the left. So nodes need no
 * pointers (Williams 1964, Commun. ACM 7, 347): the root is 1, the children of i are 2i and 2i + 1, and the leaves are
 * n ... 2n - 1, a body each. Bodies with equal coordinates may be on either side.
 *
 * A node has mass, centre of mass (without mass the middle between its children's) and radius r, the largest distance
 * of its bodies from that centre. At a body a node acts as one mass (Barnes & Hut 1986, Nature 324, 446), softened as
 * force.h says, where its distance d is beyond lambda radii, d^2 > lambda^2 r^2, and the body is none of its own; else
 * its children take its place. With lambda >= 1 no body is that far from a node that holds it. The root comes first and
 * left children before right ones, whichever way it is walked, so that all ways give the same sums.
 *
 * Cost, a body of a Plummer sphere of 10^6 at lambda 4: 6600 nodes as masses, as many opened.
 *
 * What two bodies do to one another is approximated apart, and nothing is done about it: momentum is kept to the
 * force's tolerance (NB_ONE_SIDED). */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

#include <stdbool.h>
#include <stdint.h>

NB_C_BEGIN

/* Parameters of `--force kdtree`, in the order of their values, and their words. */
enum { NB_KDTREE_LAMBDA, NB_KDTREE_TRAVERSE, NB_KDTREE_VISIT, NB_KDTREE_LAYOUT, NB_KDTREE_BLOCK };
enum { NB_KDTREE_RECURSIVE, NB_KDTREE_STACK, NB_KDTREE_STACKLESS };
enum { NB_KDTREE_INPUT, NB_KDTREE_LEAF };
enum { NB_KDTREE_NODES, NB_KDTREE_HEAP };
extern const struct nb_force_kind nb_kdtree_kinds[];

#define NB_KDTREE_BODIES_MAX (UINT32_MAX / 2) /* so that a node's number is 32 bits */
#define NB_KDTREE_DEPTH_MAX  32               /* levels below the root, at most: what a stack has to hold */

/* 0 where a tree of n bodies can be; else -1 after nb_fail. */
int nb_kdtree_check(uint64_t n);

/* 0 where another device than the CPU has what the spec asks for; else -1 after nb_fail. */
int nb_kdtree_check_spec(const struct nb_force_spec *spec);

/* ---- numbers of nodes, of a tree of n >= 1 bodies ---- */

#ifdef __CUDACC__
#define NB_KDTREE_BOTH __host__ __device__ static inline
#else
#define NB_KDTREE_BOTH static inline
#endif

/* The level of node i, the root's 0. */
NB_KDTREE_BOTH int nb_kdtree_level(uint32_t i)
{
#ifdef __CUDA_ARCH__
    return 31 - __clz((int)i);
#else
    return 31 - __builtin_clz(i);
#endif
}

/* The node after i and all below it, left before right; 1 behind the last. */
NB_KDTREE_BOTH uint32_t nb_kdtree_next(uint32_t i)
{
    i++;
#ifdef __CUDA_ARCH__
    return i >> (__ffs((int)i) - 1);
#else
    return i >> __builtin_ctz(i);
#endif
}

/* Is node i the node k, or above it? */
NB_KDTREE_BOTH bool nb_kdtree_holds(uint32_t i, uint32_t k)
{
    return k >= i && k >> (nb_kdtree_level(k) - nb_kdtree_level(i)) == i;
}

/* Leaves to the left of the deepest level's place `deepest`, which may be beyond the tree's end: those further right
 * are one level up. */
NB_KDTREE_BOTH uint32_t nb_kdtree_leaves_before(uint32_t n, uint64_t deepest)
{
    const uint64_t first = (uint64_t)1 << nb_kdtree_level(2 * n - 1);
    return (uint32_t)(deepest < 2 * (uint64_t)n ? deepest - first : deepest / 2 + n - first);
}

/* The leaves below node i are [begin, end) of all, from left to right. */
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

/* The node that is leaf k of all, from left to right. */
NB_KDTREE_BOTH uint32_t nb_kdtree_leaf(uint32_t n, uint32_t k)
{
    const uint64_t i = ((uint64_t)1 << nb_kdtree_level(2 * n - 1)) + k;
    return (uint32_t)(i < 2 * (uint64_t)n ? i : i - n);
}

NB_C_END
