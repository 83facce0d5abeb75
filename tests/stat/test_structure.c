/* Poses, Lagrangian radii, motion: compared with plain sums in long double and formulas; threads. */
#include "made_cloud.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BINS = 5 };

/* ---- the pose ---- */

static void axes_are_orthonormal(void **state)
{
    (void)state;
    static const double directions[][3] = {{0, 0, 1},         {0, 0, -3},   {1, 0, 0}, {0, 2, 0},
                                           {1, 1e-9, 0},      {1, 2, -3},   {0, 0, 0}, {1e-200, 0, 1e-200},
                                           {1e200, 1e200, 0}, {-1, 0, 1e-3}};
    for (size_t q = 0; q < sizeof directions / sizeof *directions; q++) {
        const double *w = directions[q];
        struct nb_pose p;
        nb_pose_turn(&p, w);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double dot = 0;
                for (int k = 0; k < 3; k++)
                    dot += p.axis[i][k] * p.axis[j][k];
                assert_close(dot, i == j, 4e-16);
            }
        for (int k = 0; k < 3; k++) { /* right-handed, and along the direction */
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            assert_close(p.axis[0][k1] * p.axis[1][k2] - p.axis[0][k2] * p.axis[1][k1], p.axis[2][k], 4e-16);
            const double length = hypot(hypot(w[0], w[1]), w[2]);
            assert_close(p.axis[2][k], length > 0 ? w[k] / length : k == 2, 3e-16);
        }
    }
    struct nb_pose p;
    nb_pose_turn(&p, directions[0]);
    for (int k = 0; k < 9; k++)
        assert_true(p.axis[k / 3][k % 3] == (k % 4 == 0));
}

/* ---- radii ---- */

struct shell {
    double r, m;
};

static int by_distance(const void *a, const void *b)
{
    const struct shell *p = a, *q = b;
    return (p->r > q->r) - (p->r < q->r);
}

static void radii_against_a_sort(void **state)
{
    (void)state;
    enum { N = 20011, SHARES = 7 };
    static const double shares[SHARES] = {0.9, 0.001, 0.1, 0.25, 0.5, 0.75, 1};
    static struct shell order[N];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    make_cloud(&b, N, 1);
    for (int geometry = 0; geometry < 2; geometry++)
        for (int weight = 0; weight < 2; weight++) {
            double radii[SHARES];
            long double total = 0;
            for (uint64_t i = 0; i < N; i++) {
                order[i] =
                    (struct shell){brute_distance(&b, &pose, geometry, i), weight == NB_BY_MASS ? mass(&b)[i] : 1};
                total += order[i].m;
            }
            qsort(order, N, sizeof *order, by_distance);
            assert_int_equal(nb_measure_radii(&b, &pose, geometry, weight, shares, SHARES, radii), 0);
            for (int k = 0; k < SHARES; k++) {
                long double within = 0;
                int i = 0;
                while (i < N && (within += order[i].m) < shares[k] * total * (1 - 1e-15))
                    i++;
                assert_close(radii[k] / order[i].r, 1, 1e-13);
            }
        }
    nb_bodies_free(&b);
}

/* Quantiles of a Plummer sphere of scale 1: M(r) = r^3 / (1 + r^2)^(3/2). */
static void lagrangian_radii_of_a_plummer_sphere(void **state)
{
    (void)state;
    enum { N = 100000 };
    static const double shares[] = {0.01, 0.1, 0.5, 0.9, 0.99};
    struct nb_bodies b;
    struct nb_pose pose = {0};
    double radii[5];
    uint64_t seed = 3;
    make(&b, N);
    for (int i = 0; i < N; i++) {
        const double r = 1 / sqrt(pow((i + 0.5) / N, -2. / 3) - 1), z = 2 * uniform01(&seed) - 1;
        const double phi = 2 * M_PI * uniform01(&seed), s = sqrt(1 - z * z);
        memcpy(pos(&b) + 3 * i, (double[]){r * s * cos(phi), r * s * sin(phi), r * z}, 24);
    }
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, 5, radii), 0);
    for (int k = 0; k < 5; k++)
        assert_close(radii[k] * sqrt(pow(shares[k], -2. / 3) - 1), 1, 1e-3); /* a body's share at the ends */
    nb_bodies_free(&b);
}

static void radii_that_there_are_not(void **state)
{
    (void)state;
    const double half = 0.5;
    struct nb_bodies b;
    struct nb_pose pose = {0};
    double r;
    make(&b, 3);
    pos(&b)[0] = 1e300;
    pos(&b)[3] = -1e300;
    pos(&b)[6] = 5e-324;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(r == 1e300);
    pose.centre[1] = NAN;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(isnan(r));
    pose.centre[1] = 0;
    memset(mass(&b), 0, 24);
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(isnan(r));
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_NUMBER, &half, 1, &r), 0);
    assert_true(r == 1e300);
    nb_bodies_free(&b);
}

/* ---- motion ---- */

static void motion_against_plain_sums(void **state)
{
    (void)state;
    enum { N = 5003 };
    struct nb_bodies b;
    struct nb_measures m;
    struct nb_pose pose = tilted();
    long double sum[4] = {0}, spin[3] = {0};
    double got[3];
    make_cloud(&b, N, 5);
    for (uint64_t i = 0; i < N; i++) {
        long double d[3], u[3];
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (long double)pos(&b)[3 * i + k] - pose.centre[k];
            u[k] = (long double)vel(&b)[3 * i + k] - pose.velocity[k];
        }
        for (int k = 0; k < 3; k++)
            spin[k] += mass(&b)[i] * (d[(k + 1) % 3] * u[(k + 2) % 3] - d[(k + 2) % 3] * u[(k + 1) % 3]);
        if (brute_distance(&b, &pose, NB_SPHERICAL, i) > 0.4)
            continue;
        sum[3] += mass(&b)[i];
        for (uint64_t k = 0; k < 3; k++)
            sum[k] += mass(&b)[i] * (long double)vel(&b)[3 * i + k];
    }
    assert_int_equal(nb_measure_velocity(&b, pose.centre, 0.4, got), 0);
    for (int k = 0; k < 3; k++)
        assert_close(got[k], (double)(sum[k] / sum[3]), 1e-14);
    assert_true(sum[3] > 50);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_NOTHING, &m), 0);
    assert_true(isnan(m.half_mass_radius) && isnan(m.centre[0]));
    nb_measure_spin(&m, pose.centre, pose.velocity, got);
    for (int k = 0; k < 3; k++)
        assert_close(got[k], (double)spin[k], 1e-9);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_COM, &m), 0);
    memcpy(pose.centre, m.com, sizeof pose.centre);
    assert_true(memcmp(m.centre, m.com, sizeof m.com) == 0);
    const double half = 0.5;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, got), 0);
    assert_true(m.half_mass_radius == got[0]);
    nb_bodies_free(&b);
}

/* ---- threads ---- */

static void any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 100003 };
    static double phi[N], acc[3 * N];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    const int usual = omp_get_max_threads();
    const double shares[2] = {0.1, 0.5};
    struct {
        double edges[BINS + 1], radii[2], velocity[3];
        struct nb_profile_bin bins[BINS];
        struct nb_modes modes;
        struct nb_escaped escaped;
    } got[2];
    memset(got, 0, sizeof got);
    make_cloud(&b, N, 8);
    for (int i = 0; i < N; i++)
        phi[i] = -4;
    memcpy(acc, pos(&b), sizeof acc);
    for (int threads = 1; threads < 6; threads++) {
        omp_set_num_threads(threads);
        const int q = threads > 1;
        assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, 2, got[q].radii), 0);
        assert_int_equal(nb_measure_edges(&b, &pose, NB_CYLINDRICAL, BINS, got[q].edges), 0);
        assert_int_equal(nb_measure_profile(&b, acc, &pose, NB_CYLINDRICAL, got[q].edges, BINS, got[q].bins), 0);
        assert_int_equal(nb_measure_velocity(&b, pose.centre, 1, got[q].velocity), 0);
        assert_int_equal(nb_measure_modes(&b, &pose, 1, &got[q].modes), 0);
        assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, pose.velocity, &got[q].escaped), 0);
        assert_true(threads == 1 || memcmp(&got[0], &got[1], sizeof got[0]) == 0);
    }
    omp_set_num_threads(usual);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_orthonormal),
        cmocka_unit_test(radii_against_a_sort),
        cmocka_unit_test(lagrangian_radii_of_a_plummer_sphere),
        cmocka_unit_test(radii_that_there_are_not),
        cmocka_unit_test(motion_against_plain_sums),
        cmocka_unit_test(any_number_of_threads),
    };
    return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
