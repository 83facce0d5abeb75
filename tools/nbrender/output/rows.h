/* rows.h - rows of pixels as in PNG: 8 or 16 bits (big-endian) per channel, with or without alpha. */
#pragma once

#include "nbrender/output/output.h"

struct rows {
    const struct output_options *options;
    const struct picture *picture;
    int channels;
    size_t bytes;       /* number of bytes of a row */
    uint16_t *level[4]; /* only with alpha: work space for the channels (red, green, blue, alpha) of one row */
};

/* Prepares rows of `width` pixels. Returns false if there is no memory. Call rows_close even then. */
bool rows_open(struct rows *r, const struct output_options *o, int width);
void rows_close(struct rows *r); /* frees the work space */
/* Fills in `row` with the bytes of row y of r->picture. Rows of 8 bits are dithered unless the user gave --no-dither.
 */
void rows_fill(const struct rows *r, int y, unsigned char *row);
