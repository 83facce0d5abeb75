/* tree_cuda.cuh - what the stages of the tree force (tree.h) on the GPU share.
 *
 *   tree_build.cu     from sorted keys to nodes
 *   tree_moments.cu   bodies in order; balls around nodes, moments
 *   tree_walk.cu      which nodes act on which, local expansions, lists of near leaves
 *   tree_near.cu      near pairs, and the sum for every body
 *
 * force_tree_cuda.cu, the row of the table, runs them one after the other.
 *
 * Nodes: inner ones 0 .. inner-1, so that a parent has the smaller number (the root is 0), then the leaves, roughly
 * along the curve; inner + 1 leaves. Expansions are in units of the tree's frame, a power of two each for length and
 * mass, in which the bodies' box is at most 2^TREE_BOX_LOG2 wide and all masses sum to at most 1, so that derivatives
 * of order 5 at distances down to a cell of the finest keys have room in single precision. Forces between near bodies
 * are in the caller's units. */
#ifndef NB_TREE_CUDA_CUH
#define NB_TREE_CUDA_CUH

#include "direct_cuda.cuh"
#include "morton.cuh"
#include "tree.h"

#define TREE_BOX_LOG2 12
/* Distances of nodes below this are never far: a few cells of the finest keys. */
#define TREE_LEAST_DISTANCE (1.0f / 512)
/* Added to the radius of a node: what rounding of its centre to single precision may hide. */
#define TREE_ROUNDING 2.2e-4f

#define EXPANSION(word) expansion_##word
#define EXPANSION_CALL  static __device__ __forceinline__
#define REAL            float
#define SCALAR(x)       ((float)(x))
#define RSQRT(x)        tree_rsqrt(x)

static __device__ __forceinline__ float tree_rsqrt(float x)
{
    return rsqrtf(x);
}

static __device__ __forceinline__ double tree_rsqrt(double x)
{
    return rsqrt(x);
}

#include "tree_expansion.h"
#undef REAL
#undef SCALAR
#define REAL      double
#define SCALAR(x) ((double)(x))
#include "tree_expansion.h"
#undef REAL
#undef SCALAR

struct tree_frame {     /* made on the device from the bounds and the largest mass */
    double middle[3];   /* of the box, caller's units */
    double scale, mass; /* factors to the frame's units */
};

struct tree_ball { /* frame's units, about the box's middle; r holds all bodies */
    float x, y, z, r;
};

struct tree_centre { /* frame's units, not shifted */
    double x, y, z, r;
};

struct tree_box { /* as tree_ball */
    float low[3], high[3];
};

struct tree_gauge { /* frame's units */
    float mass;
    float share; /* of the estimated acceleration, that a source may make with its error */
};

/* A list of nodes: chunks of TREE_CHUNK in a pool, linked. */
#define TREE_CHUNK 64

struct tree_list {
    uint32_t first, count;
};

struct tree_pool {
    uint32_t *entries; /* chunks * TREE_CHUNK */
    uint32_t *next;    /* of each chunk */
    uint32_t chunks;
};

/* Device pointers to the tree; real is float, or double in double precision. */
template <typename real> struct tree_view {
    uint32_t n, inner, nodes;
    const uint2 *range;     /* bodies [x, y) of each node */
    const uint2 *children;  /* of inner nodes */
    const uint32_t *parent; /* of each node but the root */
    const tree_frame *frame;
    tree_ball *ball;
    tree_centre *centre;
    tree_gauge *gauge;
    tree_box *box;
    real *moments; /* NB_MOMENTS each */
    real *local;   /* NB_LOCALS each */
    tree_list *list;
    tree_pool pool;
};

struct tree_counters {               /* zeros at the start of an evaluation but for the bounds' part */
    unsigned long long largest_mass; /* morton_ordered */
    uint32_t ticket;                 /* of the next node to walk */
    uint32_t chunks;                 /* taken from the pool; more than it has: the walk has to be repeated */
    uint32_t stack_full;             /* must stay 0 */
};

#define TREE_DEPTHS 96 /* common prefixes of keys and, among equal keys, of places: 64 + 32 */

struct tree_work {
    double theta;
    unsigned rebuild, kept; /* evaluations that an order serves, that this one has served */
    uint64_t n, sources, stride;
    morton_sorted sort;
    nb_cuda_buffer bodies, frame, counters;
    nb_cuda_buffer depth_counts; /* nodes of each depth, then the places given out */
    nb_cuda_buffer rank;         /* of the inner node that begins or ends at a body */
    nb_cuda_buffer range, children, parent, ready;
    nb_cuda_buffer ball, centre, gauge, box, moments, local, list;
    nb_cuda_buffer pool, next;
    uint32_t inner, nodes;
    int processors;
};

/* Makes the nodes; waits for the device once, to learn how many there are. */
int tree_build(tree_work *w);

template <typename B>
int tree_moments(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const nb_targets *more);
template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t, double eps, bool want_value);
template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, uint64_t first, uint64_t count,
              const nb_field *out);

#endif
