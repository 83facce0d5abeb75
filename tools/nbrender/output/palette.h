/* palette.h - a few colours for a film, chosen from pictures of it, and pixels as patterns of these. */
#pragma once

#include "nbrender/output/output.h"

#define PALETTE_MAX 255 /* one of 256 is left for a meaning of its own */

struct palette {
    int count;
    uint8_t colour[PALETTE_MAX][3]; /* the first one is black */
};

/* Chooses colours for these pictures, of so many pixels with three bytes each, and for others like them. -1 after
 * nb_fail: no memory. */
int palette_choose(struct palette *palette, const uint8_t *const *pictures, int count, size_t pixels);

/* Mixes colours of the palette so that the mean of a region is kept: a colour is made of MIX_COLOURS entries, chosen
 * one after the other so that their sum is near it, and the pixel's place in the tile of dither.c says which of them it
 * shows (T. Knoll's pattern dithering, US patent 6606166, expired). What stands still does not flicker. */
struct mixer;

/* NULL without memory. */
struct mixer *mixer_create(const struct palette *palette);
/* The numbers of the colours of row y of a picture, `width` pixels of three bytes. */
void mixer_row(struct mixer *m, const uint8_t *colours, int width, int y, uint8_t *numbers);
void mixer_destroy(struct mixer *m); /* NULL is allowed */
