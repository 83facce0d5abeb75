/* rows.h - rows of a picture as PNG has them: 8 or 16 bits (the higher byte first), with or without alpha. */
#pragma once

#include "nbrender/output/output.h"

struct rows {
    const struct output_options *options;
    const struct picture *picture;
    int channels;
    size_t bytes;       /* of a row */
    uint16_t *level[4]; /* of a row, where there is alpha */
};

/* For pictures of that width. Returns false without memory; rows_close is to be called in any case. */
bool rows_open(struct rows *r, const struct output_options *o, int width);
void rows_close(struct rows *r);
/* Row y of r->picture, dithered if it has 8 bits and the options do not forbid it. */
void rows_fill(const struct rows *r, int y, unsigned char *row);
