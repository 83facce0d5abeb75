/* light_splat.h - declares the functions that add the bodies of a tile to the pyramid; one version for each instruction
 * set. */
#pragma once

#include "light/cpu/light_cpu.h"
#include "simd/simd.h"

struct ink { /* those arguments of `put` that are the same for all bodies */
    const struct nb_light_bodies *b;
    const struct bins *s;
    float share;
};

struct nb_light_set {
    /* Adds the light of the bodies of a tile to the levels, and sets tile.put to the sum of this light. The tile must
     * have at least one body. */
    void (*splat)(struct work *w, const struct ink *ink, int tile);
};

/* The far levels are the levels whose cells are at least as large as a tile. In a far level, the light of a tile falls
 * into 3 x 3 cells with 4 channels, which are FAR_SIZE floats in work.far. These floats are added to the pyramid later,
 * in the order of the tiles. */
#define FAR_SIZE (9 * 4)

/* Returns the number of levels whose cells are at least as large as a tile. */
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
