/* light_pass_simd.c - moves light up and down the pyramid, for one instruction set. Declared in light_cpu.h.
 *
 * Levels 0 and 1 are large. They are read from memory in only two passes: the first distributes light to coarser
 * levels, the second computes the rows of the picture. Both passes compute the light that stays in these levels
 * (light_paint.h), so that it need not be stored. Columns of tiles without light are skipped (light_sparse.h). Bloom is
 * computed from the picture restricted to level 1 (soften_to in light_paint.h). */
#include "base/error.h"
#include "light/cpu/light_splat.h"
#include "simd/vectors.h"

/* To be called at the end of the work of a thread. GCC 12 omits vzeroupper in the bodies of parallel loops. Without
 * this instruction, code that is not compiled for AVX is slow. */
static inline void clear_upper_halves(void)
{
#ifdef __AVX__
    _mm256_zeroupper();
#endif
}

#include "light/cpu/light_paint.h"

#include <stdlib.h>

#define BAND 16 /* number of rows that a thread processes at a time */

/* Allocates the scratch memory of all threads. Implements nb_light_pass_set.ready. */
static int make_scratch(struct work *w)
{
    const int threads = omp_get_max_threads();
    if (threads <= w->threads)
        return 0;
    free(w->scratch);
    free(w->held);
    w->scratch_stride = (size_t)(w->style.width + w->bins.columns) + 2 * PAD + 8;
    w->scratch = malloc((size_t)threads * SCRATCH_ROWS * w->scratch_stride * sizeof(v4f));
    w->held = malloc((size_t)threads * HELD * sizeof *w->held);
    w->threads = w->scratch && w->held ? threads : 0;
    forget_rows(w);
    return w->threads ? 0 : nb_fail("no memory for the picture");
}

/* ---- upwards ---- */

struct climb { /* arguments of climb(), which moves light from level k to level k + 1 */
    int k;
    /* Which light of level k to restrict to level k + 1:
     * PUT: the light in `cell`, from the last call of put. A share of it stays in level k, the rest goes up.
     * SUM: the light in `cell`, a sum over several calls of put, or a glow. All of it stays in level k.
     * SOFT: the glow of level 1, which soften_to computes row by row. All of it stays in level 1. */
    enum { PUT, SUM, SOFT } from;
    v4f *cell; /* array of level k (not used for SOFT) */
    /* results of climb(): arrays of level k + 1, each may be NULL. The light that goes up is restricted and added to
     * `rest`. The light that stays in level k is restricted and written to `kept`. */
    v4f *rest, *kept;
};

/* Finds the columns of tiles in which row y of level k can have light in climb(w, c). Sets column[i] to 1 for these
 * columns and to 0 for all others. k is c->k or c->k + 1. */
static void climbing_columns(const struct work *w, const struct climb *c, int k, int y, uint8_t *column)
{
    find_columns(w, k, y, c->from == PUT ? c->k : c->from == SOFT && k == 1 ? 1 : SPARSE_LEVELS, column);
    if (c->from == SOFT && k == 1 && w->plain.higher)
        add_lit_columns(w, 1, y, column);
}

/* Divides the light in cells [x, end) of row y of level c->k. kept: the light that stays in this level; rest: the light
 * that goes up to coarser levels. If c->from is SUM, all light stays. */
static void divide(const struct work *w, const struct climb *c, int y, int x, int end, v4f *kept, v4f *rest)
{
    const v4f *from = cell_at(&w->level[c->k], c->cell, 0, y);
    const float *keeps = (float *)scratch_row(w, ROW_KEEPS) + BORDER;
    if (c->from == SUM) {
        memcpy(kept + x, from + x, sizeof(v4f) * (size_t)(end - x));
        return;
    }
    find_keeps(w, c->k, y, x, end, (float *)scratch_row(w, ROW_KEEPS));
    for (int i = x; i < end && c->rest; i++)
        rest[i] = from[i] - from[i] * keeps[i];
    for (int i = x; i < end && c->kept; i++)
        kept[i] = from[i] * keeps[i];
}

/* Restricts cells [x, end) of `row` along the row, and writes the result to `out`. First sets the four cells of `row`
 * before x and the three cells from `end` on to 0. */
static void restrict_run(const struct level *to, v4f *row, int x, int end, v4f *out)
{
    const int first = (x - 2) >> 1, last = (end >> 1) + 1, width = to->width + BORDER;
    memset(row + x - 4, 0, 4 * sizeof(v4f));
    memset(row + end, 0, 3 * sizeof(v4f));
    restrict_row(row, first > -BORDER ? first : -BORDER, last < width ? last : width, out);
}

/* Divides row y of level c->k into light that goes up and light that stays, restricts both along the row, and writes
 * them to scratch rows ROWS_REST + y % 4 and ROWS_KEPT + y % 4. Returns false if the row has no light. */
static bool climb_row(const struct work *w, const struct climb *c, int y)
{
    const struct level *f = &w->level[c->k], *to = f + 1;
    v4f *rest = scratch_row(w, ROW_REST), *kept = scratch_row(w, ROW_KEPT);
    v4f *rest_to = scratch_row(w, ROWS_REST + (y & 3)), *kept_to = scratch_row(w, ROWS_KEPT + (y & 3));
    uint8_t *column = scratch_columns(w, ROW_COLUMNS);
    bool lit = false;
    if (c->rest)
        memset(rest_to - BORDER, 0, sizeof(v4f) * to->stride);
    if (c->kept)
        memset(kept_to - BORDER, 0, sizeof(v4f) * to->stride);
    if (y < -BORDER || y >= f->height + BORDER)
        return false;
    climbing_columns(w, c, c->k, y, column);
    if (c->from == SOFT)
        soften_to(w, y, column, kept);
    for (int x = -BORDER, end; (end = next_run(w, c->k, column, &x)) > x; x = end, lit = true) {
        if (c->from != SOFT)
            divide(w, c, y, x, end, kept, rest);
        if (c->rest)
            restrict_run(to, rest, x, end, rest_to);
        if (c->kept)
            restrict_run(to, kept, x, end, kept_to);
    }
    return lit;
}

/* Restricts four rows of level c->k to one row of level c->k + 1: row number `row` of the array `cells`. climb_row has
 * written the four rows to the scratch rows from rows_first on. If `adds` is true, adds the result to the row of
 * `cells`, otherwise overwrites this row. */
static void add_rows(const struct work *w, const struct climb *c, int row, int rows_first, v4f *cells, bool adds)
{
    const struct level *to = &w->level[c->k + 1];
    const v4f *from[4];
    uint8_t *column = scratch_columns(w, ROW_COLUMNS);
    for (int j = 0; j < 4; j++)
        from[j] = scratch_row(w, rows_first + ((2 * row - 1 + j) & 3));
    climbing_columns(w, c, c->k + 1, row, column);
    for (int x = -BORDER, end; (end = next_run(w, c->k + 1, column, &x)) > x; x = end)
        join_rows((float *)cell_at(to, cells, x, row), (const float *)(from[0] + x), (const float *)(from[1] + x),
                  (const float *)(from[2] + x), (const float *)(from[3] + x), 4 * (end - x), adds);
}

/* Restricts the light of level c->k to level c->k + 1. The light that goes up is added to c->rest, and the light that
 * stays is written to c->kept. */
static void climb(const struct work *w, const struct climb *c)
{
    const struct level *to = &w->level[c->k + 1];
    const int rows = to->height + 2 * BORDER;
#pragma omp parallel for schedule(dynamic)
    for (int band = 0; band < (rows + BAND - 1) / BAND; band++) {
        const int first = band * BAND - BORDER;
        const int end = first + BAND < to->height + BORDER ? first + BAND : to->height + BORDER;
        int next = 2 * first - 1;
        unsigned lit = 0; /* a bit for each of the last four rows of level k, 1 if the row has light */
        for (int row = first; row < end; row++) {
            for (; next <= 2 * row + 2; next++)
                lit = (lit << 1 | climb_row(w, c, next)) & 15;
            if (c->rest && lit)
                add_rows(w, c, row, ROWS_REST, c->rest, true);
            if (c->kept)
                add_rows(w, c, row, ROWS_KEPT, c->kept, false);
        }
        clear_upper_halves();
    }
}

/* Distributes the light of the last call of put to all levels, beginning with level 0. If `glows` is true, also
 * restricts the light that stays in level 0 to level 1 and writes it to level[1].glow. */
static void climb_all(const struct work *w, bool glows)
{
    const int highest = w->divided ? 0 : w->highest;
    for (int k = 0; k < w->levels - 1 && (k < highest || (k == 0 && glows)); k++) {
        const struct climb c = {k, PUT, w->level[k].up, k < highest ? w->level[k + 1].up : NULL,
                                k == 0 && glows ? w->level[1].glow : NULL};
        climb(w, &c);
    }
}

/* ---- light of several puts ---- */

/* Adds light of the last call of put to level[k].sum: the part that stays in level k. */
static void settle_level(struct work *w, int k)
{
    const struct level *l = &w->level[k];
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        float *keeps = (float *)scratch_row(w, ROW_KEEPS);
        const v4f *from = cell_at(l, l->up, -BORDER, y);
        v4f *to = cell_at(l, l->sum, -BORDER, y);
        find_keeps(w, k, y, -BORDER, l->width + BORDER, keeps);
        for (int x = 0; x < l->width + 2 * BORDER; x++)
            to[x] = w->settled ? to[x] + from[x] * keeps[x] : from[x] * keeps[x];
        clear_upper_halves();
    }
}

static int settle(struct work *w)
{
    if (make_scratch(w))
        return -1;
    for (int k = 0; k < w->levels; k++)
        if (!w->level[k].sum && !(w->level[k].sum = malloc(cells_of(&w->level[k]) * sizeof(v4f))))
            return nb_fail("no memory for a picture of %dx%d from several parts", w->style.width, w->style.height);
    climb_all(w, false);
    for (int k = 0; k < w->levels; k++)
        settle_level(w, k);
    w->settled = true;
    w->pending = false;
    return 0;
}

/* ---- downwards ---- */

/* Returns the sum of the light in row y of level k + 1 that is outside the cells of level k. */
static double beyond_row(const struct work *w, int k, int y, const v4f *row)
{
    const struct level *f = &w->level[k], *c = f + 1;
    const float part = nb_level_refined(y, f->height);
    double sum = 0;
    for (int x = -BORDER; x < c->width + BORDER; x++) {
        if (part == 1 && x == 0)
            x = c->width - 1;
        sum += (double)((1 - part * nb_level_refined(x, f->width)) * row[x][3]);
    }
    return sum;
}

/* Returns the sum of the light of level k + 1, `cells`, that is outside the cells of level k. */
static double beyond(const struct work *w, int k, const v4f *cells)
{
    const struct level *c = &w->level[k + 1];
    double sum = 0;
    for (int y = -BORDER; y < c->height + BORDER; y++)
        sum += beyond_row(w, k, y, cell_at(c, (v4f *)cells, 0, y));
    return sum;
}

/* Returns the sum of the light of level 1 that is outside the cells of level 0. Computes the rows of level 1 with the
 * weights c. */
static double beyond_0(const struct work *w, const struct coarser *c)
{
    double sum = 0;
    forget_rows(w);
    for (int y = -BORDER; y < w->level[1].height + BORDER; y++)
        sum += beyond_row(w, 0, y, row_1(w, c, y));
    forget_rows(w);
    return sum;
}

/* Implements nb_light_pass_set.beyond: returns the sum of the light outside the cells of level 0. The displayed picture
 * (w->shown) contains the fraction shown.weight of the light of the picture without bloom (w->plain). The rest of the
 * light becomes glow. But light outside the cells of level 0 does not become glow, so the rest of it is added here. */
static double beyond_picture(const struct work *w)
{
    if (w->is_dark || w->is_flat)
        return 0;
    return beyond_0(w, &w->shown) + (w->shown.weight < 1 ? (double)(1 - w->shown.weight) * beyond_0(w, &w->plain) : 0);
}

/* Computes the light of level k and of all coarser levels, and stores it in s.cell:
 *     s.cell = weight * (light that stays in level k) + other_weight * other + (`higher` refined to level k)
 * If s.is_sum is true, all light in s.cell stays in level k. If it is false, s.cell has the light of one call of put,
 * and each cell keeps only a share of its light (find_keeps); the rest has gone to level k + 1. s.cell and `other` are
 * arrays of level k, and `higher` is an array of level k + 1. `other` and `higher` may be NULL. */
static void descend(const struct work *w, int k, struct source s, float weight, const v4f *higher, const v4f *other,
                    float other_weight)
{
    const struct level *l = &w->level[k];
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        v4f *row = cell_at(l, s.cell, 0, y), *fine = scratch_row(w, ROW_REST);
        float *keeps = (float *)scratch_row(w, ROW_KEEPS);
        if (!s.is_sum)
            find_keeps(w, k, y, -BORDER, l->width + BORDER, keeps);
        if (higher) {
            const v4f *a = cell_at(l + 1, (v4f *)higher, 0, y >> 1), *b = y & 1 ? a + l[1].stride : a - l[1].stride;
            refine_row(a, b, 1, -BORDER, l->width + BORDER, scratch_row(w, ROW_MIXED), fine);
        }
        const int count = 4 * (int)l->stride;
        if (!s.is_sum)
            for (int x = -BORDER; x < l->width + BORDER; x++)
                row[x] *= weight * keeps[x + BORDER];
        if (higher)
            add_scaled((float *)(row - BORDER), s.is_sum ? weight : 1, (const float *)(fine - BORDER), count);
        else if (s.is_sum)
            scale_row((float *)(row - BORDER), weight, count);
        if (other)
            add_row((float *)(row - BORDER), (const float *)cell_at(l, (v4f *)other, -BORDER, y), other_weight, count);
        clear_upper_halves();
    }
}

/* ---- bloom ---- */

/* Computes the complete glow of level 1 and stores it in level[1].glow. Needed only if weight[1], the weight of level 1
 * in the bloom, is above 0. */
static void store_glow(const struct work *w)
{
    const struct level *l = &w->level[1];
    const struct climb c = {1, SOFT, NULL, NULL, NULL};
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        v4f *glow = scratch_row(w, ROW_KEPT);
        uint8_t *column = scratch_columns(w, ROW_COLUMNS);
        climbing_columns(w, &c, 1, y, column);
        memset(glow - BORDER, 0, sizeof(v4f) * l->stride);
        soften_to(w, y, column, glow);
        memcpy(cell_at(l, l->glow, -BORDER, y), glow - BORDER, sizeof(v4f) * l->stride);
        clear_upper_halves();
    }
}

/* Computes the glow (bloom) of all levels, and sets w->shown, the weights of the displayed picture. Afterwards
 * level[2].glow contains, in the cells of level 2, the weighted sum of the glow of level 2 and of all coarser levels,
 * plus weight[0] times the light without bloom. */
static void bloom(struct work *w)
{
    float weight[LEVELS_MAX];
    const v4f *higher = NULL, *own = w->plain.higher;
    int top = w->levels - 1;
    nb_bloom_weights(w->style.height, w->levels, w->style.bloom, weight);
    while (top > 1 && weight[top] == 0)
        top--;
    if (w->settled)
        climb(w, &(struct climb){0, SUM, w->level[0].sum, NULL, w->level[1].glow});
    if (own)
        find_lit(w, own);
    if (weight[1] > 0)
        store_glow(w);
    for (int k = 1; k < top; k++) {
        const bool soft = k == 1 && !(weight[1] > 0);
        climb(w, &(struct climb){k, soft ? SOFT : SUM, w->level[k].glow, NULL, w->level[k + 1].glow});
    }
    for (int k = top; k >= 2; k--) {
        descend(w, k, (struct source){w->level[k].glow, true}, weight[k], higher, k == 2 ? own : NULL, weight[0]);
        higher = w->level[k].glow;
        w->margins += beyond(w, k - 1, higher);
    }
    /* w->margins includes the light outside the cells of level 1. refine() has added this light of `own`, the picture
     * without bloom. The loop above has added it again, times weight[0], because `higher` contains weight[0] * own. So
     * it is subtracted once. */
    if (higher && own)
        w->margins -= (double)weight[0] * beyond(w, 1, own);
    w->shown = (struct coarser){weight[0], weight[1], higher ? 1 : weight[0], higher ? higher : own};
}

/* Completes the levels for drawing, except levels 0 and 1, which paint_row computes row by row. Distributes the light
 * of the last call of put to the levels, unless put or settle has done this. From the coarsest level down to level 2,
 * adds to each level the light of the next coarser level, interpolated to its cells. Then computes the bloom, if there
 * is any. Implements nb_light_pass_set.refine. */
static int refine(struct work *w)
{
    const bool blooms = w->style.bloom > 0 && w->levels > 1;
    const int highest = w->settled ? w->levels - 1 : w->highest;
    if (make_scratch(w))
        return -1;
    if (!w->settled)
        climb_all(w, blooms);
    const v4f *higher = NULL;
    for (int k = highest; k >= 2; k--) {
        if (higher)
            descend(w, k, source_of(w, k), 1, higher, NULL, 0);
        higher = source_of(w, k).cell;
        w->margins += beyond(w, k - 1, higher);
    }
    w->is_flat = highest == 0 && !blooms;
    w->plain = w->shown = (struct coarser){1, 0, 1, higher};
    forget_rows(w);
    if (blooms)
        bloom(w);
    if (w->shown.higher)
        find_lit(w, w->shown.higher);
    forget_rows(w);
    return 0;
}

#define SET PASTE(nb_light_pass_, SET_WORD)

extern const struct nb_light_pass_set SET;
const struct nb_light_pass_set SET = {settle, refine, make_scratch, paint_row, beyond_picture};
