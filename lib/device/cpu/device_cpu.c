/* device_cpu.c - the CPU with all its threads as a device, and the table of its functions (device_kind.h). */
#include "device/cpu/device_vectors.h"
#include "device/device.h"
#include "device/device_kind.h"
#define OWN_STEP_CALL static inline
#include "base/error.h"
#include "base/memory.h"
#include "base/portable.h"
#include "device/own_hermite.h"
#include "device/own_steps.h"
#include "simd/simd.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct nb_device *cpu_open(int index)
{
    const int threads = omp_get_max_threads();
    struct nb_device *d = index == 0 ? calloc(1, sizeof *d) : NULL;
    if (d) {
        d->usual = NB_DOUBLE;
        snprintf(d->description, sizeof d->description, "CPU, %d thread%s", threads, threads == 1 ? "" : "s");
        /* Processors with the same name d->model give bitwise identical results. */
        nb_processor_name(d->model, sizeof d->model);
        nb_library_name(d->driver, sizeof d->driver);
    } else
        nb_fail(index == 0 ? "no memory" : "device cpu:%d: there is one CPU, with all its threads", index);
    return d;
}

static void cpu_close(struct nb_device *d)
{
    free(d);
}

#define CLEARED ((size_t)1 << 21) /* number of bytes that a thread clears at a time */

static void *cpu_alloc(struct nb_device *d, size_t size_bytes)
{
    (void)d;
    size_t rounded = (size_bytes + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
    void *p = rounded < size_bytes ? NULL : aligned_alloc(NB_ALIGN, rounded ? rounded : NB_ALIGN);
    if (!p) {
        nb_fail("no memory for %zu bytes", size_bytes);
        return NULL;
    }
    nb_memory_large_pages(p, rounded);
#pragma omp parallel for schedule(static) if (rounded > 16 * CLEARED)
    for (size_t begin = 0; begin < rounded; begin += CLEARED)
        memset((char *)p + begin, 0, rounded - begin < CLEARED ? rounded - begin : CLEARED);
    return p;
}

static void cpu_free(struct nb_device *d, void *p)
{
    (void)d;
    free(p);
}

static int cpu_copy(struct nb_device *d, void *to, const void *from, size_t size_bytes)
{
    (void)d;
    memcpy(to, from, size_bytes);
    return 0;
}

/* ---- vectors, for each type of element ---- */

#define SET(name)    nb_device_vectors_##name
#define SET_OF(name) &SET(name)
extern const struct nb_device_vectors_set NB_SIMD_EACH(SET);
static const struct nb_device_vectors_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

static const struct nb_device_vectors *vectors(enum nb_precision precision)
{
    return sets[nb_simd_in_use()]->of[precision];
}

static int cpu_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *x, void *y)
{
    (void)d;
    vectors(precision)->axpy(count, a, x, y);
    return 0;
}

static int cpu_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                          double drift, const void *a, void *v, void *x)
{
    if ((k1 != 0 && cpu_axpy(d, precision, count, k1, a, v)) || (k2 != 0 && cpu_axpy(d, precision, count, k2, a, v)))
        return -1;
    return cpu_axpy(d, precision, count, drift, v, x);
}

static int cpu_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                       const void *const *in, int rows, const struct nb_combination *row, double *norm)
{
    const struct nb_device_combination w = {inputs, rows, in, row};
    (void)d;
    for (int r = 0; norm && r < rows; r++)
        norm[r] = 0;
    vectors(precision)->combine(&w, count, norm);
    return 0;
}

static int cpu_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                          const void *const *derivative, double least, double *time)
{
    const struct nb_device_derivatives w = {stride, derivative, least};
    (void)d;
    *time = 1 / sqrt(vectors(precision)->time_rate2(&w, n));
    return 0;
}

static int cpu_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least)
{
    (void)d;
    *least = vectors(precision)->kick_own(kick);
    return 0;
}

/* ---- individual Hermite steps, always in double precision ---- */

/* Returns position, velocity, acceleration and jerk of the body whose coordinates are in element i of the rows. */
static inline struct nb_own_body own_body(const struct nb_own_hermite *w, uint64_t i)
{
    const double *x = w->d_x, *v = w->d_v, *a = w->d_a, *j = w->d_j;
    struct nb_own_body b;
    for (uint64_t k = 0; k < 3; k++, i += w->stride) {
        b.x[k] = x[i];
        b.v[k] = v[i];
        b.a[k] = a[i];
        b.j[k] = j[i];
    }
    return b;
}

static inline void own_triple(void *rows, uint64_t stride, uint64_t i, const double value[3])
{
    double *row = rows;
    for (uint64_t k = 0; k < 3; k++)
        row[i + k * stride] = value[k];
}

/* Ends the step of body i. Reads the acceleration and jerk of the body at the end of the step from d_field_a and
 * d_field_j (element f of each row). Returns the body's time scale. */
static inline double correct_one(const struct nb_own_hermite *w, uint64_t i, uint64_t f)
{
    const double *field_a = w->d_field_a, *field_j = w->d_field_j;
    struct nb_own_body b = own_body(w, i);
    double a[3], j[3];
    for (uint64_t k = 0; k < 3; k++) {
        a[k] = field_a[f + k * w->field_stride];
        j[k] = field_j[f + k * w->field_stride];
    }
    const double h = w->base * (w->now - ((const double *)w->d_begun)[i]);
    const double scale = nb_own_correct(&b, h, a, j, w->least);
    own_triple(w->d_x, w->stride, i, b.x);
    own_triple(w->d_v, w->stride, i, b.v);
    own_triple(w->d_a, w->stride, i, a);
    own_triple(w->d_j, w->stride, i, j);
    return scale;
}

/* Returns the time scale of the body at element i for its first step. d_field_a must contain the snaps (second
 * derivatives of the accelerations). */
static inline double start_one(const struct nb_own_hermite *w, uint64_t i)
{
    const double *snap = w->d_field_a;
    const struct nb_own_body b = own_body(w, i);
    const double s[] = {snap[i], snap[i + w->stride], snap[i + 2 * w->stride]};
    return nb_own_start(w->least, &b, s);
}

/* Predicts one coordinate (x, y or z) of the positions and velocities of bodies [i0, i1) at time w->now. row: offset of
 * the row of this coordinate in each vector. */
static void predict_row(const struct nb_own_hermite *w, uint64_t row, uint64_t i0, uint64_t i1)
{
    const double *restrict begun = w->d_begun, *restrict x = (double *)w->d_x + row,
                           *restrict v = (double *)w->d_v + row;
    const double *restrict a = (double *)w->d_a + row, *restrict j = (double *)w->d_j + row;
    double *restrict px = (double *)w->d_px + row, *restrict pv = (double *)w->d_pv + row;
    const double base = w->base, now = w->now;
    for (uint64_t i = i0; i < i1; i++) {
        const double h = base * (now - begun[i]);
        px[i] = nb_own_place(h, x[i], v[i], a[i], j[i]);
        pv[i] = nb_own_speed(h, v[i], a[i], j[i]);
    }
}

static void predict_own(const struct nb_own_hermite *w)
{
#pragma omp parallel for schedule(static) if (w->n > NB_DEVICE_SERIAL)
    for (uint64_t i0 = 0; i0 < w->n; i0 += NB_DEVICE_BLOCK)
        for (uint64_t k = 0; k < 3; k++)
            predict_row(w, k * w->stride, i0, w->n - i0 < NB_DEVICE_BLOCK ? w->n : i0 + NB_DEVICE_BLOCK);
}

/* Returns the value that the task writes to d_step for the body at element i: the size of its next step or its time
 * scale, as nb_own_next decides. First ends the body's step if the task is NB_OWN_CORRECT. The body's element in the
 * rows of d_field_a and d_field_j is f. */
static inline double own_step(const struct nb_own_hermite *w, uint64_t i, uint64_t f)
{
    const double before = ((const double *)w->d_step)[i];
    const double scale = w->task == NB_OWN_START  ? start_one(w, i)
                         : w->task == NB_OWN_OPEN ? before
                                                  : correct_one(w, i, f);
    return nb_own_next(w, before, scale);
}

static void put_own(const struct nb_own_hermite *w)
{
    double *const to[] = {w->d_x, w->d_v, w->d_a, w->d_j};
    for (uint64_t f = 0; f < w->count; f++) {
        const double *from = (const double *)w->d_field_a + f;
        const uint64_t i = w->d_index[f] - w->first;
        if (i >= w->n)
            continue;
        for (uint64_t k = 0; k < 12; k++)
            to[k / 3][i + k % 3 * w->stride] = from[k * w->field_stride];
        ((double *)w->d_begun)[i] = from[12 * w->field_stride];
    }
}

static void hermite_own(const struct nb_own_hermite *w, double range[2])
{
    const uint64_t count = w->d_index ? w->count : w->n;
    double *begun = w->d_begun, *steps = w->d_step;
    double least = INFINITY, most = 0;
    if (w->task == NB_OWN_PREDICT)
        predict_own(w);
    else if (w->task == NB_OWN_PUT)
        put_own(w);
    else {
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most) if (count > NB_DEVICE_SERIAL)
        for (uint64_t f = 0; f < count; f++) {
            const uint64_t i = w->d_index ? w->d_index[f] - w->first : f;
            if (i >= w->n)
                continue;
            const double step = own_step(w, i, f);
            steps[i] = step;
            begun[i] = w->ends ? 0 : w->now;
            least = step < least ? step : least;
            most = step > most ? step : most;
        }
    }
    range[0] = least;
    range[1] = most;
}

static int cpu_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                           double range[2])
{
    (void)d, (void)precision; /* Hermite steps are always in double precision */
    hermite_own(own, range);
    return 0;
}

static int cpu_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                          const void *step, double most, uint32_t *index, uint64_t *count)
{
    (void)d;
    *count = vectors(precision)->select_due(first, n, step, most, index);
    return 0;
}

static int cpu_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *vector, union nb_range *range)
{
    (void)d;
    vectors(precision)->range(n, stride, count, vector, range);
    return 0;
}

static int cpu_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *column, enum nb_type type, void *rows)
{
    (void)d;
    vectors(precision)->store(n, stride, (uint64_t)width, column, type, rows);
    return 0;
}

static int cpu_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *rows, enum nb_type type, void *column)
{
    (void)d;
    vectors(precision)->fetch(n, stride, (uint64_t)width, rows, type, column);
    return 0;
}

/* ---- other functions ---- */

static int cpu_sync(struct nb_device *d)
{
    (void)d;
    return 0;
}

static int cpu_mark(struct nb_device *d, void **mark)
{
    (void)d;
    if (!*mark && !(*mark = malloc(sizeof(struct timespec))))
        return nb_fail("no memory");
    return clock_gettime(CLOCK_MONOTONIC, *mark) ? nb_fail("the monotonic clock cannot be read") : 0;
}

static double cpu_marked_s(struct nb_device *d, void *from, void *to)
{
    (void)d;
    const struct timespec *a = from, *b = to;
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

/* free_bytes: memory that the operating system can provide without swapping. total_bytes: physical memory. */
static int cpu_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d;
    const double page = (double)sysconf(_SC_PAGESIZE), pages = (double)sysconf(_SC_PHYS_PAGES);
    if (!(page > 0 && pages > 0))
        return nb_fail("cannot read the size of the memory from the system");
    *total_bytes = page * pages;
    *free_bytes = nb_memory_free(false);
    if (isinf(*free_bytes))
        *free_bytes = *total_bytes;
    return 0;
}

static int cpu_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    (void)d;
    *processors = omp_get_max_threads();
    *clock_hz = 0;
    return 0;
}

static int cpu_peer_copy(struct nb_device *d, void *to, struct nb_device *other, const void *from, size_t size_bytes)
{
    (void)d, (void)other;
    memcpy(to, from, size_bytes);
    return 0;
}

extern const struct nb_device_kind nb_device_cpu;
const struct nb_device_kind nb_device_cpu = {
    .name = "cpu",
    .quad = NB_QUAD_BITS == 113,
    .host = true,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .to_device = cpu_copy,
    .from_device = cpu_copy,
    .memory = cpu_memory,
    .store = cpu_store,
    .fetch = cpu_fetch,
    .axpy = cpu_axpy,
    .kick_drift = cpu_kick_drift,
    .combine = cpu_combine,
    .step_scale = cpu_step_scale,
    .range = cpu_range,
    .kick_own = cpu_kick_own,
    .hermite_own = cpu_hermite_own,
    .select_due = cpu_select_due,
    .sync = cpu_sync,
    .mark = cpu_mark,
    .marked_s = cpu_marked_s,
    .mark_free = cpu_free,
    .speed = cpu_speed,
    .peer_copy = cpu_peer_copy,
};
