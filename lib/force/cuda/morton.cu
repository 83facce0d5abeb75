/* morton.cu - Morton keys of points, and sorting by them, on the GPU. Declared in morton.cuh. */
#include "force/cuda/morton.cuh"

#include <cub/device/device_radix_sort.cuh>

#include "base/error.h"

#include <cfloat>

/* Extends the bounding box *all to include n points. Each thread reads several points. Each block first finds the box
 * of its points in shared memory, because atomic operations of every warp on *all would take longer than reading the
 * points. x: rows x, y, z of `stride` elements. */
template <typename T>
static __global__ void find_bounds(const T *x, uint64_t stride, uint64_t n, int axes, morton_bounds *all)
{
    __shared__ morton_bounds block;
    if (threadIdx.x < 3)
        block.low[threadIdx.x] = ~0ull, block.high[threadIdx.x] = 0;
    __syncthreads();
    const T most = sizeof(T) == sizeof(float) ? (T)FLT_MAX : (T)DBL_MAX;
    T low[3] = {most, most, most}, high[3] = {-most, -most, -most};
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const T v = k < axes ? x[i + k * stride] : 0;
            low[k] = fmin(low[k], v);
            high[k] = fmax(high[k], v);
        }
#pragma unroll
    for (int k = 0; k < 3; k++) {
        for (int distance = 16; distance > 0; distance /= 2) {
            low[k] = fmin(low[k], __shfl_xor_sync(~0u, low[k], distance));
            high[k] = fmax(high[k], __shfl_xor_sync(~0u, high[k], distance));
        }
        if (threadIdx.x % 32 == 0) {
            atomicMin(&block.low[k], morton_ordered(low[k]));
            atomicMax(&block.high[k], morton_ordered(high[k]));
        }
    }
    __syncthreads();
    if (threadIdx.x < axes) {
        atomicMin(&all->low[threadIdx.x], block.low[threadIdx.x]);
        atomicMax(&all->high[threadIdx.x], block.high[threadIdx.x]);
    }
}

/* Inserts two zero bits before each of the lowest 21 bits. */
static __device__ uint64_t spread_in_space(uint64_t v)
{
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

/* Inserts a zero bit before each of the lowest 20 bits. */
static __device__ uint64_t spread_in_plane(uint64_t v)
{
    v = (v | v << 16) & 0x0000ffff0000ffffull;
    v = (v | v << 8) & 0x00ff00ff00ff00ffull;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0full;
    v = (v | v << 2) & 0x3333333333333333ull;
    return (v | v << 1) & 0x5555555555555555ull;
}

/* Computes the keys of n points within the bounds `all`, one thread per point i. Writes the key to keys[first + i] and,
 * unless `point` is NULL, the index first + i to point[first + i]. */
template <typename T>
static __global__ void make_keys(const T *x, uint64_t stride, uint64_t n, int axes, const morton_bounds *all,
                                 uint64_t *keys, uint32_t *point, uint64_t first)
{
    uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const double last = (1 << MORTON_BITS(axes)) - 1, size = morton_size(all, axes), scale = size > 0 ? last / size : 0;
    uint64_t key = 0;
    for (int k = 0; k < axes; k++) {
        const double cell = ((double)x[i + k * stride] - morton_unordered(all->low[k])) * scale;
        const uint64_t place = (uint64_t)fmin(fmax(cell, 0.0), last);
        key |= (axes == 3 ? spread_in_space(place) : spread_in_plane(place)) << k;
    }
    keys[first + i] = key;
    if (point)
        point[first + i] = (uint32_t)(first + i);
}

template <typename T>
static int keys_of(cudaStream_t stream, const morton_points *sets, int count, int axes, morton_sorted *s,
                   uint64_t *keys, uint32_t *numbers)
{
    morton_bounds *all = (morton_bounds *)s->bounds.d;
    if (NB_CUDA(cudaMemsetAsync(all->low, 0xff, sizeof all->low, stream)) ||
        NB_CUDA(cudaMemsetAsync(all->high, 0, sizeof all->high, stream)))
        return -1;
    for (int k = 0; k < count; k++)
        if (sets[k].n > 0)
            find_bounds<<<nb_blocks_in_strides(sets[k].n), NB_BLOCK, 0, stream>>>((const T *)sets[k].x, sets[k].stride,
                                                                                  sets[k].n, axes, all);
    uint64_t first = 0;
    for (int k = 0; k < count; first += sets[k++].n)
        if (sets[k].n > 0)
            make_keys<<<nb_blocks_for(sets[k].n), NB_BLOCK, 0, stream>>>((const T *)sets[k].x, sets[k].stride,
                                                                         sets[k].n, axes, all, keys, numbers, first);
    return NB_CUDA(cudaGetLastError());
}

/* The keys are already sorted by their upper bits. A run consists of successive keys with equal upper bits. Sorts each
 * run by the lowest `lower` bits of its keys, and moves the indices in `numbers` with the keys. Runs of more than
 * MORTON_RUN keys do not change. One thread per key; the thread of a run's first key sorts the run by insertion. Other
 * threads may read these keys at the same time: they use only the upper bits, which do not change. */
static __global__ void sort_runs(uint64_t *keys, uint32_t *numbers, uint64_t n, int lower)
{
    const uint64_t first = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (first >= n || (first > 0 && keys[first - 1] >> lower == keys[first] >> lower))
        return;
    uint64_t end = first + 1;
    while (end < n && end <= first + MORTON_RUN && keys[end] >> lower == keys[first] >> lower)
        end++;
    if (end > first + MORTON_RUN)
        return;
    for (uint64_t i = first + 1; i < end; i++) {
        const uint64_t key = keys[i];
        const uint32_t number = numbers[i];
        uint64_t to = i;
        for (; to > first && keys[to - 1] > key; to--)
            keys[to] = keys[to - 1], numbers[to] = numbers[to - 1];
        if (to < i)
            keys[to] = key, numbers[to] = number;
    }
}

int morton_sort(cudaStream_t stream, enum nb_precision precision, const morton_points *sets, int count, int axes,
                morton_sorted *s)
{
    size_t cub_bytes = 0, n = 0;
    for (int k = 0; k < count; k++)
        n += sets[k].n;
    const size_t keys_bytes = n * sizeof(uint64_t), numbers_bytes = n * sizeof(uint32_t);
    const size_t room_bytes = (numbers_bytes + 255) / 256 * 256;
    const int bits = axes * MORTON_BITS(axes), lower = s->upper > 0 && s->upper < bits ? bits - s->upper : 0;
    cub::DoubleBuffer<uint64_t> keys;
    cub::DoubleBuffer<uint32_t> numbers;
    if (NB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, keys, numbers, n, lower, bits)) ||
        nb_cuda_reserve(&s->keys, 2 * keys_bytes) || nb_cuda_reserve(&s->order, numbers_bytes) ||
        nb_cuda_reserve(&s->bounds, sizeof(morton_bounds)) || nb_cuda_reserve(&s->scratch, room_bytes + cub_bytes))
        return -1;
    keys = {(uint64_t *)s->keys.d, (uint64_t *)s->keys.d + n};
    numbers = {(uint32_t *)s->order.d, (uint32_t *)s->scratch.d};
    keys.selector = numbers.selector = s->turns;
    if (nb_for_state(precision,
                     [&]<typename T>() {
                         return keys_of<T>(stream, sets, count, axes, s, keys.Current(), numbers.Current());
                     }) ||
        NB_CUDA(cub::DeviceRadixSort::SortPairs((char *)s->scratch.d + room_bytes, cub_bytes, keys, numbers, n, lower,
                                                bits, stream)))
        return -1;
    if (keys.selector != 0) {
        s->turns = !s->turns; /* the next sort begins in the other buffer, so that it ends in s->keys */
        if (NB_CUDA(cudaMemcpyAsync(s->keys.d, keys.Current(), keys_bytes, cudaMemcpyDeviceToDevice, stream)) ||
            NB_CUDA(cudaMemcpyAsync(s->order.d, numbers.Current(), numbers_bytes, cudaMemcpyDeviceToDevice, stream)))
            return -1;
    }
    if (lower > 0)
        sort_runs<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>((uint64_t *)s->keys.d, (uint32_t *)s->order.d, n, lower);
    return NB_CUDA(cudaGetLastError());
}

int morton_make_keys(cudaStream_t stream, enum nb_precision precision, const morton_points *points,
                     const morton_bounds *all, uint64_t *keys)
{
    if (points->n > 0)
        nb_for_state(precision, [&]<typename T>() {
            make_keys<<<nb_blocks_for(points->n), NB_BLOCK, 0, stream>>>(
                (const T *)points->x, points->stride, points->n, 3, all, keys, (uint32_t *)nullptr, 0);
        });
    return NB_CUDA(cudaGetLastError());
}

int morton_sort_keys(cudaStream_t stream, uint64_t n, const uint64_t *keys, uint64_t *sorted, const uint32_t *from,
                     uint32_t *to, nb_cuda_buffer *scratch)
{
    const int bits = 3 * MORTON_BITS(3);
    size_t bytes = 0;
    if (NB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, from, to, n, 0, bits)) ||
        nb_cuda_reserve(scratch, bytes))
        return -1;
    return NB_CUDA(cub::DeviceRadixSort::SortPairs(scratch->d, bytes, keys, sorted, from, to, n, 0, bits, stream));
}

int morton_pack(struct nb_device *device, morton_sorted *s, uint64_t n, struct nb_pack *k)
{
    const size_t order_bytes = n * sizeof(uint32_t), begin = k->at;
    const bool load = k->way == NB_PACK_LOAD;
    if (load && (order_bytes > k->size_bytes || nb_cuda_reserve(&s->order, order_bytes) ||
                 nb_cuda_reserve(&s->bounds, sizeof(morton_bounds))))
        return nb_fail("contains no order of %.0f bodies", (double)n);
    if (nb_device_pack(device, k, s->order.d, order_bytes) ||
        nb_device_pack(device, k, s->bounds.d, sizeof(morton_bounds)))
        return -1;
    return !load || nb_pack_is_order((const uint32_t *)(k->data + begin), n)
               ? 0
               : nb_fail("contains an invalid order of bodies");
}

void morton_release(morton_sorted *s)
{
    nb_cuda_release(&s->keys);
    nb_cuda_release(&s->order);
    nb_cuda_release(&s->bounds);
    nb_cuda_release(&s->scratch);
}
