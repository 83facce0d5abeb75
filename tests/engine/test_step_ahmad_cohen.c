/* The Ahmad-Cohen scheme, on every device that has it: lists and regular parts compared with sums over all pairs; a
 * cluster with a binary compared with ias15, with errors that decrease with the tolerance; tracers compared with
 * Kepler's orbits; devices compared with the CPU; integration backwards, bitwise identical results, limits. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/device.h"
#include "step/kepler.h"
#include "step/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STARS = 150 };

static void place(struct nb_bodies *b, uint64_t i, double m, const double x[3], const double v[3])
{
    ((double *)b->columns[0].data)[i] = m;
    memcpy((double *)b->columns[1].data + 3 * i, x, 24);
    memcpy((double *)b->columns[2].data + 3 * i, v, 24);
}

/* A ball of stars of different masses, at rest as a whole; of the last three, one has no mass, and two are a binary
 * with a period of 0.01. */
static void make_cluster(struct nb_bodies *b)
{
    const double m = 1.0 / STARS, a = cbrt(2 * m * pow(0.01 / (2 * M_PI), 2)), half = sqrt(2 * m / a) / 2;
    uint64_t seed = 3;
    make_bodies(b, STARS, 0);
    for (uint64_t i = 0; i < STARS; i++) {
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = 2 * uniform01(&seed) - 1;
            v[k] = uniform01(&seed) - 0.5;
        }
        place(b, i, m * (0.2 + 1.6 * uniform01(&seed)), x, v);
    }
    place(b, STARS - 3, 0, (double[3]){0.1, 0.2, 0.3}, (double[3]){0.3, 0, 0});
    place(b, STARS - 2, m, (double[3]){0.5 + a / 2, 0.1, 0}, (double[3]){0, half, 0.1});
    place(b, STARS - 1, m, (double[3]){0.5 - a / 2, 0.1, 0}, (double[3]){0, -half, 0.1});
}

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

/* ---- lists and sums ---- */

static struct nb_neighbours neighbours_of(const struct nb_state *s, uint32_t wanted)
{
    struct nb_neighbours w = {.wanted = wanted, .most = 2 * wanted + 14, .regular_eta = 0.01};
    void **const vectors[] = {&w.own.d_a,      &w.own.d_j,      &w.own.d_px,     &w.own.d_pv,
                              &w.d_regular[0], &w.d_regular[1], &w.d_regular[2], &w.d_regular[3]};
    void **const rows[] = {&w.own.d_begun, &w.own.d_step, &w.d_regular_step, &w.d_reach2};
    for (int k = 0; k < 8; k++)
        assert_non_null(*vectors[k] = nb_state_vector(s));
    for (int k = 0; k < 4; k++)
        assert_non_null(*rows[k] = nb_state_row(s));
    assert_non_null(w.d_count = nb_device_alloc(s->device, s->n * sizeof *w.d_count));
    assert_non_null(w.d_list = nb_device_alloc(s->device, s->n * w.most * sizeof *w.d_list));
    w.own.n = s->n, w.own.stride = s->stride;
    w.own.d_x = s->x, w.own.d_v = s->v;
    w.own.base = 0.004, w.own.eta = 0.01;
    return w;
}

static void free_neighbours(const struct nb_state *s, struct nb_neighbours *w)
{
    void *const all[] = {w->own.d_a,        w->own.d_j,      w->own.d_px,     w->own.d_pv,    w->d_regular[0],
                         w->d_regular[1],   w->d_regular[2], w->d_regular[3], w->own.d_begun, w->own.d_step,
                         w->d_regular_step, w->d_reach2,     w->d_count,      w->d_list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        nb_device_free(s->device, all[k]);
}

/* Acceleration and jerk of body i by body j, added to sum[0 .. 6). */
static void add_pair(const double *m, const double *x, const double *v, uint64_t stride, uint64_t i, uint64_t j,
                     double sum[6])
{
    double d[3], w[3], r2 = 0, dw = 0;
    for (uint64_t k = 0; k < 3; k++) {
        d[k] = x[j + k * stride] - x[i + k * stride];
        w[k] = v[j + k * stride] - v[i + k * stride];
        r2 += d[k] * d[k];
        dw += d[k] * w[k];
    }
    for (int k = 0; k < 3; k++) {
        sum[k] += m[j] * d[k] / pow(r2, 1.5);
        sum[3 + k] += m[j] * (w[k] - 3 * dw / r2 * d[k]) / pow(r2, 1.5);
    }
}

static void *host_copy(const struct nb_state *s, const void *d_from, size_t size_bytes)
{
    void *to = malloc(size_bytes);
    assert_non_null(to);
    assert_int_equal(nb_device_from(s->device, to, d_from, size_bytes), 0);
    return to;
}

struct copies { /* in host memory, of what w and the state have */
    double *m, *x, *v, *a, *j, *reach2;
    uint32_t *count, *list;
};

static struct copies copies_of(const struct nb_state *s, const struct nb_neighbours *w, const void *d_x,
                               const void *d_v)
{
    const size_t row = s->stride * sizeof(double), n = s->n;
    return (struct copies){.m = host_copy(s, s->m, row),
                           .x = host_copy(s, d_x, 3 * row),
                           .v = host_copy(s, d_v, 3 * row),
                           .a = host_copy(s, w->d_regular[0], 3 * row),
                           .j = host_copy(s, w->d_regular[1], 3 * row),
                           .reach2 = host_copy(s, w->d_reach2, row),
                           .count = host_copy(s, w->d_count, n * sizeof(uint32_t)),
                           .list = host_copy(s, w->d_list, n * w->most * sizeof(uint32_t))};
}

static void free_copies(struct copies *c)
{
    void *const all[] = {c->m, c->x, c->v, c->a, c->j, c->reach2, c->count, c->list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/* Is the list of body i as its reach says? Returns the largest relative error of its regular part. */
static double check_body(const struct nb_state *s, const struct nb_neighbours *w, const struct copies *c, uint64_t i,
                         double mean, bool reached)
{
    const uint32_t *list = c->list + i * w->most, count = c->count[i];
    double sum[6] = {0}, size = 0, worst = 0;
    uint32_t at = 0;
    for (uint64_t j = 0; j < s->n; j++) {
        double r2 = 0;
        for (uint64_t k = 0; k < 3; k++)
            r2 += pow(c->x[j + k * s->stride] - c->x[i + k * s->stride], 2);
        const bool listed = at < count && list[at] == j;
        at += listed;
        if (reached && i != j)
            assert_int_equal(listed, r2 < c->reach2[i] * pow(c->m[j] / mean, 2.0 / 3));
        if (!listed && i != j)
            add_pair(c->m, c->x, c->v, s->stride, i, j, sum);
    }
    assert_int_equal(at, count);
    for (uint64_t k = 0; k < 3; k++) {
        size = fmax(size, fabs(sum[k]));
        worst = fmax(worst, fabs(sum[k] - c->a[i + k * s->stride]) / size);
        worst = fmax(worst, fabs(sum[3 + k] - c->j[i + k * s->stride]));
    }
    return worst;
}

/* What w has of each body, or of each that is a multiple of `every`, is the regular part by its list, at positions d_x
 * and velocities d_v; lists are as reaches say if `reached`; and most have about as many as are wanted. */
static void check_parts(const struct nb_state *s, const struct nb_neighbours *w, const void *d_x, const void *d_v,
                        uint64_t every, bool reached)
{
    struct copies c = copies_of(s, w, d_x, d_v);
    double mean = 0, all = 0, worst = 0;
    uint64_t massive = 0, near = 0;
    for (uint64_t i = 0; i < s->n; i++)
        mean += c.m[i], massive += c.m[i] > 0;
    mean /= (double)massive;
    for (uint64_t i = 0; i < s->n; i++) {
        if (i % every == 0)
            worst = fmax(worst, check_body(s, w, &c, i, mean, reached));
        all += c.count[i];
        near += c.count[i] > w->wanted / 2 && c.count[i] < 2 * w->wanted;
    }
    print_message("# %.1f neighbours for %u wanted, sums off by %.1e\n", all / (double)s->n, w->wanted, worst);
    assert_true(worst < 1e-11);
    assert_true(all > 0.75 * w->wanted * (double)s->n && all < 1.34 * w->wanted * (double)s->n);
    assert_true(20 * near > 19 * s->n);
    free_copies(&c);
}

/* At the beginning, and after a base step of at most `most` times, whose end is at predicted places. */
static void check_base_step(struct nb_device *device, const struct nb_bodies *b, uint32_t wanted, uint64_t every,
                            uint64_t most)
{
    struct nb_force_set forces = open_force(device, NB_DOUBLE, NB_WANT_JERK, "direct", NAN);
    const struct nb_opened_force *f = nb_force_set_neighbours(&forces);
    assert_non_null(f);
    struct nb_state *s = nb_state_create(device, NB_DOUBLE, b);
    struct nb_neighbours w = neighbours_of(s, wanted);
    struct nb_sources from = nb_sources_of(s, 1, 0);
    struct nb_own_run go = {.whole = (uint64_t)1 << NB_OWN_PARTS, .most = most};
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = w.own.d_a, .jerk = w.own.d_j};
    double range[2], *scale = malloc(s->stride * sizeof *scale);
    from.v = s->v;
    assert_int_equal(nb_force_set_evaluate(&forces, nb_forces_all, NB_DOUBLE, &from, &to, &out), 0);
    assert_int_equal(f->entry->neighbours->start(device, f->work, &from, &w), 0);
    check_parts(s, &w, s->x, s->v, every, true);
    for (uint64_t i = 0; i < s->stride; i++)
        scale[i] = 0.01;
    assert_int_equal(nb_device_to(device, w.own.d_step, scale, s->n * sizeof *scale), 0);
    assert_int_equal(nb_device_to(device, w.d_regular_step, scale, s->n * sizeof *scale), 0);
    from.x = w.own.d_px, from.v = w.own.d_pv;
    assert_int_equal(f->entry->neighbours->step(device, f->work, &from, &w, &go, range), 0);
    assert_true(go.times == most || go.done == go.whole);
    check_parts(s, &w, w.own.d_px, w.own.d_pv, every, false);
    assert_true(w.pairs >= s->n * s->n);
    assert_true(range[0] > 0 && range[0] < range[1] && range[1] < (double)INFINITY);
    free(scale);
    free_neighbours(s, &w);
    nb_state_destroy(s);
    nb_force_set_close(&forces);
}

static void lists_and_sums(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    check_base_step(*state, &b, 10, 1, UINT64_MAX);
    check_base_step(*state, &b, 40, 1, UINT64_MAX);
    nb_bodies_free(&b);
}

/* So many that a GPU takes the sources of few bodies in many parts, and many bodies in several batches. */
static void of_many_bodies(void **state)
{
    struct nb_bodies b;
    uint64_t seed = 7;
    make_bodies(&b, nb_device_is_host(*state) ? 2000 : 10000, 0);
    for (uint64_t i = 0; i < b.n; i++) {
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = uniform01(&seed);
            v[k] = uniform01(&seed) - 0.5;
        }
        place(&b, i, (0.2 + 1.6 * uniform01(&seed)) / (double)b.n, x, v);
    }
    check_base_step(*state, &b, 40, b.n / 100, 20);
    nb_bodies_free(&b);
}

/* ---- steps ---- */

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
        {"lists and sums", lists_and_sums, NULL, NULL, NULL},
        {"of many bodies", of_many_bodies, NULL, NULL, NULL},
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
