/* force_group_step.c - boundaries, step limits, counts and checkpoint data of a force on a group. Declared in
 * force_group_job.h. */
#include "base/error.h"
#include "base/pack.h"
#include "force/force_group_job.h"

#include <math.h>
#include <stdlib.h>

struct step_job {
    struct nb_device *group;
    const struct nb_group_force *f;
    const struct nb_state *s;
    bool asked; /* true: the next evaluation is for all bodies (argument of nb_force_steps.boundary) */
    double least[NB_GROUP_MAX][NB_LEAST_MAX];
};

static struct nb_state state_of(const struct step_job *j, int k)
{
    struct nb_state s = *j->s;
    s.device = nb_group_part(j->group, k);
    s.n = nb_group_begin(j->group, j->s->n, k + 1) - nb_group_begin(j->group, j->s->n, k);
    s.stride = nb_group_stride(j->group, j->s->n, k);
    s.m = nb_group_at(j->group, j->s->m, k);
    s.x = nb_group_at(j->group, j->s->x, k);
    s.v = nb_group_at(j->group, j->s->v, k);
    s.a = nb_group_at(j->group, j->s->a, k);
    s.radius = nb_group_at(j->group, j->s->radius, k);
    s.hole = nb_group_at(j->group, j->s->hole, k);
    return s;
}

static int find_least(void *context, int k)
{
    struct step_job *j = context;
    const struct nb_state s = state_of(j, k);
    const struct nb_group_part_work *p = &j->f->part[k];
    return s.n > 0 ? p->row->steps->longest(s.device, p->work, &s, j->least[k], NULL) : 0;
}

/* Computes the limit *h of the step size. Each part computes the minima least[] over its bodies
 * (nb_force_steps.longest). Then the first part computes *h from the minima over all parts. It gets a state without
 * bodies, because least[] already includes all bodies. */
static int longest_step(struct nb_device *group, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                        double *h)
{
    struct step_job j = {.group = group, .f = work, .s = s};
    const struct nb_state none = {.device = nb_group_part(group, 0), .precision = s->precision};
    for (int k = 0; k < NB_GROUP_MAX; k++)
        for (int q = 0; q < NB_LEAST_MAX; q++)
            j.least[k][q] = INFINITY;
    if (nb_group_run(group, find_least, &j))
        return -1;
    for (int k = 0; k < j.f->count; k++)
        for (int q = 0; q < NB_LEAST_MAX; q++)
            least[q] = fmin(least[q], j.least[k][q]);
    const struct nb_group_part_work *p = &j.f->part[0];
    return p->row->steps->longest(none.device, p->work, &none, least, h) ? nb_group_failed(group, 0) : 0;
}

struct join_job {
    struct nb_device *group;
    const struct nb_group_force *f;
    char *counts;
};

static void *counts_of(const struct join_job *j, int k)
{
    return j->counts + (size_t)k * j->f->row->steps->counts->size_bytes;
}

static int fetch_counts(void *context, int k)
{
    const struct join_job *j = context;
    const struct nb_group_part_work *p = &j->f->part[k];
    return p->row->steps->counts->fetch(nb_group_part(j->group, k), p->work, counts_of(j, k));
}

static int put_counts(void *context, int k)
{
    const struct join_job *j = context;
    const struct nb_group_part_work *p = &j->f->part[k];
    return p->row->steps->counts->put(nb_group_part(j->group, k), p->work, counts_of(j, k));
}

static int join(struct nb_device *group, const struct nb_group_force *f, enum nb_join when)
{
    const struct nb_force_counts *c = f->row->steps ? f->row->steps->counts : NULL;
    void *counts[NB_GROUP_MAX];
    if (!c || (when == NB_JOIN_STEP && !c->changed(f->part[0].work)))
        return 0;
    struct join_job j = {group, f, calloc((size_t)f->count, c->size_bytes)};
    if (!j.counts)
        return nb_fail("no memory");
    int status = nb_group_run(group, fetch_counts, &j);
    for (int k = 0; k < f->count; k++)
        counts[k] = counts_of(&j, k);
    if (status == 0) {
        c->join(when, f->count, counts);
        status = nb_group_run(group, put_counts, &j);
    }
    free(j.counts);
    return status;
}

static int report(struct nb_device *group, void *work, struct nb_meta *meta)
{
    const struct nb_group_force *f = work;
    if (!f->row->steps->report)
        return 0;
    if (join(group, f, NB_JOIN_REPORT))
        return -1;
    for (int k = f->count - 1; k >= 0; k--)
        if (f->part[k].row->steps->report(nb_group_part(group, k), f->part[k].work, k == 0 ? meta : NULL))
            return nb_group_failed(group, k);
    return 0;
}

/* The checkpoint data of each part describe all bodies. Only the counts differ between parts, so they are combined
 * before part 0 saves its data. All parts load these data. */
int nb_group_carry(struct nb_device *group, void *work, uint64_t n, struct nb_pack *p)
{
    const struct nb_group_force *f = work;
    const bool loads = p->way == NB_PACK_LOAD;
    const size_t begin = p->at;
    if (p->way == NB_PACK_SAVE && join(group, f, NB_JOIN_REPORT))
        return -1;
    for (int k = 0; k < (loads ? f->count : 1); k++) {
        p->at = begin;
        if (f->part[k].row->carry(nb_group_part(group, k), f->part[k].work, n, p))
            return nb_group_failed(group, k);
    }
    return loads ? join(group, f, NB_JOIN_LOADED) : 0;
}

/* Applies the boundary on part k. Also called for a part without bodies, because each part counts the steps. */
static int bound_part(void *context, int k)
{
    const struct step_job *j = context;
    struct nb_state s = state_of(j, k);
    return j->f->part[k].row->steps->boundary(s.device, j->f->part[k].work, &s, nb_group_begin(j->group, j->s->n, k),
                                              j->asked);
}

static int boundary(struct nb_device *group, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    struct step_job j = {.group = group, .f = work, .s = s, .asked = asked};
    (void)first;
    return nb_group_run(group, bound_part, &j) ? -1 : join(group, j.f, NB_JOIN_STEP);
}

static unsigned opened_flags(const void *work)
{
    const struct nb_group_part_work *p = &((const struct nb_group_force *)work)->part[0];
    return p->row->steps->flags ? p->row->steps->flags(p->work) : 0;
}

const struct nb_force_steps nb_group_steps = {
    .flags = opened_flags, .longest = longest_step, .boundary = boundary, .report = report};
