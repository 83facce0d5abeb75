/* force_rows.h - tests of every force on every device in every precision: bodies, the reference, and a run of cases
 * over all methods. A missing device gives one line. */
#pragma once

#include "common/devices.h"
#include "common/made_bodies.h"

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

/* Through memory: gcc 12 leaves out a conversion to float and back of two neighbours. */
static inline double rounded_to_float(double value)
{
    volatile float rounded = (float)value;
    return rounded;
}

/* A Plummer-like sphere, masses over a decade. All values are rounded to float, so that every precision starts from
 * the same numbers. */
static inline void make_sphere(struct nb_bodies *b, uint64_t n)
{
    uint64_t seed = n;
    make_bodies(b, n, 0);
    double *m = b->columns[0].data, *x = b->columns[1].data;
    for (uint64_t i = 0; i < n; i++) {
        double u = 0.001 + 0.998 * uniform01(&seed), r = 1 / sqrt(pow(u, -2. / 3) - 1);
        double z = 2 * uniform01(&seed) - 1, angle = 2 * M_PI * uniform01(&seed), s = sqrt(1 - z * z);
        m[i] = rounded_to_float((0.1 + uniform01(&seed)) / (double)n);
        x[3 * i] = rounded_to_float(r * s * cos(angle));
        x[3 * i + 1] = rounded_to_float(r * s * sin(angle));
        x[3 * i + 2] = rounded_to_float(r * z);
    }
}

/* a[3], phi of target i by the plainest sum there is. */
static inline void reference(const struct nb_bodies *b, uint64_t i, double eps, double *a, double *phi)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    a[0] = a[1] = a[2] = *phi = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps);
        if (j == i)
            continue;
        *phi -= m[j] / r;
        for (int k = 0; k < 3; k++)
            a[k] += m[j] * d[k] / (r * r * r);
    }
}

static inline double norm(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Does it sum all pairs? Then its errors are those of rounding; otherwise its tolerance says how large they are. */
static inline bool exact(const struct row *row)
{
    return row->force->flags & NB_EXACT;
}

/* Is it a method that no default takes? */
static inline bool is_textbook(const struct nb_force *force)
{
    return strcmp(force->method, "direct") != 0 && strcmp(force->method, "tree") != 0;
}

/* The number of bodies of a test: n, `few` for textbook methods on the CPU and for OpenCL, whose loops are slow there
 * and have no branch for larger n, or `fewest` in quad, which is computed in software. */
static inline uint64_t bodies_for(const struct row *row, uint64_t n, uint64_t few, uint64_t fewest)
{
    const struct nb_device *device = device_of(row->force->device);
    if (row->precision == NB_QUAD)
        return fewest;
    return (is_textbook(row->force) && nb_device_is_host(device)) || starts_slowly(device) ? few : n;
}

/* Newton's third law: |sum m a| against sum m |a|, to rounding (tree.h, "momentum"); by a one-sided force to its
 * tolerance. */
static inline void check_momentum(const struct row *row, const struct nb_bodies *b, const double *a)
{
    const double *m = b->columns[0].data, rounding = row->precision >= NB_DOUBLE ? 1e-14 : 1e-6;
    const bool one_sided = row->force->flags & NB_ONE_SIDED;
    double total[3] = {0}, scale = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++)
            total[k] += m[i] * a[3 * i + k];
        scale += m[i] * norm(a + 3 * i);
    }
    assert_true(norm(total) <= (one_sided ? row->force->tolerance[row->precision] : rounding) * scale);
}

/* Is there memory for so many bodies, beside whatever else runs? Only rows whose memory grows as n^2 ask for much. */
static inline bool has_memory(const struct row *row, uint64_t n)
{
    struct nb_device *device = device_of(row->force->device);
    const double bytes = row->force->work_bytes ? row->force->work_bytes(row->precision, n) : 0;
    double free_bytes, total_bytes;
    if (nb_device_memory(device, &free_bytes, &total_bytes))
        return false;
    return bytes < (nb_device_is_host(device) ? fmin(5e8, free_bytes / 4) : free_bytes / 2);
}

/* ---- cases for all rows ---- */

struct row_case {
    const char *name;
    CMUnitTestFunction function; /* its state is the row */
};

#define ROWS_MAX  64
#define CASES_MAX 8

static struct CMUnitTest row_tests[ROWS_MAX * CASES_MAX + 3];
static size_t row_test_count;

static inline void add_test(CMUnitTestFunction function, struct row *row, const char *format, ...)
{
    char *name;
    va_list args;
    va_start(args, format);
    if (vasprintf(&name, format, args) < 0)
        abort();
    va_end(args);
    row_tests[row_test_count++] = (struct CMUnitTest){name, function, NULL, NULL, row};
}

/* All cases for each precision that the force offers; TAP's directive in a name where its device is not here. */
static inline void add_rows(const struct nb_force *force, const struct row_case *cases, size_t count)
{
    static struct row rows[ROWS_MAX];
    static size_t row_count;
    if (force->flags & (NB_EXTERNAL | NB_CONTACT))
        return; /* test_external.c, test_contact.c */
    if (!device_of(force->device)) {
        add_test(run_nothing, NULL, "%s on %s # SKIP %s", force->method, force->device, nb_error());
        return;
    }
    for (int p = 0; p < NB_PRECISIONS; p++) {
        if (force->tolerance[p] == 0)
            continue;
        rows[row_count] = (struct row){force, (enum nb_precision)p};
        for (size_t c = 0; c < count; c++)
            add_test(cases[c].function, &rows[row_count], "%s %s %s: %s", force->method, force->device,
                     nb_precision_name((enum nb_precision)p), cases[c].name);
        row_count++;
    }
}

/* Runs the cases for all rows, and those that were added before. */
static inline int run_on_rows(const char *group, const struct row_case *cases, size_t count)
{
    bool cuda = false;
    assert(count <= CASES_MAX);
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        add_rows(*f, cases, count);
        cuda = cuda || strcmp((*f)->device, "cuda") == 0;
    }
    if (!cuda)
        add_test(run_nothing, NULL, "cuda # SKIP built without CUDA");
    return _cmocka_run_group_tests(group, row_tests, row_test_count, NULL, NULL); /* the macro wants a fixed size */
}
