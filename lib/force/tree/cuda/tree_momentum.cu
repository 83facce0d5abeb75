/* The last stage of the tree ("momentum" in tree.h): a_i -= k |a_i|, k = sum m a / sum m |a|. */
#include "force/tree/cuda/tree_cuda.cuh"

/* Blocks of the sum: a number that follows from n alone, so that its order does too. */
#define BLOCKS_MOST 1024
#define BLOCK_SHARE 1024 /* bodies of one, at least */

struct momentum_sum { /* sum of m a, and of m |a| */
    double px, py, pz, size;
};

struct momentum_memory {
    momentum_sum part[BLOCKS_MOST];
    double k[3];
    unsigned done; /* blocks that have written their part; 0 at the start and at the end */
};

static __device__ __forceinline__ momentum_sum sum_of(const momentum_sum &a, const momentum_sum &b)
{
    return {a.px + b.px, a.py + b.py, a.pz + b.pz, a.size + b.size};
}

/* The sum over a block's threads, in thread 0. */
static __device__ momentum_sum block_sum(momentum_sum s)
{
    __shared__ momentum_sum of_warp[NB_BLOCK / 32];
    for (int distance = 16; distance > 0; distance /= 2)
        s = sum_of(s, {__shfl_down_sync(~0u, s.px, distance), __shfl_down_sync(~0u, s.py, distance),
                       __shfl_down_sync(~0u, s.pz, distance), __shfl_down_sync(~0u, s.size, distance)});
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = s;
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < NB_BLOCK / 32; warp++)
        s = sum_of(s, of_warp[warp]);
    __syncthreads();
    return s;
}

/* Squares of large and small numbers in single precision would leave its range. */
static __device__ __forceinline__ double length_of(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* Threads go over the n bodies in strides of the grid (m: n masses; a: a vector of `stride`); a block sums over its
 * threads into memory->part, and the block that ends last sums the parts, in their order, and writes memory->k. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    find_excess(const T *__restrict__ m, const T *__restrict__ a, uint64_t n, uint64_t stride, momentum_memory *memory)
{
    __shared__ bool last;
    momentum_sum sum = {};
#pragma unroll 4
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        const T x = a[i], y = a[i + stride], z = a[i + 2 * stride];
        const double mass = m[i];
        sum = sum_of(sum, {mass * x, mass * y, mass * z, mass * length_of(x, y, z)});
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        memory->part[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&memory->done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    sum = {};
    for (unsigned k = threadIdx.x; k < gridDim.x; k += NB_BLOCK) {
        const double *part = (const double *)&memory->part[k];
        sum = sum_of(sum, {__ldcg(part), __ldcg(part + 1), __ldcg(part + 2), __ldcg(part + 3)});
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        /* Two bodies at one place without softening: theirs is not finite, and all others' stays as it is. */
        const double inverse = sum.size > 0 && isfinite(sum.size) ? 1 / sum.size : 0;
        memory->k[0] = inverse > 0 ? sum.px * inverse : 0;
        memory->k[1] = inverse > 0 ? sum.py * inverse : 0;
        memory->k[2] = inverse > 0 ? sum.pz * inverse : 0;
        memory->done = 0;
    }
}

/* A thread a body: out (+)= own - k |own|; own and out are vectors of `stride`, and may be the same. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    subtract_excess(uint64_t n, uint64_t stride, const T *own, const momentum_memory *memory, bool add, T *out)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const T a[3] = {own[i], own[i + stride], own[i + 2 * stride]};
    const double size = length_of(a[0], a[1], a[2]);
    for (int c = 0; c < 3; c++) {
        T *to = out + i + c * stride;
        *to = (T)((add ? (double)*to : 0) + ((double)a[c] - memory->k[c] * size));
    }
}

template <typename T> static int run(tree_work *w, const nb_sources *s, const T *own, const nb_field *out)
{
    const bool fresh = w->momentum.d == nullptr;
    if (nb_cuda_reserve(&w->momentum, sizeof(momentum_memory)) ||
        (fresh && NB_CUDA(cudaMemsetAsync(w->momentum.d, 0, sizeof(momentum_memory), w->stream))))
        return -1;
    momentum_memory *memory = (momentum_memory *)w->momentum.d;
    const uint64_t wanted = (s->n + BLOCK_SHARE - 1) / BLOCK_SHARE;
    const unsigned blocks = (unsigned)(wanted < BLOCKS_MOST ? wanted : BLOCKS_MOST);
    find_excess<<<blocks, NB_BLOCK, 0, w->stream>>>((const T *)s->m, own, s->n, out->stride, memory);
    subtract_excess<<<nb_blocks_for(s->n), NB_BLOCK, 0, w->stream>>>(s->n, out->stride, own, memory, out->add,
                                                                     (T *)out->a);
    return NB_CUDA(cudaGetLastError());
}

int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const void *d_own,
                  const nb_field *out)
{
    return precision == NB_SINGLE ? run(w, s, (const float *)d_own, out) : run(w, s, (const double *)d_own, out);
}
