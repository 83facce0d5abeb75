/* light_nodes_simd.c - computes rows of nodes of the level map, for one instruction set. The nodes of one tile are
 * computed together, in loops that the compiler vectorizes. Declared in light_nodes.h. */
#include "light/cpu/light_nodes.h"
#include "light/tone_curve.h"
#include "simd/vectors.h"

#include <string.h>

#define NODES (TILE / NB_LIGHT_NODE) /* number of nodes in a row of one tile */
#define LEAST 1e-20f

/* For each i < cells: sets mixed[i] to a weighted sum of the numbers of bodies in NB_COUNT_CELLS cells. These cells are
 * in column `column` + i, in the rows from `row` on. A cell outside the level is replaced by the nearest cell
 * inside. */
INLINE void mix_rows(const struct level *l, int row, const float *restrict weight, int column, int cells,
                     float *restrict mixed)
{
    const int rows = l->height + 2 * l->margin, columns = (int)l->count_stride;
    const float *from[NB_COUNT_CELLS];
    for (int j = 0; j < NB_COUNT_CELLS; j++) {
        const int y = row + j < 0 ? 0 : row + j < rows ? row + j : rows - 1;
        from[j] = l->count + (size_t)y * l->count_stride;
    }
    const int left = column < 0 ? -column : 0, right = column + cells > columns ? columns - column : cells;
    for (int i = left, x = column + left; i < right; i++, x++)
        mixed[i] = from[0][x] * weight[0] + from[1][x] * weight[1] + from[2][x] * weight[2] + from[3][x] * weight[3] +
                   from[4][x] * weight[4] + from[5][x] * weight[5];
    for (int i = 0; i < left; i++)
        mixed[i] = mixed[left];
    for (int i = right; i < cells; i++)
        mixed[i] = mixed[right - 1];
}

/* Estimates the number of bodies per cell of level k at `count` adjacent nodes (grid points of the level map) of a row,
 * and writes it to found[]. The first node is at pixel position (x, y). `found` has NODES elements; the elements from
 * `count` on are undefined. */
INLINE void find_counts(const struct level *l, int k, float x, float y, int count, float *restrict found)
{
    const float scale = 1 / (float)(1 << k), step = NB_LIGHT_NODE * scale;
    const float u = x * scale - 0.5f + (float)l->margin, v = y * scale - 0.5f + (float)l->margin;
    const int column = (int)u, row = (int)v, cells = (int)(u + (float)(count - 1) * step) + NB_COUNT_CELLS - column;
    const float fu = u - (float)column;
    float mixed[TILE + NB_COUNT_CELLS] = {0}, weight[NB_COUNT_CELLS];
    nb_count_weights(v - (float)row, weight);
    mix_rows(l, row - 2, weight, column - 2, cells, mixed);
    for (int e = 0; e < NODES; e++) {
        const float at = fu + (float)e * step;
        const int cell = (int)at;
        nb_count_weights(at - (float)cell, weight);
        found[e] = mixed[cell] * weight[0] + mixed[cell + 1] * weight[1] + mixed[cell + 2] * weight[2] +
                   mixed[cell + 3] * weight[3] + mixed[cell + 4] * weight[4] + mixed[cell + 5] * weight[5];
    }
}

/* Sets level[e], the value of the level map at node e, for each node that has no value yet (open[e] is nonzero) and for
 * which count[e] >= K. Interpolates between levels k - 1 and k of the pyramid, with the formula of nb_level_between.
 * before[], count[]: numbers of bodies per cell at the nodes, in levels k - 1 and k. K: wanted number
 * (style.smooth). */
INLINE void find_between(int k, float K, const float *restrict before, const float *restrict count,
                         const int *restrict open, float *restrict level)
{
    for (int e = 0; e < NODES; e++) {
        const float least = nb_larger(before[e], LEAST);
        const float share = nb_log2(K / least) / nb_log2(count[e] / least);
        const float clipped = before[e] > 0 ? nb_smaller(nb_larger(share, 0), 1) : 1;
        const float here = k == 0 ? -0.5f * nb_log2(count[e] / K) : (float)(k - 1) + clipped;
        level[e] = ((open[e] != 0) & (count[e] >= K)) ? here : level[e];
    }
}

/* Computes the level map at `nodes` adjacent nodes of a row (at most NODES), and writes it to level[]. The level map
 * gives the level of the pyramid whose cells would hold K = style.smooth bodies. (x, y): pixel position of the first
 * node. The search begins at level `first`: in lower levels, no cell near these nodes holds K bodies. */
static void find_levels(const struct work *w, float x, float y, int nodes, int first, float *level)
{
    const float K = (float)w->style.smooth, most = (float)w->most;
    float before[NODES] = {0}, count[NODES];
    int open[NODES];
    for (int e = 0; e < NODES; e++) {
        level[e] = most;
        open[e] = e < nodes;
    }
    if (first > 0)
        find_counts(&w->level[first - 1], first - 1, x, y, nodes, before);
    for (int k = first, left = 1; k < w->levels && left; k++) {
        int some = 0;
        find_counts(&w->level[k], k, x, y, nodes, count);
        for (int e = 0; e < NODES; e++)
            some |= open[e] & (count[e] >= K);
        if (some)
            find_between(k, K, before, count, open, level);
        left = 0;
        for (int e = 0; e < NODES; e++) {
            open[e] &= count[e] < K;
            left |= open[e];
            before[e] = count[e];
        }
    }
    for (int e = 0; e < NODES; e++)
        level[e] = lesser(level[e], most);
}

/* Computes row j of the nodes of the level map. First computes node 0, which is to the left of the picture. Then each
 * step computes the NODES nodes of one tile. */
static void map_row(struct work *w, int j)
{
    const struct bins *s = &w->bins;
    const float y = ((float)j - 0.5f) * NB_LIGHT_NODE;
    const struct tile *tile = w->tile + (((int)floorf(y) + s->margin) >> TILE_BITS) * s->columns;
    float *node = w->node + (size_t)j * (size_t)w->node_width;
    for (int i = 0, end = 1; i < w->node_width; i = end, end += NODES) {
        const float x = ((float)i - 0.5f) * NB_LIGHT_NODE;
        const int nodes = (end < w->node_width ? end : w->node_width) - i;
        float level[NODES];
        find_levels(w, x, y, nodes, tile[((int)floorf(x) + s->margin) >> TILE_BITS].about, level);
        memcpy(node + i, level, (size_t)nodes * sizeof *node);
    }
}

#define SET PASTE(nb_light_nodes_, SET_WORD)

extern const struct nb_light_nodes_set SET;
const struct nb_light_nodes_set SET = {map_row};
