/* samples_simd.c - functions of samples.h for one instruction set. */
#include "simd/samples.h"
#include "simd/vectors.h"

#include <string.h>

#define CHUNK NB_SAMPLES_CHUNK
#define LANES LANES_single
#define PARTS (CHUNK / LANES)

typedef VECTOR(float, LANES) reals;
typedef VECTOR(int32_t, LANES) words;

/* ---- a chunk ---- */

/* red, green and blue levels of CHUNK samples. The type is the vector type that mix_chunk reads, because reading memory
 * with another width than it was written is slow */
struct chunk {
    words level[3][PARTS];
};

INLINE void mix_chunk(const struct nb_samples_mix *mix, const struct chunk *c, const float *threshold, int bytes,
                      void *samples)
{
    int32_t sample[CHUNK];
    uint8_t *byte = samples;
    uint16_t *word = samples;
    for (int k = 0; k < PARTS; k++) {
        reals above;
        memcpy(&above, threshold + k * LANES, sizeof above);
        const words cut =
            __builtin_convertvector(mix->zero + above + mix->red * __builtin_convertvector(c->level[0][k], reals) +
                                        mix->green * __builtin_convertvector(c->level[1][k], reals) +
                                        mix->blue * __builtin_convertvector(c->level[2][k], reals),
                                    words);
        memcpy(sample + k * LANES, &cut, sizeof cut);
    }
    for (int k = 0; k < CHUNK && bytes == 1; k++)
        byte[k] = (uint8_t)sample[k];
    for (int k = 0; k < CHUNK && bytes == 2; k++)
        word[k] = (uint16_t)sample[k];
}

/* Computes the last `count` samples of a row; count is less than CHUNK. */
static void mix_rest(const struct nb_samples_mix *mix, const struct chunk *c, int count, const float *threshold,
                     int bytes, void *samples)
{
    uint16_t room[CHUNK];
    mix_chunk(mix, c, threshold, bytes, room);
    memcpy(samples, room, (size_t)(count * bytes));
}

/* Returns whether all levels of the chunk are 0. Most of a picture is often black, and all samples of a black chunk are
 * equal. */
INLINE bool is_black(const struct chunk *c)
{
    words any = {0};
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < PARTS; k++)
            any |= c->level[d][k];
    return bits_single((bits_vec)(any != 0)) == 0;
}

static void fill_black(const struct nb_samples_mix *mix, int bytes, void *samples)
{
    const int black = (int)mix->zero;
    uint16_t *word = samples;
    if (bytes == 1)
        memset(samples, black, CHUNK);
    for (int k = 0; k < CHUNK && bytes == 2; k++)
        word[k] = (uint16_t)black;
}

INLINE void put_chunk(const struct nb_samples_mix *mix, const struct chunk *c, bool black, int count,
                      const float *threshold, int bytes, void *samples)
{
    if (count < CHUNK)
        mix_rest(mix, c, count, threshold, bytes, samples);
    else if (black)
        fill_black(mix, bytes, samples);
    else
        mix_chunk(mix, c, threshold, bytes, samples);
}

/* ---- rows ---- */

INLINE void load_chunk(const uint16_t *const level[3], int x, struct chunk *c)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < PARTS; k++)
            c->level[d][k] = (words)widen_single(level[d] + x + k * LANES);
}

/* Loads `count` levels, fewer than a chunk has, and fills the rest of the chunk with 0 (black). */
static void load_rest(const uint16_t *const level[3], int x, int count, struct chunk *c)
{
    uint16_t room[3][CHUNK] = {{0}};
    const uint16_t *const from[3] = {room[0], room[1], room[2]};
    for (int d = 0; d < 3; d++)
        memcpy(room[d], level[d] + x, (size_t)count * sizeof **room);
    load_chunk(from, 0, c);
}

static void mix(const struct nb_samples_mix *w, const uint16_t *const level[3], int n, const float *threshold,
                int bytes, void *samples)
{
    for (int x = 0; x < n; x += CHUNK) {
        const int count = n - x < CHUNK ? n - x : CHUNK;
        struct chunk c;
        if (count == CHUNK)
            load_chunk(level, x, &c);
        else
            load_rest(level, x, count, &c);
        put_chunk(w, &c, is_black(&c), count, threshold, bytes, (uint8_t *)samples + x * bytes);
    }
}

/* the levels of an even column and of the next column, in one word */
typedef uint32_t pair __attribute__((may_alias));
typedef VECTOR(uint32_t, LANES) pairs;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EVEN(pair) ((pair)&0xffff)
#define ODD(pair)  ((pair) >> 16)
#else
#define EVEN(pair) ((pair) >> 16)
#define ODD(pair)  ((pair)&0xffff)
#endif

/* Computes the weighted sums of nb_samples_set.mix_pairs for LANES samples. a and b: the pairs of levels of the first
 * sample in the two rows. The pairs a[-1] and b[-1] are also read, so a and b must not be the first pairs of the
 * rows. */
INLINE words sums_about(const pair *a, const pair *b)
{
    pairs upper, lower, upper_before, lower_before;
    memcpy(&upper, a, sizeof upper);
    memcpy(&lower, b, sizeof lower);
    memcpy(&upper_before, a - 1, sizeof upper_before);
    memcpy(&lower_before, b - 1, sizeof lower_before);
    return (words)(2 * (EVEN(upper) + EVEN(lower)) + ODD(upper) + ODD(lower) + ODD(upper_before) + ODD(lower_before));
}

/* Computes the weighted sums of nb_samples_set.mix_pairs for `count` samples. A sum includes the odd level of the
 * previous pair. For the first pair of a row, the sum includes the even level of this pair instead. first: whether a
 * and b point to the first pairs of their rows. */
static void sum_some(const pair *a, const pair *b, bool first, int count, words to[PARTS])
{
    int32_t sum[CHUNK] = {0};
    for (int x = 0; x < count; x++) {
        const uint32_t left = first && x == 0 ? EVEN(a[0]) + EVEN(b[0]) : ODD(a[x - 1]) + ODD(b[x - 1]);
        sum[x] = (int32_t)(2 * (EVEN(a[x]) + EVEN(b[x])) + ODD(a[x]) + ODD(b[x]) + left);
    }
    memcpy(to, sum, sizeof sum);
}

static void mix_pairs(const struct nb_samples_mix w[2], const uint16_t *const upper[3], const uint16_t *const lower[3],
                      int n, const float *const threshold[2], int bytes, void *const samples[2])
{
    for (int x = 0; x < n; x += CHUNK) {
        const int count = n - x < CHUNK ? n - x : CHUNK;
        struct chunk c;
        for (int d = 0; d < 3; d++) {
            const pair *a = (const pair *)upper[d] + x, *b = (const pair *)lower[d] + x;
            if (x == 0 || count < CHUNK)
                sum_some(a, b, x == 0, count, c.level[d]);
            else
                for (int k = 0; k < PARTS; k++)
                    c.level[d][k] = sums_about(a + k * LANES, b + k * LANES);
        }
        const bool black = is_black(&c);
        for (int k = 0; k < 2; k++)
            put_chunk(&w[k], &c, black, count, threshold[k], bytes, (uint8_t *)samples[k] + x * bytes);
    }
}

/* ---- pixels ---- */

/* Converts a 16-bit level to 8 bits: returns level / 257 + step / 256, truncated to an integer. step: dither threshold,
 * 0 to 255. The division by 257 is a multiplication by 65281 / 2^24, with a relative error of 6e-8. */
INLINE unsigned char byte_of(uint16_t level, uint16_t step)
{
    return (unsigned char)((uint16_t)((level * 65281u >> 16) + step) >> 8);
}

/* Inlined, so that the compiler can unroll the loops for constant numbers of channels and pixels. */
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
