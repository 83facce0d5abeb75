/* The time of contact of two stars on their orbit: on Kepler orbits of all types, and on an orbit that a tide
 * changes, compared with small steps along the orbit. */
#include "step/groups/touch.h"
#include "step/kepler.h"

#include "common/uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* ---- Kepler's orbits ---- */

enum { STEPS = 1000 };

/* The distance after a time. */
static double distance_at(double mu, double t, const double x[3], const double v[3])
{
    double dx[3], dv[3];
    nb_kepler_advance(mu, t, x, v, dx, dv);
    return length((double[3]){x[0] + dx[0], x[1] + dx[1], x[2] + dx[2]});
}

static double follow(double mu, double dt, const double x[3], const double v[3], double r, double *first)
{
    double least = INFINITY;
    *first = INFINITY;
    for (int k = 0; k <= STEPS; k++) {
        const double t = dt * k / STEPS, distance = distance_at(mu, t, x, v);
        least = fmin(least, distance);
        if (distance <= r && !isfinite(*first))
            *first = t;
    }
    return least;
}

static void test_kepler(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int near = 0, bound = 0;
    for (int trial = 0; trial < 100; trial++) {
        double x[3], v[3], t, first;
        for (int d = 0; d < 3; d++)
            x[d] = uniform01(&seed) - 0.5, v[d] = (trial % 3 ? 6 : 1.5) * (uniform01(&seed) - 0.5);
        const double escape = sqrt(2 / length(x)), speed = length(v);
        if (trial % 10 == 9) /* a parabola, up to rounding */
            for (int d = 0; d < 3; d++)
                v[d] *= escape / speed;
        const double dt = (trial % 2 ? -3 : 3) * uniform01(&seed), r = 0.9 * uniform01(&seed) * length(x);
        const double least = follow(1, dt, x, v, r, &first);
        if (fabs(least - r) < 1e-2 * r) /* too close to tell by such steps */
            continue;
        assert_true(nb_kepler_comes_near(1, dt, x, v, r, &t) == (least < r));
        if (least > r)
            continue;
        assert_true(fabs(t - first) <= 1.001 * fabs(dt) / STEPS);
        assert_true(fabs(distance_at(1, t, x, v) - r) < 1e-9 * r);
        near++;
        bound += speed < escape;
    }
    assert_true(near > 30 && near < 70 && bound > 10 && near - bound > 5);
}

static void test_grazing(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const double of[] = {0.5, 0.99, 1, 1.5};
        const double e = of[k], q = 0.01, x[3] = {0, q}, v[3] = {sqrt((1 + e) / q)};
        double at[3], speed[3], dx[3], dv[3], t;
        nb_kepler_advance(1, -0.01, x, v, dx, dv); /* before the pericentre */
        for (int d = 0; d < 3; d++)
            at[d] = x[d] + dx[d], speed[d] = v[d] + dv[d];
        assert_true(nb_kepler_comes_near(1, 0.1, at, speed, q * (1 + 1e-8), &t));
        assert_true(t < 0.01 && fabs(t - 0.01) < 1e-6);
        assert_false(nb_kepler_comes_near(1, 0.1, at, speed, q * (1 - 1e-8), &t));
    }
}

/* ---- an orbit that a tide changes ---- */

/* The first time at which the distance is at most r, by steps of a share of the period. */
static double follow_tidal(const struct nb_orbit *o, double dt, const double tide[NB_TENSOR], double r, double share)
{
    const double h = (dt < 0 ? -share : share) * nb_orbit_period(o);
    for (double t = 0; fabs(t) <= fabs(dt); t += h) {
        struct nb_orbit at = *o;
        double x[3], v[3];
        nb_orbit_advance(&at, t, tide);
        nb_orbit_place(&at, x, v);
        if (length(x) <= r)
            return t;
    }
    return INFINITY;
}

static void test_tide(void **state)
{
    (void)state;
    const double mass[] = {0.5, 0.5}, share = 1e-3;
    double radius[] = {0, 0}, x[3] = {1.7}, v[3] = {0, 0.3, 0.05};
    double tide[NB_TENSOR] = {-1e-3, -1e-3, 2e-3, 2e-3, 0.5e-3, 0.5e-3};
    struct nb_touch_watch w = {.mass = mass, .radius = radius};
    const struct nb_cluster c = {.base = 1, .watch = &w};
    struct nb_group g = {.n = 2, .body = {0, 1}, .gm = {0.5, 0.5}, .total = 1, .averaged = true};
    assert_true(nb_orbit_set(&g.orbit, 1, x, v));
    const double period = nb_orbit_period(&g.orbit), q = g.orbit.a * (1 - g.orbit.e);
    int found = 0, later = 0;
    for (int trial = 0; trial < 40; trial++) {
        const double dt = (trial % 2 ? -1 : 1) * period * (trial % 8 < 6 ? 12 : 0.7);
        radius[0] = radius[1] = q / 2 * (0.855 + 0.01 * (trial / 2));
        tide[3] = trial % 4 % 3 > 0 ? 2e-3 : -2e-3;
        g.contact.found = false;
        nb_touch_averaged(&g, &c, dt, trial % 3 ? tide : NULL);
        const double first = follow_tidal(&g.orbit, dt, trial % 3 ? tide : NULL, 2 * radius[0], share);
        assert_true(g.contact.found == isfinite(first));
        if (!g.contact.found)
            continue;
        assert_true(g.contact.i == 0 && g.contact.j == 1 && fabs(g.contact.after - first) < 1.01 * share * period);
        found++;
        later += fabs(first) > period;
    }
    assert_true(found > 8 && found < 30 && later > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_tide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
