/* footprint.h - formulas shared by the CPU and the CUDA code. They give the level of the pyramid at which a body is
 * drawn, spline weights, the share of the light that a level keeps, and the weights of the levels for bloom. */
#pragma once

#include "light/both.h"
#include "light/light.h"

#include <math.h>

#define NB_LIGHT_LEVELS_MAX 16
#define NB_COUNT_CELLS      6
/* from this level of the pyramid on, each cell has its own value of the level map (the level in which bodies are
 * drawn) */
#define NB_LIGHT_MAPPED 2

/* Returns the level in which the largest footprints are drawn, for a picture of this height in pixels. */
NB_BOTH double nb_level_most(int height)
{
    double most = log2((double)height / NB_LIGHT_LARGEST);
    return most > 0 ? most : 0;
}

/* Returns the level in which points are drawn (a share of each body's light, style->stars, is drawn as a point). The
 * size of a point is (picture height) / style->points, but at least one pixel. */
NB_BOTH float nb_level_point(const struct nb_light_style *style)
{
    const double level = log2((double)style->height / (style->points > 0 ? style->points : NB_LIGHT_POINT));
    return level > 0 ? (float)level : 0;
}

/* Returns the number of levels of the pyramid, for a picture of this height in pixels. */
NB_BOTH int nb_level_count(int height)
{
    return (int)ceil(nb_level_most(height)) + 1;
}

/* Returns the number of cells of level k that cover `size` pixels. */
NB_BOTH int nb_level_cells(int size, int k)
{
    return ((size - 1) >> k) + 1;
}

/* Returns the side, in pixels, of the square blocks of pixels in which nb_light_measure measures the light. */
NB_BOTH int nb_light_place(int height)
{
    int size = (height + 270) / 540;
    return size > 1 ? size : 1;
}

/* Computes the weights with which three neighbouring cells receive the light of a footprint. offset: position of the
 * footprint's centre relative to the middle of the second cell, in cells, -0.5 to 0.5. The weights are those of the
 * quadratic B-spline (Hockney and Eastwood 1981, section 5-2). Their sum is 1. */
NB_BOTH void nb_spline_weights(float offset, float weight[3])
{
    weight[0] = 0.5f * (0.5f - offset) * (0.5f - offset);
    weight[1] = 0.75f - offset * offset;
    weight[2] = 0.5f * (0.5f + offset) * (0.5f + offset);
}

/* Computes the weights of six neighbouring cells. The weighted sum of their numbers of bodies estimates the number of
 * bodies per cell at a point: `way` is 0 in the middle of the third cell and 1 in the middle of the fourth cell. With
 * way = 0, the estimate is the mean over the first five cells; with way = 1, over the last five cells. Between them it
 * is interpolated linearly. A mean has less noise than the number in one cell. */
NB_BOTH void nb_count_weights(float way, float weight[NB_COUNT_CELLS])
{
    for (int k = 0; k < NB_COUNT_CELLS; k++)
        weight[k] = 0.2f * (k == 0 ? 1 - way : k == NB_COUNT_CELLS - 1 ? way : 1);
}

/* Returns the level between k - 1 and k at which a cell contains K bodies. Interpolates between two cells with the same
 * centre: a cell of level k - 1 with `before` bodies, and a cell of level k with `count` bodies (at least K). For k = 0
 * there is no lower level: assumes a uniform density in the pixel, and returns a level of at most 0. */
NB_BOTH float nb_level_between(int k, float before, float count, float K)
{
    if (k == 0)
        return -0.5f * log2f(count / K);
    float share = before > 0 ? logf(K / before) / logf(count / before) : 1;
    return (float)(k - 1) + (share < 0 ? 0 : share > 1 ? 1 : share);
}

/* Returns the value of the level map at the centre of a cell of level k: the level at which a cell with this centre
 * contains K bodies, limited to the range from k to k + 1. If the value is k, level k keeps all the light that it
 * receives. If it is k + 1, level k passes on all of it (nb_level_keeps). own, above: numbers of bodies in the cells of
 * level k and of level k + 1 with this centre. */
NB_BOTH float nb_level_in_cell(int k, float own, float above, float K)
{
    return own >= K ? (float)k : above >= K ? nb_level_between(k + 1, own, above, K) : (float)(k + 1);
}

/* Returns the index in nb_light_bodies.level_step for the value m of the level map: 16 indices per level. */
NB_BOTH int nb_level_step(float m)
{
    int step = (int)(16 * (m + NB_LIGHT_LEVEL_LEAST));
    return step < 0 ? 0 : step < NB_LIGHT_LEVEL_STEPS ? step : NB_LIGHT_LEVEL_STEPS - 1;
}

/* Level k keeps a share of the light that it receives, and passes on the rest. Returns this share at a place where the
 * level map has the value m. The share is 1 - (m - k), limited to 0 ... 1. */
NB_BOTH float nb_level_keeps(int k, float m)
{
    float share = 1 - (m - (float)k);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Returns the share of the light arriving at level k that level k keeps, if a part of the light is drawn as points.
 * - points: share of each body's light that is drawn as a point; the rest is drawn with the body's footprint.
 * - point: level in which points are drawn. Where the level map has a smaller value m, points are drawn in level m.
 * - keeps: nb_level_keeps(k, m), the share that level k would keep without points. */
NB_BOTH float nb_level_keeps_points(int k, float keeps, float points, float point)
{
    const float own = nb_level_keeps(k, point), before = k > 0 ? points * nb_level_keeps(k - 1, point) : 0;
    const float sum = points * (own > keeps ? own : keeps) + (1 - points) * keeps;
    return before < 1 ? (sum - before) / (1 - before) : 1;
}

/* Refinement distributes the light of column (or row) c of a level over the columns 2c - 1 to 2c + 2 of the next finer
 * level. At the edge, some of these columns do not exist: the finer level has the columns -NB_LIGHT_BORDER to `fine` +
 * NB_LIGHT_BORDER - 1 (`fine`: number of columns without the border). Returns the share of the light that falls into
 * existing columns. */
NB_BOTH float nb_level_refined(int c, int fine)
{
    float share = 0;
    for (int x = 2 * c - 1; x <= 2 * c + 2; x++)
        if (x >= -NB_LIGHT_BORDER && x < fine + NB_LIGHT_BORDER)
            share += x >> 1 == c ? 0.375f : 0.125f;
    return share;
}

/* Computes weight[k], the factor of the light of level k in the displayed picture. The picture without bloom (level 0)
 * has the factor 1 - bloom. The levels of the bloom have the factor `bloom` together, and may include level 0. The sum
 * of all weights is 1. */
NB_BOTH void nb_bloom_weights(int height, int levels, double bloom, float weight[NB_LIGHT_LEVELS_MAX])
{
    for (int k = 0; k < NB_LIGHT_LEVELS_MAX; k++)
        weight[k] = k == 0 ? (float)(1 - bloom) : 0;
    for (int j = 0; j < NB_LIGHT_BLOOMS; j++) {
        double level = log2((double)height / NB_LIGHT_GLOW) + j;
        level = level < 0 ? 0 : level > levels - 1 ? levels - 1 : level;
        int k = (int)level < levels - 1 ? (int)level : levels - 1;
        float above = (float)(level - k);
        weight[k] += (float)(bloom / NB_LIGHT_BLOOMS) * (1 - above);
        if (above > 0)
            weight[k + 1] += (float)(bloom / NB_LIGHT_BLOOMS) * above;
    }
}
