/* The jerk on every device that offers it, and forces in quad: against the difference quotient of accelerations in
 * quad, and against plain sums. */
#include "device/device_kind.h"
#include "device/quad.h"
#include "devices.h"
#include "force/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct row {
    const struct nb_force *force;
    enum nb_precision precision;
};

static double *data(const struct nb_bodies *b, const char *name)
{
    return nb_bodies_find(b, name)->data;
}

static void make_bodies(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (uint64_t i = 0; i < n; i++) {
        data(b, "mass")[i] = (1 + (double)(i % 5)) / (double)n;
        for (uint64_t k = 0; k < 3; k++) { /* exact in single */
            data(b, "pos")[3 * i + k] = (double)((i * 7919 + k * 104729) % 2003) / 1024;
            data(b, "vel")[3 * i + k] = (double)((i * 6007 + k * 31337) % 1009) / 512 - 1;
        }
    }
}

/* The sum over the others in quad, at positions x + t v. */
static void accelerate(const struct nb_bodies *b, double eps, nb_quad t, uint64_t i, nb_quad *a)
{
    const double *m = data(b, "mass"), *x = data(b, "pos"), *v = data(b, "vel");
    a[0] = a[1] = a[2] = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        nb_quad d[3], r2 = (nb_quad)eps * eps;
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (x[3 * j + k] + t * v[3 * j + k]) - (x[3 * i + k] + t * v[3 * i + k]);
            r2 += d[k] * d[k];
        }
        const nb_quad rinv = nb_quad_rsqrt(r2);
        for (uint64_t k = 0; k < 3 && j != i; k++)
            a[k] += m[j] * d[k] * rinv * rinv * rinv;
    }
}

/* The sum of the sizes of what every other body adds to the jerk, G = 1: what rounding is relative to. */
static double terms(const struct nb_bodies *b, double eps, uint64_t i)
{
    const double *m = data(b, "mass"), *x = data(b, "pos"), *v = data(b, "vel");
    double sum = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        double r2 = eps * eps, w2 = 0, d2 = 0;
        for (uint64_t k = 0; k < 3; k++) {
            const double d = x[3 * j + k] - x[3 * i + k], w = v[3 * j + k] - v[3 * i + k];
            r2 += d * d, d2 += d * d, w2 += w * w;
        }
        sum += m[j] * sqrt(w2) * (1 + 3 * d2 / r2) / (r2 * sqrt(r2));
    }
    return sum;
}

static struct nb_state *open_state(const struct row *row, const struct nb_bodies *b)
{
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = nb_state_create(device, row->precision, b);
    assert_non_null(s);
    return s;
}

static double size_of(const nb_quad *a)
{
    return sqrt((double)(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
}

static void jerk_is_the_derivative(void **state)
{
    const struct row *row = *state;
    static const uint64_t sizes[] = {2, 9, 129, 1000};
    static const double softening[] = {0.01, 0.3};
    const double bound = row->precision >= NB_DOUBLE ? 1e-12 : 3e-5;
    const double jerk_bound = row->precision >= NB_DOUBLE ? 1e-12 : 2e-6;
    for (size_t z = 0; z < 8; z++) {
        struct nb_bodies b;
        make_bodies(&b, sizes[z / 2]);
        struct nb_state *s = open_state(row, &b);
        void *d_jerk = nb_state_vector(s), *d_phi = nb_state_vector(s);
        struct nb_column acc = {.type = NB_F64, .width = 3, .data = malloc(b.n * 24)}, jerk = acc;
        jerk.data = malloc(b.n * 24);
        struct nb_force_set set = open_force(s->device, row->precision, NB_WANT_JERK, "direct", NAN);
        const struct nb_sources from = {s->n, s->stride, s->m, s->x, 2, softening[z % 2], s->v};
        const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
        const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = d_phi, .jerk = d_jerk};
        assert_int_equal(nb_force_set_field(&set, nb_forces_all, row->precision, &from, &to, &out), 0);
        assert_int_equal(nb_state_fetch(s, s->a, &acc), 0);
        assert_int_equal(nb_state_fetch(s, d_jerk, &jerk), 0);
        for (uint64_t i = 0; i < b.n; i += 1 + b.n / 50) {
            const nb_quad t =
                NB_Q(1e-13); /* the error of the quotient: (t w / eps)^2 of a term, and 1e-34 / (t w / eps) */
            nb_quad now[3], before[3], after[3], of_a[3], of_jerk[3];
            accelerate(&b, softening[z % 2], 0, i, now);
            accelerate(&b, softening[z % 2], -t, i, before);
            accelerate(&b, softening[z % 2], t, i, after);
            for (uint64_t k = 0; k < 3; k++) {
                after[k] = (after[k] - before[k]) / (2 * t);
                of_a[k] = 2 * now[k] - ((double *)acc.data)[3 * i + k];
                of_jerk[k] = 2 * after[k] - ((double *)jerk.data)[3 * i + k];
            }
            assert_true(size_of(of_a) <= bound * size_of(now));
            assert_true(size_of(of_jerk) <= jerk_bound * terms(&b, softening[z % 2], i));
        }
        nb_device_free(s->device, d_jerk);
        nb_device_free(s->device, d_phi);
        free(acc.data);
        free(jerk.data);
        nb_force_set_close(&set);
        nb_state_destroy(s);
        nb_bodies_free(&b);
    }
}

/* Potential and acceleration in quad, both at once and, from pairs that are computed once, the acceleration alone. */
static void quad_sums_of(const struct row *row, uint64_t n)
{
    struct nb_bodies b;
    make_bodies(&b, n);
    struct nb_state *s = open_state(row, &b);
    nb_quad *d_phi = nb_state_vector(s), *once = nb_state_vector(s);
    struct nb_force_set set = open_force(s->device, row->precision, NB_WANT_ACC, "direct", NAN);
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, s, 2, 0.01, s->a, d_phi), 0);
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, s, 2, 0.01, once, NULL), 0);
    for (uint64_t i = 0; i < b.n; i += 1 + n / 40) {
        nb_quad a[3], off[3], off_once[3], phi = 0;
        accelerate(&b, 0.01, 0, i, a);
        for (uint64_t j = 0; j < b.n; j++) {
            nb_quad r2 = 0.01 * (nb_quad)0.01;
            for (uint64_t k = 0; k < 3; k++) {
                const double d = data(&b, "pos")[3 * j + k] - data(&b, "pos")[3 * i + k]; /* exact */
                r2 += (nb_quad)d * d;
            }
            phi -= j == i ? 0 : 2 * data(&b, "mass")[j] * nb_quad_rsqrt(r2);
        }
        for (uint64_t k = 0; k < 3; k++) {
            off[k] = ((nb_quad *)s->a)[k * s->stride + i] - 2 * a[k];
            off_once[k] = once[k * s->stride + i] - 2 * a[k];
        }
        assert_true(size_of(off) <= 1e-31 * size_of(a) && size_of(off_once) <= 1e-31 * size_of(a));
        assert_true(nb_quad_abs(d_phi[i] - phi) <= 1e-31 * nb_quad_abs(phi));
    }
    nb_device_free(s->device, d_phi);
    nb_device_free(s->device, once);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

static void quad_sums(void **state)
{
    static const uint64_t sizes[] = {1, 2, 15, 16, 17, 33, 300, 511};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        quad_sums_of(*state, sizes[k]);
}

static void nothing(void **state)
{
    (void)state;
}

static struct CMUnitTest tests[32];
static size_t count;

static void add(CMUnitTestFunction function, struct row *row, const char *name)
{
    char *text;
    const char *precision = row ? nb_precision_name(row->precision) : "";
    if (asprintf(&text, "%s %s", name, precision) < 0)
        abort();
    tests[count++] = (struct CMUnitTest){text, function, NULL, NULL, row};
}

int main(void)
{
    static struct row rows[32];
    size_t row_count = 0;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        const struct nb_device named = {.name = (*kind)->name};
        const bool here = device_of((*kind)->name);
        for (int p = 0; p < NB_PRECISIONS; p++) {
            const struct nb_force *f = nb_force_choose("direct", &named, (enum nb_precision)p, NB_WANT_JERK, 2);
            if (!f)
                continue;
            struct row *row = &rows[row_count++];
            *row = (struct row){f, (enum nb_precision)p};
            add(here ? jerk_is_the_derivative : nothing, row, here ? f->device : "no device here # SKIP");
            if (p == NB_QUAD)
                add(quad_sums, row, "sums");
        }
    }
    return _cmocka_run_group_tests("jerk", tests, count, NULL, NULL);
}
