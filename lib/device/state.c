/* state.c - allocates, fills, saves and fetches the state of n bodies. Declared in state.h. */
#include "device/state.h"

#include "base/error.h"
#include "base/pack.h"
#include "device/quad.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t stride_of(enum nb_precision precision, uint64_t n)
{
    const uint64_t unit = precision == NB_QUAD ? NB_STRIDE_UNIT_QUAD
                          : n < NB_STRIDE_UNIT ? NB_STRIDE_UNIT_FEW
                                               : NB_STRIDE_UNIT;
    return (n + unit - 1) / unit * unit;
}

double nb_state_bytes(enum nb_precision precision, int rows, uint64_t n)
{
    const double row = (double)stride_of(precision, n) * (double)nb_precision_size(precision);
    return row * (1 + 3 * 3 + rows); /* 1 row for m, 3 rows for each of x, v and a, `rows` further rows */
}

static size_t rows_bytes(const struct nb_state *s, int rows)
{
    return (size_t)rows * s->stride * nb_precision_size(s->precision);
}

void *nb_state_vector(const struct nb_state *s)
{
    return nb_device_alloc_rows(s->device, s->precision, s->n, s->stride, 3);
}

void *nb_state_row(const struct nb_state *s)
{
    return nb_device_alloc_rows(s->device, s->precision, s->n, s->stride, 1);
}

static int send(const struct nb_state *s, const struct nb_column *c, void *d_rows)
{
    return nb_device_store(s->device, s->precision, s->n, s->stride, c->width, c->data, c->type, d_rows);
}

/* Computes d_out = d_a + factor * d_b for `count` elements. */
static int add(const struct nb_state *s, uint64_t count, const void *d_a, int factor, const void *d_b, void *d_out)
{
    const double f = factor;
    const nb_quad q = factor;
    const struct nb_combination row = {.c = s->precision == NB_QUAD ? (const void *)&q : &f, .base = d_a, .out = d_out};
    return nb_device_combine(s->device, s->precision, count, 1, &d_b, 1, &row, NULL);
}

/* In quad precision, adds the low parts in the column `low` (pos_lo or vel_lo) to the rows d_rows (pos or vel). Does
 * nothing if `low` is NULL. */
static int send_low(const struct nb_state *s, const struct nb_column *low, void *d_rows)
{
    if (s->precision != NB_QUAD || !low)
        return 0;
    void *d_low = nb_state_vector(s);
    int status = d_low ? send(s, low, d_low) : -1;
    if (status == 0)
        status = add(s, 3 * s->stride, d_rows, 1, d_low, d_rows);
    nb_device_free(s->device, d_low);
    return status;
}

struct nb_state *nb_state_create_zero(struct nb_device *device, enum nb_precision precision, uint64_t n)
{
    struct nb_state *s = calloc(1, sizeof *s);
    if (!s) {
        nb_fail("no memory");
        return NULL;
    }
    s->device = device;
    s->precision = precision;
    s->n = n;
    s->stride = stride_of(precision, n);
    s->m = nb_state_row(s);
    s->x = s->m ? nb_state_vector(s) : NULL;
    s->v = s->x ? nb_state_vector(s) : NULL;
    s->a = s->v ? nb_state_vector(s) : NULL;
    if (s->a)
        return s;
    nb_state_destroy(s);
    return NULL;
}

struct nb_state *nb_state_create(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b)
{
    struct nb_state *s = nb_state_create_zero(device, precision, b->n);
    if (s && send(s, nb_bodies_find(b, "mass"), s->m) == 0 && send(s, nb_bodies_find(b, "pos"), s->x) == 0 &&
        send(s, nb_bodies_find(b, "vel"), s->v) == 0 && send_low(s, nb_bodies_find(b, "pos_lo"), s->x) == 0 &&
        send_low(s, nb_bodies_find(b, "vel_lo"), s->v) == 0) {
        s->time = b->meta.time;
        return s;
    }
    nb_state_destroy(s);
    return NULL;
}

void nb_state_part_massless(struct nb_state *s, const struct nb_bodies *b, double softening)
{
    /* s->least is chosen so that 1 / least^3 does not overflow in the precision of the pair forces */
    const bool floats = s->precision == NB_SINGLE || s->precision == NB_MIXED;
    if (softening == 0 && nb_bodies_share_places(b, s->precision == NB_SINGLE))
        s->least = floats ? 1e-12 : 1e-100;
}

static int set_row(struct nb_state *s, void **d_row, enum nb_type type, const void *values)
{
    if (!*d_row && !(*d_row = nb_state_row(s)))
        return -1;
    return nb_device_store(s->device, s->precision, s->n, s->stride, 1, values, type, *d_row);
}

int nb_state_set_radius(struct nb_state *s, enum nb_type type, const void *values)
{
    return set_row(s, &s->radius, type, values);
}

int nb_state_set_holes(struct nb_state *s, const double *values)
{
    return set_row(s, &s->hole, NB_F64, values);
}

void nb_state_destroy(struct nb_state *s)
{
    if (!s)
        return;
    nb_device_free(s->device, s->m);
    nb_device_free(s->device, s->x);
    nb_device_free(s->device, s->v);
    nb_device_free(s->device, s->a);
    nb_device_free(s->device, s->radius);
    nb_device_free(s->device, s->hole);
    free(s);
}

int nb_state_pack_vector(const struct nb_state *s, struct nb_pack *k, void *d_vector)
{
    return nb_device_pack(s->device, k, d_vector, rows_bytes(s, 3));
}

int nb_state_pack_row(const struct nb_state *s, struct nb_pack *k, void *d_row)
{
    return nb_device_pack(s->device, k, d_row, rows_bytes(s, 1));
}

int nb_state_pack(struct nb_state *s, struct nb_pack *k)
{
    uint64_t n = s->n;
    if (nb_pack_same(k, "precision", nb_precision_name(s->precision)) || nb_pack_unsigned(k, &n, UINT64_MAX))
        return -1;
    if (n != s->n)
        return nb_fail("contains %" PRIu64 " bodies, expected %" PRIu64, n, s->n);
    return nb_pack_bytes(k, &s->least, sizeof s->least) || nb_pack_bytes(k, &s->time, sizeof s->time) ||
                   nb_state_pack_row(s, k, s->m) || nb_state_pack_vector(s, k, s->x) ||
                   nb_state_pack_vector(s, k, s->v) || nb_state_pack_vector(s, k, s->a)
               ? -1
               : 0;
}

int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c)
{
    return nb_device_fetch(s->device, s->precision, s->n, s->stride, c->width, d_rows, c->type, c->data);
}

int nb_state_fetch_low(const struct nb_state *s, const void *d_rows, const struct nb_column *hi, struct nb_column *c)
{
    void *d_hi = nb_state_vector(s);
    int status = d_hi ? send(s, hi, d_hi) : -1;
    if (status == 0)
        status = add(s, (uint64_t)hi->width * s->stride, d_rows, -1, d_hi, d_hi);
    if (status == 0)
        status = nb_state_fetch(s, d_hi, c);
    nb_device_free(s->device, d_hi);
    return status;
}
