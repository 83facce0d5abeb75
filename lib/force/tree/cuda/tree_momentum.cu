/* The last stage of the tree ("momentum" in tree.h): a_i -= k |a_i|, k = sum m a / sum m |a|. One kernel, whose blocks
 * are all on the card at once and wait for one another between sum and subtraction. */
#include "force/tree/cuda/tree_cuda.cuh"

#include <cooperative_groups.h>

#define THREADS  512
#define PER_CARD 2    /* blocks a multiprocessor */
#define BLOCKS   1024 /* at most */

struct momentum_sum { /* sum of m a, and of m |a| */
    double px, py, pz, size;
};

/* Four bodies' numbers of a row, whose stride is a multiple of 64. */
template <typename T> struct alignas(16) four {
    T v[4];
};

static __device__ __forceinline__ momentum_sum sum_of(const momentum_sum &a, const momentum_sum &b)
{
    return {a.px + b.px, a.py + b.py, a.pz + b.pz, a.size + b.size};
}

/* The sum over a block's threads, in every thread. */
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

/* Squares would leave the range of the numbers themselves: those of single precision fit double. */
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

/* Stores a - k |a| in four places of a row, or adds it there. */
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

/* A thread owns four bodies, and goes over the n (rounded up: behind the last body rows hold zeros) in strides of the
 * grid; a block sums over its threads. m: a row; own, out: vectors of the same stride, which may be the same vector;
 * part: a sum a block. */
template <typename T, bool ADD>
static __global__ void __launch_bounds__(THREADS, PER_CARD)
    subtract_excess(uint64_t n, uint64_t stride, const T *m, const T *own, momentum_sum *part, T *out)
{
    const uint64_t step = 4 * (uint64_t)gridDim.x * THREADS, first = 4 * ((uint64_t)blockIdx.x * THREADS + threadIdx.x);
    momentum_sum sum = {};
    for (uint64_t i = first; i < n; i += step) {
        const four<T> mass = load(m, i), x = load(own, i), y = load(own, i + stride), z = load(own, i + 2 * stride);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const double here = mass.v[q];
            sum = sum_of(sum, {here * x.v[q], here * y.v[q], here * z.v[q], here * length_of(x.v[q], y.v[q], z.v[q])});
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
    cooperative_groups::this_grid().sync();
    sum = {};
    for (unsigned k = threadIdx.x; k < gridDim.x; k += THREADS)
        sum = sum_of(sum, part[k]);
    sum = block_sum(sum);
    /* Two bodies at one place without softening: theirs is not finite, and all others' stays as it is. */
    const bool good = sum.size > 0 && isfinite(sum.size);
    const double kx = good ? sum.px / sum.size : 0, ky = good ? sum.py / sum.size : 0;
    const double kz = good ? sum.pz / sum.size : 0;
    for (uint64_t i = first; i < n; i += step) {
        const four<T> x = load(own, i), y = load(own, i + stride), z = load(own, i + 2 * stride);
        double size[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            size[q] = length_of(x.v[q], y.v[q], z.v[q]);
        store<ADD>(out, i, x, kx, size);
        store<ADD>(out, i + stride, y, ky, size);
        store<ADD>(out, i + 2 * stride, z, kz, size);
    }
}

template <typename T> static int run(tree_work *w, const nb_sources *s, const T *own, const nb_field *out)
{
    uint64_t n = s->n, stride = out->stride, blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
    const uint64_t most = PER_CARD * w->processors < BLOCKS ? PER_CARD * w->processors : BLOCKS;
    const T *m = (const T *)s->m;
    T *to = (T *)out->a;
    if (nb_cuda_reserve(&w->momentum, BLOCKS * sizeof(momentum_sum)))
        return -1;
    momentum_sum *part = (momentum_sum *)w->momentum.d;
    void *arguments[] = {&n, &stride, &m, &own, &part, &to};
    auto kernel = out->add ? subtract_excess<T, true> : subtract_excess<T, false>;
    return NB_CUDA(cudaLaunchCooperativeKernel((const void *)kernel, dim3((unsigned)(blocks < most ? blocks : most)),
                                               dim3(THREADS), arguments, 0, w->stream));
}

int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const void *d_own,
                  const nb_field *out)
{
    return precision == NB_SINGLE ? run(w, s, (const float *)d_own, out) : run(w, s, (const double *)d_own, out);
}
