/* Individual time steps on every device: bitwise identical to leapfrog if all steps are equal; active bodies and
 * their kicks compared with plain loops; order 2 with fixed rungs; integration backwards; a heavy body, whose step
 * follows from its mass. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "step/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPS 0.02

/* A ball of n bodies of total mass 1, denser inside; the first holds `share` of the mass and rests in the middle. */
static void make_ball(struct nb_bodies *b, uint64_t n, double share)
{
    uint64_t seed = 7;
    make_bodies(b, n, 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i < n; i++) {
        const double r = pow(uniform01(&seed), 1.5), z = 2 * uniform01(&seed) - 1, s = sqrt(1 - z * z);
        const double angle = 2 * M_PI * uniform01(&seed), speed = sqrt((share + r) / (r + 0.05));
        const double place[] = {r * s * cos(angle), r * s * sin(angle), r * z};
        const double way[] = {-sin(angle) * speed, cos(angle) * speed, 0};
        m[i] = i == 0 ? share : (1 - share) / (double)(n - 1);
        memcpy(x + 3 * i, i == 0 ? (double[3]){0} : place, 24);
        memcpy(v + 3 * i, i == 0 ? (double[3]){0} : way, 24);
    }
}

static struct nb_stepper start(struct nb_device *device, enum nb_precision precision, const char *scheme,
                               const char *force, const struct nb_bodies *b, double eta, int most_rungs)
{
    struct nb_stepper p = {.scheme = nb_scheme_find(scheme), .G = 1, .softening = EPS, .own = {eta, most_rungs}};
    p.forces = malloc(sizeof *p.forces);
    p.state = nb_state_create(device, precision, b);
    assert_true(p.scheme && p.forces && p.state);
    *p.forces = open_force(device, precision, NB_WANT_ACC, force, NAN);
    assert_int_equal(nb_step_begin(&p), 0);
    return p;
}

/* Frees the stepper; positions and velocities, 6 n numbers. */
static double *end(struct nb_stepper *p)
{
    const uint64_t n = p->state->n;
    double *out = malloc(48 * n);
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = out}, vel = pos;
    vel.data = out + 3 * n;
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->v, &vel), 0);
    nb_step_end(p);
    nb_force_set_close(p->forces);
    free(p->forces);
    nb_state_destroy(p->state);
    return out;
}

/* Where steps of h come to. */
static double *run(struct nb_device *device, enum nb_precision precision, const char *scheme, const char *force,
                   const struct nb_bodies *b, double eta, int most_rungs, double h, uint64_t count)
{
    struct nb_stepper p = start(device, precision, scheme, force, b, eta, most_rungs);
    assert_int_equal(nb_steps(&p, h, count), 0);
    return end(&p);
}

static double distance(const double *a, const double *b, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < 3 * n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)n);
}

static void one_rung_is_leapfrog(void **state)
{
    static const char *const forces[] = {"direct", "tree"};
    struct nb_bodies b;
    make_ball(&b, 1500, 0.1);
    for (int precision = 0; precision < NB_QUAD; precision++)
        for (int k = 0; k < 4; k++) {
            const char *force = forces[k / 2];
            if (!nb_force_choose(force, *state, (enum nb_precision)precision, NB_WANT_ACC, b.n))
                continue;
            double *want = run(*state, (enum nb_precision)precision, "leapfrog", force, &b, 0, 0, 0.01, 5);
            double *have = run(*state, (enum nb_precision)precision, "leapfrog-block", force, &b, k % 2 ? 1e3 : 0.1,
                               k % 2 ? 10 : 0, 0.01, 5);
            assert_memory_equal(have, want, 48 * b.n);
            free(want);
            free(have);
        }
    nb_bodies_free(&b);
}

/* ---- due bodies and their kicks ---- */

#define N 5000

struct plain { /* the rows of nb_own_kick */
    double a[3 * N], v[3 * N], step[N];
};

/* Kicks those of `index`, all where it is NULL, as nb_device_kick_own says, in double; the shortest next step. */
static double kick_plainly(const struct nb_own_kick *w, const uint32_t *index, const double *field, const double *m,
                           struct plain *p)
{
    double least = INFINITY;
    for (uint64_t j = 0; j < (index ? w->count : N); j++) {
        const uint64_t i = index ? index[j] : j;
        double h = w->longest, a2 = 0, change2 = 0, most = p->step[i], ended = p->step[i];
        for (uint64_t k = 0; k < 3; k++) {
            double *a = &p->a[3 * i + k];
            change2 += field ? pow(field[3 * j + k] - *a, 2) : 0;
            *a = field ? field[3 * j + k] : *a;
            a2 += *a * *a;
        }
        if (w->close || ended == 0) {
            most = fmin(w->of_acceleration / pow(a2, 0.25), w->of_mass / sqrt(m[i]));
            most = w->close ? fmin(most, w->of_jerk / cbrt(sqrt(change2) / ended)) : most;
        }
        while (h > w->shortest && h > most)
            h /= 2;
        for (uint64_t k = 0; k < 3; k++)
            p->v[3 * i + k] +=
                ((w->close ? ended / 2 : 0) + (w->open ? h / 2 : 0)) * (w->backwards ? -1 : 1) * p->a[3 * i + k];
        p->step[i] = h;
        least = fmin(least, h);
    }
    return least;
}

static void check_row(const struct nb_state *s, const void *d_rows, int width, const double *want, double bound)
{
    struct nb_column c = {.type = NB_F64, .width = width};
    c.data = malloc(nb_column_bytes(&c, N));
    assert_int_equal(nb_state_fetch(s, d_rows, &c), 0);
    for (uint64_t i = 0; i < (uint64_t)width * N; i++)
        assert_true(fabs(((double *)c.data)[i] - want[i]) <= bound * (1 + fabs(want[i])));
    free(c.data);
}

static void put(const struct nb_state *s, int width, const double *values, void *d_rows)
{
    assert_int_equal(nb_device_store(s->device, s->precision, N, s->stride, width, values, NB_F64, d_rows), 0);
}

/* Steps of base / 2^0 .. 2^5, accelerations over three decades, from a state of zeros and back to one of velocities. */
static void kicks_of(struct nb_device *device, enum nb_precision precision)
{
    static struct plain p;
    static double m[N], field[3 * N];
    static uint32_t index[N], have[N];
    const double base = 0.25, bound = precision == NB_SINGLE ? 1e-6 : 1e-15;
    uint64_t seed = 3, count = 0, due = 0;
    double least, want;
    struct nb_bodies b;
    make_bodies(&b, N, 0);
    for (uint64_t i = 0; i < N; i++) {
        m[i] = uniform01(&seed) * (i % 100 == 0 ? 100 : 1);
        p.step[i] = i % 50 == 0 ? 0 : ldexp(base, -(int)(6 * uniform01(&seed)));
        for (uint64_t k = 0; k < 3; k++) {
            p.a[3 * i + k] = (float)((uniform01(&seed) - 0.5) * pow(10, 3 * uniform01(&seed)));
            p.v[3 * i + k] = (float)uniform01(&seed);
            field[3 * i + k] = (float)((uniform01(&seed) - 0.5) * pow(10, 3 * uniform01(&seed)));
        }
    }
    memcpy(b.columns[0].data, m, sizeof m);
    memcpy(b.columns[2].data, p.v, sizeof p.v);
    struct nb_state *s = nb_state_create(device, precision, &b);
    void *d_step = nb_state_row(s), *d_all = nb_state_vector(s);
    uint32_t *d_index = nb_device_alloc(device, sizeof index);
    char *d_field = nb_device_alloc(device, 3 * s->stride * nb_precision_size(precision));
    assert_true(s && d_step && d_all && d_index && d_field);
    put(s, 3, p.a, s->a);
    put(s, 1, p.step, d_step);
    put(s, 3, field, d_all);
    assert_int_equal(nb_device_store(device, precision, N, s->stride, 3, field, NB_F64, d_field), 0);
    struct nb_own_kick own = {.n = N,
                              .stride = s->stride,
                              .d_m = s->m,
                              .d_a = s->a,
                              .d_v = s->v,
                              .d_step = d_step,
                              .close = true,
                              .open = true,
                              .longest = base,
                              .shortest = base / 64,
                              .of_acceleration = 0.1,
                              .of_jerk = 0.3,
                              .of_mass = 0.5,
                              .field_stride = s->stride};
    for (int turn = 0; turn < 5; turn++) { /* of all, open; of the due ones, closing, opening and both; of all, both */
        own.close = turn != 0 && turn != 2;
        own.open = turn != 1;
        own.backwards = turn == 3;
        if (turn == 4)
            own.d_index = NULL, own.d_field = d_all, own.longest = base;
        else if (turn > 0) {
            const double most = ldexp(base, -2 - turn);
            count = 0;
            for (uint32_t i = 0; i < N; i++)
                if (p.step[i] <= most)
                    index[count++] = i;
            assert_int_equal(nb_device_select_due(device, precision, 0, N, d_step, most, d_index, &due), 0);
            assert_true(due == count && count > 100);
            assert_int_equal(nb_device_from(device, have, d_index, count * sizeof *have), 0);
            assert_memory_equal(have, index, count * sizeof *have);
            own.count = count, own.d_index = d_index, own.d_field = d_field, own.longest = most;
        }
        want = kick_plainly(&own, own.d_index ? index : NULL, turn > 0 ? field : NULL, m, &p);
        assert_int_equal(nb_device_kick_own(device, precision, &own, &least), 0);
        assert_true(fabs(least - want) <= bound * want);
        check_row(s, s->a, 3, p.a, bound);
        check_row(s, s->v, 3, p.v, 4 * bound);
        check_row(s, d_step, 1, p.step, 0);
    }
    nb_device_free(device, d_step);
    nb_device_free(device, d_all);
    nb_device_free(device, d_index);
    nb_device_free(device, d_field);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

static void due_bodies_are_kicked(void **state)
{
    for (int precision = 0; precision < NB_QUAD; precision++)
        kicks_of(*state, (enum nb_precision)precision);
}

/* ---- runs ---- */

/* Halving base step and eta together halves every body's step: the distance to a fine run, of the CPU for all devices,
 * falls to a quarter. */
static void order_two(void **state)
{
    static double *fine;
    struct nb_bodies b;
    make_ball(&b, 60, 0.2);
    double error[3];
    if (!fine)
        fine = run(cpu_alone(), NB_DOUBLE, "leapfrog", "direct", &b, 0, 0, 0.16 / 16384, 16384);
    for (int k = 0; k < 3; k++) {
        double *have =
            run(*state, NB_DOUBLE, "leapfrog-block", "direct", &b, ldexp(0.1, -k), 16, ldexp(0.16, -3 - k), 8u << k);
        error[k] = distance(have, fine, b.n);
        free(have);
    }
    print_message("# errors %.2e %.2e %.2e\n", error[0], error[1], error[2]);
    assert_true(error[0] / error[2] > 12 && error[0] / error[2] < 24); /* 16, and what borders of rungs make of it */
    nb_bodies_free(&b);
}

/* So many that sums are divided and lists are long: as on the CPU, in each precision. */
static void many_bodies(void **state)
{
    static const double bound[] = {[NB_SINGLE] = 2e-5, [NB_MIXED] = 2e-6, [NB_DOUBLE] = 1e-11};
    static double *want;
    struct nb_bodies b;
    make_ball(&b, 1500, 0.01);
    if (!want)
        want = run(cpu_alone(), NB_DOUBLE, "leapfrog-block", "direct", &b, 0.1, 12, 0.05, 1);
    for (int precision = 0; precision < NB_QUAD; precision++) {
        double *have = run(*state, precision, "leapfrog-block", "direct", &b, 0.1, 12, 0.05, 1);
        const double off = distance(have, want, b.n);
        print_message("# %s: off by %.1e\n", nb_precision_name(precision), off);
        assert_true(off < bound[precision]);
        free(have);
    }
    nb_bodies_free(&b);
}

/* Bodies without mass on circles keep their steps, over six rungs: there and back. */
static void the_way_back(void **state)
{
    enum { RINGS = 9 };
    struct nb_bodies b;
    make_bodies(&b, 1 + RINGS, 0);
    double *m = b.columns[0].data, *x = b.columns[1].data, *v = b.columns[2].data;
    for (int i = 0; i <= RINGS; i++) {
        const double r = i == 0 ? 0 : 0.06 * pow(1.6, i), r2 = r * r + EPS * EPS;
        m[i] = i == 0;
        memcpy(x + 3 * i, (double[3]){r, 0, 0}, 24);
        memcpy(v + 3 * i, (double[3]){0, r / pow(r2, 0.75), 0}, 24);
    }
    struct nb_stepper p = start(*state, NB_DOUBLE, "leapfrog-block", "direct", &b, 0.05, 10);
    const uint64_t steps = starts_slowly(*state) ? 2 : 20;
    assert_int_equal(nb_steps(&p, 0.05, steps), 0);
    assert_int_equal(nb_steps(&p, -0.05, steps), 0);
    double *have = end(&p);
    assert_true(distance(have, x, 1 + RINGS) < 1e-12 && distance(have + 3 * (1 + RINGS), v, 1 + RINGS) < 1e-11);
    free(have);
    nb_bodies_free(&b);
}

/* Energy and momentum of 6 n numbers, with the masses of b. */
static void sums_of(const struct nb_bodies *b, const double *state, double *energy, double p[3])
{
    const double *m = b->columns[0].data, *x = state, *v = state + 3 * b->n;
    *energy = p[0] = p[1] = p[2] = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            p[k] += m[i] * v[3 * i + k];
            *energy += m[i] * v[3 * i + k] * v[3 * i + k] / 2;
        }
        for (uint64_t j = 0; j < i; j++)
            *energy -= m[i] * m[j] /
                       sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) +
                            pow(x[3 * i + 2] - x[3 * j + 2], 2) + EPS * EPS);
    }
}

/* A heavy body rests in the middle, where nothing accelerates it: its pulls on those around it keep the energy all the
 * same, and the momentum drifts by no more than nbtools-integrators(7) says. */
static void a_heavy_body(void **state)
{
    enum { HEAVY = 500 };
    struct nb_bodies b;
    double before, after, p0[3], p1[3], size = 0;
    make_ball(&b, HEAVY, 0.3);
    struct nb_stepper p = start(*state, NB_DOUBLE, "leapfrog-block", "direct", &b, 0.05, 20);
    double *first = malloc(48 * HEAVY);
    memcpy(first, b.columns[1].data, 24 * HEAVY);
    memcpy(first + 3 * HEAVY, b.columns[2].data, 24 * HEAVY);
    assert_int_equal(nb_steps(&p, 0.1, starts_slowly(*state) ? 2 : 10), 0);
    const double per_body = (double)p.evaluations;
    double *last = end(&p);
    sums_of(&b, first, &before, p0);
    sums_of(&b, last, &after, p1);
    for (uint64_t i = 0; i < HEAVY; i++)
        size +=
            ((double *)b.columns[0].data)[i] *
            sqrt(pow(last[3 * (HEAVY + i)], 2) + pow(last[3 * (HEAVY + i) + 1], 2) + pow(last[3 * (HEAVY + i) + 2], 2));
    const double drift = sqrt(pow(p1[0] - p0[0], 2) + pow(p1[1] - p0[1], 2) + pow(p1[2] - p0[2], 2)) / size;
    print_message("# energy error %.1e, drift of momentum %.1e, %g evaluations\n", (after - before) / before, drift,
                  per_body);
    assert_true(fabs(after - before) < 1e-3 * fabs(before));
    assert_true(drift < 1e-4);
    free(first);
    free(last);
    nb_bodies_free(&b);
}

/* Twice the same bits; and without a softening length no step of a body's own. */
static void twice_the_same(void **state)
{
    struct nb_bodies b;
    make_ball(&b, 1500, 0.1);
    for (int k = 0; k < 2; k++) {
        double *one = run(*state, NB_DOUBLE, "leapfrog-block", k ? "tree" : "direct", &b, 0.2, 20, 0.05, 2);
        double *other = run(*state, NB_DOUBLE, "leapfrog-block", k ? "tree" : "direct", &b, 0.2, 20, 0.05, 2);
        assert_memory_equal(one, other, 48 * b.n);
        free(one);
        free(other);
        if (!nb_force_choose("tree", *state, NB_DOUBLE, NB_WANT_ACC, b.n))
            break;
    }
    const char *why = nb_scheme_refuse_state(nb_scheme_find("leapfrog-block"), *state, NB_DOUBLE, 0);
    assert_true(why && strstr(why, "softening"));
    nb_bodies_free(&b);
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"one rung is leapfrog", one_rung_is_leapfrog, NULL, NULL, NULL},
        {"due bodies are kicked", due_bodies_are_kicked, NULL, NULL, NULL},
        {"order 2", order_two, NULL, NULL, NULL},
        {"many bodies", many_bodies, NULL, NULL, NULL},
        {"the way back", the_way_back, NULL, NULL, NULL},
        {"a heavy body", a_heavy_body, NULL, NULL, NULL},
        {"twice the same", twice_the_same, NULL, NULL, NULL},
    };
    return run_on_devices("step block", NULL, of_device, sizeof of_device / sizeof *of_device);
}
