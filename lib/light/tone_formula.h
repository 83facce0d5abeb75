/* tone_formula.h - the tone curve (tone.h) for one type: float, or a vector of floats. This file is included once for
 * each type. Three macros must be defined before: TONE_BOTH (specifiers of the functions), TONE_REAL (the type) and
 * TONE(word) (the name of the function `word` for this type). These functions must also be defined for the type:
 *     larger(a, b)     the larger of a and b
 *     smaller(a, b)    the smaller of a and b
 *     positive(x)      max(x, 0)
 *     root(x)          square root of x >= 0
 *     long_root(x)     square root with full precision; x may be infinite
 *     over_root(a, b)  a / root(b)
 *     inverse(x)       1 / x
 *     quotient(a, b)   a / b
 *     log2(x)          x is a positive normal number or infinity; the result is finite */

struct TONE(shown) { /* levels of display, 0 to 1 */
    TONE_REAL red, green, blue;
};

/* Returns factor * asinh(y) / ln 2: the square of the displayed level before toe and shoulder are applied (tone.h). y:
 * surface brightness times inverse_soft; may be infinite. */
TONE_BOTH TONE_REAL TONE(tone_square)(const struct nb_tone *tone, TONE_REAL y)
{
    return tone->factor * TONE(log2)(y + TONE(long_root)(y * y + 1.0f));
}

/* Returns the level of display: the square root of `square`, changed by toe and shoulder. square: result of
 * tone_square. */
TONE_BOTH TONE_REAL TONE(tone_bend)(TONE_REAL square)
{
    TONE_REAL shown = TONE(quotient)(square, TONE(root)(square) + NB_TONE_TOE);
    TONE_REAL over = TONE(positive)(shown - NB_TONE_KNEE), shoulder = over * (1 / (1 - NB_TONE_KNEE));
    return shown - over + TONE(over_root)(over, shoulder * shoulder + 1.0f);
}

/* Returns the level of display, 0 to 1. y: surface brightness times inverse_soft; may be infinite. */
TONE_BOTH TONE_REAL TONE(tone_level)(const struct nb_tone *tone, TONE_REAL y)
{
    return TONE(tone_bend)(TONE(tone_square)(tone, y));
}

/* y: surface brightness of the pixel (its light * height^2) times inverse_soft. The light is first limited to
 * NB_TONE_DARK times the largest of r, g and b.
 * of: colour of the pixel: the levels of red, green and blue, each divided by the largest of the three levels */
struct TONE(hue) {
    TONE_REAL y;
    struct TONE(shown) of;
};

/* Computes the hue of a pixel from the pixel's colour r, g, b and `light`. `scale` is inverse_soft * height^2, which
 * converts the light of a pixel to surface brightness times inverse_soft. */
TONE_BOTH struct TONE(hue) TONE(tone_hue)(float scale, TONE_REAL r, TONE_REAL g, TONE_REAL b, TONE_REAL light)
{
    TONE_REAL most = TONE(larger)(TONE(larger)(r, g), b) + 1e-30f, inverse = TONE(inverse)(most);
    struct TONE(hue) hue = {scale * TONE(smaller)(light, NB_TONE_DARK * most),
                            {TONE(root)(r * inverse), TONE(root)(g * inverse), TONE(root)(b * inverse)}};
    return hue;
}

/* Returns the levels of red, green and blue of a pixel. level: the largest of the three levels. of: each of the three
 * levels divided by the largest. If `level` is above NB_TONE_PALER, the colour is mixed with white of the same
 * level. */
TONE_BOTH struct TONE(shown) TONE(tone_colour)(TONE_REAL level, struct TONE(shown) of)
{
    TONE_REAL paler = TONE(positive)(level - NB_TONE_PALER);
    TONE_REAL grey = level * (NB_TONE_PALEST / ((1 - NB_TONE_PALER) * (1 - NB_TONE_PALER)) * (paler * paler));
    TONE_REAL pure = level - grey;
    struct TONE(shown) shown = {grey + pure * of.red, grey + pure * of.green, grey + pure * of.blue};
    return shown;
}

/* Returns the levels of display of a pixel. */
TONE_BOTH struct TONE(shown)
    TONE(tone_pixel)(const struct nb_tone *tone, float scale, TONE_REAL r, TONE_REAL g, TONE_REAL b, TONE_REAL light)
{
    struct TONE(hue) hue = TONE(tone_hue)(scale, r, g, b, light);
    return TONE(tone_colour)(TONE(tone_level)(tone, hue.y), hue.of);
}
