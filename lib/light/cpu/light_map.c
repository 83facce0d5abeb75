/* light_map.c - counts bodies at all levels, and computes the level map (the level of footprints at each point,
 * light.h) at its nodes and at cells. Declared in light_cpu.h. */
#include "light/cpu/light_nodes.h"
#include "simd/simd.h"

#include <string.h>

#define MANY (TILE * TILE / 2) /* the first pass of nb_light_count stores tiles with more than MANY bodies */

/* ---- counts ---- */

static float *count_of(const struct level *l, int x, int y)
{
    return l->count + ((size_t)(y + l->margin) * l->count_stride + (size_t)(x + l->margin));
}

/* Counts the bodies of a tile in its cells of level k: count[size][size], size = TILE >> k. */
static void count_places(const struct bins *s, int tile, int k, int32_t count[TILE * TILE])
{
    const uint32_t size = TILE >> k;
    memset(count, 0, sizeof *count * size * size);
    for (int chunk = 0; chunk < s->chunks; chunk++) {
        const uint32_t *begin = s->begin + (size_t)chunk * ((size_t)s->tiles + 2) + tile;
        const uint32_t *place = s->place + (size_t)chunk * (size_t)s->chunk;
        for (uint32_t i = begin[0]; i < begin[1]; i++)
            count[(place[i] >> (16 + PLACE_BITS + k)) * size + ((place[i] & 0xffff) >> (PLACE_BITS + k))]++;
    }
}

/* Returns whether the tile whose upper left corner is pixel (x, y) is in the picture or next to it. For other tiles,
 * counts are stored only from level TILE_BITS on. `fine` is level 0. */
static bool is_kept(const struct level *fine, int x, int y)
{
    return x >= -TILE && y >= -TILE && x < fine->width + TILE && y < fine->height + TILE;
}

/* Writes count[size][size] to a block of size x size cells, whose upper left cell is (x, y). If `first` is false, adds
 * count[][] to these cells. Skips cells to the right of the level's margin and below it. Returns the largest new count
 * of a cell. */
static float store_counts(const struct level *l, int x, int y, int size, const int32_t *count, bool first)
{
    int columns = l->width + l->margin - x < size ? l->width + l->margin - x : size;
    int rows = l->height + l->margin - y < size ? l->height + l->margin - y : size;
    float most = 0;
    for (int j = 0; j < rows; j++) {
        float *to = count_of(l, x, y + j);
        for (int i = 0; i < columns && first; i++)
            to[i] = (float)count[j * size + i];
        for (int i = 0; i < columns && !first; i++)
            to[i] += (float)count[j * size + i];
        for (int i = 0; i < columns; i++)
            most = to[i] > most ? to[i] : most;
    }
    return most;
}

/* Replaces count[size][size] by the sums of 2 x 2 cells, count[size / 2][size / 2]. */
static void halve(int32_t *count, int size)
{
    for (int j = 0; j < size / 2; j++)
        for (int i = 0; i < size / 2; i++) {
            const int32_t *c = count + 2 * j * size + 2 * i;
            count[j * (size / 2) + i] = c[0] + c[1] + c[size] + c[size + 1];
        }
}

/* Stores the counts of a tile at the levels from `finest` to TILE_BITS, as far as these levels exist. If `first` is
 * false, adds them to the counts stored before. Returns the lowest of these levels at which a cell of the tile contains
 * K bodies or more (K = style.smooth). Returns TILE_BITS + 1 if there is no such level. */
static int store_tile(struct work *w, int tile, int finest, bool first)
{
    const struct bins *s = &w->bins;
    const int x = tile % s->columns * TILE - s->margin, y = tile / s->columns * TILE - s->margin;
    int32_t count[TILE * TILE];
    int full = TILE_BITS + 1;
    if (finest < TILE_BITS)
        count_places(s, tile, finest, count);
    else
        count[0] = (int32_t)w->tile[tile].count;
    for (int k = finest, size = TILE >> k; k < w->levels && k <= TILE_BITS; halve(count, size), k++, size /= 2)
        if (store_counts(&w->level[k], x >> k, y >> k, size, count, first) >= (float)w->style.smooth && k < full)
            full = k;
    return full;
}

/* Returns the lowest level, up to TILE_BITS, at which a cell of the tile contains K bodies or more (K = style.smooth).
 * Returns TILE_BITS + 1 if the whole tile has fewer bodies. Unlike store_tile, stores no counts. */
static int find_full(const struct work *w, int tile)
{
    const float K = (float)w->style.smooth;
    int32_t count[TILE * TILE];
    if ((float)w->tile[tile].count < K)
        return TILE_BITS + 1;
    count_places(&w->bins, tile, 0, count);
    for (int k = 0, size = TILE; k < TILE_BITS; halve(count, size), k++, size /= 2) {
        int32_t most = 0;
        for (int i = 0; i < size * size; i++)
            most = count[i] > most ? count[i] : most;
        if ((float)most >= K)
            return k;
    }
    return TILE_BITS;
}

static bool is_tile_kept(const struct work *w, int tile)
{
    const struct bins *s = &w->bins;
    return is_kept(&w->level[0], tile % s->columns * TILE - s->margin, tile / s->columns * TILE - s->margin);
}

/* Returns the finest level at which a cell contains K bodies or more (K = style.smooth). Only cells of the given tile
 * and of tiles up to `reach` tiles away are considered. Returns levels - 1 if there is no such level. */
static int first_about(const struct work *w, int column, int row, int reach)
{
    const struct bins *s = &w->bins;
    int first = w->levels - 1;
    for (int j = row > reach ? row - reach : 0; j <= row + reach && j < s->rows; j++)
        for (int i = column > reach ? column - reach : 0; i <= column + reach && i < s->columns; i++) {
            int here = w->tile[j * s->columns + i].first;
            first = here < first ? here : first;
        }
    return first;
}

#define ABOUT 3 /* a node of the level map reads counts of its tile and of tiles up to ABOUT tiles away */

/* Returns the finest level at which the level map needs the counts of this tile. They are read by nodes in tiles up to
 * ABOUT tiles away. Let L be the finest level at which a cell of a tile up to ABOUT tiles away from such a node
 * contains K bodies or more (K = style.smooth). The node reads no level finer than L - 1. All these cells are in tiles
 * up to 2 * ABOUT tiles away from this tile, so first_about() with this distance is a lower bound of L for all
 * nodes. */
static int finest_wanted(const struct work *w, int tile)
{
    const int first = first_about(w, tile % w->bins.columns, tile / w->bins.columns, 2 * ABOUT);
    return first > TILE_BITS ? TILE_BITS : first > 0 ? first - 1 : 0;
}

/* Stores the counts of all tiles, and sets tile.first. The first pass stores the counts of tiles with more than MANY
 * bodies, at all levels. The second pass stores the counts of the other tiles at the levels from finest_wanted() on:
 * the level map reads no finer level. If there are several batches of bodies (`only` is false), the first pass stores
 * all tiles. */
void nb_light_count(struct work *w, bool first, bool only)
{
    const int tiles = w->bins.tiles;
#pragma omp parallel for schedule(dynamic, 16)
    for (int t = 0; t < tiles; t++) {
        struct tile *tile = &w->tile[t];
        tile->stored = !only || tile->count > MANY;
        if (!is_tile_kept(w, t))
            tile->first = (uint8_t)store_tile(w, t, TILE_BITS, first);
        else
            tile->first = (uint8_t)(tile->stored ? store_tile(w, t, 0, first) : find_full(w, t));
    }
#pragma omp parallel for schedule(dynamic, 16)
    for (int t = 0; t < tiles; t++)
        if (is_tile_kept(w, t) && !w->tile[t].stored)
            store_tile(w, t, finest_wanted(w, t), first);
}

/* Computes the counts of level k: sums over 2 x 2 cells of level k - 1. */
static void coarsen(struct work *w, int k)
{
    const struct level *c = &w->level[k], *f = c - 1;
#pragma omp parallel for schedule(static)
    for (int y = -c->margin; y < c->height + c->margin; y++)
        for (int x = -c->margin; x < c->width + c->margin; x++) {
            float sum = 0;
            for (int j = 2 * y; j < 2 * y + 2 && j < f->height + f->margin; j++)
                for (int i = 2 * x; i < 2 * x + 2 && i < f->width + f->margin; i++)
                    sum += *count_of(f, i, j);
            *count_of(c, x, y) = sum;
        }
}

/* ---- the map ---- */

static int between(int low, int x, int high)
{
    return x < low ? low : x < high ? x : high;
}

#define NODES(name)    nb_light_nodes_##name
#define NODES_OF(name) &NODES(name)
extern const struct nb_light_nodes_set NB_SIMD_EACH(NODES);
static const struct nb_light_nodes_set *const nodes[NB_SIMD_SETS] = {NB_SIMD_EACH(NODES_OF)};

#define ASIDE (NB_COUNT_CELLS - 3) /* number of cells on each side that contribute to the count at a point */

/* Interpolates counts at a position between row y and row y + down of a level (down: 1 or -1). way: distance of this
 * position from row y, in rows. For each column x from x0 - ASIDE to x1 + ASIDE - 1, writes the weighted mean over
 * NB_COUNT_CELLS rows to mixed[x - x0 + ASIDE]. */
static void mix_rows(const struct level *l, int x0, int x1, int y, int down, float way, float *mixed)
{
    const int columns = (int)l->count_stride - l->margin, rows = l->height + l->margin;
    float weight[NB_COUNT_CELLS];
    nb_count_weights(way, weight);
    memset(mixed, 0, (size_t)(x1 - x0 + 2 * ASIDE) * sizeof *mixed);
    for (int j = 0; j < NB_COUNT_CELLS; j++) {
        const int row = between(-l->margin, y + (j - 2) * down, rows - 1);
        for (int x = x0 - ASIDE; x < x1 + ASIDE; x++)
            mixed[x - x0 + ASIDE] += weight[j] * *count_of(l, between(-l->margin, x, columns - 1), row);
    }
}

/* Returns the weighted mean of NB_COUNT_CELLS adjacent values from mix_rows. `mixed` points to the value of the centre
 * cell. weight[0] belongs to the leftmost cell if `across` is 1, and to the rightmost cell if `across` is -1. */
static float mix_columns(const float *mixed, int across, const float weight[NB_COUNT_CELLS])
{
    float sum = 0;
    for (int i = 0; i < NB_COUNT_CELLS; i++)
        sum += weight[i] * mixed[(i - 2) * across];
    return sum;
}

/* Computes the level map at cells [x0, x1) of row y of level k; these cells are all in one tile. */
static void map_part(const struct work *w, int k, int x0, int x1, int y)
{
    const struct level *l = &w->level[k];
    const float K = (float)w->style.smooth, most = (float)w->most;
    float here[TILE + 2 * ASIDE], above[TILE + 2 * ASIDE], middle[NB_COUNT_CELLS], side[NB_COUNT_CELLS];
    float *map = l->map + (size_t)y * (size_t)l->width;
    nb_count_weights(0, middle);
    nb_count_weights(0.25f, side);
    mix_rows(l, x0, x1, y, 1, 0, here);
    mix_rows(l + 1, x0 >> 1, (x1 + 1) >> 1, y >> 1, y & 1 ? 1 : -1, 0.25f, above);
    for (int x = x0; x < x1; x++) {
        const float count = mix_columns(here + (x - x0 + ASIDE), 1, middle);
        const float next = mix_columns(above + ((x >> 1) - (x0 >> 1) + ASIDE), x & 1 ? 1 : -1, side);
        map[x] = lesser(nb_level_in_cell(k, count, next, K), most);
    }
}

static void map_cells(struct work *w, int k, int y)
{
    const struct level *l = &w->level[k];
    const struct bins *s = &w->bins;
    const float next = lesser((float)(k + 1), (float)w->most);
    const int tile = tile_of_cell(s, k, y) * s->columns, size = k < TILE_BITS ? TILE >> k : 1;
    for (int x0 = 0; x0 < l->width; x0 += size) {
        const int x1 = x0 + size < l->width ? x0 + size : l->width;
        if (nb_light_counts(w, tile + tile_of_cell(s, k, x0), k)) {
            map_part(w, k, x0, x1, y);
            continue;
        }
        for (int x = x0; x < x1; x++)
            l->map[(size_t)y * (size_t)l->width + (size_t)x] = next;
    }
}

void nb_light_map(struct work *w)
{
    for (int k = TILE_BITS + 1; k < w->levels; k++)
        coarsen(w, k);
    for (int t = 0; t < w->bins.tiles; t++)
        w->tile[t].about = (uint8_t)first_about(w, t % w->bins.columns, t / w->bins.columns, ABOUT);
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < w->node_height; j++)
        nodes[nb_simd_in_use()]->row(w, j);
    for (int k = NB_LIGHT_MAPPED; k < w->levels - 1; k++)
#pragma omp parallel for schedule(dynamic, 4)
        for (int y = 0; y < w->level[k].height; y++)
            map_cells(w, k, y);
}
