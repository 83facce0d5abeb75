/* tree_cuda.cuh - what the stages of the tree force (tree.h) on the GPU share.
 *
 *   tree_build.cu     from sorted keys to nodes
 *   tree_moments.cu   bodies in order; bounding balls, multipole moments
 *   tree_due.cu       nodes that have a target, where not all bodies are
 *   tree_walk.cu      the opening criterion: interaction lists M2L, M2P and P2P (see tree_view)
 *   tree_far.cu       local expansions: M2L from the lists, L2L from parents
 *   tree_near.cu      P2P of near leaves, M2P, and the local expansion at every body
 *   tree_close.cu     close pairs, which near finds in the far part of gravity
 *   tree_momentum.cu  conservation of momentum
 *   tree_memory.cu    how much memory all this takes
 *   tree_carry.cu     an order that serves several evaluations, saved and loaded
 *
 * force_tree_cuda.cu, the entry of the table of forces, runs them one after the other; on several devices, each of
 * which has a part of the curve, tree_domains.cu does.
 *
 * Nodes: inner ones 0 .. inner-1, so that a parent has the smaller number (the root is 0), then the leaves, roughly
 * along the curve; inner + 1 leaves. Of several devices each has all nodes: first those above the domains, then the
 * nodes of each domain, inner ones and leaves; a device makes the lists and fields of its own. Expansions are in units
 * of the tree's frame, a power of two each for length and mass, in which the bodies' box is at most 2^TREE_BOX_LOG2
 * long and all masses sum to at most 1, so that derivatives of order 5 at distances down to a cell of the finest keys
 * fit single precision. Forces between near bodies are in the caller's units. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "force/tree/tree.h"

/* Bodies of a leaf, at most, in large systems, where fewer nodes save more than longer lists cost. */
#define TREE_LEAF_LARGE 32
#define TREE_LARGE      400000
/* Systems of more bodies are summed in pieces along the curve. A piece's lists use the memory of those before it. */
#define TREE_PIECE (1u << 26)
/* In systems of up to so many bodies two leaves always act pair by pair, however far they are. */
#define TREE_SMALL 4096

#define TREE_BOX_LOG2 12
/* Nodes nearer than this are never well separated: a few cells of the finest keys. */
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

template <typename real> struct tree_vector16 { /* what one 16-byte load or store moves */
    typedef float4 type;
};

template <> struct tree_vector16<double> {
    typedef double2 type;
};

struct tree_frame {      /* made on the device from the bounds and the largest mass */
    double middle[3];    /* of the box, caller's units */
    double length, mass; /* factors to the frame's units */
};

/* Bounding ball: all bodies of the node are within r of (x, y, z). Frame's units, about the box's middle. */
struct alignas(16) tree_ball {
    float x, y, z, r;
};

struct alignas(16) tree_opening_data {
    float mass;
    float max_error;      /* as a target: the error that a source may make, tolerance times f_A (tree.h) */
    uint32_t left, right; /* the children of an inner node; of a leaf both are 0 */
};

/* What the opening criterion reads of a node. */
struct alignas(32) tree_opening_record {
    tree_ball ball;
    tree_opening_data data;
};

struct tree_centre { /* frame's units, not shifted */
    double x, y, z, r;
};

struct tree_box { /* as tree_ball */
    float low[3], high[3];
};

/* An interaction list: node numbers in a linked list of chunks of TREE_CHUNK entries, all taken from one pool. */
#define TREE_CHUNK 64

struct tree_list {
    uint32_t first, count; /* first chunk; entries in all */
};

struct tree_pool {
    uint32_t *entries; /* chunks * TREE_CHUNK */
    uint32_t *next;    /* of each chunk */
    uint32_t chunks;
};

/* The walk does not start at the root, where a few nodes would wait for one another, but with the largest nodes of at
 * most n / TREE_START_NODES bodies, some hundreds: each of them takes the root as its only source. Nodes above them are
 * no targets. */
#define TREE_START_NODES 512

/* Device pointers to the tree, nodes by their number; real is float, or double in double precision. Of other devices'
 * nodes there are range, opening, centre and moments (tree_domains.cuh); what else a node has, own ones have and those
 * above the domains. */
template <typename real> struct tree_view {
    uint32_t n;          /* all bodies */
    uint32_t first_node; /* own nodes: [first_node, nodes), */
    uint32_t inner;      /* [first_node, inner) of them inner ones, the others leaves */
    uint32_t nodes;
    uint32_t start_bodies;  /* bodies of a node with which the walk starts, at most */
    uint2 share;            /* sorted bodies [x, y) whose field is computed here: all, or one device's of several */
    const uint2 *range;     /* bodies [x, y) of each node */
    const uint2 *children;  /* of inner nodes */
    const uint32_t *parent; /* of each node but the root */
    const tree_frame *frame;
    tree_opening_record *opening;
    tree_centre *centre;
    tree_box *box;
    real *moments;         /* NB_MOMENTS each */
    real *local;           /* NB_LOCALS each, of own nodes; so are the lists */
    tree_list *m2l;        /* of each node: multipole-to-local, sources for its local expansion */
    tree_list *remaining;  /* of each node: sources in no other list. An inner node's are left to its children; those of
                            * a leaf are leaves, its near ones, and summed pair by pair (particle-to-particle, P2P) */
    tree_list *m2p;        /* of a leaf: multipole-to-particle, sources well separated from each of its bodies though
                            * not from the leaf as a whole */
    const uint32_t *due;   /* of each node: has it a target among its bodies, or some of the share? NULL: all have */
    const uint32_t *queue; /* the due ones, and at [nodes] how many */
    tree_pool pool;
};

/* Entry `at` of a work queue over the own nodes that are due; t.nodes or more: there is none. */
template <typename real> static __device__ __forceinline__ uint32_t tree_queued(const tree_view<real> &t, uint32_t at)
{
    if (!t.due)
        return t.first_node + at;
    return at < t.queue[t.nodes] ? t.queue[at] : t.nodes;
}

/* Where an own node is: above those with which the walk starts, one of them, or below. */
enum tree_zone { TREE_ABOVE, TREE_START, TREE_BELOW };

template <typename real>
static __device__ __forceinline__ tree_zone tree_zone_of(const tree_view<real> &t, uint32_t node)
{
    const uint2 range = t.range[node];
    if (range.y - range.x > t.start_bodies && node < t.inner)
        return TREE_ABOVE;
    const uint2 above = node > 0 ? t.range[t.parent[node]] : make_uint2(0, ~0u);
    return above.y - above.x > t.start_bodies ? TREE_START : TREE_BELOW;
}

/* As kernels read the body: in mixed precision what is beyond single precision's range is infinite. */
template <typename B> static __device__ __forceinline__ bool tree_is_finite(const B &b)
{
    return b.x * 0 + b.y * 0 + b.z * 0 + b.m * 0 == 0; /* NaN where one of them is infinite or a NaN */
}

/* Has the node any of the bodies whose field is computed here? And is a leaf's written here: one that is cut is where
 * its first body is. */
static __device__ __forceinline__ bool tree_overlap(uint2 a, uint2 b)
{
    return a.x < b.y && a.y > b.x;
}

template <typename real> static __device__ __forceinline__ bool tree_is_shared(const tree_view<real> &t, uint32_t node)
{
    return tree_overlap(t.range[node], t.share);
}

template <typename real> static __device__ __forceinline__ bool tree_is_own(const tree_view<real> &t, uint32_t leaf)
{
    return t.range[leaf].x - t.share.x < t.share.y - t.share.x;
}

/* Reads a list: the present chunk, and how many entries were read. */
struct tree_reader {
    tree_list list;
    uint32_t chunk, at;
};

/* A warp's call: the next entries, one a lane, at most 32; returns how many. Written by other multiprocessors: not
 * through the first-level cache. */
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

/* A leaf at the edge may be so large that nearly everything is near it, which would be one warp's work for long. A leaf
 * with more than TREE_LONG near leaves, a long leaf, has no lists and is summed over all bodies by many warps. */
#define TREE_LONG      1024
#define TREE_LONG_MOST 64
#define TREE_IS_LONG   (~0u) /* count of such a leaf's list */

struct tree_counters {               /* zeros at the start of an evaluation and of a repetition */
    unsigned long long largest_mass; /* morton_ordered */
    uint32_t next_node[2];           /* heads of the work queues over all nodes: of the walk, of M2L */
    uint32_t chunks;                 /* taken from the pool; more than it has: the walk has to be repeated */
    uint32_t stack_full;             /* some warp had no room: the walk has to be repeated with more */
    uint32_t not_finite;             /* a position or a mass is not: every result is NaN, as on the CPU */
    unsigned long long close;        /* pairs found; more than there is room for: near has to be repeated */
    uint32_t longs; /* long leaves, in `long_leaves`; more than TREE_LONG_MOST: repeated without a limit */
    uint32_t long_leaves[TREE_LONG_MOST];
};

/* Close pairs as near finds them, in any order: key[k] = i << bits | j, i < j the bodies' indices. */
struct tree_close {
    unsigned long long *count;
    uint64_t *key, room;
    int bits;
};

#define TREE_DEPTHS 96                /* common prefixes of keys and, among equal keys, of places: 64 + 32 */
#define TREE_TALLY  (TREE_DEPTHS + 2) /* numbers that tree_find leaves in depth_counts */

/* A warp of the walk keeps the nodes that it has yet to look at on a stack: 32 are taken and at most 64 put back, one
 * level deeper, and there are fewer than TREE_DEPTHS + 1 levels. A walk that finds the usual capacity too small is
 * repeated. */
#define TREE_STACK_USUAL  768
#define TREE_STACK_ENOUGH (32 * (TREE_DEPTHS + 2))

/* Progress of an inner node: children whose moments are there, 0 to 2, and then: */
enum tree_ready { TREE_LISTS_READY = 3, TREE_LOCAL_READY = 4 };

struct tree_domain;

struct tree_work {
    struct nb_device *device;
    cudaStream_t stream; /* the device's */
    double theta;
    unsigned rebuild, served; /* evaluations that one order of the bodies serves, that this one has served */
    uint64_t n, sources;
    double share[2];       /* of the sorted bodies, as parts of n: 0 and 1, but for one of several devices */
    cudaEvent_t walked[2]; /* before the walk and behind the last pairs of a share; NULL before the first */
    uint64_t first, own_n; /* sorted bodies [first, first + own_n) are in this device's nodes: all, or its domain */
    tree_domain *domain;   /* tree_domains.cuh; NULL before the first */
    bool has_others;       /* nodes of other devices, which come while the walk is on */
    morton_sorted sort;
    morton_keys window; /* the own places' keys and some around them */
    nb_cuda_buffer bodies, frame, counters;
    nb_cuda_buffer depth_counts; /* nodes of each depth, then the places given out */
    nb_cuda_buffer range, children, parent;
    nb_cuda_buffer ready; /* uint32_t of each own node: its progress, enum tree_ready */
    nb_cuda_buffer opening, centre, box, moments, local, m2l, remaining, m2p;
    nb_cuda_buffer pool, next, partial;
    nb_cuda_buffer places; /* of targets that are a list, for each body */
    bool few;              /* not all bodies are targets; then, and where the sum has pieces (tree_due.cu): */
    nb_cuda_buffer due, before, queue, scan;
    nb_cuda_buffer own;                     /* a field that is to be added to others' */
    nb_cuda_buffer momentum;                /* tree_momentum.cu */
    nb_cuda_buffer close;                   /* keys of close pairs, and room for as many, where they are asked for */
    uint32_t leaf;                          /* bodies of a leaf, at most: NB_TREE_LEAF or TREE_LEAF_LARGE */
    uint32_t top, first_node, inner, nodes; /* tree_view; nodes above the domains */
    uint32_t total;                         /* nodes of all devices */
    uint32_t limit;                         /* near leaves of a leaf: TREE_LONG, or no limit */
    uint32_t stack;                         /* entries of a warp of the walk */
    uint32_t walkers;                       /* warps of the last walk, */
    uint32_t chunks;                        /* and chunks of lists that they have reserved */
    double lists;                           /* chunks a body that are to be expected; 0: not known */
    bool in_pieces;                         /* is the sum: w->share is one of them */
    int processors;
};

/* w->share in places. */
static inline uint2 tree_shared_places(const tree_work *w)
{
    return make_uint2((uint32_t)(w->share[0] * (double)w->n), (uint32_t)(w->share[1] * (double)w->n));
}

/* The progress of each node, by its number. */
static inline uint32_t *tree_ready_of(const tree_work *w)
{
    return (uint32_t *)w->ready.d - w->first_node;
}

/* The index of each body, by its place. */
static inline const uint32_t *tree_order_of(const tree_work *w)
{
    return (const uint32_t *)w->sort.order.d - w->first;
}

/* The stages of an evaluation, in this order. Each puts its work on the device's stream: 0, or -1 after nb_fail. */

/* Makes the nodes, unless some keys are not in order; waits for the device once, to learn this and how many there are.
 */
int tree_build(tree_work *w, bool *in_order);
/* What it consists of. tree_find counts the divided nodes among the own places, from the window of keys, into
 * w->depth_counts: TREE_DEPTHS numbers by depth, and all of them. With these on the host tree_count numbers the own
 * nodes, of which `roots` have no own parent, from first_node on, and leaves counts as tree_make takes them, which
 * makes them, where there is room (tree_reserve_shape, for the nodes of all devices). Device memory, one each of the
 * roots: their places, their parents, and their numbers, which it writes. */
int tree_find(tree_work *w);
void tree_count(tree_work *w, uint32_t first_node, uint32_t roots, uint32_t *counts);
int tree_reserve_shape(tree_work *w, uint64_t total);
int tree_make(tree_work *w, const uint32_t *counts, const uint2 *d_root, const uint32_t *d_parent, uint32_t roots,
              uint32_t *d_number);

/* Puts the bodies in order (those of `more` behind the sources, without a mass), and fills t's opening, centre, box and
 * moments. */
template <typename B>
int tree_moments(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const nb_targets *more);
/* What it consists of. tree_begin clears what counts and makes the frame, of the bounds in w->sort and n sources, their
 * largest mass that of `masses`, a row of `of` masses, or where that is NULL `largest`, morton_ordered. tree_nodes
 * fills all but opening's data. */
int tree_begin(tree_work *w, enum nb_precision precision, const void *masses, uint64_t of, unsigned long long largest,
               uint64_t n);
template <typename B>
int tree_nodes(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const nb_targets *more);
/* t.opening's data, of own nodes and those above the domains. */
template <typename real> int tree_open(tree_work *w, const tree_view<real> &t, const nb_sources *s);

/* Which bodies are targets, and where their results go. */
struct tree_targets {
    uint64_t first, count; /* bodies [first, first + count), */
    const uint32_t *place; /* or the place of each body, ~0 for none; NULL: the range */
};

static __device__ __forceinline__ uint64_t tree_place(const tree_targets &to, uint32_t body)
{
    return to.place ? to.place[body] : body - to.first; /* at least `count`: not a target */
}

/* ---- tree_due.cu, where not all bodies are targets at once ---- */

/* The place of each body in a list of targets, into w->places. */
int tree_find_places(tree_work *w, const nb_targets *t);
/* The due nodes: w->due and w->queue, which the view has where w->few. */
int tree_find_due(tree_work *w, const tree_targets &to);
/* The same for the nodes that w->share has bodies of. */
int tree_find_shared(tree_work *w);

/* Fills the lists of every due node; bodies nearer to each other than `reach`, in the caller's unit, go into the near
 * ones. */
template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t, double reach);
/* Chunks of lists that its warps reserve at a time, all together. */
double tree_walk_chunks_reserved(const tree_work *w);
/* Fills t.local by M2L and, of inner nodes, L2L; its value coefficient l[0] only with want_value. */
template <typename real> int tree_far(tree_work *w, const tree_view<real> &t, double eps, bool want_value);

/* The fields of the targets: P2P, M2P and the local expansions. */
template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
              const nb_field *out);

/* ---- tree_close.cu ---- */

/* At least so much room. */
int tree_close_reserve(tree_work *w, uint64_t pairs);
/* Where near puts the pairs. */
tree_close tree_close_of(const tree_work *w);
/* The `count` pairs that it has put there, in order, into host memory; waits. */
int tree_close_take(tree_work *w, uint64_t count, nb_close_pairs *close);

/* Stores in out->a, or adds there, the acceleration that the tree has made of all n bodies, d_own, a vector of out's
 * stride, less what would accelerate the whole. */
int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const void *d_own,
                  const nb_field *out);
/* The two halves of that, of n bodies of several devices'. sum: of m a_x, m a_y, m a_z and m |a|, host memory, waited
 * for. Then, with the sums over all bodies, d_own goes to out->a. own_stride: of d_own, a multiple of 4 as is out's. */
int tree_momentum_sum(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride, const void *d_m,
                      const void *d_own, double sum[4]);
int tree_momentum_subtract(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                           const void *d_own, const double sum[4], const nb_field *out);

/* ---- tree_carry.cu ---- */

/* nb_force.carry. */
int tree_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);

/* ---- tree_memory.cu ---- */

/* Memory for what nodes and bodies are, of all devices' nodes where there are several. */
int tree_reserve(tree_work *w, size_t body_bytes, size_t real_bytes);
template <typename real> tree_view<real> tree_view_of(tree_work *w);
/* Room for so many chunks of lists; -1 after nb_fail. And chunks that there is room for. */
int tree_reserve_pool(tree_work *w, size_t chunks);
uint32_t tree_pool_chunks(const tree_work *w);
/* As nb_force.work_bytes and nb_force.shaping. */
double tree_work_bytes(enum nb_precision precision, uint64_t n);
extern const struct nb_force_shaping tree_shaping;

/* ---- force_tree_cuda.cu ---- */

/* Zeros in w->ready and w->counters: what walk, far and near need before they are repeated. */
int tree_clear(tree_work *w);

/* Walk, far and near: the fields of the targets from nodes that are made; repeated with more memory until the lists
 * fit. Waits. */
template <typename B>
int tree_sum(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out, tree_counters *counters);
/* Fields of `count` targets where a position or a mass is not finite: NaN. */
int tree_store_nan(tree_work *w, enum nb_precision precision, uint64_t count, const nb_field *out);
