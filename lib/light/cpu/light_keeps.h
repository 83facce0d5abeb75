/* light_keeps.h - computes, for all cells of a row, the share of a cell's light that stays in its level. The rest goes
 * to the next coarser level. Included by light_paint.h. */
#pragma once

#include "light/cpu/light_cpu.h"
#include "simd/vectors.h"

#include <math.h>

/* The cell centres of row y of level k lie between two rows of nodes of the level map. Returns the upper one of these
 * two rows. Sets *way to the position of the centres between the two rows, from 0 (upper) to 1 (lower). */
static const float *nodes_about(const struct work *w, int k, int y, float *way)
{
    float v = ((float)y + 0.5f) * (float)(1 << k) / NB_LIGHT_NODE + 0.5f;
    v = v < 0 ? 0 : v > (float)(w->node_height - 1) ? (float)(w->node_height - 1) : v;
    const int j = (int)v < w->node_height - 2 ? (int)v : w->node_height - 2;
    *way = v - (float)j;
    return w->node + (size_t)j * (size_t)w->node_width;
}

/* Returns the share limited to 0 ... 1, without a branch. */
static inline float clipped(float share)
{
    share = share > 0 ? share : 0;
    return share < 1 ? share : 1;
}

/* Writes keeps[x], the share of light that stays in level 0, for the four pixels x = 4 i - 2 to 4 i + 1 between nodes i
 * and i + 1. i goes from `first` to `end` - 1. a, c: values of the level map in the row of nodes above the pixels and
 * in the row below. way: position of the pixels between these two rows, from 0 (row a) to 1 (row c). */
static inline void keep_pixels(const float *restrict a, const float *restrict c, float way, int first, int end,
                               float *restrict keeps)
{
    for (int i = first; i < end; i++) {
        const float left = a[i] + (c[i] - a[i]) * way, right = a[i + 1] + (c[i + 1] - a[i + 1]) * way;
        float *to = keeps + 4 * i - 2;
        UNROLL(4)
        for (int e = 0; e < 4; e++)
            to[e] = clipped(1 - (left + (right - left) * (0.125f + 0.25f * (float)e)));
    }
}

/* Writes keeps[x], the share of light that stays in level 1, for the two cells x = 2 i - 1 and 2 i between nodes i and
 * i + 1. i goes from `first` to `end` - 1. a, c: values of the level map in the row of nodes above the cells and in the
 * row below. way: position of the cells between these two rows, from 0 (row a) to 1 (row c). */
static inline void keep_pairs(const float *restrict a, const float *restrict c, float way, int first, int end,
                              float *restrict keeps)
{
    for (int i = first; i < end; i++) {
        const float left = a[i] + (c[i] - a[i]) * way, right = a[i + 1] + (c[i + 1] - a[i + 1]) * way;
        keeps[2 * i - 1] = clipped(2 - (left + (right - left) * 0.25f));
        keeps[2 * i] = clipped(2 - (left + (right - left) * 0.75f));
    }
}

/* Writes keeps[x], the share of light that stays in level k, for cells [x0, x1) of row y. The array level[k].map must
 * exist. A cell outside the picture gets the share of the nearest cell in the picture. */
static inline void keep_cells(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    const struct level *l = &w->level[k];
    const size_t row = (size_t)(y < 0 ? 0 : y < l->height ? y : l->height - 1);
    const float *map = l->map + row * (size_t)l->width;
    int x = x0;
    for (; x < x1 && x < 0; x++)
        keeps[x] = clipped((float)(k + 1) - map[0]);
    for (; x < x1 && x < l->width; x++)
        keeps[x] = clipped((float)(k + 1) - map[x]);
    for (; x < x1; x++)
        keeps[x] = clipped((float)(k + 1) - map[l->width - 1]);
}

/* Writes keeps[x + BORDER], the share of light that stays in level k (0 or 1), for cells [x0, x1) of row y. All cells
 * must be in the picture. Also overwrites up to three elements of `keeps` on each side. */
static void keep_row(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    float way;
    const float *a = nodes_about(w, k, y, &way), *c = a + w->node_width;
    if (k == 0)
        keep_pixels(a, c, way, (x0 + 2) / 4, (x1 + 1) / 4 + 1, keeps + BORDER);
    else
        keep_pairs(a, c, way, (x0 + 1) / 2, x1 / 2 + 1, keeps + BORDER);
}

/* Returns the number of cells in a row of level k whose centres are left of the last node of the level map. */
static int mapped_cells(const struct work *w, int k)
{
    const int mapped = (int)floorf(((float)w->node_width - 1.5f) * NB_LIGHT_NODE / (float)(1 << k) + 0.5f);
    return mapped < w->level[k].width ? mapped : w->level[k].width;
}

/* Writes keeps[x + BORDER], the share of light that stays in level k, for cells [x0, x1) of row y. Used for cells to
 * the left of the first node of the level map, or to the right of its last node. */
static void keep_beside(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    const float size = (float)(1 << k);
    for (int x = x0; x < x1; x++)
        keeps[x + BORDER] = nb_level_keeps(k, nb_light_level(w, ((float)x + 0.5f) * size, ((float)y + 0.5f) * size));
}

/* Returns whether all cells of level k keep the same share of their light. Sets *share to this share. */
static bool keeps_alike(const struct work *w, int k, float *share)
{
    *share = w->divided || k == w->levels - 1 ? 1 : nb_level_keeps(k, (float)w->most);
    *share = nb_level_keeps_points(k, *share, (float)w->style.stars, nb_level_point(&w->style));
    return w->style.smooth == 0 || k == w->levels - 1;
}

/* Writes keeps[x + BORDER] for cells [x0, x1) of row y: the share of light that stays in level k. */
static void find_keeps(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    const int width = mapped_cells(w, k);
    const float points = (float)w->style.stars, point = nb_level_point(&w->style);
    float share;
    if (keeps_alike(w, k, &share)) {
        for (int x = x0; x < x1; x++)
            keeps[x + BORDER] = share;
        return;
    }
    if (k >= NB_LIGHT_MAPPED) {
        keep_cells(w, k, y, x0, x1, keeps + BORDER);
    } else {
        keep_row(w, k, y, x0 < 0 ? 0 : x0, x1 < width ? x1 : width, keeps);
        keep_beside(w, k, y, x0, x1 < 0 ? x1 : 0, keeps);
        keep_beside(w, k, y, x0 > width ? x0 : width, x1, keeps);
    }
    for (int x = x0; x < x1 && points > 0 && (float)k < point + 1; x++)
        keeps[x + BORDER] = nb_level_keeps_points(k, keeps[x + BORDER], points, point);
}
