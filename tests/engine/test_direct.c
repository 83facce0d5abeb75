/* Direct summation in difficult cases: clusters far apart, one distant body, masses over twelve decades, a plane,
 * bodies at one position, softening from 0 to 1. Every method of every available device, for small systems and, on a
 * GPU, for systems large enough for the tensor cores, compared with sums in extended precision. The largest errors
 * are also compared with those of a plain sum in single precision. */
#include "common/devices.h"
#include "common/uniform.h"
#include "force/force.h"
#include "simd/simd.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL  2500
#define LARGE  200003
#define SAMPLE 400

struct shape {
    const char *name;
    double softening;
    void (*change)(uint64_t n, double *m, double *x); /* of a Plummer sphere with scale length 1 and mass 1 */
};

struct row {
    const struct nb_force *force;
    enum nb_precision precision;
    uint64_t n;
    const char *set; /* of instructions, on the CPU */
};

/* ---- shapes ---- */

static void as_it_is(uint64_t n, double *m, double *x)
{
    (void)n, (void)m, (void)x;
}

static void two_clusters(uint64_t n, double *m, double *x)
{
    (void)m;
    for (uint64_t i = 0; i < n / 2; i++)
        x[3 * i] += 1e6;
}

static void one_far_out(uint64_t n, double *m, double *x)
{
    (void)m;
    x[3 * (n / 3)] = 1e8;
}

static void masses_over_12_decades(uint64_t n, double *m, double *x)
{
    (void)x;
    uint64_t seed = 7;
    for (uint64_t i = 0; i < n; i++)
        m[i] = pow(10, -12 * uniform01(&seed));
}

static void heavy_centre(uint64_t n, double *m, double *x)
{
    m[0] = 100;
    memset(x, 0, 3 * sizeof *x);
    (void)n;
}

static void plane(uint64_t n, double *m, double *x)
{
    (void)m;
    for (uint64_t i = 0; i < n; i++)
        x[3 * i + 2] = 0.25;
}

/* Half of the bodies are in tight clusters. Many groups of bodies that follow each other along the curve have some at
 * the side of a cluster and others far away. The largest possible forces on them are 10^8 times the others. */
static void tight_clusters(uint64_t n, double *m, double *x)
{
    (void)m;
    for (uint64_t i = 0; i < n / 2; i++)
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + k] = x[3 * (n / 2 + i % (n / 500 + 1)) + k] + 1e-5 * x[3 * i + k];
}

/* All distances are below those for which tensor cores are used. */
static void tiny(uint64_t n, double *m, double *x)
{
    (void)m;
    for (uint64_t i = 0; i < 3 * n; i++)
        x[i] *= 1e-11;
}

static void pairs_at_one_place(uint64_t n, double *m, double *x)
{
    (void)m;
    for (uint64_t i = 0; i + 1 < n; i += 2)
        memcpy(x + 3 * i, x + 3 * (i + 1), 3 * sizeof *x);
}

static const struct shape shapes[] = {
    {"softening 0", 0, as_it_is},
    {"softening 1e-6", 1e-6, as_it_is},
    {"softening 0.01", 0.01, as_it_is},
    {"softening 1", 1, as_it_is},
    {"two clusters 10^6 apart", 0.01, two_clusters},
    {"a body at 10^8", 0.01, one_far_out},
    {"masses over 12 decades", 0.01, masses_over_12_decades},
    {"a body of 100 times all mass", 0.01, heavy_centre},
    {"all in a plane", 0.01, plane},
    {"tight clusters", 1e-6, tight_clusters},
    {"all within 10^-9", 1e-12, tiny},
    {"pairs at one place", 0.01, pairs_at_one_place},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* Values are rounded to single, so that every precision starts from the same numbers. */
static void make(struct nb_bodies *b, const struct shape *shape, uint64_t n)
{
    uint64_t seed = n;
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
    for (uint64_t i = 0; i < n; i++) {
        double r = 1 / sqrt(pow(0.001 + 0.998 * uniform01(&seed), -2. / 3) - 1);
        double z = 2 * uniform01(&seed) - 1, angle = 2 * M_PI * uniform01(&seed), s = sqrt(1 - z * z);
        double position[3] = {r * s * cos(angle), r * s * sin(angle), r * z};
        memcpy(x + 3 * i, position, sizeof position);
        m[i] = 1 / (double)n;
    }
    shape->change(n, m, x);
    for (uint64_t i = 0; i < n; i++) {
        m[i] = (float)m[i];
        for (int k = 0; k < 3; k++)
            x[3 * i + (uint64_t)k] = (float)x[3 * i + (uint64_t)k];
    }
}

/* ---- what is right, and what plain single precision gives ---- */

static void exact(const struct nb_bodies *b, uint64_t i, double eps, double *a)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    long double sum[3] = {0};
    for (uint64_t j = 0; j < b->n; j++) {
        double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps;
        for (int k = 0; k < 3 && j != i; k++)
            sum[k] += (long double)(m[j] * d[k] / (r2 * sqrt(r2)));
    }
    for (int k = 0; k < 3; k++)
        a[k] = (double)sum[k];
}

static void plain_single(const struct nb_bodies *b, uint64_t i, float eps, double *a)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    float sum[3] = {0};
    for (uint64_t j = 0; j < b->n; j++) {
        float d[3], r2 = eps * eps;
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (float)x[3 * j + k] - (float)x[3 * i + k];
            r2 += d[k] * d[k];
        }
        float rinv = 1 / sqrtf(r2), w = (float)m[j] * rinv * rinv * rinv;
        for (int k = 0; k < 3 && j != i; k++)
            sum[k] += w * d[k];
    }
    for (int k = 0; k < 3; k++)
        a[k] = sum[k];
}

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double relative_error(const double *have, const double *want)
{
    const double off[3] = {have[0] - want[0], have[1] - want[1], have[2] - want[2]};
    return length(off) == 0 ? 0 : length(off) / length(want);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- a case ---- */

static struct nb_state *make_state(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b,
                                   double factor)
{
    double *x = b->columns[1].data;
    for (uint64_t i = 0; i < 3 * b->n; i++)
        x[i] *= factor;
    struct nb_state *s = nb_state_create(device, precision, b);
    assert_non_null(s);
    for (uint64_t i = 0; i < 3 * b->n; i++)
        x[i] /= factor;
    return s;
}

/* Computes the accelerations twice, with equal bits: with a new force, and with one that has computed the accelerations
 * of other positions before. A force keeps no state from an evaluation to the next. */
static double *evaluate(const struct row *row, const struct nb_bodies *b, double eps)
{
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = make_state(device, row->precision, b, 1), *other = make_state(device, row->precision, b, -0.5);
    struct nb_column a[2] = {{.type = NB_F64, .width = 3}, {.type = NB_F64, .width = 3}};
    assert_int_equal(nb_simd_choose(row->set), 0);
    for (int k = 0; k < 2; k++) {
        struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, "direct", NAN);
        a[k].data = malloc(nb_column_bytes(&a[k], b->n));
        if (k == 1)
            assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, other, 1, eps, other->a, NULL), 0);
        assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, eps, s->a, NULL), 0);
        assert_int_equal(nb_state_fetch(s, s->a, &a[k]), 0);
        nb_force_set_close(&set);
    }
    assert_memory_equal(a[0].data, a[1].data, nb_column_bytes(&a[0], b->n));
    nb_state_destroy(s);
    nb_state_destroy(other);
    free(a[1].data);
    return a[0].data;
}

/* The field of several devices is the sum of those that each computes from its share of the pairs. Errors are relative
 * to the acceleration or, if terms may cancel (`cancels`), to the sum of the absolute values of the terms. */
static void check_shares(const struct row *row, const struct nb_bodies *b, double eps, const double *want, bool cancels)
{
    static const double bound[] = {0, 0.1, 0.35, 1};
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = nb_state_create(device, row->precision, b);
    const struct nb_sources sources = {.n = b->n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = eps};
    struct nb_column share = {.type = NB_F64, .width = 3, .data = malloc(3 * b->n * sizeof(double))};
    double *sum = calloc(3 * b->n, sizeof *sum), *size = calloc(b->n, sizeof *size), seconds;
    void *work = row->force->open(device, NULL, NULL);
    for (size_t k = 0; k + 1 < sizeof bound / sizeof *bound; k++) {
        const struct nb_field out = {.stride = s->stride, .a = nb_state_vector(s)};
        assert_non_null(out.a);
        assert_int_equal(row->force->shares->serves(work, row->precision, b->n, &out), NB_SHARES_OF_PAIRS);
        assert_int_equal(row->force->shares->field(device, work, row->precision, &sources, &bound[k], &out, &seconds),
                         0);
        assert_int_equal(nb_state_fetch(s, out.a, &share), 0);
        for (uint64_t i = 0; i < b->n; i++) {
            const double *term = (const double *)share.data + 3 * i;
            size[i] += length(term);
            for (int axis = 0; axis < 3; axis++)
                sum[3 * i + (uint64_t)axis] += term[axis];
        }
        nb_device_free(device, out.a);
    }
    for (uint64_t i = 0; i < b->n; i++) {
        const double off[3] = {sum[3 * i] - want[3 * i], sum[3 * i + 1] - want[3 * i + 1],
                               sum[3 * i + 2] - want[3 * i + 2]};
        const double scale = cancels ? size[i] : length(want + 3 * i);
        if (!(length(off) <= 1e-5 * scale))
            fail_msg("body %llu: off by %g of %g", (unsigned long long)i, length(off), scale);
    }
    row->force->close(device, work);
    nb_state_destroy(s);
    free(share.data);
    free(sum);
    free(size);
}

static void shares_add_up(void **state)
{
    for (size_t k = 0; k < SHAPES; k++) {
        struct nb_bodies b;
        make(&b, &shapes[k], LARGE);
        double *a = evaluate(*state, &b, shapes[k].softening);
        check_shares(*state, &b, shapes[k].softening, a, k != 2 && shapes[k].change != tiny);
        free(a);
        nb_bodies_free(&b);
    }
}

/* One position that is not a number makes all accelerations NaN, as in a plain sum. */
static void nan_reaches_all(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, "direct", NAN);
    struct nb_bodies b;
    make(&b, &shapes[2], LARGE);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = malloc(3 * b.n * sizeof(double))};
    for (int k = 0; k < 2; k++) { /* the force has computed finite accelerations before */
        if (k == 1)
            ((double *)b.columns[1].data)[3 * 77777] = NAN;
        struct nb_state *s = nb_state_create(device, row->precision, &b);
        assert_non_null(s);
        assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, 0.01, s->a, NULL), 0);
        assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
        nb_state_destroy(s);
    }
    for (uint64_t i = 0; i < b.n; i++)
        if (isfinite(((const double *)a.data)[3 * i]))
            fail_msg("body %llu has a finite acceleration", (unsigned long long)i);
    nb_force_set_close(&set);
    free(a.data);
    nb_bodies_free(&b);
}

/* Median below 1e-6 and 99 % below 5e-6 in single and mixed, and the 99 % no worse than a plain sum in single's. */
static void check(const struct row *row, const struct shape *shape)
{
    static double ours[SAMPLE], plain[SAMPLE];
    struct nb_bodies b;
    make(&b, shape, row->n);
    double *a = evaluate(row, &b, shape->softening);
    const uint64_t step = row->n / SAMPLE;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t k = 0; k < SAMPLE; k++) {
        double right[3], rough[3];
        exact(&b, k * step, shape->softening, right);
        plain_single(&b, k * step, (float)shape->softening, rough);
        ours[k] = relative_error(a + 3 * k * step, right);
        plain[k] = relative_error(rough, right);
    }
    qsort(ours, SAMPLE, sizeof *ours, ascending);
    qsort(plain, SAMPLE, sizeof *plain, ascending);
    const double median = ours[SAMPLE / 2], p99 = ours[SAMPLE * 99 / 100], plain_p99 = plain[SAMPLE * 99 / 100];
    print_message("# %s %s, n %llu, %s: median %.2e, 99 %% %.2e (plain single %.2e)\n", row->force->device,
                  nb_precision_name(row->precision), (unsigned long long)row->n, shape->name, median, p99, plain_p99);
    assert_true(isfinite(ours[SAMPLE - 1]));
    if (row->precision >= NB_DOUBLE) {
        assert_true(median < 1e-14);
    } else {
        assert_true(median < 1e-6 && p99 < 5e-6);
        assert_true(p99 < fmax(plain_p99, 1e-6));
    }
    free(a);
    nb_bodies_free(&b);
}

static void every_shape(void **state)
{
    for (size_t k = 0; k < SHAPES; k++)
        check(*state, &shapes[k]);
}

static void nothing(void **state)
{
    (void)state;
}

/* ---- the list ---- */

#define ROWS_MAX 32

static struct row rows[ROWS_MAX];
static struct CMUnitTest tests[ROWS_MAX];
static size_t count;

static void add_test(const char *name, CMUnitTestFunction run, const struct nb_force *force,
                     enum nb_precision precision)
{
    char *full;
    if (asprintf(&full, "%s, %s", name, nb_precision_name(precision)) < 0)
        abort();
    rows[count] = (struct row){force, precision, LARGE, NULL};
    tests[count] = (struct CMUnitTest){full, run, NULL, NULL, &rows[count]};
    count++;
}

static void add(const struct nb_force *force, enum nb_precision precision, uint64_t n, const char *set)
{
    char *name;
    if (asprintf(&name, "direct %s %s %s, %llu bodies", force->device, set ? set : "", nb_precision_name(precision),
                 (unsigned long long)n) < 0)
        abort();
    rows[count] = (struct row){force, precision, n, set};
    tests[count] = (struct CMUnitTest){name, every_shape, NULL, NULL, &rows[count]};
    count++;
}

static void add_rows(const struct nb_force *force)
{
    char *name;
    if (strcmp(force->method, "direct") != 0)
        return;
    if (!device_of(force->device)) {
        if (asprintf(&name, "direct on %s # SKIP %s", force->device, nb_error()) < 0)
            abort();
        tests[count++] = (struct CMUnitTest){name, nothing, NULL, NULL, NULL};
        return;
    }
    for (int p = 0; p <= NB_DOUBLE; p++)
        if (force->tolerance[p] > 0 && strcmp(force->device, "cuda") == 0) {
            add(force, (enum nb_precision)p, SMALL, NULL);
            add(force, (enum nb_precision)p, LARGE, NULL);
            add_test("shares of the pairs add up", shares_add_up, force, (enum nb_precision)p);
            add_test("a position that is not a number", nan_reaches_all, force, (enum nb_precision)p);
        } else if (force->tolerance[p] > 0 && strcmp(force->device, "cpu") != 0)
            add(force, (enum nb_precision)p, SMALL, NULL);
        else if (force->tolerance[p] > 0)
            for (int set = 0; set < NB_SIMD_SETS; set++)
                if (nb_simd_here((enum nb_simd)set))
                    add(force, (enum nb_precision)p, SMALL, nb_simd_name((enum nb_simd)set));
}

int main(void)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        add_rows(*f);
    return _cmocka_run_group_tests("direct", tests, count, NULL, NULL);
}
