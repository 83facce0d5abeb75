/* Random numbers: the generator compared with its authors' known answers, the mapping to numbers, and statistics. */
#include "simd/rng.h"
#include "simd/simd.h"

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

/* ---- many at once ---- */

enum { MANY = 300 };

static double many[4][MANY];

static void make_many(void (*make)(const struct nb_rng *, uint64_t, size_t, uint64_t, double *const[4]), size_t n,
                      uint64_t first)
{
    memset(many, 0, sizeof many);
    make(&(struct nb_rng){0x123456789abcdef0, UINT64_MAX - 5}, first, n, 7,
         (double *[]){many[0], many[1], many[2], many[3]});
}

/* How far the numbers of n bodies are from those of each alone; what lies behind them is not touched. */
static double difference(void (*make)(const struct nb_rng *, uint64_t, uint64_t, double[4]), size_t n, uint64_t first)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double one[4];
        make(&(struct nb_rng){0x123456789abcdef0, UINT64_MAX - 5}, first + i, 7, one);
        for (int k = 0; k < 4; k++)
            most = fmax(most, fabs(many[k][i] - one[k]));
    }
    for (int k = 0; k < 4 && n < MANY; k++)
        assert_true(many[k][n] == 0);
    return most;
}

/* Equal bits, for any number of bodies and from any on, on every instruction set. */
static void many_are_those_of_each(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 7, 8, 15, 16, 17, 32, 257, MANY};
    const uint64_t firsts[] = {0, 1, 4294967290, UINT64_MAX - 301};
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        if (!nb_simd_here((enum nb_simd)set) || nb_simd_choose(nb_simd_name((enum nb_simd)set)))
            continue;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
                make_many(nb_rng_uniforms_many, counts[c], firsts[f]);
                assert_true(difference(nb_rng_uniforms, counts[c], firsts[f]) == 0);
                make_many(nb_rng_normals_many, counts[c], firsts[f]);
                assert_true(difference(nb_rng_normals, counts[c], firsts[f]) < 1e-14);
            }
    }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answer),
        cmocka_unit_test(arguments_matter),
        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(normal_moments),
        cmocka_unit_test(normals_are_independent),
        cmocka_unit_test(many_are_those_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
