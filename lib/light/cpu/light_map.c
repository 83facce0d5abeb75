/* Counts of bodies on all levels, the level map at its nodes, and what of a cell's light stays in a level. */
#include "light/cpu/light_cpu.h"

#include <math.h>
#include <string.h>

/* ---- counts ---- */

static float *count_of(const struct level *l, int x, int y)
{
    return l->count + ((size_t)(y + l->margin) * l->count_stride + (size_t)(x + l->margin));
}

/* Bodies in the pixels of a tile. */
static void count_places(const struct bins *s, int tile, int32_t count[TILE * TILE])
{
    memset(count, 0, sizeof *count * TILE * TILE);
    for (int k = 0; k < s->chunks; k++) {
        const uint32_t *begin = s->begin + (size_t)k * ((size_t)s->tiles + 2) + tile;
        const uint32_t *place = s->place + (size_t)k * (size_t)s->chunk;
        for (uint32_t i = begin[0]; i < begin[1]; i++)
            count[(place[i] >> (16 + PLACE_BITS)) * TILE + ((place[i] & 0xffff) >> PLACE_BITS)]++;
    }
}

/* Where a tile's pixels are kept: those of the picture and of the tiles about it. */
static bool is_kept(const struct level *fine, int x, int y)
{
    return x >= -TILE && y >= -TILE && x < fine->width + TILE && y < fine->height + TILE;
}

/* Returns the largest count; cells beyond the level's margin to the right and below are not kept. */
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

/* Two by two cells into one, in place. */
static void halve(int32_t *count, int size)
{
    for (int j = 0; j < size / 2; j++)
        for (int i = 0; i < size / 2; i++) {
            const int32_t *c = count + 2 * j * size + 2 * i;
            count[j * (size / 2) + i] = c[0] + c[1] + c[size] + c[size + 1];
        }
}

/* Also finds the finest level at which the tile has a cell that holds K; TILE_BITS + 1: it is a higher one. */
static void count_tile(struct work *w, int tile, bool first)
{
    const struct bins *s = &w->bins;
    const int x = tile % s->columns * TILE - s->margin, y = tile / s->columns * TILE - s->margin;
    const int top = w->levels - 1 < TILE_BITS ? w->levels - 1 : TILE_BITS;
    int32_t count[TILE * TILE];
    int finest = TILE_BITS + 1;
    if (is_kept(&w->level[0], x, y)) {
        if (w->tile[tile].count)
            count_places(s, tile, count);
        else
            memset(count, 0, sizeof count);
        for (int k = 0, size = TILE; k <= top; halve(count, size), k++, size /= 2)
            if (store_counts(&w->level[k], x >> k, y >> k, size, count, first) >= (float)w->style.smooth)
                finest = k < finest ? k : finest;
    } else if (top == TILE_BITS) {
        store_counts(&w->level[top], x >> top, y >> top, 1, &(int32_t){(int32_t)w->tile[tile].count}, first);
    }
    w->tile[tile].first = (uint8_t)finest;
}

void nb_light_count(struct work *w, bool first)
{
#pragma omp parallel for schedule(dynamic, 16)
    for (int t = 0; t < w->bins.tiles; t++)
        count_tile(w, t, first);
}

/* Level k from the one below, which has no smaller margin. */
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

/* The count of level k at a place in pixels. */
static float count_at(const struct level *l, int k, float x, float y)
{
    const float scale = 1 / (float)(1 << k);
    float u = x * scale - 0.5f + (float)l->margin, v = y * scale - 0.5f + (float)l->margin;
    int column = (int)u, row = (int)v;
    const float *c = l->count + (size_t)row * l->count_stride + (size_t)column;
    float fx = u - (float)column, fy = v - (float)row;
    return (c[0] * (1 - fx) + c[1] * fx) * (1 - fy) +
           (c[l->count_stride] * (1 - fx) + c[l->count_stride + 1] * fx) * fy;
}

/* No cell about the place holds K on the levels below `first`. */
static float level_at(const struct work *w, float x, float y, int first)
{
    const float K = (float)w->style.smooth;
    float before = first > 0 ? count_at(&w->level[first - 1], first - 1, x, y) : 0;
    for (int k = first; k < w->levels; k++) {
        float count = count_at(&w->level[k], k, x, y);
        if (count >= K)
            return fminf(nb_level_between(k, before, count, K), (float)w->most);
        before = count;
    }
    return (float)w->most;
}

/* The finest level at which a cell of a tile or of those about it holds K. */
static int first_about(const struct work *w, int column, int row)
{
    const struct bins *s = &w->bins;
    int first = w->levels - 1;
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < s->rows; j++)
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < s->columns; i++) {
            int here = w->tile[j * s->columns + i].first;
            first = here < first ? here : first;
        }
    return first;
}

/* Nodes NODES * t ... of a row stand in tile t, but for the first of all, in the tile before. */
static void map_row(struct work *w, int j)
{
    const struct bins *s = &w->bins;
    const float y = ((float)j - 0.5f) * NB_LIGHT_NODE;
    const int row = ((int)floorf(y) + s->margin) >> TILE_BITS;
    float *node = w->node + (size_t)j * (size_t)w->node_width;
    int here = -1, first = 0;
    for (int i = 0; i < w->node_width; i++) {
        const float x = ((float)i - 0.5f) * NB_LIGHT_NODE;
        const int column = ((int)floorf(x) + s->margin) >> TILE_BITS;
        if (column != here)
            first = first_about(w, here = column, row);
        node[i] = level_at(w, x, y, first);
    }
}

void nb_light_map(struct work *w)
{
    for (int k = TILE_BITS + 1; k < w->levels; k++)
        coarsen(w, k);
#pragma omp parallel for schedule(static)
    for (int j = 0; j < w->node_height; j++)
        map_row(w, j);
}

float nb_light_level(const struct work *w, float x, float y)
{
    if (w->style.smooth == 0)
        return (float)w->most;
    float u = x / NB_LIGHT_NODE + 0.5f, v = y / NB_LIGHT_NODE + 0.5f;
    u = fminf(fmaxf(u, 0), (float)(w->node_width - 1));
    v = fminf(fmaxf(v, 0), (float)(w->node_height - 1));
    int i = (int)fminf(u, (float)(w->node_width - 2)), j = (int)fminf(v, (float)(w->node_height - 2));
    float fx = u - (float)i, fy = v - (float)j;
    const float *a = w->node + (size_t)j * (size_t)w->node_width + (size_t)i, *c = a + w->node_width;
    return (a[0] * (1 - fx) + a[1] * fx) * (1 - fy) + (c[0] * (1 - fx) + c[1] * fx) * fy;
}
