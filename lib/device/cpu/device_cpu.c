#include "device/device.h"
#include "device/device_kind.h"
#define OWN_STEP_CALL static inline
#include "base/error.h"
#include "base/memory.h"
#include "base/portable.h"
#include "device/own_hermite.h"
#include "device/own_steps.h"
#include "device/range.h"

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

/* ---- vectors, for each type of element ---- */

/* Elements that are summed at once: the sums of all rows stay in the first-level cache. */
#define BLOCK 128
/* Below this the start of the threads costs more than they save. */
#define PARALLEL_BYTES 1000000
#define SERIAL_BODIES  10000 /* of a column */

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

struct operations { /* of a precision */
    void (*axpy)(uint64_t count, double a, const void *x, void *y);
    void (*combine)(const struct combination *w, uint64_t count, double *norm);
    double (*time_rate2)(const struct derivatives *w, uint64_t n);
    double (*kick_own)(const struct nb_own_kick *kick);
    void (*hermite_own)(const struct nb_own_hermite *own, double range[2]);
    uint64_t (*select_due)(uint64_t first, uint64_t n, const void *step, double most, uint32_t *index);
    void (*range)(uint64_t n, uint64_t stride, int count, const void *const *vector, union nb_range *range);
    void (*store)(uint64_t n, uint64_t stride, uint64_t width, const void *column, enum nb_type type, void *rows);
    void (*fetch)(uint64_t n, uint64_t stride, uint64_t width, const void *rows, enum nb_type type, void *column);
};

#define REAL   float
#define SCALAR double
#define NAME   single
#include "device/cpu/device_cpu_vectors.h"

#define REAL   double
#define SCALAR double
#define NAME   double
#include "device/cpu/device_cpu_vectors.h"

#define REAL   nb_quad
#define SCALAR nb_quad
#define NAME   quad
#include "device/cpu/device_cpu_vectors.h"

static const struct operations *const operations[NB_PRECISIONS] = {&operations_single, &operations_double,
                                                                   &operations_double, &operations_quad};

static int cpu_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *x, void *y)
{
    (void)d;
    operations[precision]->axpy(count, a, x, y);
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
    const struct combination w = {inputs, rows, in, row};
    (void)d;
    for (int r = 0; norm && r < rows; r++)
        norm[r] = 0;
    operations[precision]->combine(&w, count, norm);
    return 0;
}

static int cpu_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                          const void *const *derivative, double least, double *time)
{
    const struct derivatives w = {stride, derivative, least};
    (void)d;
    *time = 1 / sqrt(operations[precision]->time_rate2(&w, n));
    return 0;
}

static int cpu_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least)
{
    (void)d;
    *least = operations[precision]->kick_own(kick);
    return 0;
}

static int cpu_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                           double range[2])
{
    (void)d;
    operations[precision]->hermite_own(own, range);
    return 0;
}

static int cpu_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                          const void *step, double most, uint32_t *index, uint64_t *count)
{
    (void)d;
    *count = operations[precision]->select_due(first, n, step, most, index);
    return 0;
}

static int cpu_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *vector, union nb_range *range)
{
    (void)d;
    operations[precision]->range(n, stride, count, vector, range);
    return 0;
}

static int cpu_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *column, enum nb_type type, void *rows)
{
    (void)d;
    operations[precision]->store(n, stride, (uint64_t)width, column, type, rows);
    return 0;
}

static int cpu_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                     const void *rows, enum nb_type type, void *column)
{
    (void)d;
    operations[precision]->fetch(n, stride, (uint64_t)width, rows, type, column);
    return 0;
}

/* ---- all else ---- */

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
