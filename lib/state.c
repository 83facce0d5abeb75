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

static int send(const struct nb_state *s, const struct nb_column *c, void *d_rows)
{
    return s->device->store(s->precision, s->n, s->stride, c->width, c->data, c->type, d_rows);
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
    return s->device->fetch(s->precision, s->n, s->stride, c->width, d_rows, c->type, c->data);
}
