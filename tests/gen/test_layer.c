/* The acceleration of a thick exponential disk, near and far, compared with a sum over rings. */
#include "nbgen/galaxy/orbits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define EPS 0.05

/* Of a ring of mass 1 and radius a, at R and z over its plane. */
static void add_ring(double weight, double a, double R, double z, double *inward, double *across)
{
    enum { ANGLES = 60 };
    for (int k = 0; k < ANGLES; k++) { /* dense where the ring is near */
        double t = (k + 0.5) / ANGLES, angle = M_PI * sinh(5 * t) / sinh(5);
        double share = 5 * cosh(5 * t) / sinh(5) / ANGLES * weight;
        double x = R - a * cos(angle), y = a * sin(angle), r2 = x * x + y * y + z * z + EPS * EPS;
        *inward += share * x / (r2 * sqrt(r2));
        *across += share * z / (r2 * sqrt(r2));
    }
}

static void sum_rings(const struct layer *s, double R, double z, double *inward, double *across)
{
    enum { RINGS = 500, HEIGHTS = 32 };
    *inward = *across = 0;
    for (int k = 0; k < RINGS; k++) {
        double a = 30 * s->scale * (k + 0.5) / RINGS, da = 30 * s->scale / RINGS;
        double mass = s->mass / (s->scale * s->scale) * a * exp(-a / s->scale) * da;
        for (int h = 0; h < HEIGHTS; h++)
            add_ring(mass / HEIGHTS, a, R, z - s->height * atanh((2 * h + 1.0) / HEIGHTS - 1), inward, across);
    }
}

static void assert_near(double value, double expected, double tolerance, const char *what, double R, double z)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s at R %g, z %g: %.9g, not %.9g: off by %.2g", what, R, z, value, expected, value / expected - 1);
}

/* The sum over rings is itself no better than that. */
static void test_pull(void **state)
{
    const struct layer source = {.mass = 2, .scale = 0.7, .height = 0.14}, at = {.scale = 1, .height = 0.3};
    const double R[] = {0.35, 1.4, 3.5, 5.6, 8.4, 13.9, 14.1, 100, 1000};
    enum { N = sizeof R / sizeof *R };
    double inward[N][LAYER_HEIGHTS], across[N][LAYER_HEIGHTS];
    (void)state;
    memset(inward, 0, sizeof inward);
    memset(across, 0, sizeof across);
    layer_add_pull(&source, &at, EPS, N, R, inward, across);
    for (int k = 0; k < N; k++) {
        double in, down, mean = 0;
        for (int z = 0; z < LAYER_HEIGHTS; z += 24) {
            double height = layer_height(z) * at.height;
            sum_rings(&source, R[k], height, &in, &down);
            assert_near(across[k][z], down, 3e-3 * fmax(down, 1e-9), "pull across", R[k], height);
            assert_near(inward[k][z], in, 3e-3 * in, "pull inwards", R[k], height);
            mean = z == 0 ? in : mean;
        }
        assert_near(layer_pull_plane(&source, EPS, R[k]), mean, 3e-3 * mean, "pull in the plane", R[k], 0);
        double inwards = layer_mean(inward[k]);
        assert_true(inwards < mean * 1.05 && inwards > 0.5 * mean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
