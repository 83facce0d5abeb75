/* tree_due.cu - finds the due nodes: the nodes whose fields are computed. If the targets are a list of bodies, a due
 * node contains a target. If this GPU computes a share of the bodies, a due node contains a body of the share. Declared
 * in tree_cuda.cuh. */
#include "force/tree/cuda/tree_cuda.cuh"

#include <cub/device/device_scan.cuh>

/* Sets place[index[k]] = k. One thread per target, n targets; place has one element per body. */
static __global__ void note_places(const uint32_t *index, uint64_t n, uint32_t *place)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < n)
        place[index[k]] = (uint32_t)k;
}

int tree_find_places(tree_work *w, const nb_targets *t)
{
    const size_t size_bytes = w->n * sizeof(uint32_t);
    if (nb_cuda_reserve(&w->places, size_bytes) || NB_CUDA(cudaMemsetAsync(w->places.d, 0xff, size_bytes, w->stream)))
        return -1;
    note_places<<<nb_blocks_for(t->n), NB_BLOCK, 0, w->stream>>>(t->index, t->n, (uint32_t *)w->places.d);
    return NB_CUDA(cudaGetLastError());
}

/* Marks due nodes. One thread per leaf: if a body of the leaf is a target, the thread marks the leaf and its ancestors.
 * It stops at an ancestor that is already marked, or that is not a node of this device. range, parent and due have one
 * element per node. All elements of `due` are 0 before the call. */
static __global__ void mark(const uint2 *range, const uint32_t *parent, uint32_t first_node, uint32_t inner,
                            uint32_t nodes, const uint32_t *order, tree_targets to, uint32_t *due)
{
    uint32_t node = inner + blockIdx.x * NB_BLOCK + threadIdx.x;
    if (node >= nodes)
        return;
    bool has_target = false;
    for (uint32_t k = range[node].x; k < range[node].y && !has_target; k++)
        has_target = tree_place(to, order[k]) < to.count;
    while (has_target && node >= first_node && atomicExch(&due[node], 1) == 0 && node > 0)
        node = parent[node];
}

/* Sets due[] for nodes that contain bodies of the share. One thread per node. */
static __global__ void mark_shared(const uint2 *range, uint32_t nodes, uint2 share, uint32_t *due)
{
    const uint32_t node = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (node < nodes)
        due[node] = tree_overlap(range[node], share);
}

/* Writes the node numbers of the due nodes to listed[], in ascending order, and the number of due nodes to
 * listed[nodes]. One thread per node. before[]: number of due nodes before each node. */
static __global__ void list(const uint32_t *due, const uint32_t *before, uint32_t nodes, uint32_t *listed)
{
    const uint32_t node = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (node >= nodes)
        return;
    if (due[node])
        listed[before[node]] = node;
    if (node == nodes - 1)
        listed[nodes] = before[node] + due[node];
}

static int list_due(tree_work *w)
{
    uint32_t *due = (uint32_t *)w->due.d, *before = nullptr;
    size_t scan_bytes = 0;
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, due, before, w->nodes, w->stream)) ||
        nb_cuda_reserve(&w->before, w->nodes * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->queue, (w->nodes + 1) * sizeof(uint32_t)) || nb_cuda_reserve(&w->scan, scan_bytes))
        return -1;
    before = (uint32_t *)w->before.d;
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(w->scan.d, scan_bytes, due, before, w->nodes, w->stream)))
        return -1;
    list<<<nb_blocks_for(w->nodes), NB_BLOCK, 0, w->stream>>>(due, before, w->nodes, (uint32_t *)w->queue.d);
    return NB_CUDA(cudaGetLastError());
}

int tree_find_due(tree_work *w, const tree_targets &to)
{
    const uint32_t leaves = w->nodes - w->inner;
    if (nb_cuda_reserve(&w->due, w->nodes * sizeof(uint32_t)) ||
        NB_CUDA(cudaMemsetAsync(w->due.d, 0, w->nodes * sizeof(uint32_t), w->stream)))
        return -1;
    mark<<<nb_blocks_for(leaves), NB_BLOCK, 0, w->stream>>>((const uint2 *)w->range.d, (const uint32_t *)w->parent.d,
                                                            w->first_node, w->inner, w->nodes, tree_order_of(w), to,
                                                            (uint32_t *)w->due.d);
    return list_due(w);
}

int tree_find_shared(tree_work *w)
{
    if (nb_cuda_reserve(&w->due, w->nodes * sizeof(uint32_t)))
        return -1;
    mark_shared<<<nb_blocks_for(w->nodes), NB_BLOCK, 0, w->stream>>>((const uint2 *)w->range.d, w->nodes,
                                                                     tree_shared_places(w), (uint32_t *)w->due.d);
    return list_due(w);
}
