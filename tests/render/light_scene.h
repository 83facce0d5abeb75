/* light_scene.h - for tests of pictures: bodies with positions in pixels, drawn and fetched. */
#pragma once

#include "base/error.h"
#include "device/choose.h"
#include "light/light.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct scene {
    struct nb_device *device;
    struct nb_light_style style;
    struct nb_view view; /* x of a body is its pixel, y is 0 on top */
    struct nb_column pos;
    struct nb_light_bodies bodies;
    float ramp[NB_LIGHT_STEPS][4]; /* all white, unless a test changes it */
    float *pixels;                 /* of the last picture */
    struct nb_light_sums sums;
};

/* A place that the CPU's row keeps exactly: middles of steps of 2^-11 pixels. */
static inline double exact_place(double x)
{
    return (floor(x * 2048) + 0.5) / 2048;
}

static inline struct scene *scene_open(int width, int height, uint64_t n)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->device = nb_device_choose("cpu");
    assert_non_null(s->device);
    s->style = (struct nb_light_style){.width = width, .height = height, .radius = 1.5};
    s->view = (struct nb_view){.right = {1}, .up = {0, -1}, .back = {0, 0, 1}, .scale = 1};
    s->pos = (struct nb_column){.type = NB_F64, .width = 3, .data = calloc(n, 24)};
    s->bodies = (struct nb_light_bodies){.n = n, .pos = &s->pos, .ramp = s->ramp, .share = 1};
    s->bodies.step = calloc(n, sizeof *s->bodies.step);
    s->pixels = calloc((size_t)width * (size_t)height, 16);
    for (int k = 0; k < NB_LIGHT_STEPS; k++)
        for (int d = 0; d < 4; d++)
            s->ramp[k][d] = 1;
    assert_true(s->pos.data && s->bodies.step && s->pixels);
    return s;
}

static inline void scene_close(struct scene *s)
{
    nb_device_close(s->device);
    free(s->pos.data);
    free((void *)s->bodies.step);
    free(s->pixels);
    free(s);
}

static inline double *place_of(struct scene *s, uint64_t i)
{
    return (double *)s->pos.data + 3 * i;
}

static inline void scene_fetch(struct scene *s, struct nb_light *l)
{
    assert_int_equal(nb_light_finish(l), 0);
    assert_int_equal(nb_light_fetch(l, s->pixels), 0);
    assert_int_equal(nb_light_sums(l, &s->sums), 0);
}

static inline void scene_draw(struct scene *s)
{
    struct nb_light *l = nb_light_open(s->device, &s->style);
    assert_non_null(l);
    assert_int_equal(nb_light_clear(l), 0);
    assert_int_equal(nb_light_put(l, &s->view, &s->bodies), 0);
    scene_fetch(s, l);
    nb_light_close(l);
}

/* Channel d of a pixel; 3: light. */
static inline double pixel(const struct scene *s, int x, int y, int d)
{
    return (double)s->pixels[4 * ((size_t)y * (size_t)s->style.width + (size_t)x) + (size_t)d];
}

/* Numbers from 0 to 1, the same in every run. */
static inline double random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Bodies about `clusters` points, as dense towards the middle of each as 1/r. */
static inline void fill_clusters(struct scene *s, int clusters, double radius)
{
    uint64_t state = 7;
    for (uint64_t i = 0; i < s->bodies.n; i++) {
        double r = radius * random_number(&state), angle = 2 * M_PI * random_number(&state);
        double c = (double)(i % (uint64_t)clusters), *p = place_of(s, i);
        p[0] = s->style.width * (0.5 + 0.2 * cos(2.4 * c)) + r * cos(angle);
        p[1] = s->style.height * (0.5 + 0.2 * sin(2.4 * c)) + r * sin(angle);
        p[2] = r * (2 * random_number(&state) - 1);
    }
}
