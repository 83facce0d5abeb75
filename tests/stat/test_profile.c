/* Profiles over radius: compared with plain sums in long double, and for bins with few bodies. */
#include "made_cloud.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BINS = 5, SAMPLES = 9973 };

struct brute {
    uint64_t n;
    long double m, r, v[3], v2[3], z, z2, pull;
};

/* The unit vectors by the place of a body: (x, y, z) / r, and the derivatives of it by the angles. */
static void brute_body(struct brute *s, enum nb_geometry geometry, double m, const long double d[3],
                       const long double u[3], const long double a[3])
{
    const long double R = sqrtl(d[0] * d[0] + d[1] * d[1]), r = sqrtl(R * R + d[2] * d[2]);
    const long double radial[3] = {d[0] / R, d[1] / R, 0}, outward[3] = {d[0] / r, d[1] / r, d[2] / r};
    const long double around[3] = {-d[1] / R, d[0] / R, 0}, up[3] = {0, 0, 1};
    const long double polar[3] = {d[0] * d[2] / (R * r), d[1] * d[2] / (R * r), -R / r};
    const bool sphere = geometry == NB_SPHERICAL;
    const long double *e[3] = {sphere ? outward : radial, around, sphere ? polar : up};
    s->n++;
    s->m += m;
    s->r += m * (sphere ? r : R);
    s->z += m * d[2];
    s->z2 += m * d[2] * d[2];
    for (int k = 0; k < 3; k++) {
        const long double w = e[k][0] * u[0] + e[k][1] * u[1] + e[k][2] * u[2];
        s->v[k] += m * w;
        s->v2[k] += m * w * w;
    }
    s->pull -= m * (a[0] * d[0] + a[1] * d[1] + (sphere ? a[2] * d[2] : 0));
}

static void brute_profile(const struct nb_bodies *b, const double *acc, const struct nb_pose *p,
                          enum nb_geometry geometry, const double *edges, struct brute bins[BINS + 1])
{
    for (uint64_t i = 0; i < b->n; i++) {
        long double d[3] = {0}, u[3] = {0}, a[3] = {0};
        const double r = brute_distance(b, p, geometry, i);
        int bin = BINS + 1;
        while (bin > 0 && !(edges[bin - 1] < r))
            bin--;
        if (bin > BINS)
            continue;
        for (int q = 0; q < 3; q++)
            for (uint64_t k = 0; k < 3; k++) {
                d[q] += p->axis[q][k] * ((long double)pos(b)[3 * i + k] - p->centre[k]);
                u[q] += p->axis[q][k] * ((long double)vel(b)[3 * i + k] - p->velocity[k]);
                a[q] += p->axis[q][k] * (long double)acc[3 * i + k];
            }
        brute_body(&bins[bin], geometry, mass(b)[i], d, u, a);
    }
}

static void check_bin(const struct nb_profile_bin *bin, const struct brute *s, enum nb_geometry geometry)
{
    const long double a = bin->inner, c = bin->outer,
                      size =
                          geometry == NB_SPHERICAL ? 4 * M_PIl / 3 * (c * c * c - a * a * a) : M_PIl * (c * c - a * a);
    long double sigma2[3];
    assert_true(bin->n == s->n && s->n > 100);
    assert_close(bin->mass, (double)s->m, 1e-11);
    assert_close(bin->radius, (double)(s->r / s->m), 1e-13);
    assert_close(bin->density / (double)(s->m / size), 1, 1e-12);
    assert_close(bin->z, (double)(s->z / s->m), 1e-13);
    assert_close(bin->height, (double)sqrtl(s->z2 / s->m - s->z / s->m * s->z / s->m), 1e-13);
    for (int k = 0; k < 3; k++) {
        sigma2[k] = s->v2[k] / s->m - s->v[k] / s->m * s->v[k] / s->m;
        assert_close(bin->mean[k], (double)(s->v[k] / s->m), 1e-13);
        assert_close(bin->sigma[k], (double)sqrtl(sigma2[k]), 1e-13);
    }
    const long double across = geometry == NB_SPHERICAL ? (sigma2[1] + sigma2[2]) / 2 : sigma2[1];
    assert_close(bin->beta, (double)(1 - across / sigma2[0]), 1e-12);
    assert_close(bin->circular, (double)sqrtl(s->pull / s->m), 1e-12);
}

static void profiles_against_plain_sums(void **state)
{
    (void)state;
    static const double edges[BINS + 1] = {0.1, 0.2, 0.4, 0.5, 0.8, 1.1};
    static double acc[3 * SAMPLES];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    uint64_t seed = 9;
    make_cloud(&b, SAMPLES, 2);
    for (int k = 0; k < 3 * SAMPLES; k++)
        acc[k] = pose.centre[k % 3] - pos(&b)[k] + 0.1 * uniform01(&seed);
    for (int geometry = 0; geometry < 2; geometry++) {
        struct nb_profile_bin bins[BINS];
        struct brute want[BINS + 1] = {{0}};
        long double within;
        brute_profile(&b, acc, &pose, geometry, edges, want);
        within = want[0].m;
        assert_int_equal(nb_measure_profile(&b, acc, &pose, geometry, edges, BINS, bins), 0);
        for (int k = 0; k < BINS; k++) {
            check_bin(&bins[k], &want[k + 1], geometry);
            within += want[k + 1].m;
            assert_close(bins[k].within, (double)within, 1e-11);
        }
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, BINS, bins), 0);
        assert_true(isnan(bins[0].circular) && bins[0].n == want[1].n);
    }
    nb_bodies_free(&b);
}

static void edges_hold_equal_numbers(void **state)
{
    (void)state;
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    struct nb_profile_bin bins[BINS];
    double edges[BINS + 1];
    make_cloud(&b, SAMPLES, 4);
    for (int geometry = 0; geometry < 2; geometry++) {
        uint64_t all = 0;
        assert_int_equal(nb_measure_edges(&b, &pose, geometry, BINS, edges), 0);
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, BINS, bins), 0);
        for (int k = 0; k < BINS; k++) {
            assert_true(bins[k].n == SAMPLES / BINS || bins[k].n == SAMPLES / BINS + 1);
            all += bins[k].n;
        }
        assert_true(all == SAMPLES && edges[0] == 0);
    }
    nb_bodies_free(&b);
}

/* Bodies at the centre, on the axis and at an edge; bins of nothing. */
static void profiles_at_the_ends(void **state)
{
    (void)state;
    static const double edges[] = {0, 1, 2, 3};
    struct nb_pose pose = {0};
    struct nb_profile_bin bins[3];
    struct nb_bodies b;
    nb_pose_turn(&pose, (const double[3]){0, 0, 1});
    make(&b, 4);
    pos(&b)[5] = 1;  /* on the axis: along r */
    vel(&b)[5] = -2; /* falling */
    pos(&b)[6] = 1;
    vel(&b)[7] = 3; /* around */
    pos(&b)[9] = 3.5;
    for (int geometry = 0; geometry < 2; geometry++) {
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, 3, bins), 0);
        assert_true(bins[0].n == 3 && bins[0].mass == 3 && bins[1].n == 0 && bins[2].within == 3);
        assert_close(bins[0].mean[1], 1, 1e-15);
        assert_close(bins[0].mean[geometry == NB_SPHERICAL ? 0 : 2], -2. / 3, 1e-15);
        assert_close(bins[0].z, 1. / 3, 1e-15);
        assert_true(isnan(bins[1].radius) && isnan(bins[1].sigma[0]) && isnan(bins[1].height) && bins[1].density == 0);
    }
    nb_bodies_free(&b);
}

/* What a bin of one body says: its motion, no dispersion, and no anisotropy. */
static void profile_of_one_body(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < 400; trial++) {
        const int geometry = trial % 2;
        const double edges[] = {0, 4};
        const struct nb_pose pose = tilted();
        struct nb_profile_bin bin;
        struct nb_bodies b;
        make_cloud(&b, 3, seed);
        for (int i = 0; i < 3; i++) /* two of no mass */
            mass(&b)[i] = i == trial % 3 ? uniform01(&seed) : 0;
        vel(&b)[3 * (trial % 3)] *= 1e6 * uniform01(&seed);
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, 1, &bin), 0);
        assert_true(bin.n == 3 && bin.mass == mass(&b)[trial % 3] && isfinite(bin.density));
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(bin.mean[k]) && bin.sigma[k] == 0);
        assert_true(bin.height == 0 && isnan(bin.beta));
        nb_bodies_free(&b);
    }
}

/* Orbits that are circles: sigma_r is 0, beta has no value; a little of sigma_r, and it has. A bin without a volume has
 * no density. */
static void profiles_without_a_value(void **state)
{
    (void)state;
    static const double edges[] = {0, 2}, none[] = {1, 1};
    struct nb_pose pose = {0};
    struct nb_profile_bin bin;
    struct nb_bodies b;
    nb_pose_turn(&pose, (const double[3]){0, 0, 1});
    make(&b, 2);
    for (int i = 0; i < 2; i++) {
        pos(&b)[3 * i] = 1;
        vel(&b)[3 * i + 1] = 1 + 2 * i;
    }
    for (int geometry = 0; geometry < 2; geometry++) {
        vel(&b)[0] = 0;
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, 1, &bin), 0);
        assert_true(bin.sigma[0] == 0 && bin.sigma[1] == 1 && isnan(bin.beta));
        vel(&b)[0] = 1e-4;
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, 1, &bin), 0);
        assert_close(bin.sigma[0], 0.5e-4, 1e-18);
        assert_close(bin.beta / (1 - (geometry == NB_SPHERICAL ? 0.5 : 1) / 0.25e-8), 1, 1e-14);
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, none, 1, &bin), 0);
        assert_true(bin.n == 2 && bin.mass == 2 && isnan(bin.density));
    }
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_against_plain_sums), cmocka_unit_test(edges_hold_equal_numbers),
        cmocka_unit_test(profiles_at_the_ends),        cmocka_unit_test(profile_of_one_body),
        cmocka_unit_test(profiles_without_a_value),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
