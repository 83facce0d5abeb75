/* light_splat.h - declares the functions that add the bodies of a tile to the pyramid; one version for each instruction
 * set. */
#pragma once

#include "light/cpu/light_cpu.h"
#include "simd/simd.h"

struct ink { /* arguments that are equal for all splats of one put */
    const struct nb_light_bodies *b;
    const struct bins *s;
    float share;
};

struct nb_light_set {
    /* Adds the light of the bodies of a tile to the levels, and sets tile.put. The tile must have at least one body. */
    void (*splat)(struct work *w, const struct ink *ink, int tile);
};

/* Number of floats of a tile's block in work.far for each level in which the tile is at most one cell: 3 x 3 cells of 4
 * channels. The blocks are added to the pyramid later, in the order of the tiles. */
#define FAR_SIZE (9 * 4)

/* Returns the number of levels in which a tile is at most one cell. */
static inline size_t nb_light_far_levels(const struct work *w)
{
    return w->levels > TILE_BITS ? (size_t)(w->levels - TILE_BITS) : 0;
}

/* Writes the pixel coordinates of the upper left corner of a tile to *x and *y. */
static inline void nb_light_corner(const struct work *w, int tile, int *x, int *y)
{
    *x = tile % w->bins.columns * TILE - w->bins.margin;
    *y = tile / w->bins.columns * TILE - w->bins.margin;
}
