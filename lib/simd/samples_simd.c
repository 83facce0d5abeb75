/* Samples of files, for one instruction set. */
#include "simd/samples.h"
#include "simd/vectors.h"

#include <string.h>

#define CHUNK NB_SAMPLES_CHUNK

/* ---- a chunk ---- */

INLINE void mix_chunk(const struct nb_samples_mix *mix, uint32_t level[3][CHUNK], const float *threshold, int bytes,
                      void *samples)
{
    const float red = mix->red, green = mix->green, blue = mix->blue, zero = mix->zero;
    uint8_t *byte = samples;
    uint16_t *word = samples;
    int sample[CHUNK];
    for (int k = 0; k < CHUNK; k++)
        sample[k] = (int)(zero + threshold[k] + red * (float)(int)level[0][k] + green * (float)(int)level[1][k] +
                          blue * (float)(int)level[2][k]);
    for (int k = 0; k < CHUNK && bytes == 1; k++)
        byte[k] = (uint8_t)sample[k];
    for (int k = 0; k < CHUNK && bytes == 2; k++)
        word[k] = (uint16_t)sample[k];
}

/* The last ones, fewer than a chunk. */
static void mix_rest(const struct nb_samples_mix *mix, uint32_t level[3][CHUNK], int count, const float *threshold,
                     int bytes, void *samples)
{
    uint16_t room[CHUNK];
    mix_chunk(mix, level, threshold, bytes, room);
    memcpy(samples, room, (size_t)(count * bytes));
}

/* Most of many a picture is black: all of its samples are alike. */
static bool fill_black(const struct nb_samples_mix *mix, uint32_t level[3][CHUNK], int bytes, void *samples)
{
    const int black = (int)mix->zero;
    uint16_t *word = samples;
    uint32_t any = 0;
    for (int k = 0; k < CHUNK; k++)
        any |= level[0][k] | level[1][k] | level[2][k];
    if (any == 0 && bytes == 1)
        memset(samples, black, CHUNK);
    for (int k = 0; k < CHUNK && any == 0 && bytes == 2; k++)
        word[k] = (uint16_t)black;
    return any == 0;
}

INLINE void put_chunk(const struct nb_samples_mix *mix, uint32_t level[3][CHUNK], int count, const float *threshold,
                      int bytes, void *samples)
{
    if (count < CHUNK)
        mix_rest(mix, level, count, threshold, bytes, samples);
    else if (!fill_black(mix, level, bytes, samples))
        mix_chunk(mix, level, threshold, bytes, samples);
}

/* ---- rows ---- */

static void mix(const struct nb_samples_mix *w, const uint16_t *const level[3], int n, const float *threshold,
                int bytes, void *samples)
{
    for (int x = 0; x < n; x += CHUNK) {
        uint32_t wide[3][CHUNK];
        const int count = n - x < CHUNK ? n - x : CHUNK;
        for (int d = 0; d < 3; d++)
            if (count == CHUNK)
                for (int k = 0; k < CHUNK; k++)
                    wide[d][k] = level[d][x + k];
            else
                for (int k = 0; k < CHUNK; k++)
                    wide[d][k] = k < count ? level[d][x + k] : 0;
        put_chunk(w, wide, count, threshold, bytes, (uint8_t *)samples + x * bytes);
    }
}

typedef uint32_t pair __attribute__((may_alias)); /* an even level and the next one */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EVEN(pair) ((pair)&0xffff)
#define ODD(pair)  ((pair) >> 16)
#else
#define EVEN(pair) ((pair) >> 16)
#define ODD(pair)  ((pair)&0xffff)
#endif

/* Sums of sample x, which is not the first. */
INLINE uint32_t sum_about(const pair *a, const pair *b, int x)
{
    return 2 * (EVEN(a[x]) + EVEN(b[x])) + ODD(a[x]) + ODD(b[x]) + ODD(a[x - 1]) + ODD(b[x - 1]);
}

/* To the left of the first is one like it. */
INLINE uint32_t sum_first(const pair *a, const pair *b)
{
    return 3 * (EVEN(a[0]) + EVEN(b[0])) + ODD(a[0]) + ODD(b[0]);
}

static void mix_pairs(const struct nb_samples_mix *w, const uint16_t *const upper[3], const uint16_t *const lower[3],
                      int n, const float *threshold, int bytes, void *samples)
{
    for (int x = 0; x < n; x += CHUNK) {
        uint32_t sum[3][CHUNK];
        const int count = n - x < CHUNK ? n - x : CHUNK;
        for (int d = 0; d < 3; d++) {
            const pair *a = (const pair *)upper[d], *b = (const pair *)lower[d];
            if (x > 0 && count == CHUNK)
                for (int k = 0; k < CHUNK; k++)
                    sum[d][k] = sum_about(a, b, x + k);
            else
                for (int k = 0; k < CHUNK; k++)
                    sum[d][k] = k >= count ? 0 : x + k > 0 ? sum_about(a, b, x + k) : sum_first(a, b);
        }
        put_chunk(w, sum, count, threshold, bytes, (uint8_t *)samples + x * bytes);
    }
}

/* ---- pixels of bytes ---- */

/* 65281 is 2^24 / 257 but for 4e-9 of it. */
INLINE unsigned char byte_of(uint16_t level, uint16_t step)
{
    return (unsigned char)((uint16_t)((level * 65281u >> 16) + step) >> 8);
}

/* Made for numbers of channels and pixels that are known where it is called. */
INLINE void put_pixels(const uint16_t *const level[], int channels, int count, const uint16_t *const step[],
                       unsigned char *pixels)
{
    unsigned char byte[4][CHUNK];
    for (int d = 0; d < channels; d++)
        for (int k = 0; k < count; k++)
            byte[d][k] = byte_of(level[d][k], step[d][k]);
    for (int k = 0; k < count; k++)
        for (int d = 0; d < channels; d++)
            pixels[k * channels + d] = byte[d][k];
}

static void bytes(const uint16_t *const level[], int channels, int n, const uint16_t *const step[],
                  unsigned char *pixels)
{
    for (int x = 0; x < n; x += CHUNK) {
        const uint16_t *from[4];
        unsigned char *to = pixels + x * channels;
        for (int d = 0; d < channels; d++)
            from[d] = level[d] + x;
        if (n - x < CHUNK)
            put_pixels(from, channels, n - x, step, to);
        else if (channels == 3)
            put_pixels(from, 3, CHUNK, step, to);
        else
            put_pixels(from, 4, CHUNK, step, to);
    }
}

#define SET PASTE(nb_samples_, SET_WORD)

extern const struct nb_samples_set SET;
const struct nb_samples_set SET = {mix, mix_pairs, bytes};
