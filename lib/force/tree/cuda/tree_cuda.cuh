/* tree_cuda.cuh - what the stages of the tree force (tree.h) on the GPU share.
 *
 *   tree_build.cu     from sorted keys to nodes
 *   tree_moments.cu   bodies in order; balls around nodes, moments
 *   tree_walk.cu      which nodes act on which: lists
 *   tree_far.cu       local expansions from lists of far nodes
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

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "force/tree/tree.h"

/* Bodies of a leaf, at most, in large systems, where fewer nodes save more than longer lists cost. */
#define TREE_LEAF_MANY 32
#define TREE_MANY      400000
/* In small systems leaves meet pair by pair however far they are. */
#define TREE_FEW 4096

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

#include "force/tree/tree_expansion.h"
#undef REAL
#undef SCALAR
#define REAL      double
#define SCALAR(x) ((double)(x))
#include "force/tree/tree_expansion.h"
#undef REAL
#undef SCALAR

template <typename real> struct tree_wide { /* 16 bytes */
    typedef float4 type;
};

template <> struct tree_wide<double> {
    typedef double2 type;
};

struct tree_frame {     /* made on the device from the bounds and the largest mass */
    double middle[3];   /* of the box, caller's units */
    double scale, mass; /* factors to the frame's units */
};

/* What the walk looks at; frame's units, the centre about the box's middle. */
struct alignas(16) tree_ball { /* r holds all bodies */
    float x, y, z, r;
};

struct alignas(16) tree_gauge {
    float mass;
    float share;          /* of the estimated acceleration, that a source may make with its error */
    uint32_t left, right; /* the children of an inner node */
};

struct alignas(32) tree_mark {
    tree_ball ball;
    tree_gauge gauge;
};

struct tree_centre { /* frame's units, not shifted */
    double x, y, z, r;
};

struct tree_box { /* as tree_ball */
    float low[3], high[3];
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

/* The walk does not begin at the root, where a few nodes would wait for one another, but with the largest nodes of at
 * most n / TREE_BEGINS bodies, some hundreds, each on its own against all; those above have no part in it. */
#define TREE_BEGINS 512

/* Device pointers to the tree; real is float, or double in double precision. */
template <typename real> struct tree_view {
    uint32_t n, inner, nodes;
    uint32_t begin;         /* most bodies of a node with which the walk begins */
    const uint2 *range;     /* bodies [x, y) of each node */
    const uint2 *children;  /* of inner nodes */
    const uint32_t *parent; /* of each node but the root */
    const tree_frame *frame;
    tree_mark *mark;
    tree_centre *centre;
    tree_box *box;
    real *moments;    /* NB_MOMENTS each */
    real *local;      /* NB_LOCALS each */
    tree_list *far;   /* of each node: sources for its expansion */
    tree_list *rest;  /* of an inner node: sources left to its children; of a leaf: near leaves */
    tree_list *apart; /* of a leaf: sources far from each of its bodies, but not from the leaf, which is wide */
    tree_pool pool;
};

enum tree_part { TREE_ABOVE, TREE_BEGIN, TREE_BELOW };

template <typename real>
static __device__ __forceinline__ tree_part tree_part_of(const tree_view<real> &t, uint32_t node)
{
    const uint2 range = t.range[node];
    if (range.y - range.x > t.begin && node < t.inner)
        return TREE_ABOVE;
    const uint2 above = node > 0 ? t.range[t.parent[node]] : make_uint2(0, ~0u);
    return above.y - above.x > t.begin ? TREE_BEGIN : TREE_BELOW;
}

/* The places of a list's entries: chunk by chunk. */
struct tree_reader {
    tree_list list;
    uint32_t chunk, at;
};

/* The next entries, one a lane, at most 32; how many. Written by other multiprocessors: not through the first cache. */
static __device__ __forceinline__ uint32_t tree_read(const tree_pool &pool, tree_reader *r, uint32_t *entry)
{
    const uint32_t left = r->list.count - r->at, count = left < 32 ? left : 32;
    if (r->at > 0 && r->at % TREE_CHUNK == 0)
        r->chunk = __ldcg(&pool.next[r->chunk]);
    if (threadIdx.x % 32 < count)
        *entry = __ldcg(&pool.entries[(uint64_t)r->chunk * TREE_CHUNK + r->at % TREE_CHUNK + threadIdx.x % 32]);
    r->at += count;
    return count;
}

/* A leaf at the edge may be so wide that nearly everything is near it, which would be one warp's work for long. One
 * with more near leaves than that is summed over all bodies by many warps. */
#define TREE_LONG      1024
#define TREE_LONG_MOST 64
#define TREE_IS_LONG   (~0u) /* count of such a leaf's list */

struct tree_counters {               /* zeros at the start of an evaluation but for the bounds' part */
    unsigned long long largest_mass; /* morton_ordered */
    uint32_t ticket[2];              /* of the next node: to walk, to expand */
    uint32_t chunks;                 /* taken from the pool; more than it has: the walk has to be repeated */
    uint32_t stack_full;             /* must stay 0 */
    uint32_t longs;                  /* leaves in `long_leaves`; more than TREE_LONG_MOST: repeated without a limit */
    uint32_t long_leaves[TREE_LONG_MOST];
};

#define TREE_DEPTHS 96 /* common prefixes of keys and, among equal keys, of places: 64 + 32 */

/* Nodes that a warp of the walk has yet to look at, last come first: 32 are taken and at most 64 put back, one division
 * deeper, and there are fewer than TREE_DEPTHS + 1 divisions. A walk that finds the usual room too small is repeated.
 */
#define TREE_STACK_USUAL  768
#define TREE_STACK_ENOUGH (32 * (TREE_DEPTHS + 2))

struct tree_work {
    double theta;
    unsigned rebuild, served; /* evaluations that an order serves, that this one has served */
    uint64_t n, sources;
    morton_sorted sort;
    nb_cuda_buffer bodies, frame, counters;
    nb_cuda_buffer depth_counts; /* nodes of each depth, then the places given out */
    nb_cuda_buffer rank;         /* of the inner node that begins or ends at a body */
    nb_cuda_buffer range, children, parent, ready;
    nb_cuda_buffer mark, centre, box, moments, local, far, rest, apart;
    nb_cuda_buffer pool, next, partial;
    uint32_t leaf; /* bodies of a leaf, at most: NB_TREE_LEAF or TREE_LEAF_MANY */
    uint32_t inner, nodes;
    uint32_t limit; /* near leaves of a leaf: TREE_LONG, or no limit */
    uint32_t stack; /* entries of a warp of the walk */
    int processors;
};

/* Makes the nodes; waits for the device once, to learn how many there are. */
int tree_build(tree_work *w);

template <typename B>
int tree_moments(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const nb_targets *more);
template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t);
template <typename real> int tree_far(tree_work *w, const tree_view<real> &t, double eps, bool want_value);
template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, uint64_t first, uint64_t count,
              const nb_field *out);

#endif
