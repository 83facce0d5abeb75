/* light_paint.h - computes rows of the picture, and of level 1 of the light pyramid, when they are needed. Inlined into
 * the passes of each instruction set. */
#pragma once

#include "light/cpu/light_keeps.h"
#include "light/cpu/light_rows.h"
#include "light/cpu/light_sparse.h"

#include <limits.h>

/* The light of one level, from which the picture is computed. It is level.up if nb_light_put was called once, and
 * level.sum if it was called several times. */
struct source {
    v4f *cell;
    /* true: `cell` is level.sum, and all its light stays in this level; false: `cell` is level.up, and a fraction of
     * its light stays in this level (find_keeps) */
    bool is_sum;
};

static struct source source_of(const struct work *w, int k)
{
    const struct level *l = &w->level[k];
    return w->settled ? (struct source){l->sum, true} : (struct source){l->up, false};
}

/* For all x: out[x] += weight * (light that stays in cell (x, y) of level k). */
static void add_kept(const struct work *w, int k, int y, float weight, v4f *out)
{
    const struct source s = source_of(w, k);
    const v4f *from = cell_at(&w->level[k], s.cell, 0, y);
    uint8_t *column = scratch_columns(w, ROW_COLUMNS_2);
    float *keeps = (float *)scratch_row(w, ROW_KEEPS);
    find_columns(w, k, y, k, column);
    for (int x = -BORDER, end; (end = next_run(w, k, column, &x)) > x; x = end) {
        float share = 1;
        if (s.is_sum || keeps_alike(w, k, &share)) {
            add_row((float *)(out + x), (const float *)(from + x), weight * share, 4 * (end - x));
            continue;
        }
        find_keeps(w, k, y, x, end, keeps);
        for (int i = x; i < end; i++)
            out[i] += from[i] * (weight * keeps[i + BORDER]);
    }
}

/* Computes a row of level k from the two nearest rows a and b of level k + 1, multiplied by `weight`. Writes the row to
 * `out`, but sets the cells of tile column i to 0 if column[i] = 0. a and b are NULL if level k + 1 has no light. */
static void refine_columns(const struct work *w, int k, const uint8_t *column, const v4f *a, const v4f *b, float weight,
                           v4f *out)
{
    int done = -BORDER;
    for (int x = -BORDER, end; (end = next_run(w, k, column, &x)) > x; done = x = end) {
        memset(out + done, 0, sizeof(v4f) * (size_t)((a ? x : end) - done));
        if (a)
            refine_row(a, b, weight, x, end, scratch_row(w, ROW_MIXED), out);
    }
    memset(out + done, 0, sizeof(v4f) * (size_t)(w->level[k].width + BORDER - done));
}

/* Marks the rows of level 1 in scratch as invalid. Call it when the light or the weights (struct coarser) of level 1
 * change. */
static void forget_rows(const struct work *w)
{
    for (int k = 0; k < w->threads * HELD; k++)
        w->held[k] = INT_MIN;
}

/* Writes row y of level 1 to `out`: a weighted sum of level 2 (refined), of the light that stays in level 1, and of the
 * glow. The weights are in c. */
static void make_row_1(const struct work *w, const struct coarser *c, int y, v4f *out)
{
    const struct level *l = &w->level[1];
    uint8_t *column = scratch_columns(w, ROW_COLUMNS_1);
    const v4f *a = NULL, *b = NULL;
    find_columns(w, 1, y, c->glow_weight > 0 ? SPARSE_LEVELS : 1, column);
    if (c->higher) {
        add_lit_columns(w, 1, y, column);
        a = cell_at(l + 1, (v4f *)c->higher, 0, y >> 1);
        b = y & 1 ? a + l[1].stride : a - l[1].stride;
    }
    refine_columns(w, 1, column, a, b, c->higher_weight, out);
    add_kept(w, 1, y, c->weight, out);
    if (c->glow_weight > 0)
        add_row((float *)(out - BORDER), (const float *)cell_at(l, l->glow, -BORDER, y), c->glow_weight,
                4 * (int)l->stride);
}

/* Returns row y of level 1. Computes the row only if it is not in the thread's scratch memory. The row is valid until
 * the thread calls row_1 for row y + HELD. */
static const v4f *row_1(const struct work *w, const struct coarser *c, int y)
{
    v4f *out = scratch_row(w, ROWS_HELD + (y & (HELD - 1)));
    int *held = w->held + omp_get_thread_num() * HELD + (y & (HELD - 1));
    if (*held != y)
        make_row_1(w, c, y, out);
    *held = y;
    return out;
}

/* Returns row y of the picture. Implements nb_light_pass_set.row. */
static const v4f *paint_row(const struct work *w, int y)
{
    v4f *out = scratch_row(w, ROW_REST);
    uint8_t *column = scratch_columns(w, ROW_COLUMNS);
    const v4f *a = NULL, *b = NULL;
    if (w->is_dark) {
        memset(out - BORDER, 0, sizeof(v4f) * w->level[0].stride);
        return out;
    }
    if (!w->is_flat) {
        a = row_1(w, &w->shown, y >> 1);
        b = row_1(w, &w->shown, (y >> 1) + (y & 1 ? 1 : -1));
    }
    find_columns(w, 0, y, w->is_flat ? 0 : w->shown.glow_weight > 0 ? SPARSE_LEVELS : 1, column);
    if (w->shown.higher)
        add_lit_columns(w, 0, y, column);
    refine_columns(w, 0, column, a, b, 1, out);
    add_kept(w, 0, y, w->shown.weight, out);
    clear_upper_halves();
    return out;
}

/* Writes row y of the glow of level 1 to `out`, in columns of tiles with column[i] = 1. The glow is the sum of:
 * - the light that stays in level 0, transferred to the cells of level 1 (l->glow)
 * - level 1, blurred: the mean over three cells in x and in y with weights 3/16, 10/16, 3/16. The same blur results if
 *   level 1 is refined to level 0 and transferred back. */
static void soften_to(const struct work *w, int y, const uint8_t *column, v4f *out)
{
    const struct level *l = &w->level[1];
    const v4f *row[3], *from = cell_at(l, l->glow, 0, y);
    float weight[3];
    v4f *sum = scratch_row(w, ROW_SUM);
    uint8_t *kept = scratch_columns(w, ROW_COLUMNS_2);
    soft_weights(y, w->level[0].height, weight);
    for (int j = 0; j < 3; j++) /* a row outside the level has weight 0; read another row in its place */
        row[j] = row_1(w, &w->plain, weight[j] > 0 ? y + j - 1 : weight[1] > 0 ? y : 0);
    for (int x = -BORDER, end; (end = next_run(w, 1, column, &x)) > x; x = end) {
        const int first = x > -BORDER ? x - 1 : x, last = end < l->width + BORDER ? end + 1 : end;
        sum[x - 1] = sum[end] = (v4f){0};
        mix_three((float *)(sum + first), weight, (const float *)(row[0] + first), (const float *)(row[1] + first),
                  (const float *)(row[2] + first), 4 * (last - first));
        soften_row(l->width, w->level[0].width, x, end, sum, out);
    }
    find_columns(w, 1, y, 0, kept);
    for (int x = -BORDER, end; (end = next_run(w, 1, kept, &x)) > x; x = end)
        add_row((float *)(out + x), (const float *)(from + x), 1, 4 * (end - x));
}
