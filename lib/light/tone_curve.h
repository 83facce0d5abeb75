/* tone_curve.h - the curve from light to what is shown, as both rows compute it: in float, without calls or branches,
 * so that loops over pixels become SIMD. tone.h says what it does. */
#ifndef NB_TONE_CURVE_H
#define NB_TONE_CURVE_H

#include "light/footprint.h"
#include "light/tone.h"

#define NB_TONE_TOE                                                                                                    \
    0.03f                   /* below, what is shown falls linearly to black: noise of the faintest light is not lifted \
                             */
#define NB_TONE_KNEE   0.6f /* above, the shoulder */
#define NB_TONE_PALER  0.7f /* above, colours go towards white, */
#define NB_TONE_PALEST 0.5f /* by this share at full level */
#define NB_TONE_DARK   8.0f /* a pixel is as dark as one of this many times its largest channel */

struct nb_shown { /* levels of the display, 0 to 1 */
    float red, green, blue;
};

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

/* The level, 0 to 1, at which light is shown that is `y` times the soft one; y may be infinite. */
NB_BOTH float nb_tone_level(const struct nb_tone *tone, float y)
{
    float root = sqrtf(tone->factor * nb_log2(y + sqrtf(y * y + 1)));
    float shown = root * root / (root + NB_TONE_TOE), over = nb_positive(shown - NB_TONE_KNEE);
    float shoulder = over * (1 / (1 - NB_TONE_KNEE));
    return shown - over + over / sqrtf(shoulder * shoulder + 1);
}

NB_BOTH float nb_tone_channel(float ratio, float level, float pale)
{
    float root = sqrtf(ratio);
    return level * (root + (1 - root) * pale);
}

/* What a pixel of colour r, g, b and of `light` is shown as; `scale` is inverse_soft times the surface brightness of a
 * unit of light in a pixel: inverse_soft height^2. */
NB_BOTH struct nb_shown nb_tone_pixel(const struct nb_tone *tone, float scale, float r, float g, float b, float light)
{
    float most = nb_larger(nb_larger(r, g), b) + 1e-30f, inverse = 1 / most;
    float level = nb_tone_level(tone, scale * nb_smaller(light, NB_TONE_DARK * most));
    float pale = nb_positive(level - NB_TONE_PALER) * (1 / (1 - NB_TONE_PALER));
    pale *= NB_TONE_PALEST * pale;
    struct nb_shown shown = {nb_tone_channel(r * inverse, level, pale), nb_tone_channel(g * inverse, level, pale),
                             nb_tone_channel(b * inverse, level, pale)};
    return shown;
}

#endif
