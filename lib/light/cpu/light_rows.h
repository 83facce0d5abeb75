/* light_rows.h - sums of rows of floats, a level's cells with their four channels: inlined into the passes of each
 * instruction set, whose vectors may be wider than a cell. */
#ifndef NB_LIGHT_ROWS_H
#define NB_LIGHT_ROWS_H

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

#endif
