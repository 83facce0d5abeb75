/* Random numbers: the generator against its authors' known answer, the mapping to numbers, and their statistics. */
#include "rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* philox4x64-10 of the counter 0 with the key 0, from the known answers that come with Random123. */
static const uint64_t known[4] = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b};

static void known_answer(void **state)
{
    (void)state;
    struct nb_rng rng = {0, 0};
    double u[4];
    nb_rng_uniforms(&rng, 0, 0, u);
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(u[k] - (double)known[k] * 0x1p-64) <= 0x1p-52);
        assert_true(u[k] * 0x1p53 == floor(u[k] * 0x1p53) && fmod(u[k] * 0x1p53, 2) == 1);
    }
}

/* Seed, stream, body and draw each make other numbers. */
static void arguments_matter(void **state)
{
    (void)state;
    double u[5][4];
    nb_rng_uniforms(&(struct nb_rng){1, 2}, 3, 4, u[0]);
    nb_rng_uniforms(&(struct nb_rng){5, 2}, 3, 4, u[1]);
    nb_rng_uniforms(&(struct nb_rng){1, 5}, 3, 4, u[2]);
    nb_rng_uniforms(&(struct nb_rng){1, 2}, 5, 4, u[3]);
    nb_rng_uniforms(&(struct nb_rng){1, 2}, 3, 5, u[4]);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < a; b++)
            for (int k = 0; k < 4; k++)
                assert_true(u[a][k] != u[b][k]);
}

enum { COUNT = 50000 };

/* Means of the powers 1 to 4 of 4 COUNT numbers. */
static void moments(void (*make)(const struct nb_rng *, uint64_t, uint64_t, double[4]), double mean[5])
{
    struct nb_rng rng = {1, 4};
    memset(mean, 0, 5 * sizeof *mean);
    for (uint64_t body = 0; body < COUNT; body++) {
        double x[4];
        make(&rng, body, 0, x);
        for (int k = 0; k < 4; k++)
            for (int power = 1; power <= 4; power++)
                mean[power] += pow(x[k], power) / (4.0 * COUNT);
    }
}

/* Within five standard errors of the mean: sqrt((E x^2p - (E x^p)^2) / count). */
static void assert_mean(double mean, double expected, double expected_square)
{
    assert_true(fabs(mean - expected) < 5 * sqrt((expected_square - expected * expected) / (4.0 * COUNT)));
}

static void uniform_moments(void **state)
{
    (void)state;
    double mean[5];
    moments(nb_rng_uniforms, mean);
    for (int p = 1; p <= 4; p++)
        assert_mean(mean[p], 1.0 / (p + 1), 1.0 / (2 * p + 1));
}

static void normal_moments(void **state)
{
    (void)state;
    double mean[5];
    moments(nb_rng_normals, mean);
    assert_mean(mean[1], 0, 1);
    assert_mean(mean[2], 1, 3);
    assert_mean(mean[3], 0, 15);
    assert_mean(mean[4], 3, 105);
}

/* The four normals of a draw are independent: products have mean 0 and variance 1. */
static void normals_are_independent(void **state)
{
    (void)state;
    struct nb_rng rng = {7, 0};
    double sums[4][4] = {{0}};
    for (uint64_t body = 0; body < COUNT; body++) {
        double g[4];
        nb_rng_normals(&rng, body, 0, g);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                sums[a][b] += g[a] * g[b];
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            assert_true(fabs(sums[a][b]) < 5 * sqrt(COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answer),   cmocka_unit_test(arguments_matter),        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(normal_moments), cmocka_unit_test(normals_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
