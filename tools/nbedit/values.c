/* values.c - functions that several operations use; most of them change columns of real numbers in place. */
#include "nbedit.h"

#include "snap/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1024 /* number of bodies transformed at a time */

bool edit_take_numbers(const char **at, double *value, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        if (k > 0 && *(*at)++ != ',')
            return false;
        value[k] = strtod(*at, &end);
        if (end == *at || strcspn(*at, " \t\nxX") < (size_t)(end - *at) || !isfinite(value[k]))
            return false;
        *at = end;
    }
    return true;
}

/* Stores `value`, the values of bodies [i0, i1), in an f32 or f64 column. Returns the index in `value` of the first
 * value that is not finite or does not fit, or the number of values if all fit. */
static size_t put(struct nb_column *c, uint64_t i0, uint64_t i1, const double *value)
{
    const size_t width = (size_t)c->width, count = (size_t)(i1 - i0) * width, at = (size_t)i0 * width;
    size_t good = 0;
    int bad = 0;
    for (size_t k = 0; k < count; k++)
        bad |= !isfinite(value[k]);
    while (bad && isfinite(value[good]))
        good++;
    if (bad)
        return good;
    if (c->type == NB_F32)
        return nb_narrow(value, (float *)c->data + at, count, strcmp(c->name, "mass") == 0);
    memcpy((double *)c->data + at, value, count * sizeof *value);
    return count;
}

/* ---- transformations ---- */

struct edit_affine edit_affine_none(void)
{
    return (struct edit_affine){.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

struct plain { /* a struct edit_affine, converted to double precision */
    double m[3][3], d[3];
    bool turns; /* true: m is not the identity matrix; false: only d is added */
};

static struct plain plain_of(const struct edit_affine *t)
{
    struct plain p = {.turns = false};
    for (int k = 0; k < 3; k++) {
        p.d[k] = (double)t->d[k];
        for (int j = 0; j < 3; j++) {
            p.m[k][j] = (double)t->m[k][j];
            p.turns |= t->m[k][j] != (k == j);
        }
    }
    return p;
}

static void move_block(const struct plain *p, size_t n, double *x)
{
    if (!p->turns)
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                x[3 * i + k] += p->d[k];
    else
        for (size_t i = 0; i < n; i++) {
            const double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
            for (int k = 0; k < 3; k++)
                x[3 * i + k] = p->m[k][0] * a + p->m[k][1] * b + p->m[k][2] * c + p->d[k];
        }
}

/* Transforms n vectors. Each vector is the sum of a high part in `x` and a low part in `low`. If `single`, the new high
 * part is rounded to f32. The new low part is the rounding error of the new high part. */
static void move_long(const struct edit_affine *t, bool single, size_t n, double *x, double *low)
{
    for (size_t i = 0; i < n; i++) {
        nb_quad from[3];
        for (int k = 0; k < 3; k++)
            from[k] = (nb_quad)x[3 * i + k] + low[3 * i + k];
        for (int k = 0; k < 3; k++) {
            const nb_quad to = t->m[k][0] * from[0] + t->m[k][1] * from[1] + t->m[k][2] * from[2] + t->d[k];
            x[3 * i + k] = single ? (double)(float)to : (double)to;
            low[3 * i + k] = (double)(to - x[3 * i + k]);
        }
    }
}

struct bad { /* the first value that the column cannot represent, and its index `at` in the column's data */
    uint64_t at;
    double value;
};

/* Stores the values of a block, bodies [i0, i1), in column c. *bad is the first value of the column that cannot be
 * represented. If the block contains an earlier value of this kind, replaces *bad by it. Threads call this function for
 * different blocks at the same time. */
static void put_block(struct nb_column *c, uint64_t i0, uint64_t i1, const double *value, struct bad *bad)
{
    const size_t good = put(c, i0, i1, value);
    const uint64_t at = i0 * (uint64_t)c->width + good;
    if (good == (size_t)(i1 - i0) * (size_t)c->width)
        return;
#pragma omp critical
    if (at < bad->at)
        *bad = (struct bad){at, value[good]};
}

/* Returns 0 if there is no invalid value, otherwise fails with a message about it. */
static int judge(const struct nb_column *c, const struct bad *bad)
{
    const uint64_t body = bad->at / (uint64_t)c->width;
    if (bad->at == UINT64_MAX)
        return 0;
    if (isfinite(bad->value))
        return nb_fail("body %" PRIu64 ": %s %.9g does not fit %s", body, c->name, bad->value, nb_type_name(c->type));
    return nb_fail("body %" PRIu64 ": %s would become %g, which is not finite", body, c->name, bad->value);
}

struct nb_column *edit_low_of(const struct nb_bodies *b, const char *name)
{
    char low[NB_NAME_MAX + 4];
    snprintf(low, sizeof low, "%s_lo", name);
    return nb_column_known(low) ? nb_bodies_find(b, low) : NULL;
}

int edit_transform(struct nb_bodies *b, const char *name, const struct edit_affine *t)
{
    struct nb_column *c = nb_bodies_find(b, name);
    const struct nb_column *low = edit_low_of(b, name);
    const uint64_t blocks = b->n / BLOCK + (b->n % BLOCK > 0);
    const struct plain plain = plain_of(t);
    struct bad bad = {.at = UINT64_MAX};
#pragma omp parallel for schedule(static) if (blocks > 16)
    for (uint64_t k = 0; k < blocks; k++) {
        const uint64_t i0 = k * BLOCK, i1 = b->n - i0 < BLOCK ? b->n : i0 + BLOCK;
        double x[3 * BLOCK];
        nb_column_get_f64(c, i0, i1, x);
        if (low)
            move_long(t, c->type == NB_F32, (size_t)(i1 - i0), x, (double *)low->data + 3 * i0);
        else
            move_block(&plain, (size_t)(i1 - i0), x);
        put_block(c, i0, i1, x, &bad);
    }
    return judge(c, &bad);
}

int edit_multiply(struct nb_bodies *b, struct nb_column *c, double factor)
{
    const uint64_t blocks = b->n / BLOCK + (b->n % BLOCK > 0);
    struct bad bad = {.at = UINT64_MAX};
#pragma omp parallel for schedule(static) if (blocks > 16)
    for (uint64_t k = 0; k < blocks; k++) {
        const uint64_t i0 = k * BLOCK, i1 = b->n - i0 < BLOCK ? b->n : i0 + BLOCK;
        double x[3 * BLOCK];
        nb_column_get_f64(c, i0, i1, x);
        for (size_t j = 0; j < (size_t)(i1 - i0) * (size_t)c->width; j++)
            x[j] *= factor;
        put_block(c, i0, i1, x, &bad);
    }
    return judge(c, &bad);
}
