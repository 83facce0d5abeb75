/* light_cpu.h - declares the parts of the CPU renderer: bodies sorted by tile, the level map, splats, and the passes up
 * and down the pyramid.
 *
 * Bodies are sorted by tiles of TILE x TILE pixels, because the light of one tile, summed in double precision, fits the
 * first-level cache. One thread draws a tile. Bodies of a tile also add light to the first cells of the neighbouring
 * tiles. Tiles are therefore divided into four colours by the parity of row and column, and only tiles of one colour
 * are drawn at the same time. So light is added in the same order for any number of threads. */
#pragma once

#include "light/footprint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BORDER     NB_LIGHT_BORDER
#define TILE_BITS  5
#define TILE       (1 << TILE_BITS)
#define PLACE_BITS 11 /* number of bits for the fraction of a pixel in each coordinate of bins.place */
#define LEVELS_MAX NB_LIGHT_LEVELS_MAX

typedef float v4f __attribute__((vector_size(16), aligned(16)));

/* One level of the pyramid. The arrays `up`, `sum` and `glow` have height + 2 BORDER rows of `stride` cells. */
struct level {
    int width, height; /* number of cells over the picture in x and y */
    size_t stride;     /* number of cells from one row to the next */
    /* light that was drawn into this level and is not distributed to the coarser levels yet. In the levels from 2 on,
     * nb_light_pass_set.refine later replaces the contents of `up` (of `sum`, if `sum` is used) by the light of this
     * level and of all coarser levels together */
    v4f *up;
    v4f *sum;   /* light of earlier calls of `put` that stays in this level; NULL before the second call */
    v4f *glow;  /* bloom; NULL in level 0 */
    int margin; /* number of cells, on each side of the picture, in which bodies are also counted */
    size_t count_stride;
    float *count;
    /* the level map at the centre of each cell, [height][width]; NULL in the levels below NB_LIGHT_MAPPED */
    float *map;
};

struct bins { /* bodies in chunks of consecutive numbers; each chunk is sorted by tile */
    /* tiles cover the picture and its margin; the upper left tile begins at pixel (-margin, -margin) */
    int columns, rows, tiles;
    int margin;        /* width of the margin in pixels, a multiple of TILE */
    int chunk, chunks; /* chunk: number of bodies per chunk; chunks: number of chunks */
    /* tiles + 2 indices for each chunk. In the sorted chunk, bodies begin[t] to begin[t + 1] - 1 are in tile t. Bodies
     * that are not drawn are in an additional tile, t = tiles */
    uint32_t *begin;
    uint32_t *place; /* x and y in the tile, 16 bits each; unit: 2^-PLACE_BITS pixels */
    /* step: index of the body's colour in nb_light_bodies.ramp. raise: 2^RAISE_BITS * log2(factor by which perspective
     * enlarges the body) */
    uint16_t *step, *raise;
    float *light, *value; /* for each body. light NULL: each body has light 1; value NULL: `step` gives the colours */
    uint64_t allocated;
    size_t begins; /* number of indices for which `begin` has memory */
};
#define RAISE_BITS 12

/* Returns the column of the tile in which a cell of level k begins. x: x coordinate of the cell, >= -margin / 2^k. For
 * the row of the tile, pass the cell's y coordinate. */
static inline int tile_of_cell(const struct bins *s, int k, int x)
{
    return (x * (1 << k) + s->margin) >> TILE_BITS;
}

struct tile {
    uint32_t count; /* number of bodies in the tile */
    uint8_t first;  /* finest level at which a cell of the tile holds at least K = style.smooth bodies */
    uint8_t about;  /* minimum of `first` over all tiles within three tiles of this one */
    float least;    /* minimum of the level map (levels of footprints, light.h) in the tile; 0 with perspective */
    uint8_t base;   /* level into which the tile's bodies are put; MIXED: chosen for each body */
    bool stored;    /* the first pass of nb_light_count has stored the tile's counts */
    uint8_t lowest; /* lowest level into which this tile or one of its neighbours put light; DARK: no light */
    /* index of the tile's block in work.far, which holds the tile's light in coarse levels; -1: no block */
    int32_t far;
    double put;
};
#define MIXED 255
#define DARK  255
/* In levels k below SPARSE_LEVELS, only tiles with lowest <= k have cells that are not 0. tile.lowest includes the
 * neighbouring tiles, because restriction to level k spreads the light of a tile by up to one cell of level k. */
#define SPARSE_LEVELS 2

struct coarser {       /* weights of the sum that make_row_1() writes to a row of level 1 */
    float weight;      /* weight of the light that stays in level 1 */
    float glow_weight; /* weight of the glow of level 1 */
    /* weight of the light in `higher`. make_row_1() first refines this light, that is, interpolates it to the cells of
     * level 1 */
    float higher_weight;
    const v4f *higher; /* light in the cells of level 2; NULL: level 2 has no light */
};

/* State of one open renderer. */
struct work {
    struct nb_light_style style;
    int levels;
    struct level level[LEVELS_MAX];
    /* upper limit of the level map (light.h). Without adaptive smoothing, the level map has this value everywhere */
    double most;
    int highest; /* highest level that may have light */
    /* true: `put` has divided the light of each body between two levels, the levels just below and just above the value
     * `most`. All light stays in these levels */
    bool divided;
    /* the bodies of the last call of put are drawn, but their light is not distributed to the coarser levels yet */
    bool pending;
    bool settled; /* level[].sum holds the light of earlier calls of put */
    int node_width, node_height;
    float *node;
    struct bins bins;
    struct tile *tile;
    /* light that bodies put into levels whose cells are at least as large as a tile. One block for each tile; the
     * blocks are added to the levels later (see FAR_SIZE) */
    float *far;
    size_t far_allocated;
    v4f *scratch; /* SCRATCH_ROWS rows for each thread */
    size_t scratch_stride;
    int threads;
    double put, margins;
    int *held;    /* [threads][HELD]: y coordinates of the rows of level 1 that are in the thread's scratch */
    bool is_dark; /* no light was put */
    bool is_flat; /* only level 0 has light */
    /* A row of the finished picture is computed when it is read. It is the sum of level 1, refined to level 0, and of
     * shown.weight times the light that stays in level 0. */
    struct coarser plain, shown; /* weights without bloom (plain) and with bloom (shown) */
    /* [row of level 2][column of tiles]: 1 if the row of shown.higher has light in the column of tiles, or in the two
     * cells to the left or to the right of this column */
    uint8_t *lit;
};
#define SCRATCH_ROWS 16
#define HELD         4

/* Returns cell (x, y) of `cells`, an array of level l; x and y may be as low as -BORDER. */
static inline v4f *cell_at(const struct level *l, v4f *cells, int x, int y)
{
    return cells + ((size_t)(y + BORDER) * l->stride + (size_t)(x + BORDER));
}

/* Returns the number of cells of a level, including BORDER cells on each side. */
static inline size_t cells_of(const struct level *l)
{
    return l->stride * (size_t)(l->height + 2 * BORDER);
}

/* ---- light_bins.c ---- */

/* Chooses the number of tiles for the size of the picture (w->style) and allocates w->tile. Returns 0, or -1 after
 * nb_fail. */
int nb_light_bins_open(struct work *w);
/* Frees the memory of the bins. */
void nb_light_bins_close(struct work *w);
/* Projects bodies [i0, i0 + n) and sorts them by tile; n <= NB_LIGHT_BATCH. counts = true: the bodies are only counted,
 * so their colour steps are not stored. Returns 0, or -1 after nb_fail. */
int nb_light_bins_fill(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b, uint64_t i0,
                       uint64_t n, bool counts);
#define NB_LIGHT_BATCH (UINT64_C(1) << 25)

/* ---- light_map.c ---- */

/* Counts the bodies of the bins in each cell of levels 0 to TILE_BITS. If `first` is true, overwrites the counts,
 * otherwise adds to them. If `only` is true, the bins contain all bodies to draw, and counts that the level map will
 * not read are not stored. */
void nb_light_count(struct work *w, bool first, bool only);
/* Computes the counts of the levels above TILE_BITS, and then the level map (light.h): its values at all nodes, and at
 * the cells of level NB_LIGHT_MAPPED and above. To be called after nb_light_count has counted all bodies. */
void nb_light_map(struct work *w);

static inline float lesser(float a, float b) /* fminf would be a function call */
{
    return a < b ? a : b;
}

/* Returns whether light can stay at level k in this tile: whether the level map can be below k + 1 there. This is
 * possible only if a cell of level k + 1 or finer, in or near the tile, contains at least K = style.smooth bodies. If
 * the result is false, the counts of the tile at level k may be missing. */
static inline bool nb_light_counts(const struct work *w, int tile, int k)
{
    return k + 1 >= w->tile[tile].about;
}

/* Returns the level of footprints (level map) at pixel position (x, y): interpolated linearly between the nodes,
 * constant beyond the outermost nodes. */
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

/* Prepares a call of `put` for n bodies: clears the arrays `up` of the levels, and chooses the levels into which bodies
 * are put. */
void nb_light_splat_begin(struct work *w, uint64_t n, bool perspective);
/* Adds the bodies in the bins to the levels. Returns 0, or -1 after nb_fail. */
int nb_light_splat(struct work *w, const struct nb_light_bodies *b, bool perspective);

/* ---- light_pass_simd.c, one table for each instruction set ---- */

struct nb_light_pass_set {
    /* Distributes the light of the last call of `put` to the levels, and adds the light that stays in each level to its
     * `sum`. Returns 0, or -1 after nb_fail. */
    int (*settle)(struct work *w);
    /* Adds to each level the refined light of the next coarser level, from the coarsest level down to level 2. Then
     * adds bloom. Returns 0, or -1 after nb_fail. */
    int (*refine)(struct work *w);
    /* Allocates the scratch of all threads; to be called before row(), outside of parallel regions. Returns 0, or -1
     * after nb_fail. */
    int (*ready)(struct work *w);
    /* Returns row y of the picture, cells -BORDER ... width + BORDER - 1. The row is valid until the next call in the
     * same thread. */
    const v4f *(*row)(const struct work *w, int y);
    /* Returns the sum of the light that is drawn outside the cells of level 0. */
    double (*beyond)(const struct work *w);
};

/* Returns the table for the instruction set in use. */
const struct nb_light_pass_set *nb_light_pass(void);
