/* tone_curve.h - computes, in float, the curve that converts light to display levels (see tone.h), without function
 * calls and branches. Used on the GPU, and for single values on the CPU. For rows of pixels, the CPU uses vectors
 * (cpu/light_show_simd.c). */
#pragma once

#include "light/both.h"
#include "light/tone.h"

#include <math.h>

#define NB_TONE_TOE    0.03f /* the curve is linear below this level, so that noise of faint light is not amplified */
#define NB_TONE_KNEE   0.6f  /* the shoulder of the curve begins at this level */
#define NB_TONE_PALER  0.7f  /* above this level colours are mixed with more and more white */
#define NB_TONE_PALEST 0.5f  /* fraction of white at level 1 */
/* maximum of (light of a pixel) / (largest of its red, green and blue); more light is reduced, so that dark colours
 * stay dark */
#define NB_TONE_DARK 8.0f

NB_BOTH float nb_larger(float a, float b)
{
    return a > b ? a : b;
}

NB_BOTH float nb_smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Returns log2 of a positive normal number with error 1e-5: exponent + log2(m), where the mantissa m is between
 * sqrt(1/2) and sqrt(2). log2(m) is computed from four terms of the series of 2 atanh((m - 1)/(m + 1)). */
NB_BOTH float nb_log2(float x)
{
    union {
        float f;
        int i;
    } bits = {x};
    int exponent = (bits.i - 0x3f3504f3) >> 23;
    bits.i -= exponent * (1 << 23);
    float s = (bits.f - 1) / (bits.f + 1), s2 = s * s;
    return (float)exponent + s * (2.885390082f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * 0.412198583f)));
}

/* Returns max(x, 0) without a branch. */
NB_BOTH float nb_positive(float x)
{
    return 0.5f * (x + fabsf(x));
}

NB_BOTH float nb_root(float x)
{
    return sqrtf(x);
}

NB_BOTH float nb_long_root(float x)
{
    return sqrtf(x);
}

NB_BOTH float nb_quotient(float a, float b)
{
    return a / b;
}

NB_BOTH float nb_over_root(float a, float b)
{
    return a / sqrtf(b);
}

NB_BOTH float nb_inverse(float x)
{
    return 1 / x;
}

#define TONE_BOTH  NB_BOTH
#define TONE_REAL  float
#define TONE(word) nb_##word
#include "light/tone_formula.h"
#undef TONE_BOTH
#undef TONE_REAL
#undef TONE
