/* Functions of arrays compared with long double; results are bitwise identical for every instruction set, length and
 * position. */
#include "simd/elementary.h"
#include "simd/rng.h"
#include "simd/simd.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 4099 }; /* whole vectors and a rest */

static double x[COUNT], y[COUNT], z[COUNT], length[COUNT], vectors[3 * COUNT];

/* Uniform in (0, 1), with the smallest, the largest and those near to one and to quarters among them. */
static void fill_uniform(void)
{
    double other[3][COUNT];
    const double special[] = {0x1p-53, 1 - 0x1p-53, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875};
    nb_rng_uniforms_many(&(struct nb_rng){3, 1}, 0, COUNT, 0, (double *[]){x, other[0], other[1], other[2]});
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        x[3 * k] = special[k];
        x[3 * k + 1] = special[k] + (special[k] < 0.5 ? 0x1p-53 : -0x1p-53);
    }
}

/* Over all of the numbers that are not subnormal. */
static void fill_wide(void)
{
    fill_uniform();
    for (int i = 0; i < COUNT; i++)
        x[i] = ldexp(0.5 + x[i] / 2, (int)(2045. * i / (COUNT - 1)) - 1021);
    assert_true(x[0] < 0x1p-1021 && x[COUNT - 1] > 0x1p1023);
}

/* Within 2 units in the last place of what it should be. */
static void assert_near(double got, long double expected)
{
    int exponent;
    frexpl(expected, &exponent);
    assert_true(fabsl((long double)got - expected) < ldexpl(2, exponent - 53));
}

/* what() for each instruction set of this machine. */
static void for_each_set(void (*what)(void))
{
    for (int set = 0; set < NB_SIMD_SETS; set++)
        if (nb_simd_here((enum nb_simd)set)) {
            assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
            what();
        }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

static void check_logarithms(void)
{
    for (int wide = 0; wide < 2; wide++) {
        (wide ? fill_wide : fill_uniform)();
        nb_elementary()->log(COUNT, x, y);
        for (int i = 0; i < COUNT; i++)
            assert_near(y[i], logl(x[i]));
    }
}

/* From close to -1 to large, and through 0 with few digits left of 1 + x. */
static void check_logarithms_plus_one(void)
{
    for (int wide = 0; wide < 2; wide++) {
        (wide ? fill_wide : fill_uniform)();
        for (int i = 0; i < COUNT; i++)
            x[i] = i % 2 ? x[i] : wide ? -1 / (1 + x[i]) : -x[i];
        for (int i = 0; i < COUNT; i++)
            x[i] = fmin(fmax(x[i], -1 + 0x1p-53), 1e300);
        nb_elementary()->log1p(COUNT, x, y);
        for (int i = 0; i < COUNT; i++)
            assert_near(y[i], log1pl(x[i]));
    }
}

static void check_roots(void)
{
    for (int wide = 0; wide < 2; wide++) {
        (wide ? fill_wide : fill_uniform)();
        nb_elementary()->cbrt(COUNT, x, y);
        for (int i = 0; i < COUNT; i++)
            assert_near(y[i], cbrtl(x[i]));
    }
}

/* Next to a quarter u - 1/4 is exact, so that small results are held to their own digits. */
static void check_turns(void)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    fill_uniform();
    for (int i = 0; i < COUNT; i++)
        x[i] = i % 2 ? x[i] : x[i] - 1;
    nb_elementary()->turn(COUNT, x, y, z);
    for (int i = 0; i < COUNT; i++) {
        const long double quarter = rintl(4 * x[i]), rest = 2 * pi * (x[i] - quarter / 4);
        const int k = (int)(quarter + 8) % 4;
        const long double sine = k % 2 ? cosl(rest) : sinl(rest), cosine = k % 2 ? sinl(rest) : cosl(rest);
        assert_near(y[i], k > 1 ? -sine : sine);
        assert_near(z[i], k == 1 || k == 2 ? -cosine : cosine);
    }
}

/* The parts of each vector, and its length. */
static void check_directions(void)
{
    fill_uniform();
    for (int i = 0; i < COUNT; i++) {
        length[i] = 1 + i;
        y[i] = x[COUNT - 1 - i];
    }
    nb_elementary()->directions(COUNT, length, x, y, vectors);
    for (int i = 0; i < COUNT; i++) {
        const double *v = vectors + 3 * i;
        double turn = atan2(v[1], v[0]) / (2 * M_PI) - y[i], across = hypot(v[0], v[1]);
        assert_true(fabs(hypot(across, v[2]) / length[i] - 1) < 1e-15);
        assert_true(fabs(v[2] / length[i] - (2 * x[i] - 1)) < 1e-15);
        assert_true(fabs(turn - rint(turn)) < 1e-15);
    }
}

static void logarithms(void **state)
{
    (void)state;
    for_each_set(check_logarithms);
}

static void logarithms_plus_one(void **state)
{
    (void)state;
    for_each_set(check_logarithms_plus_one);
}

static void roots(void **state)
{
    (void)state;
    for_each_set(check_roots);
}

static void turns(void **state)
{
    (void)state;
    for_each_set(check_turns);
}

static void directions(void **state)
{
    (void)state;
    for_each_set(check_directions);
}

/* ---- equal bits ---- */

struct results {
    double log[COUNT], log1p[COUNT], root[COUNT], sine[COUNT], cosine[COUNT], vectors[3 * COUNT], normal[4][COUNT];
};

static struct results first, now;
static int sets_seen;

static void compare_with_first(void)
{
    struct results *to = sets_seen++ ? &now : &first;
    fill_uniform();
    nb_elementary()->log(COUNT, x, to->log);
    nb_elementary()->log1p(COUNT, x, to->log1p);
    nb_elementary()->cbrt(COUNT, x, to->root);
    nb_elementary()->turn(COUNT, x, to->sine, to->cosine);
    nb_elementary()->directions(COUNT, to->root, x, x, to->vectors);
    nb_rng_normals_many(&(struct nb_rng){1, 2}, 5, COUNT, 3,
                        (double *[]){to->normal[0], to->normal[1], to->normal[2], to->normal[3]});
    if (to == &now)
        assert_memory_equal(&first, &now, sizeof now);
}

static void equal_bits_for_every_set(void **state)
{
    (void)state;
    for_each_set(compare_with_first);
    assert_true(sets_seen >= 1);
}

/* One by one, and in the place of the argument. */
static void alone_and_in_place(void **state)
{
    (void)state;
    fill_uniform();
    memcpy(y, x, sizeof x);
    nb_elementary()->log(COUNT, y, y);
    memcpy(z, x, sizeof x);
    nb_elementary()->cbrt(COUNT, z, z);
    for (int i = 0; i < COUNT; i++) {
        double logarithm, root;
        nb_elementary()->log(1, &x[i], &logarithm);
        nb_elementary()->cbrt(1, &x[i], &root);
        assert_true(logarithm == y[i] && root == z[i]);
    }
    nb_elementary()->turn(COUNT, x, y, z);
    for (int i = 0; i < COUNT; i++) {
        double cosine;
        nb_elementary()->turn(1, &x[i], &x[i], &cosine);
        assert_true(x[i] == y[i] && cosine == z[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms),
        cmocka_unit_test(logarithms_plus_one),
        cmocka_unit_test(roots),
        cmocka_unit_test(turns),
        cmocka_unit_test(directions),
        cmocka_unit_test(equal_bits_for_every_set),
        cmocka_unit_test(alone_and_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
