/* light_keeps.h - the share of light that stays in a level, a row of cells at a time: inlined into the passes of each
 * instruction set. */
#ifndef NB_LIGHT_KEEPS_H
#define NB_LIGHT_KEEPS_H

#include "light/cpu/light_cpu.h"

#include <math.h>
#include <string.h>

/* The two rows of nodes about the middle of row y of level k, and how far it is from the first, 0 to 1. */
static const float *nodes_about(const struct work *w, int k, int y, float *way)
{
    float v = ((float)y + 0.5f) * (float)(1 << k) / NB_LIGHT_NODE + 0.5f;
    v = v < 0 ? 0 : v > (float)(w->node_height - 1) ? (float)(w->node_height - 1) : v;
    const int j = (int)v < w->node_height - 2 ? (int)v : w->node_height - 2;
    *way = v - (float)j;
    return w->node + (size_t)j * (size_t)w->node_width;
}

/* Four pixels, or two of level 1's cells, have their middles between two nodes; cells of level 2 at a node, those of
 * higher levels halfway between two. keeps[x + BORDER] for cells [x0, x1) of the picture. */
static void keep_row(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    float way;
    const float *a = nodes_about(w, k, y, &way), *c = a + w->node_width, level = (float)k;
    const int cells = k < 2 ? NB_LIGHT_NODE >> k : 1, width = w->level[k].width;
    const int first = k < 2 ? (x0 + cells / 2) / cells : x0, end = k < 2 ? (x1 - 1 + cells / 2) / cells + 1 : x1;
    for (int i = first; i < end; i++) {
        const int node = k < 2 ? i : k == 2 ? i + 1 : (i << (k - 2)) + (1 << (k - 3));
        const float left = a[node] + (c[node] - a[node]) * way;
        const float right = k == 2 ? left : a[node + 1] + (c[node + 1] - a[node + 1]) * way;
        if (k == 0) {
            v4f share = 1 - (left + (right - left) * (v4f){0.125f, 0.375f, 0.625f, 0.875f} - level);
            for (int e = 0; e < 4; e++)
                share[e] = share[e] < 0 ? 0 : share[e] > 1 ? 1 : share[e];
            if (i > 0 && 4 * i + 2 <= width)
                memcpy(keeps + BORDER + 4 * i - 2, &share, sizeof share);
            else
                for (int e = 0; e < 4; e++)
                    if (4 * i - 2 + e >= 0 && 4 * i - 2 + e < width)
                        keeps[BORDER + 4 * i - 2 + e] = share[e];
        } else if (k == 1) {
            if (i > 0)
                keeps[BORDER + 2 * i - 1] = nb_level_keeps(k, left + (right - left) * 0.25f);
            if (2 * i < width)
                keeps[BORDER + 2 * i] = nb_level_keeps(k, left + (right - left) * 0.75f);
        } else {
            keeps[BORDER + i] = nb_level_keeps(k, 0.5f * (left + right));
        }
    }
}

/* Cells of a row in the picture whose middle is no farther than the last node: a level's last cell may reach beyond. */
static int mapped_cells(const struct work *w, int k)
{
    const int mapped = (int)floorf(((float)w->node_width - 1.5f) * NB_LIGHT_NODE / (float)(1 << k) + 0.5f);
    return mapped < w->level[k].width ? mapped : w->level[k].width;
}

/* keeps[x + BORDER] for cells [x0, x1) of row y: the share of light that stays in level k. */
static void find_keeps(const struct work *w, int k, int y, int x0, int x1, float *keeps)
{
    const int width = mapped_cells(w, k);
    const float size = (float)(1 << k), stars = k == 0 ? (float)w->style.stars : 0;
    if (w->style.smooth == 0 || k == w->levels - 1) {
        const float share = k == w->levels - 1 ? 1 : nb_level_keeps(k, (float)w->most);
        for (int x = x0; x < x1; x++)
            keeps[x + BORDER] = share;
    } else {
        keep_row(w, k, y, x0 < 0 ? 0 : x0, x1 < width ? x1 : width, keeps);
        for (int x = x0; x < x1; x++) {
            if (x == 0)
                x = width;
            if (x < x1)
                keeps[x + BORDER] =
                    nb_level_keeps(k, nb_light_level(w, ((float)x + 0.5f) * size, ((float)y + 0.5f) * size));
        }
    }
    for (int x = x0; x < x1 && stars > 0; x++)
        keeps[x + BORDER] = stars + (1 - stars) * keeps[x + BORDER];
}

#endif
