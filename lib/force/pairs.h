/* pairs.h - numbers the pairs of bodies. The pair (i, j), j < i, has the number i (i - 1) / 2 + j. This number does not
 * depend on the number of bodies. For host and device code, and for up to 2^32 bodies. */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define NB_PAIRS_INLINE __host__ __device__ static inline
#else
#define NB_PAIRS_INLINE static inline
#endif

/* Order in which pairs are processed. The triangle of pairs (i, j), j < i, is divided into square tiles. ROWS: row by
 * row. TILES: squares of 8 x 8 tiles, square by square. HILBERT: squares of 32 x 32 tiles, along a Hilbert curve. */
enum nb_pair_order { NB_PAIR_ROWS, NB_PAIR_TILES, NB_PAIR_HILBERT };

/* Returns i (i - 1) / 2, the number of pair (i, 0). Bodies 0 to i - 1 form this many pairs. */
NB_PAIRS_INLINE uint64_t pairs_before(uint64_t i)
{
    return i % 2 ? (i - 1) / 2 * i : i / 2 * (i - 1);
}

/* Returns the body i of the pair (i, j) that has the number k; j is k - pairs_before(i). The square root in floating
 * point can give an i that is wrong by one, which the loops correct with integers. */
NB_PAIRS_INLINE uint64_t pairs_body(uint64_t k)
{
    uint64_t i = (uint64_t)(0.5 + sqrt(2.0 * (double)k));
    while (pairs_before(i) > k)
        i--;
    while (pairs_before(i + 1) <= k)
        i++;
    return i;
}
