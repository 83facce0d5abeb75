/* No force on the whole: what a node does to another and the other to it are approximated apart, so the sum of m a is
 * not zero, and the total momentum would drift. The mean acceleration is taken out of every body's: a uniform
 * acceleration of the frame, which leaves the bodies' motion about one another as it was. */
#include "force/tree/cuda/tree_cuda.cuh"

/* A fixed number, so that the sum's order is too. */
#define BLOCKS 1024

struct momentum_sum { /* sum of m a, and of m */
    double px, py, pz, m;
};

struct momentum_memory {
    momentum_sum part[BLOCKS];
    double mean[3];
    unsigned done; /* blocks that have written their part; 0 at the start and at the end */
};

static __device__ __forceinline__ momentum_sum sum_of(const momentum_sum &a, const momentum_sum &b)
{
    return {a.px + b.px, a.py + b.py, a.pz + b.pz, a.m + b.m};
}

/* The sum over a block's threads, in thread 0. */
static __device__ momentum_sum block_sum(momentum_sum s)
{
    __shared__ momentum_sum of_warp[NB_BLOCK / 32];
    for (int distance = 16; distance > 0; distance /= 2)
        s = sum_of(s, {__shfl_down_sync(~0u, s.px, distance), __shfl_down_sync(~0u, s.py, distance),
                       __shfl_down_sync(~0u, s.pz, distance), __shfl_down_sync(~0u, s.m, distance)});
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = s;
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < NB_BLOCK / 32; warp++)
        s = sum_of(s, of_warp[warp]);
    __syncthreads();
    return s;
}

/* A thread sums every so manieth body, a block its threads; the block that is last sums the parts, in their order. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    find_mean(const T *__restrict__ m, const T *__restrict__ a, uint64_t n, uint64_t stride, momentum_memory *memory)
{
    __shared__ bool last;
    momentum_sum sum = {};
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)BLOCKS * NB_BLOCK) {
        const double mass = m[i];
        sum = sum_of(sum, {mass * a[i], mass * a[i + stride], mass * a[i + 2 * stride], mass});
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        memory->part[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&memory->done, 1) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    sum = {};
    for (int k = threadIdx.x; k < BLOCKS; k += NB_BLOCK) {
        const double *part = (const double *)&memory->part[k];
        sum = sum_of(sum, {__ldcg(part), __ldcg(part + 1), __ldcg(part + 2), __ldcg(part + 3)});
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        const double per_mass = sum.m > 0 ? 1 / sum.m : 0;
        memory->mean[0] = sum.px * per_mass;
        memory->mean[1] = sum.py * per_mass;
        memory->mean[2] = sum.pz * per_mass;
        memory->done = 0;
    }
}

/* A thread a number of the vector: blocks in y are its components. */
template <typename T>
static __global__ void take_out(uint64_t n, uint64_t stride, const T *own, const momentum_memory *memory, bool add,
                                uint64_t out_stride, T *out)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const double a = (double)own[i + blockIdx.y * stride] - memory->mean[blockIdx.y];
    T *to = out + i + blockIdx.y * out_stride;
    *to = (T)(add ? (double)*to + a : a);
}

template <typename T> static int run(tree_work *w, const nb_sources *s, const T *own, const nb_field *out)
{
    const bool fresh = w->mean.d == nullptr;
    if (nb_cuda_reserve(&w->mean, sizeof(momentum_memory)) ||
        (fresh && NB_CUDA(cudaMemsetAsync(w->mean.d, 0, sizeof(momentum_memory), w->stream))))
        return -1;
    momentum_memory *memory = (momentum_memory *)w->mean.d;
    find_mean<<<BLOCKS, NB_BLOCK, 0, w->stream>>>((const T *)s->m, own, s->n, out->stride, memory);
    take_out<<<dim3(nb_blocks_for(s->n), 3), NB_BLOCK, 0, w->stream>>>(s->n, out->stride, own, memory, out->add,
                                                                       out->stride, (T *)out->a);
    return NB_CUDA(cudaGetLastError());
}

int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const void *d_own,
                  const nb_field *out)
{
    return precision == NB_SINGLE ? run(w, s, (const float *)d_own, out) : run(w, s, (const double *)d_own, out);
}
