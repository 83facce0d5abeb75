/* tone_curve.h - the curve from light to what is shown, in float, without calls or branches, for a GPU, and on a CPU
 * where single values are asked for; its rows of pixels are in vectors (cpu/light_show_simd.c). tone.h says what it
 * does. */
#pragma once

#include "light/both.h"
#include "light/tone.h"

#include <math.h>

#define NB_TONE_TOE                                                                                                    \
    0.03f                   /* below, what is shown falls linearly to black: noise of the faintest light is not lifted \
                             */
#define NB_TONE_KNEE   0.6f /* above, the shoulder */
#define NB_TONE_PALER  0.7f /* above, colours go towards white, */
#define NB_TONE_PALEST 0.5f /* by this share at full level */
#define NB_TONE_DARK   8.0f /* a pixel is as dark as one of this many times its largest channel */

NB_BOTH float nb_larger(float a, float b)
{
    return a > b ? a : b;
}

NB_BOTH float nb_smaller(float a, float b)
{
    return a < b ? a : b;
}

/* log2 of a positive normal number to 1e-5: the exponent, and a polynomial for the mantissa from sqrt(1/2) to sqrt(2)
 * (the series of 2 atanh((m - 1)/(m + 1)) to its fourth term). */
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

/* What x is above 0, without a choice that a compiler would make a branch. */
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
