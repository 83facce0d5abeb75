/* Nodes from sorted keys, all at once (Karras 2012): between places i and i+1 of the order begins or ends one inner
 * node of the tree over single bodies; only those are kept that tree.h divides. A place is an index of the order. */
#include "force/tree/cuda/tree_cuda.cuh"

#define INNER 0x80000000u /* flags an inner child that is known by its place (Karras) and not yet by its number */

struct karras_node {
    int64_t first, last, split; /* bodies first..split, split+1..last */
    int depth;                  /* bits that all its keys share */
};

/* Does the cell of place i that shares `bits` hold two neighbours of every NB_TREE_DENSE / 2-th place? All places of
 * one cell get one answer, and a larger cell holds what a smaller one does, so that a node that is divided has parents
 * that are. */
static __device__ bool is_dense(const uint64_t *keys, int64_t n, int64_t i, int bits)
{
    const int64_t spacing = NB_TREE_DENSE / 2, at = i / spacing * spacing;
    bool in[4];
    for (int k = 0; k < 4; k++)
        in[k] = morton_shared_bits(keys, n, i, at + (k - 1) * spacing) >= max(bits, 0);
    return (in[0] && in[1]) || (in[1] && in[2]) || (in[2] && in[3]);
}

/* What divides nodes. */
struct rules {
    int leaf;        /* bodies that a leaf may have, a power of two */
    int coarse_bits; /* a cell that shares fewer bits would hold NB_TREE_DENSE bodies at the mean density */
};

static __device__ bool is_divided(const uint64_t *keys, int64_t n, rules rule, int64_t first, int64_t last)
{
    if (last - first + 1 > rule.leaf || last == first)
        return last != first;
    const int bits = morton_shared_bits(keys, n, first, last);
    return bits < rule.coarse_bits || is_dense(keys, n, first, bits - NB_TREE_DENSE_BITS);
}

/* The node that begins or ends at place i, if it is divided. */
static __device__ bool find_node(const uint64_t *keys, int64_t n, rules rule, int64_t i, karras_node *node)
{
    const int d = morton_shared_bits(keys, n, i, i + 1) > morton_shared_bits(keys, n, i, i - 1) ? 1 : -1;
    const int outside = morton_shared_bits(keys, n, i, i - d);
    int64_t reach = rule.leaf;
    if (morton_shared_bits(keys, n, i, i + d * reach) <= outside) {
        if (outside + 1 >= rule.coarse_bits && !is_dense(keys, n, i, outside + 1 - NB_TREE_DENSE_BITS))
            return false; /* nor is any smaller cell coarse or dense */
    } else
        do
            reach *= 4;
        while (morton_shared_bits(keys, n, i, i + d * reach) > outside);
    int64_t length = 0;
    for (int64_t step = reach / 2; step > 0; step /= 2)
        if (morton_shared_bits(keys, n, i, i + d * (length + step)) > outside)
            length += step;
    const int64_t other = i + d * length;
    if (!is_divided(keys, n, rule, i < other ? i : other, i < other ? other : i))
        return false;
    node->depth = morton_shared_bits(keys, n, i, other);
    int64_t split = 0;
    for (int64_t step = length, done = 0; !done;) {
        done = step == 1;
        step = (step + 1) / 2;
        if (split + step < length && morton_shared_bits(keys, n, i, i + d * (split + step)) > node->depth)
            split += step;
    }
    node->first = d > 0 ? i : other;
    node->last = d > 0 ? other : i;
    node->split = d > 0 ? i + split : i - split - 1;
    return true;
}

/* A thread a place; a block gathers its counts in shared memory. keys: n, sorted. Adds to counts[TREE_DEPTHS + 1] how
 * many nodes are divided, by depth and in all, and lists their places, roughly in order, in found (up to n - 1). */
static __global__ void find_nodes(const uint64_t *keys, int64_t n, rules rule, uint32_t *counts, uint32_t *found)
{
    __shared__ uint32_t here[TREE_DEPTHS];
    if (threadIdx.x < TREE_DEPTHS)
        here[threadIdx.x] = 0;
    __syncthreads();
    const int64_t i = (int64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    karras_node node;
    const bool divided = i < n - 1 && find_node(keys, n, rule, i, &node);
    const uint32_t mask = __ballot_sync(~0u, divided), lane = threadIdx.x % 32;
    uint32_t base = 0;
    if (lane == 0 && mask)
        base = atomicAdd(&counts[TREE_DEPTHS], __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (divided) {
        found[base + __popc(mask & ((1u << lane) - 1))] = (uint32_t)i;
        atomicAdd(&here[node.depth], 1);
    }
    __syncthreads();
    if (threadIdx.x < TREE_DEPTHS && here[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}

struct nodes_out {
    uint2 *range, *children;
    uint32_t *parent, *rank;
    uint32_t *places; /* the next number of each depth, then of leaves */
    uint32_t inner;
};

/* A leaf gets the next number of a leaf; an inner child is noted by its place until join_nodes. */
static __device__ uint32_t make_child(const nodes_out &out, bool divided, int64_t first, int64_t last, int64_t karras,
                                      uint32_t parent, uint32_t *leaves)
{
    if (divided)
        return INNER | (uint32_t)karras;
    const uint32_t number = (*leaves)++;
    out.range[number] = make_uint2((uint32_t)first, (uint32_t)last + 1);
    out.parent[number] = parent;
    return number;
}

/* A thread an inner node, found[k] its place; a warp reserves the numbers of its leaves together. Writes range,
 * children and rank of the nodes, range and parent of leaves. Which number a node gets differs from run to run; nothing
 * that is computed depends on it. */
static __global__ void make_nodes(const uint64_t *keys, int64_t n, rules rule, const uint32_t *found, nodes_out out)
{
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    const int64_t i = k < out.inner ? found[k] : 0;
    karras_node node;
    const bool made = k < out.inner && find_node(keys, n, rule, i, &node);
    const bool left = made && is_divided(keys, n, rule, node.first, node.split);
    const bool right = made && is_divided(keys, n, rule, node.split + 1, node.last);
    const uint32_t leaves = made ? !left + !right : 0;
    uint32_t before = leaves;
    for (int distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(~0u, before, distance);
        if (threadIdx.x % 32 >= distance)
            before += other;
    }
    uint32_t base = 0;
    if (threadIdx.x % 32 == 31 && before > 0)
        base = atomicAdd(&out.places[TREE_DEPTHS], before);
    base = __shfl_sync(~0u, base, 31) + before - leaves;
    if (!made)
        return;
    const uint32_t me = atomicAdd(&out.places[node.depth], 1);
    out.rank[i] = me;
    out.range[me] = make_uint2((uint32_t)node.first, (uint32_t)node.last + 1);
    uint2 children;
    children.x = make_child(out, left, node.first, node.split, node.split, me, &base);
    children.y = make_child(out, right, node.split + 1, node.last, node.split + 1, me, &base);
    out.children[me] = children;
}

static __device__ uint32_t resolve(const nodes_out &out, uint32_t child, uint32_t parent)
{
    if (child & INNER) {
        child = out.rank[child & ~INNER];
        out.parent[child] = parent;
    }
    return child;
}

/* A thread an inner node: its children's numbers in place of their places, and their parent. */
static __global__ void join_nodes(nodes_out out)
{
    const uint32_t i = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= out.inner)
        return;
    uint2 children = out.children[i];
    children.x = resolve(out, children.x, i);
    children.y = resolve(out, children.y, i);
    out.children[i] = children;
}

/* One thread: a root that is a leaf with all n bodies. */
static __global__ void make_root_leaf(uint2 *range, uint32_t n)
{
    range[0] = make_uint2(0, n);
}

int tree_build(tree_work *w)
{
    cudaStream_t stream = w->stream;
    uint32_t counts[TREE_DEPTHS + 1];
    const uint64_t *keys = (const uint64_t *)w->sort.keys.d;
    uint32_t *found = (uint32_t *)((uint64_t *)w->sort.keys.d + w->n); /* the sort needs it no more */
    if (nb_cuda_reserve(&w->depth_counts, sizeof counts) || nb_cuda_reserve(&w->rank, w->n * sizeof(uint32_t)) ||
        NB_CUDA(cudaMemsetAsync(w->depth_counts.d, 0, sizeof counts, stream)))
        return -1;
    w->leaf = w->n < TREE_LARGE ? NB_TREE_LEAF : TREE_LEAF_LARGE;
    const rules rule = {(int)w->leaf, w->n < NB_TREE_DENSE ? 0 : 63 - __builtin_clzll(w->n / NB_TREE_DENSE) + 1};
    if (w->n > w->leaf)
        find_nodes<<<nb_blocks_for(w->n), NB_BLOCK, 0, stream>>>(keys, (int64_t)w->n, rule,
                                                                 (uint32_t *)w->depth_counts.d, found);
    if (NB_CUDA(cudaMemcpyAsync(counts, w->depth_counts.d, sizeof counts, cudaMemcpyDeviceToHost, stream)) ||
        NB_CUDA(cudaStreamSynchronize(stream)))
        return -1;
    uint32_t inner = 0;
    for (int k = 0; k < TREE_DEPTHS; k++) {
        uint32_t count = counts[k];
        counts[k] = inner;
        inner += count;
    }
    counts[TREE_DEPTHS] = inner;
    w->inner = inner;
    w->nodes = 2 * inner + 1;
    if (nb_cuda_reserve(&w->range, w->nodes * sizeof(uint2)) ||
        nb_cuda_reserve(&w->children, w->nodes * sizeof(uint2)) ||
        nb_cuda_reserve(&w->parent, w->nodes * sizeof(uint32_t)) ||
        NB_CUDA(cudaMemcpyAsync(w->depth_counts.d, counts, sizeof counts, cudaMemcpyHostToDevice, stream)))
        return -1;
    nodes_out out = {(uint2 *)w->range.d,   (uint2 *)w->children.d,        (uint32_t *)w->parent.d,
                     (uint32_t *)w->rank.d, (uint32_t *)w->depth_counts.d, inner};
    if (inner == 0) {
        make_root_leaf<<<1, 1, 0, stream>>>(out.range, (uint32_t)w->n);
        return NB_CUDA(cudaGetLastError());
    }
    make_nodes<<<nb_blocks_for(inner), NB_BLOCK, 0, stream>>>(keys, (int64_t)w->n, rule, found, out);
    join_nodes<<<nb_blocks_for(inner), NB_BLOCK, 0, stream>>>(out);
    return NB_CUDA(cudaGetLastError());
}
