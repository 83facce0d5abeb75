/* Pictures on every device that is here, against the CPU's: pixels after tone within one level of 8 bits, sums within
 * 1e-5, equal bytes from call to call and in any order of the bodies. */
#include "device/device_kind.h"
#include "devices.h"
#include "light/light.h"

#include <stdio.h>

#define LEVEL 257 /* one of 8 bits, in planes of 16 */
#define MOST  60000

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
};

/* ---- bodies ---- */

static double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Groups of sizes from a thousandth of the picture to the whole, and some far outside. */
static void groups(uint64_t n, double *x)
{
    uint64_t seed = 11;
    for (uint64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            const double size[8] = {1, 4, 20, 60, 150, 300, 600, 3000};
            const double bell = uniform01(&seed) + uniform01(&seed) + uniform01(&seed) - 1.5;
            x[3 * i + (uint64_t)d] = size[i % 8] * bell + (d < 2 ? 90 * (double)(i % 8) - 300 : 0);
        }
}

static void one_place(uint64_t n, double *x)
{
    for (uint64_t i = 0; i < n; i++) {
        x[3 * i] = 33.3;
        x[3 * i + 1] = -47.7;
        x[3 * i + 2] = 5;
    }
}

/* Around and beyond the edges. */
static void edges(uint64_t n, double *x)
{
    uint64_t seed = 5;
    for (uint64_t i = 0; i < n; i++) {
        const double along = 2400 * (uniform01(&seed) - 0.5), off = 520 + 60 * (uniform01(&seed) - 0.5);
        x[3 * i + i % 2] = along;
        x[3 * i + 1 - i % 2] = i % 4 < 2 ? off : -off;
        x[3 * i + 2] = 0;
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

static void fill_tables(void)
{
    for (int k = 0; k < NB_LIGHT_STEPS; k++) {
        const float t = (float)k / (NB_LIGHT_STEPS - 1);
        const float colour[4] = {t, 1 - 2 * fabsf(t - 0.5f), 1 - t, 1};
        memcpy(ramp[k], colour, sizeof colour);
    }
    for (int k = 0; k < NB_LIGHT_LEVEL_STEPS; k++)
        level_step[k] = (uint16_t)(k * 7 % NB_LIGHT_STEPS);
}

static void *array(uint64_t n, size_t size_bytes)
{
    void *p = malloc(n * size_bytes + 1);
    assert_non_null(p);
    return p;
}

/* Body order[i] of the scenario is the i-th; NULL: as they come. */
static struct bodies make_bodies(const struct scenario *s, const uint64_t *order)
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

static void free_bodies(struct bodies *b)
{
    free(b->f64);
    free(b->f32);
    free(b->light);
    free(b->value);
    free(b->step);
}

/* ---- pictures ---- */

struct result {
    float *pixels;
    uint16_t *plane[3];
    struct nb_light_sums sums;
    struct nb_light_histogram histogram;
};

static struct nb_view make_view(const struct scenario *s, int put)
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

static size_t pixels_of(const struct scenario *s)
{
    return (size_t)s->style.width * (size_t)s->style.height;
}

/* With the tone of `like`, or its own where that is NULL. */
static void draw(struct nb_device *device, const struct scenario *s, const uint64_t *order, const struct result *like,
                 struct result *r)
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
    struct bodies own = make_bodies(s, order);
    struct nb_light_bodies b = {.n = s->n,
                                .pos = &own.pos,
                                .light = s->light ? own.light : NULL,
                                .step = s->steps ? own.step : NULL,
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

static void free_result(struct result *r)
{
    free(r->pixels);
    for (int k = 0; k < 3; k++)
        free(r->plane[k]);
}

/* ---- what is held against the CPU ---- */

static void check_sums(const struct scenario *s, const struct result *a, const struct result *truth)
{
    const double put = truth->sums.put, all = truth->histogram.total, near = 1e-5 * put;
    assert_true(put > 0);
    if (fabs(a->sums.put - put) > near || fabs(a->sums.picture - truth->sums.picture) > near ||
        fabs(a->sums.margins - truth->sums.margins) > near || fabs(a->histogram.total - all) > near ||
        fabs(a->sums.picture + a->sums.margins - a->sums.put) > near)
        fail_msg("%s: sums %.9g %.9g %.9g, of the CPU %.9g %.9g %.9g", s->name, a->sums.put, a->sums.picture,
                 a->sums.margins, put, truth->sums.picture, truth->sums.margins);
    for (double q = 0.1; q < 0.95; q += 0.2) {
        const double mine = nb_light_quantile(&a->histogram, q), cpu = nb_light_quantile(&truth->histogram, q);
        if (!(fabs(log2(mine / cpu)) < 0.01))
            fail_msg("%s: %g of the light is below %g, on the CPU %g", s->name, q, mine, cpu);
    }
}

/* Pixels as they are shown; and of the linear picture each channel, where it is not next to nothing: the CPU rounds
 * places to 1/2048 pixel, and a body whose level is rounded otherwise has the next step's colour. */
static void check_pixels(const struct scenario *s, const struct result *a, const struct result *truth)
{
    double sum[4] = {0}, size[4] = {0};
    for (size_t i = 0; i < pixels_of(s); i++) {
        for (int k = 0; k < 3 && !s->value; k++)
            if (abs(a->plane[k][i] - truth->plane[k][i]) > LEVEL)
                fail_msg("%s: pixel %zu is %d in channel %d, on the CPU %d", s->name, i, a->plane[k][i], k,
                         truth->plane[k][i]);
        for (size_t d = 0; d < 4; d++) {
            sum[d] += (double)a->pixels[4 * i + d] - (double)truth->pixels[4 * i + d];
            size[d] += fabs((double)truth->pixels[4 * i + d]);
        }
    }
    /* The CPU's places are off by up to 1/4096 pixel, and so is what comes in over the border. */
    const double width = s->style.width, height = s->style.height, border = 2 * (width + height) / (width * height);
    for (int d = 0; d < 4; d++)
        if (fabs(sum[d]) > (1e-5 + border / 4096) * size[d])
            fail_msg("%s: channel %d differs by %g of %g", s->name, d, sum[d], size[d]);
    for (size_t i = 0; i < 4 * pixels_of(s); i++) {
        const double mean = size[i % 4] / (double)pixels_of(s);
        const double difference = fabs((double)a->pixels[i] - (double)truth->pixels[i]);
        if (!(difference <= 1e-2 * (fabs((double)truth->pixels[i]) + mean)))
            fail_msg("%s: value %zu is %g, on the CPU %g (mean %g)", s->name, i, (double)a->pixels[i],
                     (double)truth->pixels[i], mean);
    }
}

static void check_equal(const struct scenario *s, const char *what, const struct result *a, const struct result *b)
{
    bool same = memcmp(a->pixels, b->pixels, 16 * pixels_of(s)) == 0 &&
                memcmp(&a->histogram, &b->histogram, sizeof a->histogram) == 0 &&
                memcmp(&a->sums, &b->sums, sizeof a->sums) == 0;
    for (int k = 0; k < 3; k++)
        same = same && memcmp(a->plane[k], b->plane[k], 2 * pixels_of(s)) == 0;
    if (!same)
        fail_msg("%s: %s is not equal byte by byte", s->name, what);
}

static uint64_t *shuffled(uint64_t n)
{
    uint64_t *order = array(n, sizeof *order), seed = 3;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t k = (uint64_t)(uniform01(&seed) * (double)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

/* ---- the tests: over the devices but the CPU ---- */

static struct nb_device *other_device(void)
{
    for (const struct nb_light_row *const *row = nb_light_rows; *row; row++)
        if (strcmp((*row)->device, "cpu") != 0)
            return device_of((*row)->device);
    return NULL;
}

/* Skips where there is none. */
static struct nb_device *need_device(void)
{
    struct nb_device *device = other_device();
    if (!device) {
        print_message("# no other device than the CPU: %s\n", nb_error());
        skip();
    }
    return device;
}

static const struct scenario scenarios[] = {
    {"fixed", {640, 360, .radius = 1.5}, MOST, groups, .steps = true, .puts = 1},
    {"fixed by number", {.width = 321, .height = 181}, MOST, groups, .single = true, .steps = true, .puts = 1},
    {"wide", {300, 200, .radius = 20, .stars = 0.1}, 3000, groups, .steps = true, .light = true, .puts = 1},
    {"K 12", {640, 360, .smooth = 12}, MOST, groups, .single = true, .steps = true, .puts = 1},
    {"K 12, light", {641, 359, .smooth = 12}, MOST, groups, .steps = true, .light = true, .puts = 1},
    {"K 1000", {500, 500, .smooth = 1000}, MOST, groups, .steps = true, .puts = 1},
    {"stars", {640, 360, .smooth = 12, .stars = 0.2}, MOST, groups, .steps = true, .light = true, .puts = 1},
    {"bloom", {640, 360, .smooth = 12, .bloom = 0.2, .stars = 0.05}, MOST, groups, .steps = true, .puts = 1},
    {"perspective",
     {640, 360, .smooth = 12, .bloom = 0.1},
     MOST,
     groups,
     0.0015,
     .single = true,
     .steps = true,
     .puts = 1},
    {"perspective, fixed", {333, 777, .radius = 2}, MOST, groups, 0.004, .steps = true, .light = true, .puts = 1},
    {"by level", {640, 360, .smooth = 12, .bloom = 0.1}, MOST, groups, 0.001, .level_steps = true, .puts = 1},
    {"values", {640, 360, .smooth = 12}, MOST, groups, 0.001, .value = true, .light = true, .single = true, .puts = 1},
    {"values, fixed", {200, 100, .radius = 1.5}, MOST, groups, .value = true, .puts = 1},
    {"moments", {640, 360, .smooth = 12, .stars = 0.1, .bloom = 0.1}, 20000, groups, .steps = true, .puts = 3},
    {"edges", {640, 360, .smooth = 12}, 20000, edges, .steps = true, .puts = 1},
    {"edges, wide", {640, 360, .radius = 40}, 20000, edges, .steps = true, .light = true, .puts = 1},
    {"one place", {640, 360, .smooth = 12, .bloom = 0.1}, 1000000, one_place, .single = true, .steps = true, .puts = 1},
    {"one body", {640, 360, .smooth = 12}, 1, one_place, .steps = true, .puts = 1},
    {"one pixel", {1, 1, .smooth = 12, .bloom = 0.5}, 1000, groups, .steps = true, .puts = 1},
    {"a row", {777, 1, .smooth = 12, .stars = 0.5, .bloom = 0.5}, 1000, groups, .steps = true, .puts = 1},
    {"a column", {3, 1000, .smooth = 12, .bloom = 0.5}, 1000, groups, .steps = true, .puts = 1},
    {"HD",
     {1920, 1080, .smooth = 12, .stars = 0.05, .bloom = 0.08},
     MOST,
     groups,
     0.001,
     .steps = true,
     .light = true,
     .puts = 1},
};

static void as_the_cpu(void **state)
{
    (void)state;
    struct nb_device *device = need_device();
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        const struct scenario *s = &scenarios[k];
        struct result cpu, other;
        draw(device_of("cpu"), s, NULL, NULL, &cpu);
        draw(device, s, NULL, &cpu, &other);
        check_sums(s, &other, &cpu);
        check_pixels(s, &other, &cpu);
        free_result(&cpu);
        free_result(&other);
    }
}

static void equal_bytes(void **state)
{
    (void)state;
    struct nb_device *device = need_device();
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        const struct scenario *s = &scenarios[k];
        struct result a, b, c;
        uint64_t *order = shuffled(s->n);
        draw(device, s, NULL, NULL, &a);
        draw(device, s, NULL, NULL, &b);
        draw(device, s, order, NULL, &c);
        check_equal(s, "a second picture", &b, &a);
        check_equal(s, "the picture of bodies in another order", &c, &a);
        free(order);
        free_result(&a);
        free_result(&b);
        free_result(&c);
    }
}

/* A picture without light is black and has no sums. */
static void nothing(void **state)
{
    (void)state;
    struct nb_device *device = need_device();
    struct nb_light_style style = {.width = 64, .height = 36, .smooth = 12, .bloom = 0.1};
    const struct scenario s = {.style = {.width = 64, .height = 36}, .n = 100, .place = groups};
    struct nb_light *l = nb_light_open(device, &style);
    struct bodies own = make_bodies(&s, NULL);
    struct nb_light_bodies b = {.pos = &own.pos, .light = own.light, .step = own.step, .ramp = ramp, .share = 1};
    struct nb_light_histogram h = {0};
    struct nb_light_sums sums;
    struct nb_view view = make_view(&s, 0);
    float *pixels = array(64 * 36, 16);
    assert_non_null(l);
    memset(own.light, 0, 400);
    assert_int_equal(nb_light_clear(l), 0);
    for (b.n = 0; b.n <= 100; b.n += 100)
        assert_int_equal(nb_light_put(l, &view, &b), 0);
    assert_int_equal(nb_light_finish(l), 0);
    assert_int_equal(nb_light_fetch(l, pixels), 0);
    assert_int_equal(nb_light_sums(l, &sums), 0);
    assert_int_equal(nb_light_measure(l, &h), 0);
    assert_true(sums.put == 0 && sums.picture == 0 && sums.margins == 0 && h.total == 0);
    for (int i = 0; i < 4 * 64 * 36; i++)
        assert_true(pixels[i] == 0);
    free(pixels);
    free_bodies(&own);
    nb_light_close(l);
}

/* ---- on every device, the CPU too: at the right and lower edge, where cells are not whole ---- */

/* One body at each of n places in pixels, of light 1. */
static struct nb_light *draw_places(struct nb_device *device, uint64_t n, double (*place)[3])
{
    const struct nb_light_style style = {.width = 641, .height = 359, .smooth = 2};
    const struct nb_view view = {.right = {1, 0, 0}, .up = {0, -1, 0}, .back = {0, 0, 1}, .scale = 1};
    struct nb_column pos = {.width = 3, .type = NB_F64, .data = place};
    const uint16_t step[100] = {0};
    const struct nb_light_bodies b = {.n = n, .pos = &pos, .step = step, .ramp = ramp, .share = 1};
    struct nb_light *l = nb_light_open(device, &style);
    assert_true(l && n <= 100);
    assert_int_equal(nb_light_clear(l), 0);
    assert_int_equal(nb_light_put(l, &view, &b), 0);
    assert_int_equal(nb_light_finish(l), 0);
    return l;
}

static const double most_level = 5.487840034; /* log2(359 / 8) */

/* Where no cell holds K a body in the last cell of the margin of level 6 has the share that goes there. */
static void check_last_cells(struct nb_device *device)
{
    double places[2][3] = {{831.9, 100.1, 0}, {200.2, 511.9, 0}};
    for (int k = 0; k < 2; k++) {
        struct nb_light_sums sums;
        struct nb_light *l = draw_places(device, 1, &places[k]);
        assert_int_equal(nb_light_sums(l, &sums), 0);
        assert_true(fabs(sums.put - (1 - (6 - most_level))) < 1e-5);
        nb_light_close(l);
    }
}

/* A body at the right edge, where there is no other, is as wide as the map says, whatever is at the left edge: a crowd
 * that takes the level there to 0. Its light is highest at 9/16 over a cell of its level. */
static void check_edge_of_map(struct nb_device *device)
{
    double places[100][3] = {{640.5, 161, 0}};
    float *pixels = array(641 * 359, 16), most = 0;
    for (int k = 1; k < 100; k++) { /* at nodes of the map */
        places[k][0] = -0.5 * NB_LIGHT_NODE;
        places[k][1] = (38 + k % 11 - 0.5) * NB_LIGHT_NODE;
    }
    struct nb_light *l = draw_places(device, 100, places);
    assert_int_equal(nb_light_fetch(l, pixels), 0);
    for (size_t y = 0; y < 359; y++)
        for (size_t x = 400; x < 641; x++)
            most = fmaxf(most, pixels[4 * (641 * y + x) + 3]);
    assert_true(most > 0.2f * exp2f(-2 * (float)most_level) && most < 1.2f * exp2f(-2 * (float)most_level));
    free(pixels);
    nb_light_close(l);
}

static void edges_are_whole(void **state)
{
    (void)state;
    check_last_cells(device_of("cpu"));
    check_edge_of_map(device_of("cpu"));
    if (other_device()) {
        check_last_cells(other_device());
        check_edge_of_map(other_device());
    }
}

static int memory_of_20_mb(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d;
    *free_bytes = 20e6;
    *total_bytes = 1e9;
    return 0;
}

/* Bodies that do not all fit into the device's memory (30 bytes each, and 16 while they are drawn) are drawn in parts,
 * to the same bytes. */
static void little_memory(void **state)
{
    (void)state;
    const struct scenario s = {"little memory", {64, 36, .smooth = 12}, 1000003,  groups,
                               .steps = true,   .light = true,          .puts = 1};
    struct nb_device *device = need_device();
    const struct nb_device_kind *kind = device->kind;
    struct nb_device_kind little = *kind;
    struct result all, parts;
    draw(device, &s, NULL, NULL, &all);
    little.memory = memory_of_20_mb;
    device->kind = &little;
    draw(device, &s, NULL, NULL, &parts);
    device->kind = kind;
    check_equal(&s, "a picture drawn with little memory", &parts, &all);
    free_result(&all);
    free_result(&parts);
}

static int setup(void **state)
{
    (void)state;
    fill_tables();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_cpu),      cmocka_unit_test(equal_bytes),   cmocka_unit_test(nothing),
        cmocka_unit_test(edges_are_whole), cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
