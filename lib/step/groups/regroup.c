/* regroup.c - first steps of new particles, and formation and break-up of groups during the run. Declared in
 * cluster.h. */
#include "step/groups/cluster.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART 1.2 /* a binary gets an averaged orbit only if no other particle is within APART * nb_group.reach */

static double size_of(const double *rows, uint64_t stride, uint64_t i)
{
    return sqrt(rows[i] * rows[i] + rows[stride + i] * rows[stride + i] + rows[2 * stride + i] * rows[2 * stride + i]);
}

/* ---- new particles ---- */

/* Estimates the time scale of a new particle from its acceleration, its jerk and the tide of the other particles. */
static double first_scale(const struct nb_cluster *c, uint64_t i, const struct nb_around *around)
{
    const double a = size_of(c->a, c->stride, i), j = size_of(c->j, c->stride, i);
    const double change = j > 0 ? a / j : INFINITY, tide = around->all > 0 ? 1 / sqrt(around->all) : INFINITY;
    return NB_CLUSTER_START * fmin(change, tide);
}

static void forget_sights(struct nb_cluster *c)
{
    for (uint64_t i = 0; i < c->n; i++)
        c->seen[i].known = false;
    c->sights_count = 0;
}

/* Returns an upper limit of the first step of particle i. For a group, the limit is computed from its stars. For a
 * single star, the limit is the minimum of nb_group.pace of the groups that have the star within their reach. */
static double first_cap(const struct nb_cluster *c, uint64_t i)
{
    struct nb_group *g = nb_cluster_group(c, i);
    double cap = g ? fmin(nb_group_longest(g), nb_cluster_stays(c, g)) : INFINITY;
    for (uint32_t k = 0; k < c->seen[i].count && !g; k++) {
        const uint32_t met = c->sights[c->seen[i].begin + k];
        if (!c->groups[met].averaged && nb_cluster_meets(c, i, met, 1))
            cap = fmin(cap, c->groups[met].pace);
    }
    return cap;
}

/* If a new particle is within nb_group.reach of a group, advances the stars of this group to c->now. `index` lists the
 * new particles. */
static int bring_met(struct nb_cluster *c, uint64_t count, const uint32_t *index)
{
    for (uint32_t k = 0; k < c->count; k++) {
        struct nb_group *g = &c->groups[k];
        bool met = false;
        for (uint64_t q = 0; q < count && g->n > 0 && g->at != c->now && !met; q++)
            met = index[q] != g->slot && nb_cluster_meets(c, index[q], k, 1);
        if (met && !nb_group_advance(g, c))
            return nb_cluster_too_short();
    }
    return 0;
}

/* If a new particle is closer to a group than nb_group.sight, updates the list nb_group.near of this group, which
 * still contains the old particles that the new particles have replaced. `index` lists the new particles. */
static int look_again(struct nb_cluster *c, uint64_t count, const uint32_t *index)
{
    for (uint32_t k = 0; k < c->count; k++) {
        struct nb_group *g = &c->groups[k];
        bool sees = false;
        for (uint64_t q = 0; q < count && g->n > 0 && g->looked != c->now && !sees; q++)
            sees = index[q] != g->slot && nb_cluster_sees(c, index[q], k);
        if (!sees)
            continue;
        if (!nb_group_advance(g, c))
            return nb_cluster_too_short();
        g->looked = c->now;
        if (nb_cluster_look(c, g->slot, &g->view).failed)
            return -1;
    }
    return 0;
}

/* Copies acceleration and jerk from element q of the last evaluation's results to particle c->evaluated[q]. Sets the
 * time scale from which the first step of this particle is computed. */
static void take_field(struct nb_cluster *c, uint64_t q)
{
    const uint32_t i = c->evaluated[q];
    double w[3];
    nb_cluster_take(c, c->field_a, q, w);
    nb_cluster_give(c, c->a, i, w);
    nb_cluster_take(c, c->field_j, q, w);
    nb_cluster_give(c, c->j, i, w);
    nb_cluster_take(c, c->part_a, q, w);
    nb_cluster_give(c, c->stars_a, i, w);
    nb_cluster_take(c, c->part_j, q, w);
    nb_cluster_give(c, c->stars_j, i, w);
    const struct nb_group *g = nb_cluster_group(c, i);
    const struct nb_around around = g ? g->around : nb_cluster_look(c, i, NULL);
    c->scale[i] = first_scale(c, i, &around);
    /* The limit from first_cap is stored in c->cap and not in c->scale, so that the check of the minimum step size
     * of the run (--min-dt) does not include it. */
    c->cap[i] = fmin(c->cap[i], first_cap(c, i));
}

int nb_cluster_start(struct nb_cluster *c, uint64_t count, const uint32_t *index)
{
    bool failed = nb_cluster_list(c) != 0;
    forget_sights(c);
    for (uint64_t q = 0; q < count && !failed; q++) {
        struct nb_group *g = nb_cluster_group(c, index[q]);
        const uint32_t *list;
        c->cap[index[q]] = INFINITY;
        if (!g)
            failed = nb_cluster_in_sight(c, index[q], &list) < 0;
        if (g) {
            g->around = nb_cluster_look(c, index[q], &g->view);
            g->looked = c->now;
            failed = failed || g->around.failed;
        }
    }
    if (failed || bring_met(c, count, index) || look_again(c, count, index) || nb_cluster_evaluate(c, count, index))
        return -1;
    nb_cluster_each(c, count, count > 32, take_field);
    for (uint64_t q = 0; q < count; q++) {
        const uint32_t i = index[q];
        nb_cluster_begin_step(c, i, nb_cluster_step(c, fmin(c->cap[i], c->eta * c->scale[i]), NB_WHOLE));
    }
    return 0;
}

/* ---- formation and break-up ---- */

/* Averages the orbit of a binary if no other particle is close. A binary with post-Newtonian terms remains a
 * chain if it is the only particle: a chain needs no approximation. */
void nb_cluster_calm(struct nb_cluster *c, struct nb_group *g)
{
    if (g->averaged || g->n != 2 || g->around.met || (g->chain.pn.order > 0 && g->around.closest == NB_NOBODY) ||
        nb_cluster_stays(c, g) < INFINITY)
        return;
    for (uint32_t k = 0; k < g->nears; k++)
        if (nb_cluster_has(c, g->near[k]) && nb_cluster_meets(c, g->near[k], (uint32_t)(g - c->groups), APART))
            return;
    nb_group_average(g, c);
    const double most = nb_group_longest(g);
    if (g->averaged && most < INFINITY)
        nb_cluster_begin_step(c, g->slot, nb_cluster_step(c, most, c->ends[g->slot] - c->now));
}

/* Called when a step of particle i has ended. Sets c->partner[i] to the particle nb_around.closest of i if the two
 * should form a group (nb_cluster_binds), otherwise to NB_NOBODY. */
static void look_for_partner(struct nb_cluster *c, uint32_t i)
{
    struct nb_around around;
    c->partner[i] = NB_NOBODY;
    if (c->patience[i] > 0) {
        c->patience[i]--;
        return;
    }
    if (nb_cluster_group(c, i))
        around = nb_cluster_group(c, i)->around;
    else if (c->scale[i] >= c->close_scale || !(c->gm[i] > 0))
        return;
    else
        around = nb_cluster_look(c, i, NULL);
    if (around.closest != NB_NOBODY && nb_cluster_binds(c, i, around.closest, around.rest))
        c->partner[i] = around.closest;
    else if (!nb_cluster_group(c, i))
        c->patience[i] = NB_PATIENCE;
}

struct fresh {
    uint32_t *list;
    uint64_t count;
};

static void note_fresh(struct nb_cluster *c, struct fresh *o, uint32_t i)
{
    if (!(c->marks[i] & NB_IS_FRESH))
        o->list[o->count++] = i;
    c->marks[i] |= NB_IS_FRESH;
}

/* Forms a group of particle i and its partner if the steps of both end at c->now and the two should still form a group
 * (nb_cluster_binds). Adds the particle that represents the new group to the list in o. */
static int bind(struct nb_cluster *c, uint32_t i, struct fresh *o)
{
    const uint32_t k = c->partner[i];
    if (!(c->marks[k] & NB_IS_DUE) || c->group[k] == NB_VACANT)
        return 0;
    const struct nb_around around = nb_cluster_look(c, i, NULL);
    if (around.failed)
        return -1;
    if (around.closest != k || !nb_cluster_binds(c, i, k, around.rest))
        return 0;
    const uint32_t made = nb_cluster_bind(c, i, k);
    if (made == NB_NOBODY)
        return -1;
    note_fresh(c, o, made);
    return 0;
}

static int part(struct nb_cluster *c, uint32_t i, struct fresh *o)
{
    uint32_t two[2];
    const int count = nb_cluster_part(c, i, two);
    for (int k = 0; count == 2 && k < 2; k++)
        note_fresh(c, o, two[k]);
    return count == 0 ? -1 : 0;
}

int nb_cluster_regroup(struct nb_cluster *c, uint32_t *list)
{
    struct fresh o = {.list = list};
    for (uint64_t q = 0; q < c->dues; q++)
        if (c->group[c->due[q]] != NB_VACANT && c->partner[c->due[q]] != NB_NOBODY &&
            !(c->marks[c->due[q]] & NB_IS_FRESH) && bind(c, c->due[q], &o))
            return -1;
    for (uint64_t q = 0; q < c->dues; q++) {
        const uint32_t i = c->due[q];
        struct nb_group *g = nb_cluster_group(c, i);
        if (c->group[i] == NB_VACANT || c->marks[i] & NB_IS_FRESH)
            continue;
        look_for_partner(c, i);
        if (g && c->partner[i] == NB_NOBODY) {
            if (part(c, i, &o))
                return -1;
            if (!(c->marks[i] & NB_IS_FRESH))
                nb_cluster_calm(c, g);
        }
    }
    uint64_t kept = 0;
    for (uint64_t k = 0; k < o.count; k++) /* a new particle may already have joined another particle */
        if (c->group[list[k]] != NB_VACANT)
            list[kept++] = list[k];
    nb_cluster_sort(list, kept);
    return kept > 0 ? nb_cluster_start(c, kept, list) : 0;
}
