/* How nbrender shows it: what colour a speed has, how light becomes brightness, against formulas written here. The
 * parts of the tool are compiled into this test. */
#include "nbrender/colour/colour.c"
#include "nbrender/colour/histogram.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

static double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Bodies of the type asked for, at rest in the origin. */
static void make_bodies(struct nb_bodies *b, uint64_t n, enum nb_type type)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", type, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", type, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", type, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < 3; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

static void put(struct nb_bodies *b, int column, uint64_t i, int d, double value)
{
    struct nb_column *c = &b->columns[column];
    size_t at = (size_t)i * (size_t)c->width + (size_t)d;
    if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)value;
    else
        ((double *)c->data)[at] = value;
}

/* ---- colours ---- */

#define TOP (COLOUR_STEPS - 1)

static int step_of_speed(const struct colour_scale *scale, double speed)
{
    struct nb_bodies b;
    uint16_t step;
    make_bodies(&b, 1, NB_F64);
    put(&b, 2, 0, 1, -speed);
    colour_of_speed(scale, &b.columns[2], 0, 1, &step);
    nb_bodies_free(&b);
    return step;
}

static void test_linear_colours(void **state)
{
    (void)state;
    struct colour_scale *scale = colour_scale_linear(0.5, 2.5);
    assert_int_equal(step_of_speed(scale, 0), 0);
    assert_int_equal(step_of_speed(scale, 0.49), 0);
    for (double speed = 0.5; speed <= 2.5; speed += 0.05) /* buckets are 1/64 octave of speed wide */
        assert_true(abs(step_of_speed(scale, speed) - (int)lround(TOP * (speed - 0.5) / 2)) <= TOP / 80);
    assert_int_equal(step_of_speed(scale, 2.6), TOP);
    assert_int_equal(step_of_speed(scale, 1e200), TOP);
    colour_scale_free(scale);
}

/* The share of slower bodies, in any unit of speed. Here the distribution is known: speed2 uniform. */
static void test_rank_colours(void **state)
{
    (void)state;
    for (int k = -2; k <= 2; k++) {
        double unit = pow(10, 40 * k);
        struct nb_bodies b;
        uint64_t seed = 1;
        make_bodies(&b, 100000, NB_F64);
        for (uint64_t i = 0; i < b.n; i++)
            put(&b, 2, i, (int)(i % 3), unit * sqrt(uniform01(&seed)));
        struct colour_scale *scale = colour_scale_rank(&b);
        for (double rank = 0; rank <= 1; rank += 0.01)
            assert_true(abs(step_of_speed(scale, unit * sqrt(rank)) - (int)lround(TOP * rank)) <= TOP / 50);
        assert_int_equal(step_of_speed(scale, 2 * unit), TOP);
        assert_true(fabs(colour_median_speed(&b) / unit - sqrt(0.5)) < 0.005);
        colour_scale_free(scale);
        nb_bodies_free(&b);
    }
}

/* Three speeds are blue, green, red; and between and beyond them the colour never runs backwards. */
static void test_rank_of_few(void **state)
{
    (void)state;
    struct nb_bodies b;
    make_bodies(&b, 3, NB_F64);
    for (uint64_t i = 0; i < 3; i++)
        put(&b, 2, i, 2, 1 + 3 * (double)i);
    struct colour_scale *scale = colour_scale_rank(&b);
    assert_int_equal(step_of_speed(scale, 1), 0);
    assert_true(abs(step_of_speed(scale, 4) - TOP / 2) < TOP / 10);
    assert_true(step_of_speed(scale, 7) > 0.88 * TOP);
    for (double speed = 0.1; speed < 20; speed *= 1.05)
        assert_true(step_of_speed(scale, speed) <= step_of_speed(scale, 1.05 * speed));
    colour_scale_free(scale);
    nb_bodies_free(&b);
    make_bodies(&b, 1, NB_F64);
    put(&b, 2, 0, 0, 3);
    scale = colour_scale_rank(&b);
    assert_true(abs(step_of_speed(scale, 3) - TOP / 2) < TOP / 40);
    assert_true(step_of_speed(scale, 1.4) == 0 && step_of_speed(scale, 6.2) == TOP);
    colour_scale_free(scale);
    nb_bodies_free(&b);
}

static void test_ramp(void **state)
{
    (void)state;
    struct colour_ramp ramp;
    colour_ramp_fill(&ramp);
    const float *blue = ramp.step[0], *green = ramp.step[TOP / 2], *red = ramp.step[TOP];
    assert_true(blue[2] == 1 && blue[2] > 4 * blue[0] && blue[2] > 4 * blue[1]);
    assert_true(green[1] > 2 * green[0] && green[1] > 2 * green[2]);
    assert_true(red[0] == 1 && red[0] > 4 * red[1] && red[0] > 4 * red[2]);
    for (int k = 0; k < COLOUR_STEPS; k++) {
        assert_true(ramp.step[k][3] == 1);
        for (int d = 0; d < 3 && k > 0; d++) /* without jumps */
            assert_true(fabsf(ramp.step[k][d] - ramp.step[k - 1][d]) < 0.01f);
    }
}

/* ---- histograms ---- */

static void test_quantiles(void **state)
{
    (void)state;
    struct histogram *h = histogram_create();
    assert_true(histogram_quantile(h, 0.5) == 0);
    for (int k = 1; k <= 100000; k++)
        histogram_add(h, k);
    for (double q = 0.01; q < 1; q += 0.01)
        assert_true(fabs(histogram_quantile(h, q) / (q * 100000) - 1) < 0.01);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_colours), cmocka_unit_test(test_rank_colours), cmocka_unit_test(test_rank_of_few),
        cmocka_unit_test(test_ramp),           cmocka_unit_test(test_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
