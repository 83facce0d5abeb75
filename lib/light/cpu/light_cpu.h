/* light_cpu.h - the parts of the CPU's backend: bodies in tiles, the level map, splats, and what goes up and down the
 * pyramid.
 *
 * Bodies are sorted by tiles of TILE x TILE pixels, so that what a tile's bodies add to fits the first cache, in
 * double; a thread takes a tile. A tile's splats reach one cell into the tiles beside it: of four colours, as of a
 * chequered board, those of one are drawn at the same time, so that all sums have one order for any number of threads.
 */
#pragma once

#include "light/footprint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BORDER     NB_LIGHT_BORDER
#define TILE_BITS  5
#define TILE       (1 << TILE_BITS)
#define PLACE_BITS 11 /* of a pixel's fraction in a place */
#define LEVELS_MAX NB_LIGHT_LEVELS_MAX

typedef float v4f __attribute__((vector_size(16), aligned(16)));

struct level {
    int width, height; /* cells over the picture */
    size_t stride;     /* of rows; there are height + 2 BORDER */
    v4f *up;           /* light on its way upwards, then refined */
    v4f *sum;          /* of what earlier puts left here; NULL before there was a second put */
    v4f *glow;         /* of bloom; not in level 0 */
    int margin;        /* cells counted beside the picture */
    size_t count_stride;
    float *count;
    float *map; /* the level at the middles of its cells, from level NB_LIGHT_MAPPED on */
};

struct bins {                 /* bodies sorted by tile, chunk by chunk */
    int columns, rows, tiles; /* over picture and margin; the upper left one begins at pixel (-margin, -margin) */
    int margin;               /* pixels, a multiple of TILE */
    int chunk, chunks;        /* bodies of a chunk; how many chunks there are */
    uint32_t *begin;          /* for each chunk tiles + 2 indices; the last bin is of bodies outside all tiles */
    uint32_t *place;          /* x and y in the tile, 16 bits each, in 2^-PLACE_BITS pixels */
    uint16_t *step, *raise;   /* raise: log2 of `near` in 2^-RAISE_BITS levels */
    float *light, *value;     /* each NULL where all have the same */
    uint64_t allocated;
    size_t begins; /* allocated */
};
#define RAISE_BITS 12

/* Column (or row) of the tile in which cell x (or y) of level k begins, x >= -margin / 2^k; C shifts no negative x. */
static inline int tile_of_cell(const struct bins *s, int k, int x)
{
    return (x * (1 << k) + s->margin) >> TILE_BITS;
}

struct tile {
    uint32_t count; /* of bodies */
    uint8_t first;  /* the finest level of which a cell in it holds K */
    uint8_t about;  /* the least of it and of the tiles beside it */
    float least;    /* level in it */
    uint8_t base;   /* level into which its bodies are put; MIXED: one by one */
    bool stored;    /* its counts, of all levels */
    uint8_t lowest; /* the lowest level that was put into in it or beside it; DARK: none */
    int32_t far;    /* its place in work.far, -1: none */
    double put;
};
#define MIXED 255
#define DARK  255
/* Level k, below this, has light in tiles of `lowest` at most k alone: light that is put into a tile goes one cell
 * beyond it, also when it is restricted, and one tile holds at least that. Elsewhere such a level is 0 at any time. */
#define SPARSE_LEVELS 2

struct coarser {         /* level 1: the sum of */
    float weight;        /* times what stays there, */
    float glow_weight;   /* times its glow, */
    float higher_weight; /* times level 2, refined; */
    const v4f *higher;   /* NULL: none */
};

struct work {
    struct nb_light_style style;
    int levels;
    struct level level[LEVELS_MAX];
    double most;           /* the largest level */
    int highest;           /* level that may have light */
    bool divided;          /* bodies were put into both levels beside `most`, where all of that stays */
    bool pending, settled; /* a put whose light has not gone up; earlier ones, in sum */
    int node_width, node_height;
    float *node;
    struct bins bins;
    struct tile *tile;
    float *far; /* what tiles of one cell and less add to high levels */
    size_t far_allocated;
    v4f *scratch; /* of each thread, SCRATCH_ROWS rows */
    size_t scratch_stride;
    int threads;
    double put, margins;
    int *held; /* of each thread, HELD rows of level 1 in its scratch: which ones */
    /* Once finished the picture is, in each pixel, what stays in level 0 times shown.weight, and level 1, refined. Both
     * are made row by row as they are looked at, and are never in memory as a whole. */
    bool is_dark;                /* nothing was put */
    bool is_flat;                /* level 0 is all */
    struct coarser plain, shown; /* level 1 without bloom, and with it */
    uint8_t *lit; /* rows of level 2, columns of tiles: whether there is light of its `higher` in or beside them */
};
#define SCRATCH_ROWS 16
#define HELD         4

static inline v4f *cell_at(const struct level *l, v4f *cells, int x, int y)
{
    return cells + ((size_t)(y + BORDER) * l->stride + (size_t)(x + BORDER));
}

static inline size_t cells_of(const struct level *l)
{
    return l->stride * (size_t)(l->height + 2 * BORDER);
}

/* ---- light_bins.c ---- */

int nb_light_bins_open(struct work *w);
void nb_light_bins_close(struct work *w);
/* Sorts bodies [i0, i0 + n), at most NB_LIGHT_BATCH. -1 after nb_fail. */
int nb_light_bins_fill(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b, uint64_t i0,
                       uint64_t n);
#define NB_LIGHT_BATCH (UINT64_C(1) << 25)

/* ---- light_map.c ---- */

/* Adds the bodies in the bins to the counts of the levels up to a tile's; the first time they are set. `only`: the bins
 * have all bodies of the put. */
void nb_light_count(struct work *w, bool first, bool only);
void nb_light_map(struct work *w);

static inline float lesser(float a, float b) /* without the calls of fminf */
{
    return a < b ? a : b;
}

/* Whether a cell about the tile holds K on level k + 1. If not, level k may have no counts there, and is not where
 * light stays. */
static inline bool nb_light_counts(const struct work *w, int tile, int k)
{
    return k + 1 >= w->tile[tile].about;
}

/* The map between its nodes. */
static inline float nb_light_level(const struct work *w, float x, float y)
{
    if (w->style.smooth == 0)
        return (float)w->most;
    float u = x / NB_LIGHT_NODE + 0.5f, v = y / NB_LIGHT_NODE + 0.5f;
    u = lesser(u > 0 ? u : 0, (float)(w->node_width - 1));
    v = lesser(v > 0 ? v : 0, (float)(w->node_height - 1));
    int i = (int)u, j = (int)v;
    i = i < w->node_width - 2 ? i : w->node_width - 2;
    j = j < w->node_height - 2 ? j : w->node_height - 2;
    float fx = u - (float)i, fy = v - (float)j;
    const float *a = w->node + (size_t)j * (size_t)w->node_width + (size_t)i, *c = a + w->node_width;
    return (a[0] * (1 - fx) + a[1] * fx) * (1 - fy) + (c[0] * (1 - fx) + c[1] * fx) * fy;
}

/* ---- light_splat.c ---- */

/* Clears what goes up, for a put of n bodies. */
void nb_light_splat_begin(struct work *w, uint64_t n, bool perspective);
/* Adds the bodies in the bins. -1 after nb_fail. */
int nb_light_splat(struct work *w, const struct nb_light_bodies *b, bool perspective);

/* ---- light_pass_simd.c, for the instruction set in use ---- */

struct nb_light_pass_set {
    /* What stays of the put goes into the sums, and the rest up. */
    int (*settle)(struct work *w);
    /* All of it down to level 2, with bloom. */
    int (*refine)(struct work *w);
    /* Before rows are looked at, by the thread that has others do so. -1 after nb_fail. */
    int (*ready)(struct work *w);
    /* Row y of the picture, cells -BORDER ... width + BORDER - 1, until this thread looks at another one. */
    const v4f *(*row)(const struct work *w, int y);
    /* What of level 1's light is outside the cells of level 0. */
    double (*beyond)(const struct work *w);
};

const struct nb_light_pass_set *nb_light_pass(void);
