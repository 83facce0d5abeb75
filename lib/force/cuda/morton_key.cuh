/* morton_key.cuh - Morton and Hilbert keys of points, for the kernels that sort by them (morton.cuh). */
#pragma once

#include "force/cuda/morton.cuh"

/* Inserts two zero bits before each of the lowest 11 bits. Bits 0 to 30 of the result may be 1. */
static __device__ __forceinline__ uint32_t morton_spread_by_two(uint32_t v)
{
    v = (v | v << 16) & 0x070000ffu;
    v = (v | v << 8) & 0x0700f00fu;
    v = (v | v << 4) & 0x430c30c3u;
    return (v | v << 2) & 0x49249249u;
}

/* Inserts a zero bit before each of the lowest 16 bits. */
static __device__ __forceinline__ uint32_t morton_spread_by_one(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

/* Returns the key of a cell: the interleaved bits of its coordinates place[]. Bit 0 of place[0] is bit 0 of the key.
 * The upper and the lower bits are interleaved separately, with instructions for 32 bits. */
template <int AXES> static __device__ __forceinline__ uint64_t morton_interleave(const uint32_t *place)
{
    uint64_t upper = 0;
    uint32_t lower = 0;
    for (int k = 0; k < AXES; k++)
        if (AXES == 3) {
            upper |= (uint64_t)morton_spread_by_two(place[k] >> 10) << k;
            lower |= morton_spread_by_two(place[k] & 0x3ff) << k;
        } else {
            upper |= morton_spread_by_one(place[k] >> 16) << k;
            lower |= morton_spread_by_one(place[k] & 0xffff) << k;
        }
    return upper << (AXES == 3 ? 30 : 32) | lower;
}

/* Returns the index of a cell along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381). The coordinates have
 * MORTON_BITS(3) bits. At each level, the curve in a smaller cube is rotated or mirrored: the loop applies this to the
 * lower bits of the coordinates. The lines after the loop convert the bits from Gray code. */
static __device__ __forceinline__ uint64_t hilbert_index(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t place[3] = {x, y, z};
    for (uint32_t bit = 1u << (MORTON_BITS(3) - 1); bit > 1; bit /= 2)
        for (int k = 0; k < 3; k++) {
            const uint32_t lower = bit - 1, is_upper = place[k] & bit;
            const uint32_t exchanged = is_upper ? 0 : (place[0] ^ place[k]) & lower;
            place[0] ^= is_upper ? lower : exchanged;
            place[k] ^= exchanged;
        }
    place[1] ^= place[0];
    place[2] ^= place[1];
    uint32_t flip = place[2] >> 1;
    for (int shift = 1; shift < 32; shift *= 2)
        flip ^= flip >> shift;
    const uint32_t reversed[3] = {place[2] ^ flip, place[1] ^ flip, place[0] ^ flip};
    return morton_interleave<3>(reversed);
}

/* Called by all threads of a block: returns the key of the point v within the bounds `all`, along a Morton curve or, if
 * HILBERT is true, along a Hilbert curve in three dimensions. The first thread of the block computes the scale of the
 * cells for all threads, because a division takes as long as half of the other work of a thread. */
template <int AXES, bool HILBERT = false>
static __device__ __forceinline__ uint64_t morton_key_of(const double *v, const morton_bounds *all)
{
    __shared__ double low[3], scale;
    const double last = (1 << MORTON_BITS(AXES)) - 1;
    if (threadIdx.x < 3)
        low[threadIdx.x] = morton_unordered(all->low[threadIdx.x]);
    if (threadIdx.x == 0) {
        const double size = morton_size(all, AXES);
        scale = size > 0 ? last / size : 0;
    }
    __syncthreads();
    uint32_t place[AXES];
    for (int k = 0; k < AXES; k++)
        place[k] = (uint32_t)fmin(fmax((v[k] - low[k]) * scale, 0.0), last);
    if constexpr (HILBERT)
        return hilbert_index(place[0], place[1], place[2]);
    else
        return morton_interleave<AXES>(place);
}
