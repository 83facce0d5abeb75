/* octaves.h - rows of a table at 1, 1 + 1/n, 1 + 2/n, ... 2, 2 + 2/n, ... 4 and so on: n = 2^bits to an octave. */
#ifndef GALAXY_OCTAVES_H
#define GALAXY_OCTAVES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Of row k, which may be negative. */
static inline double octaves_value(int k, int bits)
{
    int octave = k >> bits;
    return ldexp(1 + ldexp(k - octave * (1 << bits), -bits), octave);
}

/* The row, with the fraction of the way to the next, of x > 0 that is a normal float. A few instructions: it is the
 * exponent and the mantissa as they stand, one behind the other. */
static inline double octaves_row(double x, int bits)
{
    float rounded = (float)x;
    int32_t digits;
    memcpy(&digits, &rounded, sizeof digits);
    return (digits - 0x3f800000) * (1.0 / (1 << (23 - bits)));
}

#endif
