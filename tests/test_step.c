/* Stepping on every device: equal bits however steps are divided into calls, the order of each scheme on a Kepler
 * orbit, counts of steps, the suggested step. */
#include "error.h"
#include "step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two bodies of mass 1/2, a = 1, eccentricity e, at pericentre; the period is 2 pi. */
static void make_kepler(struct nb_bodies *b, double e)
{
    nb_bodies_init(b);
    b->n = 2;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data, speed = sqrt((1 + e) / (1 - e));
    m[0] = m[1] = 0.5;
    memset(x, 0, 48);
    memset(v, 0, 48);
    x[0] = (1 - e) / 2, x[3] = -x[0];
    v[1] = speed / 2, v[4] = -v[1];
}

static struct nb_stepper start(const struct nb_device *device, enum nb_precision precision,
                               const struct nb_scheme *scheme, const struct nb_bodies *b)
{
    struct nb_stepper p = {.scheme = scheme, .G = 1};
    p.force = nb_force_choose("direct", device, precision, NB_WANT_ACC, b->n);
    p.state = nb_state_create(device, precision, b);
    assert_true(p.force && p.state);
    assert_int_equal(nb_force_open(p.force, &nb_force_usual, &p.work), 0);
    assert_int_equal(nb_step_begin(&p), 0);
    return p;
}

static void finish(struct nb_stepper *p, double *x, double *v)
{
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x}, vel = {.type = NB_F64, .width = 3, .data = v};
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->v, &vel), 0);
    nb_step_end(p);
    nb_force_close(p->force, p->work);
    nb_state_destroy(p->state);
}

static void equal_bits_however_divided(void **state)
{
    const struct nb_device *device = *state;
    for (int precision = 0; precision < NB_PRECISIONS; precision++) {
        struct nb_bodies b;
        double one[2][6], many[2][6];
        make_kepler(&b, 0.5);
        struct nb_stepper p = start(device, (enum nb_precision)precision, nb_scheme_find("leapfrog"), &b);
        assert_int_equal(nb_steps(&p, 0.01, 100), 0);
        finish(&p, one[0], one[1]);
        p = start(device, (enum nb_precision)precision, nb_scheme_find("leapfrog"), &b);
        for (int k = 0; k < 100; k += k % 7 + 1)
            assert_int_equal(nb_steps(&p, 0.01, (uint64_t)(k % 7 + 1 < 100 - k ? k % 7 + 1 : 100 - k)), 0);
        finish(&p, many[0], many[1]);
        assert_memory_equal(one, many, sizeof one);
        nb_bodies_free(&b);
    }
}

/* Bodies that move by much and not far: on a lattice of unit cells, of unit mass together. */
static void make_lattice(struct nb_bodies *b, uint64_t n)
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = n;
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i < n; i++) {
        m[i] = 1 / (double)n;
        for (uint64_t k = 0; k < 3; k++) {
            x[3 * i + k] = (double)(i / (k == 0 ? 1 : k == 1 ? 17 : 289) % 17) + 0.01 * (double)((7 * i + k) % 31);
            v[3 * i + k] = 0.1 * (double)((11 * i + 5 * k) % 13) - 0.6;
        }
    }
}

static const struct {
    double h;
    uint64_t count;
} stretches[] = {{0.01, 100}, {0.02, 70}, {0.01, 33}, {-0.01, 150}, {-0.01, 32}};

/* The state after all stretches, each in one call, or in calls of one step, which nothing records. */
static void run_stretches(const struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b,
                          bool one_by_one, double *x, double *v)
{
    uint64_t total = 1; /* nb_step_begin's */
    struct nb_stepper p = start(device, precision, nb_scheme_find("leapfrog"), b);
    void *d_phi = nb_state_vector(p.state);
    p.softening = 0.01;
    for (size_t k = 0; k < sizeof stretches / sizeof *stretches; k++) {
        total += stretches[k].count;
        for (uint64_t i = 0; i < (one_by_one ? stretches[k].count : 1); i++)
            assert_int_equal(nb_steps(&p, stretches[k].h, one_by_one ? 1 : stretches[k].count), 0);
        /* As for an output: it must leave a recording as it is. */
        assert_int_equal(nb_force_state(p.force, p.work, p.state, p.G, p.softening, NULL, d_phi), 0);
    }
    assert_int_equal(p.evaluations, total);
    device->free(d_phi);
    finish(&p, x, v);
}

static void equal_bits_in_long_calls(void **state)
{
    const struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 33, 700, 5000}; /* beyond 4096, sources are split on a GPU */
    for (size_t k = 0; k < (device->record_begin ? 4 : 3); k++)
        for (int precision = 0; precision < NB_PRECISIONS; precision++) {
            struct nb_bodies b;
            make_lattice(&b, sizes[k]);
            size_t size = 3 * sizes[k] * sizeof(double);
            double *one[2] = {malloc(size), malloc(size)}, *all[2] = {malloc(size), malloc(size)};
            run_stretches(device, (enum nb_precision)precision, &b, true, one[0], one[1]);
            run_stretches(device, (enum nb_precision)precision, &b, false, all[0], all[1]);
            for (int which = 0; which < 2; which++) {
                assert_memory_equal(one[which], all[which], size);
                free(one[which]);
                free(all[which]);
            }
            nb_bodies_free(&b);
        }
}

/* v += k1 a, v += k2 a, x += d v with a rounding after each operation, whatever the device fuses; and a first kick of
 * nothing leaves even an infinite acceleration out. */
static void leap_rounds_each(void **state)
{
    const struct nb_device *device = *state;
    enum { N = 64 };
    for (int precision = 0; precision < NB_PRECISIONS; precision++) {
        const bool single = precision == NB_SINGLE;
        const size_t size = N * nb_precision_size((enum nb_precision)precision);
        char description[128];
        double a[N], v[N], x[N], have[2][N];
        float af[N], vf[N], xf[N], havef[2][N];
        assert_int_equal(device->open(description, sizeof description), 0);
        void *d[3] = {device->alloc(size), device->alloc(size), device->alloc(size)};
        for (int i = 0; i < N; i++) {
            a[i] = af[i] = 1.0f / (float)(i + 3), v[i] = vf[i] = 0.7f * (float)i - 20,
            x[i] = xf[i] = 1e3f / (float)(i + 1);
        }
        assert_true(d[0] && d[1] && d[2]);
        assert_int_equal(device->to_device(d[0], single ? (void *)af : a, size), 0);
        assert_int_equal(device->to_device(d[1], single ? (void *)vf : v, size), 0);
        assert_int_equal(device->to_device(d[2], single ? (void *)xf : x, size), 0);
        assert_int_equal(device->leap((enum nb_precision)precision, N, 0.3, 0.3, 0.1, d[0], d[1], d[2]), 0);
        assert_int_equal(device->from_device(single ? (void *)havef[0] : have[0], d[1], size), 0);
        assert_int_equal(device->from_device(single ? (void *)havef[1] : have[1], d[2], size), 0);
        for (int i = 0; i < N; i++) {
            volatile double p = 0.3 * a[i], w = v[i] + p, u = w + p, q = 0.1 * u, y = x[i] + q;
            volatile float pf = 0.3f * af[i], wf = vf[i] + pf, uf = wf + pf, qf = 0.1f * uf, yf = xf[i] + qf;
            assert_true(single ? havef[0][i] == uf && havef[1][i] == yf : have[0][i] == u && have[1][i] == y);
        }
        a[0] = INFINITY, af[0] = INFINITY;
        assert_int_equal(device->to_device(d[0], single ? (void *)af : a, size), 0);
        assert_int_equal(device->leap((enum nb_precision)precision, N, 0, 0.3, 0.1, d[0], d[1], d[2]), 0);
        assert_int_equal(device->from_device(single ? (void *)havef[0] : have[0], d[1], size), 0);
        assert_true(single ? havef[0][0] == INFINITY : have[0][0] == INFINITY);
        for (int k = 0; k < 3; k++)
            device->free(d[k]);
    }
}

/* Distance from the true relative position and velocity after a quarter of a period, e = 0.5. */
static double kepler_error(const struct nb_device *device, const struct nb_scheme *scheme, uint64_t steps)
{
    struct nb_bodies b;
    double x[6], v[6];
    make_kepler(&b, 0.5);
    struct nb_stepper p = start(device, NB_DOUBLE, scheme, &b);
    assert_int_equal(nb_steps(&p, M_PI / 2 / (double)steps, steps), 0);
    finish(&p, x, v);
    nb_bodies_free(&b);
    return hypot(x[0] - x[3] + 0.9351308590367095, x[1] - x[4] - 0.7797408874975593) +
           hypot(v[0] - v[3] + 0.7394815923329188, v[1] - v[4] + 0.3094982567346745);
}

static void schemes_have_their_order(void **state)
{
    const struct nb_device *device = *state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        double order = log2(kepler_error(device, *s, 400) / kepler_error(device, *s, 800));
        print_message("# %s on %s: order %d, measured %.3f\n", (*s)->name, device->name, (*s)->order, order);
        assert_true(fabs(order - (*s)->order) < 0.05);
    }
}

static void suggested_step(void **state)
{
    struct nb_bodies b;
    double x[6], v[6];
    make_kepler(&b, 0); /* |phi| = 1/2, |a| = 1/2 */
    struct nb_stepper p = start(*state, NB_DOUBLE, nb_scheme_find("leapfrog"), &b);
    assert_true(fabs(nb_step_suggest(&p) - 0.02 * sqrt(0.5) / 0.5) < 1e-15);
    finish(&p, x, v);
    nb_bodies_free(&b);
}

static void counts(void **state)
{
    (void)state;
    assert_int_equal(nb_step_count(1, 0.1), 10);
    assert_int_equal(nb_step_count(0.3, 0.1), 3);
    assert_int_equal(nb_step_count(1, 0.3), 4);
    assert_int_equal(nb_step_count(1e-9, 1), 1);
    assert_null(nb_scheme_find("magic"));
}

static void nothing(void **state)
{
    (void)state;
}

int main(void)
{
    static struct CMUnitTest tests[16] = {{"counts of steps", counts, NULL, NULL, NULL}};
    static const struct CMUnitTest of_device[] = {
        {"equal bits however divided", equal_bits_however_divided, NULL, NULL, NULL},
        {"equal bits in long calls", equal_bits_in_long_calls, NULL, NULL, NULL},
        {"a leap rounds each operation", leap_rounds_each, NULL, NULL, NULL},
        {"order of every scheme", schemes_have_their_order, NULL, NULL, NULL},
        {"suggested step", suggested_step, NULL, NULL, NULL},
    };
    size_t count = 1;
    for (const struct nb_device *const *d = nb_devices; *d; d++) {
        char description[128], *name;
        bool here = (*d)->open(description, sizeof description) == 0;
        for (size_t k = 0; k < (here ? sizeof of_device / sizeof *of_device : 1); k++) {
            if (asprintf(&name, here ? "%s: %s" : "%s # SKIP %s", (*d)->name, here ? of_device[k].name : nb_error()) <
                0)
                return 1;
            tests[count] = here ? of_device[k] : (struct CMUnitTest){NULL, nothing, NULL, NULL, NULL};
            tests[count].name = name;
            tests[count++].initial_state = (void *)*d;
        }
    }
    return _cmocka_run_group_tests("step", tests, count, NULL, NULL);
}
