/* Kepler motion compared with the formulas of orbits, for any eccentricity and any time; and the Wisdom-Holman map
 * with every instruction set: two bodies, correctors, planets over 10^5 steps, few and many bodies. */
#include "kepler.h"

#include "simd/simd.h"
#include "step/kepler.h"
#include "step/scheme.h"
#include "step/whfast.h"

/* ---- Kepler motion ---- */

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

/* ---- the map ---- */

/* A star of mass 1 that moves, and n planets on nearly circular orbits from 1 outwards, masses of 1e-4 to 1e-6 of it;
 * the star is body `star`. */
static void make_planets(struct nb_bodies *b, uint64_t n, uint64_t star, double mass)
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = n + 1;
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i <= n; i++) {
        const double a = 1 + 0.7 * (double)i, angle = 2.4 * (double)i, speed = 1.03 / sqrt(a);
        m[i] = i == star ? 1 : mass / (double)(1 + i % 7);
        x[3 * i] = i == star ? 0 : a * cos(angle), x[3 * i + 1] = i == star ? 0 : a * sin(angle);
        v[3 * i] = i == star ? 0 : -speed * sin(angle), v[3 * i + 1] = i == star ? 0 : speed * cos(angle);
        x[3 * i + 2] = i == star ? 0 : 0.02 * a * sin(3 * angle), v[3 * i + 2] = 0;
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + k] += 5, v[3 * i + k] += 0.25;
    }
}

struct places { /* of at most so many bodies */
    double x[3 * 128], v[3 * 128];
};

static struct places run(const char *scheme, const struct nb_bodies *b, double h, uint64_t count, uint64_t call)
{
    struct places out;
    struct nb_stepper p = start_stepper(cpu_alone(), NB_DOUBLE, nb_scheme_find(scheme), b);
    for (uint64_t done = 0; done < count; done += call)
        assert_int_equal(nb_steps(&p, h, call < count - done ? call : count - done), 0);
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = out.x}, vel = pos;
    vel.data = out.v;
    assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->v, &vel), 0);
    end_stepper(&p);
    return out;
}

static double distance(const struct places *a, const struct places *b, uint64_t n)
{
    double worst = 0;
    for (uint64_t k = 0; k < 3 * n; k++)
        worst = fmax(worst, fabs(a->x[k] - b->x[k]));
    return worst;
}

/* The error falls with h^2 and with the planets' masses; a corrector takes away what is of first order in the masses.
 */
static void errors_in_coordinates(const char *const names[2])
{
    double error[2][2][2];
    for (int mass = 0; mass < 2; mass++) {
        struct nb_bodies b;
        make_planets(&b, 4, 2, mass ? 1e-5 : 1e-3);
        const struct places want = run("feagin12", &b, 0.02, 1000, 1000);
        for (int corrected = 0; corrected < 2; corrected++)
            for (int fine = 0; fine < 2; fine++) {
                const struct places have = run(names[corrected], &b, fine ? 0.1 : 0.2, fine ? 200 : 100, 1000);
                error[mass][corrected][fine] = distance(&have, &want, b.n);
            }
        nb_bodies_free(&b);
    }
    for (int corrected = 0; corrected < 2; corrected++) {
        const double order = log2(error[0][corrected][0] / error[0][corrected][1]);
        const double power = log2(error[0][corrected][1] / error[1][corrected][1]) / log2(100);
        print_message("# %s: %.1e, as h^%.2f and as the masses^%.2f\n", names[corrected], error[0][corrected][1], order,
                      power);
        assert_true(fabs(order - 2) < 0.1 && fabs(power - (corrected ? 2 : 1)) < 0.1);
    }
    assert_true(error[1][1][1] < 1e-3 * error[1][0][1]);
}

static void errors_of_the_map(void **state)
{
    (void)state;
    errors_in_coordinates((const char *const[]){"whfast", "whfast17"});
    errors_in_coordinates((const char *const[]){"whfast-jacobi", "whfast17-jacobi"});
}

/* Two bodies of like masses move on their orbit, however long the step. */
static void two_bodies_are_exact(void **state)
{
    struct nb_bodies b;
    (void)state;
    make_kepler(&b, 0.6);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        const struct places have = run(jacobi ? "whfast-jacobi" : "whfast", &b, 2 * (double)PI_Q / 3, 30, 7);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(have.x[k] - ((double *)b.columns[1].data)[k]) < 1e-11 &&
                        fabs(have.v[k] - ((double *)b.columns[2].data)[k]) < 1e-11);
    }
    nb_bodies_free(&b);
}

/* Few planets act on one another in the kernel, many by the direct sum: the same up to rounding, and either way the
 * same bits however the steps are divided, on every instruction set. */
static void few_and_many(void **state)
{
    static const uint64_t sizes[] = {1, 2, 9, 64, 65, 127};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int set = 0; set < NB_SIMD_SETS; set++) {
            struct nb_bodies b;
            if (!nb_simd_here((enum nb_simd)set) || nb_simd_choose(nb_simd_name((enum nb_simd)set)))
                continue;
            make_planets(&b, sizes[k], sizes[k] / 3, 1e-5);
            const struct places want = run("rkf78", &b, 0.01, 200, 200);
            for (int jacobi = 0; jacobi < 2; jacobi++) {
                const char *scheme = jacobi ? "whfast17-jacobi" : "whfast17";
                const struct places one = run(scheme, &b, 0.05, 40, 40), all = run(scheme, &b, 0.05, 40, 3);
                assert_memory_equal(one.x, all.x, 3 * b.n * sizeof(double));
                assert_memory_equal(one.v, all.v, 3 * b.n * sizeof(double));
                if (!(distance(&one, &want, b.n) < 1e-9))
                    fail_msg("%s, %d planets: %g", scheme, (int)sizes[k], distance(&one, &want, b.n));
            }
            nb_bodies_free(&b);
        }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* Energy and angular momentum, in quad so that the sums add no error of theirs. */
static void conserved(const struct nb_stepper *p, nb_quad out[2])
{
    const struct nb_state *s = p->state;
    const double *m = s->m, *x = s->x, *v = s->v;
    const uint64_t y = s->stride, z = 2 * s->stride;
    out[0] = out[1] = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        out[0] += m[i] * ((nb_quad)v[i] * v[i] + (nb_quad)v[y + i] * v[y + i] + (nb_quad)v[z + i] * v[z + i]) / 2;
        out[1] += m[i] * ((nb_quad)x[i] * v[y + i] - (nb_quad)x[y + i] * v[i]);
        for (uint64_t j = 0; j < i; j++) {
            const nb_quad dx = (nb_quad)x[i] - x[j], dy = (nb_quad)x[y + i] - x[y + j],
                          dz = (nb_quad)x[z + i] - x[z + j];
            out[0] -= m[i] * (nb_quad)m[j] * nb_quad_rsqrt(dx * dx + dy * dy + dz * dz);
        }
    }
}

/* The least squares' slope of energy against time over the whole, times the time: the drift. */
static void does_not_drift(const char *scheme)
{
    enum { CALLS = 400, STEPS = 250 };
    struct nb_bodies b;
    nb_quad begin[2], now[2];
    double slope = 0, weight = 0, most = 0, angular = 0;
    make_planets(&b, 4, 0, 1e-5);
    for (int k = 0; k < 15; k++) /* at rest, or the energy of the whole's motion would be most of it */
        ((double *)b.columns[1].data)[k] -= 5, ((double *)b.columns[2].data)[k] -= 0.25;
    struct nb_stepper p = start_stepper(cpu_alone(), NB_DOUBLE, nb_scheme_find(scheme), &b);
    conserved(&p, begin);
    for (int k = 0; k < CALLS; k++) {
        assert_int_equal(nb_steps(&p, 0.05, STEPS), 0);
        conserved(&p, now);
        const double error = (double)((now[0] - begin[0]) / begin[0]), t = 2 * (k + 0.5) / CALLS - 1;
        slope += t * error, weight += t * t;
        most = fmax(most, fabs(error));
        angular = fmax(angular, fabs((double)((now[1] - begin[1]) / begin[1])));
    }
    print_message("# energy within %.1e, drift %.1e; angular momentum within %.1e\n", most, 2 * slope / weight,
                  angular);
    assert_true(most < 3e-8 && fabs(2 * slope / weight) < 1e-10 && angular < 2e-14);
    end_stepper(&p);
    nb_bodies_free(&b);
}

static void nothing_drifts(void **state)
{
    (void)state;
    does_not_drift("whfast17");
    does_not_drift("whfast17-jacobi");
}

/* ---- correctors, refusals ---- */

/* sum_k 4 b_k (k spacing)^(2j-1) / (2j-1)! = c_j, where 1 - (x/2)/sinh(x/2) = sum_j c_j x^(2j), by division of series.
 */
static void corrector_conditions(void **state)
{
    enum { TERMS = 9 };
    nb_quad sinh_terms[TERMS], inverse[TERMS];
    int count = 0;
    (void)state;
    for (int j = 0; j < TERMS; j++) /* sinh(x/2) / (x/2), in powers of x^2 */
        sinh_terms[j] = j == 0 ? 1 : sinh_terms[j - 1] / (4 * (2 * j) * (2 * j + 1));
    for (int j = 0; j < TERMS; j++) {
        inverse[j] = j == 0;
        for (int i = 0; i < j; i++)
            inverse[j] -= inverse[i] * sinh_terms[j - i];
    }
    assert_true(nb_quad_abs(inverse[1] + 1 / (nb_quad)24) < NB_Q(1e-32));
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        if ((*s)->family != &nb_family_whfast)
            continue;
        const struct nb_corrector *c = &((const struct nb_planetary *)(*s)->table)->corrector;
        for (int j = 1; j <= c->stages; j++) {
            nb_quad sum = inverse[j];
            for (int k = 1; k <= c->stages; k++) {
                nb_quad power = 4 * c->b[k - 1];
                for (int i = 1; i < 2 * j; i++)
                    power *= k * NB_CORRECTOR_SPACING / i;
                sum += power;
            }
            assert_true(nb_quad_abs(sum) < NB_Q(1e-30));
        }
        count += c->stages;
    }
    assert_int_equal(count, 16);
}

static const char *why_not(double softening, enum nb_precision precision, unsigned flags)
{
    const struct nb_scheme *s = nb_scheme_find("whfast");
    const char *why = nb_scheme_refuse(s, flags);
    return why ? why : nb_scheme_refuse_state(s, cpu_alone(), precision, softening);
}

static void what_it_cannot_do(void **state)
{
    const unsigned direct = NB_EXACT | NB_ALL_PAIRS;
    (void)state;
    assert_null(why_not(0, NB_DOUBLE, direct));
    assert_non_null(strstr(why_not(0.1, NB_DOUBLE, direct), "--softening 0"));
    assert_non_null(strstr(why_not(0, NB_SINGLE, direct), "double precision only"));
    assert_non_null(strstr(why_not(0, NB_QUAD, direct), "double precision only"));
    assert_non_null(strstr(why_not(0, NB_DOUBLE, direct | NB_EXTERNAL), "external"));
    assert_non_null(strstr(why_not(0, NB_DOUBLE, 0), "--force direct"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_motion_is_exact), cmocka_unit_test(parabola),
        cmocka_unit_test(nonsense_ends),          cmocka_unit_test(drifts_of_all_sets),
        cmocka_unit_test(a_long_orbit),           cmocka_unit_test(rounding_has_no_bias),
        cmocka_unit_test(errors_of_the_map),      cmocka_unit_test(two_bodies_are_exact),
        cmocka_unit_test(few_and_many),           cmocka_unit_test(nothing_drifts),
        cmocka_unit_test(corrector_conditions),   cmocka_unit_test(what_it_cannot_do),
    };
    return cmocka_run_group_tests_name("whfast", tests, NULL, NULL);
}
