#include "device/device.h"
#include "device/device_kind.h"
#include "device/range.h"
#define TIME_SCALE_CALL static inline
#include "base/error.h"
#include "base/memory.h"
#include "base/portable.h"
#include "device/time_scale.h"

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
        nb_processor_name(d->model, sizeof d->model); /* two of one name compute the same bits */
        nb_library_name(d->driver, sizeof d->driver);
    } else
        nb_fail(index == 0 ? "no memory" : "device cpu:%d: there is one CPU, with all its threads", index);
    return d;
}

static void cpu_close(struct nb_device *d)
{
    free(d);
}

static void *cpu_alloc(struct nb_device *d, size_t size_bytes)
{
    (void)d;
    size_t rounded = (size_bytes + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
    void *p = rounded < size_bytes ? NULL : aligned_alloc(NB_ALIGN, rounded ? rounded : NB_ALIGN);
    if (!p) {
        nb_fail("no memory for %zu bytes", size_bytes);
        return NULL;
    }
    return memset(p, 0, rounded);
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

/* ---- sums of vectors in one pass, for each type of element ---- */

/* Elements that are summed at once: the sums of all rows stay in the first-level cache. */
#define BLOCK 128
/* Below this the start of the threads costs more than they save. */
#define PARALLEL_BYTES 1000000

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)

struct combination {
    int inputs, rows;
    const void *const *in;
    const struct nb_combination *row;
};

struct derivatives {
    uint64_t stride;
    const void *const *derivative;
    double least;
};

#define REAL   float
#define SCALAR double
#define NAME   single
#include "device/cpu/device_cpu_combine.h"

#define REAL   double
#define SCALAR double
#define NAME   double
#include "device/cpu/device_cpu_combine.h"

#define REAL   nb_quad
#define SCALAR nb_quad
#define NAME   quad
#include "device/cpu/device_cpu_combine.h"

static int cpu_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                       const void *const *in, int rows, const struct nb_combination *row, double *norm)
{
    const struct combination w = {inputs, rows, in, row};
    (void)d;
    for (int r = 0; norm && r < rows; r++)
        norm[r] = 0;
    if (precision == NB_SINGLE)
        combine_single(&w, count, norm);
    else if (precision == NB_QUAD)
        combine_quad(&w, count, norm);
    else
        combine_double(&w, count, norm);
    return 0;
}

static int cpu_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                          const void *const *derivative, double least, double *time)
{
    (void)d;
    const struct derivatives w = {stride, derivative, least};
    *time = 1 / sqrt(precision == NB_SINGLE ? time_rate2_single(&w, n)
                     : precision == NB_QUAD ? time_rate2_quad(&w, n)
                                            : time_rate2_double(&w, n));
    return 0;
}

static int cpu_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *vector, union nb_range *range)
{
    (void)d;
    for (int row = 0; row < 3 * count; row++) {
        const uint64_t at = (uint64_t)(row % 3) * stride;
        if (precision == NB_SINGLE)
            row_range_single((const float *)vector[row / 3] + at, n, &range->wide[2 * row]);
        else if (precision == NB_QUAD)
            row_range_quad((const nb_quad *)vector[row / 3] + at, n, &range->quad[2 * row]);
        else
            row_range_double((const double *)vector[row / 3] + at, n, &range->wide[2 * row]);
    }
    return 0;
}

static int cpu_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *x, void *y)
{
    (void)d;
    if (precision == NB_SINGLE) {
        const float *restrict xs = x;
        float *restrict ys = y;
        const float as = (float)a;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
        for (uint64_t i = 0; i < count; i++)
            ys[i] += as * xs[i];
    } else {
        const double *restrict xd = x;
        double *restrict yd = y;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
        for (uint64_t i = 0; i < count; i++)
            yd[i] += a * xd[i];
    }
    return 0;
}

static int cpu_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                          double drift, const void *a, void *v, void *x)
{
    if ((k1 != 0 && cpu_axpy(d, precision, count, k1, a, v)) || (k2 != 0 && cpu_axpy(d, precision, count, k2, a, v)))
        return -1;
    return cpu_axpy(d, precision, count, drift, v, x);
}

/* ---- between columns and rows: transposed ---- */

/* Below this the start of the threads costs more than they save. */
#define SERIAL 10000

#define TO_ROWS(name, column_type, row_type)                                                                        \
    static void name(uint64_t n, uint64_t stride, uint64_t width, const void *column, void *rows)                   \
    {                                                                                                               \
        const column_type *restrict from = column;                                                                  \
        row_type *restrict to = rows;                                                                               \
        _Pragma("omp parallel for schedule(static) if (n > SERIAL)") for (uint64_t i = 0; i < n;                    \
                                                                          i++) for (uint64_t k = 0; k < width; k++) \
            to[k * stride + i] = (row_type)from[i * width + k];                                                     \
    }

#define TO_COLUMN(name, column_type, row_type)                                                                      \
    static void name(uint64_t n, uint64_t stride, uint64_t width, const void *rows, void *column)                   \
    {                                                                                                               \
        const row_type *restrict from = rows;                                                                       \
        column_type *restrict to = column;                                                                          \
        _Pragma("omp parallel for schedule(static) if (n > SERIAL)") for (uint64_t i = 0; i < n;                    \
                                                                          i++) for (uint64_t k = 0; k < width; k++) \
            to[i * width + k] = (column_type)from[k * stride + i];                                                  \
    }

TO_ROWS(to_rows_f32_single, float, float)
TO_ROWS(to_rows_f64_single, double, float)
TO_ROWS(to_rows_f32_double, float, double)
TO_ROWS(to_rows_f64_double, double, double)
TO_COLUMN(to_column_f32_single, float, float)
TO_COLUMN(to_column_f64_single, double, float)
TO_COLUMN(to_column_f32_double, float, double)
TO_COLUMN(to_column_f64_double, double, double)
TO_ROWS(to_rows_f32_quad, float, nb_quad)
TO_ROWS(to_rows_f64_quad, double, nb_quad)
TO_COLUMN(to_column_f32_quad, float, nb_quad)
TO_COLUMN(to_column_f64_quad, double, nb_quad)

static int cpu_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *column, enum nb_type type, void *rows)
{
    (void)d;
    if (precision == NB_SINGLE)
        (type == NB_F32 ? to_rows_f32_single : to_rows_f64_single)(n, stride, (uint64_t)width, column, rows);
    else if (precision == NB_QUAD)
        (type == NB_F32 ? to_rows_f32_quad : to_rows_f64_quad)(n, stride, (uint64_t)width, column, rows);
    else
        (type == NB_F32 ? to_rows_f32_double : to_rows_f64_double)(n, stride, (uint64_t)width, column, rows);
    return 0;
}

static int cpu_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *rows, enum nb_type type, void *column)
{
    (void)d;
    if (precision == NB_SINGLE)
        (type == NB_F32 ? to_column_f32_single : to_column_f64_single)(n, stride, (uint64_t)width, rows, column);
    else if (precision == NB_QUAD)
        (type == NB_F32 ? to_column_f32_quad : to_column_f64_quad)(n, stride, (uint64_t)width, rows, column);
    else
        (type == NB_F32 ? to_column_f32_double : to_column_f64_double)(n, stride, (uint64_t)width, rows, column);
    return 0;
}

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

/* What the kernel could hand out without swapping. */
static int cpu_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d;
    const double page = (double)sysconf(_SC_PAGESIZE), pages = (double)sysconf(_SC_PHYS_PAGES);
    if (!(page > 0 && pages > 0))
        return nb_fail("the system does not tell its memory");
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
    .sync = cpu_sync,
    .mark = cpu_mark,
    .marked_s = cpu_marked_s,
    .mark_free = cpu_free,
    .speed = cpu_speed,
    .peer_copy = cpu_peer_copy,
};
