/* The curve of tone.h for one type, a float or a vector of them. Included once for each, with TONE_BOTH (how functions
 * are declared), TONE_REAL (the type), TONE(word) (the name of a function of it), and before it, of that type,
 *     larger(a, b), smaller(a, b), positive(x): what x is above 0,
 *     root(x): of 0 and more, long_root(x): one whose digits are all wanted; x may be infinite,
 *     inverse(x), quotient(a, b), over_root(a, b): a / root(b),
 *     log2(x): of a positive normal number or infinity, finite. */

struct TONE(shown) { /* levels of the display, 0 to 1 */
    TONE_REAL red, green, blue;
};

/* The curve before toe and shoulder of light that is `y` times the soft one; y may be infinite. */
TONE_BOTH TONE_REAL TONE(tone_square)(const struct nb_tone *tone, TONE_REAL y)
{
    return tone->factor * TONE(log2)(y + TONE(long_root)(y * y + 1.0f));
}

TONE_BOTH TONE_REAL TONE(tone_bend)(TONE_REAL square)
{
    TONE_REAL shown = TONE(quotient)(square, TONE(root)(square) + NB_TONE_TOE);
    TONE_REAL over = TONE(positive)(shown - NB_TONE_KNEE), shoulder = over * (1 / (1 - NB_TONE_KNEE));
    return shown - over + TONE(over_root)(over, shoulder * shoulder + 1.0f);
}

/* The level, 0 to 1, at which light is shown that is `y` times the soft one; y may be infinite. */
TONE_BOTH TONE_REAL TONE(tone_level)(const struct nb_tone *tone, TONE_REAL y)
{
    return TONE(tone_bend)(TONE(tone_square)(tone, y));
}

struct TONE(hue) { /* light over the soft one, and what a channel has of the largest one as it is shown */
    TONE_REAL y;
    struct TONE(shown) of;
};

/* Of a pixel of colour r, g, b and of `light`; `scale` is inverse_soft times the surface brightness of a unit of light
 * in a pixel: inverse_soft height^2. */
TONE_BOTH struct TONE(hue) TONE(tone_hue)(float scale, TONE_REAL r, TONE_REAL g, TONE_REAL b, TONE_REAL light)
{
    TONE_REAL most = TONE(larger)(TONE(larger)(r, g), b) + 1e-30f, inverse = TONE(inverse)(most);
    struct TONE(hue) hue = {scale * TONE(smaller)(light, NB_TONE_DARK * most),
                            {TONE(root)(r * inverse), TONE(root)(g * inverse), TONE(root)(b * inverse)}};
    return hue;
}

/* A channel goes towards the level by the share `pale`. */
TONE_BOTH struct TONE(shown) TONE(tone_colour)(TONE_REAL level, struct TONE(shown) of)
{
    TONE_REAL paler = TONE(positive)(level - NB_TONE_PALER);
    TONE_REAL grey = level * (NB_TONE_PALEST / ((1 - NB_TONE_PALER) * (1 - NB_TONE_PALER)) * (paler * paler));
    TONE_REAL pure = level - grey;
    struct TONE(shown) shown = {grey + pure * of.red, grey + pure * of.green, grey + pure * of.blue};
    return shown;
}

/* What a pixel is shown as. */
TONE_BOTH struct TONE(shown)
    TONE(tone_pixel)(const struct nb_tone *tone, float scale, TONE_REAL r, TONE_REAL g, TONE_REAL b, TONE_REAL light)
{
    struct TONE(hue) hue = TONE(tone_hue)(scale, r, g, b, light);
    return TONE(tone_colour)(TONE(tone_level)(tone, hue.y), hue.of);
}
