/* Tone mapping from light to displayed values, compared with the C library's functions in double: the curve, its
 * exposure, its colours. */
#include "light/cpu/light_show.h"
#include "light/tone_curve.h"
#include "simd/simd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* The one of median, faint and dim that needs the most light decides, and is shown as promised and no brighter. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        struct nb_light_range range;
        double light, level;
    } cases[] = {{{1, 0.1, 0.09, 1}, 0.1, 0.42}, {{1, 0.9, 0.003, 1}, 0.003, 0.08}, {{1, 0.9, 0.8, 0.05}, 0.05, 0.36}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nb_tone tone;
        nb_tone_set(&tone, &cases[k].range, 1);
        const float shown = nb_tone_level(&tone, (float)cases[k].light * tone.inverse_soft);
        assert_true(fabs((double)shown - cases[k].level) < 1e-4);
    }
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

/* ---- rows of pixels, for each instruction set ---- */

#define COUNT 1000

#define SHOW(name)    nb_light_show_##name
#define SHOW_OF(name) &SHOW(name)
extern const struct nb_light_show_set NB_SIMD_EACH(SHOW);
static const struct nb_light_show_set *const shows[NB_SIMD_SETS] = {NB_SIMD_EACH(SHOW_OF)};

/* What tone.h says of channel d, 0 to 1. */
static double shown_of(const struct nb_tone *tone, double scale, const float *pixel, int d)
{
    const double most = fmax(fmax((double)pixel[0], (double)pixel[1]), (double)pixel[2]);
    if (most == 0)
        return 0;
    const double level = level_of(tone, scale * fmin((double)pixel[3], 8 * most));
    const double paler = fmax(level - 0.7, 0) / 0.3, root = sqrt((double)pixel[d] / most);
    return level * (root + (1 - root) * 0.5 * paler * paler);
}

/* Light over 48 octaves; black ones among them, without a channel and with one alone. */
static void fill_pixels(float *pixel)
{
    for (int i = 0; i < COUNT; i++) {
        const float light = exp2f((float)(i * 7 % 997) / 997 * 48 - 32);
        for (int d = 0; d < 3; d++)
            pixel[4 * i + d] = i % 11 == d || i % 13 == 0 ? 0 : light * (float)((i * (37 + 60 * d)) % 101) / 50;
        pixel[4 * i + 3] = i % 13 == 0 && i % 2 == 0 ? 0 : light;
    }
}

/* Each pixel is what the curve says, wherever it stands, and nothing else is written. */
static void test_rows(void **state)
{
    (void)state;
    const struct nb_tone tone = {5, 0.3f};
    float *pixel = malloc(sizeof *pixel * 4 * COUNT);
    uint16_t row[3][COUNT + 1];
    fill_pixels(pixel);
    for (int set = 0; set < NB_SIMD_SETS; set++)
        for (int first = 0; first < 70 && nb_simd_here((enum nb_simd)set); first++) {
            const int count = first % 2 ? COUNT - 3 * first : 1 + first;
            row[0][count] = row[1][count] = row[2][count] = 12345;
            shows[set]->tone(&tone, 3, pixel + 4 * first, count, row[0], row[1], row[2]);
            for (int d = 0; d < 3; d++) {
                for (int i = 0; i < count; i++)
                    assert_true(fabs(row[d][i] - 65535 * shown_of(&tone, 3, pixel + 4 * (first + i), d)) < 10);
                assert_int_equal(row[d][count], 12345);
            }
        }
    memset(pixel, 0, sizeof *pixel * 4 * COUNT);
    for (int d = 0; d < 4; d++)
        pixel[4 * 200 + d] = d < 3 ? 3e29f : 3e38f; /* more light than there can be */
    for (int set = 0; set < NB_SIMD_SETS; set++)
        for (int k = 0; k < 2 && nb_simd_here((enum nb_simd)set); k++) {
            const struct nb_tone bright = {5, k ? 2 : 0.3f};
            shows[set]->tone(&bright, 1e20f, pixel, COUNT, row[0], row[1], row[2]);
            for (int i = 0; i < COUNT; i++)
                assert_true(i == 200 ? row[0][i] > 65000 && row[1][i] > 65000 : row[0][i] == 0 && row[2][i] == 0);
        }
    free(pixel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log2),     cmocka_unit_test(test_level),  cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_exposure), cmocka_unit_test(test_levels), cmocka_unit_test(test_colours),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
