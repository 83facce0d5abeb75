/* morton.cu - Morton keys of points, and sorting by them, on the GPU. Declared in morton.cuh. */
#include "force/cuda/morton_buckets.cuh"
#include "force/cuda/morton_key.cuh"

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

/* Computes the keys of n points within the bounds `all`, one thread per point i. Writes the key to keys[first + i] and,
 * unless `point` is NULL, the index first + i to point[first + i]. */
template <int AXES, bool HILBERT, typename T>
static __global__ void make_keys(const T *x, uint64_t step, uint64_t stride, uint64_t n, const morton_bounds *all,
                                 uint64_t *keys, uint32_t *point, uint64_t first)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    double v[AXES] = {};
    for (int k = 0; k < AXES && i < n; k++)
        v[k] = x[i * step + k * stride];
    const uint64_t key = morton_key_of<AXES, HILBERT>(v, all);
    if (i >= n)
        return;
    keys[first + i] = key;
    if (point)
        point[first + i] = (uint32_t)(first + i);
}

template <typename T>
static void put_keys(cudaStream_t stream, const morton_points &points, int axes, bool hilbert, const morton_bounds *all,
                     uint64_t *keys, uint32_t *numbers, uint64_t first)
{
    const unsigned blocks = nb_blocks_for(points.n);
    auto kernel = axes == 2 ? make_keys<2, false, T> : hilbert ? make_keys<3, true, T> : make_keys<3, false, T>;
    if (points.n > 0)
        kernel<<<blocks, NB_BLOCK, 0, stream>>>((const T *)points.x, points.step, points.stride, points.n, all, keys,
                                                numbers, first);
}

template <typename T>
static int bounds_of(cudaStream_t stream, const morton_points *sets, int count, int axes, morton_sorted *s)
{
    morton_bounds *all = (morton_bounds *)s->bounds.d;
    if (NB_CUDA(cudaMemsetAsync(all->low, 0xff, sizeof all->low, stream)) ||
        NB_CUDA(cudaMemsetAsync(all->high, 0, s->bounds.size_bytes - offsetof(morton_bounds, high), stream)))
        return -1;
    for (int k = 0; k < count; k++)
        if (sets[k].n > 0)
            find_bounds<<<nb_blocks_in_strides(sets[k].n), NB_BLOCK, 0, stream>>>((const T *)sets[k].x, sets[k].stride,
                                                                                  sets[k].n, axes, all);
    return NB_CUDA(cudaGetLastError());
}

template <typename T>
static int keys_of(cudaStream_t stream, const morton_points *sets, int count, int axes, morton_sorted *s,
                   uint64_t *keys, uint32_t *numbers)
{
    uint64_t first = 0;
    for (int k = 0; k < count; first += sets[k++].n)
        put_keys<T>(stream, sets[k], axes, s->hilbert, (const morton_bounds *)s->bounds.d, keys, numbers, first);
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

/* Returns the number of lower bits of a key that the radix sort ignores. */
static int lower_bits(const morton_sorted *s, int axes)
{
    const int bits = axes * MORTON_BITS(axes);
    return s->upper > 0 && s->upper < bits ? bits - s->upper : 0;
}

static size_t numbers_bytes(uint64_t n)
{
    return (n * sizeof(uint32_t) + 255) / 256 * 256;
}

int morton_reserve(morton_sorted *s, uint64_t n, int axes, size_t keys_bytes)
{
    size_t cub_bytes = 0;
    cub::DoubleBuffer<uint64_t> keys;
    cub::DoubleBuffer<uint32_t> numbers;
    return nb_status(NB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, keys, numbers, n, lower_bits(s, axes),
                                                             axes * MORTON_BITS(axes))) ||
                     nb_cuda_reserve(&s->keys, keys_bytes) || nb_cuda_reserve(&s->order, n * sizeof(uint32_t)) ||
                     nb_cuda_reserve(&s->bounds, sizeof(morton_bounds)) ||
                     nb_cuda_reserve(&s->scratch, numbers_bytes(n) + cub_bytes));
}

morton_pairs morton_pairs_of(const morton_sorted *s, uint64_t *keys, uint64_t *other)
{
    return {{keys, other}, {(uint32_t *)s->order.d, (uint32_t *)s->scratch.d}};
}

int morton_sort_pairs(cudaStream_t stream, uint64_t n, int axes, const morton_pairs &pairs, morton_sorted *s)
{
    const int lower = lower_bits(s, axes);
    size_t cub_bytes = s->scratch.size_bytes - numbers_bytes(n);
    cub::DoubleBuffer<uint64_t> keys = {pairs.keys[0], pairs.keys[1]};
    cub::DoubleBuffer<uint32_t> numbers = {pairs.numbers[0], pairs.numbers[1]};
    s->buckets.n = 0; /* the order of the last sort is lost */
    keys.selector = numbers.selector = s->turns;
    if (NB_CUDA(cub::DeviceRadixSort::SortPairs((char *)s->scratch.d + numbers_bytes(n), cub_bytes, keys, numbers, n,
                                                lower, axes * MORTON_BITS(axes), stream)))
        return -1;
    if (keys.selector != 0) {
        s->turns = !s->turns; /* the result is in buffer 1 and is copied to buffer 0. The next sort begins in the other
                                 buffer, ends in buffer 0, and needs no copy */
        if (NB_CUDA(cudaMemcpyAsync(pairs.keys[0], keys.Current(), n * sizeof(uint64_t), cudaMemcpyDeviceToDevice,
                                    stream)) ||
            NB_CUDA(cudaMemcpyAsync(pairs.numbers[0], numbers.Current(), n * sizeof(uint32_t), cudaMemcpyDeviceToDevice,
                                    stream)))
            return -1;
    }
    if (lower > 0)
        sort_runs<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(pairs.keys[0], pairs.numbers[0], n, lower);
    return NB_CUDA(cudaGetLastError());
}

int morton_sort(cudaStream_t stream, enum nb_precision precision, const morton_points *sets, int count, int axes,
                morton_sorted *s)
{
    uint64_t n = 0;
    for (int k = 0; k < count; k++)
        n += sets[k].n;
    /* If there is no memory for the buckets, the radix sort does without. */
    const bool fit = s->upper > 0 && count == 2 && axes == 3 && morton_buckets_fit(n) && !morton_buckets_reserve(s, n);
    const bool buckets = morton_buckets_take(s, fit ? n : 0);
    if (morton_reserve(s, n, axes, 2 * n * sizeof(uint64_t)))
        return -1;
    const morton_pairs pairs = morton_pairs_of(s, (uint64_t *)s->keys.d, (uint64_t *)s->keys.d + n);
    return nb_for_state(precision, [&]<typename T>() {
        return nb_status(
            bounds_of<T>(stream, sets, count, axes, s) ||
            (buckets ? morton_buckets_sort<T>(stream, sets, n, pairs, s)
                     : keys_of<T>(stream, sets, count, axes, s, pairs.keys[s->turns], pairs.numbers[s->turns]) ||
                           morton_sort_pairs(stream, n, axes, pairs, s) ||
                           (fit && morton_buckets_divide(stream, n, pairs, s))));
    });
}

int morton_make_keys(cudaStream_t stream, enum nb_precision precision, const morton_points *points,
                     const morton_bounds *all, uint64_t *keys, uint32_t *numbers)
{
    nb_for_state(precision, [&]<typename T>() { put_keys<T>(stream, *points, 3, false, all, keys, numbers, 0); });
    return NB_CUDA(cudaGetLastError());
}

int morton_pack(struct nb_device *device, morton_sorted *s, uint64_t n, struct nb_pack *k)
{
    const size_t order_bytes = n * sizeof(uint32_t), begin = k->at;
    const bool load = k->way == NB_PACK_LOAD;
    if (load && (order_bytes > k->size_bytes || nb_cuda_reserve(&s->order, order_bytes) ||
                 nb_cuda_reserve(&s->bounds, sizeof(morton_bounds))))
        return nb_fail("contains no order of %.0f bodies", (double)n);
    if (load)
        s->buckets.n = 0; /* the order of the last sort is lost */
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
    nb_cuda_release(&s->buckets.splitter);
    nb_cuda_release(&s->buckets.entry);
}
