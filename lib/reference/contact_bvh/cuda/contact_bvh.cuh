/* contact_bvh.cuh - a bounding volume hierarchy over the disks in Morton order, on the GPU (Karras 2012, "Maximizing
 * parallelism in the construction of BVHs, octrees, and k-d trees").
 *
 * A leaf is one disk. The *place* of a disk is its index in Morton order. There are n - 1 inner nodes; the root is 0. A
 * child is the index of an inner node, or BVH_LEAF plus a place.
 *
 * Each disk has a bit string: its Morton key, then its place, which distinguishes disks with equal keys. The strings of
 * all disks in a node begin with the same bits. From a node to each of its children, the number of these common bits
 * increases. A path from the root to a leaf therefore has at most BVH_DEPTH nodes, and a stack of BVH_DEPTH entries is
 * enough. */
#pragma once

#include "force/contact/cuda/contact_cuda.cuh"
#include "force/cuda/morton.cuh"

#include <cuda/atomic>

#define BVH_LEAF 0x80000000u
/* maximum depth of the hierarchy: (number of bits of a key) + (number of bits of a place) */
#define BVH_DEPTH (2 * MORTON_BITS(2) + 32)
/* maximum number of nodes that are visited for a disk; it is exceeded only if too many disks overlap */
#define BVH_NODES (1u << 18)

template <typename T> struct alignas(16) bvh_box {
    T low[2], high[2];
};

template <typename P> struct bvh_view { /* device pointers */
    typedef typename P::point point;
    contact_view<P> contact;
    /* positions of all disks in their original order: three rows, `stride` elements apart */
    const typename P::state *x;
    uint64_t stride, n;
    const uint64_t *keys;
    const uint32_t *order; /* order[k]: index of disk number k in Morton order */
    point *sorted;         /* sorted[k]: position of disk order[k]; NULL: x[order[k]] is read */
    uint2 *children;       /* n - 1 elements: children of each inner node */
    uint32_t *last;        /* last[i]: number, in Morton order, of the last disk in inner node i */
    uint32_t *inner_parent, *leaf_parent;
    uint32_t *met;                   /* for each inner node: number of children with a computed box */
    bvh_box<typename P::state> *box; /* bounding box of the centres of the disks in each inner node */
    /* maximum rounding errors, used by bvh_meets. epsilon: relative error of a coordinate; slack: absolute error of a
     * distance across the periodic boundary */
    typename P::state epsilon, slack;
};

struct bvh_work {      /* in host memory; owns the device arrays of bvh_view */
    contact_base base; /* must be the first member: common code casts a pointer to `base` to bvh_work * */
    bool reflexive, shared, reorder, aggregate;
    uint64_t n; /* number of disks in the last build */
    enum nb_precision precision;
    morton_sorted sort;
    nb_cuda_buffer sorted, children, last, inner_parent, leaf_parent, met, box, sums;
};

/* Returns the position of disk number `place` in Morton order. */
template <typename P>
static __device__ __forceinline__ typename P::point bvh_place(const bvh_view<P> &b, uint32_t place)
{
    if (b.sorted)
        return b.sorted[place];
    const uint32_t i = b.order[place];
    return {b.x[i], b.x[i + b.stride]};
}

/* ---- build ---- */

/* n - 1 threads; thread i owns inner node i. Reads keys[n]; writes children[i], last[i], met[i] = 0, and the parent
 * entries of both children. */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK) bvh_nodes(const __grid_constant__ bvh_view<P> b)
{
    const int64_t i = (int64_t)blockIdx.x * NB_BLOCK + threadIdx.x, n = (int64_t)b.n;
    if (i >= n - 1)
        return;
    const int d = morton_shared_bits(b.keys, n, i, i + 1) > morton_shared_bits(b.keys, n, i, i - 1) ? 1 : -1;
    const int outside = morton_shared_bits(b.keys, n, i, i - d);
    int64_t reach = 2, length = 0, split = 0;
    while (morton_shared_bits(b.keys, n, i, i + d * reach) > outside)
        reach *= 2;
    for (int64_t step = reach / 2; step > 0; step /= 2)
        if (morton_shared_bits(b.keys, n, i, i + d * (length + step)) > outside)
            length += step;
    const int64_t other = i + d * length;
    const int depth = morton_shared_bits(b.keys, n, i, other);
    for (int64_t step = length; step > 1;) {
        step = (step + 1) / 2;
        if (split + step < length && morton_shared_bits(b.keys, n, i, i + d * (split + step)) > depth)
            split += step;
    }
    const int64_t first = d > 0 ? i : other, last = d > 0 ? other : i, left = d > 0 ? i + split : i - split - 1;
    b.children[i] = make_uint2(left == first ? BVH_LEAF | (uint32_t)left : (uint32_t)left,
                               left + 1 == last ? BVH_LEAF | (uint32_t)last : (uint32_t)left + 1);
    (left == first ? b.leaf_parent : b.inner_parent)[left] = (uint32_t)i;
    (left + 1 == last ? b.leaf_parent : b.inner_parent)[left + 1] = (uint32_t)i;
    b.last[i] = (uint32_t)last;
    b.met[i] = 0;
}

/* Returns the box of a child: the box of an inner node, or a point at the position of a leaf's disk. */
template <typename P>
static __device__ __forceinline__ bvh_box<typename P::state> bvh_box_of(const bvh_view<P> &b, uint32_t child)
{
    if (!(child & BVH_LEAF))
        return b.box[child];
    typename P::point p = bvh_place(b, child & ~BVH_LEAF);
    /* A disk whose position is not finite touches nothing. NAN keeps it out of the parent's box, because min and max
     * ignore NAN. */
    if (!(isfinite(p.x) && isfinite(p.y)))
        p.x = p.y = (typename P::state)NAN;
    return {{p.x, p.y}, {p.x, p.y}};
}

/* n threads; thread k begins at leaf k and ascends towards the root. Each inner node is reached by two threads. The
 * first thread stops. The second thread computes box[node] from the boxes of both children. The threads increment
 * met[node] with release and acquire ordering, so the second thread sees the box that the first thread wrote. */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK) bvh_boxes(const __grid_constant__ bvh_view<P> b)
{
    const uint64_t place = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (place >= b.n || b.n < 2)
        return;
    for (uint32_t node = b.leaf_parent[place];; node = b.inner_parent[node]) {
        cuda::atomic_ref<uint32_t, cuda::thread_scope_device> met(b.met[node]);
        if (met.fetch_add(1, cuda::memory_order_acq_rel) == 0)
            return;
        const uint2 c = b.children[node];
        const bvh_box<typename P::state> left = bvh_box_of(b, c.x), right = bvh_box_of(b, c.y);
        bvh_box<typename P::state> box;
        for (int k = 0; k < 2; k++) {
            box.low[k] = min(left.low[k], right.low[k]);
            box.high[k] = max(left.high[k], right.high[k]);
        }
        b.box[node] = box;
        if (node == 0)
            return;
    }
}

/* ---- traversal ---- */

/* Returns the maximum number of nodes to visit for a disk, or 0 if *contact.crowded is set, which means that too many
 * disks overlap. */
template <typename P> static __device__ __forceinline__ uint32_t bvh_budget(const bvh_view<P> &b)
{
    /* not from the L1 cache: another thread of this launch may set *crowded */
    return __ldcg(b.contact.crowded) ? 0 : BVH_NODES;
}

/* Returns whether a disk in the box can touch a disk at p. Uses the periodic image of the box that is nearest to p. */
template <typename P>
static __device__ __forceinline__ bool bvh_meets(const bvh_view<P> &b, const bvh_box<typename P::state> &box,
                                                 const typename P::point &p)
{
    typedef typename P::state T;
    const T at[2] = {p.x, p.y};
    bool meets = box.low[0] <= box.high[0];
    for (int k = 0; k < 2; k++) {
        const T middle = (box.low[k] + box.high[k]) / 2, half = (box.high[k] - box.low[k]) / 2;
        const T reach = b.contact.space.reach + b.slack + b.epsilon * (abs(box.low[k]) + abs(box.high[k]));
        /* the comparison is negated so that NaN counts as meeting */
        meets &= !(abs(contact_shortest(b.contact.space, k, middle - at[k])) > half + reach);
    }
    return meets;
}

/* Calls visit(q) for each disk that may touch a disk at p. q is the number of the disk in Morton order; only disks with
 * q > `from` are visited. stack(k) is entry k of a stack with BVH_DEPTH entries. *nodes is the maximum number of nodes
 * to visit, and is reduced by the number of visited nodes. If it reaches 0, stops and sets *contact.crowded. */
template <typename P, typename S, typename V>
static __device__ __forceinline__ void bvh_visit(const bvh_view<P> &b, const typename P::point &p, int64_t from,
                                                 const S &stack, uint32_t *nodes, const V &visit)
{
    uint32_t node = 0, depth = 0;
    if (b.n < 2 || !(isfinite(p.x) && isfinite(p.y)))
        return;
    for (; *nodes > 0; --*nodes) {
        const uint2 c = b.children[node];
        uint32_t next = ~0u;
        for (int k = 0; k < 2; k++) {
            const uint32_t child = k == 0 ? c.y : c.x;
            if (child & BVH_LEAF) {
                if ((int64_t)(child & ~BVH_LEAF) > from)
                    visit(child & ~BVH_LEAF);
            } else if ((int64_t)b.last[child] > from && bvh_meets(b, b.box[child], p)) {
                if (next != ~0u)
                    stack(depth++) = next;
                next = child;
            }
        }
        if (next == ~0u && depth == 0)
            return;
        node = next != ~0u ? next : stack(--depth);
    }
    *b.contact.crowded = 1;
}
