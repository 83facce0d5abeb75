/* Operations on columns of numbers, compared with the same operations on single numbers, with every
 * instruction set. */
#include "simd/columns.h"
#include "simd/rng.h"
#include "simd/simd.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1031 }; /* bodies: whole vectors and a rest */

static double mass[COUNT], vectors[3 * COUNT], moved[3 * COUNT];
static float narrow[3 * COUNT];

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        double u[4];
        nb_rng_uniforms(&(struct nb_rng){2, 9}, (uint64_t)i, 0, u);
        mass[i] = u[0];
        for (int k = 0; k < 3; k++)
            vectors[3 * i + k] = 2 * u[k + 1] - 1;
    }
}

static void for_each_set(void (*what)(void))
{
    for (int set = 0; set < NB_SIMD_SETS; set++)
        if (nb_simd_here((enum nb_simd)set)) {
            assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
            fill();
            what();
        }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* Equal bits, a zero's sign too; what lies behind is not touched. */
static void check_move(void)
{
    const double shift[3] = {0.1, -3, 1e-9};
    const size_t counts[] = {0, 1, 7, 8, 9, 64, COUNT - 1};
    vectors[4] = -0.;
    for (size_t c = 0; c < 7; c++)
        for (int shifted = 0; shifted < 2; shifted++) {
            memcpy(moved, vectors, sizeof moved);
            nb_columns()->move(counts[c], shifted ? shift : NULL, 1. / 3, moved);
            for (size_t k = 0; k < 3 * COUNT; k++) {
                double expected = 1. / 3 * (shifted ? vectors[k] + shift[k % 3] : vectors[k]);
                assert_memory_equal(&moved[k], k < 3 * counts[c] ? &expected : &vectors[k], sizeof expected);
            }
        }
}

/* Of integers, whose sums a long has exactly and a plain sum of doubles would not; to what the sums hold already. */
static void check_sums(void)
{
    const size_t counts[] = {0, 1, 5, 8, 24, 257, COUNT};
    for (size_t c = 0; c < 7; c++) {
        struct nb_sum sums[4] = {{0x1p62, 0}, {0x1p62, 0}, {0x1p62, 0}, {0x1p62, 0}};
        int64_t expected[4] = {0};
        fill();
        for (size_t i = 0; i < counts[c]; i++) {
            mass[i] = floor(mass[i] * 0x1p12);
            expected[3] += (int64_t)mass[i];
            for (size_t k = 0; k < 3; k++) {
                vectors[3 * i + k] = floor(vectors[3 * i + k] * 0x1p40);
                expected[k] += (int64_t)mass[i] * (int64_t)vectors[3 * i + k];
            }
        }
        nb_columns()->add_weighted(counts[c], mass, vectors, sums);
        nb_columns()->add(counts[c], mass, &sums[3]);
        for (int k = 0; k < 4; k++) {
            nb_sum_add(&sums[k], -0x1p62);
            assert_true(nb_sum_value(&sums[k]) == (double)expected[k]);
        }
    }
}

/* A sum that has exact digits beyond one double: 1 + 2^-80 - 1. */
static void check_compensation(void)
{
    struct nb_sum sum = {0, 0};
    double terms[72] = {[0] = 1, [24] = 0x1p-80, [48] = -1, [1] = 0x1p60, [30] = 0x1p-20, [71] = -0x1p60};
    nb_columns()->add(72, terms, &sum);
    assert_true(nb_sum_value(&sum) == 0x1p-20 + 0x1p-80);
}

/* Wherever in the column the one is. */
static void check_finite(void)
{
    const double others[] = {INFINITY, -INFINITY, NAN};
    for (size_t k = 0; k < 61; k++) {
        assert_true(nb_columns()->finite(k, vectors));
        vectors[k] = others[k % 3];
        assert_true(nb_columns()->finite(k, vectors));
        assert_false(nb_columns()->finite(k + 1, vectors));
        vectors[k] = k % 2 ? 1.7e308 : -1.7e308;
    }
}

static void check_narrow(void)
{
    assert_true(nb_columns()->narrow(3 * COUNT, vectors, true, narrow));
    for (int k = 0; k < 3 * COUNT; k++)
        assert_true(narrow[k] == (float)vectors[k]);
    for (size_t k = 0; k < 61; k++) {
        vectors[k] = k % 2 ? 3.5e38 : -3.5e38;
        assert_true(nb_columns()->narrow(k, vectors, true, narrow));
        assert_false(nb_columns()->narrow(k + 1, vectors, false, narrow));
        vectors[k] = 1e-60;
        assert_true(nb_columns()->narrow(k + 1, vectors, false, narrow));
        assert_false(nb_columns()->narrow(k + 1, vectors, true, narrow));
        vectors[k] = k % 3 ? INFINITY : NAN;
        assert_true(nb_columns()->narrow(k + 1, vectors, true, narrow));
        vectors[k] = 0;
    }
}

static void moved_as_asked(void **state)
{
    (void)state;
    for_each_set(check_move);
}

static void sums_are_those_of_each(void **state)
{
    (void)state;
    for_each_set(check_sums);
}

static void sums_are_compensated(void **state)
{
    (void)state;
    for_each_set(check_compensation);
}

static void what_is_not_finite_is_found(void **state)
{
    (void)state;
    for_each_set(check_finite);
}

static void what_does_not_fit_is_found(void **state)
{
    (void)state;
    for_each_set(check_narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_as_asked),
        cmocka_unit_test(sums_are_those_of_each),
        cmocka_unit_test(sums_are_compensated),
        cmocka_unit_test(what_is_not_finite_is_found),
        cmocka_unit_test(what_does_not_fit_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
