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

/* Bodies that travel together: staging memory is bounded however many there are. */
#define CHUNK ((uint64_t)1 << 20)

static uint64_t chunk_bodies(const struct nb_state *s)
{
    return s->n < CHUNK ? s->n : CHUNK;
}

/* Bodies [i0, i1) of one of a device's rows. */
static char *row_at(const struct nb_state *s, const void *d_rows, int row, uint64_t i)
{
    return (char *)d_rows + ((size_t)row * s->stride + i) * nb_precision_size(s->precision);
}

static void spread(const struct nb_state *s, const struct nb_column *c, uint64_t i0, uint64_t i1, int row, void *to)
{
#pragma omp parallel for schedule(static) if (i1 - i0 > 10000)
    for (uint64_t i = i0; i < i1; i++) {
        double value = nb_column_get(c, i, row);
        if (s->precision == NB_SINGLE)
            ((float *)to)[i - i0] = (float)value;
        else
            ((double *)to)[i - i0] = value;
    }
}

static void gather(const struct nb_state *s, struct nb_column *c, uint64_t i0, uint64_t i1, int row, const void *from)
{
    const size_t width = (size_t)c->width;
#pragma omp parallel for schedule(static) if (i1 - i0 > 10000)
    for (uint64_t i = i0; i < i1; i++) {
        double value =
            s->precision == NB_SINGLE ? (double)((const float *)from)[i - i0] : ((const double *)from)[i - i0];
        if (c->type == NB_F32)
            ((float *)c->data)[i * width + (size_t)row] = (float)value;
        else
            ((double *)c->data)[i * width + (size_t)row] = value;
    }
}

/* Spreads a column into rows of the state's precision. */
static int send(const struct nb_state *s, const struct nb_column *c, void *d_rows)
{
    for (int row = 0; row < c->width; row++)
        for (uint64_t i0 = 0; i0 < s->n; i0 += CHUNK) {
            uint64_t i1 = s->n - i0 < CHUNK ? s->n : i0 + CHUNK;
            void *d_to = row_at(s, d_rows, row, i0);
            spread(s, c, i0, i1, row, s->staging ? s->staging : d_to);
            if (s->staging && s->device->to_device(d_to, s->staging, (i1 - i0) * nb_precision_size(s->precision)))
                return -1;
        }
    return 0;
}

/* Memory of the device's kind for one row on its way, where the rows cannot be reached as they are. */
static int stage(struct nb_state *s)
{
    if (!s->device->alloc_host)
        return 0;
    s->staging = s->device->alloc_host(chunk_bodies(s) * nb_precision_size(s->precision));
    return s->staging ? 0 : -1;
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
    if (s->a && stage(s) == 0 && send(s, nb_bodies_find(b, "mass"), s->m) == 0 &&
        send(s, nb_bodies_find(b, "pos"), s->x) == 0 && send(s, nb_bodies_find(b, "vel"), s->v) == 0)
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
    if (s->staging)
        s->device->free_host(s->staging);
    free(s);
}

int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c)
{
    if (s->device->sync())
        return -1;
    for (int row = 0; row < c->width; row++)
        for (uint64_t i0 = 0; i0 < s->n; i0 += CHUNK) {
            uint64_t i1 = s->n - i0 < CHUNK ? s->n : i0 + CHUNK;
            const void *d_from = row_at(s, d_rows, row, i0);
            if (s->staging && s->device->from_device(s->staging, d_from, (i1 - i0) * nb_precision_size(s->precision)))
                return -1;
            gather(s, c, i0, i1, row, s->staging ? s->staging : d_from);
        }
    return 0;
}
