/* light_splat.c - chooses the levels for the bodies of each tile and adds all tiles to the pyramid. Declared in
 * light_cpu.h. */
#include "light/cpu/light_splat.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASE_MOST 4 /* maximum base level of a tile (base_of); a cell of this level is half as wide as a tile */
/* If all footprints have the same size, the light of all bodies belongs to the same two levels. With more than
 * CELLS_OF_BODY cells per body in the finer level, it is faster to draw each body into both levels. Otherwise a later
 * pass over all cells divides the light. */
#define CELLS_OF_BODY 8

#define SET(name)    nb_light_##name
#define SET_OF(name) &SET(name)
extern const struct nb_light_set NB_SIMD_EACH(SET);
static const struct nb_light_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

#define PASS(name)    nb_light_pass_##name
#define PASS_OF(name) &PASS(name)
extern const struct nb_light_pass_set NB_SIMD_EACH(PASS);
static const struct nb_light_pass_set *const passes[NB_SIMD_SETS] = {NB_SIMD_EACH(PASS_OF)};

const struct nb_light_pass_set *nb_light_pass(void)
{
    return passes[nb_simd_in_use()];
}

/* ---- levels into which the bodies of a tile are put ---- */

static bool is_inside(const struct work *w, int tile)
{
    int x, y;
    nb_light_corner(w, tile, &x, &y);
    return x >= 0 && y >= 0 && x + TILE <= w->style.width && y + TILE <= w->style.height;
}

/* Returns the minimum of the level map (level[k].map) over the cells of level k in a tile, or k + 1 if the minimum is
 * larger. */
static float least_in_cells(const struct work *w, int tile, int k)
{
    const struct level *l = &w->level[k];
    float least = (float)(k + 1);
    int x, y;
    nb_light_corner(w, tile, &x, &y);
    for (int j = y >> k; j < (y + TILE) >> k; j++)
        for (int i = x >> k; i < (x + TILE) >> k; i++)
            if (i >= 0 && j >= 0 && i < l->width && j < l->height)
                least = lesser(least, l->map[(size_t)j * (size_t)l->width + (size_t)i]);
    return least;
}

/* Returns a lower bound, at least 0, of the level map in a tile: of the levels in which light of the tile is drawn. The
 * bound is the minimum of:
 * - the level map at the nodes in and next to the tile;
 * - k, for each level k from NB_LIGHT_MAPPED to BASE_MOST - 1 with a value below k + 1 in a cell of the tile
 *   (level[k].map). */
static float least_level(const struct work *w, int tile)
{
    int x, y;
    float least = (float)w->most;
    nb_light_corner(w, tile, &x, &y);
    const int i0 = x / NB_LIGHT_NODE, j0 = y / NB_LIGHT_NODE, count = TILE / NB_LIGHT_NODE + 2;
    for (int j = j0 < 0 ? 0 : j0; w->style.smooth > 0 && j < j0 + count && j < w->node_height; j++)
        for (int i = i0 < 0 ? 0 : i0; i < i0 + count && i < w->node_width; i++)
            least = lesser(least, w->node[(size_t)j * (size_t)w->node_width + (size_t)i]);
    for (int k = NB_LIGHT_MAPPED; w->style.smooth > 0 && k < BASE_MOST && k < w->levels - 1; k++)
        if (least >= (float)(k + 1) && nb_light_counts(w, tile, k) && least_in_cells(w, tile, k) < (float)(k + 1))
            least = (float)k;
    return least > 0 ? least : 0;
}

/* Returns the base level of a tile: the level into which its bodies are put. It is the highest level L such that all
 * light of the tile and of its neighbours belongs to level L or to higher levels, but at most BASE_MOST. A lower base
 * level would give the same picture: restriction turns a spline of level k into the same spline of level k + 1. */
static int base_of(const struct work *w, int tile)
{
    const int columns = w->bins.columns;
    float least = (float)w->most;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            least = lesser(least, w->tile[tile + j * columns + i].least);
    if (w->style.stars > 0)
        least = lesser(least, nb_level_point(&w->style));
    const int base = (int)least < w->levels - 1 ? (int)least : w->levels - 1;
    return base < BASE_MOST ? base : BASE_MOST;
}

/* Lowers the member `lowest` of a tile and of its neighbours to the lowest level into which the tile's bodies are
 * put. */
static void light_up(struct work *w, int tile)
{
    const struct bins *s = &w->bins;
    const uint8_t mixed = w->divided ? (uint8_t)w->most : 0;
    const uint8_t base = w->tile[tile].base == MIXED ? mixed : w->tile[tile].base;
    const int column = tile % s->columns, row = tile / s->columns;
    for (int j = row - 1; j <= row + 1; j++)
        for (int i = column - 1; i <= column + 1; i++)
            if (i >= 0 && j >= 0 && i < s->columns && j < s->rows && base < w->tile[j * s->columns + i].lowest)
                w->tile[j * s->columns + i].lowest = base;
}

static void clear_tile(struct work *w, int tile, int k)
{
    const struct level *l = &w->level[k];
    int x, y;
    nb_light_corner(w, tile, &x, &y);
    const int left = x >> k, top = y >> k, size = TILE >> k;
    const int x0 = left < -BORDER ? -BORDER : left, y0 = top < -BORDER ? -BORDER : top;
    const int x1 = left + size < l->width + BORDER ? left + size : l->width + BORDER;
    const int y1 = top + size < l->height + BORDER ? top + size : l->height + BORDER;
    for (int j = y0; j < y1 && x0 < x1; j++)
        memset(cell_at(l, l->up, x0, j), 0, sizeof(v4f) * (size_t)(x1 - x0));
}

/* Clears the light of all levels. Levels below SPARSE_LEVELS are cleared only in tiles that had light. */
static void clear_levels(struct work *w)
{
    const struct bins *s = &w->bins;
#pragma omp parallel for schedule(dynamic, 64)
    for (int t = 0; t < s->tiles; t++) {
        for (int k = w->tile[t].lowest; k < SPARSE_LEVELS && k < w->levels; k++)
            clear_tile(w, t, k);
        w->tile[t].lowest = DARK;
    }
    for (int k = SPARSE_LEVELS; k < w->levels; k++) {
        const struct level *l = &w->level[k];
        const int rows = l->height + 2 * BORDER;
#pragma omp parallel for schedule(dynamic, 16)
        for (int y = 0; y < rows; y++)
            memset(l->up + (size_t)y * l->stride, 0, sizeof(v4f) * l->stride);
    }
}

static int make_far(struct work *w, size_t wanted)
{
    if (wanted <= w->far_allocated)
        return 0;
    free(w->far);
    w->far = malloc(wanted * sizeof *w->far);
    w->far_allocated = w->far ? wanted : 0;
    return w->far ? 0 : nb_fail("no memory for the picture");
}

/* Sets the base level of each tile, into which its bodies are put. Also sets tile.far, the index of the tile's block in
 * work.far (light of the tile in coarse levels); -1: no block. */
static int choose_bases(struct work *w, bool perspective)
{
    const struct bins *s = &w->bins;
    int32_t far = 0;
#pragma omp parallel for schedule(dynamic, 64)
    for (int t = 0; t < s->tiles; t++)
        w->tile[t].least = perspective ? 0 : least_level(w, t);
#pragma omp parallel for schedule(dynamic, 64)
    for (int t = 0; t < s->tiles; t++) {
        struct tile *tile = &w->tile[t];
        tile->base = perspective || !is_inside(w, t) ? MIXED : (uint8_t)base_of(w, t);
        tile->far = -1;
    }
    for (int t = 0; t < s->tiles; t++)
        if (w->tile[t].count && w->tile[t].base == MIXED)
            w->tile[t].far = far++;
    return make_far(w, (size_t)far * nb_light_far_levels(w) * FAR_SIZE);
}

/* Returns whether `put` divides the light of each body between two levels. This is possible if all footprints have the
 * same size. It is faster than a later pass over all cells if there are many cells per body (CELLS_OF_BODY). */
static bool are_divided(const struct work *w, uint64_t n, bool perspective)
{
    const int k = (int)w->most;
    return w->style.smooth == 0 && !perspective && w->style.stars == 0 && k < BASE_MOST && k < w->levels - 1 &&
           n < cells_of(&w->level[k]) / CELLS_OF_BODY;
}

void nb_light_splat_begin(struct work *w, uint64_t n, bool perspective)
{
    clear_levels(w);
    w->highest = w->style.smooth > 0 || perspective ? w->levels - 1 : (int)ceil(w->most);
    w->divided = are_divided(w, n, perspective);
}

/* ---- splats ---- */

/* Adds the light in work.far to the coarse levels, whose cells are at least as large as a tile. Adds it in the order of
 * the tiles. */
static void add_far(struct work *w)
{
    for (int t = 0; t < w->bins.tiles; t++) {
        const struct tile *tile = &w->tile[t];
        int left, top;
        nb_light_corner(w, t, &left, &top);
        for (int k = TILE_BITS; k < w->levels && tile->count && tile->far >= 0; k++) {
            const struct level *l = &w->level[k];
            const float *from =
                w->far + ((size_t)tile->far * nb_light_far_levels(w) + (size_t)(k - TILE_BITS)) * FAR_SIZE;
            for (int i = 0; i < 9; i++) {
                int x = (left >> k) - 1 + i % 3, y = (top >> k) - 1 + i / 3;
                if (x >= -BORDER && y >= -BORDER && x < l->width + BORDER && y < l->height + BORDER)
                    *cell_at(l, l->up, x, y) += (v4f){from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]};
            }
        }
    }
}

/* Splats every second tile of every second row in parallel. `colour`, from 0 to 3, selects these tiles; no two of them
 * are neighbours. */
static void draw_colour(struct work *w, const struct nb_light_set *kernel, const struct ink *ink, int colour)
{
    const struct bins *s = &w->bins;
    const int columns = (s->columns + 1) / 2, rows = (s->rows + 1) / 2;
#pragma omp parallel for schedule(dynamic, 4)
    for (int k = 0; k < rows * columns; k++) {
        int row = 2 * (k / columns) + colour / 2, column = 2 * (k % columns) + colour % 2;
        if (row < s->rows && column < s->columns && w->tile[row * s->columns + column].count)
            kernel->splat(w, ink, row * s->columns + column);
    }
}

int nb_light_splat(struct work *w, const struct nb_light_bodies *b, bool perspective)
{
    const struct ink ink = {b, &w->bins, (float)b->share};
    if (choose_bases(w, perspective))
        return -1;
    for (int t = 0; t < w->bins.tiles; t++)
        if (w->tile[t].count)
            light_up(w, t);
    for (int colour = 0; colour < 4; colour++)
        draw_colour(w, sets[nb_simd_in_use()], &ink, colour);
    add_far(w);
    for (int t = 0; t < w->bins.tiles; t++)
        w->put += w->tile[t].count ? w->tile[t].put : 0;
    return 0;
}
