/* Light up and down the pyramid, for one instruction set.
 *
 * Level 0 is large and passes through memory once upwards and once when the picture is looked at, a row at a time: what
 * it keeps is not stored but found again, tiles without light are left out, and bloom's first level is made of what
 * level 0 keeps, restricted, and of level 1, refined and restricted, which stays in level 1: 3/16, 10/16, 3/16 of
 * neighbours each way. */
#include "error.h"
#include "light/cpu/light_keeps.h"
#include "light/cpu/light_rows.h"
#include "light/cpu/light_splat.h"
#include "simd/vectors.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define BAND 16 /* rows that a thread takes */
#define PAD  8  /* cells about a row in scratch */

/* At the end of what a thread does: GCC 12 leaves it out in the bodies of parallel loops, and whatever is not compiled
 * for AVX is then slow. */
static inline void clear_upper_halves(void)
{
#ifdef __AVX__
    _mm256_zeroupper();
#endif
}

/* Light of a level as it is now: what stays of what was put, or the sums of several puts. */
struct source {
    v4f *cell;
    bool is_sum; /* all of it stays */
};

static struct source source_of(const struct work *w, int k)
{
    const struct level *l = &w->level[k];
    return w->settled ? (struct source){l->sum, true} : (struct source){l->up, false};
}

/* Row `number` of a thread's scratch, its cell 0. */
static v4f *scratch_row(const struct work *w, int number)
{
    const size_t row = (size_t)omp_get_thread_num() * SCRATCH_ROWS + (size_t)number;
    return w->scratch + row * w->scratch_stride + PAD;
}

static int make_scratch(struct work *w)
{
    const int threads = omp_get_max_threads();
    if (threads <= w->threads)
        return 0;
    free(w->scratch);
    w->scratch_stride = (size_t)w->style.width + 2 * PAD + 8;
    w->scratch = malloc((size_t)threads * SCRATCH_ROWS * w->scratch_stride * sizeof(v4f));
    w->threads = w->scratch ? threads : 0;
    return w->scratch ? 0 : nb_fail("no memory for the picture");
}

/* The next run of lit cells of row y of level k at or after *x: [*x, end); end is returned, *x if there is none. */
static int lit_run(const struct work *w, int k, int y, int *x)
{
    const struct level *l = &w->level[k];
    const struct bins *s = &w->bins;
    const int end = l->width + BORDER;
    if (k > 0 || w->settled)
        return end;
    const struct tile *row = w->tile + ((y + s->margin) >> TILE_BITS) * s->columns;
    while (*x < end && !row[(*x + s->margin) >> TILE_BITS].lit)
        *x = ((*x + s->margin) / TILE + 1) * TILE - s->margin;
    int last = *x;
    while (last < end && row[(last + s->margin) >> TILE_BITS].lit)
        last = ((last + s->margin) / TILE + 1) * TILE - s->margin;
    return last < end ? last : end;
}

/* ---- upwards ---- */

struct climb { /* one level up */
    int k;
    struct source from;
    v4f *rest, *kept; /* arrays of level k + 1, where what goes up and what stays is added, restricted; or NULL */
};

/* Scratch rows: 0 and 1 of the fine row, 2 for shares, then four restricted rows each of the rest and of what is kept.
 */
enum { ROW_REST, ROW_KEPT, ROW_KEEPS, ROWS_REST, ROWS_KEPT = ROWS_REST + 4, ROW_COUNT = ROWS_KEPT + 4 };
_Static_assert(ROW_COUNT <= SCRATCH_ROWS, "");

/* False: there is no light in it. */
static bool climb_row(const struct work *w, const struct climb *c, int y)
{
    const struct level *f = &w->level[c->k], *to = f + 1;
    v4f *rest = scratch_row(w, ROW_REST), *kept = scratch_row(w, ROW_KEPT);
    v4f *rest_to = scratch_row(w, ROWS_REST + (y & 3)), *kept_to = scratch_row(w, ROWS_KEPT + (y & 3));
    float *keeps = (float *)scratch_row(w, ROW_KEEPS);
    const bool outside = y < -BORDER || y >= f->height + BORDER;
    int x = -BORDER, end = outside ? x : lit_run(w, c->k, y, &x), done = -BORDER;
    const size_t stored = sizeof(v4f) * (to->stride);
    if (end <= x) {
        memset(rest_to - BORDER, 0, stored);
        memset(kept_to - BORDER, 0, stored);
        return false;
    }
    memset(rest - PAD, 0, sizeof(v4f) * (PAD - BORDER));
    memset(kept - PAD, 0, sizeof(v4f) * (PAD - BORDER));
    for (; end > x; done = x = end, end = lit_run(w, c->k, y, &x)) {
        const v4f *from = cell_at(f, c->from.cell, 0, y);
        memset(rest + done, 0, sizeof(v4f) * (size_t)(x - done));
        memset(kept + done, 0, sizeof(v4f) * (size_t)(x - done));
        if (c->from.is_sum) {
            memcpy(kept + x, from + x, sizeof(v4f) * (size_t)(end - x));
            continue;
        }
        find_keeps(w, c->k, y, x, end, keeps);
        for (int i = x; i < end; i++) {
            kept[i] = from[i] * keeps[i + BORDER];
            rest[i] = from[i] - kept[i];
        }
    }
    memset(rest + done, 0, sizeof(v4f) * (size_t)(f->width + PAD - done));
    memset(kept + done, 0, sizeof(v4f) * (size_t)(f->width + PAD - done));
    if (c->rest)
        restrict_row(rest, to->width, rest_to);
    if (c->kept)
        restrict_row(kept, to->width, kept_to);
    return true;
}

static void add_rows(const struct work *w, const struct level *to, int row, int rows_first, v4f *cells, bool adds)
{
    const v4f *a = scratch_row(w, rows_first + ((2 * row - 1) & 3)), *b = scratch_row(w, rows_first + ((2 * row) & 3));
    const v4f *c = scratch_row(w, rows_first + ((2 * row + 1) & 3));
    const v4f *d = scratch_row(w, rows_first + ((2 * row + 2) & 3));
    join_rows((float *)cell_at(to, cells, -BORDER, row), (const float *)(a - BORDER), (const float *)(b - BORDER),
              (const float *)(c - BORDER), (const float *)(d - BORDER), 4 * (int)to->stride, adds);
}

/* `kept` is set, `rest` is added to. */
static void climb(const struct work *w, const struct climb *c)
{
    const struct level *to = &w->level[c->k + 1];
    const int rows = to->height + 2 * BORDER;
#pragma omp parallel for schedule(dynamic)
    for (int band = 0; band < (rows + BAND - 1) / BAND; band++) {
        const int first = band * BAND - BORDER;
        const int end = first + BAND < to->height + BORDER ? first + BAND : to->height + BORDER;
        int next = 2 * first - 1;
        unsigned lit = 0; /* a bit for each of the last four rows */
        for (int row = first; row < end; row++) {
            for (; next <= 2 * row + 2; next++)
                lit = (lit << 1 | climb_row(w, c, next)) & 15;
            if (c->rest && lit)
                add_rows(w, to, row, ROWS_REST, c->rest, true);
            if (c->kept && lit)
                add_rows(w, to, row, ROWS_KEPT, c->kept, false);
            else if (c->kept)
                memset(cell_at(to, c->kept, -BORDER, row), 0, sizeof(v4f) * to->stride);
        }
        clear_upper_halves();
    }
}

static void climb_all(const struct work *w, bool glows)
{
    for (int k = 0; k < w->levels - 1 && (k < w->highest || (k == 0 && glows)); k++) {
        const struct climb c = {k,
                                {w->level[k].up, false},
                                k < w->highest ? w->level[k + 1].up : NULL,
                                k == 0 && glows ? w->level[1].glow : NULL};
        climb(w, &c);
    }
}

/* ---- what several puts left ---- */

static void add_kept(struct work *w, int k)
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
        add_kept(w, k);
    w->settled = true;
    w->pending = false;
    return 0;
}

/* ---- downwards ---- */

/* Row y of level k + 1's cells, refined, into `out`. */
static void refine_row(const struct level *c, const v4f *cells, int y, int width, v4f *t, v4f *out)
{
    const v4f *a = cells + (size_t)((y >> 1) + BORDER) * c->stride + BORDER;
    const v4f *b = y & 1 ? a + c->stride : a - c->stride;
    mix_rows((float *)(t - BORDER), (const float *)(a - BORDER), 0.1875f, (const float *)(b - BORDER), 0.0625f,
             4 * (c->width + 2 * BORDER));
    int x = -BORDER;
    for (; x + 1 < width + BORDER; x += 2) { /* BORDER is odd: an odd cell, then an even one */
        v4f_pair two, turned, *to = (v4f_pair *)(out + x);
        memcpy(&two, t + (x >> 1), sizeof two);
        turned = SHUFFLE(two, two, 4, 5, 6, 7, 0, 1, 2, 3);
        *to = 0.75f * two + 0.25f * turned;
    }
    if (x < width + BORDER)
        out[x] = 0.75f * t[x >> 1] + 0.25f * t[(x >> 1) + 1];
}

/* What of level k + 1's light is outside the cells of level k. */
static double beyond(const struct work *w, int k, const v4f *cells)
{
    const struct level *f = &w->level[k], *c = f + 1;
    double sum = 0;
    for (int y = -BORDER; y < c->height + BORDER; y++) {
        const float part = nb_level_refined(y, f->height);
        const v4f *row = cells + (size_t)(y + BORDER) * c->stride + BORDER;
        for (int x = -BORDER; x < c->width + BORDER; x++) {
            if (part == 1 && x == 0)
                x = c->width - 1;
            sum += (double)((1 - part * nb_level_refined(x, f->width)) * row[x][3]);
        }
    }
    return sum;
}

/* cells = weight * cells (what stays of them, if asked for) + level k + 1, refined, + other_weight * other. */
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
        if (higher)
            refine_row(l + 1, higher, y, l->width, scratch_row(w, ROW_KEPT), fine);
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

/* A row of the picture: what stays in level 0, and level 1. */
static const v4f *paint_row(const struct work *w, int y)
{
    const struct level *l = &w->level[0];
    const struct source s = source_of(w, 0);
    const v4f *from = cell_at(l, s.cell, 0, y);
    v4f *out = scratch_row(w, ROW_REST);
    float *keeps = (float *)scratch_row(w, ROW_KEEPS);
    int x = -BORDER, end = w->is_dark ? x : lit_run(w, 0, y, &x);
    if (w->higher && !w->is_dark)
        refine_row(l + 1, w->higher, y, l->width, scratch_row(w, ROW_KEPT), out);
    else
        memset(out - BORDER, 0, sizeof(v4f) * l->stride);
    for (; end > x; x = end, end = lit_run(w, 0, y, &x)) {
        if (!s.is_sum)
            find_keeps(w, 0, y, x, end, keeps);
        for (int i = x; i < end; i++)
            out[i] += from[i] * (s.is_sum ? w->weight : w->weight * keeps[i + BORDER]);
    }
    clear_upper_halves();
    return out;
}

/* ---- bloom ---- */

/* Weights of coarse cells c - 1, c, c + 1 in cell c, refined into `fine` cells and those of the border, and restricted.
 */
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

static void soften_cells(int x, int end, const float weight[3], const v4f *from, v4f *to)
{
    const float left = weight[0], middle = weight[1], right = weight[2];
    for (; x < end; x++)
        to[x] += left * from[x - 1] + middle * from[x] + right * from[x + 1];
}

static void soften_row(const struct level *l, int fine, const v4f *from, v4f *to)
{
    float weight[3];
    const int end = l->width + BORDER, inner = l->width - 3;
    for (int x = -BORDER; x < end; x++) {
        soft_weights(x, fine, weight);
        const int next = x == 1 && inner > 1 ? inner : x + 1; /* alike between the edges */
        soften_cells(x, next, weight, from, to);
        x = next - 1;
    }
}

/* Adds level 1, refined and restricted, to its glow. */
static void add_softened(const struct work *w, const v4f *cells)
{
    const struct level *l = &w->level[1], *f = &w->level[0];
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        float weight[3];
        v4f *sum = scratch_row(w, ROW_REST);
        soft_weights(y, f->height, weight);
        memset(sum - PAD, 0, sizeof(v4f) * w->scratch_stride);
        for (int j = -1; j <= 1; j++) {
            const v4f *from = cells + (ptrdiff_t)(y + j + BORDER) * (ptrdiff_t)l->stride + BORDER;
            if (weight[j + 1] != 0)
                add_row((float *)(sum - BORDER), (const float *)(from - BORDER), weight[j + 1], 4 * (int)l->stride);
        }
        soften_row(l, f->width, sum, cell_at(l, l->glow, 0, y));
        clear_upper_halves();
    }
}

/* The light that level 1's glow holds, spread and refined into it, with level 1's own. Returns weight[0]. */
static float bloom(struct work *w, const v4f *level_1)
{
    float weight[LEVELS_MAX];
    int top = w->levels - 1;
    nb_bloom_weights(w->style.height, w->levels, w->style.bloom, weight);
    while (top > 1 && weight[top] == 0)
        top--;
    if (w->settled)
        climb(w, &(struct climb){0, source_of(w, 0), NULL, w->level[1].glow});
    if (level_1)
        add_softened(w, level_1);
    for (int k = 1; k < top; k++)
        climb(w, &(struct climb){k, {w->level[k].glow, true}, NULL, w->level[k + 1].glow});
    for (int k = top; k >= 1; k--) {
        const v4f *higher = k < top ? w->level[k + 1].glow : NULL;
        descend(w, k, (struct source){w->level[k].glow, true}, weight[k], higher, k == 1 ? level_1 : NULL, weight[0]);
        w->margins += beyond(w, k - 1, w->level[k].glow);
    }
    if (level_1) /* which is counted already */
        w->margins -= (double)weight[0] * beyond(w, 0, level_1);
    return weight[0];
}

static int refine(struct work *w)
{
    const bool blooms = w->style.bloom > 0 && w->levels > 1;
    if (make_scratch(w))
        return -1;
    if (!w->settled)
        climb_all(w, blooms);
    const v4f *higher = NULL;
    for (int k = w->settled ? w->levels - 1 : w->highest; k >= 1; k--) {
        if (higher)
            descend(w, k, source_of(w, k), 1, higher, NULL, 0);
        higher = source_of(w, k).cell;
        w->margins += beyond(w, k - 1, higher);
    }
    w->weight = blooms ? bloom(w, higher) : 1;
    w->higher = blooms ? w->level[1].glow : higher;
    return 0;
}

#define SET PASTE(nb_light_pass_, SET_WORD)

extern const struct nb_light_pass_set SET;
const struct nb_light_pass_set SET = {settle, refine, make_scratch, paint_row};
