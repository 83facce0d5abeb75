/* Jerk and snap on every device that supports them, and forces in quad: compared with difference quotients of
 * accelerations in quad, and with plain sums. */
#include "common/devices.h"
#include "device/device_kind.h"
#include "device/group.h"
#include "device/quad.h"
#include "force/force.h"
#include "simd/simd.h"

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

/* A component of the acceleration that is given to the snap: any number that single precision holds. */
static double given(uint64_t i, uint64_t k)
{
    return (double)((i * 5003 + k * 7001) % 997) / 256 - 2;
}

/* The sum over the others in quad, at positions x + t v + t^2/2 b. */
static void accelerate(const struct nb_bodies *b, double eps, nb_quad t, uint64_t i, nb_quad *a)
{
    const double *m = data(b, "mass"), *x = data(b, "pos"), *v = data(b, "vel");
    a[0] = a[1] = a[2] = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        nb_quad d[3], r2 = (nb_quad)eps * eps;
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (nb_quad)x[3 * j + k] - x[3 * i + k] + t * ((nb_quad)v[3 * j + k] - v[3 * i + k]) +
                   t * t / 2 * (given(j, k) - given(i, k));
            r2 += d[k] * d[k];
        }
        const nb_quad rinv = nb_quad_rsqrt(r2);
        for (uint64_t k = 0; k < 3 && j != i; k++)
            a[k] += m[j] * d[k] * rinv * rinv * rinv;
    }
}

/* The sums of the sizes of what every other body adds to jerk and snap, G = 1: what rounding is relative to. */
static void terms(const struct nb_bodies *b, double eps, uint64_t i, double *jerk, double *snap)
{
    const double *m = data(b, "mass"), *x = data(b, "pos"), *v = data(b, "vel");
    *jerk = *snap = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        double r2 = eps * eps, w2 = 0, d2 = 0, b2 = 0;
        for (uint64_t k = 0; k < 3; k++) {
            const double d = x[3 * j + k] - x[3 * i + k], w = v[3 * j + k] - v[3 * i + k],
                         of_b = given(j, k) - given(i, k);
            r2 += d * d, d2 += d * d, w2 += w * w, b2 += of_b * of_b;
        }
        const double near = d2 / r2, weight = m[j] / (r2 * sqrt(r2));
        *jerk += weight * sqrt(w2) * (1 + 3 * near);
        *snap += weight * (sqrt(b2) * (1 + 3 * near) + w2 * sqrt(d2) / r2 * (9 + 21 * near));
    }
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

struct rig { /* bodies on a row's device, and what its force says of them */
    struct nb_bodies b;
    struct nb_state *s;
    struct nb_force_set set;
    struct nb_sources from;
    void *d_b, *d_phi, *d_jerk, *d_snap; /* d_b: the accelerations given */
};

static void open_rig(struct rig *r, const struct row *row, uint64_t n, double eps)
{
    double *rows = malloc(n * 24);
    make_bodies(&r->b, n);
    r->s = open_state(row, &r->b);
    r->set = open_force(r->s->device, row->precision, NB_WANT_JERK | NB_WANT_SNAP, "direct", NAN);
    for (uint64_t i = 0; i < 3 * n; i++)
        rows[i] = given(i / 3, i % 3);
    void **const all[] = {&r->d_b, &r->d_phi, &r->d_jerk, &r->d_snap};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_non_null(*all[k] = nb_state_vector(r->s));
    assert_int_equal(nb_device_store(r->s->device, row->precision, n, r->s->stride, 3, rows, NB_F64, r->d_b), 0);
    r->from = (struct nb_sources){.n = n,
                                  .stride = r->s->stride,
                                  .m = r->s->m,
                                  .x = r->s->x,
                                  .G = 2,
                                  .softening = eps,
                                  .v = r->s->v,
                                  .a = r->d_b};
    free(rows);
}

static void close_rig(struct rig *r)
{
    void *const all[] = {r->d_b, r->d_phi, r->d_jerk, r->d_snap};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        nb_device_free(r->s->device, all[k]);
    nb_force_set_close(&r->set);
    nb_state_destroy(r->s);
    nb_bodies_free(&r->b);
}

/* Acceleration and jerk, with the snap or without, of all bodies: n triples each, to be freed. */
static void compute(struct rig *r, bool with_snap, double **to)
{
    const struct nb_targets all = {
        .n = r->s->n, .stride = r->s->stride, .x = r->s->x, .v = r->s->v, .a = with_snap ? r->d_b : NULL};
    const struct nb_field out = {
        .stride = r->s->stride, .a = r->s->a, .phi = r->d_phi, .jerk = r->d_jerk, .snap = with_snap ? r->d_snap : NULL};
    const void *const rows[] = {r->s->a, r->d_jerk, r->d_snap};
    assert_int_equal(nb_force_set_evaluate(&r->set, nb_forces_all, r->s->precision, &r->from, &all, &out), 0);
    for (int k = 0; k < (with_snap ? 3 : 2); k++) {
        struct nb_column c = {.type = NB_F64, .width = 3, .data = to[k] = malloc(r->s->n * 24)};
        assert_int_equal(nb_state_fetch(r->s, rows[k], &c), 0);
    }
}

/* The first and the second derivative in time of the acceleration in quad, by differences. Their errors: for the first
 * (t w / eps)^2 of a term and 1e-34 / (t w / eps); for the second as much and 1e-34 / (t w / eps)^2. */
static void differentiate(const struct nb_bodies *b, double eps, uint64_t i, nb_quad *now, nb_quad *jerk, nb_quad *snap)
{
    const nb_quad t = NB_Q(1e-13), u = NB_Q(1e-10);
    nb_quad at[4][3];
    accelerate(b, eps, 0, i, now);
    accelerate(b, eps, -t, i, at[0]);
    accelerate(b, eps, t, i, at[1]);
    accelerate(b, eps, -u, i, at[2]);
    accelerate(b, eps, u, i, at[3]);
    for (int k = 0; k < 3; k++) {
        jerk[k] = (at[1][k] - at[0][k]) / (2 * t);
        snap[k] = (at[3][k] - 2 * now[k] + at[2][k]) / (u * u);
    }
}

static void derivatives_of(const struct row *row, uint64_t n, double eps, bool with_snap)
{
    const double bound = row->precision >= NB_DOUBLE ? 1e-12 : 3e-5;
    const double of_terms = row->precision >= NB_DOUBLE ? 1e-12 : 2e-6;
    struct rig r;
    double *have[3] = {NULL};
    open_rig(&r, row, n, eps);
    compute(&r, with_snap, have);
    for (uint64_t i = 0; i < n; i += 1 + n / 20) {
        double jerk, snap;
        nb_quad want[3][3], off[3][3] = {{0}};
        differentiate(&r.b, eps, i, want[0], want[1], want[2]);
        for (uint64_t k = 0; k < (with_snap ? 9 : 6); k++)
            off[k / 3][k % 3] = 2 * want[k / 3][k % 3] - have[k / 3][3 * i + k % 3];
        terms(&r.b, eps, i, &jerk, &snap);
        assert_true(size_of(off[0]) <= bound * size_of(want[0]));
        assert_true(size_of(off[1]) <= of_terms * jerk);
        assert_true(size_of(off[2]) <= of_terms * snap);
    }
    for (int k = 0; k < 3; k++)
        free(have[k]);
    close_rig(&r);
}

static void derivatives_in_time(void **state)
{
    static const uint64_t sizes[] = {2, 9, 129, 1000};
    static const double softening[] = {0.01, 0.3};
    const size_t count = ((struct row *)*state)->precision == NB_QUAD ? 3 : 4; /* in software */
    for (size_t z = 0; z < 2 * count; z++)
        derivatives_of(*state, sizes[z / 2], softening[z % 2], true);
    for (int set = 0; set < NB_SIMD_SETS; set++) /* of the CPU */
        if (nb_simd_here((enum nb_simd)set)) {
            assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
            derivatives_of(*state, 129, 0.01, false);
            derivatives_of(*state, 129, 0.3, true);
        }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* What rounding leaves between the sums of several devices for all bodies, each of whose sources are in two or three
 * pieces, and those for some; 0 on one. */
static double loose(const struct nb_state *s)
{
    return !nb_device_is_group(s->device) ? 0 : s->precision == NB_DOUBLE ? 1e-12 : 1e-4;
}

/* Bodies from 100 on, then every third by a list: the bits of their jerks and snaps as in the field of all; and added
 * to what is there, twice the whole. */
static void parts_and_sums(void **state)
{
    enum { N = 300, FROM = 100 };
    struct rig r;
    double *all[3], *list[3];
    uint32_t index[N];
    open_rig(&r, *state, N, 0.05);
    compute(&r, true, all);
    const size_t size = nb_precision_size(r.s->precision);
    const struct nb_field out = {.stride = r.s->stride, .jerk = r.d_jerk, .snap = r.d_snap};
    void *d_index = nb_device_alloc(r.s->device, sizeof index);
    for (uint32_t k = 0; k < N; k++)
        index[k] = 3 * k;
    assert_int_equal(nb_device_to(r.s->device, d_index, index, sizeof index), 0);
    for (int way = 0; way < 3; way++) {
        const uint64_t n = way == 0 ? N - FROM : way == 1 ? N / 3 : N, skip = way == 0 ? FROM : 0;
        struct nb_targets some = {.n = n, .stride = r.s->stride, .self = (int64_t)skip};
        struct nb_field into = out;
        some.x = (char *)r.s->x + skip * size;
        some.v = (char *)r.s->v + skip * size;
        some.a = (char *)r.d_b + skip * size;
        some.index = way == 1 ? d_index : NULL;
        assert_int_equal(nb_force_set_evaluate(&r.set, nb_forces_all, r.s->precision, &r.from, &some, &into), 0);
        into.add = true;
        if (way == 2)
            assert_int_equal(nb_force_set_evaluate(&r.set, nb_forces_all, r.s->precision, &r.from, &some, &into), 0);
        for (int k = 1; k < 3; k++) {
            struct nb_column c = {.type = NB_F64, .width = 3, .data = list[k] = malloc(N * 24)};
            double largest = 0;
            assert_int_equal(nb_state_fetch(r.s, k == 1 ? r.d_jerk : r.d_snap, &c), 0);
            for (uint64_t i = 0; i < 3 * N; i++)
                largest = fmax(largest, fabs(all[k][i]));
            for (uint64_t i = 0; i < 3 * n; i++) {
                const uint64_t body = way == 0 ? i / 3 + FROM : way == 1 ? i / 3 * 3 : i / 3;
                const double want = (way == 2 ? 2 : 1) * all[k][3 * body + i % 3];
                assert_true(fabs(list[k][i] - want) <= loose(r.s) * largest);
            }
            free(list[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        free(all[k]);
    nb_device_free(r.s->device, d_index);
    close_rig(&r);
}

/* Potential and acceleration in quad, both at once and, from pairs that are computed once, the acceleration alone. */
static nb_quad *values_of(const struct nb_state *s, const void *d_vector)
{
    const size_t size_bytes = 3 * s->stride * sizeof(nb_quad);
    nb_quad *values = malloc(size_bytes);
    assert_int_equal(nb_device_from(s->device, values, d_vector, size_bytes), 0);
    return values;
}

static void quad_sums_of(const struct row *row, uint64_t n)
{
    struct nb_bodies b;
    make_bodies(&b, n);
    struct nb_state *s = open_state(row, &b);
    void *d_phi = nb_state_vector(s), *d_once = nb_state_vector(s);
    struct nb_force_set set = open_force(s->device, row->precision, NB_WANT_ACC, "direct", NAN);
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 2, 0.01, s->a, d_phi), 0);
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 2, 0.01, d_once, NULL), 0);
    nb_quad *both = values_of(s, s->a), *once = values_of(s, d_once), *potential = values_of(s, d_phi);
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
            off[k] = both[k * s->stride + i] - 2 * a[k];
            off_once[k] = once[k * s->stride + i] - 2 * a[k];
        }
        assert_true(size_of(off) <= 1e-31 * size_of(a) && size_of(off_once) <= 1e-31 * size_of(a));
        assert_true(nb_quad_abs(potential[i] - phi) <= 1e-31 * nb_quad_abs(phi));
    }
    nb_device_free(s->device, d_phi);
    nb_device_free(s->device, d_once);
    free(both);
    free(once);
    free(potential);
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
            assert_ptr_equal(f, nb_force_choose("direct", &named, (enum nb_precision)p, NB_WANT_SNAP, 2));
            struct row *row = &rows[row_count++];
            *row = (struct row){f, (enum nb_precision)p};
            add(here ? derivatives_in_time : nothing, row, here ? f->device : "no device here # SKIP");
            if (here)
                add(parts_and_sums, row, "parts and sums");
            if (p == NB_QUAD)
                add(quad_sums, row, "sums");
        }
    }
    return _cmocka_run_group_tests("jerk", tests, count, NULL, NULL);
}
