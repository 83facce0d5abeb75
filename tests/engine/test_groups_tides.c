/* Forces between binaries and other particles in hermite4-groups (step/groups/orbit.h), compared with numerical
 * derivatives: the pull of a quadrupole, near parts of pulls, tidal fields. */
#include "step/groups/orbit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double moments[NB_TENSOR] = {0.3, 0.5, 0.2, 0.1, -0.2, 0.05};

static double quadrupole_potential(const double d[3])
{
    double sd[3];
    nb_tensor_times(moments, d, sd);
    const double r2 = dot(d, d);
    return -0.7 / 2 * (3 * dot(d, sd) - r2 * (moments[0] + moments[1] + moments[2])) / (r2 * r2 * sqrt(r2));
}

static void weigh(const double d[3], double w[4])
{
    nb_pull_weights(&(struct nb_changeover){0}, dot(d, d), w);
}

/* The potential energy of a quadrupole; it is that of bodies with the tensor s of second moments. */
static void quadrupoles_pull_as_their_potential_says(void **state)
{
    static const double d[3] = {1.1, -1.7, 0.6}, v[3] = {0.4, 0.9, -0.5};
    const double h = 1e-4;
    double a[3] = {0}, j[3] = {0}, before[3] = {0}, after[3] = {0}, none[3], from[3], to[3], w[4];
    (void)state;
    weigh(d, w);
    nb_quadrupole_pull(0.7, w, moments, d, v, a, j);
    for (int k = 0; k < 3; k++) {
        double low[3] = {d[0], d[1], d[2]}, high[3] = {d[0], d[1], d[2]};
        low[k] -= h, high[k] += h;
        const double pull = -(quadrupole_potential(high) - quadrupole_potential(low)) / (2 * h);
        assert_true(fabs(a[k] - pull) < 1e-8 * sqrt(dot(a, a)) * 10);
        from[k] = d[k] - h * v[k], to[k] = d[k] + h * v[k];
    }
    weigh(from, w);
    nb_quadrupole_pull(0.7, w, moments, from, v, before, none);
    weigh(to, w);
    nb_quadrupole_pull(0.7, w, moments, to, v, after, none);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(j[k] - (after[k] - before[k]) / (2 * h)) < 1e-7 * sqrt(dot(j, j)));
    /* A dumb-bell far away: two masses of 1/2, 0.02 from the middle, have the tensor with its first element 0.02^2. */
    const double bell[NB_TENSOR] = {4e-4}, ends[2][3] = {{d[0] - 0.02, d[1], d[2]}, {d[0] + 0.02, d[1], d[2]}};
    const double r = sqrt(dot(d, d));
    memset(a, 0, sizeof a);
    weigh(d, w);
    nb_quadrupole_pull(1, w, bell, d, v, a, j);
    for (int k = 0; k < 3; k++) {
        double truth = d[k] / (r * r * r);
        for (int l = 0; l < 2; l++)
            truth -= ends[l][k] / (2 * pow(dot(ends[l], ends[l]), 1.5));
        assert_true(fabs(a[k] - truth) < 1e-3 * sqrt(dot(a, a)));
    }
}

/* The share of the pull that is near: 1 - K. */
static double near_weight(double r2)
{
    const double y = fmin(1, fmax(0, (r2 - 0.01) / 0.99));
    return (1 - y * y * y * y * (35 - 84 * y + 70 * y * y - 20 * y * y * y)) / (r2 * sqrt(r2));
}

static void weights_of_near_pulls_are_derivatives(void **state)
{
    static const double place[] = {0.005, 0.0101, 0.1, 0.4, 0.8, 0.99, 1.5};
    (void)state;
    for (size_t k = 0; k < COUNT(place); k++) {
        const double r2 = place[k], h = 1e-5 * r2;
        double w[4], low[4], high[4];
        nb_pull_weights(&(struct nb_changeover){0.1, 1}, r2, w);
        nb_pull_weights(&(struct nb_changeover){0.1, 1}, r2 - h, low);
        nb_pull_weights(&(struct nb_changeover){0.1, 1}, r2 + h, high);
        assert_true(fabs(w[0] - near_weight(r2)) < 1e-13 / (r2 * sqrt(r2)));
        for (int d = 1; d < 4; d++)
            assert_true(fabs(w[d] - (high[d - 1] - low[d - 1]) / (2 * h)) < 1e-6 * (fabs(w[d]) + pow(r2, -1.5 - d)));
    }
}

static void tides_are_differences_of_pulls(void **state)
{
    static const double d[3] = {1.1, -1.7, 0.6}, v[3] = {0.4, 0.9, -0.5};
    const double h = 1e-4;
    double tide[NB_TENSOR] = {0}, rate[NB_TENSOR] = {0}, none[NB_TENSOR] = {0}, early[NB_TENSOR] = {0},
           late[NB_TENSOR] = {0}, from[3], to[3], w[4];
    (void)state;
    weigh(d, w);
    nb_tide_add(0.7, w, d, v, tide, rate);
    for (int k = 0; k < 3; k++) {
        double x[3] = {0}, y[3], pull[2][3];
        for (int side = 0; side < 2; side++) {
            x[k] = side ? h : -h;
            const double to_it[3] = {d[0] - x[0], d[1] - x[1], d[2] - x[2]}, r2 = dot(to_it, to_it);
            for (int l = 0; l < 3; l++)
                pull[side][l] = 0.7 * to_it[l] / (r2 * sqrt(r2));
        }
        nb_tensor_times(tide, x, y);
        for (int l = 0; l < 3; l++)
            assert_true(fabs(y[l] - (pull[1][l] - pull[0][l]) / 2) < 1e-7 * h);
        from[k] = d[k] - h * v[k], to[k] = d[k] + h * v[k];
    }
    weigh(from, w);
    nb_tide_add(0.7, w, from, v, early, none);
    weigh(to, w);
    nb_tide_add(0.7, w, to, v, late, none);
    for (int k = 0; k < NB_TENSOR; k++)
        assert_true(fabs(rate[k] - (late[k] - early[k]) / (2 * h)) < 1e-7);
    assert_true(fabs(tide[0] + tide[1] + tide[2]) < 1e-15 && fabs(rate[0] + rate[1] + rate[2]) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadrupoles_pull_as_their_potential_says),
        cmocka_unit_test(weights_of_near_pulls_are_derivatives),
        cmocka_unit_test(tides_are_differences_of_pulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
