/* cluster.c - one block time step of the particles. It predicts all particles, prepares the groups near due particles
 * (particles whose steps end now), evaluates the forces on due particles, and corrects these particles. Declared in
 * cluster.h. */
#include "step/groups/touch.h"

#define OWN_STEP_CALL static inline
#include "device/own_hermite.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- steps ---- */

uint64_t nb_cluster_step(const struct nb_cluster *c, double time, uint64_t most)
{
    const uint64_t longest = c->now == 0 || c->now == NB_WHOLE ? NB_WHOLE : c->now & -c->now;
    const double limit = time / fabs(c->base) * (double)NB_WHOLE;
    uint64_t step = longest < most ? longest : most;
    while ((double)step > limit && step > 1)
        step /= 2;
    return step;
}

/* Predicts one coordinate (x, y or z) of the particles `first` to `end` - 1. `row`: index at which the values of this
 * coordinate begin in the arrays c->x, c->v, ... */
static void predict_row(const struct nb_cluster *c, uint64_t first, uint64_t end, uint64_t row)
{
    const double *x = c->x + row, *v = c->v + row, *a = c->a + row, *j = c->j + row, *begun = c->begun;
    double *px = c->px + row, *pv = c->pv + row;
    const double now = (double)c->now, unit = 0x1p-40 * c->base;
    for (uint64_t i = first; i < end; i++) {
        const double h = (now - begun[i]) * unit;
        px[i] = nb_own_place(h, x[i], v[i], a[i], j[i]);
        pv[i] = nb_own_speed(h, v[i], a[i], j[i]);
    }
}

#define BLOCK 4096 /* number of particles per block */

static void predict_block(struct nb_cluster *c, uint64_t k)
{
    const uint64_t first = k * BLOCK, end = first + BLOCK < c->n ? first + BLOCK : c->n;
    for (uint64_t d = 0; d < 3; d++)
        predict_row(c, first, end, d * c->stride);
}

static void predict(struct nb_cluster *c)
{
    nb_cluster_each(c, (c->n + BLOCK - 1) / BLOCK, c->n > 4 * BLOCK, predict_block);
}

/* ---- due particles ---- */

static void add_due(struct nb_cluster *c, uint64_t i)
{
    if (c->marks[i] & NB_IS_DUE || c->group[i] == NB_VACANT)
        return;
    c->marks[i] |= NB_IS_DUE;
    c->seen[i].known = false;
    c->due[c->dues++] = (uint32_t)i;
}

/* Advances c->now to the next time at which steps end and lists the particles whose steps end. */
static void find_due(struct nb_cluster *c)
{
    uint64_t next = NB_WHOLE;
    c->dues = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->ends[i] > next)
            continue;
        if (c->ends[i] < next)
            c->dues = 0;
        next = c->ends[i];
        c->due[c->dues++] = (uint32_t)i;
    }
    c->now = next;
    for (uint64_t q = 0; q < c->dues; q++) {
        c->marks[c->due[q]] |= NB_IS_DUE;
        c->seen[c->due[q]].known = false;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void nb_cluster_sort(uint32_t *list, uint64_t count)
{
    qsort(list, count, sizeof *list, by_number);
}

int nb_cluster_too_short(void)
{
    return nb_fail(
        "a group of stars needs steps that are too short: stars are at the same position, or inside the horizon of a "
        "black hole");
}

static void advance_wanted(struct nb_cluster *c, uint64_t k)
{
    struct nb_group *g = &c->groups[k];
    if (g->n == 0 || !(c->marks[g->slot] & NB_IS_WANTED) || nb_group_advance(g, c))
        return;
#pragma omp atomic write
    c->failed = true;
}

/* Advances the stars of all groups marked NB_IS_WANTED to c->now. */
static int advance_groups(struct nb_cluster *c)
{
    uint32_t wanted = 0;
    for (uint32_t k = 0; k < c->count; k++)
        wanted += c->groups[k].n > 0 && c->marks[c->groups[k].slot] & NB_IS_WANTED;
    nb_cluster_each(c, wanted > 0 ? c->count : 0, wanted > 1, advance_wanted);
    return c->failed ? nb_cluster_too_short() : 0;
}

/* Advances to c->now the stars of two types of groups: groups that are due (the step of the particle that represents
 * the group ends now), and groups that have a due single star within nb_group.reach. */
static int advance_met(struct nb_cluster *c)
{
    for (uint64_t q = 0; q < c->dues; q++) {
        const uint32_t i = c->due[q];
        if (c->group[i] >= 0) {
            c->marks[i] |= NB_IS_WANTED;
            continue;
        }
        const uint32_t *list;
        const int64_t count = nb_cluster_in_sight(c, i, &list);
        for (int64_t k = 0; k < count; k++)
            if (nb_cluster_meets(c, i, list[k], 1))
                c->marks[c->groups[list[k]].slot] |= NB_IS_WANTED;
        if (count < 0)
            return -1;
    }
    return advance_groups(c);
}

/* Prepares group g for a particle on which the individual stars of g act. Advances the stars to c->now. If they
 * moved on an averaged orbit, replaces this orbit by a chain, and adds the particle that represents g to the due
 * particles (particles whose steps end now). */
static int want_stars(struct nb_cluster *c, struct nb_group *g)
{
    if (!nb_group_advance(g, c))
        return nb_cluster_too_short();
    if (!g->averaged)
        return 0;
    nb_group_resolve(g, c);
    add_due(c, g->slot);
    return 0;
}

/* If due particle i is within nb_group.reach of group g, prepares the individual stars of g (want_stars). Then also
 * limits the next step of i to nb_group.pace of g, a fraction of the dynamical time of the group. */
static int meet(struct nb_cluster *c, uint64_t i, uint32_t g)
{
    if (!nb_cluster_meets(c, i, g, 1))
        return 0;
    c->cap[i] = fmin(c->cap[i], c->groups[g].pace);
    return want_stars(c, &c->groups[g]);
}

static int prepare_group(struct nb_cluster *c, struct nb_group *g)
{
    const uint32_t i = g->slot;
    if (!nb_group_advance(g, c))
        return nb_cluster_too_short();
    g->around = nb_cluster_look(c, i, &g->view);
    g->looked = c->now;
    if (g->around.failed)
        return -1;
    if (g->averaged && nb_orbit_is_fast(&g->orbit))
        nb_group_resolve(g, c);
    if (g->averaged)
        c->cap[i] = fmin(c->cap[i], nb_group_longest(g));
    if (g->around.met) {
        nb_group_resolve(g, c);
        c->cap[i] = fmin(c->cap[i], g->pace);
    }
    c->cap[i] = fmin(c->cap[i], nb_cluster_stays(c, g));
    for (uint32_t k = 0; k < g->nears; k++)
        if (c->group[g->near[k]] >= 0 && meet(c, i, (uint32_t)c->group[g->near[k]]))
            return -1;
    return 0;
}

/* Prepares groups for the force on due particle i: advances to c->now the stars of each group that has i within
 * nb_group.reach, and the stars of i and of its partner if these are groups. If steps of other particles must end
 * together with the step of i, appends these particles to the list of due particles. */
static int prepare_one(struct nb_cluster *c, uint32_t i)
{
    const uint32_t partner = c->partner[i];
    c->cap[i] = INFINITY;
    if (partner != NB_NOBODY) {
        add_due(c, partner);
        if (c->group[partner] >= 0 && want_stars(c, &c->groups[c->group[partner]]))
            return -1;
    }
    if (c->group[i] >= 0)
        return prepare_group(c, &c->groups[c->group[i]]);
    const uint32_t *list;
    const int64_t count = nb_cluster_in_sight(c, i, &list);
    for (int64_t k = 0; k < count; k++)
        if (meet(c, i, list[k]))
            return -1;
    return count < 0 ? -1 : 0;
}

/* Calls prepare_one for all due particles. prepare_one may append particles to the list during the loop. */
static int prepare(struct nb_cluster *c)
{
    for (uint64_t q = 0; q < c->dues; q++)
        if (prepare_one(c, c->due[q]))
            return -1;
    nb_cluster_sort(c->due, c->dues);
    return 0;
}

/* ---- forces and corrections ---- */

static void mend(struct nb_cluster *c, uint64_t q)
{
    struct nb_mended o;
    nb_cluster_mend(c, c->evaluated[q], &o);
    for (int d = 0; d < 3; d++) {
        c->field_a[d * c->stride + q] += o.a[d] + o.stars_a[d];
        c->field_j[d * c->stride + q] += o.j[d] + o.stars_j[d];
    }
    nb_cluster_give(c, c->part_a, q, o.stars_a);
    nb_cluster_give(c, c->part_j, q, o.stars_j);
}

int nb_cluster_evaluate(struct nb_cluster *c, uint64_t count, const uint32_t *index)
{
    c->evaluated = index;
    if (c->forces(c->forces_data, count, index, c->field_a, c->field_j))
        return -1;
    nb_cluster_each(c, count, count > 32 && c->count > 0, mend);
    return 0;
}

/* Returns whether individual stars of groups contribute to the acceleration or jerk of due particle c->due[q], now
 * or at the beginning of its step. */
static bool has_stars(const struct nb_cluster *c, uint64_t q)
{
    bool has = false;
    for (int d = 0; d < 3; d++) {
        const uint64_t at = d * c->stride + c->due[q], in = d * c->stride + q;
        has = has || c->stars_a[at] != 0 || c->stars_j[at] != 0 || c->part_a[in] != 0 || c->part_j[in] != 0;
    }
    return has;
}

/* Returns the time scale of due particle c->due[q] after a step of size h. a, j: acceleration and jerk at the end of
 * the step. First subtracts from all accelerations and jerks the pull of the individual stars of groups minus the pull
 * of the groups as point masses. This difference is c->stars_a and c->stars_j at the beginning of the step, c->part_a
 * and c->part_j at its end. It varies fast; near a group, nb_group.pace limits the particle's step instead. Stores
 * c->part_a and c->part_j in c->stars_a and c->stars_j for the next step. */
static double smooth_scale(const struct nb_cluster *c, uint64_t q, double h, const double a[3], const double j[3])
{
    const uint64_t i = c->due[q];
    struct nb_own_body b = {.x = {0}};
    double end_a[3], end_j[3];
    for (int d = 0; d < 3; d++) {
        const uint64_t at = d * c->stride + i, in = d * c->stride + q;
        b.a[d] = c->a[at] - c->stars_a[at];
        b.j[d] = c->j[at] - c->stars_j[at];
        end_a[d] = a[d] - c->part_a[in];
        end_j[d] = j[d] - c->part_j[in];
        c->stars_a[at] = c->part_a[in];
        c->stars_j[at] = c->part_j[in];
    }
    return nb_own_correct(&b, h, end_a, end_j, c->least);
}

static void correct(struct nb_cluster *c, uint64_t q)
{
    const uint64_t i = c->due[q];
    struct nb_own_body b;
    double a[3], j[3];
    nb_cluster_take(c, c->x, i, b.x);
    nb_cluster_take(c, c->v, i, b.v);
    nb_cluster_take(c, c->a, i, b.a);
    nb_cluster_take(c, c->j, i, b.j);
    nb_cluster_take(c, c->field_a, q, a);
    nb_cluster_take(c, c->field_j, q, j);
    const uint64_t before = c->now - (uint64_t)c->begun[i];
    const double h = nb_cluster_span(c, c->begun[i], (double)c->now);
    const double smooth = has_stars(c, q) ? smooth_scale(c, q, h, a, j) : 0,
                 scale = nb_own_correct(&b, h, a, j, c->least);
    c->scale[i] = smooth > 0 ? smooth : scale;
    if (c->group[i] >= 0)
        nb_group_follow(&c->groups[c->group[i]], b.x, b.v);
    nb_cluster_give(c, c->x, i, b.x);
    nb_cluster_give(c, c->v, i, b.v);
    nb_cluster_give(c, c->a, i, b.a);
    nb_cluster_give(c, c->j, i, b.j);
    nb_cluster_give(c, c->px, i, b.x);
    nb_cluster_give(c, c->pv, i, b.v);
    nb_cluster_begin_step(c, i, nb_cluster_step(c, fmin(c->eta * c->scale[i], c->cap[i]), 2 * before));
}

/* ---- one block time ---- */

/* Looks for contacts of stars up to the time c->now. Returns whether a contact was found. */
static bool is_touched(struct nb_cluster *c)
{
    if (!c->watch)
        return false;
    nb_touch_collect(c);
    nb_touch_particles(c);
    return c->watch->found;
}

int nb_cluster_next(struct nb_cluster *c, bool all, uint64_t *count)
{
    memset(c->marks, 0, c->n);
    find_due(c);
    all = all || c->now == NB_WHOLE;
    predict(c);
    for (uint64_t i = 0; i < c->n && all; i++)
        add_due(c, i);
    if (nb_cluster_list(c))
        return -1;
    c->sights_count = 0;
    if (advance_met(c))
        return -1;
    if (prepare(c))
        return -1;
    *count = c->dues;
    if (is_touched(c))
        return 0;
    if (nb_cluster_evaluate(c, c->dues, c->due))
        return -1;
    for (uint64_t q = 0; q < c->dues; q++)
        correct(c, q);
    return nb_cluster_regroup(c, c->due + c->n);
}
