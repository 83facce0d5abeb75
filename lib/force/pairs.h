/* pairs.h - the pairs of bodies as one list: pair (i, j), j < i, has the number i (i - 1) / 2 + j, which does not
 * depend on how many bodies there are. For the CPU and for kernels; up to 2^32 bodies. */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define NB_PAIRS_INLINE __host__ __device__ static inline
#else
#define NB_PAIRS_INLINE static inline
#endif

/* In which order tiles of the triangle of pairs are taken: row by row, in squares of 8 x 8 tiles, along Hilbert's curve
 * in squares of 32 x 32. */
enum nb_pair_order { NB_PAIR_ROWS, NB_PAIR_TILES, NB_PAIR_HILBERT };

/* Pairs of the bodies before i: the number of its first pair. */
NB_PAIRS_INLINE uint64_t pairs_before(uint64_t i)
{
    return i % 2 ? (i - 1) / 2 * i : i / 2 * (i - 1);
}

/* The body i of pair number k; its j is k - pairs_before(i). A root in floating point is off by one at times: the
 * whole numbers have the last word. */
NB_PAIRS_INLINE uint64_t pairs_body(uint64_t k)
{
    uint64_t i = (uint64_t)(0.5 + sqrt(2.0 * (double)k));
    while (pairs_before(i) > k)
        i--;
    while (pairs_before(i + 1) <= k)
        i++;
    return i;
}
