/* Pictures on every available device, compared with those of the CPU: pixels after tone mapping within one level of 8
 * bits, sums within 1e-5, identical bytes from call to call and in any order of the bodies. */
#include "light_pictures.h"

#define LEVEL 257 /* one of 8 bits, in planes of 16 */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_cpu),
        cmocka_unit_test(equal_bytes),
    };
    return cmocka_run_group_tests_name("light_devices", tests, fill_tables_once, NULL);
}
