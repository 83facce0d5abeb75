/* The field at some of the bodies, or at free points. */
#include "device/quad.h"
#include "error.h"
#include "force/force_group_job.h"

#include <stdlib.h>
#include <string.h>

/* On the first part, by way of the host to where it is wanted: what an energy is checked by, a few bodies now and then,
 * or the points of a map. */
static int take_first(void *context, int k)
{
    return k > 0 ? 0 : nb_group_take_all(context, k);
}

static int finish_taking(void *context, int k)
{
    return nb_group_taken(((const struct nb_group_job *)context)->group, k);
}

#define OUT_KINDS 5

static const int out_counts[OUT_KINDS] = {3, 1, 3, 3, 1};

static void **out_row(struct nb_field *out, int kind)
{
    void **const rows[OUT_KINDS] = {&out->a, &out->phi, &out->jerk, &out->snap, &out->pressure};
    return rows[kind];
}

static void put(enum nb_precision precision, size_t count, bool add, const void *from, void *to)
{
    if (!add)
        memcpy(to, from, count * nb_precision_size(precision));
    for (size_t i = 0; i < count && add; i++)
        if (precision == NB_SINGLE)
            ((float *)to)[i] += ((const float *)from)[i];
        else if (precision == NB_QUAD)
            ((nb_quad *)to)[i] += ((const nb_quad *)from)[i];
        else
            ((double *)to)[i] += ((const double *)from)[i];
}

/* The first n values of each of `rows` rows, which lie in d_from of the first part. */
static int place(const struct nb_group_job *j, const void *d_from, void *to, int rows)
{
    const size_t element = nb_precision_size(j->precision), bytes = j->out->stride * element;
    char *host = malloc(2 * (size_t)rows * bytes), *come = host ? host + (size_t)rows * bytes : NULL;
    if (!host)
        return nb_fail("no memory");
    int status = nb_device_from(j->group, host, to, (size_t)rows * bytes) ||
                 nb_device_from(nb_group_part(j->group, 0), come, d_from, (size_t)rows * bytes);
    for (int r = 0; r < rows && status == 0; r++)
        put(j->precision, j->t->n, j->out->add, come + (size_t)r * bytes, host + (size_t)r * bytes);
    if (status == 0)
        status = nb_device_to(j->group, to, host, (size_t)rows * bytes);
    free(host);
    return status ? -1 : 0;
}

struct bringing { /* a vector of the targets, to the first part */
    const struct nb_group_job *j;
    const void *p;
    void *d_to;
};

static int bring_ready(void *context, int k)
{
    return nb_group_ready(((struct bringing *)context)->j->group, k);
}

static int bring_take(void *context, int k)
{
    const struct bringing *b = context;
    return k > 0 ? 0
                 : nb_group_take(b->j->group, 0, b->j->precision, b->j->t->n, b->p, 3, b->j->t->stride, b->d_to, true);
}

static int bring_taken(void *context, int k)
{
    return nb_group_taken(((struct bringing *)context)->j->group, k);
}

#define TARGET_VECTORS 3

/* Free points, which may be anywhere: their positions, velocities and accelerations. */
static int bring_points(const struct nb_group_job *j, char *d_to, struct nb_targets *t)
{
    const void **const vectors[TARGET_VECTORS] = {&t->x, &t->v, &t->a};
    for (int v = 0; v < TARGET_VECTORS; v++) {
        struct bringing b = {j, *vectors[v], d_to};
        if (!b.p)
            continue;
        if (nb_group_run(j->group, bring_ready, &b) || nb_group_run(j->group, bring_take, &b) ||
            nb_group_run(j->group, bring_taken, &b))
            return -1;
        *vectors[v] = d_to;
        d_to += 3 * t->stride * nb_precision_size(j->precision);
    }
    return 0;
}

/* Bodies among the sources, of which the first part has all. */
static void find_targets(const struct nb_group_job *j, const struct nb_sources *s, struct nb_targets *t)
{
    const size_t offset = t->index ? 0 : (size_t)t->self * nb_precision_size(j->precision);
    t->stride = s->stride;
    t->x = (const char *)s->x + offset;
    t->v = s->v ? (const char *)s->v + offset : NULL;
    t->a = s->a ? (const char *)s->a + offset : NULL;
    t->index = nb_group_at(j->group, t->index, 0);
}

int nb_group_field_at_some(const struct nb_group_job *j)
{
    struct nb_device *first = nb_group_part(j->group, 0);
    const size_t bytes = j->out->stride * nb_precision_size(j->precision);
    if (nb_group_run(j->group, nb_group_make_ready, (void *)j) || nb_group_run(j->group, take_first, (void *)j) ||
        nb_group_run(j->group, finish_taking, (void *)j))
        return -1;
    const struct nb_sources s = nb_group_taken_sources(j, 0, 0, j->s->n);
    const size_t points = j->t->self < 0 && !j->t->index ? 3 * TARGET_VECTORS : 0; /* rows */
    struct nb_targets t = *j->t;
    struct nb_field out = *j->out, wanted = *j->out;
    char *d_out = nb_device_alloc(first, 11 * bytes), *at = d_out; /* rows of all kinds */
    char *d_points = nb_device_alloc(first, points * t.stride * nb_precision_size(j->precision) + 1);
    int status = d_out && d_points ? 0 : -1;
    if (status == 0 && points > 0)
        status = bring_points(j, d_points, &t);
    else if (status == 0)
        find_targets(j, &s, &t);
    out.add = false;
    for (int kind = 0; kind < OUT_KINDS; at += (size_t)out_counts[kind++] * bytes)
        *out_row(&out, kind) = *out_row(&wanted, kind) ? at : NULL;
    if (status == 0)
        status = j->f->row->field(first, j->f->part[0].work, j->precision, &s, &t, &out);
    for (int kind = 0; kind < OUT_KINDS && status == 0; kind++)
        if (*out_row(&wanted, kind))
            status = place(j, *out_row(&out, kind), *out_row(&wanted, kind), out_counts[kind]);
    nb_device_free(first, d_out);
    nb_device_free(first, d_points);
    return status;
}
