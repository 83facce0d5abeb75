/* direct_near.cuh - computes the forces of near groups on a group of targets, in single precision and without tensor
 * cores. */
#pragma once

#include "force/direct/tensor/direct_groups.cuh"

/* Number of targets per thread, and number of threads per block. */
#define NEAR_TARGETS 2
#define NEAR_THREADS (GROUP / NEAR_TARGETS)
/* Number of sources after which the sums in single precision are added to the sums in double. */
#define NEAR_SUM 64

template <bool SELF, typename B>
static __device__ __forceinline__ void add_near(pair_sums<double> *total, const B *sources, int count, const B *target,
                                                float eps2, int self)
{
    pair_sums<float> sum[NEAR_TARGETS] = {};
#pragma unroll 8
    for (int q = 0; q < count; q++) {
        B source = sources[q];
#pragma unroll
        for (int k = 0; k < NEAR_TARGETS; k++)
            pair_add<false, SELF>(sum[k], source, target[k], eps2, SELF && self + k * NEAR_THREADS == q);
    }
#pragma unroll
    for (int k = 0; k < NEAR_TARGETS; k++)
        pair_flush(total[k], sum[k]);
}

/* Computes the accelerations that near groups cause. blockIdx.x selects a group of targets, blockIdx.y a part of the
 * groups that are near to it. A thread owns NEAR_TARGETS targets. Reads the n sorted bodies and the table `near`.
 * Writes `out`, an array [parts][n], but only for the groups in `share`. */
template <typename B>
static __global__ void __launch_bounds__(NEAR_THREADS)
    near_kernel(const B *bodies, uint64_t n, const uint32_t *near, float eps2, uint2 share, pair_vector<double> *out)
{
    __shared__ B sources[GROUP];
    if (!is_in_share(share))
        return; /* all threads of the block return */
    const uint64_t first = (uint64_t)blockIdx.x * GROUP;
    B target[NEAR_TARGETS];
    pair_sums<double> total[NEAR_TARGETS] = {};
    for (int k = 0; k < NEAR_TARGETS; k++) {
        uint64_t i = first + threadIdx.x + k * NEAR_THREADS;
        target[k] = bodies[i < n ? i : n - 1];
    }
    group_walk walk = walk_begin(near, n);
    for (int group = walk_next(walk); group >= 0; group = walk_next(walk)) {
        const uint64_t j0 = (uint64_t)group * GROUP;
        const int count = n - j0 < GROUP ? (int)(n - j0) : GROUP;
        __syncthreads(); /* the sources of the group before are not needed any more */
        for (int q = (int)threadIdx.x; q < count; q += NEAR_THREADS)
            sources[q] = bodies[j0 + q];
        __syncthreads();
        for (int q = 0; q < count; q += NEAR_SUM)
            if (group == (int)blockIdx.x)
                add_near<true>(total, sources + q, min(NEAR_SUM, count - q), target, eps2, (int)threadIdx.x - q);
            else if (count - q < NEAR_SUM)
                add_near<false>(total, sources + q, count - q, target, eps2, 0);
            else
                add_near<false>(total, sources + q, NEAR_SUM, target, eps2, 0);
    }
    for (int k = 0; k < NEAR_TARGETS; k++) {
        uint64_t i = first + threadIdx.x + k * NEAR_THREADS;
        if (i < n)
            out[blockIdx.y * n + i] = {total[k].ax, total[k].ay, total[k].az};
    }
}
