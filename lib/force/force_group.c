/* force_group.c - opens and evaluates a force on all parts of a group of devices. Declared in force_group.h. */
#include "force/force_group.h"

#include "base/error.h"
#include "base/memory.h"
#include "force/force_group_job.h"
#include "force/force_remote.h"

#include <stdlib.h>

static void close_force(struct nb_device *group, void *work)
{
    struct nb_group_force *f = work;
    for (int k = 0; k < f->count; k++) {
        struct nb_device *device = nb_group_part(group, k);
        if (f->part[k].work)
            f->part[k].row->close(device, f->part[k].work);
        for (int row = 0; row < ROW_KINDS; row++)
            nb_device_free(device, f->part[k].d_row[row]);
        nb_device_free(device, f->part[k].d_own);
        nb_device_free(device, f->part[k].d_others);
    }
    free(f);
}

/* Returns whether the force is computed exactly, by summing over all sources. Each part of the group can then begin
 * with its own sources, while the sources of the other parts are copied. */
static bool adds_up(const struct nb_group_job *j)
{
    return j->f->row->flags & NB_EXACT && j->f->row->flags & NB_ALL_PAIRS;
}

struct nb_sources nb_group_own_sources(const struct nb_device *group, const struct nb_sources *s, int k)
{
    struct nb_sources own = *s;
    own.n = nb_group_begin(group, s->n, k + 1) - nb_group_begin(group, s->n, k);
    own.stride = nb_group_stride(group, s->n, k);
    own.m = nb_group_at(group, s->m, k);
    own.x = nb_group_at(group, s->x, k);
    own.v = nb_group_at(group, s->v, k);
    own.a = nb_group_at(group, s->a, k);
    own.radius = nb_group_at(group, s->radius, k);
    own.hole = nb_group_at(group, s->hole, k);
    return own;
}

struct nb_field nb_group_own_field(const struct nb_device *group, const struct nb_field *out, uint64_t n, int k)
{
    struct nb_field own = *out;
    own.stride = nb_group_stride(group, n, k);
    own.a = nb_group_at(group, out->a, k);
    own.phi = nb_group_at(group, out->phi, k);
    own.jerk = nb_group_at(group, out->jerk, k);
    own.snap = nb_group_at(group, out->snap, k);
    own.pressure = nb_group_at(group, out->pressure, k);
    return own;
}

static int field_of(const struct nb_group_job *j, int k, const struct nb_sources *s, int64_t self, bool add)
{
    const uint64_t begin = nb_group_first(j, k);
    const struct nb_targets t = {.n = nb_group_first(j, k + 1) - begin,
                                 .stride = nb_group_stride(j->group, j->s->n, k),
                                 .x = nb_group_at(j->group, j->t->x, k),
                                 .self = self,
                                 .v = nb_group_at(j->group, j->t->v, k),
                                 .a = nb_group_at(j->group, j->t->a, k),
                                 .share = true};
    struct nb_field out = nb_group_own_field(j->group, j->out, j->s->n, k);
    out.add = add;
    if (t.n == 0 || s->n == 0)
        return 0;
    return j->f->part[k].row->field(nb_group_part(j->group, k), j->f->part[k].work, j->precision, s, &t, &out);
}

static int begin_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    if (nb_group_make_ready(context, k))
        return -1;
    const struct nb_sources own = nb_group_own_sources(j->group, j->s, k);
    return adds_up(j) ? field_of(j, k, &own, 0, j->out->add) : 0;
}

static int take_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    return nb_group_take_rows(j, k, !adds_up(j));
}

static int end_part(void *context, int k)
{
    const struct nb_group_job *j = context;
    const uint64_t begin = nb_group_first(j, k), end = nb_group_first(j, k + 1), n = j->s->n;
    if (nb_group_taken(j->group, k))
        return -1;
    if (!adds_up(j)) {
        const struct nb_sources all = nb_group_taken_sources(j, k, 0, n);
        return field_of(j, k, &all, (int64_t)begin, j->out->add);
    }
    const struct nb_sources below = nb_group_taken_sources(j, k, 0, begin),
                            above = nb_group_taken_sources(j, k, end, n);
    return nb_status(field_of(j, k, &below, -1, true) || field_of(j, k, &above, -1, true));
}

/* Computes an external field on part k. This needs no sources from other parts. */
static int field_alone(void *context, int k)
{
    const struct nb_group_job *j = context;
    const struct nb_sources own = nb_group_own_sources(j->group, j->s, k);
    return field_of(j, k, &own, 0, j->out->add);
}

static int field(struct nb_device *group, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const struct nb_targets *t, const struct nb_field *out)
{
    /* an external field may be evaluated without sources */
    struct nb_sources sources = s ? *s : (struct nb_sources){0};
    struct nb_group_job j = {group, work, precision, &sources, t, out};
    if (!s || t->index || t->self != 0 || t->n != s->n || !nb_group_is_split(group, t->x, s->n) ||
        !nb_group_is_split(group, s->x, s->n))
        return j.f->flags & NB_ALL_BODIES ? nb_fail("force %s computes forces on all bodies only", j.f->row->method)
                                          : nb_group_field_at_some(&j);
    if (nb_force_is_field(j.f->row->flags))
        return nb_group_run(group, field_alone, &j);
    /* From here on the targets and the sources are the same bodies, so t->v contains the velocities of the sources. */
    if (!sources.v && j.f->flags & NB_NEEDS_VELOCITY)
        sources.v = t->v;
    if (j.f->flags & NB_ALL_BODIES)
        return nb_group_check_rows(&j) ? -1 : nb_group_field_at_some(&j);
    const int status = nb_group_field_in_shares(&j);
    if (status <= 0)
        return status;
    return nb_status(nb_group_run(group, begin_part, &j) || nb_group_run(group, take_part, &j) ||
                     nb_group_run(group, end_part, &j));
}

static const char *notes(const void *work)
{
    const struct nb_group_force *f = work;
    return f->part[0].row->notes ? f->part[0].row->notes(f->part[0].work) : NULL;
}

static double frequency(const void *work, uint64_t n, const double *x, double time)
{
    const struct nb_group_force *f = work;
    return f->part[0].row->frequency(f->part[0].work, n, x, time);
}

static int covers(const void *work, double begin, double end)
{
    const struct nb_group_force *f = work;
    return f->part[0].row->covers(f->part[0].work, begin, end);
}

static double grain(const void *work, double begin, double end)
{
    const struct nb_group_force *f = work;
    return f->part[0].row->grain(f->part[0].work, begin, end);
}

struct opening {
    struct nb_device *group;
    struct nb_group_force *f;
    const struct nb_force_spec *spec;
    const struct nb_meta *meta;
};

static int open_part(void *context, int k)
{
    const struct opening *o = context;
    struct nb_group_part_work *p = &o->f->part[k];
    p->row = o->f->row;
    if (nb_device_is_remote(nb_group_part(o->group, k)))
        return nb_force_remote_open(nb_group_part(o->group, k), o->f->row, o->spec, o->meta, &p->row, &p->work);
    if (!p->row->open)
        return 0;
    p->work = p->row->open(nb_group_part(o->group, k), o->spec, o->meta);
    return p->work ? 0 : -1;
}

int nb_force_group_open(struct nb_device *group, const struct nb_force *row, const struct nb_force_spec *spec,
                        const struct nb_meta *meta, const struct nb_force **entry, void **work)
{
    struct nb_group_force *f = nb_memory_new(sizeof *f);
    if (!f)
        return -1;
    f->entry = *row;
    f->row = row;
    f->flags = row->flags | (spec ? nb_force_spec_further(spec) : 0);
    f->count = nb_group_count(group);
    f->entry.field = field;
    f->entry.recordable = NULL;
    f->entry.steps = row->steps ? &nb_group_steps : NULL;
    f->entry.carry = row->carry ? nb_group_carry : NULL;
    f->entry.own = NULL; /* removed, because `own` and `neighbours` work on one device only */
    f->entry.neighbours = NULL;
    for (int k = 0; k <= f->count; k++)
        f->bound[k] = (double)k / f->count;
    f->entry.close = close_force;
    f->entry.notes = notes;
    f->entry.frequency = row->frequency ? frequency : NULL;
    f->entry.covers = row->covers ? covers : NULL;
    f->entry.grain = row->grain ? grain : NULL;
    struct opening o = {group, f, spec, meta};
    if (nb_group_run(group, open_part, &o)) {
        close_force(group, f);
        return -1;
    }
    f->flags |= row->steps ? nb_group_steps.flags(f) : 0;
    *entry = &f->entry;
    *work = f;
    return 0;
}
