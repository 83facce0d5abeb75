/* philox.h - computes the random numbers of rng.h for many bodies at once, with SIMD instructions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns a number in (0, 1), an odd multiple of 2^-53, from the upper 52 bits of `random`. With 53 bits, adding 0.5
 * would round, and the largest result would be 1. */
static inline double nb_philox_number(uint64_t random)
{
    return ((double)(random >> 12) + 0.5) * 0x1p-52;
}

struct nb_philox_set {
    /* Computes u[k][i] for i < n: random number k (0 to 3) of the counter (begin + i, draw, 0, 0), converted by
     * nb_philox_number. The four arrays must not overlap. */
    void (*uniforms)(const uint64_t key[2], uint64_t begin, size_t n, uint64_t draw, double *const u[4]);
};

/* Returns the functions for the instruction set in use. */
const struct nb_philox_set *nb_philox(void);
