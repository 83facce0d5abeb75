/* tree_close.cu - sorts close pairs by the bodies' indices, because tree_near.cu finds the pairs in any order.
 * Declared in tree_cuda.cuh. */
#include "device/timing.h"
#include "force/tree/cuda/tree_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>

int tree_close_reserve(tree_work *w, uint64_t pairs)
{
    return nb_cuda_reserve(&w->close, 2 * pairs * sizeof(uint64_t));
}

tree_close tree_close_of(const tree_work *w)
{
    int bits = 1;
    while ((w->n - 1) >> bits)
        bits++;
    return {&((tree_counters *)w->counters.d)->close, (uint64_t *)w->close.d,
            w->close.size_bytes / (2 * sizeof(uint64_t)), bits};
}

/* Converts keys i << bits | j to pairs {i, j}. One thread per pair, `count` pairs. */
static __global__ void unpack(const uint64_t *key, uint64_t count, int bits, uint2 *pair)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < count)
        pair[k] = make_uint2((uint32_t)(key[k] >> bits), (uint32_t)(key[k] & ((1ull << bits) - 1)));
}

/* Sorts the keys of the close pairs, and sets *pair to the sorted pairs in device memory. */
static int sort_pairs(tree_work *w, uint64_t count, uint2 **pair)
{
    const tree_close list = tree_close_of(w);
    cub::DoubleBuffer<uint64_t> keys(list.key, list.key + list.room);
    size_t bytes = 0;
    if (NB_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count, 0, 2 * list.bits, w->stream)) ||
        nb_cuda_reserve(&w->scan, bytes) ||
        NB_CUDA(cub::DeviceRadixSort::SortKeys(w->scan.d, bytes, keys, count, 0, 2 * list.bits, w->stream)))
        return -1;
    *pair = (uint2 *)keys.Alternate();
    unpack<<<nb_blocks_for(count), NB_BLOCK, 0, w->stream>>>(keys.Current(), count, list.bits, *pair);
    return NB_CUDA(cudaGetLastError());
}

static int make_room(nb_close_pairs *close, uint64_t count)
{
    if (count <= close->room)
        return 0;
    const uint64_t room = count + count / 4;
    uint32_t(*pair)[2] = (uint32_t(*)[2])realloc(close->pair, room * sizeof *pair);
    if (!pair)
        return nb_fail("no memory for %llu close pairs", (unsigned long long)count);
    close->pair = pair;
    close->room = room;
    return 0;
}

int tree_close_take(tree_work *w, uint64_t count, nb_close_pairs *close)
{
    uint2 *pair = nullptr;
    if (count == 0)
        return 0;
    nb_timing_stage(w->device, "close");
    if (make_room(close, count) || sort_pairs(w, count, &pair) ||
        NB_CUDA(cudaMemcpyAsync(close->pair, pair, count * sizeof *pair, cudaMemcpyDeviceToHost, w->stream)) ||
        NB_CUDA(cudaStreamSynchronize(w->stream)))
        return -1;
    close->count = count;
    return 0;
}
