/* force_group_shares.c - computes the field of all bodies on a group of devices, for a force that can divide the work
 * into shares, one for each device (nb_force_shares). */
#include "base/error.h"
#include "device/quad.h"
#include "device/timing.h"
#include "force/force_group.h"
#include "force/force_group_job.h"

#include <math.h>
#include <string.h>

/* The field has four rows: acceleration (3) and potential (1). Only rows [first_row, end_row) are computed. */
#define SHARE_ROWS 4

static size_t first_row(const struct nb_group_job *j)
{
    return j->out->a ? 0 : 3;
}

static size_t end_row(const struct nb_group_job *j)
{
    return j->out->phi ? 4 : 3;
}

static int clear(struct nb_device *device, enum nb_precision precision, uint64_t count, void *d_out)
{
    static const nb_quad none = 0;
    const struct nb_combination row = {.c = &none, .out = d_out};
    return nb_device_combine(device, precision, count, 0, NULL, 1, &row, NULL);
}

/* Returns how the parts divide the job (nb_force_shares.serves). */
static enum nb_shares shares_of(const struct nb_group_job *j)
{
    const struct nb_force_shares *s = j->f->part[0].row->shares;
    if (!s || !s->field)
        return NB_SHARES_NONE;
    return s->serves ? s->serves(j->f->part[0].work, j->precision, j->s->n, j->out) : NB_SHARES_OF_TARGETS;
}

/* Computes the field of part k's share of the work, and writes the field to d_own. Each row of d_own has an element for
 * every body of the group. Elements of bodies that are not in the share are 0. */
static int share_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    const double equal[2] = {(double)k / j->f->count, (double)(k + 1) / j->f->count};
    const double *share = shares_of(j) == NB_SHARES_OF_PAIRS ? equal : &j->f->bound[k];
    struct nb_device *device = nb_group_part(j->group, k);
    struct nb_group_part_work *p = &j->f->part[k];
    const uint64_t count = nb_group_first(j, k + 1) - nb_group_first(j, k), stride = j->s->stride;
    const size_t others = nb_precision_size(j->precision) * nb_group_stride(j->group, j->s->n, k) * SHARE_ROWS;
    if (nb_group_taken(j->group, k) ||
        nb_group_reserve(device, &p->d_own, &p->own_bytes, SHARE_ROWS * nb_group_row_bytes(j)) ||
        (count > 0 && nb_group_reserve(device, &p->d_others, &p->others_bytes, others * (size_t)(j->f->count - 1))) ||
        clear(device, j->precision, (end_row(j) - first_row(j)) * stride,
              (char *)p->d_own + first_row(j) * nb_group_row_bytes(j)))
        return -1;
    const struct nb_sources all = nb_group_taken_sources(j, k, 0, j->s->n);
    const struct nb_field out = {.stride = stride,
                                 .a = j->out->a ? p->d_own : NULL,
                                 .phi = j->out->phi ? (char *)p->d_own + 3 * nb_group_row_bytes(j) : NULL};
    return nb_status(p->row->shares->field(device, p->work, j->precision, &all, share, &out, &p->seconds) ||
                     nb_group_ready(j->group, k));
}

/* Copies to d_others of part k the values that other parts have computed for the bodies that part k stores (bodies
 * nb_group_first(j, k) to nb_group_first(j, k + 1) - 1). d_others gets first all rows from one part, then all rows from
 * the next part. */
static int exchange_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    const size_t element = nb_precision_size(j->precision), begin = nb_group_first(j, k),
                 count = nb_group_first(j, k + 1) - begin;
    char *to = j->f->part[k].d_others;
    for (int h = 0; h < j->f->count && count > 0; h++)
        for (size_t r = first_row(j); r < end_row(j) && h != k;
             r++, to += nb_group_stride(j->group, j->s->n, k) * element)
            if (nb_group_copy(j->group, k, to, h,
                              (const char *)j->f->part[h].d_own + r * nb_group_row_bytes(j) + begin * element,
                              count * element))
                return -1;
    return 0;
}

/* Returns the address of the first body that part k stores, in row number `row` of part k's d_own. */
static void *own_row(const struct nb_group_job *j, int k, size_t row)
{
    return (char *)j->f->part[k].d_own + row * nb_group_row_bytes(j) +
           nb_group_first(j, k) * nb_precision_size(j->precision);
}

/* Adds up the values that all parts computed for the bodies that part k stores: first its own values, then the values
 * of the other parts (in d_others), in the order of the parts. If the shares are ranges of targets, only one part
 * computes the values of a body, and the other parts have zeros, so the sums have no rounding errors. */
static int add_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_device *device = nb_group_part(j->group, k);
    struct nb_group_part_work *p = &j->f->part[k];
    const size_t element = nb_precision_size(j->precision), count = nb_group_first(j, k + 1) - nb_group_first(j, k);
    const uint64_t stride = nb_group_stride(j->group, j->s->n, k);
    const char *from = p->d_others;
    memset(p->sum, 0, sizeof p->sum);
    if (nb_group_taken(j->group, k))
        return -1;
    for (int h = 1; h < j->f->count && count > 0; h++)
        for (size_t r = first_row(j); r < end_row(j); r++, from += stride * element)
            if (nb_device_axpy(device, j->precision, count, 1, from, own_row(j, k, r)))
                return -1;
    return count == 0 || !j->out->a || !p->row->shares->sum
               ? 0
               : p->row->shares->sum(device, p->work, j->precision, count, j->s->stride,
                                     nb_group_at(j->group, j->s->m, k), own_row(j, k, 0), p->sum);
}

static int put_row(struct nb_device *device, enum nb_precision precision, uint64_t count, const void *d_from, bool add,
                   void *d_to)
{
    const double one = 1;
    const struct nb_combination row = {.c = &one, .base = add ? d_to : NULL, .out = d_to};
    return nb_device_combine(device, precision, count, 1, &d_from, 1, &row, NULL);
}

static int finish_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_device *device = nb_group_part(j->group, k);
    const uint64_t count = nb_group_first(j, k + 1) - nb_group_first(j, k);
    const void *phi = own_row(j, k, 3);
    const struct nb_field out = nb_group_own_field(j->group, j->out, j->s->n, k);
    const struct nb_force_shares *shares = j->f->part[k].row->shares;
    double sum[4] = {0};
    for (int h = 0; h < j->f->count; h++)
        for (int c = 0; c < 4; c++)
            sum[c] += j->f->part[h].sum[c];
    if (count == 0)
        return 0;
    if (out.phi && put_row(device, j->precision, count, phi, out.add, out.phi))
        return -1;
    for (size_t r = 0; r < 3 && out.a && !shares->finish; r++)
        if (put_row(device, j->precision, count, own_row(j, k, r), out.add,
                    (char *)out.a + r * out.stride * nb_precision_size(j->precision)))
            return -1;
    return out.a && shares->finish ? shares->finish(device, j->f->part[k].work, j->precision, count, j->s->stride,
                                                    own_row(j, k, 0), sum, &out)
                                   : 0;
}

/* Moves the bounds between the parts' shares of the work, so that all parts take about the same time. Part k computes
 * the range of the work from bound[k] to bound[k + 1]. Its measured time is assumed to be distributed evenly over this
 * range. This gives an estimate of the best bounds, and each bound moves half the way to its best value. Results do not
 * depend on the bounds. */
static void balance(struct nb_group_force *f)
{
    double total = 0, next[NB_GROUP_MAX + 1], done = 0;
    for (int k = 0; k < f->count; k++)
        total += f->part[k].seconds;
    if (!(total > 1e-4))
        return;
    for (int b = 1, k = 0; b < f->count; b++) {
        const double wanted = total * b / f->count;
        while (k < f->count - 1 && done + f->part[k].seconds < wanted)
            done += f->part[k++].seconds;
        next[b] = f->bound[k] + (f->bound[k + 1] - f->bound[k]) * fmin(1, (wanted - done) / f->part[k].seconds);
    }
    for (int b = 1; b < f->count; b++)
        f->bound[b] += 0.5 * (next[b] - f->bound[b]);
}

/* Computes the field of all bodies (t NULL) or of the targets t with nb_force_shares.together. Returns 1 if the force
 * does not have the function `together`, or if a part belongs to another process. */
static int field_together(const struct nb_group_job *j, const struct nb_targets *t)
{
    struct nb_group_force *f = j->f;
    void *work[NB_GROUP_MAX];
    /* measured time of each part. It stays 0 if `together` does not use f->bound, or if a position is not finite */
    double seconds[NB_GROUP_MAX] = {0};
    bool has = f->row->shares && f->row->shares->together;
    for (int k = 0; k < f->count; k++) {
        work[k] = f->part[k].work;
        has &= f->part[k].row == f->row;
    }
    if (!has)
        return 1;
    const int status = f->row->shares->together(j->group, work, f->bound, j->precision, j->s, t, j->out, seconds);
    for (int k = 0; k < f->count && status == 0; k++)
        f->part[k].seconds = seconds[k];
    if (status == 0)
        balance(f);
    return status;
}

int nb_group_list_in_shares(const struct nb_group_job *j)
{
    const struct nb_field *out = j->out;
    const bool simple = out->a && !out->phi && !out->jerk && !out->snap && !out->pressure && !out->add && !out->close;
    if (!simple || !j->t->index || j->t->n == 0 || nb_group_bodies(j->group, out->a) > 0 ||
        nb_group_bodies(j->group, j->t->index) > 0 || !nb_group_is_split(j->group, j->s->x, j->s->n) ||
        !nb_group_is_split(j->group, j->s->m, j->s->n))
        return 1;
    return field_together(j, j->t);
}

int nb_group_field_in_shares(const struct nb_group_job *j)
{
    static const struct {
        nb_group_work *work;
        /* name of the stage for time measurements. NULL: the force names its own stages (nb_timing_stage) */
        const char *name;
    } stages[] = {{nb_group_make_ready, "exchange positions"},
                  {nb_group_take_all, "exchange positions"},
                  {share_part, NULL},
                  {exchange_part, "exchange fields"},
                  {add_part, "exchange fields"},
                  {finish_part, "exchange fields"}};
    const int status = field_together(j, NULL);
    if (status <= 0)
        return status;
    if (shares_of(j) == NB_SHARES_NONE)
        return 1;
    if (nb_group_check_rows(j))
        return -1;
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        if (stages[k].name)
            nb_timing_stage(j->group, stages[k].name);
        if (nb_group_run(j->group, stages[k].work, (void *)j))
            return -1;
    }
    balance(j->f);
    return 0;
}
