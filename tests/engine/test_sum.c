/* Compensated sums (sum.h) compared with exact results. */
#include "base/sum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void small_terms_are_not_lost(void **state)
{
    (void)state;
    struct nb_sum s = {0};
    double plain = 1;
    nb_sum_add(&s, 1);
    for (int i = 0; i < 1000000; i++) {
        nb_sum_add(&s, 1e-16);
        plain += 1e-16;
    }
    assert_true(plain == 1);
    assert_true(nb_sum_value(&s) == 1.0000000001);
}

static void terms_larger_than_the_sum(void **state)
{
    (void)state;
    struct nb_sum s = {0}, left = {0}, right = {0};
    const double terms[] = {1, 1e100, 1, -1e100}; /* where Kahan's method gives 0 */
    for (int i = 0; i < 4; i++) {
        nb_sum_add(&s, terms[i]);
        nb_sum_add(i < 2 ? &left : &right, terms[i]);
    }
    assert_true(nb_sum_value(&s) == 2);
    nb_sum_merge(&left, &right);
    assert_true(nb_sum_value(&left) == 2);
    nb_sum_add(&s, 1e308);
    nb_sum_add(&s, 1e308);
    assert_true(nb_sum_value(&s) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_terms_are_not_lost),
        cmocka_unit_test(terms_larger_than_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
