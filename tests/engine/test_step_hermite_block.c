/* Hermite's scheme with individual time steps, on every device: light bodies about a heavy one compared with known
 * orbits, order 4, base steps that are shortened if a hard binary makes them expensive, energy, integration
 * backwards, bitwise identical results. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "step/kepler.h"
#include "step/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct result {
    double *x; /* positions and velocities, 6 n numbers */
    uint64_t evaluations, steps;
};

/* Advances the bodies by `time` with error control. */
static struct result run(struct nb_device *device, enum nb_precision precision, const char *scheme,
                         const struct nb_bodies *b, double softening, double tolerance, double time)
{
    const uint64_t n = b->n;
    struct nb_stepper p = {.scheme = nb_scheme_find(scheme), .G = 1, .softening = softening};
    struct nb_force_set forces = open_force(device, precision, p.scheme->want, "direct", NAN);
    struct nb_control c = {.tolerance = tolerance, .min_step = 1e-14, .max_step = (double)INFINITY, .step = 1};
    struct result r = {.x = malloc(48 * n)};
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = r.x}, vel = pos;
    nb_quad left = time;
    vel.data = r.x + 3 * n;
    p.forces = &forces;
    p.state = nb_state_create(device, precision, b);
    assert_int_equal(nb_step_begin(&p), 0);
    while (left != 0)
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->v, &vel), 0);
    r.evaluations = p.evaluations, r.steps = c.taken;
    nb_step_end(&p);
    nb_force_set_close(&forces);
    nb_state_destroy(p.state);
    return r;
}

static void place(struct nb_bodies *b, uint64_t i, double m, const double x[3], const double v[3])
{
    ((double *)b->columns[0].data)[i] = m;
    memcpy((double *)b->columns[1].data + 3 * i, x, 24);
    memcpy((double *)b->columns[2].data + 3 * i, v, 24);
}

/* A body of mass 1 that moves, and n - 1 of mass 0 about it, at apocentre, eccentricities 0 to 0.99. */
static void make_tracers(struct nb_bodies *b, uint64_t n)
{
    uint64_t seed = 5;
    make_bodies(b, n, 0);
    place(b, 0, 1, (double[3]){0.3, -0.2, 0.1}, (double[3]){0.1, 0.05, 0});
    for (uint64_t i = 1; i < n; i++) {
        const double a = 0.5 + uniform01(&seed), e = 0.99 * sqrt(uniform01(&seed)), angle = 6 * uniform01(&seed);
        const double r = a * (1 + e), v = sqrt((1 - e) / r);
        place(b, i, 0, (double[3]){0.3 + r * cos(angle), -0.2 + r * sin(angle), 0.1},
              (double[3]){0.1 - v * sin(angle), 0.05 + v * cos(angle), 0});
    }
}

/* The largest distance of tracers from where Kepler has them after `time`. */
static double tracers_off(const struct nb_bodies *b, const double *have, double time)
{
    const double *x = b->columns[1].data, *v = b->columns[2].data;
    double worst = 0;
    for (uint64_t i = 1; i < b->n; i++) {
        double from[3], way[3], dx[3], dv[3], off = 0;
        for (int k = 0; k < 3; k++)
            from[k] = x[3 * i + k] - x[k], way[k] = v[3 * i + k] - v[k];
        nb_kepler_advance(1, time, from, way, dx, dv);
        for (int k = 0; k < 3; k++)
            off += pow(x[3 * i + k] + dx[k] + v[k] * time - have[3 * i + k], 2);
        worst = fmax(worst, sqrt(off));
    }
    return worst;
}

static void light_bodies_about_a_heavy_one(void **state)
{
    struct nb_bodies b;
    make_tracers(&b, 100);
    struct result own = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-7, 3);
    struct result all = run(*state, NB_DOUBLE, "hermite4", &b, 0, 1e-7, 3);
    const double off = tracers_off(&b, own.x, 3);
    print_message("# off by %.1e after %g evaluations; one step for all: %g\n", off, (double)own.evaluations,
                  (double)all.evaluations);
    assert_true(off < 1e-6);
    assert_true(5 * own.evaluations < all.evaluations);
    free(own.x);
    free(all.x);
    nb_bodies_free(&b);
}

/* A sixteenth of the tolerance halves every step; the error falls to a sixteenth. */
static void order_four(void **state)
{
    struct nb_bodies b;
    double error[3];
    make_tracers(&b, 30);
    for (int k = 0; k < 3; k++) {
        struct result r = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, ldexp(1e-6, -4 * k), 3);
        error[k] = tracers_off(&b, r.x, 3);
        free(r.x);
    }
    print_message("# errors %.2e %.2e %.2e\n", error[0], error[1], error[2]);
    assert_true(error[0] / error[2] > 100 && error[0] / error[2] < 600);
    nb_bodies_free(&b);
}

/* A pair with a period of 2 pi 1e-5 and a far body whose own step is millions of times longer: a base step of that ends
 * soon all the same, at times that add up, and the pair is where it should be. */
static void base_steps_are_cut(void **state)
{
    const double a = pow(1e-10, 1.0 / 3), v = sqrt(1 / a), time = 1e-3;
    struct nb_bodies b;
    double dx[3], dv[3], off = 0;
    make_bodies(&b, 3, 0);
    place(&b, 0, 0.5, (double[3]){a / 2, 0, 0}, (double[3]){0, v / 2, 0});
    place(&b, 1, 0.5, (double[3]){-a / 2, 0, 0}, (double[3]){0, -v / 2, 0});
    place(&b, 2, 0, (double[3]){100, 0, 0}, (double[3]){0, 0, 0});
    struct result r = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-7, time);
    nb_kepler_advance(1, time, (double[3]){a, 0, 0}, (double[3]){0, v, 0}, dx, dv);
    for (int k = 0; k < 3; k++)
        off += pow(r.x[k] - r.x[3 + k] - dx[k] - (k == 0 ? a : 0), 2);
    print_message("# %g base steps, off by %.1e of the distance\n", (double)r.steps, sqrt(off) / a);
    assert_true(r.steps >= 5);
    assert_true(sqrt(off) < 1e-3 * a);
    free(r.x);
    nb_bodies_free(&b);
}

static double energy_of(const struct nb_bodies *b, const double *x, const double *v, double eps2)
{
    const double *m = b->columns[0].data;
    double energy = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        energy += m[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]) / 2;
        for (uint64_t j = 0; j < i; j++)
            energy -= m[i] * m[j] /
                      sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) +
                           pow(x[3 * i + 2] - x[3 * j + 2], 2) + eps2);
    }
    return energy;
}

/* A ball that collapses from rest, the first steps are of bodies that do not move yet.
 */
static void a_cold_ball(void **state)
{
    enum { BALL = 100 };
    struct nb_bodies b;
    uint64_t seed = 7;
    make_bodies(&b, BALL, 1.0 / BALL);
    for (uint64_t i = 0; i < BALL; i++) {
        const double r = cbrt(uniform01(&seed)), z = 2 * uniform01(&seed) - 1, angle = 2 * M_PI * uniform01(&seed);
        place(&b, i, 1.0 / BALL, (double[3]){r * sqrt(1 - z * z) * cos(angle), r * sqrt(1 - z * z) * sin(angle), r * z},
              (double[3]){0});
    }
    const double before = energy_of(&b, b.columns[1].data, b.columns[2].data, 1e-4);
    struct result r = run(*state, NB_DOUBLE, "hermite4-block", &b, 0.01, 1e-7, 1.5);
    const double error = energy_of(&b, r.x, r.x + 3 * BALL, 1e-4) / before - 1;
    print_message("# energy error %.1e\n", error);
    assert_true(fabs(error) < 1e-7);
    free(r.x);
    nb_bodies_free(&b);
}

/* So many that sums are divided and lists are long: as on the CPU. */
static void many_bodies(void **state)
{
    static struct result want;
    struct nb_bodies b;
    uint64_t seed = 11;
    double off = 0;
    make_tracers(&b, 2500);
    for (uint64_t i = 1; i < b.n; i++)
        ((double *)b.columns[0].data)[i] = 1e-4 * uniform01(&seed);
    if (!want.x)
        want = run(cpu_alone(), NB_DOUBLE, "hermite4-block", &b, 0, 1e-6, 0.02);
    struct result have = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-6, 0.02);
    for (uint64_t i = 0; i < 3 * b.n; i++)
        off = fmax(off, fabs(have.x[i] - want.x[i]));
    print_message("# off by %.1e, %g evaluations, %g\n", off, (double)have.evaluations, (double)want.evaluations);
    assert_true(off < 1e-9);
    free(have.x);
    nb_bodies_free(&b);
}

/* There and back; and twice the same bits. */
static void the_way_back(void **state)
{
    struct nb_bodies b;
    make_tracers(&b, 50);
    struct result there = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-9, 2);
    struct result again = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-9, 2);
    assert_memory_equal(there.x, again.x, 48 * b.n);
    struct nb_bodies far;
    make_bodies(&far, b.n, 0);
    for (uint64_t i = 0; i < b.n; i++)
        place(&far, i, i == 0, there.x + 3 * i, there.x + 3 * (b.n + i));
    struct result back = run(*state, NB_DOUBLE, "hermite4-block", &far, 0, 1e-9, -2);
    double worst = 0;
    for (uint64_t i = 0; i < 3 * b.n; i++)
        worst = fmax(worst, fabs(back.x[i] - ((double *)b.columns[1].data)[i]));
    assert_true(worst < 1e-5);
    free(there.x);
    free(again.x);
    free(back.x);
    nb_bodies_free(&b);
    nb_bodies_free(&far);
}

static void other_precisions_are_refused(void **state)
{
    const struct nb_scheme *scheme = nb_scheme_find("hermite4-block");
    for (int precision = 0; precision < NB_PRECISIONS; precision++) {
        const char *why = nb_scheme_refuse_state(scheme, *state, (enum nb_precision)precision, 0);
        assert_true((why != NULL) == (precision != NB_DOUBLE));
    }
}

/* No base step is longer than max_step; a body that asks for less than min_step ends the run. */
static void bounds_hold(void **state)
{
    struct nb_bodies b;
    make_tracers(&b, 20);
    struct nb_stepper p = {.scheme = nb_scheme_find("hermite4-block"), .G = 1};
    struct nb_force_set forces = open_force(*state, NB_DOUBLE, p.scheme->want, "direct", NAN);
    struct nb_control c = {.tolerance = 1e-6, .min_step = 1e-12, .max_step = 0.01, .step = 1};
    nb_quad left = 0.1;
    p.forces = &forces;
    p.state = nb_state_create(*state, NB_DOUBLE, &b);
    assert_int_equal(nb_step_begin(&p), 0);
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), 0);
    assert_true(left == 0 && c.taken >= 10);
    left = 5;
    c.min_step = 0.005;
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), -1);
    assert_non_null(strstr(nb_error(), "below the minimum"));
    assert_true(left > 0);
    nb_step_end(&p);
    nb_force_set_close(&forces);
    nb_state_destroy(p.state);
    nb_bodies_free(&b);
}

/* What is not a number makes no step short, which would end never. */
static void nan_ends(void **state)
{
    struct nb_bodies b;
    make_tracers(&b, 20);
    ((double *)b.columns[2].data)[30] = NAN;
    struct result r = run(*state, NB_DOUBLE, "hermite4-block", &b, 0, 1e-6, 0.1);
    assert_true(isnan(r.x[30]));
    free(r.x);
    nb_bodies_free(&b);
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"light bodies about a heavy one", light_bodies_about_a_heavy_one, NULL, NULL, NULL},
        {"order 4", order_four, NULL, NULL, NULL},
        {"base steps are cut", base_steps_are_cut, NULL, NULL, NULL},
        {"a cold ball", a_cold_ball, NULL, NULL, NULL},
        {"many bodies", many_bodies, NULL, NULL, NULL},
        {"the way back", the_way_back, NULL, NULL, NULL},
        {"bounds hold", bounds_hold, NULL, NULL, NULL},
        {"other precisions are refused", other_precisions_are_refused, NULL, NULL, NULL},
        {"what is not a number ends", nan_ends, NULL, NULL, NULL},
    };
    return run_on_devices_with("direct", NB_WANT_JERK | NB_WANT_SNAP, "hermite block", NULL, of_device,
                               sizeof of_device / sizeof *of_device);
}
