/* force_group_some.c - computes a field on a group of devices. The targets are a list of bodies, or points. Each part
 * of the group computes a range of the targets. Then each part gets the results that it must store from the other
 * parts. For a force with NB_ALL_BODIES, the first part computes the entire field. The result is then bitwise identical
 * to the result on one device. */
#include "base/error.h"
#include "device/quad.h"
#include "force/force_group_job.h"

#define VECTORS   3 /* number of vectors of targets: positions, velocities, accelerations */
#define OUT_KINDS 5 /* number of outputs: acceleration, potential, jerk, snap, pressure */

static const int out_counts[OUT_KINDS] = {3, 1, 3, 3, 1};

static void **out_row(struct nb_field *out, int kind)
{
    void **const rows[OUT_KINDS] = {&out->a, &out->phi, &out->jerk, &out->snap, &out->pressure};
    return rows[kind];
}

static const void **vector_of(struct nb_targets *t, int v)
{
    const void **const vectors[VECTORS] = {&t->x, &t->v, &t->a};
    return vectors[v];
}

static bool by_first(const struct nb_group_job *j)
{
    return j->f->flags & NB_ALL_BODIES;
}

static uint64_t first_target(const struct nb_group_job *j, int k)
{
    if (by_first(j))
        return k > 0 ? j->t->n : 0;
    return nb_group_begin(j->group, j->t->n, k);
}

/* Range of the targets that a part computes. A part without targets normally computes nothing. There is one exception:
 * some forces keep state for later evaluations (nb_force.carry), and this state must be the same on all parts. A part
 * without targets then computes the first target and discards the result. */
struct part_targets {
    uint64_t first, n;
};

static struct part_targets computed_by(const struct nb_group_job *j, int k)
{
    const struct part_targets own = {first_target(j, k), first_target(j, k + 1) - first_target(j, k)};
    const bool keeps = j->f->row->carry && !by_first(j);
    return own.n == 0 && j->t->n > 0 && keeps ? (struct part_targets){0, 1} : own;
}

/* Returns whether the targets are sources. If they are, each part reads the targets from its copy of the sources.
 * Returns false for external forces, which have no sources. */
static bool among_sources(const struct nb_group_job *j)
{
    return !nb_force_is_field(j->f->flags) && (j->t->index || j->t->self >= 0);
}

/* Returns how many elements of `vector` (position, velocity or acceleration) part k needs. If the targets are a list of
 * bodies, the part needs the elements of all bodies. Otherwise it needs the elements of the targets that it
 * computes. */
static uint64_t wanted_points(const struct nb_group_job *j, int k, const void *vector)
{
    return j->t->index ? nb_group_bodies(j->group, vector) : computed_by(j, k).n;
}

static size_t points_bytes(const struct nb_group_job *j)
{
    return 3 * j->t->stride * nb_precision_size(j->precision);
}

static uint64_t out_stride(const struct nb_group_job *j, int k)
{
    const uint64_t own = by_first(j) ? (k > 0 ? 0 : j->s->stride) : nb_group_stride(j->group, j->t->n, k);
    return own > 0 ? own : NB_STRIDE_UNIT;
}

/* Returns the number of output rows up to and including the last wanted row. Unwanted rows before it are counted. */
static size_t out_rows(const struct nb_group_job *j)
{
    struct nb_field out = *j->out;
    size_t rows = 0, before = 0;
    for (int kind = 0; kind < OUT_KINDS; kind++) {
        before += (size_t)out_counts[kind];
        rows = *out_row(&out, kind) ? before : rows;
    }
    return rows;
}

static size_t out_bytes(const struct nb_group_job *j, int k)
{
    return out_stride(j, k) * nb_precision_size(j->precision);
}

/* Returns the size in bytes of a row of values received from other parts. The row has space for all targets. */
static size_t come_bytes(const struct nb_group_job *j)
{
    return (j->t->n + NB_STRIDE_UNIT) / NB_STRIDE_UNIT * NB_STRIDE_UNIT * nb_precision_size(j->precision);
}

/* Finds the targets whose results part k must store. row: an output of the group, a member of nb_field. Sets *begin to
 * the first of these targets, *end to the target after the last, and *stride to the stride of the output on part k. */
static void find_place(const struct nb_group_job *j, int k, const void *row, uint64_t *begin, uint64_t *end,
                       uint64_t *stride)
{
    const uint64_t n = nb_group_bodies(j->group, row), all = j->t->n;
    *begin = n > 0 ? nb_group_begin(j->group, n, k) : 0;
    *end = n > 0 ? nb_group_begin(j->group, n, k + 1) : all;
    *begin = *begin < all ? *begin : all;
    *end = *end < all ? *end : all;
    *stride = n > 0 ? nb_group_stride(j->group, n, k) : j->out->stride;
}

/* ---- copies of sources and targets ---- */

static bool takes_sources(const struct nb_group_job *j, int k)
{
    return !nb_force_is_field(j->f->flags) && (k == 0 || !by_first(j));
}

/* Allocates d_own for the fields that the part computes. Also allocates d_others, which is used twice: first for the
 * vectors of the targets, then for results that are added to the output. The larger use gives its size. */
static int reserve_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_device *device = nb_group_part(j->group, k);
    struct nb_group_part_work *p = &j->f->part[k];
    const size_t points = among_sources(j) ? 0 : VECTORS * points_bytes(j),
                 come = j->out->add ? out_rows(j) * come_bytes(j) : 0;
    if (nb_group_reserve(device, &p->d_own, &p->own_bytes, out_rows(j) * out_bytes(j, k) + 1) ||
        nb_group_reserve(device, &p->d_others, &p->others_bytes, (points > come ? points : come) + 1))
        return -1;
    return takes_sources(j, k) ? nb_group_make_ready(context, k) : nb_group_ready(j->group, k);
}

static int take_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_targets t = *j->t;
    char *to = j->f->part[k].d_others;
    const size_t offset = t.index ? 0 : computed_by(j, k).first * nb_precision_size(j->precision);
    if (takes_sources(j, k) && nb_group_take_all(context, k))
        return -1;
    for (int v = 0; v < VECTORS && !among_sources(j); v++, to += points_bytes(j)) {
        const char *vector = *vector_of(&t, v);
        if (vector && nb_group_bodies(j->group, vector) > 0 &&
            nb_group_take(j->group, k, j->precision, wanted_points(j, k, vector), vector + offset, 3, t.stride, to,
                          true))
            return -1;
    }
    return 0;
}

/* ---- computation ---- */

static struct nb_targets targets_of(const struct nb_group_job *j, int k, const struct nb_sources *s)
{
    struct nb_targets t = *j->t;
    char *taken = j->f->part[k].d_others;
    const struct part_targets here = computed_by(j, k);
    const size_t element = nb_precision_size(j->precision), first = here.first;
    const size_t own = t.index ? 0 : first * element, body = t.index || t.self < 0 ? 0 : (size_t)t.self * element;
    const char *const source[VECTORS] = {s->x, s->v, s->a};
    for (int v = 0; v < VECTORS; v++, taken += points_bytes(j)) {
        const void **vector = vector_of(&t, v);
        if (among_sources(j))
            *vector = source[v] ? source[v] + body + own : NULL;
        else if (*vector && nb_group_bodies(j->group, *vector) > 0)
            *vector = taken;
        else if (*vector)
            *vector = (char *)nb_group_at(j->group, *vector, k) + own;
    }
    t.stride = among_sources(j) ? s->stride : t.stride;
    t.index = t.index ? (const uint32_t *)nb_group_at(j->group, t.index, k) + first : NULL;
    t.self = t.index || t.self < 0 ? t.self : t.self + (int64_t)first;
    t.n = here.n;
    return t;
}

static int compute_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    const struct nb_group_part_work *p = &j->f->part[k];
    struct nb_sources s = {.time = j->s->time};
    struct nb_field out = *j->out;
    char *at = p->d_own;
    if (nb_group_taken(j->group, k))
        return -1;
    if (takes_sources(j, k))
        s = nb_group_taken_sources(j, k, 0, j->s->n);
    const struct nb_targets t = targets_of(j, k, &s);
    out.add = false;
    out.stride = out_stride(j, k);
    for (int kind = 0; kind < OUT_KINDS; at += (size_t)out_counts[kind++] * out_bytes(j, k))
        *out_row(&out, kind) = *out_row(&out, kind) ? at : NULL;
    if (t.n > 0 && p->row->field(nb_group_part(j->group, k), p->work, j->precision, &s, &t, &out))
        return -1;
    return nb_group_ready(j->group, k);
}

/* ---- results ---- */

/* Copies one row of the results for targets [begin, end) to `to`, from the parts that computed them. `row` is the index
 * of this row among the rows of all outputs. */
static int take_row(const struct nb_group_job *j, int k, size_t row, uint64_t begin, uint64_t end, char *to)
{
    const size_t element = nb_precision_size(j->precision);
    for (int h = 0; h < j->f->count; h++) {
        const uint64_t first = first_target(j, h), last = first_target(j, h + 1);
        const uint64_t i0 = begin > first ? begin : first, i1 = end < last ? end : last;
        const char *from = (const char *)j->f->part[h].d_own + row * out_bytes(j, h);
        if (i0 < i1 && nb_group_copy(j->group, k, to + (i0 - begin) * element, h, from + (i0 - first) * element,
                                     (i1 - i0) * element))
            return -1;
    }
    return 0;
}

/* Returns the address on part k to which row `row` of an output is copied. kind: index of the output (0 acceleration, 1
 * potential, 2 jerk, 3 snap, 4 pressure). If `beside` is true, this is an address in d_others: the caller later adds
 * the values stored there to the output. */
static char *row_place(const struct nb_group_job *j, int k, int kind, int row, bool beside)
{
    struct nb_field out = *j->out;
    char *const to = *out_row(&out, kind);
    uint64_t begin, end, stride;
    size_t before = (size_t)row;
    find_place(j, k, to, &begin, &end, &stride);
    for (int q = 0; q < kind; q++)
        before += (size_t)out_counts[q];
    return beside ? (char *)j->f->part[k].d_others + before * come_bytes(j)
                  : (char *)nb_group_at(j->group, to, k) + (size_t)row * stride * nb_precision_size(j->precision);
}

static int place_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_field out = *j->out;
    size_t row = 0;
    for (int kind = 0; kind < OUT_KINDS; kind++)
        for (int r = 0; r < out_counts[kind]; r++, row++) {
            uint64_t begin, end, stride;
            if (!*out_row(&out, kind))
                continue;
            find_place(j, k, *out_row(&out, kind), &begin, &end, &stride);
            if (begin < end && take_row(j, k, row, begin, end, row_place(j, k, kind, r, out.add)))
                return -1;
        }
    return 0;
}

static int add_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    const double one = 1;
    const nb_quad quad_one = 1;
    struct nb_field out = *j->out;
    if (nb_group_taken(j->group, k))
        return -1;
    for (int kind = 0; kind < OUT_KINDS && out.add; kind++)
        for (int r = 0; r < out_counts[kind] && *out_row(&out, kind); r++) {
            uint64_t begin, end, stride;
            find_place(j, k, *out_row(&out, kind), &begin, &end, &stride);
            char *to = row_place(j, k, kind, r, false);
            const void *come = row_place(j, k, kind, r, true);
            const struct nb_combination sum = {
                .c = j->precision == NB_QUAD ? (const void *)&quad_one : &one, .base = to, .out = to};
            if (begin < end &&
                nb_device_combine(nb_group_part(j->group, k), j->precision, end - begin, 1, &come, 1, &sum, NULL))
                return -1;
        }
    return 0;
}

int nb_group_field_at_some(const struct nb_group_job *j)
{
    nb_group_work *const stages[] = {reserve_part, take_part, compute_part, place_part, add_part};
    const int status = nb_group_list_in_shares(j);
    if (status <= 0)
        return status;
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        if (nb_group_run(j->group, stages[k], (void *)j))
            return -1;
    return 0;
}
