/* tree_data.cuh - data of the tree force (tree.h) in the memory of a GPU, and the functions with which kernels of
 * several stages read and write it. tree_cuda.cuh has the stages.
 *
 * Expansions are in internal units (tree_frame). Lengths and masses are multiplied by powers of two, so that the box of
 * the bodies is at most 2^TREE_BOX_LOG2 long and the total mass is at most 1. The derivatives of the potential up to
 * order 5 are then in the range of single precision, at distances down to the width of the smallest cell. Near forces
 * are in the caller's units. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "force/tree/tree.h"

#include <cuda/atomic>

/* Maximum number of bodies in a leaf, if the system has at least TREE_LARGE bodies. In such systems larger leaves are
 * faster: there are fewer nodes, which saves more time than the additional near pairs cost. */
#define TREE_LEAF_LARGE 32
#define TREE_LARGE      400000
/* Maximum number of bodies in a piece. Larger systems are evaluated in several pieces, which are ranges of the bodies
 * along the Morton curve. All pieces use the same memory for lists, one after the other. */
#define TREE_PIECE (1u << 26)
/* In systems of at most this number of bodies, the bodies of two leaves always interact pair by pair, at any
 * distance. */
#define TREE_SMALL 4096

#define TREE_BOX_LOG2 12
/* Minimum distance of well-separated nodes, in units of tree_frame: a few times the width of the smallest cell. */
#define TREE_LEAST_DISTANCE (1.0f / 512)
/* Upper limit of the rounding error of a node's centre in single precision, which is added to the node's radius. */
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

template <typename real> struct tree_vector16 { /* type of a 16-byte load or store */
    typedef float4 type;
};

template <> struct tree_vector16<double> {
    typedef double2 type;
};

/* units and origin of expansions; computed on the device from the bounding box and the largest mass */
struct tree_frame {
    double middle[3];    /* centre of the box, caller's units */
    double length, mass; /* factors that convert lengths and masses from the caller's units to internal units */
};

/* Bounding ball: all bodies of the node are within r of (x, y, z). In the units of tree_frame, relative to the centre
 * of the bodies' box. */
struct alignas(16) tree_ball {
    float x, y, z, r;
};

struct alignas(16) tree_opening_data {
    float mass;
    float max_error;      /* accepted error by one source, if this node is the target: tolerance times f_A (tree.h) */
    uint32_t left, right; /* node numbers of the children of an inner node; both 0 for a leaf */
};

struct alignas(32) tree_opening_record {
    tree_ball ball;
    tree_opening_data data;
};

/* centre of mass and radius of a node, in the units of tree_frame, but relative to the caller's origin */
struct tree_centre {
    double x, y, z, r;
};

struct alignas(
    8) tree_box { /* bounding box of a node, in the units of tree_frame, relative to the centre of the bodies' box */
    float low[3], high[3];
};

/* An interaction list: node numbers in a linked list of chunks with TREE_CHUNK entries, allocated from one pool. */
#define TREE_CHUNK 64

struct alignas(8) tree_list {
    uint32_t first, count; /* first: first chunk; count: total number of entries */
};

/* Special values of tree_list.count for the list `remaining` of an inner node.
 * TREE_UNKNOWN: the list is not complete yet.
 * TREE_FROM_ROOT: there is no list, so the walks of the node's children begin with the root of the tree. */
#define TREE_UNKNOWN   (~0u)
#define TREE_FROM_ROOT (~1u)

struct tree_pool {
    uint32_t *entries; /* TREE_CHUNK entries for each chunk */
    uint32_t *next;    /* for each chunk: the next chunk of the same list */
    uint32_t chunks;
};

/* The walk does not begin with the root as target, because few targets would be processed in parallel. The first
 * targets are the largest nodes that have at most n / TREE_START_NODES bodies. There are several hundred such nodes,
 * and each has the root as its first source. Nodes above them are never targets. */
#define TREE_START_NODES 512

/* Device pointers to the tree, indexed by node number. `real` is float, or double in double precision. The arrays
 * `range`, `opening`, `centre` and `moments` contain the nodes of all devices (tree_domains.cuh). The other arrays
 * contain only the nodes of this device, and the few nodes with bodies on several devices. */
template <typename real> struct tree_view {
    uint32_t n;          /* number of all bodies */
    uint32_t first_node; /* nodes of this device: [first_node, nodes) */
    uint32_t inner;      /* inner nodes: [first_node, inner); leaves: [inner, nodes) */
    uint32_t nodes;
    uint32_t start_bodies;  /* maximum number of bodies in nodes where the walk begins */
    uint2 share;            /* this device computes the field of the sorted bodies [x, y) */
    const uint2 *range;     /* bodies [x, y) of each node */
    const uint2 *children;  /* children of each inner node */
    const uint32_t *parent; /* parent of each node except the root */
    const tree_frame *frame;
    tree_opening_record *opening;
    tree_centre *centre;
    tree_box *box;
    real *moments; /* NB_MOMENTS elements per node */
    /* NB_LOCALS elements per node: its local expansion. This array and the lists m2l, remaining and m2p are for nodes
     * of this device only */
    real *local;
    tree_list *m2l; /* multipole-to-local: sources for a node's local expansion */
    /* sources that are in no other list of the node. An inner node leaves these sources to its children. For a leaf,
     * they are its near leaves, whose forces are summed pair by pair (particle-to-particle, P2P) */
    tree_list *remaining;
    /* multipole-to-particle, for a leaf: sources that are not well separated from the leaf, but well separated from
     * each of its bodies */
    tree_list *m2p;
    /* for each node: nonzero if the node is due, which means that it contains targets (or bodies of the share, see
     * tree_find_shared). NULL: all nodes are due */
    const uint32_t *due;
    const uint32_t *queue; /* node numbers of the due nodes of this device; queue[nodes]: their number */
    tree_pool pool;
};

/* Returns the node number of entry `at` in the work queue, which contains the due nodes of this device. Returns t.nodes
 * or more if the queue has no such entry. */
template <typename real> static __device__ __forceinline__ uint32_t tree_queued(const tree_view<real> &t, uint32_t at)
{
    if (!t.due)
        return t.first_node + at;
    return at < t.queue[t.nodes] ? t.queue[at] : t.nodes;
}

/* Returns whether an inner node with the bodies `range` is above the nodes with which the walk begins. */
template <typename real> static __device__ __forceinline__ bool tree_is_above(const tree_view<real> &t, uint2 range)
{
    return range.y - range.x > t.start_bodies;
}

/* Precision of the state (the arrays of the bodies) from which kernels read bodies of type B. In mixed precision, the
 * state is in double. */
template <typename B>
constexpr enum nb_precision tree_state_precision = sizeof(typename B::state) == sizeof(float) ? NB_SINGLE : NB_DOUBLE;

/* Returns whether position and mass of the body are finite in the type in which kernels read them. In mixed precision,
 * values beyond the range of single precision are infinite. */
template <typename B> static __device__ __forceinline__ bool tree_is_finite(const B &b)
{
    return b.x * 0 + b.y * 0 + b.z * 0 + b.m * 0 == 0; /* NaN if one of them is infinite or NaN */
}

/* Returns the number of lanes before this lane whose bits are set in `mask`. */
static __device__ __forceinline__ uint32_t tree_lanes_before(uint32_t mask)
{
    return __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
}

/* Called by a warp. Reserves a place in a list for each lane whose `is_one` is true, and returns the number of this
 * place. *count is the number of places reserved so far by all warps. The places of a warp are consecutive. */
static __device__ __forceinline__ uint32_t tree_take_places(bool is_one, uint32_t *count)
{
    const uint32_t mask = __ballot_sync(~0u, is_one);
    uint32_t base = 0;
    if (threadIdx.x % 32 == 0 && mask)
        base = atomicAdd(count, __popc(mask));
    return __shfl_sync(~0u, base, 0) + tree_lanes_before(mask);
}

static __device__ __forceinline__ bool tree_overlap(uint2 a, uint2 b)
{
    return a.x < b.y && a.y > b.x;
}

/* Returns whether the first body of a leaf is in t.share, the range of bodies that this device computes. A leaf with
 * bodies in two shares belongs to the share of its first body. */
template <typename real> static __device__ __forceinline__ bool tree_is_own(const tree_view<real> &t, uint32_t leaf)
{
    return t.range[leaf].x - t.share.x < t.share.y - t.share.x;
}

/* A position in a list from which a warp reads. chunk: the current chunk; at: number of entries read so far. */
struct tree_reader {
    tree_list list;
    uint32_t chunk, at;
};

/* Called by a warp: reads the next entries of the list, one per lane, and returns their number, at most 32. Bypasses
 * the first-level cache, because other multiprocessors write the lists. */
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

/* A leaf with more than TREE_LONG near leaves is a long leaf. At the edge of the system a leaf can be so large that
 * almost all leaves are near it. One warp would take too long for its pairs. A long leaf therefore has no lists, and
 * many warps together sum the forces of all bodies on its bodies. */
#define TREE_LONG      1024
#define TREE_LONG_MOST 64
#define TREE_IS_LONG   (~0u) /* marks a long leaf: value of `count` in the leaf's element of tree_view.remaining */

/* If a leaf has more than TREE_WIDE near leaves, a warp needs much time for its pairs. If this warp starts late, it
 * still runs when all other warps have ended. Such leaves are therefore listed, and their warps start first. If there
 * are more than TREE_WIDE_MOST such leaves, the list is not used, because so many warps keep the GPU busy until the
 * end. */
#define TREE_WIDE      96
#define TREE_WIDE_MOST 2048

/* all members are set to zero at the beginning of an evaluation, and before its stages are repeated */
struct tree_counters {
    unsigned long long largest_mass; /* maximum of the masses, converted to an integer by morton_ordered */
    uint32_t next_node[2];           /* heads of two work queues of nodes: [0] for the walk, [1] for M2L */
    uint32_t next_m2p;               /* head of the work queue of leaves with M2P sources */
    uint32_t chunks;     /* number of chunks taken from the pool; if the pool has fewer, the walk is repeated */
    uint32_t stack_full; /* 1: a warp's stack was full; the walk is repeated with a larger stack */
    uint32_t not_finite; /* 1: a position or mass is not finite; every result is NaN, as on the CPU */
    /* number of close pairs found; if there is memory for fewer pairs, all stages are repeated with more memory */
    unsigned long long close;
    /* number of long leaves; if more than TREE_LONG_MOST, the walk is repeated without the limit TREE_LONG */
    uint32_t longs;
    uint32_t long_leaves[TREE_LONG_MOST];
    uint32_t few, many; /* number of leaves with few and with many M2P sources (tree_m2p.cuh) */
    uint32_t wides;     /* number of leaves with more than TREE_WIDE near leaves, without the long leaves */
    uint32_t wide_leaves[TREE_WIDE_MOST];
};

/* Close pairs, in the order in which the stage "near" finds the pairs. key[k] = i << bits | j, where i < j are the
 * indices of the bodies of pair k. count: number of pairs found, room: maximum number of pairs. */
struct tree_close {
    unsigned long long *count;
    uint64_t *key, room;
    int bits;
};

/* The depth of an inner node is the number of leading bits that the keys of all its bodies share. If all keys are
 * equal, the depth is 64 plus the number of leading bits that the sorted positions of its bodies (32-bit numbers)
 * share. The depth is less than TREE_DEPTHS. */
#define TREE_DEPTHS 96
/* tree_find writes TREE_TALLY elements to depth_counts. Element TREE_UNSORTED is 1 if a key is smaller than its
 * predecessor. */
#define TREE_UNSORTED (TREE_DEPTHS + 1)
#define TREE_TALLY    (TREE_DEPTHS + 2)

/* A warp of the walk keeps pending nodes on a stack. The warp pops 32 nodes and pushes at most 64 nodes one level
 * deeper, and there are fewer than TREE_DEPTHS + 1 levels. TREE_STACK_ENOUGH nodes are therefore always sufficient. If
 * the default capacity TREE_STACK_USUAL is too small, the walk is repeated. */
#define TREE_STACK_USUAL  768
#define TREE_STACK_ENOUGH (32 * (TREE_DEPTHS + 2))

/* Progress of an inner node. Values 0 to 2: number of its children at which a thread has arrived (tree_inner.cu).
 * TREE_LOCAL_READY: its local expansion is complete. */
enum tree_ready { TREE_LOCAL_READY = 3 };

/* Waits until is_final(*value), and returns *value. Values that other warps wrote before they called tree_report(value,
 * ...) are then visible to this thread. */
template <typename word, typename F> static __device__ __forceinline__ word tree_await(word *value, F is_final)
{
    const cuda::atomic_ref<word, cuda::thread_scope_device> shared(*value);
    word found = shared.load(cuda::memory_order_acquire);
    while (!is_final(found)) {
        /* A load with acquire order empties the first-level cache. The waiting loop therefore uses relaxed loads. */
        while (!is_final(shared.load(cuda::memory_order_relaxed)))
            __nanosleep(20);
        found = shared.load(cuda::memory_order_acquire);
    }
    return found;
}

/* Called by one lane of a warp, after __syncwarp: sets *value. Values that the lanes of the warp wrote before this call
 * are visible to each thread that gets the new *value from tree_await. */
template <typename word> static __device__ __forceinline__ void tree_report(word *value, word result)
{
    cuda::atomic_ref<word, cuda::thread_scope_device>(*value).store(result, cuda::memory_order_release);
}
