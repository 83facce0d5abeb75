/* device.c - forwards the functions of device.h to the table of the device's type. */
#include "device/device.h"

#include "base/error.h"
#include "base/pack.h"
#include "device/device_kind.h"

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

void nb_device_close(struct nb_device *d)
{
    if (d)
        d->kind->close(d);
}

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

bool nb_device_is_remote(const struct nb_device *d)
{
    return d->kind->remote;
}

int nb_device_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows)
{
    if (precision == NB_QUAD && !d->kind->quad)
        return nb_fail("device %s does not support quad precision", d->name);
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
