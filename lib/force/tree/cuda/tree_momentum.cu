/* tree_momentum.cu - last stage of the tree ("momentum" in tree.h): subtracts k |a_i| from each acceleration a_i, with
 * the vector k = sum m a / sum m |a|. Declared in tree_cuda.cuh. On one device a single cooperative kernel computes the
 * sums and then subtracts; its blocks synchronise between the two steps. */
#include "force/tree/cuda/tree_cuda.cuh"

#include <cooperative_groups.h>

#define THREADS  512
#define PER_CARD 2    /* number of blocks per multiprocessor */
#define BLOCKS   1024 /* maximum number of blocks */

struct momentum_sum { /* px, py, pz: sum of m a; size: sum of m |a| */
    double px, py, pz, size;
};

/* Four consecutive elements of a row. The stride of the row is a multiple of 4. */
template <typename T> struct alignas(16) four {
    T v[4];
};

static __device__ __forceinline__ momentum_sum sum_of(const momentum_sum &a, const momentum_sum &b)
{
    return {a.px + b.px, a.py + b.py, a.pz + b.pz, a.size + b.size};
}

/* Called by a block: returns the sum of s over all threads of the block, in every thread. */
static __device__ momentum_sum block_sum(momentum_sum s)
{
    __shared__ momentum_sum of_warp[THREADS / 32];
    for (int distance = 16; distance > 0; distance /= 2)
        s = sum_of(s, {__shfl_xor_sync(~0u, s.px, distance), __shfl_xor_sync(~0u, s.py, distance),
                       __shfl_xor_sync(~0u, s.pz, distance), __shfl_xor_sync(~0u, s.size, distance)});
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = s;
    __syncthreads();
    s = of_warp[0];
    for (int warp = 1; warp < THREADS / 32; warp++)
        s = sum_of(s, of_warp[warp]);
    return s;
}

/* Returns |a| without overflow or underflow of squares. For single precision, squares in double are sufficient. */
static __device__ __forceinline__ double length_of(float x, float y, float z)
{
    return sqrt((double)x * x + (double)y * y + (double)z * z);
}

static __device__ __forceinline__ double length_of(double x, double y, double z)
{
    return norm3d(x, y, z);
}

template <typename T> static __device__ __forceinline__ four<T> load(const T *row, uint64_t i)
{
    return *(const four<T> *)(row + i);
}

/* For one component (x, y or z) of four bodies, computes a - k |a|. Writes the results to elements i to i + 3 of the
 * row, or with ADD, adds them. a, k: this component of the accelerations and of k. size[]: |a| of each body. */
template <bool ADD, typename T>
static __device__ __forceinline__ void store(T *row, uint64_t i, const four<T> &a, double k, const double *size)
{
    four<T> result = {};
    if (ADD)
        result = load(row, i);
#pragma unroll
    for (int q = 0; q < 4; q++)
        result.v[q] = (T)((ADD ? (double)result.v[q] : 0) + (a.v[q] - k * size[q]));
    *(four<T> *)(row + i) = result;
}

/* Returns the sums of m a and m |a| over the bodies that this thread processes. m: a row with the masses of n bodies.
 * own: a vector with the accelerations. */
template <typename T>
static __device__ __forceinline__ momentum_sum thread_sum(uint64_t n, uint64_t stride, const T *m, const T *own)
{
    const uint64_t step = 4 * (uint64_t)gridDim.x * THREADS;
    momentum_sum sum = {};
    for (uint64_t i = 4 * ((uint64_t)blockIdx.x * THREADS + threadIdx.x); i < n; i += step) {
        const four<T> mass = load(m, i), x = load(own, i), y = load(own, i + stride), z = load(own, i + 2 * stride);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const double here = mass.v[q];
            sum = sum_of(sum, {here * x.v[q], here * y.v[q], here * z.v[q], here * length_of(x.v[q], y.v[q], z.v[q])});
        }
    }
    return sum;
}

/* Writes or adds a - k |a| for the bodies that this thread processes. `sum` contains the sums over all bodies, from
 * which k is computed. */
template <bool ADD, typename T>
static __device__ __forceinline__ void thread_subtract(uint64_t n, uint64_t own_stride, uint64_t stride, const T *own,
                                                       const momentum_sum &sum, T *out)
{
    const uint64_t step = 4 * (uint64_t)gridDim.x * THREADS;
    /* If two bodies are at the same point without softening, their accelerations are not finite. k is then set to 0, so
     * that the accelerations of the other bodies stay correct. */
    const bool good = sum.size > 0 && isfinite(sum.size);
    const double kx = good ? sum.px / sum.size : 0, ky = good ? sum.py / sum.size : 0;
    const double kz = good ? sum.pz / sum.size : 0;
    for (uint64_t i = 4 * ((uint64_t)blockIdx.x * THREADS + threadIdx.x); i < n; i += step) {
        const four<T> x = load(own, i), y = load(own, i + own_stride), z = load(own, i + 2 * own_stride);
        double size[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            size[q] = length_of(x.v[q], y.v[q], z.v[q]);
        store<ADD>(out, i, x, kx, size);
        store<ADD>(out, i + stride, y, ky, size);
        store<ADD>(out, i + 2 * stride, z, kz, size);
    }
}

/* Computes k (see the top of this file) from sums over all bodies, and subtracts k |a| from each acceleration a. m is a
 * row, and a is a vector.
 * - A thread owns four bodies at a time, and iterates over the bodies in strides of the grid. It may read up to 3
 *   elements after the n bodies. These are zeros in the padding of the rows.
 * - A block writes the sums over its bodies to part[blockIdx.x]. After a barrier of the grid, every block adds all of
 *   part[]. */
template <typename T>
static __global__ void __launch_bounds__(THREADS, PER_CARD)
    subtract_excess(uint64_t n, uint64_t stride, const T *m, T *a, momentum_sum *part)
{
    momentum_sum sum = block_sum(thread_sum(n, stride, m, (const T *)a));
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
    cooperative_groups::this_grid().sync();
    sum = {};
    for (unsigned k = threadIdx.x; k < gridDim.x; k += THREADS)
        sum = sum_of(sum, part[k]);
    thread_subtract<false>(n, stride, stride, (const T *)a, block_sum(sum), a);
}

static unsigned blocks_for(const tree_work *w, uint64_t n)
{
    const uint64_t most = PER_CARD * w->processors < BLOCKS ? PER_CARD * w->processors : BLOCKS;
    const uint64_t blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
    return (unsigned)(blocks < most ? blocks : most);
}

template <typename T> static int run(tree_work *w, const nb_sources *s, const nb_field *out)
{
    uint64_t n = s->n, stride = out->stride;
    const T *m = (const T *)s->m;
    T *a = (T *)out->a;
    if (nb_cuda_reserve(&w->momentum, BLOCKS * sizeof(momentum_sum)))
        return -1;
    momentum_sum *part = (momentum_sum *)w->momentum.d;
    void *arguments[] = {&n, &stride, &m, &a, &part};
    return NB_CUDA(cudaLaunchCooperativeKernel((const void *)subtract_excess<T>, dim3(blocks_for(w, n)), dim3(THREADS),
                                               arguments, 0, w->stream));
}

int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out)
{
    return precision == NB_SINGLE ? run<float>(w, s, out) : run<double>(w, s, out);
}

/* ---- bodies of several devices ---- */

/* Computes only the sums over the n bodies: one sum per block, in part[]. A thread owns four bodies at a time, and
 * iterates over the bodies in strides of the grid. m: a row; own: a vector. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
    sum_excess(uint64_t n, uint64_t stride, const T *m, const T *own, momentum_sum *part)
{
    const momentum_sum sum = block_sum(thread_sum(n, stride, m, own));
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

/* Writes a - k |a| to `out` or adds it (ADD), where k is computed from `sum`. A thread owns four bodies at a time, and
 * iterates over the n bodies in strides of the grid. own: a vector with stride own_stride; out: a vector with stride
 * `stride`. */
template <typename T, bool ADD>
static __global__ void __launch_bounds__(THREADS)
    subtract_given(uint64_t n, uint64_t own_stride, uint64_t stride, const T *own, momentum_sum sum, T *out)
{
    thread_subtract<ADD>(n, own_stride, stride, own, sum, out);
}

int tree_momentum_sum(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride, const void *d_m,
                      const void *d_own, double sum[4])
{
    momentum_sum parts[BLOCKS], total = {};
    const unsigned blocks = blocks_for(w, n);
    if (nb_cuda_enter(w->device) || nb_cuda_reserve(&w->momentum, BLOCKS * sizeof(momentum_sum)))
        return -1;
    momentum_sum *part = (momentum_sum *)w->momentum.d;
    if (n > 0)
        nb_for_state(precision, [&]<typename T>() {
            sum_excess<<<blocks, THREADS, 0, w->stream>>>(n, own_stride, (const T *)d_m, (const T *)d_own, part);
        });
    if (NB_CUDA(cudaGetLastError()) ||
        NB_CUDA(cudaMemcpyAsync(parts, part, blocks * sizeof *parts, cudaMemcpyDeviceToHost, w->stream)) ||
        NB_CUDA(cudaStreamSynchronize(w->stream)))
        return -1;
    for (unsigned k = 0; k < blocks; k++)
        total = {total.px + parts[k].px, total.py + parts[k].py, total.pz + parts[k].pz, total.size + parts[k].size};
    sum[0] = total.px, sum[1] = total.py, sum[2] = total.pz, sum[3] = total.size;
    return 0;
}

int tree_momentum_subtract(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                           const void *d_own, const double sum[4], const nb_field *out)
{
    const momentum_sum total = {sum[0], sum[1], sum[2], sum[3]};
    if (n == 0)
        return 0;
    if (nb_cuda_enter(w->device))
        return -1;
    nb_for_state(precision, [&]<typename T>() {
        auto kernel = out->add ? subtract_given<T, true> : subtract_given<T, false>;
        kernel<<<blocks_for(w, n), THREADS, 0, w->stream>>>(n, own_stride, out->stride, (const T *)d_own, total,
                                                            (T *)out->a);
    });
    return NB_CUDA(cudaGetLastError());
}
