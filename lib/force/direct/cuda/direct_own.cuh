/* direct_own.cuh - functions shared by the persistent kernels for individual time steps (direct_own.cu,
 * neighbours_step.cu): sums over lanes, and lists of due bodies. Each block lists the due bodies of its own chunk. */
#pragma once

#include "device/cuda/own.cuh"
#include "force/direct/cuda/direct_jerk.cuh"

#include <cooperative_groups.h>

#define THREADS     512 /* threads per block; one block per multiprocessor */
#define WARPS       (THREADS / 32)
#define BLOCKS_MOST 256
#define ALL         0xffffffffu
#define LONG_NS     100000000ull /* time in nanoseconds after which a kernel ends and returns to the host */

#define RUN  16  /* number of sources whose forces a lane sums before it adds this partial sum to its total */
#define MANY 256 /* if at least so many bodies are due (their steps end now), a warp processes several of them */

struct own_rung {
    unsigned long long times, steps, ns;
};

static __device__ __forceinline__ unsigned long long clock_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* Returns the sum of x over the lanes of a warp, in every lane. */
static __device__ __forceinline__ double sum_lanes(double x)
{
    for (int lane = 16; lane > 0; lane /= 2)
        x += __shfl_xor_sync(ALL, x, lane);
    return x;
}

/* Sums each member of a structure of doubles over the lanes of a warp. Every lane gets the sums. */
template <typename S> static __device__ __forceinline__ void sum_lanes(S &sum)
{
    double *x = (double *)&sum;
    for (size_t k = 0; k < sizeof sum / sizeof *x; k++)
        x[k] = sum_lanes(x[k]);
}

/* Called by a block. counts[b]: number of due bodies (bodies whose steps end now) in the chunk of block b. Writes the
 * number of due bodies in all chunks before b to before[b], and the total number to before[gridDim.x]. Returns the
 * total. */
static __device__ uint32_t count_due(const uint32_t *counts, uint32_t *before)
{
    const unsigned blocks = gridDim.x, lane = threadIdx.x;
    if (threadIdx.x < 32) {
        const unsigned each = (blocks + 31) / 32, end = min(each * (lane + 1), blocks);
        uint32_t own = 0, sum;
        for (unsigned b = each * lane; b < end; b++)
            own += counts[b];
        sum = own;
        for (unsigned k = 1; k < 32; k *= 2) {
            const uint32_t left = __shfl_up_sync(ALL, sum, k);
            sum += lane >= k ? left : 0;
        }
        uint32_t place = sum - own;
        for (unsigned b = each * lane; b < end; b++) {
            before[b] = place;
            place += counts[b];
        }
        if (lane == 31)
            before[blocks] = sum;
    }
    __syncthreads();
    return before[blocks];
}

/* Returns the index of number t of the due bodies, the bodies whose steps end now. The list of the due bodies of block
 * b begins at due[b * chunk]. before[b]: number of due bodies of all blocks before b. */
static __device__ __forceinline__ uint32_t due_body(const uint32_t *due, uint64_t chunk, const uint32_t *before,
                                                    uint32_t t)
{
    uint32_t low = 0, high = gridDim.x; /* before[low] <= t < before[high] */
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        if (before[mid] <= t)
            low = mid;
        else
            high = mid;
    }
    return due[low * chunk + (t - before[low])];
}

/* Returns the number of parts into which the n sources are divided. In one task, a warp sums the forces of one part on
 * one of the `groups` groups of targets. Each warp gets about two tasks, but fewer if the parts would have less than
 * about 128 sources. */
static __device__ uint32_t parts_of(uint32_t n, uint32_t warps, uint32_t groups)
{
    const uint32_t most = (n + 127) / 128, wanted = 2 * warps / groups;
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

/* Replaces *to by the maximum of *to and the `value` of each thread of a block. *to contains the bits of a double >= 0.
 * All threads of the block must call this function. Several blocks may call this function with the same `to` at the
 * same time. */
static __device__ void raise_by_warps(unsigned long long *to, double value)
{
    __shared__ double of_warp[WARPS];
    for (int lane = 16; lane > 0; lane /= 2)
        value = fmax(value, __shfl_xor_sync(ALL, value, lane));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int k = 1; k < WARPS; k++)
        value = fmax(value, of_warp[k]);
    if (value > 0)
        atomicMax(to, (unsigned long long)__double_as_longlong(value));
}

static inline int own_blocks(const struct nb_device *device, unsigned *blocks)
{
    int processors = 0;
    if (NB_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device->index)))
        return -1;
    *blocks = processors < BLOCKS_MOST ? (unsigned)processors : BLOCKS_MOST;
    return 0;
}

static inline bool own_cooperates(const struct nb_device *device)
{
    int cooperates = 0;
    return cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device->index) == cudaSuccess &&
           cooperates;
}
