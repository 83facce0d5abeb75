/* group_kind.c - uses several devices (parts) as one device: the functions of nb_device_kind that forward each call to
 * all parts. Declared in group.h. */
#include "base/error.h"
#include "device/device_calls.h"
#include "device/device_kind.h"
#include "device/group/group_memory.h"
#include "device/group/group_own.h"
#include "device/group/group_workers.h"
#include "device/range.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nb_device_kind group_kind;

/* ---- opening ---- */

static void group_close(struct nb_device *d)
{
    struct nb_group *g = nb_group_of(d);
    nb_workers_stop(g->workers);
    for (int k = 0; k < g->count; k++) {
        nb_device_free(g->part[k], g->d_due[k]);
        nb_device_close(g->part[k]);
    }
    free(g);
}

static void describe(struct nb_group *g)
{
    const struct nb_device *first = g->part[0];
    g->base.name = first->name; /* the parts' type of device: forces run on the parts, and are chosen by this name */
    g->base.index = first->index;
    g->base.usual = first->usual;
    g->kind = group_kind;
    g->kind.quad = first->kind->quad;
    g->base.kind = &g->kind;
    snprintf(g->base.description, sizeof g->base.description, "%d x %.200s", g->count, first->description);
    snprintf(g->base.model, sizeof g->base.model, "%d x %.100s", g->count, first->model);
    memcpy(g->base.driver, first->driver, sizeof g->base.driver);
}

struct nb_device *nb_group_of_parts(struct nb_device *const *part, int count)
{
    struct nb_group *g = calloc(1, sizeof *g);
    const bool share_host = nb_device_is_host(part[0]) && !(count > 1 && nb_device_is_remote(part[1]));
    if (!g)
        nb_fail("no memory for a group of %d devices", count);
    if (!g || !(g->workers = nb_workers_start(count, share_host))) {
        free(g);
        return NULL;
    }
    for (int k = 0; k < count; k++)
        g->part[g->count++] = part[k];
    describe(g);
    return &g->base;
}

struct nb_device *nb_group_open(const struct nb_device_kind *kind, int first, int last)
{
    struct nb_device *part[NB_GROUP_MAX], *group = NULL;
    int count = 0;
    if (last - first >= NB_GROUP_MAX) {
        nb_fail("a run can use at most %d devices", NB_GROUP_MAX);
        return NULL;
    }
    for (int index = first; index <= last; index++) {
        part[count] = nb_device_open(kind, kind->host ? 0 : index); /* all parts share the CPU, which has index 0 */
        if (!part[count])
            break;
        count++;
    }
    if (count == last - first + 1)
        group = nb_group_of_parts(part, count);
    for (int k = 0; k < count && !group; k++)
        nb_device_close(part[k]);
    return group;
}

bool nb_device_is_group(const struct nb_device *d)
{
    return d->kind->close == group_close;
}

/* ---- rows from and to columns ---- */

/* Returns how many of the first `count` of n bodies belong to part k. */
static uint64_t bodies_at(const struct nb_device *d, uint64_t n, uint64_t count, int k)
{
    const uint64_t begin = nb_group_begin(d, n, k), end = nb_group_begin(d, n, k + 1);
    return count <= begin ? 0 : (count < end ? count : end) - begin;
}

/* Returns how many of the `count` elements from p on are in the memory of part k. p is the beginning of a row of the
 * group. The elements are either several entire rows (one or more), or the first elements of one row. */
static uint64_t count_at(const struct nb_device *d, const void *p, uint64_t count, int k)
{
    const struct nb_group_memory *m = nb_group_find(d, p);
    if (m->n == 0) /* not divided: each part computes all elements */
        return count;
    if (count > 0 && count % m->stride == 0)
        return count / m->stride * nb_group_stride(d, m->n, k);
    assert(count < m->stride);
    return bodies_at(d, m->n, count, k);
}

struct job {
    struct nb_device *d;
    const void *call; /* arguments of the call, such as a struct nb_column_call (device_calls.h) */
    char *column;
    bool store;
};

static int run_column(void *context, int k)
{
    const struct job *j = context;
    const struct nb_column_call *c = j->call;
    struct nb_device *part = nb_group_part(j->d, k);
    const uint64_t whole = nb_group_find(j->d, c->d_rows)->n; /* number of bodies; 0: the rows are not divided among
                                                                 the parts, and each part has all rows */
    const uint64_t n = whole ? bodies_at(j->d, whole, c->n, k) : c->n;
    const uint64_t stride = whole ? nb_group_stride(j->d, whole, k) : c->stride;
    const uint64_t begin = whole ? nb_group_begin(j->d, whole, k) : 0;
    char *column = j->column + begin * (uint64_t)c->width * nb_type_size(c->type);
    void *rows = nb_group_at(j->d, c->d_rows, k);
    if (n == 0 || (whole == 0 && !j->store && k > 0))
        return 0;
    return j->store ? nb_device_store(part, c->precision, n, stride, c->width, column, c->type, rows)
                    : nb_device_fetch(part, c->precision, n, stride, c->width, rows, c->type, column);
}

static int group_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                       const void *column, enum nb_type type, void *d_rows)
{
    const struct nb_column_call call = {precision, n, stride, width, type, d_rows};
    return nb_group_run(d, run_column, &(struct job){d, &call, (char *)column, true});
}

static int group_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                       const void *d_rows, enum nb_type type, void *column)
{
    const struct nb_column_call call = {precision, n, stride, width, type, (void *)d_rows};
    return nb_group_run(d, run_column, &(struct job){d, &call, column, false});
}

/* ---- vectors ---- */

static int run_axpy(void *context, int k)
{
    const struct job *j = context;
    const struct nb_axpy_call *c = j->call;
    const uint64_t count = count_at(j->d, c->d_y, c->count, k);
    return count == 0 ? 0
                      : nb_device_axpy(nb_group_part(j->d, k), c->precision, count, c->a, nb_group_at(j->d, c->d_x, k),
                                       nb_group_at(j->d, c->d_y, k));
}

static int group_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                      void *d_y)
{
    const struct nb_axpy_call call = {precision, count, a, d_x, d_y};
    return nb_group_run(d, run_axpy, &(struct job){d, &call});
}

static int run_kick(void *context, int k)
{
    const struct job *j = context;
    const struct nb_kick_call *c = j->call;
    const uint64_t count = count_at(j->d, c->d_x, c->count, k);
    return count == 0 ? 0
                      : nb_device_kick_drift(nb_group_part(j->d, k), c->precision, count, c->k1, c->k2, c->drift,
                                             nb_group_at(j->d, c->d_a, k), nb_group_at(j->d, c->d_v, k),
                                             nb_group_at(j->d, c->d_x, k));
}

static int group_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                            double drift, const void *d_a, void *d_v, void *d_x)
{
    const struct nb_kick_call call = {precision, count, k1, k2, drift, d_a, d_v, d_x};
    return nb_group_run(d, run_kick, &(struct job){d, &call});
}

struct combine_job {
    struct nb_device *d;
    enum nb_precision precision;
    uint64_t count;
    int inputs, rows;
    const void *const *d_in;
    const struct nb_combination *row;
    bool wants_norm;
    double norm[NB_GROUP_MAX][NB_COMBINATIONS_MAX];
};

/* Returns any vector of the job. All vectors are divided among the parts in the same way. */
static const void *any_vector(const struct combine_job *j)
{
    const void *any = j->inputs > 0 ? j->d_in[0] : NULL;
    for (int r = 0; r < j->rows && !any; r++)
        any = j->row[r].out ? j->row[r].out : j->row[r].base;
    return any;
}

static int run_combine(void *context, int k)
{
    struct combine_job *j = context;
    const uint64_t count = count_at(j->d, any_vector(j), j->count, k);
    const void *in[NB_INPUTS_MAX];
    struct nb_combination row[NB_COMBINATIONS_MAX];
    for (int i = 0; i < j->inputs; i++)
        in[i] = nb_group_at(j->d, j->d_in[i], k);
    for (int r = 0; r < j->rows; r++) {
        const struct nb_combination *from = &j->row[r];
        row[r] =
            (struct nb_combination){from->c, nb_group_at(j->d, from->base, k), nb_group_at(j->d, from->compensation, k),
                                    nb_group_at(j->d, from->out, k), nb_group_at(j->d, from->compensation_out, k)};
    }
    return count == 0 ? 0
                      : nb_device_combine(nb_group_part(j->d, k), j->precision, count, j->inputs, in, j->rows, row,
                                          j->wants_norm ? j->norm[k] : NULL);
}

static int group_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                         const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    struct combine_job job = {d, precision, count, inputs, rows, d_in, row, norm != NULL};
    if (nb_group_run(d, run_combine, &job))
        return -1;
    for (int r = 0; norm && r < rows; r++) {
        norm[r] = 0;
        for (int k = 0; k < nb_group_count(d); k++)
            norm[r] = fmax(norm[r], job.norm[k][r]);
    }
    return 0;
}

/* Arguments and results of a reduction over the bodies. Part k computes one result for its own bodies. If `ranges` is
 * false, this is time[k], the least time scale. If `ranges` is true, this is range[k], the range of the values. */
struct reduction {
    struct nb_device *d;
    enum nb_precision precision;
    uint64_t n, stride;
    int count;
    const void *const *d_vector;
    double least, time[NB_GROUP_MAX];
    bool ranges;
    union nb_range range[NB_GROUP_MAX];
};

static int run_reduction(void *context, int k)
{
    struct reduction *j = context;
    struct nb_device *part = nb_group_part(j->d, k);
    const bool split = nb_group_is_split(j->d, j->d_vector[0], 0);
    const uint64_t n = split ? bodies_at(j->d, j->n, j->n, k) : j->n;
    const uint64_t stride = split ? nb_group_stride(j->d, j->n, k) : j->stride;
    const void *vector[NB_DERIVATIVES_MAX];
    for (int i = 0; i < j->count; i++)
        vector[i] = nb_group_at(j->d, j->d_vector[i], k);
    if (j->ranges)
        return nb_device_range(part, j->precision, n, stride, j->count, vector, &j->range[k]);
    j->time[k] = INFINITY;
    return n == 0 ? 0 : nb_device_step_scale(part, j->precision, n, stride, vector, j->least, &j->time[k]);
}

static int group_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                            const void *const *d_derivative, double least, double *time)
{
    struct reduction job = {d, precision, n, stride, NB_DERIVATIVES_MAX, d_derivative, least};
    if (nb_group_run(d, run_reduction, &job))
        return -1;
    *time = INFINITY;
    for (int k = 0; k < nb_group_count(d); k++)
        *time = fmin(*time, job.time[k]);
    return 0;
}

static int group_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                       const void *const *d_vector, union nb_range *range)
{
    struct reduction job = {d, precision, n, stride, count, d_vector, .ranges = true};
    if (nb_group_run(d, run_reduction, &job))
        return -1;
    *range = job.range[0];
    for (int k = 1; k < nb_group_count(d); k++)
        for (int v = 0; v < 6 * count; v++)
            if (precision == NB_QUAD)
                range->quad[v] = job.range[k].quad[v] > range->quad[v] ? job.range[k].quad[v] : range->quad[v];
            else
                range->wide[v] = fmax(range->wide[v], job.range[k].wide[v]);
    return 0;
}

/* ---- other functions ---- */

static int run_sync(void *context, int k)
{
    return nb_device_sync(nb_group_part(context, k));
}

static int group_sync(struct nb_device *d)
{
    return nb_group_run(d, run_sync, d);
}

/* Sets *free_bytes and *total_bytes to the least free and the least total memory of a part, times the number of parts,
 * because each part has an equal share of the bodies. If all parts use the memory of one host, the factor is 1. */
static int group_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    double least_free = INFINITY, least_total = INFINITY;
    for (int k = 0; k < nb_group_count(d); k++) {
        double available, total;
        if (nb_device_memory(nb_group_part(d, k), &available, &total))
            return nb_group_failed(d, k);
        least_free = fmin(least_free, available);
        least_total = fmin(least_total, total);
    }
    const bool host = nb_device_is_host(nb_group_part(d, 0)) && !nb_group_is_of_ranks(nb_group_of(d));
    *free_bytes = host ? least_free : least_free * nb_group_count(d);
    *total_bytes = host ? least_total : least_total * nb_group_count(d);
    return 0;
}

/* Sets the mark on the first part only, so that nb_device_marked_s measures the time of this part. */
static int group_mark(struct nb_device *d, void **mark)
{
    return nb_device_mark(nb_group_part(d, 0), mark) ? nb_group_failed(d, 0) : 0;
}

static double group_marked_s(struct nb_device *d, void *from, void *to)
{
    return nb_device_marked_s(nb_group_part(d, 0), from, to);
}

static void group_mark_free(struct nb_device *d, void *mark)
{
    nb_device_mark_free(nb_group_part(d, 0), mark);
}

static int group_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    if (nb_device_speed(nb_group_part(d, 0), processors, clock_hz))
        return -1;
    /* parts on the CPU of one process share the same threads, which are counted once */
    if (!nb_device_is_host(nb_group_part(d, 0)) || nb_group_is_of_ranks(nb_group_of(d)))
        *processors *= nb_group_count(d);
    return 0;
}

static void group_pin(struct nb_device *d, void *p, size_t size_bytes)
{
    nb_device_pin(nb_group_part(d, 0), p, size_bytes);
}

static void group_unpin(struct nb_device *d, void *p)
{
    nb_device_unpin(nb_group_part(d, 0), p);
}

static const struct nb_device_kind group_kind = {
    .name = "group",
    .host = false,
    .close = group_close,
    .alloc = nb_group_alloc,
    .alloc_rows = nb_group_alloc_rows,
    .free = nb_group_free,
    .to_device = nb_group_to,
    .from_device = nb_group_from,
    .memory = group_memory,
    .store = group_store,
    .fetch = group_fetch,
    .axpy = group_axpy,
    .kick_drift = group_kick_drift,
    .combine = group_combine,
    .step_scale = group_step_scale,
    .kick_own = nb_group_kick_own,
    .hermite_own = nb_group_hermite_own,
    .select_due = nb_group_select_due,
    .range = group_range,
    .sync = group_sync,
    .mark = group_mark,
    .marked_s = group_marked_s,
    .mark_free = group_mark_free,
    .speed = group_speed,
    .pin = group_pin,
    .unpin = group_unpin,
};
