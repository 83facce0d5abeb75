/* What the light of a row of pixels is shown as, and how bright it is, for one instruction set. */
#include "light/cpu/light_show.h"
#include "light/tone_curve.h"
#include "simd/vectors.h"

#include <string.h>

static inline uint16_t level_of_display(float shown)
{
    return (uint16_t)(int)(NB_TONE_FULL * shown + 0.5f);
}

#define BLOCK 64 /* pixels */

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
    const struct nb_tone curve = *tone;
    for (int x0 = 0; x0 < count; x0 += BLOCK) {
        const int end = x0 + BLOCK < count ? x0 + BLOCK : count;
        const size_t bytes = (size_t)(end - x0) * sizeof *red;
        if (pixel[4 * x0 + 3] == 0 && is_black(pixel + 4 * x0, end - x0)) {
            memset(red + x0, 0, bytes);
            memset(green + x0, 0, bytes);
            memset(blue + x0, 0, bytes);
            continue;
        }
        for (int x = x0; x < end; x++) {
            const float *p = pixel + 4 * x;
            const struct nb_shown shown = nb_tone_pixel(&curve, scale, p[0], p[1], p[2], p[3]);
            red[x] = level_of_display(shown.red);
            green[x] = level_of_display(shown.green);
            blue[x] = level_of_display(shown.blue);
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
