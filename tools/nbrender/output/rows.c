/* Converts rows of a picture to bytes as in PNG. */
#include "nbrender/output/rows.h"

#include "simd/samples.h"

bool rows_open(struct rows *r, const struct output_options *o, int width)
{
    *r = (struct rows){.options = o, .channels = o->alpha ? 4 : 3};
    r->bytes = (size_t)width * (size_t)r->channels * (o->depth == 16 ? 2 : 1);
    bool good = true;
    for (int k = 0; k < r->channels && o->alpha; k++)
        good &= (r->level[k] = malloc((size_t)width * sizeof **r->level)) != NULL;
    return good;
}

void rows_close(struct rows *r)
{
    for (int k = 0; k < 4; k++)
        free(r->level[k]);
}

/* Computes colour and alpha of the pixels of row y. The alpha of a pixel is its largest channel. The colour is the
 * pixel's three channels divided by alpha. Over a black background, the result looks the same as without alpha. */
static void fill_alpha(const struct rows *r, int y)
{
    const size_t width = (size_t)r->picture->width;
    for (size_t x = 0; x < width; x++) {
        uint32_t level[3], most = 0;
        for (int k = 0; k < 3; k++) {
            level[k] = r->picture->plane[k][(size_t)y * width + x];
            most = level[k] > most ? level[k] : most;
        }
        for (int k = 0; k < 3; k++)
            r->level[k][x] = most ? (uint16_t)((level[k] * PICTURE_FULL + most / 2) / most) : 0;
        r->level[3][x] = (uint16_t)most;
    }
}

/* Writes a row with 16 bits per channel. Always inlined, because the loop is faster if the compiler knows the number of
 * channels. */
static inline __attribute__((always_inline)) void put_words(const struct rows *r, const uint16_t *const level[4],
                                                            int channels, unsigned char *row)
{
    for (int x = 0; x < r->picture->width; x++)
        for (int k = 0; k < channels; k++) {
            row[2 * (x * channels + k)] = (unsigned char)(level[k][x] >> 8);
            row[2 * (x * channels + k) + 1] = (unsigned char)level[k][x];
        }
}

void rows_fill(const struct rows *r, int y, unsigned char *row)
{
    const bool alpha = r->channels == 4;
    const uint16_t *level[4];
    if (alpha)
        fill_alpha(r, y);
    for (int k = 0; k < r->channels; k++)
        level[k] = alpha ? r->level[k] : r->picture->plane[k] + (size_t)y * (size_t)r->picture->width;
    if (r->options->depth == 16) {
        put_words(r, level, r->channels, row);
        return;
    }
    const uint16_t *step[4];
    for (int k = 0; k < r->channels; k++) /* alpha is not dithered, so opaque pixels stay opaque */
        step[k] = dither_steps(!r->options->no_dither && k < 3, k, y);
    nb_samples()->bytes(level, r->channels, r->picture->width, step, row);
}
