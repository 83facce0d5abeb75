/* The motion inside groups of stars in hermite4-groups: chains (step/groups/chain.h) compared with Kepler's orbit, the
 * Pythagorean problem and conserved quantities; orbits (step/groups/orbit.h) compared with means over an orbit, and
 * their secular change compared with a chain in the same tidal field. */
#include "step/groups/chain.h"
#include "step/groups/orbit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TOLERANCE 1e-13 /* of chains, as step_groups.c has it */
#define COUNT(a)  (sizeof(a) / sizeof *(a))

typedef const double (*vectors)[3];

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double apart(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

static double random_from(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

/* ---- chains ---- */

static const double masses[2] = {0.7, 0.3};

/* Two bodies of total mass 1 on an orbit of a = 1 at an eccentric anomaly; relative position and velocity. */
static void on_orbit(double e, double anomaly, double x[3], double v[3])
{
    const double half = sin(anomaly / 2), versine = 2 * half * half, s = sin(anomaly), b = sqrt((1 - e) * (1 + e));
    const double rate = 1 / (1 - e + e * versine), across = rate * b * cos(anomaly);
    const double place[3] = {1 - e - versine, 0.6 * b * s, 0.8 * b * s},
                 speed[3] = {-rate * s, 0.6 * across, 0.8 * across};
    memcpy(x, place, sizeof place);
    memcpy(v, speed, sizeof speed);
}

static void make_two(struct nb_chain *c, double e, double anomaly, double x[3], double v[3])
{
    const double places[2][3] = {{0}, {0}};
    double xs[2][3], vs[2][3];
    memcpy(xs, places, sizeof xs);
    memcpy(vs, places, sizeof vs);
    on_orbit(e, anomaly, x, v);
    memcpy(xs[1], x, sizeof xs[1]);
    memcpy(vs[1], v, sizeof vs[1]);
    nb_chain_make(c, 2, masses, (vectors)xs, (vectors)vs);
}

static void relative(const struct nb_chain *c, double x[3], double v[3])
{
    double xs[2][3], vs[2][3];
    nb_chain_places(c, xs, vs);
    for (int d = 0; d < 3; d++) {
        x[d] = xs[1][d] - xs[0][d];
        v[d] = vs[1][d] - vs[0][d];
        assert_true(fabs(masses[0] * xs[0][d] + masses[1] * xs[1][d]) < 1e-15);
    }
}

/* The start is before the pericentre, where places show what the bodies are late. Errors of a relative velocity at the
 * pericentre are errors of the energy 1 / (1 - e) times as large. */
static void orbits_close_after_100_periods(void **state)
{
    static const struct {
        double e, bound;
    } orbits[] = {{0, 3e-9}, {0.9, 5e-9}, {0.999, 5e-6}};
    static const int pieces[] = {1, 100};
    (void)state;
    for (size_t k = 0; k < COUNT(orbits); k++)
        for (size_t p = 0; p < COUNT(pieces); p++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct nb_chain c;
                double x0[3], v0[3], x[3], v[3];
                make_two(&c, orbits[k].e, -1, x0, v0);
                /* The period of the rounded start. */
                const double a = 1 / (2 / sqrt(dot(x0, x0)) - dot(v0, v0)), period = 2 * M_PI * a * sqrt(a);
                for (int s = 0; s < 100 * pieces[p]; s++)
                    assert_true(nb_chain_advance(&c, sign * period / pieces[p], TOLERANCE, NULL, NULL, NULL));
                relative(&c, x, v);
                const double error = apart(x, x0);
                print_message("# e %g, %d pieces: off by %.1e after %lu steps\n", orbits[k].e, sign * pieces[p], error,
                              c.steps);
                assert_true(error < orbits[k].bound);
            }
}

static void advance(struct nb_chain *c, double dt)
{
    assert_true(nb_chain_advance(c, dt, TOLERANCE, NULL, NULL, NULL));
}

/* The digits of tests/data/README.md. */
static void the_pythagorean_problem(void **state)
{
    static const double gm[3] = {3, 4, 5}, x0[3][3] = {{1, 3}, {-2, -1}, {1, -1}}, rest[3][3] = {{0}};
    static const double at10[3][3] = {{0.778480410138085, 0.141392300290086},
                                      {-2.025092477978199, 0.097219384146058},
                                      {1.152985736299708, -0.162610887490898}};
    static const double at40[3][3] = {{-0.622003691801097, 1.858318157899773},
                                      {0.173544556816440, -2.368410443283164},
                                      {0.234366569627506, 0.779737459886668}};
    struct nb_chain c;
    double x[3][3], v[3][3], worst[2] = {0};
    (void)state;
    nb_chain_make(&c, 3, gm, x0, rest);
    advance(&c, 10);
    nb_chain_places(&c, x, v);
    for (int k = 0; k < 3; k++)
        worst[0] = fmax(worst[0], apart(x[k], at10[k]));
    for (int k = 0; k < 300; k++)
        advance(&c, 0.1);
    nb_chain_places(&c, x, v);
    for (int k = 0; k < 3; k++)
        worst[1] = fmax(worst[1], apart(x[k], at40[k]));
    print_message("# off by %.1e at t = 10, by %.1e at t = 40\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-9 && worst[1] < 1e-5);
}

/* Energy and angular momentum, in long double. */
static void integrals(const struct nb_chain *c, long double *energy, long double spin[3])
{
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
    nb_chain_places(c, x, v);
    *energy = spin[0] = spin[1] = spin[2] = 0;
    for (int k = 0; k < c->n; k++) {
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            *energy += c->gm[k] * (long double)v[k][d] * v[k][d] / 2;
            spin[d] += c->gm[k] * ((long double)x[k][e] * v[k][f] - (long double)x[k][f] * v[k][e]);
        }
        for (int l = 0; l < k; l++) {
            long double r2 = 0;
            for (int d = 0; d < 3; d++)
                r2 += ((long double)x[k][d] - x[l][d]) * ((long double)x[k][d] - x[l][d]);
            *energy -= c->gm[k] * (long double)c->gm[l] / sqrtl(r2);
        }
    }
}

/* The larger of the relative errors of energy and angular momentum after a time in which the bodies meet often. */
static double error_of_integrals(struct nb_chain *c, double time)
{
    long double energy0, energy, spin0[3], spin[3], change = 0, size = 0;
    integrals(c, &energy0, spin0);
    advance(c, time);
    integrals(c, &energy, spin);
    for (int d = 0; d < 3; d++) {
        change += (spin[d] - spin0[d]) * (spin[d] - spin0[d]);
        size += spin0[d] * spin0[d];
    }
    return (double)fmaxl(fabsl(energy / energy0 - 1), sqrtl(change / size));
}

static void twelve_bodies_keep_energy_and_angular_momentum(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t start = 1; start <= 4; start++) {
        struct nb_chain c;
        uint64_t seed = start;
        double gm[12], x[12][3], v[12][3];
        for (int k = 0; k < 12; k++) {
            gm[k] = pow(10, random_from(&seed, -3, 0));
            for (int d = 0; d < 3; d++) {
                x[k][d] = random_from(&seed, -1, 1);
                v[k][d] = random_from(&seed, -0.7, 0.7);
            }
        }
        nb_chain_make(&c, 12, gm, (vectors)x, (vectors)v);
        worst = fmax(worst, error_of_integrals(&c, 3));
    }
    print_message("# at most %.1e\n", worst);
    assert_true(worst < 1e-11);
}

/* Seed 3 of tests/sim/random_systems.py: a body of 4e-5 turns about one of 0.25 some hundred times. It
 * has a small part of the potential energy, by which the chain chooses its steps. */
static void a_light_body_near_a_heavy_one(void **state)
{
    static const double gm[4] = {0.5, 0.25, 0.249958212605906, 4.178739409400493e-05},
                        x[4][3] = {{-0.09697199640081058, -0.18148759012168073, 0.24117627047018814},
                                   {0.08379350040272131, 0.19456530374524925, -0.2502051806777414},
                                   {0.11015095723099928, 0.1684110887111816, -0.2321467476145416},
                                   {0.10737002227742398, 0.16115882343069687, -0.23581201621138545}},
                        v[4][3] = {{0.42112407843714333, -0.40072539164777804, 0.23740160936374666},
                                   {-0.8280062229387495, 0.1152055150340439, -0.2927757178186201},
                                   {-0.013368012309234005, 0.6864111717478852, -0.18238530403529704},
                                   {-5.241748755179018, -0.30993467598781166, 1.9582311078119536}};
    struct nb_chain c;
    (void)state;
    nb_chain_make(&c, 4, gm, x, v);
    const double error = error_of_integrals(&c, 1.7631950720457235);
    print_message("# %.1e after %lu steps\n", error, c.steps);
    assert_true(error < 1e-10);
}

/* Bodies at one place have no orbit: the chain says so, and ends. */
static void bodies_at_one_place_are_refused(void **state)
{
    static const double gm[3] = {1, 1, 1}, x[3][3] = {{0}, {0}, {1, 2, 3}}, v[3][3] = {{0}, {0.1}, {0}};
    struct nb_chain c;
    (void)state;
    nb_chain_make(&c, 3, gm, x, v);
    assert_false(nb_chain_advance(&c, 0.1, TOLERANCE, NULL, NULL, NULL));
}

/* Two bodies that fall on one another come back: the regularised leapfrog goes through the collision. The period of
 * orbits of no angular momentum is that of their semi-major axis. */
static void a_head_on_collision(void **state)
{
    static const double x[2][3] = {{0}, {2, 0, 0}}, v[2][3] = {{0}};
    struct nb_chain c;
    double x1[3], v1[3];
    (void)state;
    nb_chain_make(&c, 2, masses, x, v);
    const bool whole = nb_chain_advance(&c, 2 * M_PI, TOLERANCE, NULL, NULL, NULL);
    if (!whole)
        return;
    relative(&c, x1, v1);
    print_message("# off by %.1e\n", apart(x1, x[1]));
    assert_true(apart(x1, x[1]) < 1e-6);
}

/* ---- orbits ---- */

/* Places and velocities in double leave the energy unsure by some digits of 1 / (1 - e), and all else with it. */
static void place_and_set_are_inverse(void **state)
{
    static const double eccentricities[] = {0, 1e-12, 1e-6, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999},
                        normal[3] = {0, -0.8, 0.6};
    double worst = 0;
    (void)state;
    for (size_t k = 0; k < COUNT(eccentricities); k++)
        for (double anomaly = -3; anomaly < 3.2; anomaly += 0.25) {
            const double e = eccentricities[k], digits = 2e-16 / (1 - e);
            struct nb_orbit o, back;
            double x[3], v[3], x1[3], v1[3];
            on_orbit(e, anomaly, x, v);
            assert_true(nb_orbit_set(&o, 1, x, v));
            nb_orbit_place(&o, x1, v1);
            assert_true(nb_orbit_set(&back, 1, x1, v1));
            double off = fmax(apart(x, x1) / sqrt(dot(x, x)), apart(v, v1) / sqrt(dot(v, v)));
            off = fmax(off, fmax(fabs(o.a - 1), fabs(back.a - 1)));
            off = fmax(off, fmax(fabs(o.e - e), fabs(back.e - e)));
            off = fmax(off, fmax(apart(o.normal, normal), fabs(o.shape / ((1 - e) * (1 + e)) - 1)));
            off = fmax(off, fmax(fabs(dot(o.peri, o.normal)), fabs(sqrt(dot(o.peri, o.peri)) - 1)));
            worst = fmax(worst, off / digits);
            if (!(off < 100 * digits))
                fail_msg("e %g at %g: %.1e", e, anomaly, off);
        }
    print_message("# at most %.0f digits\n", worst);
}

static void what_is_no_ellipse_has_no_orbit(void **state)
{
    static const double x[3] = {1, 2, 2}, out[3] = {0.1, 0.2, 0.2}, rest[3] = {0}, fast[3] = {1, -1, 0}, nan[3] = {NAN};
    struct nb_orbit o;
    (void)state;
    assert_false(nb_orbit_set(&o, 1, x, rest));
    assert_false(nb_orbit_set(&o, 1, x, out));
    assert_false(nb_orbit_set(&o, 1, x, fast));
    assert_false(nb_orbit_set(&o, 1, x, nan));
    assert_false(nb_orbit_set(&o, 1, rest, fast));
}

static void orbits_advance_as_kepler_says(void **state)
{
    struct nb_orbit o;
    double x[3], v[3], x0[3], v0[3];
    (void)state;
    on_orbit(0.9, 1, x, v);
    assert_true(nb_orbit_set(&o, 1, x, v));
    nb_orbit_advance(&o, 2 - 0.9 * sin(2) - (1 - 0.9 * sin(1)) - 20 * M_PI, NULL);
    nb_orbit_place(&o, x, v);
    on_orbit(0.9, 2, x0, v0);
    print_message("# %.1e %.1e\n", apart(x, x0), apart(v, v0));
    assert_true(apart(x, x0) < 1e-12 && apart(v, v0) < 1e-12);
    assert_true(fabs(nb_orbit_period(&o) - 2 * M_PI) < 1e-13);
}

static void the_tensor_is_a_mean_over_the_orbit(void **state)
{
    enum { POINTS = 2000 };
    static const int row[NB_TENSOR] = {0, 1, 2, 0, 0, 1}, column[NB_TENSOR] = {0, 1, 2, 1, 2, 2};
    (void)state;
    for (double e = 0; e < 0.95; e += 0.3) {
        struct nb_orbit o;
        double x[3], v[3], spread[NB_TENSOR], mean[NB_TENSOR] = {0};
        on_orbit(e, 2, x, v);
        assert_true(nb_orbit_set(&o, 1, x, v));
        nb_orbit_spread(&o, spread);
        for (int p = 0; p < POINTS; p++) {
            nb_orbit_advance(&o, nb_orbit_period(&o) / POINTS, NULL);
            nb_orbit_place(&o, x, v);
            for (int k = 0; k < NB_TENSOR; k++)
                mean[k] += x[row[k]] * x[column[k]] / POINTS;
        }
        for (int k = 0; k < NB_TENSOR; k++)
            assert_true(fabs(spread[k] - mean[k]) < 1e-12);
    }
}

static void tide_of(void *data, double t, const double x[][3], double a[][3])
{
    (void)t;
    for (int k = 0; k < 2; k++)
        nb_tensor_times(data, x[k], a[k]);
}

/* Near parts of forces have tidal fields with a trace. After whole periods, at which the change within a period does
 * not show. */
static void secular_change_as_a_chain_has_it(void **state)
{
    static const double start[] = {0.05, 0.6, 0.95};
    double tides[2][NB_TENSOR] = {{2e-6, -3e-6, 1e-6, 1.5e-6, -1e-6, 2e-6}, {4e-6, -1e-6, 3e-6, 1.5e-6, -1e-6, 2e-6}};
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(start); k++) {
        double *tide = tides[k % 2], e = start[k / 2];
        struct nb_orbit o, truth;
        struct nb_chain c;
        double x[3], v[3], peri[3], normal[3];
        make_two(&c, e, 1, x, v);
        assert_true(nb_orbit_set(&o, 1, x, v));
        memcpy(peri, o.peri, sizeof peri);
        memcpy(normal, o.normal, sizeof normal);
        const double e0 = o.e, time = 200 * nb_orbit_period(&o);
        for (int s = 0; s < 10; s++)
            nb_orbit_advance(&o, time / 10, tide);
        assert_true(nb_chain_advance(&c, time, TOLERANCE, tide_of, NULL, tide));
        relative(&c, x, v);
        assert_true(nb_orbit_set(&truth, 1, x, v));
        print_message("# e %g changes by %.1e, the normal by %.1e, the pericentre by %.1e; off by %.1e, %.1e, %.1e\n",
                      e, truth.e - e0, apart(truth.normal, normal), apart(truth.peri, peri), o.e - truth.e,
                      apart(truth.normal, o.normal), apart(truth.peri, o.peri));
        assert_true(apart(truth.normal, normal) > 1e-3);
        assert_true(fabs(truth.e - o.e) < 1e-5 && apart(truth.normal, o.normal) < 1e-5 &&
                    apart(truth.peri, o.peri) < 1e-5);
        assert_true(fabs(o.shape - (1 - o.e * o.e)) < 1e-14 && fabs(dot(o.normal, o.peri)) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbits_close_after_100_periods),
        cmocka_unit_test(the_pythagorean_problem),
        cmocka_unit_test(twelve_bodies_keep_energy_and_angular_momentum),
        cmocka_unit_test(a_light_body_near_a_heavy_one),
        cmocka_unit_test(bodies_at_one_place_are_refused),
        cmocka_unit_test(a_head_on_collision),
        cmocka_unit_test(place_and_set_are_inverse),
        cmocka_unit_test(what_is_no_ellipse_has_no_orbit),
        cmocka_unit_test(orbits_advance_as_kepler_says),
        cmocka_unit_test(the_tensor_is_a_mean_over_the_orbit),
        cmocka_unit_test(secular_change_as_a_chain_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
