/* draw_cpu.c - the CPU renderer's table of functions: allocates memory, calls the steps of drawing in their order, and
 * outputs the picture. Declared in light.h. */
#include "light/cpu/light_cpu.h"
#include "light/cpu/light_show.h"

#include "base/error.h"
#include "base/memory.h"
#include "simd/simd.h"

#include <stdlib.h>
#include <string.h>

static void close_work(void *state)
{
    struct work *w = state;
    for (int k = 0; k < w->levels; k++) {
        free(w->level[k].up);
        free(w->level[k].sum);
        free(w->level[k].glow);
        free(w->level[k].count);
        free(w->level[k].map);
    }
    nb_light_bins_close(w);
    free(w->node);
    free(w->far);
    free(w->scratch);
    free(w->held);
    free(w->lit);
    free(w);
}

/* Returns the number of elements of the level's array `count`: all cells, including those of the margin. */
static size_t counts_of(const struct level *l)
{
    return l->count_stride * (size_t)(l->height + 2 * l->margin);
}

static void shape_level(struct work *w, int k)
{
    struct level *l = &w->level[k];
    l->width = nb_level_cells(w->style.width, k);
    l->height = nb_level_cells(w->style.height, k);
    l->stride = (size_t)l->width + 2 * BORDER;
    l->margin = (k < TILE_BITS ? TILE : w->bins.margin) >> k;
    l->count_stride = (size_t)l->width + 2 * (size_t)l->margin;
}

/* Allocates the arrays of level k; returns false if memory is short. `up` is allocated by calloc, so that cells without
 * light need no physical memory. This matters most for level 0: it is the largest level, and only few of its cells have
 * light if footprints are wider than a cell. */
static bool allocate_level(struct work *w, int k)
{
    struct level *l = &w->level[k];
    l->up = calloc(cells_of(l), sizeof(v4f));
    l->glow = k > 0 && w->style.bloom > 0 ? malloc(cells_of(l) * sizeof(v4f)) : NULL;
    l->count = w->style.smooth > 0 ? malloc(counts_of(l) * sizeof *l->count) : NULL;
    l->map = l->count && k >= NB_LIGHT_MAPPED ? malloc(sizeof *l->map * (size_t)l->width * (size_t)l->height) : NULL;
    if (k > 0) {
        nb_memory_large_pages(l->up, cells_of(l) * sizeof(v4f));
        nb_memory_large_pages(l->glow, cells_of(l) * sizeof(v4f));
    }
    return l->up && (l->glow || k == 0 || !(w->style.bloom > 0)) &&
           ((l->count && (l->map || k < NB_LIGHT_MAPPED)) || !(w->style.smooth > 0));
}

static double bytes_needed(const struct work *w)
{
    double sum = 0;
    for (int k = 0; k < w->levels; k++)
        sum += (double)cells_of(&w->level[k]) * sizeof(v4f) * (k > 0 && w->style.bloom > 0 ? 2 : 1) +
               (w->style.smooth > 0 ? (double)counts_of(&w->level[k]) * sizeof(float) : 0);
    return sum;
}

static int allocate(struct work *w)
{
    const struct nb_light_style *style = &w->style;
    bool good = nb_light_bins_open(w) == 0;
    for (int k = 0; k < w->levels; k++)
        shape_level(w, k);
    const double bytes = bytes_needed(w), free_bytes = nb_memory_free(true);
    if (bytes > 3e7 && bytes > free_bytes)
        return nb_fail("a picture of %dx%d needs %.1f GB of memory, but only %.1f GB are free", style->width,
                       style->height, 1e-9 * bytes, 1e-9 * free_bytes);
    for (int k = 0; k < w->levels; k++)
        good &= allocate_level(w, k);
    w->node_width = (style->width + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
    w->node_height = (style->height + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
    w->node = malloc(sizeof *w->node * (size_t)w->node_width * (size_t)w->node_height);
    w->lit = w->levels > 2 ? malloc((size_t)w->bins.columns * (size_t)(w->level[2].height + 2 * BORDER)) : NULL;
    good &= w->lit || w->levels <= 2;
    return good && w->node ? 0 : nb_fail("no memory for a picture of %dx%d", style->width, style->height);
}

static void *open_work(struct nb_device *device, const struct nb_light_style *style)
{
    (void)device;
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return nb_null(nb_fail("no memory for the picture"));
    w->style = *style;
    w->levels = nb_level_count(style->height);
    if (allocate(w) == 0)
        return w;
    close_work(w);
    return NULL;
}

static int clear(void *state)
{
    struct work *w = state;
    w->pending = w->settled = false;
    w->put = w->margins = 0;
    return 0;
}

/* Draws the light of all bodies into the pyramid. Processes the bodies in batches of NB_LIGHT_BATCH, to limit the
 * memory for projected bodies. If there are several batches, each body is projected twice: first for the level map,
 * which needs all bodies, and again to draw its splat. */
static int put(void *state, const struct nb_view *view, const struct nb_light_bodies *b)
{
    struct work *w = state;
    const bool adapts = w->style.smooth > 0, perspective = view->inverse_distance != 0;
    const uint64_t batches = b->n / NB_LIGHT_BATCH + (b->n % NB_LIGHT_BATCH != 0);
    if (b->n == 0)
        return 0;
    if (w->pending && nb_light_pass()->settle(w))
        return -1;
    w->most = nb_light_largest(&w->style, b->n);
    for (uint64_t k = 0; adapts && k < batches; k++) {
        const uint64_t i0 = k * NB_LIGHT_BATCH;
        if (nb_light_bins_fill(w, view, b, i0, k < batches - 1 ? NB_LIGHT_BATCH : b->n - i0, batches > 1))
            return -1;
        nb_light_count(w, k == 0, batches == 1);
    }
    if (adapts)
        nb_light_map(w);
    nb_light_splat_begin(w, b->n, perspective);
    for (uint64_t k = 0; k < batches; k++) {
        const uint64_t i0 = k * NB_LIGHT_BATCH;
        if ((!adapts || batches > 1) &&
            nb_light_bins_fill(w, view, b, i0, k < batches - 1 ? NB_LIGHT_BATCH : b->n - i0, false))
            return -1;
        if (nb_light_splat(w, b, perspective))
            return -1;
    }
    w->pending = true;
    return 0;
}

static int finish(void *state)
{
    struct work *w = state;
    if (w->pending && w->settled && nb_light_pass()->settle(w))
        return -1;
    w->is_dark = !w->pending && !w->settled;
    return w->is_dark ? 0 : nb_light_pass()->refine(w);
}

/* ---- output ---- */

#define SHOW(name)    nb_light_show_##name
#define SHOW_OF(name) &SHOW(name)
extern const struct nb_light_show_set NB_SIMD_EACH(SHOW);
static const struct nb_light_show_set *const shows[NB_SIMD_SETS] = {NB_SIMD_EACH(SHOW_OF)};

/* the picture in blocks of size x size pixels (smaller at the right and lower edges), `across` blocks in a row */
struct places {
    int size, across;
    double *light; /* sum of the light of all pixels of each block */
    float *brightness;
    uint16_t *bucket; /* index of the histogram's bucket for the brightness of the block */
};

/* Computes light, brightness and bucket of each block in one row of blocks. */
static void look_at_row(const struct work *w, const struct places *p, int row)
{
    const size_t first = (size_t)row * (size_t)p->across;
    const int y0 = row * p->size, height = w->style.height, width = w->style.width;
    const int y1 = y0 + p->size < height ? y0 + p->size : height;
    double *light = p->light + first;
    memset(light, 0, sizeof *light * (size_t)p->across);
    for (int y = y0; y < y1; y++) {
        const v4f *pixel = nb_light_pass()->row(w, y);
        for (int i = 0; i < p->across; i++)
            for (int x = i * p->size; x < (i + 1) * p->size && x < width; x++)
                light[i] += (double)pixel[x][3];
    }
    for (int i = 0; i < p->across; i++) {
        const int columns = (i + 1) * p->size < width ? p->size : width - i * p->size;
        p->brightness[first + (size_t)i] = (float)(light[i] * height * height / (columns * (y1 - y0)));
    }
    shows[nb_simd_in_use()]->buckets(p->brightness + first, p->across, p->bucket + first);
}

/* Adds the light of all blocks of the picture to the histogram. A single thread does the additions, so that the result
 * does not depend on the number of threads. */
static int measure(void *state, struct nb_light_histogram *h)
{
    struct work *w = state;
    const int size = nb_light_place(w->style.height), rows = (w->style.height - 1) / size + 1;
    struct places p = {.size = size, .across = (w->style.width - 1) / size + 1};
    const size_t count = (size_t)p.across * (size_t)rows;
    p.light = malloc(count * (sizeof *p.light + sizeof *p.brightness + sizeof *p.bucket));
    if (!p.light || nb_light_pass()->ready(w)) {
        free(p.light);
        return nb_fail("no memory to measure the picture's light");
    }
    p.brightness = (float *)(p.light + count);
    p.bucket = (uint16_t *)(p.brightness + count);
#pragma omp parallel for schedule(dynamic, 8)
    for (int row = 0; row < rows; row++)
        look_at_row(w, &p, row);
    for (size_t k = 0; k < count; k++)
        if (p.light[k] > 0) {
            h->light[p.bucket[k]] += p.light[k];
            h->total += p.light[k];
        }
    free(p.light);
    return 0;
}

static int tone_picture(void *state, const struct nb_tone *tone, uint16_t *const plane[3])
{
    struct work *w = state;
    const float scale = tone->inverse_soft * (float)w->style.height * (float)w->style.height;
    const int width = w->style.width;
    if (nb_light_pass()->ready(w))
        return -1;
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < w->style.height; y++) {
        const size_t at = (size_t)y * (size_t)width;
        shows[nb_simd_in_use()]->tone(tone, scale, (const float *)nb_light_pass()->row(w, y), width, plane[0] + at,
                                      plane[1] + at, plane[2] + at);
    }
    return 0;
}

static int fetch(void *state, float *pixels)
{
    struct work *w = state;
    const size_t width = (size_t)w->style.width;
    if (nb_light_pass()->ready(w))
        return -1;
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < w->style.height; y++)
        memcpy(pixels + 4 * (size_t)y * width, nb_light_pass()->row(w, y), sizeof(v4f) * width);
    return 0;
}

static int sums(void *state, struct nb_light_sums *s)
{
    struct work *w = state;
    const struct level *l = &w->level[0];
    if (nb_light_pass()->ready(w))
        return -1;
    *s = (struct nb_light_sums){.put = w->put, .margins = w->margins + nb_light_pass()->beyond(w)};
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        const v4f *pixel = nb_light_pass()->row(w, y);
        for (int x = -BORDER; x < l->width + BORDER; x++) {
            bool inside = x >= 0 && y >= 0 && x < l->width && y < l->height;
            *(inside ? &s->picture : &s->margins) += (double)pixel[x][3];
        }
    }
    return 0;
}

static struct nb_light_style *style(void *state)
{
    return &((struct work *)state)->style;
}

const struct nb_light_backend nb_light_cpu = {"cpu",  open_work, close_work,   style, clear, put,
                                              finish, measure,   tone_picture, fetch, sums};
