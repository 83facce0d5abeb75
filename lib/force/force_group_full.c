/* The field of all bodies by a force that serves nothing less: the first device computes it, and each takes its bodies'
 * part of it. The bits are those of one device. */
#include "force/force_group_job.h"

static void *full_row(const struct nb_group_job *j, size_t row)
{
    return (char *)j->f->part[0].d_own + row * nb_group_row_bytes(j);
}

static int reserve_full(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_group_part_work *p = &j->f->part[k];
    const size_t others = nb_group_stride(j->group, j->s->n, k) * nb_precision_size(j->precision) * NB_GROUP_ROWS;
    if (j->out->add && nb_group_reserve(nb_group_part(j->group, k), &p->d_others, &p->others_bytes, others))
        return -1;
    if (k > 0)
        return nb_group_ready(j->group, k);
    return nb_group_reserve(nb_group_part(j->group, k), &p->d_own, &p->own_bytes,
                            NB_GROUP_ROWS * nb_group_row_bytes(j)) ||
                   nb_group_make_ready(context, k)
               ? -1
               : 0;
}

static int compute_full(void *context, int k)
{
    const struct nb_group_job *j = context;
    if (nb_group_taken(j->group, k))
        return -1;
    if (k > 0)
        return nb_group_ready(j->group, k);
    const struct nb_sources all = nb_group_taken_sources(j, k, 0, j->s->n);
    const struct nb_targets t = {.n = all.n, .stride = all.stride, .x = all.x, .v = all.v};
    const struct nb_field out = {.stride = all.stride,
                                 .a = j->out->a ? full_row(j, 0) : NULL,
                                 .phi = j->out->phi ? full_row(j, 3) : NULL,
                                 .aside = j->out->aside};
    return j->f->part[0].row->field(nb_group_part(j->group, k), j->f->part[k].work, j->precision, &all, &t, &out) ||
                   nb_group_ready(j->group, k)
               ? -1
               : 0;
}

/* The part's bodies' values of a row of out. */
static char *place_of(const struct nb_group_job *j, int k, size_t row)
{
    const size_t bytes = nb_group_stride(j->group, j->s->n, k) * nb_precision_size(j->precision);
    return row == 3 ? nb_group_at(j->group, j->out->phi, k) : (char *)nb_group_at(j->group, j->out->a, k) + row * bytes;
}

/* Where they are to be added, beside them first. */
static int take_field(void *context, int k)
{
    const struct nb_group_job *j = context;
    const struct nb_group_part_work *p = &j->f->part[k];
    const size_t element = nb_precision_size(j->precision), begin = nb_group_first(j, k),
                 count = nb_group_first(j, k + 1) - begin, bytes = nb_group_stride(j->group, j->s->n, k) * element;
    for (size_t r = nb_group_first_row(j); r < nb_group_end_row(j) && count > 0; r++)
        if (nb_group_copy(j->group, k, j->out->add ? (char *)p->d_others + r * bytes : place_of(j, k, r), 0,
                          (char *)full_row(j, r) + begin * element, count * element))
            return -1;
    return 0;
}

static int add_field(void *context, int k)
{
    const struct nb_group_job *j = context;
    const size_t count = nb_group_first(j, k + 1) - nb_group_first(j, k),
                 bytes = nb_group_stride(j->group, j->s->n, k) * nb_precision_size(j->precision);
    if (nb_group_taken(j->group, k))
        return -1;
    for (size_t r = nb_group_first_row(j); r < nb_group_end_row(j) && j->out->add && count > 0; r++)
        if (nb_device_axpy(nb_group_part(j->group, k), j->precision, count, 1,
                           (char *)j->f->part[k].d_others + r * bytes, place_of(j, k, r)))
            return -1;
    return 0;
}

int nb_group_field_in_full(const struct nb_group_job *j)
{
    nb_group_work *const stages[] = {reserve_full, nb_group_take_first, compute_full, take_field, add_field};
    if (nb_group_check_rows(j))
        return -1;
    return nb_group_run_stages(j, stages, sizeof stages / sizeof *stages);
}
