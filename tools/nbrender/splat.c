#include "splat.h"

#include "tool.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK             16384 /* bodies that sort themselves together; their records fit the second cache */
#define BATCH             128   /* chunks before the strips are drawn: bounds the work space */
#define RADIUS_MAX        32
#define BLOCK             1024 /* bodies projected together: their places fit the first cache */
#define PLACE_BITS        10   /* of a pixel's fraction in a record */
#define SPLINE            1.5  /* radius of the quadratic spline */
#define NARROW_STRIP_BITS 4    /* rows of a strip, as a power of two: for the spline, reach 1 */
#define WIDE_STRIP_BITS   6    /* for disks, reach up to RADIUS_MAX */

/* A body on the canvas: its place from the canvas' corner in units of 2^-PLACE_BITS pixels, its step of the ramp. */
struct spot {
    uint64_t x : 26, y : 26, step : 12;
};

struct splat {
    int strip_bits; /* a strip has 1 << strip_bits rows, at least twice a spot's reach */
    int strips;
    struct spot *spots; /* BATCH chunks of CHUNK, each sorted by strip */
    uint32_t *begin;    /* for each chunk strips + 2 indices into its spots, the last one unused */
    struct colour_ramp ramp;
};

/* ---- the canvas ---- */

static double largest_radius(int height)
{
    return fmax(SPLINE, fmin(height / 70.0, RADIUS_MAX));
}

struct canvas *canvas_create(int width, int height)
{
    struct canvas *c = calloc(1, sizeof *c);
    /* A spot's centre may lie its radius outside, and its light reach as far again. */
    int border = 2 * (int)ceil(largest_radius(height)) + 1;
    if (!c)
        die("no memory for the picture");
    *c = (struct canvas){.width = width, .height = height, .border = border};
    c->rows = height + 2 * border;
    c->stride = (size_t)width + 2 * (size_t)border;
    c->light = aligned_alloc(NB_ALIGN, (c->stride * (size_t)c->rows * 16 + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN);
    if (!c->light)
        die("no memory for a picture of %dx%d", width, height);
    return c;
}

void canvas_destroy(struct canvas *c)
{
    free(c->light);
    free(c);
}

void canvas_clear(struct canvas *c)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < c->rows; y++)
        memset(c->light + 4 * c->stride * (size_t)y, 0, 16 * c->stride);
}

/* ---- the spots of a chunk, sorted by strip ---- */

static void set_strips(struct splat *s, const struct canvas *c, int strip_bits)
{
    s->strip_bits = strip_bits;
    s->strips = ((c->rows - 1) >> strip_bits) + 1;
}

struct splat *splat_create(const struct canvas *c)
{
    struct splat *s = calloc(1, sizeof *s);
    if (!s)
        die("no memory for the picture");
    set_strips(s, c, NARROW_STRIP_BITS);
    s->spots = malloc(sizeof *s->spots * BATCH * CHUNK);
    s->begin = malloc(sizeof *s->begin * BATCH * (size_t)(s->strips + 2));
    if (!s->spots || !s->begin)
        die("no memory for the picture");
    colour_ramp_fill(&s->ramp);
    return s;
}

void splat_destroy(struct splat *s)
{
    free(s->spots);
    free(s->begin);
    free(s);
}

/* Spots of the bodies on the canvas; returns how many. */
static int make_spots(const struct canvas *c, double radius, const double *x, const double *y, const uint16_t *step,
                      int count, struct spot *spots)
{
    const double unit = 1 << PLACE_BITS, border = c->border;
    const double right = c->width + radius, bottom = c->height + radius;
    int kept = 0;
    for (int k = 0; k < count; k++) {
        bool inside = x[k] > -radius && x[k] < right && y[k] > -radius && y[k] < bottom; /* false for NAN */
        uint32_t at_x = inside ? (uint32_t)((x[k] + border) * unit + 0.5) : 0;
        uint32_t at_y = inside ? (uint32_t)((y[k] + border) * unit + 0.5) : 0;
        spots[kept] = (struct spot){at_x & 0x3ffffff, at_y & 0x3ffffff, step[k] & 0xfffu};
        kept += inside;
    }
    return kept;
}

static unsigned strip_of(const struct splat *s, struct spot spot)
{
    return (unsigned)(spot.y >> PLACE_BITS) >> s->strip_bits;
}

/* Counting sort. Counts are stored two places further, so that placing the spots moves each beginning to where it
 * belongs. */
static void sort_spots(const struct splat *s, const struct spot *from, int count, struct spot *to, uint32_t *begin)
{
    memset(begin, 0, sizeof *begin * (size_t)(s->strips + 2));
    for (int k = 0; k < count; k++)
        begin[strip_of(s, from[k]) + 2]++;
    for (int k = 0; k < s->strips; k++)
        begin[k + 2] += begin[k + 1];
    for (int k = 0; k < count; k++)
        to[begin[strip_of(s, from[k]) + 1]++] = from[k];
}

struct job {
    const struct nb_column *pos, *vel;
    uint64_t n;
    const struct camera *camera;
    const struct colour_scale *scale;
    double radius;
};

/* Bodies [i0, i0 + CHUNK) into place `slot` of the work space. */
static void fill_chunk(struct splat *s, const struct canvas *c, const struct job *job, uint64_t i0, int slot)
{
    double x[BLOCK], y[BLOCK];
    uint16_t step[BLOCK];
    struct spot spots[CHUNK];
    uint64_t end = i0 + CHUNK < job->n ? i0 + CHUNK : job->n;
    int kept = 0;
    for (uint64_t i = i0; i < end; i += BLOCK) {
        int count = end - i < BLOCK ? (int)(end - i) : BLOCK;
        camera_project(job->camera, job->pos, i, count, x, y);
        colour_of_speed(job->scale, job->vel, i, count, step);
        kept += make_spots(c, job->radius, x, y, step, count, spots + kept);
    }
    sort_spots(s, spots, kept, s->spots + (size_t)slot * CHUNK, s->begin + (size_t)slot * (size_t)(s->strips + 2));
}

/* ---- spots on the canvas ---- */

static float *pixel_of(const struct canvas *c, struct spot spot)
{
    return c->light + 4 * ((spot.y >> PLACE_BITS) * c->stride + (spot.x >> PLACE_BITS));
}

/* Distance from the middle of the pixel, -0.5 to 0.5 pixels. */
static float offset_of(uint64_t place)
{
    const uint64_t unit = 1 << PLACE_BITS;
    return (float)(place & (unit - 1)) / (float)unit - 0.5f;
}

static void spline_weights(float offset, float weight[3])
{
    weight[0] = 0.5f * (0.5f - offset) * (0.5f - offset);
    weight[1] = 0.75f - offset * offset;
    weight[2] = 0.5f * (0.5f + offset) * (0.5f + offset);
}

/* Adds weighted colour to three pixels of a row; four channels at once, the colour being in registers. */
static inline void add_row(float *restrict pixel, const float weight[3], float wy, const float colour[4])
{
    for (int x = 0; x < 3; x++)
        for (int d = 0; d < 4; d++)
            pixel[4 * x + d] += weight[x] * wy * colour[d];
}

static void draw_splines(const struct splat *s, struct canvas *c, const struct spot *spots, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        float *pixel = pixel_of(c, spots[k]) - 4 * (c->stride + 1), wx[3], wy[3], colour[4];
        memcpy(colour, s->ramp.step[spots[k].step], sizeof colour);
        spline_weights(offset_of(spots[k].x), wx);
        spline_weights(offset_of(spots[k].y), wy);
        for (int y = 0; y < 3; y++)
            add_row(pixel + 4 * c->stride * (size_t)y, wx, wy[y], colour);
    }
}

/* Fills in the weights (1 - r2/R2)^2 of the pixels within R of the spot, their sum 1; returns the reach in pixels. */
static int disk_weights(float radius, float dx, float dy, float weight[2 * RADIUS_MAX + 1][2 * RADIUS_MAX + 1])
{
    int reach = (int)ceilf(radius);
    float sum = 0;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++) {
            float rx = (float)x - dx, ry = (float)y - dy;
            float inside = fmaxf(1 - (rx * rx + ry * ry) / (radius * radius), 0);
            sum += weight[y + reach][x + reach] = inside * inside;
        }
    for (int y = 0; y <= 2 * reach; y++)
        for (int x = 0; x <= 2 * reach; x++)
            weight[y][x] /= sum;
    return reach;
}

static void draw_disk(const struct splat *s, struct canvas *c, struct spot spot, float radius)
{
    float weight[2 * RADIUS_MAX + 1][2 * RADIUS_MAX + 1];
    int reach = disk_weights(radius, offset_of(spot.x), offset_of(spot.y), weight);
    float *pixel = pixel_of(c, spot) - 4 * ((size_t)reach * c->stride + (size_t)reach);
    for (int y = 0; y <= 2 * reach; y++, pixel += 4 * c->stride)
        for (int x = 0; x <= 2 * reach; x++)
            for (int d = 0; d < 3; d++)
                pixel[4 * x + d] += weight[y][x] * s->ramp.step[spot.step][d];
}

static void draw_strip(const struct splat *s, struct canvas *c, int strip, int chunks, double radius)
{
    for (int k = 0; k < chunks; k++) {
        const uint32_t *begin = s->begin + (size_t)k * (size_t)(s->strips + 2);
        const struct spot *spots = s->spots + (size_t)k * CHUNK + begin[strip];
        uint32_t count = begin[strip + 1] - begin[strip];
        if (radius == SPLINE)
            draw_splines(s, c, spots, count);
        else
            for (uint32_t i = 0; i < count; i++)
                draw_disk(s, c, spots[i], (float)radius);
    }
}

double splat_radius(const struct canvas *c, uint64_t n)
{
    double shrinking = c->height / (38 * sqrt(sqrt((double)n)));
    return fmax(SPLINE, fmin(shrinking, largest_radius(c->height)));
}

void splat_bodies(struct splat *s, struct canvas *c, const struct nb_bodies *b, const struct camera *camera,
                  const struct colour_scale *scale)
{
    const struct job job = {nb_bodies_find(b, "pos"), nb_bodies_find(b, "vel"), b->n, camera, scale,
                            splat_radius(c, b->n)};
    set_strips(s, c, job.radius == SPLINE ? NARROW_STRIP_BITS : WIDE_STRIP_BITS);
    for (uint64_t i0 = 0; i0 < b->n; i0 += (uint64_t)BATCH * CHUNK) {
        uint64_t left = (b->n - i0 - 1) / CHUNK + 1;
        int chunks = left < BATCH ? (int)left : BATCH;
#pragma omp parallel for schedule(dynamic)
        for (int k = 0; k < chunks; k++)
            fill_chunk(s, c, &job, i0 + (uint64_t)k * CHUNK, k);
        for (int odd = 0; odd < 2; odd++)
#pragma omp parallel for schedule(dynamic)
            for (int strip = odd; strip < s->strips; strip += 2)
                draw_strip(s, c, strip, chunks, job.radius);
    }
}
