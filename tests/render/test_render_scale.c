/* The scale from a value to a step of a colour map, and its histogram, compared with formulas and counts that the test
 * computes. The parts of the tool are compiled into this test. */
#include "nbrender/basis/numbers.c"
#include "nbrender/colour/scale.c"
#include "render_colours.h"

/* ---- scales ---- */

static int step_of(const struct colour_scale *scale, double x)
{
    uint16_t step;
    assert_int_equal(scale_steps(scale, &x, 1, &step), isfinite(x) ? 0 : 1);
    return step;
}

static struct colour_scale *scale_among(enum scaling scaling, const double *value, size_t count)
{
    struct sample sample = {0};
    for (size_t k = 0; k < count; k++)
        sample_add(&sample, value[k]);
    sample_sort(&sample);
    struct colour_scale *scale = scale_of_sample(scaling, &sample);
    sample_free(&sample);
    return scale;
}

/* Each scaling takes equal distances of its formula to equal distances of the ramp, and back. */
static void check_formula(struct colour_scale *scale, double low, double high, double (*formula)(double))
{
    assert_non_null(scale);
    for (int k = 0; k <= 1000; k++) {
        double x = low + k * (high - low) / 1000;
        double place = (formula(x) - formula(low)) / (formula(high) - formula(low));
        assert_true(fabs(step_of(scale, x) - RAMP_TOP * place) <= 0.5001);
        double back = scale_value(scale, place);
        assert_true(fabs(back - x) < 1e-9 * fmax(fabs(low), fabs(high)));
    }
    assert_int_equal(step_of(scale, low - 1), 0);
    assert_int_equal(step_of(scale, high + 1), RAMP_TOP);
    assert_int_equal(step_of(scale, 1e300), RAMP_TOP);
    assert_int_equal(step_of(scale, -1e300), 0);
    assert_int_equal(step_of(scale, NAN), RAMP_NEUTRAL);
    assert_int_equal(step_of(scale, INFINITY), RAMP_NEUTRAL);
    free(scale);
}

static double same(double x)
{
    return x;
}

static double minus_log(double x)
{
    return -log(-x);
}

static double asinh_of(double x)
{
    return asinh(x / 0.5);
}

static void test_formulas(void **state)
{
    (void)state;
    check_formula(scale_create(SCALE_LINEAR, 0.5, 2.5, 1), 0.5, 2.5, same);
    check_formula(scale_create(SCALE_LINEAR, -30, 2.5, 1), -30, 2.5, same);
    check_formula(scale_create(SCALE_LOG, 1e-3, 1e5, 1), 1e-3, 1e5, log);
    check_formula(scale_create(SCALE_LOG, -1e5, -1e-3, 1), -1e5, -1e-3, minus_log);
    check_formula(scale_create(SCALE_ASINH, -40, 70, 0.5), -40, 70, asinh_of);
    assert_null(scale_create(SCALE_LOG, -1, 1, 1));
    assert_null(scale_create(SCALE_LOG, 0, 1, 1));
    assert_null(scale_create(SCALE_LOG, -1, 0, 1));
}

/* What there is lies between the ends, in all scalings; zeros among positive numbers do not hinder a logarithm. */
static void test_ends_of_sample(void **state)
{
    (void)state;
    double value[10000], negative[10000];
    for (int k = 0; k < 10000; k++) {
        value[k] = k < 100 ? 0 : exp(k / 1000.0);
        negative[k] = -value[k];
    }
    struct colour_scale *scale = scale_among(SCALE_LOG, value, 10000);
    assert_int_equal(step_of(scale, 0), 0);
    assert_true(abs(step_of(scale, exp(5.05)) - RAMP_TOP / 2) <= 6);
    assert_true(step_of(scale, exp(9.96)) == RAMP_TOP && step_of(scale, exp(9.9)) < RAMP_TOP);
    assert_true(fabs(log(scale_value(scale, 0)) - 0.1495) < 1e-4); /* half a percent of those that are not 0 */
    assert_true(fabs(log(scale_value(scale, 1)) - 9.9495) < 1e-4);
    free(scale);
    scale = scale_among(SCALE_LOG, negative, 10000);
    assert_int_equal(step_of(scale, 0), RAMP_TOP);
    assert_true(abs(step_of(scale, -exp(5.05)) - RAMP_TOP / 2) <= 6);
    free(scale);
    scale = scale_among(SCALE_LINEAR, (double[]){7, 7, 7}, 3);
    assert_true(abs(step_of(scale, 7) - RAMP_TOP / 2) <= 1);
    free(scale);
    scale = scale_among(SCALE_LINEAR, NULL, 0); /* no number at all */
    assert_true(step_of(scale, 7) == RAMP_TOP);
    free(scale);
    assert_null(scale_among(SCALE_LOG, (double[]){-1, -0.5, 1, 2}, 4));
}

/* The ramp of asinh is linear up to the median of the sizes: of 1, -2, 3, -4 ... not 0, which is the middle of the
 * numbers. If most are 0, up to a thousandth of the largest. */
static void test_softness_of_sample(void **state)
{
    (void)state;
    double value[1001];
    for (int most_are_zero = 0; most_are_zero < 2; most_are_zero++) {
        for (int k = 0; k <= 1000; k++)
            value[k] = most_are_zero && k < 600 ? 0 : k % 2 ? -(k + 1) : k + 1;
        struct colour_scale *scale = scale_among(SCALE_ASINH, value, 1001);
        const double soft = most_are_zero ? 1.001 : 501, low = scale_value(scale, 0), high = scale_value(scale, 1);
        assert_true(low < -900 && high > 900);
        for (double place = 0; place <= 1; place += 0.1) {
            const double image = (1 - place) * asinh(low / soft) + place * asinh(high / soft);
            assert_true(fabs(scale_value(scale, place) - soft * sinh(image)) < 1e-6);
        }
        free(scale);
    }
    struct colour_scale *scale = scale_among(SCALE_ASINH, (double[]){0, 0}, 2);
    assert_true(fabs(scale_value(scale, 0.75) - sinh(0.5 * asinh(1))) < 1e-12); /* from -1 to 1 */
    free(scale);
}

/* The share of smaller numbers, in any unit, of either sign. Here the distribution is known: squares uniform. */
static void test_rank(void **state)
{
    (void)state;
    static double value[100000];
    for (int k = -2; k <= 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double unit = sign * pow(10, 40 * k);
            uint64_t seed = 1;
            for (int i = 0; i < 100000; i++)
                value[i] = unit * sqrt(uniform01(&seed));
            struct colour_scale *scale = scale_among(SCALE_RANK, value, 100000);
            for (double share = 0; share <= 1; share += 0.01) {
                double rank = sign > 0 ? share : 1 - share;
                assert_true(fabs(step_of(scale, unit * sqrt(share)) - RAMP_TOP * rank) <= RAMP_TOP / 100.0);
                assert_true(fabs(scale_value(scale, rank) / unit - sqrt(share)) < 0.01);
            }
            assert_int_equal(step_of(scale, 2 * unit), sign > 0 ? RAMP_TOP : 0);
            free(scale);
        }
}

/* Numbers close to each other far from 0 are told apart, equal ones are not. */
static void test_rank_of_close_numbers(void **state)
{
    (void)state;
    static double value[5000];
    for (int k = 0; k < 5000; k++)
        value[k] = 1e6 + 0.01 * k;
    struct colour_scale *scale = scale_among(SCALE_RANK, value, 5000);
    for (int k = 0; k < 5000; k++)
        assert_true(abs(step_of(scale, value[k]) - RAMP_TOP * k / 4999) <= 1);
    free(scale);
    for (int k = 0; k < 5000; k++)
        value[k] = 1.1 + 1e-15 * k;
    scale = scale_among(SCALE_RANK, value, 5000);
    for (int k = 0; k < 5000; k++)
        assert_true(abs(step_of(scale, value[k]) - RAMP_TOP / 2) <= 1);
    free(scale);
    for (int k = 0; k < 5000; k++)
        value[k] = k < 1000 ? 3 : k < 4000 ? 4 : 5;
    scale = scale_among(SCALE_RANK, value, 5000);
    assert_int_equal(step_of(scale, 3), 0);
    assert_int_equal(step_of(scale, 4), RAMP_TOP / 2);
    assert_int_equal(step_of(scale, 5), RAMP_TOP);
    free(scale);
}

/* Three speeds are blue, green, red; and between and beyond them the colour never runs backwards. */
static void test_rank_of_few(void **state)
{
    (void)state;
    struct colour_scale *scale = scale_among(SCALE_RANK, (double[]){4, 1, 7}, 3);
    assert_true(step_of(scale, 1) < RAMP_TOP / 10 && step_of(scale, 7) > 0.9 * RAMP_TOP);
    assert_true(abs(step_of(scale, 4) - RAMP_TOP / 2) < RAMP_TOP / 10);
    for (double speed = 0.1; speed < 20; speed *= 1.05)
        assert_true(step_of(scale, speed) <= step_of(scale, 1.05 * speed));
    free(scale);
    scale = scale_among(SCALE_RANK, (double[]){3}, 1);
    assert_true(abs(step_of(scale, 3) - RAMP_TOP / 2) < RAMP_TOP / 40);
    assert_true(step_of(scale, 1.4) == 0 && step_of(scale, 6.2) == RAMP_TOP);
    free(scale);
}

static void test_moving(void **state)
{
    (void)state;
    double slow[1000], fast[1000];
    for (int k = 0; k < 1000; k++) {
        slow[k] = k;
        fast[k] = 3000 + 2 * k;
    }
    for (enum scaling scaling = SCALE_LINEAR; scaling <= SCALE_RANK; scaling++) {
        struct colour_scale *a = scale_among(scaling, slow + 1, 999), *b = scale_among(scaling, fast, 1000);
        double before = scale_value(a, 0.5), aim = scale_value(b, 0.5);
        scale_move(a, b, 0.25);
        if (scaling == SCALE_LINEAR || scaling == SCALE_RANK)
            assert_true(fabs(scale_value(a, 0.5) - (0.75 * before + 0.25 * aim)) < 1e-9);
        scale_move(a, b, 1);
        assert_true(fabs(scale_value(a, 0.5) - aim) < 1e-9 && abs(step_of(a, aim) - RAMP_TOP / 2) <= 1);
        free(a);
        free(b);
    }
}

/* ---- histograms ---- */

static void test_quantiles(void **state)
{
    (void)state;
    struct histogram *h = calloc(1, sizeof *h);
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
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_ends_of_sample),
        cmocka_unit_test(test_softness_of_sample),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_rank_of_close_numbers),
        cmocka_unit_test(test_rank_of_few),
        cmocka_unit_test(test_moving),
        cmocka_unit_test(test_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
