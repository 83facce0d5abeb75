/* The row of the CPU. */
#include "error.h"
#include "light/footprint.h"
#include "light/tone_curve.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BORDER NB_LIGHT_BORDER
#define BLOCK  1024

struct level {
    int width, height; /* cells over the picture */
    size_t stride;
    float *light; /* 4 channels, (height + 2 BORDER) rows of stride cells */
    double *up;   /* the same, on its way upwards */
    int margin;   /* cells counted beside the picture */
    size_t count_stride;
    float *count;
};

struct work {
    struct nb_light_style style;
    int levels;
    struct level level[NB_LIGHT_LEVELS_MAX];
    double most; /* the largest level */
    int node_width, node_height;
    float *node;
    double put, margins;
};

static float *cell(const struct level *l, int x, int y)
{
    return l->light + 4 * ((size_t)(y + BORDER) * l->stride + (size_t)(x + BORDER));
}

static size_t cells(const struct level *l)
{
    return l->stride * (size_t)(l->height + 2 * BORDER);
}

static size_t counts(const struct level *l)
{
    return l->count_stride * (size_t)(l->height + 2 * l->margin);
}

static void close_work(void *state)
{
    struct work *w = state;
    for (int k = 0; k < w->levels; k++) {
        free(w->level[k].light);
        free(w->level[k].up);
        free(w->level[k].count);
    }
    free(w->node);
    free(w);
}

static bool allocate_level(struct work *w, int k)
{
    struct level *l = &w->level[k];
    l->width = nb_level_cells(w->style.width, k);
    l->height = nb_level_cells(w->style.height, k);
    l->stride = (size_t)l->width + 2 * BORDER;
    l->margin = 2 << (w->levels - 1 - k);
    l->count_stride = (size_t)l->width + 2 * (size_t)l->margin;
    l->light = malloc(cells(l) * 16);
    l->up = malloc(cells(l) * 32);
    l->count = malloc(counts(l) * sizeof *l->count);
    return l->light && l->up && l->count;
}

static void *open_work(struct nb_device *device, const struct nb_light_style *style)
{
    (void)device;
    struct work *w = calloc(1, sizeof *w);
    if (!w) {
        nb_fail("no memory for the picture");
        return NULL;
    }
    w->style = *style;
    w->levels = nb_level_count(style->height);
    bool good = true;
    for (int k = 0; k < w->levels; k++)
        good &= allocate_level(w, k);
    w->node_width = (style->width + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
    w->node_height = (style->height + NB_LIGHT_NODE - 1) / NB_LIGHT_NODE + 2;
    w->node = malloc(sizeof *w->node * (size_t)w->node_width * (size_t)w->node_height);
    if (good && w->node)
        return w;
    close_work(w);
    nb_fail("no memory for a picture of %dx%d", style->width, style->height);
    return NULL;
}

static int clear(void *state)
{
    struct work *w = state;
    for (int k = 0; k < w->levels; k++)
        memset(w->level[k].light, 0, cells(&w->level[k]) * 16);
    w->put = w->margins = 0;
    return 0;
}

/* ---- the level map ---- */

static void count_bodies(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b)
{
    struct level *fine = &w->level[0];
    double x[BLOCK], y[BLOCK];
    memset(fine->count, 0, counts(fine) * sizeof *fine->count);
    for (uint64_t i = 0; i < b->n; i += BLOCK) {
        int n = b->n - i < BLOCK ? (int)(b->n - i) : BLOCK;
        nb_view_project(view, b->pos, i, n, x, y, NULL);
        for (int k = 0; k < n; k++) {
            double u = x[k] + fine->margin, v = y[k] + fine->margin;
            if (u >= 0 && v >= 0 && u < fine->width + 2 * fine->margin && v < fine->height + 2 * fine->margin &&
                (!b->light || b->light[i + (uint64_t)k] > 0))
                fine->count[(size_t)v * fine->count_stride + (size_t)u] += 1;
        }
    }
    for (int k = 1; k < w->levels; k++) {
        struct level *c = &w->level[k], *f = c - 1;
        int rows = f->height + 2 * f->margin, columns = f->width + 2 * f->margin;
        memset(c->count, 0, counts(c) * sizeof *c->count);
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++)
                c->count[(size_t)(row / 2) * c->count_stride + (size_t)(column / 2)] +=
                    f->count[(size_t)row * f->count_stride + (size_t)column];
    }
}

/* The count of level k at a place in pixels. */
static float count_at(const struct level *l, int k, float x, float y)
{
    float u = x / (float)(1 << k) - 0.5f + (float)l->margin, v = y / (float)(1 << k) - 0.5f + (float)l->margin;
    int column = (int)u, row = (int)v;
    const float *c = l->count + (size_t)row * l->count_stride + (size_t)column;
    float fx = u - (float)column, fy = v - (float)row;
    return (c[0] * (1 - fx) + c[1] * fx) * (1 - fy) +
           (c[l->count_stride] * (1 - fx) + c[l->count_stride + 1] * fx) * fy;
}

static float level_at(const struct work *w, float x, float y)
{
    float before = 0, K = (float)w->style.smooth;
    for (int k = 0; k < w->levels; k++) {
        float count = count_at(&w->level[k], k, x, y);
        if (count >= K)
            return fminf(nb_level_between(k, before, count, K), (float)w->most);
        before = count;
    }
    return (float)w->most;
}

static void map_levels(struct work *w)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < w->node_height; j++)
        for (int i = 0; i < w->node_width; i++)
            w->node[(size_t)j * (size_t)w->node_width + (size_t)i] =
                level_at(w, ((float)i - 0.5f) * NB_LIGHT_NODE, ((float)j - 0.5f) * NB_LIGHT_NODE);
}

/* The level of a place in pixels. */
static float level_of(const struct work *w, double x, double y)
{
    if (w->style.smooth == 0)
        return (float)w->most;
    float u = (float)x / NB_LIGHT_NODE + 0.5f, v = (float)y / NB_LIGHT_NODE + 0.5f;
    u = fminf(fmaxf(u, 0), (float)(w->node_width - 1));
    v = fminf(fmaxf(v, 0), (float)(w->node_height - 1));
    int i = (int)fminf(u, (float)(w->node_width - 2)), j = (int)fminf(v, (float)(w->node_height - 2));
    float fx = u - (float)i, fy = v - (float)j;
    const float *a = w->node + (size_t)j * (size_t)w->node_width + (size_t)i, *c = a + w->node_width;
    return (a[0] * (1 - fx) + a[1] * fx) * (1 - fy) + (c[0] * (1 - fx) + c[1] * fx) * fy;
}

/* ---- bodies ---- */

static bool holds(const struct level *l, int k, double x, double y)
{
    double u = floor(ldexp(x, -k)), v = floor(ldexp(y, -k));
    return u >= 1 - BORDER && v >= 1 - BORDER && u <= l->width + BORDER - 2 && v <= l->height + BORDER - 2;
}

static void put_spline(struct work *w, int k, double x, double y, const float colour[4], float share)
{
    const struct level *l = &w->level[k];
    double u = ldexp(x, -k), v = ldexp(y, -k);
    int column = (int)floor(u), row = (int)floor(v);
    float wx[3], wy[3];
    nb_spline_weights((float)(u - column) - 0.5f, wx);
    nb_spline_weights((float)(v - row) - 0.5f, wy);
    double *corner = l->up + 4 * ((size_t)(row + BORDER - 1) * l->stride + (size_t)(column + BORDER - 1));
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 4; d++)
                corner[4 * ((size_t)j * l->stride + (size_t)i) + (size_t)d] +=
                    (double)(share * wx[i] * wy[j] * colour[d]);
    w->put += (double)share * (double)colour[3];
}

/* Into level k, or the first above it that holds the body, as far as light of level m goes there. */
static void put_from(struct work *w, int k, float m, double x, double y, const float colour[4], float share)
{
    int j = k;
    while (j < w->levels && !holds(&w->level[j], j, x, y))
        j++;
    if (j > k)
        share *= nb_level_keeps(0, (float)j - m);
    if (j < w->levels && share > 0)
        put_spline(w, j, x, y, colour, share);
}

static void put_body(struct work *w, const struct nb_light_bodies *b, uint64_t i, double x, double y, float near)
{
    float light = (b->light ? b->light[i] : 1) * near * near * (float)b->share, colour[4];
    if (!(light > 0 && light <= NB_LIGHT_MOST) || (b->value && !(fabsf(b->value[i]) <= NB_LIGHT_MOST)))
        return;
    float raise = fminf(near > 1 ? log2f(near) : 0, (float)(w->levels - 1)), m = fmaxf(level_of(w, x, y), raise);
    int k = (int)raise;
    uint16_t step = b->step ? b->step[i] : b->level_step ? b->level_step[(int)(16 * m)] : 0;
    for (int d = 0; d < 4; d++)
        colour[d] = light * (d == 3 ? 1 : b->value ? (d == 0 ? b->value[i] : 0) : b->ramp[step][d]);
    put_from(w, k, m, x, y, colour, 1 - (raise - (float)k));
    if (raise > (float)k)
        put_from(w, k + 1, m, x, y, colour, raise - (float)k);
}

static void set_most(struct work *w, uint64_t n)
{
    const struct nb_light_style *s = &w->style;
    double radius = s->radius > 0 ? s->radius : nb_light_radius(s->height, n);
    w->most = s->smooth > 0 ? nb_level_most(s->height) : fmin(fmax(log2(radius / 1.5), 0), w->levels - 1);
}

static void put_bodies(struct work *w, const struct nb_view *view, const struct nb_light_bodies *b)
{
    double x[BLOCK], y[BLOCK];
    float near[BLOCK];
    for (int k = 0; k < w->levels; k++)
        memset(w->level[k].up, 0, cells(&w->level[k]) * 32);
    for (uint64_t i = 0; i < b->n; i += BLOCK) {
        int n = b->n - i < BLOCK ? (int)(b->n - i) : BLOCK;
        nb_view_project(view, b->pos, i, n, x, y, near);
        for (int k = 0; k < n; k++)
            put_body(w, b, i + (uint64_t)k, x[k], y[k], near[k]);
    }
}

/* What level k keeps of what is on its way upwards, and the rest one level up. */
static void send_up(struct work *w, int k)
{
    const struct level *f = &w->level[k], *c = f + 1;
    const float stars = k == 0 ? (float)w->style.stars : 0, size = (float)(1 << k);
    for (int y = -BORDER; y < f->height + BORDER; y++)
        for (int x = -BORDER; x < f->width + BORDER; x++) {
            float m = level_of(w, ((float)x + 0.5f) * size, ((float)y + 0.5f) * size);
            float keeps = k == w->levels - 1 ? 1 : stars + (1 - stars) * nb_level_keeps(k, m);
            float *light = cell(f, x, y);
            const double *up = f->up + (light - f->light);
            for (int d = 0; d < 4; d++)
                light[d] += keeps * (float)up[d];
            if (keeps == 1)
                continue;
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++) {
                    int cx = (x >> 1) + (i ? (x & 1 ? 1 : -1) : 0), cy = (y >> 1) + (j ? (y & 1 ? 1 : -1) : 0);
                    float part = (1 - keeps) * (i ? 0.25f : 0.75f) * (j ? 0.25f : 0.75f);
                    double *to = c->up + (cell(c, cx, cy) - c->light);
                    for (int d = 0; d < 4; d++)
                        to[d] += (double)part * up[d];
                }
        }
}

static int put(void *state, const struct nb_view *view, const struct nb_light_bodies *b)
{
    struct work *w = state;
    set_most(w, b->n);
    if (w->style.smooth > 0) {
        count_bodies(w, view, b);
        map_levels(w);
    }
    put_bodies(w, view, b);
    for (int k = 0; k < w->levels; k++)
        send_up(w, k);
    return 0;
}

/* ---- refinement and bloom ---- */

/* Adds level k + 1, refined, to level k; what does not fit into that one is in the margin for good. */
static void refine(struct work *w, int k)
{
    const struct level *f = &w->level[k], *c = f + 1;
    for (int y = -BORDER; y < f->height + BORDER; y++)
        for (int x = -BORDER; x < f->width + BORDER; x++) {
            int cx = x >> 1, cy = y >> 1, ox = x & 1 ? 1 : -1, oy = y & 1 ? 1 : -1;
            const float *a = cell(c, cx, cy), *b = cell(c, cx + ox, cy);
            const float *e = cell(c, cx, cy + oy), *g = cell(c, cx + ox, cy + oy);
            float *to = cell(f, x, y);
            for (int d = 0; d < 4; d++)
                to[d] += 0.25f * (0.75f * (0.75f * a[d] + 0.25f * b[d]) + 0.25f * (0.75f * e[d] + 0.25f * g[d]));
        }
    for (int y = -BORDER; y < c->height + BORDER; y++)
        for (int x = -BORDER; x < c->width + BORDER; x++)
            w->margins +=
                (double)((1 - nb_level_refined(x, f->width) * nb_level_refined(y, f->height)) * cell(c, x, y)[3]);
}

/* Level k + 1 becomes level k, restricted. */
static void restrict_level(struct work *w, int k)
{
    const struct level *f = &w->level[k], *c = f + 1;
    memset(c->light, 0, cells(c) * 16);
    for (int y = -BORDER; y < f->height + BORDER; y++)
        for (int x = -BORDER; x < f->width + BORDER; x++)
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++) {
                    int cx = (x >> 1) + (i ? (x & 1 ? 1 : -1) : 0), cy = (y >> 1) + (j ? (y & 1 ? 1 : -1) : 0);
                    float part = (i ? 0.25f : 0.75f) * (j ? 0.25f : 0.75f);
                    for (int d = 0; d < 4; d++)
                        cell(c, cx, cy)[d] += part * cell(f, x, y)[d];
                }
}

static void bloom(struct work *w)
{
    float weight[NB_LIGHT_LEVELS_MAX];
    nb_bloom_weights(w->style.height, w->levels, w->style.bloom, weight);
    for (int k = 0; k < w->levels - 1; k++)
        restrict_level(w, k);
    for (int k = 0; k < w->levels; k++)
        for (size_t i = 0; i < 4 * cells(&w->level[k]); i++)
            w->level[k].light[i] *= weight[k];
    for (int k = w->levels - 2; k >= 0; k--)
        refine(w, k);
}

static int finish(void *state)
{
    struct work *w = state;
    for (int k = w->levels - 2; k >= 0; k--)
        refine(w, k);
    if (w->style.bloom > 0)
        bloom(w);
    return 0;
}

/* ---- what comes out ---- */

/* Light of the cell of size x size pixels whose upper left one is (x, y), and how many of these are in the picture. */
static double light_of_place(const struct work *w, int x, int y, int size, int *pixels)
{
    double light = 0;
    *pixels = 0;
    for (int j = y; j < y + size && j < w->style.height; j++)
        for (int i = x; i < x + size && i < w->style.width; i++) {
            light += (double)cell(&w->level[0], i, j)[3];
            (*pixels)++;
        }
    return light;
}

static int measure(void *state, struct nb_light_histogram *h)
{
    const struct work *w = state;
    double area = (double)w->style.height * w->style.height;
    int size = nb_light_place(w->style.height), pixels;
    for (int y = 0; y < w->style.height; y += size)
        for (int x = 0; x < w->style.width; x += size) {
            double light = light_of_place(w, x, y, size, &pixels);
            if (!(light > 0))
                continue;
            int k = (int)floor(log2(light * area / pixels) * NB_LIGHT_OCTAVE) + NB_LIGHT_ZERO;
            h->light[k < 0 ? 0 : k >= NB_LIGHT_BUCKETS ? NB_LIGHT_BUCKETS - 1 : k] += light;
            h->total += light;
        }
    return 0;
}

static uint16_t level_of_display(float shown)
{
    return (uint16_t)(int)(NB_TONE_FULL * shown + 0.5f);
}

static int tone_picture(void *state, const struct nb_tone *tone, uint16_t *const plane[3])
{
    const struct work *w = state;
    const struct nb_tone curve = *tone;
    const float scale = curve.inverse_soft * (float)w->style.height * (float)w->style.height;
    const int width = w->style.width;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < w->style.height; y++) {
        const float *restrict p = cell(&w->level[0], 0, y);
        size_t at = (size_t)y * (size_t)width;
        uint16_t *restrict red = plane[0] + at, *restrict green = plane[1] + at, *restrict blue = plane[2] + at;
        for (int x = 0; x < width; x++) {
            struct nb_shown shown = nb_tone_pixel(&curve, scale, p[4 * x], p[4 * x + 1], p[4 * x + 2], p[4 * x + 3]);
            red[x] = level_of_display(shown.red);
            green[x] = level_of_display(shown.green);
            blue[x] = level_of_display(shown.blue);
        }
    }
    return 0;
}

static int fetch(void *state, float *pixels)
{
    const struct work *w = state;
    for (int y = 0; y < w->style.height; y++)
        memcpy(pixels + 4 * (size_t)y * (size_t)w->style.width, cell(&w->level[0], 0, y), 16 * (size_t)w->style.width);
    return 0;
}

static int sums(void *state, struct nb_light_sums *s)
{
    const struct work *w = state;
    const struct level *l = &w->level[0];
    *s = (struct nb_light_sums){.put = w->put, .margins = w->margins};
    for (int y = -BORDER; y < l->height + BORDER; y++)
        for (int x = -BORDER; x < l->width + BORDER; x++) {
            bool inside = x >= 0 && y >= 0 && x < l->width && y < l->height;
            *(inside ? &s->picture : &s->margins) += (double)cell(l, x, y)[3];
        }
    return 0;
}

const struct nb_light_row nb_light_cpu = {"cpu",  open_work, close_work,   clear, put,
                                          finish, measure,   tone_picture, fetch, sums};
