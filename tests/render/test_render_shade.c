/* The colour and the light of each body: shades compared with counts that the test computes. The parts of the tool
 * are compiled into this test. */
#include "nbrender/basis/galaxies.c"
#include "nbrender/basis/numbers.c"
#include "nbrender/basis/quantity.c"
#include "nbrender/colour/about.c"
#include "nbrender/colour/planck.c"
#include "nbrender/colour/ramp.c"
#include "nbrender/colour/scale.c"
#include "nbrender/colour/shade.c"
#include "nbrender/colour/stars.c"
#include "nbrender/colour/tables.c"
#include "nbrender/colour/weight.c"
#include "render_bodies.h"
#include "render_colours.h"
#include <omp.h>

static struct nb_light_bodies shade_all(struct shade *s, const struct nb_bodies *b)
{
    struct nb_light_bodies to = {0};
    shade_survey(s, b);
    shade_settle(s, 0);
    shade_fill(s, b, &to);
    return to;
}

static void test_equal_masses(void **state)
{
    (void)state;
    for (enum nb_type type = NB_F32; type <= NB_F64; type++)
        for (double mass = 0; mass < 1; mass += 0.3) {
            struct nb_bodies b;
            struct shade *s = shade_create(&colour_defaults);
            make_coloured(&b, 3000, type);
            for (uint64_t i = 0; i < b.n; i++)
                put(&b, 0, i, 0, mass);
            struct nb_light_bodies to = shade_all(s, &b);
            assert_true(to.n == 3000 && !to.light && to.step); /* 1 each */
            shade_destroy(s);
            nb_bodies_free(&b);
        }
}

/* A black hole of 30 % of the mass has the light of 100 bodies; a mean body has 1; light goes with the mass. */
static void test_heavy_body(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct shade *s = shade_create(&colour_defaults);
    make_coloured(&b, 10001, NB_F64);
    double sum = 0;
    for (uint64_t i = 0; i < 10000; i++)
        put(&b, 0, i, 0, 1e-4 * (0.5 + (double)i / 9999));
    put(&b, 0, 10000, 0, 0.43);
    struct nb_light_bodies to = shade_all(s, &b);
    for (uint64_t i = 0; i < b.n; i++)
        sum += (double)to.light[i];
    assert_true(fabs(sum / 10001 - 1) < 1e-5);
    assert_true(fabs((double)(to.light[10000] / to.light[5000]) - 100) < 0.1);
    assert_true(fabs((double)(to.light[9999] / to.light[0]) - 3) < 1e-5);
    shade_destroy(s);
    nb_bodies_free(&b);
}

static void test_bad_values(void **state)
{
    (void)state;
    const struct colour_options options = {.color = "heat", .colormap = "viridis", .weight = "heat"};
    struct nb_bodies b;
    struct shade *s = shade_create(&options);
    make_coloured(&b, 2000, NB_F64);
    for (uint64_t i = 0; i < b.n; i++)
        put(&b, 3, i, 0, 1 + (double)i);
    put(&b, 3, 7, 0, NAN);
    put(&b, 3, 8, 0, -2);
    put(&b, 3, 9, 0, INFINITY);
    warnings = 0;
    struct nb_light_bodies to = shade_all(s, &b);
    shade_fill(s, &b, &to);
    assert_int_equal(warnings, 2); /* one of the colour, one of the light */
    assert_true(to.light[7] == 0 && to.light[8] == 0 && to.light[9] == 0 && to.light[10] > 0);
    assert_true(to.step[7] == RAMP_NEUTRAL && to.step[9] == RAMP_NEUTRAL && to.step[8] == 0);
    assert_true(to.step[1999] == RAMP_TOP);
    shade_destroy(s);
    nb_bodies_free(&b);
}

static void test_components(void **state)
{
    (void)state;
    const struct colour_options options = {.color = "component", .colormap = "viridis", .weight = "count"};
    struct nb_bodies b;
    struct shade *s = shade_create(&options);
    make_coloured(&b, 40, NB_F32);
    for (uint64_t i = 0; i < b.n; i++)
        put(&b, 4, i, 0, (double)(i % 10));
    struct nb_light_bodies to = shade_all(s, &b);
    for (uint64_t i = 0; i < b.n; i++) {
        assert_int_equal(to.step[i], i % 10 < 8 ? i % 10 : RAMP_NEUTRAL);
        assert_true(to.light && to.light[i] == (i % 10 == NB_BLACK_HOLE ? 0 : 1));
    }
    assert_true(!shade_legend(s).scale);
    shade_destroy(s);
    nb_bodies_free(&b);
}

/* The length of a vector; speeds at the ends of the range of double. */
static void test_quantities(void **state)
{
    (void)state;
    struct nb_bodies b;
    double value[2];
    make_coloured(&b, 2, NB_F64);
    for (int d = 0; d < 3; d++)
        put(&b, 2, 0, d, (double[]){3e200, -4e200, 12e200}[d]);
    for (int d = 0; d < 3; d++)
        put(&b, 2, 1, d, (double[]){3e-200, -4e-200, 12e-200}[d]);
    quantity_fill("speed", &b, 0, 2, value);
    assert_true(fabs(value[0] / 13e200 - 1) < 1e-14 && fabs(value[1] / 13e-200 - 1) < 1e-14);
    quantity_fill("vel", &b, 1, 1, value);
    assert_true(fabs(value[0] / 13e-200 - 1) < 1e-14);
    assert_string_equal(quantity_unit("speed", &b), "L/T");
    assert_true(quantity_is_name("heat_2") && !quantity_is_name("Heat") && !quantity_is_name("") &&
                !quantity_is_name("a b"));
    nb_bodies_free(&b);
}

static void add_inverses(const void *what, uint64_t begin, uint64_t end, double sum[4])
{
    for (uint64_t i = begin; i < end; i++) {
        sum[0] += 1 / ((double)i + 1);
        sum[3] += *(const double *)what;
    }
}

/* Sums over several chunks of bodies: compared with the harmonic number H_n = ln n + gamma + 1 / (2 n) - ..., and
 * bitwise equal for any number of threads. */
static void test_sums(void **state)
{
    (void)state;
    const uint64_t n = 300007;
    const double x = (double)n, two = 2;
    const double harmonic = log(x) + 0.57721566490153286 + 1 / (2 * x) - 1 / (12 * x * x);
    double first[4], sum[4];
    sum_bodies(n, add_inverses, &two, first);
    assert_true(fabs(first[0] / harmonic - 1) < 1e-13 && first[1] == 0 && first[2] == 0 && first[3] == 2 * x);
    const int usual = omp_get_max_threads();
    for (int threads = 1; threads < 5; threads++) {
        omp_set_num_threads(threads);
        sum_bodies(n, add_inverses, &two, sum);
        assert_memory_equal(sum, first, sizeof sum);
    }
    omp_set_num_threads(usual);
    sum_bodies(0, add_inverses, &two, sum);
    assert_true(sum[0] == 0 && sum[3] == 0);
}

/* The mean weight of more bodies than one chunk has: the light of masses 1, 2, ..., n is 2 i / (n + 1). */
static void test_many_masses(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct shade *s = shade_create(&colour_defaults);
    make_coloured(&b, 150001, NB_F64);
    for (uint64_t i = 0; i < b.n; i++)
        put(&b, 0, i, 0, (double)i + 1);
    struct nb_light_bodies to = shade_all(s, &b);
    for (uint64_t i = 0; i < b.n; i += 1000)
        assert_true(fabs((double)to.light[i] * 75001 / (double)(i + 1) - 1) < 1e-6);
    shade_destroy(s);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),       cmocka_unit_test(test_many_masses), cmocka_unit_test(test_equal_masses),
        cmocka_unit_test(test_heavy_body), cmocka_unit_test(test_bad_values),  cmocka_unit_test(test_components),
        cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
