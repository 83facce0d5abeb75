/* direct_near.cuh - computes the forces that near tiles exert on a group of targets, in single precision and without
 * tensor cores. A tile consists of TILE successive sources. It is near if its bit in far_bits of the group is 0. */
#pragma once

#include "force/direct/tensor/direct_tiles.cuh"

/* Number of targets per thread, and number of threads per block, for near pairs. */
#define NEAR_TARGETS 2
#define NEAR_THREADS (GROUP / NEAR_TARGETS)

template <typename B> static __device__ __forceinline__ B near_source(const B *bodies, uint64_t n, int tile)
{
    uint64_t j = (uint64_t)tile * TILE + threadIdx.x;
    B padding = {};
    return threadIdx.x < TILE && tile >= 0 && j < n ? bodies[j] : padding;
}

template <bool SELF, typename B>
static __device__ __forceinline__ void near_tile(pair_sums<double> *total, const B *tile, int count, const B *target,
                                                 float eps2, int64_t own_minus_j0)
{
    pair_sums<float> sum[NEAR_TARGETS] = {};
#pragma unroll 8
    for (int q = 0; q < count; q++) {
        B source = tile[q];
#pragma unroll
        for (int k = 0; k < NEAR_TARGETS; k++)
            pair_add<false, SELF>(sum[k], source, target[k], eps2, SELF && own_minus_j0 + k * NEAR_THREADS == q);
    }
#pragma unroll
    for (int k = 0; k < NEAR_TARGETS; k++)
        pair_flush(total[k], sum[k]);
}

/* Computes the accelerations that near tiles cause. blockIdx.x selects a group of 256 targets, blockIdx.y a part of the
 * near tiles of this group. A block has two tiles in shared memory; a thread owns NEAR_TARGETS targets. Reads the n
 * sorted bodies and far_bits. Writes `out`, an array [parts][n], but only for the groups in `share`. */
template <typename B>
static __global__ void __launch_bounds__(NEAR_THREADS)
    near_kernel(const B *bodies, uint64_t n, const uint32_t *far_bits, float eps2, uint2 share,
                pair_vector<double> *out)
{
    __shared__ B tiles[2][TILE];
    if (!is_in_share(share))
        return; /* all threads of the block return */
    const int64_t first = (int64_t)blockIdx.x * GROUP;
    B target[NEAR_TARGETS];
    pair_sums<double> total[NEAR_TARGETS] = {};
    for (int k = 0; k < NEAR_TARGETS; k++) {
        uint64_t i = (uint64_t)first + threadIdx.x + k * NEAR_THREADS;
        target[k] = bodies[i < n ? i : n - 1];
    }
    tile_walk walk = walk_begin(far_bits, n, false);
    int tile = walk_next(walk), next = tile < 0 ? -1 : walk_next(walk), now = 0;
    if (threadIdx.x < TILE)
        tiles[0][threadIdx.x] = near_source(bodies, n, tile);
    B coming = near_source(bodies, n, next);
    __syncthreads();
    while (tile >= 0) {
        if (threadIdx.x < TILE)
            tiles[now ^ 1][threadIdx.x] = coming;
        int after = next < 0 ? -1 : walk_next(walk);
        coming = near_source(bodies, n, after);
        const int64_t j0 = (int64_t)tile * TILE;
        if (j0 >= first && j0 < first + GROUP) /* the sources of the tile are also targets of this block */
            near_tile<true>(total, tiles[now], (int64_t)n - j0 < TILE ? (int)((int64_t)n - j0) : TILE, target, eps2,
                            first + threadIdx.x - j0);
        else if ((int64_t)n - j0 < TILE)
            near_tile<false>(total, tiles[now], (int)((int64_t)n - j0), target, eps2, 0);
        else
            near_tile<false>(total, tiles[now], TILE, target, eps2, 0);
        __syncthreads();
        tile = next, next = after, now ^= 1;
    }
    for (int k = 0; k < NEAR_TARGETS; k++) {
        uint64_t i = (uint64_t)first + threadIdx.x + k * NEAR_THREADS;
        if (i < n)
            out[blockIdx.y * n + i] = {total[k].ax, total[k].ay, total[k].az};
    }
}
