/* light_pictures.h - for tests of pictures on devices: scenarios, drawn on a device, with their sums. */
#pragma once

#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/device_kind.h"
#include "light/light.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 60000

struct style {
    int width, height;
    double smooth, radius, stars, bloom;
};

struct scenario {
    const char *name;
    struct style style;
    uint64_t n;
    void (*place)(uint64_t n, double *x); /* pixels about the picture's middle, 1000 to its width */
    double inverse_distance;              /* per thousandth of the width */
    bool single, light, steps, level_steps, value;
    int puts;
    bool fills; /* light and steps are computed by nb_light_fill */
};

/* Groups of sizes from a thousandth of the picture to the whole, and some far outside. */
static inline void groups(uint64_t n, double *x)
{
    uint64_t seed = 11;
    for (uint64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            const double size[8] = {1, 4, 20, 60, 150, 300, 600, 3000};
            const double bell = uniform01(&seed) + uniform01(&seed) + uniform01(&seed) - 1.5;
            x[3 * i + (uint64_t)d] = size[i % 8] * bell + (d < 2 ? 90 * (double)(i % 8) - 300 : 0);
        }
}

struct bodies {
    double *f64;
    float *f32, *light, *value;
    uint16_t *step;
    struct nb_column pos;
};

static float ramp[NB_LIGHT_STEPS][4];
static uint16_t level_step[NB_LIGHT_LEVEL_STEPS];

static inline void fill_tables(void)
{
    for (int k = 0; k < NB_LIGHT_STEPS; k++) {
        const float t = (float)k / (NB_LIGHT_STEPS - 1);
        const float colour[4] = {t, 1 - 2 * fabsf(t - 0.5f), 1 - t, 1};
        memcpy(ramp[k], colour, sizeof colour);
    }
    for (int k = 0; k < NB_LIGHT_LEVEL_STEPS; k++)
        level_step[k] = (uint16_t)(k * 7 % NB_LIGHT_STEPS);
}

static inline void *array(uint64_t n, size_t size_bytes)
{
    void *p = malloc(n * size_bytes + 1);
    assert_non_null(p);
    return p;
}

/* Body order[i] of the scenario is the i-th; NULL: as they come. */
static inline struct bodies place_bodies(const struct scenario *s, const uint64_t *order)
{
    struct bodies b = {.f64 = array(s->n, 24),
                       .f32 = array(s->n, 12),
                       .light = array(s->n, 4),
                       .value = array(s->n, 4),
                       .step = array(s->n, 2)};
    double *x = array(s->n, 24);
    s->place(s->n, x);
    for (uint64_t i = 0; i < s->n; i++) {
        const uint64_t from = order ? order[i] : i;
        for (uint64_t d = 0; d < 3; d++) {
            b.f64[3 * i + d] = x[3 * from + d];
            b.f32[3 * i + d] = (float)x[3 * from + d];
        }
        b.light[i] = from % 50 == 0 ? 0 : from == 7 ? 1000 : ldexpf(1 + (float)(from % 5), (int)(from % 11) - 5);
        b.value[i] = (float)(from % 200) - 60;
        b.step[i] = (uint16_t)(from * 31 % NB_LIGHT_STEPS);
    }
    free(x);
    b.pos = (struct nb_column){
        .width = 3, .type = s->single ? NB_F32 : NB_F64, .data = s->single ? (void *)b.f32 : (void *)b.f64};
    return b;
}

static inline void free_bodies(struct bodies *b)
{
    free(b->f64);
    free(b->f32);
    free(b->light);
    free(b->value);
    free(b->step);
}

static inline void fill_piece(void *context, uint64_t i0, int count, float *light, uint16_t *step)
{
    const struct bodies *b = context;
    assert_true(count > 0 && count <= NB_LIGHT_PIECE);
    if (light)
        memcpy(light, b->light + i0, sizeof *light * (size_t)count);
    if (step)
        memcpy(step, b->step + i0, sizeof *step * (size_t)count);
}

/* ---- pictures ---- */

struct result {
    float *pixels;
    uint16_t *plane[3];
    struct nb_light_sums sums;
    struct nb_light_histogram histogram;
};

static inline struct nb_view make_view(const struct scenario *s, int put)
{
    const double scale = s->style.width / 1000.0;
    return (struct nb_view){.centre = {3.0 * put, 0, 0},
                            .right = {1, 0, 0},
                            .up = {0, 0.8, 0.6},
                            .back = {0, -0.6, 0.8},
                            .scale = scale,
                            .inverse_distance = s->inverse_distance,
                            .middle_x = 0.5 * s->style.width,
                            .middle_y = 0.5 * s->style.height};
}

static inline size_t pixels_of(const struct scenario *s)
{
    return (size_t)s->style.width * (size_t)s->style.height;
}

/* With the tone of `like`, or its own where that is NULL. */
static inline void draw(struct nb_device *device, const struct scenario *s, const uint64_t *order,
                        const struct result *like, struct result *r)
{
    struct nb_light_style style = {.width = s->style.width,
                                   .height = s->style.height,
                                   .smooth = s->style.smooth,
                                   .radius = s->style.radius,
                                   .stars = s->style.stars,
                                   .bloom = s->style.bloom};
    struct nb_tone tone;
    struct nb_light *l = nb_light_open(device, &style);
    if (!l)
        fail_msg("%s: %s", s->name, nb_error());
    struct bodies own = place_bodies(s, order);
    struct nb_light_bodies b = {.n = s->n,
                                .pos = &own.pos,
                                .light = s->light && !s->fills ? own.light : NULL,
                                .step = s->steps && !s->fills ? own.step : NULL,
                                .fill = s->fills ? fill_piece : NULL,
                                .context = &own,
                                .fills_light = s->light,
                                .fills_step = s->steps,
                                .ramp = s->value ? NULL : ramp,
                                .level_step = s->level_steps ? level_step : NULL,
                                .value = s->value ? own.value : NULL,
                                .share = 1.0 / s->puts};
    *r = (struct result){.pixels = array(pixels_of(s), 16)};
    for (int k = 0; k < 3; k++)
        r->plane[k] = array(pixels_of(s), 2);
    for (int round = 0; round < 2; round++) { /* the first leaves nothing behind */
        assert_int_equal(nb_light_clear(l), 0);
        for (int put = round == 0 && s->puts > 1 ? 1 : 0; put < s->puts; put++) {
            struct nb_view view = make_view(s, put);
            if (nb_light_put(l, &view, &b))
                fail_msg("%s: %s", s->name, nb_error());
        }
        assert_int_equal(nb_light_finish(l), 0);
    }
    assert_int_equal(nb_light_measure(l, &r->histogram), 0);
    nb_tone_expose(&tone, like ? &like->histogram : &r->histogram, 1);
    if (nb_light_tone(l, &tone, r->plane) || nb_light_fetch(l, r->pixels) || nb_light_sums(l, &r->sums))
        fail_msg("%s: %s", s->name, nb_error());
    free_bodies(&own);
    nb_light_close(l);
}

static inline void free_result(struct result *r)
{
    free(r->pixels);
    for (int k = 0; k < 3; k++)
        free(r->plane[k]);
}

/* ---- devices ---- */

static inline struct nb_device *other_device(void)
{
    for (const struct nb_light_backend *const *backend = nb_light_backends; *backend; backend++)
        if (strcmp((*backend)->device, "cpu") != 0)
            return device_of((*backend)->device);
    return NULL;
}

/* Skips where there is none. */
static inline struct nb_device *need_device(void)
{
    struct nb_device *device = other_device();
    if (!device) {
        print_message("# no other device than the CPU: %s\n", nb_error());
        skip();
    }
    return device;
}

static inline void check_equal(const struct scenario *s, const char *what, const struct result *a,
                               const struct result *b)
{
    bool same = memcmp(a->pixels, b->pixels, 16 * pixels_of(s)) == 0 &&
                memcmp(&a->histogram, &b->histogram, sizeof a->histogram) == 0 &&
                memcmp(&a->sums, &b->sums, sizeof a->sums) == 0;
    for (int k = 0; k < 3; k++)
        same = same && memcmp(a->plane[k], b->plane[k], 2 * pixels_of(s)) == 0;
    if (!same)
        fail_msg("%s: %s is not equal byte by byte", s->name, what);
}

static inline int fill_tables_once(void **state)
{
    (void)state;
    fill_tables();
    return 0;
}
