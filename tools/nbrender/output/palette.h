/* palette.h - chooses the palette of a film from its pictures, and draws pixels as patterns of palette colours. */
#pragma once

#include "nbrender/output/output.h"

#define PALETTE_MAX 255 /* maximum number of colours; the last of 256 indices is for transparent pixels */

struct palette {
    int count;
    uint8_t colour[PALETTE_MAX][3]; /* colours of the palette; the first is black */
};

/* Chooses a palette for `count` pictures. Each picture has `pixels` pixels of 3 bytes. Returns 0, or -1 after
 * nb_fail if there is no memory. */
int palette_choose(struct palette *palette, const uint8_t *const *pictures, int count, size_t pixels);

/* A mixer replaces a colour that is not in the palette by a pattern of palette colours. For each colour it chooses
 * MIX_COLOURS palette entries whose mean is close to the colour. Each pixel has a fixed threshold (dither.c), which
 * selects one of these entries for the pixel (T. Knoll's pattern dithering, US patent 6606166, expired). All pictures
 * have the same thresholds, so regions that do not change do not flicker. */
struct mixer;

/* Returns a mixer that forms its patterns from the colours of `palette`. Returns NULL if there is no memory. */
struct mixer *mixer_create(const struct palette *palette);
/* Writes the palette indices of row y of a picture to numbers[], which has `width` elements. `colours` are the pixels
 * of this row, 3 bytes each. */
void mixer_row(struct mixer *m, const uint8_t *colours, int width, int y, uint8_t *numbers);
void mixer_destroy(struct mixer *m); /* m may be NULL */
