/* dither.h - from levels with fractions to whole ones, for all files of 8 and 10 bits.
 *
 * A level is rounded up where its fraction is above the threshold of its place, so the mean is kept, and whole levels,
 * black and white above all, stay as they are. Thresholds are blue noise: 1024 ranks in a tile of 32 x 32 places, put
 * in order by voids and clusters (Ulichney 1993, Proc. SPIE 1913, 332), so that neighbours differ and no pattern is
 * seen. They depend on place and channel alone: equal pictures give equal bytes, and what stands still in a film does
 * not flicker. */
#ifndef NBRENDER_DITHER_H
#define NBRENDER_DITHER_H

#include <stdbool.h>
#include <stdint.h>

#define DITHER_SIDE 32

/* Makes the tile, once; to be called before threads are. */
void dither_prepare(void);
/* Row y's thresholds of channel 0, 1 or 2: what is added before fractions are cut off, for places x = 0 to 31, and so
 * on again. Above 0 and below 1; without `dithered` 0.5 each, which rounds to the nearest. */
const float *dither_row(bool dithered, int channel, int y);
/* The same for levels with 8 bits of fraction: from 0 to 255, and 128 to round. */
const uint16_t *dither_steps(bool dithered, int channel, int y);

#endif
