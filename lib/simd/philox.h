/* philox.h - many numbers of rng.h's generator at once, in vectors of the instruction set in use. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An odd multiple of 2^-53 in (0, 1): 52 bits and a half, since 53 bits and a half would round up to 1. */
static inline double nb_philox_number(uint64_t random)
{
    return ((double)(random >> 12) + 0.5) * 0x1p-52;
}

struct nb_philox_set {
    /* u[k][i] for i < n: number k, as nb_philox_number makes it, of the counter (begin + i, draw, 0, 0). The four
     * arrays do not overlap. */
    void (*uniforms)(const uint64_t key[2], uint64_t begin, size_t n, uint64_t draw, double *const u[4]);
};

/* For the instruction set in use. */
const struct nb_philox_set *nb_philox(void);
