/* From light to what is shown, against the C library's functions in double: the curve, its exposure, its colours. */
#include "light/tone_curve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_log2(void **state)
{
    (void)state;
    assert_true(nb_log2(1) == 0);
    for (double x = 1.0001; x < 1e37; x *= 1.0013)
        assert_true(fabs((double)nb_log2((float)x) - log2((double)(float)x)) < 1e-5 + 1e-6 * log2(x));
}

/* The curve by its description in tone.h. */
static double level_of(const struct nb_tone *tone, double y)
{
    double shown = sqrt((double)tone->factor / M_LN2 * asinh(y));
    shown = shown * shown / (shown + 0.03);
    return shown < 0.6 ? shown : 0.6 + 0.4 * sin(atan((shown - 0.6) / 0.4));
}

static void test_level(void **state)
{
    (void)state;
    for (float factor = 0.01f; factor < 1; factor *= 2) {
        struct nb_tone tone = {1, factor};
        double before = -1;
        assert_true(nb_tone_level(&tone, 0) == 0);
        for (double y = 1e-9; y < 1e17; y *= 1.01) {
            double level = (double)nb_tone_level(&tone, (float)y);
            assert_true(fabs(level - level_of(&tone, y)) < 2e-5); /* 0.005 levels of 8 bits */
            assert_true(level > before - 1e-6 && level <= 1);
            before = level;
        }
        assert_true(nb_tone_level(&tone, 3e38f) <= 1 && nb_tone_level(&tone, INFINITY) <= 1);
    }
}

static struct nb_light_histogram *distribution(void)
{
    return calloc(1, sizeof(struct nb_light_histogram));
}

/* Equal light in each octave of surface brightness from 2^low to 2^high. */
static void fill(struct nb_light_histogram *h, int low, int high)
{
    for (int k = low * NB_LIGHT_OCTAVE; k < high * NB_LIGHT_OCTAVE; k++) {
        h->light[k + NB_LIGHT_ZERO] = 3;
        h->total += 3;
    }
}

static void test_quantiles(void **state)
{
    (void)state;
    struct nb_light_histogram *h = distribution();
    struct nb_light_range range;
    assert_true(nb_light_quantile(h, 0.5) == 0);
    fill(h, -10, 30);
    for (double q = 0.01; q < 1; q += 0.01)
        assert_true(fabs(log2(nb_light_quantile(h, q)) - (40 * q - 10)) < 1e-9);
    nb_light_range_find(&range, h);
    assert_true(fabs(log2(range.white) - 28.8) < 1e-9 && fabs(log2(range.median) - 10) < 1e-9);
    assert_true(fabs(log2(range.faint) + 9.6) < 1e-9);
    free(h);
}

/* White is shown as promised in any unit of light, the median and the faint as bright as promised or brighter. */
static void test_exposure(void **state)
{
    (void)state;
    for (int unit = -90; unit <= 90; unit += 30)
        for (int octaves = 1; octaves <= 8; octaves++) {
            struct nb_light_histogram *h = distribution();
            struct nb_light_range range;
            struct nb_tone tone, brighter;
            fill(h, unit, unit + octaves);
            nb_tone_expose(&tone, h, 1);
            nb_tone_expose(&brighter, h, 2);
            nb_light_range_find(&range, h);
            assert_true(fabs((double)nb_tone_level(&tone, (float)range.white * tone.inverse_soft) - 0.93) < 1e-4);
            assert_true((double)nb_tone_level(&tone, (float)range.median * tone.inverse_soft) > 0.42 - 1e-4);
            assert_true((double)nb_tone_level(&tone, (float)range.faint * tone.inverse_soft) > 0.08 - 1e-4);
            assert_true(brighter.factor == tone.factor);
            assert_true(fabsf(brighter.inverse_soft / tone.inverse_soft - 2) < 1e-6f);
            free(h);
        }
    struct nb_light_range none = {0};
    struct nb_tone tone;
    nb_tone_set(&tone, &none, 1);
    assert_true(isfinite(tone.inverse_soft) && isfinite(tone.factor));
}

/* Below the paler part a channel is the root of its ratio to the largest, whatever the colour's own scale; and the
 * order of channels stays however bright it is. */
static void test_colours(void **state)
{
    (void)state;
    struct nb_tone tone = {1, 0.1f};
    for (float light = 1e-6f; light < 1e12f; light *= 1.7f) {
        struct nb_shown a = nb_tone_pixel(&tone, 1, 0.04f * light, 0.25f * light, light, light);
        struct nb_shown dim = nb_tone_pixel(&tone, 1, 0.02f * light, 0.125f * light, 0.5f * light, light);
        float level = nb_tone_level(&tone, light);
        assert_true(fabsf(a.blue - level) < 1e-6f && fabsf(a.red - dim.red) < 1e-6f);
        assert_true(a.red < a.green && a.green < a.blue && a.red < 0.61f);
        if (level < 0.7f)
            assert_true(fabsf(a.red - 0.2f * level) < 1e-6f && fabsf(a.green - 0.5f * level) < 1e-6f);
        else
            assert_true(a.red > 0.2f * level && a.red - 0.2f * level < 0.401f);
    }
    struct nb_shown black = nb_tone_pixel(&tone, 1, 0, 0, 0, 100); /* light of black bodies */
    assert_true(black.red == 0 && black.green == 0 && black.blue < 1e-12f);
    struct nb_shown none = nb_tone_pixel(&tone, 1, 0, 0, 0, 0);
    assert_true(none.red == 0 && none.green == 0 && none.blue == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log2),     cmocka_unit_test(test_level),   cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_exposure), cmocka_unit_test(test_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
