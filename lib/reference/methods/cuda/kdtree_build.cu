/* kdtree_build.cu - builds the k-d tree level by level on the GPU. A *segment* is the set of bodies of one node. A
 * *place* is an index in the order of the bodies, which is the order of the leaves from left to right.
 * - Upper levels: all bodies are sorted by segment and, within a segment, by the coordinate along its longest axis. The
 *   two halves of each segment are then the segments of the next level.
 * - Lower levels, where no segment has more than BOTTOM bodies: one block divides one segment, in shared memory, until
 *   each part is a single body. */
#include "reference/methods/cuda/kdtree_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>

#define BOTTOM      1024 /* maximum number of bodies of a segment that one block finishes, one body per thread */
#define BOTTOM_DOWN 10   /* number of levels below a segment of BOTTOM bodies: log2(BOTTOM) */
#define BOX_BLOCK   1024 /* threads per block of find_boxes */

/* ---- conversion of coordinates, also NaN, to unsigned integers that are in the same order ---- */

template <typename real> struct ordered;

template <> struct ordered<float> {
    typedef unsigned int bits;
    typedef unsigned long long key; /* segment in the upper bits, coordinate in the lower bits */
    static __device__ bits of(float v)
    {
        const bits b = __float_as_uint(v);
        return b >> 31 ? ~b : b | 1u << 31;
    }
    static __device__ double back(bits b)
    {
        return __uint_as_float(b >> 31 ? b & ~(1u << 31) : ~b);
    }
    static __device__ bits size(float v) /* for v >= 0: an integer that increases with v */
    {
        return __float_as_uint(v);
    }
};

template <> struct ordered<double> {
    typedef unsigned long long bits;
    typedef unsigned __int128 key;
    static __device__ bits of(double v)
    {
        const bits b = (bits)__double_as_longlong(v);
        return b >> 63 ? ~b : b | 1ull << 63;
    }
    static __device__ double back(bits b)
    {
        return __longlong_as_double((long long)(b >> 63 ? b & ~(1ull << 63) : ~b));
    }
    static __device__ bits size(double v)
    {
        return (bits)__double_as_longlong(v);
    }
};

template <typename real>
struct box { /* bounding box; not_high is ~high, so that low and not_high are both minima; initialise with all bits 1 */
    typename ordered<real>::bits low[3], not_high[3];
};

/* Returns the axis with the largest extent. If several axes have this extent, returns the first of them. */
template <typename real> static __device__ int longest_axis(const box<real> &b)
{
    int axis = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        const double extent =
            ordered<real>::back((typename ordered<real>::bits) ~b.not_high[k]) - ordered<real>::back(b.low[k]);
        if (extent > most) {
            most = extent;
            axis = k;
        }
    }
    return axis;
}

/* Returns the minimum of v over the lanes of a warp. */
template <typename bits> static __device__ __forceinline__ bits warp_min(bits v)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        const bits other = __shfl_xor_sync(~0u, v, distance);
        v = other < v ? other : v;
    }
    return v;
}

/* Sets *to to v if v is larger. Reads *to first: this is cheaper than an atomic operation, and most calls change
 * nothing. */
template <typename bits> static __device__ __forceinline__ void raise(bits *to, bits v)
{
    if (v > *(volatile bits *)to)
        atomicMax(to, v);
}

/* ---- levels with segments larger than a block ---- */

struct level_view {
    uint32_t n;
    int level;
};

/* Returns the node of level v.level that contains body number p (counted in the order of the leaves). */
static __device__ __forceinline__ uint32_t node_above(const level_view &v, uint32_t p)
{
    const uint32_t leaf = nb_kdtree_leaf(v.n, p);
    return leaf >> (nb_kdtree_level(leaf) - v.level);
}

/* n threads; thread p writes p to order[p]. */
static __global__ void number_bodies(uint32_t n, uint32_t *order)
{
    const uint32_t p = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (p < n)
        order[p] = p;
}

/* Computes the bounding boxes of the nodes of level v.level, boxes[2^level]. n threads; thread p handles body order[p].
 * x: positions, three rows with `stride` elements. If all bodies of a warp or of a block are in the same node, computes
 * the box of these bodies first. This needs fewer atomic operations. */
template <typename T>
static __global__ void __launch_bounds__(BOX_BLOCK)
    find_boxes(level_view v, const T *x, uint64_t stride, const uint32_t *order, box<T> *boxes)
{
    __shared__ box<T> shared;
    const uint32_t p = blockIdx.x * BOX_BLOCK + threadIdx.x, last = v.n - 1;
    const uint32_t node = node_above(v, p < last ? p : last), body = order[p < last ? p : last];
    const uint32_t first = __shfl_sync(~0u, node, 0);
    const bool together = __all_sync(~0u, node == first);
    if (threadIdx.x < 3)
        shared.low[threadIdx.x] = shared.not_high[threadIdx.x] = ~(typename ordered<T>::bits)0;
    const bool all = __syncthreads_and(node == node_above(v, blockIdx.x * BOX_BLOCK));
    box<T> *const b = all ? &shared : &boxes[node - (1u << v.level)];
    for (int k = 0; k < 3; k++) {
        typename ordered<T>::bits low = ordered<T>::of(x[k * stride + body]), not_high = ~low;
        if (together) {
            low = warp_min(low);
            not_high = warp_min(not_high);
        }
        if (!together || threadIdx.x % 32 == 0) {
            atomicMin(&b->low[k], low);
            atomicMin(&b->not_high[k], not_high);
        }
    }
    __syncthreads();
    if (all && threadIdx.x < 3) {
        atomicMin(&boxes[node - (1u << v.level)].low[threadIdx.x], shared.low[threadIdx.x]);
        atomicMin(&boxes[node - (1u << v.level)].not_high[threadIdx.x], shared.not_high[threadIdx.x]);
    }
}

/* n threads; thread p writes keys[p] for body order[p]: its segment (its node of level v.level), and its coordinate
 * along the longest axis of this segment. */
template <typename T>
static __global__ void make_keys(level_view v, const T *x, uint64_t stride, const uint32_t *order, const box<T> *boxes,
                                 typename ordered<T>::key *keys)
{
    const uint32_t p = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (p >= v.n)
        return;
    const uint32_t segment = node_above(v, p) - (1u << v.level);
    const typename ordered<T>::bits at = ordered<T>::of(x[longest_axis(boxes[segment]) * stride + order[p]]);
    keys[p] = (typename ordered<T>::key)segment << (8 * sizeof at) | at;
}

/* ---- segments of a block ---- */

/* Called by a warp: returns the longest axis of the bounding box of bodies [begin, end) of the block. at[k][p]:
 * coordinate k of body p of the block. */
template <typename T>
static __device__ int axis_of(const typename ordered<T>::bits (*at)[BOTTOM], uint32_t begin, uint32_t end)
{
    box<T> b;
    for (int k = 0; k < 3; k++) {
        b.low[k] = b.not_high[k] = ~(typename ordered<T>::bits)0;
        for (uint32_t p = begin + threadIdx.x % 32; p < end; p += 32) {
            const typename ordered<T>::bits v = at[k][p];
            b.low[k] = v < b.low[k] ? v : b.low[k];
            b.not_high[k] = (typename ordered<T>::bits) ~v < b.not_high[k] ? ~v : b.not_high[k];
        }
        b.low[k] = warp_min(b.low[k]);
        b.not_high[k] = warp_min(b.not_high[k]);
    }
    return longest_axis(b);
}

/* Returns the rank of element p (from 0) in a stable sort of the elements [begin, end) of at[]: the number of elements
 * q with at[q] < at[p], or with at[q] == at[p] and q < p. */
template <typename bits>
static __device__ __forceinline__ uint32_t rank_of(const bits *at, uint32_t begin, uint32_t end, uint32_t p)
{
    const bits own = at[p];
    uint32_t rank = 0;
    for (uint32_t q = begin; q < p; q++)
        rank += at[q] <= own;
    for (uint32_t q = p + 1; q < end; q++)
        rank += at[q] < own;
    return rank;
}

/* Divides the nodes of level v.level until each node has one body (a leaf). A block owns one of the 2^v.level nodes of
 * this level, and a thread owns one body of the node. order[n]: the bodies, sorted by these nodes. The block works
 * level by level in shared memory; each of its warps finds the longest axes of some nodes. For each leaf, writes its
 * elements of node[], open2[] and body[]. */
template <typename B>
static __global__ void __launch_bounds__(BOTTOM)
    finish_segments(level_view v, nb_sources s, const uint32_t *order, B *node, typename B::real *open2, uint32_t *body)
{
    typedef typename B::state T;
    typedef typename ordered<T>::bits bits;
    __shared__ bits at[3][BOTTOM];
    __shared__ uint32_t of[BOTTOM];
    __shared__ int axis[BOTTOM / 2];
    const uint32_t root = (1u << v.level) + blockIdx.x, first = nb_kdtree_begin(v.n, root), t = threadIdx.x;
    const bool live = t < nb_kdtree_end(v.n, root) - first;
    const uint32_t leaf = nb_kdtree_leaf(v.n, live ? first + t : first);
    const int deepest = nb_kdtree_level(2 * v.n - 1);
    if (live) {
        of[t] = order[first + t];
        for (int k = 0; k < 3; k++)
            at[k][t] = ordered<T>::of(((const T *)s.x)[k * s.stride + of[t]]);
    }
    for (int level = v.level; level < deepest; level++) {
        __syncthreads();
        for (uint32_t k = t / 32; k < 1u << (level - v.level); k += BOTTOM / 32) {
            const uint32_t i = (root << (level - v.level)) + k;
            if (i >= v.n)
                continue;
            const int longest = axis_of<T>(at, nb_kdtree_begin(v.n, i) - first, nb_kdtree_end(v.n, i) - first);
            if (t % 32 == 0)
                axis[k] = longest;
        }
        __syncthreads();
        const uint32_t i = leaf >> (nb_kdtree_level(leaf) - level);
        const bool moves = live && i < v.n;
        const uint32_t begin = nb_kdtree_begin(v.n, i) - first, own_body = of[t];
        const bits own[3] = {at[0][t], at[1][t], at[2][t]};
        uint32_t to = 0;
        if (moves)
            to = begin + rank_of(at[axis[i - (root << (level - v.level))]], begin, nb_kdtree_end(v.n, i) - first, t);
        __syncthreads();
        if (moves) {
            of[to] = own_body;
            for (int k = 0; k < 3; k++)
                at[k][to] = own[k];
        }
    }
    __syncthreads();
    if (live) {
        body[leaf - v.n] = of[t];
        body_read(node[leaf], s.x, s.m, s.stride, of[t]);
        open2[leaf] = -1;
    }
}

/* ---- centres and radii ---- */

/* Computes mass and centre of mass of the nodes of level `to`, then of the next upper level, and so on up to level
 * `from`. A node is computed from its two children. All nodes below level `to` must be complete. A block owns a node of
 * level `from` and its descendants. At each level a thread owns one node. */
template <typename B> static __global__ void sum_nodes(uint32_t n, int from, int to, B *node)
{
    const uint32_t root = (1u << from) + blockIdx.x;
    for (int level = to; level >= from; level--) {
        const uint32_t k = threadIdx.x, i = (root << (level - from)) + k;
        if (k < 1u << (level - from) && i < n) {
            const B left = node[2 * i], right = node[2 * i + 1];
            const auto m = left.m + right.m;
            const decltype(left.m) share = m != 0 ? right.m / m : 0.5f;
            node[i] = {left.x + share * (right.x - left.x), left.y + share * (right.y - left.y),
                       left.z + share * (right.z - left.z), m};
        }
        __syncthreads();
    }
}

/* Computes open2 of all nodes: lambda^2 times the squared distance from the node's centre of mass to its farthest body.
 * n threads; a thread handles one body. For each node that contains the body, it computes lambda^2 times the squared
 * distance of this body. open2, initially 0, becomes the maximum of these values. If a node contains all bodies of a
 * warp, the warp computes the maximum of its values first, and updates open2 once. */
template <typename B>
static __global__ void widen_nodes(uint32_t n, const B *node, typename B::real lambda2, typename B::real *open2)
{
    typedef typename B::real real;
    typedef typename ordered<real>::bits bits;
    const uint32_t p = blockIdx.x * NB_BLOCK + threadIdx.x;
    const uint32_t leaf = nb_kdtree_leaf(n, p < n ? p : n - 1);
    const B own = node[leaf];
    const int leaf_level = nb_kdtree_level(leaf);
    /* from the deepest level that can have inner nodes up to the root */
    for (int level = nb_kdtree_level(n); level >= 0; level--) {
        const bool above = level < leaf_level;
        const uint32_t i = above ? leaf >> (leaf_level - level) : leaf;
        const uint32_t first = __shfl_sync(~0u, i, 0);
        const bool together = __all_sync(~0u, above && i == first);
        bits size = above ? ordered<real>::size(lambda2 * kdtree_squared(pair_offset(node[i], own))) : 0;
        if (together)
            size = ~warp_min((bits)~size);
        if (above && (!together || threadIdx.x % 32 == 0))
            raise((bits *)&open2[i], size);
    }
}

/* ---- the whole build ---- */

template <typename T> static int sort_bytes(uint64_t n, size_t *size_bytes)
{
    typename ordered<T>::key *keys = nullptr;
    uint32_t *none = nullptr;
    *size_bytes = 0;
    return NB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, *size_bytes, keys, keys, none, none, n));
}

template <typename B> static int reserve(kdtree_work *w, int top)
{
    typedef typename B::state T;
    const size_t n = w->n;
    size_t scratch = 0;
    return sort_bytes<T>(n, &scratch) || nb_cuda_reserve(&w->node, 2 * n * sizeof(B)) ||
                   nb_cuda_reserve(&w->open2, 2 * n * sizeof(T)) || nb_cuda_reserve(&w->body, n * sizeof(uint32_t)) ||
                   nb_cuda_reserve(&w->order, 2 * n * sizeof(uint32_t)) ||
                   nb_cuda_reserve(&w->keys, top > 0 ? 2 * n * sizeof(typename ordered<T>::key) : 0) ||
                   nb_cuda_reserve(&w->boxes, top > 0 ? sizeof(box<T>) << (top - 1) : 0) ||
                   nb_cuda_reserve(&w->scratch, top > 0 ? scratch : 0)
               ? -1
               : 0;
}

/* Orders the bodies by segment (the node of level `top` that contains the body). Returns the order, in device
 * memory. */
template <typename T> static const uint32_t *order_top(kdtree_work *w, const nb_sources *s, int top)
{
    typedef typename ordered<T>::key key;
    const uint32_t n = w->n;
    const T *x = (const T *)s->x;
    uint32_t *order = (uint32_t *)w->order.d, *next = order + n;
    key *keys = (key *)w->keys.d;
    box<T> *boxes = (box<T> *)w->boxes.d;
    number_bodies<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(n, order);
    for (int level = 0; level < top; level++) {
        const level_view v = {n, level};
        size_t scratch = w->scratch.size_bytes;
        if (NB_CUDA(cudaMemsetAsync(boxes, 0xff, sizeof *boxes << level, w->stream)))
            return nullptr;
        find_boxes<<<(n + BOX_BLOCK - 1) / BOX_BLOCK, BOX_BLOCK, 0, w->stream>>>(v, x, s->stride, order, boxes);
        make_keys<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(v, x, s->stride, order, boxes, keys);
        if (NB_CUDA(cub::DeviceRadixSort::SortPairs(w->scratch.d, scratch, keys, keys + n, order, next, n, 0,
                                                    (int)(8 * sizeof(T)) + level, w->stream)))
            return nullptr;
        uint32_t *const before = order;
        order = next;
        next = before;
    }
    return order;
}

template <typename B> static int build(kdtree_work *w, const nb_sources *s)
{
    typedef typename B::real real;
    const uint32_t n = w->n;
    int top = 0, to = nb_kdtree_level(2 * n - 1) - 1;
    while (nb_kdtree_end(n, 1u << top) > BOTTOM) /* the leftmost node is the largest */
        top++;
    if (reserve<B>(w, top))
        return -1;
    B *node = (B *)w->node.d;
    real *open2 = (real *)w->open2.d;
    const uint32_t *order = order_top<typename B::state>(w, s, top);
    if (!order)
        return -1;
    finish_segments<<<1u << top, BOTTOM, 0, w->stream>>>(level_view{n, top}, *s, order, node, open2,
                                                         (uint32_t *)w->body.d);
    for (; to >= 0; to -= BOTTOM_DOWN) {
        const int from = to >= BOTTOM_DOWN ? to - BOTTOM_DOWN + 1 : 0;
        sum_nodes<<<1u << from, 1 << (BOTTOM_DOWN - 1), 0, w->stream>>>(n, from, to, node);
    }
    if (NB_CUDA(cudaMemsetAsync(open2, 0, n * sizeof *open2, w->stream)))
        return -1;
    widen_nodes<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(n, node, (real)(w->lambda * w->lambda), open2);
    return NB_CUDA(cudaGetLastError());
}

int kdtree_build(kdtree_work *w, enum nb_precision precision, const nb_sources *s)
{
    w->n = (uint32_t)s->n;
    return precision == NB_SINGLE ? build<body_single>(w, s) : build<body_double>(w, s);
}
