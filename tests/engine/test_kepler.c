/* Kepler motion compared with the formulas of orbits, for any eccentricity and any time: the solver, and the kernels of
 * every instruction set, whose rounding errors have no bias. */
#include "simd/simd.h"
#include "step/kepler.h"
#include "step/whfast.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- the solver ---- */

typedef long double real; /* 64 bits or more */

#define PI_L 3.14159265358979323846264338327950288L

/* Place and velocity on an orbit about mu = 1 at an eccentric (or hyperbolic) anomaly, pericentre on the x axis; and
 * the time since then. */
static real orbit_at(real a, real e, real anomaly, real x[2], real v[2])
{
    if (e < 1) {
        const real c = cosl(anomaly), s = sinl(anomaly), rate = 1 / (sqrtl(a) * (1 - e * c)), b = sqrtl(1 - e * e);
        x[0] = a * (c - e), x[1] = a * b * s;
        v[0] = -rate * s, v[1] = rate * b * c;
        return a * sqrtl(a) * (anomaly - e * s);
    }
    const real c = coshl(anomaly), s = sinhl(anomaly), rate = 1 / (sqrtl(a) * (e * c - 1)), b = sqrtl(e * e - 1);
    x[0] = a * (e - c), x[1] = a * b * s;
    v[0] = -rate * s, v[1] = rate * b * c;
    return a * sqrtl(a) * (e * s - anomaly);
}

/* The anomaly at a time, by bisection alone. */
static real anomaly_at(real a, real e, real time)
{
    const real span = fabsl(time) / (a * sqrtl(a)) + 2;
    real low = e < 1 ? -span : -2 * logl(span + 2) - 2, high = -low, x[2], v[2];
    if (e >= 1) /* e s - H >= H^3 / 6 and >= (e - 1) s */
        high = fminl(cbrtl(6 * span), asinhl(span / (e - 1))) + 2, low = -high;
    for (int k = 0; k < 200; k++) {
        const real middle = low + (high - low) / 2;
        if (orbit_at(a, e, middle, x, v) < time)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* The error of a step on the orbit from an anomaly, beside what a change of the start in its last digit makes. */
static double kepler_error(double a, double e, double from, double dt)
{
    real x0[2], v0[2], x1[2], v1[2], x2[2], v2[2];
    double dx[3], dv[3], worst = 0;
    const real t0 = orbit_at(a, e, from, x0, v0), at = anomaly_at(a, e, t0 + dt);
    orbit_at(a, e, at, x1, v1);
    const double x[3] = {(double)x0[0], 0, (double)x0[1]}, v[3] = {(double)v0[0], 0, (double)v0[1]};
    nb_kepler_advance(1, dt, x, v, dx, dv);
    /* The start is rounded: of the time at the end by some digits of all time passed, of the place by some of r. */
    const real r0 = hypotl(x0[0], x0[1]), r1 = hypotl(x1[0], x1[1]), speed0 = hypotl(v0[0], v0[1]);
    const real digits = 2.3e-16L, energy = digits * (1 / r0 + speed0 * speed0); /* uncertain by that */
    const real slip = fabsl((real)dt) * 3 * a * energy + digits * (r0 / speed0 + fabsl((real)dt));
    orbit_at(a, e, anomaly_at(a, e, t0 + dt + slip), x2, v2);
    const real turn = a * speed0 * speed0 + (e > 1 ? r0 / (a * (e - 1)) : 0); /* a close passage turns by more */
    const real range = hypotl(x2[0] - x1[0], x2[1] - x1[1]) + digits * 4 * (r1 + r0) * (1 + turn);
    const real range_v =
        hypotl(v2[0] - v1[0], v2[1] - v1[1]) + digits * 4 * (speed0 + hypotl(v1[0], v1[1])) * (1 + turn);
    worst = fmax(worst, (double)(hypotl(x[0] + dx[0] - x1[0], x[2] + dx[2] - x1[1]) / range));
    worst = fmax(worst, (double)(hypotl(v[0] + dv[0] - v1[0], v[2] + dv[2] - v1[1]) / range_v));
    return dx[1] == 0 && dv[1] == 0 ? worst : INFINITY;
}

static void kepler_motion_is_exact(void **state)
{
    static const double ellipses[] = {0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.9999}, hyperbolas[] = {1.0001, 1.1, 2, 10};
    static const double spans[] = {1e-6, 0.01, 0.3, 0.5, 0.77, 1, 3.4, 100.1, 12345.6}; /* of 2 pi a^1.5 */
    double worst = 0;
    (void)state;
    for (int hyperbolic = 0; hyperbolic < 2; hyperbolic++)
        for (size_t k = 0; k < (hyperbolic ? 4 : 7); k++)
            for (size_t t = 0; t < sizeof spans / sizeof *spans; t++)
                for (int way = -1; way <= 1; way += 2)
                    for (double from = -3; from < 3.2; from += 0.375) {
                        const double e = hyperbolic ? hyperbolas[k] : ellipses[k], a = 1.7;
                        const double error = kepler_error(a, e, from, way * spans[t] * 6.283185 * pow(a, 1.5));
                        worst = fmax(worst, error);
                        if (!(error < 10))
                            fail_msg("e %g from %g for %g: %g times the digits", e, from, way * spans[t], error);
                    }
    print_message("# at most %.1f times what the digits of the start leave open\n", worst);
}

/* A parabola: falling out with the speed of escape along a line, r^1.5 grows as 3/sqrt 2 t. */
static void parabola(void **state)
{
    const double x[3] = {0, 2, 0}, v[3] = {0, 1, 0};
    double dx[3], dv[3];
    (void)state;
    nb_kepler_advance(1, 7, x, v, dx, dv);
    const double r = pow(pow(2, 1.5) + 3 / sqrt(2) * 7, 2.0 / 3);
    assert_true(fabs(2 + dx[1] - r) < 1e-14 * r && fabs(1 + dv[1] - sqrt(2 / r)) < 1e-15);
}

/* Whatever it is given, it comes to an end. */
static void nonsense_ends(void **state)
{
    static const double values[] = {0, 1, -1, 1e-300, 1e300, INFINITY, NAN};
    double dx[3], dv[3];
    (void)state;
    for (int k = 0; k < 7 * 7 * 7 * 7; k++) {
        const double x[3] = {values[k % 7], 0, 0}, v[3] = {0, values[k / 7 % 7], 0};
        nb_kepler_advance(values[k / 49 % 7], values[k / 343], x, v, dx, dv);
    }
}

/* ---- the kernels ---- */

#define SET(name)    nb_whfast_##name
#define SET_OF(name) &SET(name)
extern const struct nb_whfast_set NB_SIMD_EACH(SET);
static const struct nb_whfast_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

enum { PLANETS = 13, STRIDE = 64 };

/* Lanes of different orbits, some of them with steps that are long for the series: each by itself as the solver says.
 */
static void drifts_of_all_sets(void **state)
{
    (void)state;
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        _Alignas(64) double m[STRIDE] = {0}, rows[4][3 * STRIDE] = {{0}}, start[2][3 * STRIDE];
        const struct nb_planets p = {PLANETS, STRIDE, 0.5, 2, m, rows[0], rows[1], rows[2], rows[3]};
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        for (uint64_t i = 0; i < PLANETS; i++) {
            const double a = 0.05 * pow(1.6, (double)i), e = 0.9 * (double)(i % 5) / 4;
            rows[0][i] = a * (1 - e), rows[0][2 * STRIDE + i] = 0.1 * a;
            rows[1][STRIDE + i] = sqrt((1 + e) / (1 - e) / a);
        }
        memcpy(start[0], rows[0], sizeof rows[0]);
        memcpy(start[1], rows[1], sizeof rows[1]);
        sets[set]->drift(&p, 0.37, 0, PLANETS);
        for (uint64_t i = 0; i < PLANETS; i++) {
            double x[3], v[3], dx[3], dv[3];
            for (uint64_t k = 0; k < 3; k++)
                x[k] = start[0][k * STRIDE + i], v[k] = start[1][k * STRIDE + i];
            nb_kepler_advance(1, 0.37, x, v, dx, dv);
            for (uint64_t k = 0; k < 3; k++)
                if (!(fabs(rows[0][k * STRIDE + i] - (x[k] + dx[k])) < 4e-14 * fabs(x[0]) &&
                      fabs(rows[1][k * STRIDE + i] - (v[k] + dv[k])) < 4e-14 * fabs(v[1])))
                    fail_msg("%s: planet %d", nb_simd_name((enum nb_simd)set), (int)i);
        }
    }
}

static double random_from(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

/* Energy of planet i about a mass of 1, times its a; with what q and v have beyond double. */
static real energy_of(const struct nb_planets *p, uint64_t i, double a)
{
    real x2 = 0, v2 = 0;
    for (uint64_t k = 0; k < 3; k++) {
        const real x = (real)p->q[k * STRIDE + i] + p->q_low[k * STRIDE + i];
        const real v = (real)p->v[k * STRIDE + i] + p->v_low[k * STRIDE + i];
        x2 += x * x, v2 += v * v;
    }
    return a * (v2 / 2 - 1 / sqrtl(x2));
}

/* Rounding takes as much from the energy as it adds, or else a long run would drift: the mean over many steps from
 * anywhere on orbits of eccentricity e is 0 within its own error. */
static void has_no_bias(double e)
{
    enum { COUNT = 40000 };
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        _Alignas(64) double m[STRIDE] = {0}, rows[4][3 * STRIDE];
        const struct nb_planets p = {8, STRIDE, 1, 1, m, rows[0], rows[1], rows[2], rows[3]};
        uint64_t seed = 1;
        real sum = 0, squares = 0, before[8];
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        for (int k = 0; k < COUNT; k++) {
            const double a = random_from(&seed, 0.6, 2.3);
            memset(rows, 0, sizeof rows);
            for (uint64_t i = 0; i < 8; i++) {
                real x[2], v[2];
                const double turn = random_from(&seed, 0, 7);
                orbit_at(a, random_from(&seed, e, e + 0.01), random_from(&seed, -3.14159, 3.14159), x, v);
                rows[0][i] = (double)(x[0] * cos(turn) - x[1] * sin(turn));
                rows[0][STRIDE + i] = (double)(x[0] * sin(turn) + x[1] * cos(turn));
                rows[1][i] = (double)(v[0] * cos(turn) - v[1] * sin(turn));
                rows[1][STRIDE + i] = (double)(v[0] * sin(turn) + v[1] * cos(turn));
                before[i] = energy_of(&p, i, a);
            }
            sets[set]->drift(&p, 0.3084 * pow(a, 1.5), 0, 8); /* some 20 steps an orbit */
            for (uint64_t i = 0; i < 8; i++) {
                const real change = energy_of(&p, i, a) - before[i];
                sum += change, squares += change * change;
            }
        }
        const double mean = (double)sum / (8 * COUNT), rms = (double)sqrtl(squares / (8 * COUNT));
        print_message("# e %g, %s: %.1e a step, %.1e on the mean, within %.1e\n", e, nb_simd_name((enum nb_simd)set),
                      rms, mean, rms / sqrt(8 * COUNT));
        assert_true(rms < 2e-16 && fabs(mean) < 3.5 * rms / sqrt(8 * COUNT));
    }
}

static void rounding_has_no_bias(void **state)
{
    (void)state;
    has_no_bias(0.3);
    has_no_bias(0.5);
}

/* 10^5 orbits of e = 0.3, with steps as in all of them: what one step errs by then adds up as chance does. */
static void a_long_orbit(void **state)
{
    enum { COUNT = 2000000 };
    (void)state;
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        _Alignas(64) double m[STRIDE] = {0}, rows[4][3 * STRIDE] = {{0}};
        const struct nb_planets p = {1, STRIDE, 1, 1, m, rows[0], rows[1], rows[2], rows[3]};
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        rows[0][0] = 0.7, rows[1][STRIDE] = sqrt(1.3 / 0.7);
        const real before = energy_of(&p, 0, 1);
        sets[set]->steps(&p, 0.3084, 0.3084, 0.3084, COUNT);
        const double error = (double)(energy_of(&p, 0, 1) - before);
        print_message("# %s: %.1e after %d steps\n", nb_simd_name((enum nb_simd)set), error, COUNT);
        assert_true(fabs(error) < 4 * 5e-17 * sqrt(COUNT));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_motion_is_exact), cmocka_unit_test(parabola),
        cmocka_unit_test(nonsense_ends),          cmocka_unit_test(drifts_of_all_sets),
        cmocka_unit_test(a_long_orbit),           cmocka_unit_test(rounding_has_no_bias),
    };
    return cmocka_run_group_tests_name("kepler", tests, NULL, NULL);
}
