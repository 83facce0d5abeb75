/* own_steps.c - the functions for individual time steps that device.h declares. If a device does not implement them,
 * the CPU's functions are used on copies in host memory. */
#include "base/error.h"
#include "device/device.h"
#include "device/device_kind.h"

#include <stdlib.h>

extern const struct nb_device_kind nb_device_cpu;

/* State of the copies between a device and host memory. failed: a copy failed, so all later copies are skipped. */
struct held {
    struct nb_device *device;
    bool failed;
};

static void *hold(struct held *h, const void *d_from, size_t size_bytes)
{
    void *copy = d_from && !h->failed ? malloc(size_bytes + 1) : NULL;
    if (d_from && !h->failed && !copy)
        nb_fail("no memory for %zu bytes", size_bytes);
    if (d_from && (!copy || nb_device_from(h->device, copy, d_from, size_bytes)))
        h->failed = true;
    return copy;
}

static void put_back(struct held *h, void *d_to, const void *copy, size_t size_bytes)
{
    h->failed = h->failed || nb_device_to(h->device, d_to, copy, size_bytes);
}

static int kick_in_host_memory(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick,
                               double *least)
{
    const size_t row = kick->stride * nb_precision_size(precision);
    struct held h = {.device = d};
    struct nb_own_kick w = *kick;
    w.d_index = hold(&h, kick->d_index, kick->count * sizeof *kick->d_index);
    w.d_field = hold(&h, kick->d_field, 3 * kick->field_stride * nb_precision_size(precision));
    w.d_m = hold(&h, kick->d_m, row);
    w.d_a = hold(&h, kick->d_a, 3 * row);
    w.d_v = hold(&h, kick->d_v, 3 * row);
    w.d_step = hold(&h, kick->d_step, row);
    h.failed = h.failed || nb_device_cpu.kick_own(d, precision, &w, least);
    put_back(&h, kick->d_a, w.d_a, 3 * row);
    put_back(&h, kick->d_v, w.d_v, 3 * row);
    put_back(&h, kick->d_step, w.d_step, row);
    free((void *)w.d_index);
    free((void *)w.d_field);
    free((void *)w.d_m);
    free(w.d_a);
    free(w.d_v);
    free(w.d_step);
    return h.failed ? -1 : 0;
}

int nb_device_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least)
{
    return d->kind->kick_own ? d->kind->kick_own(d, precision, kick, least)
                             : kick_in_host_memory(d, precision, kick, least);
}

/* Indices of the vectors and rows of a Hermite task in the arrays `from` and `to` of the next function. */
enum { ROWS_X, ROWS_V, ROWS_A, ROWS_J, ROWS_BEGUN, ROWS_STEP, ROWS_PX, ROWS_PV, HERMITE_ROWS };

static int hermite_in_host_memory(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                                  double *range)
{
    const size_t row = own->stride * nb_precision_size(precision),
                 field = own->field_stride * nb_precision_size(precision);
    struct held h = {.device = d};
    struct nb_own_hermite w = *own;
    void *const from[] = {own->d_x, own->d_v, own->d_a, own->d_j, own->d_begun, own->d_step, own->d_px, own->d_pv};
    void **const to[] = {&w.d_x, &w.d_v, &w.d_a, &w.d_j, &w.d_begun, &w.d_step, &w.d_px, &w.d_pv};
    for (int k = 0; k < HERMITE_ROWS; k++)
        *to[k] = hold(&h, from[k], k == ROWS_BEGUN || k == ROWS_STEP ? row : 3 * row);
    w.d_index = hold(&h, own->d_index, own->count * sizeof *own->d_index);
    w.d_field_a = hold(&h, own->d_field_a, (own->task == NB_OWN_PUT ? NB_OWN_PUT_ROWS : 3) * field);
    w.d_field_j = hold(&h, own->d_field_j, 3 * field);
    h.failed = h.failed || nb_device_cpu.hermite_own(d, precision, &w, range);
    for (int k = 0; k < HERMITE_ROWS; k++) {
        if (from[k])
            put_back(&h, from[k], *to[k], k == ROWS_BEGUN || k == ROWS_STEP ? row : 3 * row);
        free(*to[k]);
    }
    free((void *)w.d_index);
    free((void *)w.d_field_a);
    free((void *)w.d_field_j);
    return h.failed ? -1 : 0;
}

int nb_device_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                          double range[2])
{
    return (d->kind->hermite_own ? d->kind->hermite_own : hermite_in_host_memory)(d, precision, own, range);
}

static int select_in_host_memory(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                                 const void *d_step, double most, uint32_t *d_index, uint64_t *count)
{
    struct held h = {.device = d};
    void *step = hold(&h, d_step, n * nb_precision_size(precision));
    uint32_t *index = malloc(n * sizeof *index + 1);
    h.failed = h.failed || (!index && nb_fail("no memory for %zu bytes", n * sizeof *index)) ||
               nb_device_cpu.select_due(d, precision, first, n, step, most, index, count);
    put_back(&h, d_index, index, h.failed ? 0 : *count * sizeof *index);
    free(step);
    free(index);
    return h.failed ? -1 : 0;
}

int nb_device_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                         const void *d_step, double most, uint32_t *d_index, uint64_t *count)
{
    return (d->kind->select_due ? d->kind->select_due : select_in_host_memory)(d, precision, first, n, d_step, most,
                                                                               d_index, count);
}
