/* uniform.h - random numbers for tests, identical on every machine. */
#pragma once

#include <stdint.h>

/* Returns a number in [0, 1), and advances the seed (splitmix64). */
static inline double uniform01(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}
