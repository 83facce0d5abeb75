/* footprint.h - what both rows compute alike: levels, the spline's weights, what stays in a level, bloom. */
#pragma once

#include "light/both.h"
#include "light/light.h"

#include <math.h>

#define NB_LIGHT_LEVELS_MAX 16
#define NB_COUNT_CELLS      6
#define NB_LIGHT_MAPPED     2 /* the first level whose cells have levels of their own */

/* The level of the largest footprints. */
NB_BOTH double nb_level_most(int height)
{
    double most = log2((double)height / NB_LIGHT_LARGEST);
    return most > 0 ? most : 0;
}

/* The level of points: as large in a picture of any size, and a pixel in one of few lines. */
NB_BOTH float nb_level_point(const struct nb_light_style *style)
{
    const double level = log2((double)style->height / (style->points > 0 ? style->points : NB_LIGHT_POINT));
    return level > 0 ? (float)level : 0;
}

/* How many levels a picture has. */
NB_BOTH int nb_level_count(int height)
{
    return (int)ceil(nb_level_most(height)) + 1;
}

/* Cells of level k over `size` pixels. */
NB_BOTH int nb_level_cells(int size, int k)
{
    return ((size - 1) >> k) + 1;
}

/* Pixels each way of a place that is measured. */
NB_BOTH int nb_light_place(int height)
{
    int size = (height + 270) / 540;
    return size > 1 ? size : 1;
}

/* Weights of the three cells for a centre at `offset` from the middle of the second one, -0.5 to 0.5 cells: the
 * quadratic B-spline (Hockney and Eastwood 1981, section 5-2). Their sum is 1. */
NB_BOTH void nb_spline_weights(float offset, float weight[3])
{
    weight[0] = 0.5f * (0.5f - offset) * (0.5f - offset);
    weight[1] = 0.75f - offset * offset;
    weight[2] = 0.5f * (0.5f + offset) * (0.5f + offset);
}

/* Weights of six cells' counts for a place that is `way`, 0 to 1, from the middle of the third to that of the fourth:
 * linear between the middles, of means over five cells. Such a count is of many times as many bodies as the cell's own,
 * and varies less by chance. */
NB_BOTH void nb_count_weights(float way, float weight[NB_COUNT_CELLS])
{
    for (int k = 0; k < NB_COUNT_CELLS; k++)
        weight[k] = 0.2f * (k == 0 ? 1 - way : k == NB_COUNT_CELLS - 1 ? way : 1);
}

/* The level between k - 1, with `before` bodies, and k, with `count` >= K, at which a cell holds K. Where a pixel holds
 * more, that of an even density. */
NB_BOTH float nb_level_between(int k, float before, float count, float K)
{
    if (k == 0)
        return -0.5f * log2f(count / K);
    float share = before > 0 ? logf(K / before) / logf(count / before) : 1;
    return (float)(k - 1) + (share < 0 ? 0 : share > 1 ? 1 : share);
}

/* The level of a cell of level k, where `own` bodies are counted, and `above` on level k + 1: k or k + 1 also where it
 * is less or more, which is all the same to what stays in level k. */
NB_BOTH float nb_level_in_cell(int k, float own, float above, float K)
{
    return own >= K ? (float)k : above >= K ? nb_level_between(k + 1, own, above, K) : (float)(k + 1);
}

/* The place of level m in nb_light_bodies.level_step. */
NB_BOTH int nb_level_step(float m)
{
    int step = (int)(16 * (m + NB_LIGHT_LEVEL_LEAST));
    return step < 0 ? 0 : step < NB_LIGHT_LEVEL_STEPS ? step : NB_LIGHT_LEVEL_STEPS - 1;
}

/* 1 - (m - k), from 0 to 1: the share that level k has of the light of level m and has not passed upwards. */
NB_BOTH float nb_level_keeps(int k, float m)
{
    float share = 1 - (m - (float)k);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* What a level keeps of light of which the share `points` is of points, that have level `point` where that is less than
 * m; `keeps`: nb_level_keeps of the rest. */
NB_BOTH float nb_level_keeps_points(int k, float keeps, float points, float point)
{
    const float own = nb_level_keeps(k, point), before = k > 0 ? points * nb_level_keeps(k - 1, point) : 0;
    const float sum = points * (own > keeps ? own : keeps) + (1 - points) * keeps;
    return before < 1 ? (sum - before) / (1 - before) : 1;
}

/* The part of the light of level c that refining, into fine cells [-NB_LIGHT_BORDER, fine + NB_LIGHT_BORDER) each way,
 * brings into them from coarse column (or row) c: 1 but at the edge. */
NB_BOTH float nb_level_refined(int c, int fine)
{
    float share = 0;
    for (int x = 2 * c - 1; x <= 2 * c + 2; x++)
        if (x >= -NB_LIGHT_BORDER && x < fine + NB_LIGHT_BORDER)
            share += x >> 1 == c ? 0.375f : 0.125f;
    return share;
}

/* What is shown of each level's light: weight[0 .. levels), weight[0] with the picture's own 1 - bloom. Sum 1. */
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
