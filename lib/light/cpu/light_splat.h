/* light_splat.h - bodies of a tile into the pyramid, and what goes up and down there: kernels that are compiled for
 * each instruction set. */
#pragma once

#include "light/cpu/light_cpu.h"
#include "simd/simd.h"

struct ink { /* what light carries */
    const struct nb_light_bodies *b;
    const struct bins *s;
    float share;
};

struct nb_light_set {
    /* Puts the bodies of a tile that has some. */
    void (*splat)(struct work *w, const struct ink *ink, int tile);
};

/* What a tile adds to a level that has no more than one cell in it waits in work.far: 3 x 3 cells. */
#define FAR_SIZE (9 * 4)

static inline size_t nb_light_far_levels(const struct work *w)
{
    return w->levels > TILE_BITS ? (size_t)(w->levels - TILE_BITS) : 0;
}

/* The pixel of its upper left corner. */
static inline void nb_light_corner(const struct work *w, int tile, int *x, int *y)
{
    *x = tile % w->bins.columns * TILE - w->bins.margin;
    *y = tile / w->bins.columns * TILE - w->bins.margin;
}
