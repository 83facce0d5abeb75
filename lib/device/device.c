/* Opening devices by name, and the calls of device.h handed on to the kind's table. */
#include "device/device_kind.h"

#include "base/error.h"
#include "base/pack.h"
#include "device/group.h"
#include "device/quad.h"
#include "device/range.h"
#include "device/timing.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const precision_names[NB_PRECISIONS] = {"single", "mixed", "double", "quad"};

int nb_precision_parse(const char *name)
{
    for (int p = 0; p < NB_PRECISIONS; p++)
        if (strcmp(name, precision_names[p]) == 0)
            return p;
    return nb_fail("precision '%s' is not single, mixed, double or quad", name);
}

const char *nb_precision_name(enum nb_precision precision)
{
    return precision_names[precision];
}

size_t nb_precision_size(enum nb_precision precision)
{
    return precision == NB_SINGLE ? sizeof(float) : precision == NB_QUAD ? sizeof(nb_quad) : sizeof(double);
}

/* ---- opening ---- */

struct nb_device *nb_device_open(const struct nb_device_kind *kind, int index)
{
    struct nb_device *d = kind->open(index);
    if (d) {
        d->name = kind->name;
        d->index = index;
        d->kind = kind;
    }
    return d;
}

static struct nb_device *first_that_opens(void)
{
    for (const struct nb_device_kind *const *k = nb_device_kinds; *k; k++) {
        struct nb_device *d = nb_device_open(*k, 0);
        if (d)
            return d;
    }
    return NULL;
}

struct numbers {     /* of devices of a kind */
    int first, last; /* last -1: all from the first on */
};

static const char *parse_number(const char *text, int *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    const long value = strtol(text, &end, 10);
    *number = (int)value;
    return value <= INT_MAX - 1 ? end : NULL;
}

/* What stands behind a kind: nothing, ":N", ":A-B" or ":all". False: none of these. */
static bool parse_numbers(const char *text, struct numbers *n)
{
    *n = (struct numbers){0, 0};
    if (*text == '\0')
        return true;
    if (strcmp(text, ":all") == 0) {
        n->last = -1;
        return true;
    }
    text = parse_number(text + 1, &n->first);
    n->last = n->first;
    if (text && *text == '-')
        text = parse_number(text + 1, &n->last);
    return text && *text == '\0' && n->last >= n->first;
}

/* Every kind that there can be, also of those that are not compiled in. */
static const char *const kind_names[] = {"cpu", "cuda", "opencl"};

/* The name of the kind that `name` begins with, and the numbers behind it; NULL where it is no such name. */
static const char *parse_kind(const char *name, struct numbers *n)
{
    const size_t length = strcspn(name, ":");
    if (!parse_numbers(name + length, n))
        return NULL;
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++)
        if (strlen(kind_names[k]) == length && strncmp(name, kind_names[k], length) == 0)
            return kind_names[k];
    return NULL;
}

bool nb_device_is_name(const char *name)
{
    struct numbers n;
    return strcmp(name, "auto") == 0 || parse_kind(name, &n);
}

void nb_device_print_name(const struct nb_device *d, char *text, size_t size)
{
    if (nb_device_is_group(d))
        snprintf(text, size, "%s:%d-%d", d->name, d->index, d->index + nb_group_count(d) - 1);
    else if (d->index > 0)
        snprintf(text, size, "%s:%d", d->name, d->index);
    else
        snprintf(text, size, "%s", d->name);
}

/* The last that can be opened from the first on. */
static int find_last(const struct nb_device_kind *kind, int first)
{
    int last = first;
    for (struct nb_device *d; last - first < NB_GROUP_MAX && (d = nb_device_open(kind, last)); last++)
        nb_device_close(d);
    return last > first ? last - 1 : first;
}

static struct nb_device *open_numbers(const struct nb_device_kind *kind, const struct numbers *n)
{
    const int last = n->last < 0 ? find_last(kind, n->first) : n->last;
    if (last == n->first)
        return nb_device_open(kind, n->first);
    if (kind->peer_copy)
        return nb_group_open(kind, n->first, last);
    nb_fail("device %s: several of them cannot serve one run", kind->name);
    return NULL;
}

struct nb_device *nb_device_choose(const char *name)
{
    struct numbers n;
    const char *known = parse_kind(name, &n);
    if (strcmp(name, "auto") == 0)
        return first_that_opens();
    for (const struct nb_device_kind *const *k = nb_device_kinds; known && *k; k++)
        if (strcmp((*k)->name, known) == 0)
            return open_numbers(*k, &n);
    if (known)
        nb_fail("device %s: this program was built without %s", name, strcmp(known, "cuda") == 0 ? "CUDA" : "OpenCL");
    else
        nb_fail("device '%s' is not " NB_DEVICE_NAMES, name);
    return NULL;
}

void nb_device_close(struct nb_device *d)
{
    if (!d)
        return;
    nb_timing_end(d);
    d->kind->close(d);
}

/* ---- calls ---- */

void *nb_device_alloc(struct nb_device *d, size_t size_bytes)
{
    return d->kind->alloc(d, size_bytes);
}

void *nb_device_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows)
{
    return d->kind->alloc_rows ? d->kind->alloc_rows(d, precision, n, stride, rows)
                               : nb_device_alloc(d, (size_t)rows * stride * nb_precision_size(precision));
}

void nb_device_free(struct nb_device *d, void *p)
{
    d->kind->free(d, p);
}

int nb_device_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    return d->kind->to_device(d, d_to, from, size_bytes);
}

int nb_device_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    return d->kind->from_device(d, to, d_from, size_bytes);
}

int nb_device_pack(struct nb_device *d, struct nb_pack *k, void *d_p, size_t size_bytes)
{
    void *room;
    if (nb_pack_room(k, size_bytes, &room))
        return -1;
    return k->way == NB_PACK_SAVE   ? nb_device_from(d, room, d_p, size_bytes)
           : k->way == NB_PACK_LOAD ? nb_device_to(d, d_p, room, size_bytes)
                                    : 0;
}

int nb_device_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    return d->kind->memory(d, free_bytes, total_bytes);
}

bool nb_device_is_host(const struct nb_device *d)
{
    return d->kind->host;
}

int nb_device_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows)
{
    if (precision == NB_QUAD && !d->kind->quad)
        return nb_fail("device %s does not offer precision quad", d->name);
    return d->kind->store(d, precision, n, stride, width, column, type, d_rows);
}

int nb_device_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *d_rows, enum nb_type type, void *column)
{
    return d->kind->fetch(d, precision, n, stride, width, d_rows, type, column);
}

void nb_device_pin(struct nb_device *d, void *p, size_t size_bytes)
{
    if (d->kind->pin)
        d->kind->pin(d, p, size_bytes);
}

void nb_device_unpin(struct nb_device *d, void *p)
{
    if (d->kind->unpin)
        d->kind->unpin(d, p);
}

int nb_device_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                   void *d_y)
{
    return d->kind->axpy(d, precision, count, a, d_x, d_y);
}

int nb_device_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                         double drift, const void *d_a, void *d_v, void *d_x)
{
    return d->kind->kick_drift(d, precision, count, k1, k2, drift, d_a, d_v, d_x);
}

int nb_device_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                      const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    return d->kind->combine(d, precision, count, inputs, d_in, rows, row, norm);
}

int nb_device_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                         const void *const *d_derivative, double least, double *time)
{
    return d->kind->step_scale(d, precision, n, stride, d_derivative, least, time);
}

int nb_device_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range)
{
    for (int v = 0; v < NB_RANGE_VALUES && n == 0; v++)
        if (precision == NB_QUAD)
            range->quad[v] = -(nb_quad)INFINITY;
        else
            range->wide[v] = -(double)INFINITY;
    return n == 0 ? 0 : d->kind->range(d, precision, n, stride, count, d_vector, range);
}

int nb_device_extent(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *d_vector, double *extent)
{
    union nb_range range;
    if (nb_device_range(d, precision, n, stride, count, d_vector, &range))
        return -1;
    for (int k = 0; k < count; k++) {
        extent[k] = 0;
        for (int up = 6 * k; up < 6 * k + 6; up += 2)
            extent[k] = fmax(extent[k], precision == NB_QUAD ? (double)(range.quad[up] + range.quad[up + 1])
                                                             : range.wide[up] + range.wide[up + 1]);
    }
    return 0;
}

int nb_device_sync(struct nb_device *d)
{
    return d->kind->sync(d);
}

bool nb_device_records(const struct nb_device *d)
{
    return d->kind->record_begin != NULL;
}

int nb_device_record_begin(struct nb_device *d)
{
    return d->kind->record_begin(d);
}

void *nb_device_record_end(struct nb_device *d)
{
    return d->kind->record_end(d);
}

int nb_device_replay(struct nb_device *d, void *recording)
{
    return d->kind->replay(d, recording);
}

void nb_device_record_free(struct nb_device *d, void *recording)
{
    if (recording)
        d->kind->record_free(d, recording);
}

int nb_device_mark(struct nb_device *d, void **mark)
{
    return d->kind->mark(d, mark);
}

double nb_device_marked_s(struct nb_device *d, void *from, void *to)
{
    return d->kind->marked_s(d, from, to);
}

void nb_device_mark_free(struct nb_device *d, void *mark)
{
    d->kind->mark_free(d, mark);
}

int nb_device_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    return d->kind->speed(d, processors, clock_hz);
}
