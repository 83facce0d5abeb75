/* light_rows.h - sums of rows of floats, a level's cells with their four channels: inlined into the passes of each
 * instruction set, whose vectors may be wider than a cell. */
#ifndef NB_LIGHT_ROWS_H
#define NB_LIGHT_ROWS_H

#include "light/cpu/light_cpu.h"

typedef float v4f_pair __attribute__((vector_size(32), aligned(16), may_alias));

static inline void mix_rows(float *restrict to, const float *restrict a, float a_weight, const float *restrict b,
                            float b_weight, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = a_weight * a[i] + b_weight * b[i];
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

static inline void join_rows(float *restrict out, const float *restrict a, const float *restrict b,
                             const float *restrict c, const float *restrict d, int count, bool adds)
{
    for (int i = 0; i < count && adds; i++)
        out[i] += 0.25f * (a[i] + d[i]) + 0.75f * (b[i] + c[i]);
    for (int i = 0; i < count && !adds; i++)
        out[i] = 0.25f * (a[i] + d[i]) + 0.75f * (b[i] + c[i]);
}

/* A fine row, restricted along the row. */
static inline void restrict_row(const v4f *fine, int width, v4f *coarse)
{
    for (int c = -BORDER; c < width + BORDER; c++)
        coarse[c] = 0.25f * (fine[2 * c - 1] + fine[2 * c + 2]) + 0.75f * (fine[2 * c] + fine[2 * c + 1]);
}

#endif
