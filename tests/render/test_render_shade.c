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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_masses), cmocka_unit_test(test_heavy_body), cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_components),   cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
