/* The stars of a thick hot disk in the smooth field of a galaxy: their distribution does not change with time. */
#include "nbgen/galaxy/orbits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPS 0.03

/* Halo and bulge of Hernquist (1990), softened. */
static double round_mass(double r, const void *context)
{
    (void)context;
    return (12 * pow(r / (r + 7), 2) + 0.3 * pow(r / (r + 0.2), 2)) * pow(1 + pow(EPS / r, 2), -1.5);
}

static const struct layer disk = {.mass = 1.2, .scale = 1, .height = 0.2};
static const struct orbits_field field = {.layers = &disk, .layer_count = 1, .round = round_mass, .softening = EPS};

static struct orbits *make_orbits(void)
{
    struct orbits *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->layer = disk;
    o->toomre = 1.5;
    orbits_make(o, &field);
    return o;
}

/* Between the rows of the tables, against the sums that they are made of. */
static void test_pull(void **state)
{
    enum { N = 12 };
    const struct layer at = {.scale = 1, .height = 0.137};
    double R[N], in[N][LAYER_HEIGHTS], down[N][LAYER_HEIGHTS];
    struct orbits *o = make_orbits();
    (void)state;
    for (int k = 0; k < N; k++)
        R[k] = 0.0123 * pow(1.87, k);
    memset(in, 0, sizeof in);
    memset(down, 0, sizeof down);
    layer_add_pull(&disk, &at, EPS, N, R, in, down);
    for (int i = 0; i < N; i++)
        for (int k = 1; k < LAYER_HEIGHTS; k += 3) {
            double z = layer_height(k) * at.height, r = hypot(R[i], z), pos[3] = {0.6 * R[i], -0.8 * R[i], z}, acc[3];
            double round = round_mass(r, NULL) / pow(r, 3), inward = in[i][k] + round * R[i];
            orbits_pull(o, pos, acc);
            assert_float_equal(acc[0] / inward, -0.6, 0.005);
            assert_float_equal(acc[1] / inward, 0.8, 0.005);
            assert_float_equal(acc[2] / (down[i][k] + round * z), -1, 0.01);
        }
    free(o);
}

/* ---- stars that go on ---- */

enum { STARS = 40000, RINGS = 5, MEASURES = 4 };
static const double edges[RINGS + 1] = {0.5, 1, 1.5, 2.2, 3, 4.5};
static const char *const names[MEASURES] = {"height", "sigma_R", "sigma_z", "v_phi"};

struct star {
    double pos[3], vel[3];
};

static void carry(const struct orbits *o, struct star *stars, double time)
{
    enum { STEPS = 64 };
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < STARS; i++)
        for (int k = 0; k < STEPS; k++)
            orbits_carry(o, time / STEPS, stars[i].pos, stars[i].vel);
}

/* Adds the measures of each ring, roots of mean squares and the mean v_phi. */
static void add_measures(const struct star *stars, double weight, double (*sum)[MEASURES])
{
    double of[RINGS][MEASURES] = {{0}}, count[RINGS] = {0};
    for (int i = 0; i < STARS; i++) {
        const double *x = stars[i].pos, *v = stars[i].vel;
        double R = hypot(x[0], x[1]), out = (x[0] * v[0] + x[1] * v[1]) / R;
        const double value[MEASURES] = {x[2] * x[2], out * out, v[2] * v[2], (x[0] * v[1] - x[1] * v[0]) / R};
        for (int ring = 0; ring < RINGS; ring++)
            for (int k = 0; k < MEASURES && R > edges[ring] && R < edges[ring + 1]; k++) {
                of[ring][k] += value[k];
                count[ring] += k == 0;
            }
    }
    for (int ring = 0; ring < RINGS; ring++)
        for (int k = 0; k < MEASURES; k++) {
            double mean = of[ring][k] / count[ring];
            sum[ring][k] += weight * (k < 3 ? sqrt(mean) : mean);
        }
}

/* The bound is three standard errors of a ring of STARS stars' fewest. A disk whose heights do not follow its orbits
 * thickens by a tenth and more outside. */
static void test_stationary(void **state)
{
    struct orbits *o = make_orbits();
    struct star *stars = malloc(STARS * sizeof *stars);
    double first[RINGS][MEASURES] = {{0}}, later[RINGS][MEASURES] = {{0}};
    const struct nb_rng rng = {1, 2};
    (void)state;
    assert_non_null(stars);
    for (int i = 0; i < STARS; i++)
        orbits_draw(o, &rng, 0, (uint64_t)i, stars[i].pos, stars[i].vel);
    add_measures(stars, 1, first);
    for (int ring = 0; ring < RINGS; ring++)
        assert_float_equal(first[ring][0] / (disk.height * M_PI / sqrt(12)), 1, 0.035);
    for (int k = 0; k < 4; k++) {
        carry(o, stars, 3);
        add_measures(stars, 0.25, later);
    }
    for (int ring = 0; ring < RINGS; ring++)
        for (int k = 0; k < MEASURES; k++) {
            double change = later[ring][k] / first[ring][k] - 1;
            print_message("%g to %g: %s %.4f, %+.4f\n", edges[ring], edges[ring + 1], names[k], first[ring][k], change);
            if (!(fabs(change) < 0.04))
                fail_msg("%s from %g to %g changes by %.3f", names[k], edges[ring], edges[ring + 1], change);
        }
    free(stars);
    free(o);
}

int main(void)
{
#ifndef NB_HAVE_GSL
    puts("1..0 # SKIP built without GSL");
    return 0;
#endif
    numeric_demand("test_orbits");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pull), cmocka_unit_test(test_stationary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
