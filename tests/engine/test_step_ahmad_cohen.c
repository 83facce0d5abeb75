/* The Ahmad-Cohen scheme, on every device that has it: a cluster with a binary compared with ias15, with errors that
 * decrease with the tolerance; tracers compared with Kepler's orbits; devices compared with the CPU; integration
 * backwards, bitwise identical results, limits. test_neighbours.c tests its forces. */
#include "common/devices.h"
#include "star_cluster.h"
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

static struct result run(struct nb_device *device, const char *scheme, const struct nb_bodies *b, double tolerance,
                         double time, int neighbours)
{
    const uint64_t n = b->n;
    struct nb_stepper p = {.scheme = nb_scheme_find(scheme), .G = 1, .own = {.neighbours = neighbours}};
    struct nb_force_set forces = open_force(device, NB_DOUBLE, p.scheme->want, "direct", NAN);
    struct nb_control c = {.tolerance = tolerance, .min_step = 1e-14, .max_step = (double)INFINITY, .step = 1};
    struct result r = {.x = malloc(48 * n)};
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = r.x}, vel = pos;
    nb_quad left = time;
    vel.data = r.x + 3 * n;
    p.forces = &forces;
    p.state = nb_state_create(device, NB_DOUBLE, b);
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

/* The largest distance of a body from where `want` has it. */
static double off(const struct result *have, const struct result *want, uint64_t n)
{
    double worst = 0;
    for (uint64_t i = 0; i < 3 * n; i++)
        worst = fmax(worst, fabs(have->x[i] - want->x[i]));
    return worst;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median of these distances: single bodies that meet closely differ by much from a small error. */
static double median_off(const struct result *have, const struct result *want, uint64_t n)
{
    double all[3 * STARS];
    for (uint64_t i = 0; i < 3 * n; i++)
        all[i] = fabs(have->x[i] - want->x[i]);
    qsort(all, 3 * n, sizeof *all, by_size);
    return all[3 * n / 2];
}

/* A sixteenth of the tolerance halves every step; the error falls to a sixteenth. Few neighbours and all. */
static void a_cluster_with_a_binary(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    struct result want = run(*state, "ias15", &b, 1e-9, 0.02, 0);
    for (int neighbours = 8; neighbours <= 8000; neighbours *= 1000) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            struct result have = run(*state, "ahmad-cohen", &b, ldexp(1e-5, -4 * k), 0.02, neighbours);
            error[k] = off(&have, &want, b.n);
            free(have.x);
        }
        print_message("# %d neighbours: errors %.2e %.2e %.2e\n", neighbours, error[0], error[1], error[2]);
        assert_true(error[2] < 1e-7);
        assert_true(error[0] / error[2] > 60 && error[0] / error[2] < 1000);
    }
    free(want.x);
    nb_bodies_free(&b);
}

/* Regular parts make evaluations rare, at the same error. */
static void fewer_evaluations(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    for (uint64_t i = STARS - 3; i < STARS; i++) /* no binary */
        place(&b, i, 1.0 / STARS, (double[3]){(double)i - STARS + 2, 0.5, 0}, (double[3]){0, 0.1, 0});
    struct result want = run(*state, "hermite4-block", &b, 1e-10, 0.1, 0);
    struct result near = run(*state, "ahmad-cohen", &b, 1e-6, 0.1, 0);
    struct result all = run(*state, "hermite4-block", &b, 1e-6, 0.1, 0);
    const double error[] = {median_off(&near, &want, b.n), median_off(&all, &want, b.n)};
    print_message("# median errors %.1e with %g evaluations, hermite4-block %.1e with %g\n", error[0],
                  (double)near.evaluations, error[1], (double)all.evaluations);
    assert_true(error[0] < 3 * error[1]);
    assert_true(3 * near.evaluations < 2 * all.evaluations);
    free(want.x);
    free(near.x);
    free(all.x);
    nb_bodies_free(&b);
}

/* A body of mass 1 that moves, and tracers about it, eccentricities 0 to 0.9. */
static void tracers(void **state)
{
    const double *x, *v, time = 3;
    struct nb_bodies b;
    uint64_t seed = 5;
    double worst = 0;
    make_bodies(&b, 40, 0);
    place(&b, 0, 1, (double[3]){0.3, -0.2, 0.1}, (double[3]){0.1, 0.05, 0});
    for (uint64_t i = 1; i < b.n; i++) {
        const double a = 0.5 + uniform01(&seed), e = 0.9 * uniform01(&seed), angle = 6 * uniform01(&seed);
        const double r = a * (1 + e), speed = sqrt((1 - e) / r);
        place(&b, i, 0, (double[3]){0.3 + r * cos(angle), -0.2 + r * sin(angle), 0.1},
              (double[3]){0.1 - speed * sin(angle), 0.05 + speed * cos(angle), 0});
    }
    x = b.columns[1].data, v = b.columns[2].data;
    struct result have = run(*state, "ahmad-cohen", &b, 1e-7, time, 5);
    for (uint64_t i = 1; i < b.n; i++) {
        double from[3], way[3], dx[3], dv[3];
        for (int k = 0; k < 3; k++)
            from[k] = x[3 * i + k] - x[k], way[k] = v[3 * i + k] - v[k];
        nb_kepler_advance(1, time, from, way, dx, dv);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(x[3 * i + k] + dx[k] + v[k] * time - have.x[3 * i + k]));
    }
    print_message("# tracers off by %.1e\n", worst);
    assert_true(worst < 1e-6);
    free(have.x);
    nb_bodies_free(&b);
}

/* There and back; and twice the same bits. */
static void the_way_back(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    struct result there = run(*state, "ahmad-cohen", &b, 1e-9, 0.01, 12);
    struct result again = run(*state, "ahmad-cohen", &b, 1e-9, 0.01, 12);
    struct result start = {.x = b.columns[1].data}, way = {.x = there.x};
    assert_memory_equal(there.x, again.x, 48 * b.n);
    struct nb_bodies far;
    make_bodies(&far, b.n, 0);
    for (uint64_t i = 0; i < b.n; i++)
        place(&far, i, ((double *)b.columns[0].data)[i], way.x + 3 * i, way.x + 3 * (b.n + i));
    struct result back = run(*state, "ahmad-cohen", &far, 1e-9, -0.01, 12);
    const double worst = off(&back, &start, b.n);
    print_message("# returns to %.1e\n", worst);
    assert_true(worst < 1e-8);
    free(there.x);
    free(again.x);
    free(back.x);
    nb_bodies_free(&b);
    nb_bodies_free(&far);
}

/* As on the CPU, but for rounding, in as many evaluations. */
static void as_on_the_cpu(void **state)
{
    struct nb_bodies b;
    if (nb_device_is_host(*state))
        return;
    make_cluster(&b);
    struct result want = run(cpu_alone(), "ahmad-cohen", &b, 1e-9, 0.02, 12);
    struct result have = run(*state, "ahmad-cohen", &b, 1e-9, 0.02, 12);
    const double worst = off(&have, &want, b.n);
    print_message("# off by %.1e in %g evaluations, on the CPU %g\n", worst, (double)have.evaluations,
                  (double)want.evaluations);
    assert_true(worst < 1e-11);
    assert_true(fabs((double)have.evaluations - (double)want.evaluations) <= 0.02 * (double)want.evaluations + 1);
    free(want.x);
    free(have.x);
    nb_bodies_free(&b);
}

/* A body that asks for less than min_step ends the run, and what is not a number makes no step short. */
static void ends(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    struct nb_stepper p = {.scheme = nb_scheme_find("ahmad-cohen"), .G = 1};
    struct nb_force_set forces = open_force(*state, NB_DOUBLE, p.scheme->want, "direct", NAN);
    struct nb_control c = {.tolerance = 1e-6, .min_step = 0.005, .max_step = 0.01, .step = 1};
    nb_quad left = 0.1;
    p.forces = &forces;
    p.state = nb_state_create(*state, NB_DOUBLE, &b);
    assert_int_equal(nb_step_begin(&p), 0);
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), -1);
    assert_non_null(strstr(nb_error(), "below the minimum"));
    nb_step_end(&p);
    nb_force_set_close(&forces);
    nb_state_destroy(p.state);
    ((double *)b.columns[2].data)[30] = NAN;
    struct result r = run(*state, "ahmad-cohen", &b, 1e-6, 0.01, 0);
    assert_true(isnan(r.x[30]));
    free(r.x);
    nb_bodies_free(&b);
}

/* Where it is not offered, and what it is not for, is told in a sentence. */
static void refusals(void **state)
{
    const struct nb_scheme *scheme = nb_scheme_find("ahmad-cohen");
    assert_non_null(strstr(nb_scheme_refuse_state(scheme, *state, NB_MIXED, 0), "double precision"));
    assert_non_null(strstr(nb_scheme_refuse(scheme, NB_EXACT), "direct summation on the CPU"));
    assert_null(nb_scheme_refuse(scheme, NB_EXACT | NB_NEAR_AND_FAR));
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"a cluster with a binary", a_cluster_with_a_binary, NULL, NULL, NULL},
        {"fewer evaluations", fewer_evaluations, NULL, NULL, NULL},
        {"tracers", tracers, NULL, NULL, NULL},
        {"as on the CPU", as_on_the_cpu, NULL, NULL, NULL},
        {"the way back", the_way_back, NULL, NULL, NULL},
        {"ends", ends, NULL, NULL, NULL},
        {"refusals", refusals, NULL, NULL, NULL},
    };
    return run_on_devices_alone("direct", NB_NEAR_AND_FAR, "ahmad-cohen", of_device,
                                sizeof of_device / sizeof *of_device);
}
