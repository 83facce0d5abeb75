/* light_show_simd.c - for one instruction set: converts rows of pixels to display levels, and finds the histogram
 * bucket of a brightness. Declared in light_show.h. */
#include "light/cpu/light_show.h"
#include "light/tone_curve.h"
#include "simd/vectors.h"

#include <string.h>

#define LANES LANES_single
#define BLOCK 64 /* number of pixels that are processed at a time */

typedef VECTOR(float, LANES) reals;
typedef float loose __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));
typedef VECTOR(int32_t, LANES) words;

/* ---- the curve in vectors ---- */

#define v_larger  larger_single
#define v_smaller smaller_single

INLINE reals v_positive(reals x)
{
    return v_larger(x, (reals){0});
}

/* Display levels need a relative error below 1e-4. The processor's estimates of roots and quotients are used if they
 * have 14 correct bits. Otherwise exact roots and quotients are used: they are as fast as corrected estimates. */
#define ESTIMATES (TERMS_single == 1)

/* Returns the square root of x. If x is below 1e-30, the absolute error may be as large as 1e-15. */
INLINE reals v_root(reals x)
{
    const reals seen = x + 1e-30f;
    return ESTIMATES ? seen * estimate_single(seen) : (reals)root_single(x);
}

/* Returns the square root of x <= 1e37 with relative error 1e-6: one step of Newton's method after the estimate. Larger
 * x may be replaced by 1e37. */
INLINE reals v_long_root(reals x)
{
    const reals finite = v_smaller(x, (reals){0} + 1e37f), y = estimate_single(finite), root = finite * y;
    return ESTIMATES ? root + root * (0.5f - root * (0.5f * y)) : (reals)root_single(x);
}

INLINE reals v_over_root(reals a, reals b)
{
    return ESTIMATES ? a * estimate_single(b) : a / (reals)root_single(b);
}

INLINE reals v_inverse(reals x)
{
    return inverse_single(x);
}

INLINE reals v_quotient(reals a, reals b)
{
    return ESTIMATES ? a * inverse_single(b) : a / b;
}

/* Returns log2 of each element with the formula of nb_log2. */
INLINE reals v_log2(reals x)
{
    const words exponent = ((words)x - 0x3f3504f3) >> 23;
    const reals f = (reals)((words)x - exponent * (1 << 23)), s = v_quotient(f - 1.0f, f + 1.0f), s2 = s * s;
    return __builtin_convertvector(exponent, reals) +
           s * (2.885390082f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * 0.412198583f)));
}

#define TONE_BOTH  INLINE
#define TONE_REAL  reals
#define TONE(word) v_##word
#include "light/tone_formula.h"

/* ---- rows ---- */

#define CHANNEL_PAIR(lane, h) ((lane) < LANES / 2 ? 4 * (lane) + (h) : 4 * ((lane)-LANES / 2) + (h) + 1)
#define HALVES(lane, h)       ((lane) < LANES / 2 ? (lane) + (h) : LANES / 2 + (lane) + (h))

struct pixels {
    reals red, green, blue, light;
};

/* Loads LANES pixels of 4 floats and transposes them into channels. */
INLINE struct pixels load_pixels(const float *from)
{
    const loose *v = (const loose *)from;
    const reals a = SHUFFLE(v[0], v[1], INDICES(CHANNEL_PAIR, 0)), b = SHUFFLE(v[2], v[3], INDICES(CHANNEL_PAIR, 0));
    const reals c = SHUFFLE(v[0], v[1], INDICES(CHANNEL_PAIR, 2)), d = SHUFFLE(v[2], v[3], INDICES(CHANNEL_PAIR, 2));
    return (struct pixels){SHUFFLE(a, b, INDICES(HALVES, 0)), SHUFFLE(a, b, INDICES(HALVES, LANES / 2)),
                           SHUFFLE(c, d, INDICES(HALVES, 0)), SHUFFLE(c, d, INDICES(HALVES, LANES / 2))};
}

INLINE void store_levels(uint16_t *to, reals shown)
{
    const words level = __builtin_convertvector(NB_TONE_FULL * shown + 0.5f, words);
    const narrow_vec narrow = narrow_single((wide_vec)level);
    memcpy(to, &narrow, LANES * sizeof *to);
}

/* Converts BLOCK pixels. Each loop processes all vectors of the block, because the processor can then compute the roots
 * of several vectors at the same time. Not inlined: all callers use the same machine code, so that a pixel has the same
 * levels at each position in a row. */
__attribute__((noinline)) static void tone_block(const struct nb_tone *tone, float scale, const float *pixel,
                                                 uint16_t *red, uint16_t *green, uint16_t *blue)
{
    struct v_hue hue[BLOCK / LANES];
    reals level[BLOCK / LANES];
    for (int k = 0; k < BLOCK / LANES; k++) {
        const struct pixels p = load_pixels(pixel + 4 * k * LANES);
        hue[k] = v_tone_hue(scale, p.red, p.green, p.blue, p.light);
    }
    for (int k = 0; k < BLOCK / LANES; k++)
        level[k] = v_tone_square(tone, hue[k].y);
    for (int k = 0; k < BLOCK / LANES; k++)
        level[k] = v_tone_bend(level[k]);
    for (int k = 0; k < BLOCK / LANES; k++) {
        const struct v_shown shown = v_tone_colour(level[k], hue[k].of);
        store_levels(red + k * LANES, shown.red);
        store_levels(green + k * LANES, shown.green);
        store_levels(blue + k * LANES, shown.blue);
    }
}

/* Converts fewer than BLOCK pixels. */
static void tone_rest(const struct nb_tone *tone, float scale, const float *pixel, int count, uint16_t *red,
                      uint16_t *green, uint16_t *blue)
{
    float room[4 * BLOCK] = {0};
    uint16_t level[3][BLOCK];
    const size_t bytes = (size_t)count * sizeof **level;
    memcpy(room, pixel, (size_t)count * 4 * sizeof *room);
    tone_block(tone, scale, room, level[0], level[1], level[2]);
    memcpy(red, level[0], bytes);
    memcpy(green, level[1], bytes);
    memcpy(blue, level[2], bytes);
}

typedef uint32_t word __attribute__((may_alias));

static inline bool is_black(const float *pixel, int count)
{
    const word *bits = (const word *)pixel;
    uint32_t any = 0;
    for (int k = 0; k < 4 * count; k++)
        any |= bits[k];
    return any == 0;
}

static void tone_row(const struct nb_tone *tone, float scale, const float *restrict pixel, int count,
                     uint16_t *restrict red, uint16_t *restrict green, uint16_t *restrict blue)
{
    for (int x = 0; x < count; x += BLOCK) {
        const int block = x + BLOCK < count ? BLOCK : count - x;
        const size_t bytes = (size_t)block * sizeof *red;
        if (pixel[4 * x + 3] == 0 && is_black(pixel + 4 * x, block)) {
            memset(red + x, 0, bytes);
            memset(green + x, 0, bytes);
            memset(blue + x, 0, bytes);
        } else if (block == BLOCK) {
            tone_block(tone, scale, pixel + 4 * x, red + x, green + x, blue + x);
        } else {
            tone_rest(tone, scale, pixel + 4 * x, block, red + x, green + x, blue + x);
        }
    }
}

static void bucket_row(const float *restrict brightness, int count, uint16_t *restrict bucket)
{
    for (int x = 0; x < count; x++) {
        int k = (int)(nb_log2(brightness[x]) * NB_LIGHT_OCTAVE + NB_LIGHT_ZERO);
        k = k < 0 ? 0 : k;
        bucket[x] = (uint16_t)(k < NB_LIGHT_BUCKETS ? k : NB_LIGHT_BUCKETS - 1);
    }
}

#define SET PASTE(nb_light_show_, SET_WORD)

extern const struct nb_light_show_set SET;
const struct nb_light_show_set SET = {tone_row, bucket_row};
