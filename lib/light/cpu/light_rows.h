/* light_rows.h - computes weighted sums of rows of cells. A cell has four channels (floats). The functions are
 * inlined into the code for each instruction set. The vectors of an instruction set may be wider than one cell. */
#pragma once

#include "light/cpu/light_cpu.h"
#include "simd/vectors.h"

#include <string.h>

typedef float v4f_four __attribute__((vector_size(64), aligned(16), may_alias));

/* Indices for SHUFFLE of two vectors of four cells. FIRSTS: cells 0 and 2 of each vector. SECONDS: cells 1 and 3. */
#define FIRSTS  0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define SECONDS 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31

#define REFINED 512 /* refine_row() works on pieces of this (even) number of cells, which fit the first-level cache */

/* The sums below are written so that a compiler can fuse multiplication and addition in only one way. A vector loop and
 * its scalar remainder then give identical bits. The exception is mix_three, where either of the first two products can
 * be fused with the first addition. GCC and Clang make the same choice in the vector loop and in its remainder. `count`
 * is the number of floats. */
static inline void mix_rows(float *restrict to, float weight, const float *restrict a, const float *restrict b,
                            int count)
{
    for (int i = 0; i < count; i++)
        to[i] = weight * (3 * a[i] + b[i]);
}

static inline void mix_three(float *restrict to, const float weight[3], const float *a, const float *b, const float *c,
                             int count)
{
    const float first = weight[0], middle = weight[1], last = weight[2];
    for (int i = 0; i < count; i++)
        to[i] = first * a[i] + middle * b[i] + last * c[i];
}

static inline void add_row(float *restrict to, const float *restrict from, float weight, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += weight * from[i];
}

static inline void add_scaled(float *restrict to, float weight, const float *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = weight * to[i] + from[i];
}

static inline void scale_row(float *row, float weight, int count)
{
    for (int i = 0; i < count; i++)
        row[i] *= weight;
}

/* Computes one row of the coarse grid from four rows of the fine grid, which have already been restricted in x. If
 * `adds`, adds the result to the row `out`, otherwise overwrites `out`. */
static inline void join_rows(float *restrict out, const float *restrict a, const float *restrict b,
                             const float *restrict c, const float *restrict d, int count, bool adds)
{
    for (int i = 0; i < count && adds; i++)
        out[i] += 0.25f * (3 * (b[i] + c[i]) + (a[i] + d[i]));
    for (int i = 0; i < count && !adds; i++)
        out[i] = 0.25f * (3 * (b[i] + c[i]) + (a[i] + d[i]));
}

/* Restricts a row in x: computes cells [first, end) of the row `coarse` from the row `fine`. */
static inline void restrict_row(const v4f *fine, int first, int end, v4f *coarse)
{
    int c = first;
#if LANES_single == 16
    for (; c + 4 <= end; c += 4) {
        v4f_four two[4], *to = (v4f_four *)(coarse + c);
        for (int j = 0; j < 4; j++) /* two[j]: four fine cells, from cell 2 (c + j) - 1 on */
            memcpy(&two[j], fine + 2 * (c + j) - 1, sizeof two[j]);
        const v4f_four before = SHUFFLE(two[0], two[2], FIRSTS), even = SHUFFLE(two[0], two[2], SECONDS);
        const v4f_four odd = SHUFFLE(two[1], two[3], FIRSTS), behind = SHUFFLE(two[1], two[3], SECONDS);
        *to = 0.25f * (3 * (even + odd) + (before + behind));
    }
#endif
    for (; c < end; c++)
        coarse[c] = 0.25f * (3 * (fine[2 * c] + fine[2 * c + 1]) + (fine[2 * c - 1] + fine[2 * c + 2]));
}

/* Refines the coarse row `t` in x: writes cells [x, end) of the fine row `out`, and also cell `end` if `end` is odd. x
 * must be even. The caller has refined and scaled `t` in y (mix_rows). */
static inline void spread_row(const v4f *t, int x, int end, v4f *out)
{
#if LANES_single == 16
    for (; x + 3 <= end; x += 4) {
        v4f_four four, *to = (v4f_four *)(out + x);
        memcpy(&four, t + (x >> 1) - 1, sizeof four);
        const v4f_four own = SHUFFLE(four, four, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11);
        const v4f_four next = SHUFFLE(four, four, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
        *to = 3 * own + next;
    }
#endif
    /* computes the two cells separately, because GCC 12 generates slow code (AVX2) for vectors of two cells */
    for (; x < end; x += 2) {
        const v4f *c = t + (x >> 1);
        out[x] = 3 * c[0] + c[-1];
        out[x + 1] = 3 * c[0] + c[1];
    }
}

/* Computes cells [x, end) of the fine row `out` from two coarse rows, and multiplies them by `weight`. a: the coarse
 * row that contains the fine row. b: the next coarse row above or below, on the side that is closer to the fine row.
 * Also writes cell x - 1 if x is odd, and cell `end` if `end` is odd. `t` is work space for one coarse row. */
static inline void refine_row(const v4f *a, const v4f *b, float weight, int x, int end, v4f *t, v4f *out)
{
    for (x -= x & 1; x < end; x += REFINED) {
        const int here = x + REFINED < end ? x + REFINED : end, first = (x >> 1) - 1, last = (here + 1) >> 1;
        mix_rows((float *)t, 0.015625f * weight, (const float *)(a + first), (const float *)(b + first),
                 4 * (last + 1 - first));
        spread_row(t - first, x, here, out);
    }
}

/* If a row is refined and then restricted, its new cell c is a weighted sum of its old cells c - 1, c and c + 1.
 * Computes these weights. The refined row has the cells -BORDER to fine + BORDER - 1. */
static void soft_weights(int c, int fine, float weight[3])
{
    memset(weight, 0, 3 * sizeof *weight);
    for (int x = 2 * c - 1; x <= 2 * c + 2; x++) {
        if (x < -BORDER || x >= fine + BORDER)
            continue;
        const float takes = x >> 1 == c ? 0.75f : 0.25f;
        weight[(x >> 1) - c + 1] += 0.375f * takes;
        weight[(x >> 1) + (x & 1 ? 1 : -1) - c + 1] += 0.125f * takes;
    }
}

/* Sets cell c of `to`, for c in [x, end), to the weighted sum of cells c - 1, c and c + 1 of `from`. */
static inline void soften_cells(int x, int end, const float weight[3], const v4f *from, v4f *to)
{
    mix_three((float *)(to + x), weight, (const float *)(from + x - 1), (const float *)(from + x),
              (const float *)(from + x + 1), 4 * (end - x));
}

/* Refines and then restricts the row `from` in x (soft_weights), and writes cells [x, end) of the result to `to`.
 * width: number of cells of `from`. fine: number of cells of the refined row. */
static inline void soften_row(int width, int fine, int x, int end, const v4f *from, v4f *to)
{
    float weight[3];
    while (x < end) {
        const int inner = width - 3 < end ? width - 3 : end;
        const int next = x >= 1 && x < inner ? inner : x + 1; /* cells between the edges all have the same weights */
        soft_weights(x, fine, weight);
        soften_cells(x, next, weight, from, to);
        x = next;
    }
}
