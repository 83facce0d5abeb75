/* The state of n bodies on a device: rows there, interleaved columns here. Declared in device.h. */
#include "device.h"
#include "error.h"

#include <inttypes.h>
#include <stdlib.h>

static size_t rows_bytes(const struct nb_state *s, int rows)
{
    return (size_t)rows * s->stride * nb_precision_size(s->precision);
}

void *nb_state_vector(const struct nb_state *s)
{
    return s->device->alloc(rows_bytes(s, 3));
}

static void put(void *rows, enum nb_precision precision, size_t at, double value)
{
    if (precision == NB_SINGLE)
        ((float *)rows)[at] = (float)value;
    else
        ((double *)rows)[at] = value;
}

/* Spreads a column into rows of the state's precision, in host memory, and sends them. */
static int send(const struct nb_state *s, const struct nb_column *c, void *d_rows)
{
    void *rows = calloc((size_t)c->width * s->stride, nb_precision_size(s->precision));
    if (!rows)
        return nb_fail("no memory for %" PRIu64 " bodies", s->n);
#pragma omp parallel for schedule(static) if (s->n > 10000)
    for (uint64_t i = 0; i < s->n; i++)
        for (int k = 0; k < c->width; k++)
            put(rows, s->precision, (size_t)k * s->stride + i, nb_column_get(c, i, k));
    int status = s->device->to_device(d_rows, rows, rows_bytes(s, c->width));
    free(rows);
    return status;
}

struct nb_state *nb_state_create(const struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b)
{
    struct nb_state *s = calloc(1, sizeof *s);
    if (!s) {
        nb_fail("no memory");
        return NULL;
    }
    s->device = device;
    s->precision = precision;
    s->n = b->n;
    s->stride = (b->n + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
    s->m = device->alloc(rows_bytes(s, 1));
    s->x = s->m ? nb_state_vector(s) : NULL;
    s->v = s->x ? nb_state_vector(s) : NULL;
    s->a = s->v ? nb_state_vector(s) : NULL;
    if (s->a && send(s, nb_bodies_find(b, "mass"), s->m) == 0 && send(s, nb_bodies_find(b, "pos"), s->x) == 0 &&
        send(s, nb_bodies_find(b, "vel"), s->v) == 0)
        return s;
    nb_state_destroy(s);
    return NULL;
}

void nb_state_destroy(struct nb_state *s)
{
    if (!s)
        return;
    s->device->free(s->m);
    s->device->free(s->x);
    s->device->free(s->v);
    s->device->free(s->a);
    free(s);
}

int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c)
{
    void *rows = malloc(rows_bytes(s, c->width));
    if (!rows)
        return nb_fail("no memory for %" PRIu64 " bodies", s->n);
    int status = s->device->from_device(rows, d_rows, rows_bytes(s, c->width));
#pragma omp parallel for schedule(static) if (s->n > 10000)
    for (uint64_t i = 0; i < (status ? 0 : s->n); i++)
        for (int k = 0; k < c->width; k++) {
            size_t from = (size_t)k * s->stride + i, to = (size_t)i * (size_t)c->width + (size_t)k;
            double value = s->precision == NB_SINGLE ? (double)((float *)rows)[from] : ((double *)rows)[from];
            if (c->type == NB_F32)
                ((float *)c->data)[to] = (float)value;
            else
                ((double *)c->data)[to] = value;
        }
    free(rows);
    return status;
}
