/* begin.c - forms the groups of close stars at the beginning of a run, and begins base steps. A base step is a time
 * interval that each particle divides into individual steps. Declared in cluster.h. */
#include "step/groups/cluster.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a particle looks for a partner, to form a group, if its time scale (nb_cluster.scale) is below CLOSE * (median
 * time scale) */
#define CLOSE 0.125

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the time scale below which a particle looks for a partner, to form a group. `scales`: time scales of `count`
 * particles. The function sorts this array. */
static double close_scale(double *scales, uint64_t count)
{
    qsort(scales, count, sizeof *scales, by_value);
    return count > 0 ? CLOSE * scales[count / 2] : 0;
}

static void guess_scale(struct nb_cluster *c, uint64_t i)
{
    c->scale[i] = nb_cluster_has(c, i) ? NB_CLUSTER_START / sqrt(nb_cluster_look(c, i, NULL).rest) : -1;
}

/* Returns close_scale for the beginning of a run. No step has computed time scales yet. Therefore estimates the time
 * scale of a particle as NB_CLUSTER_START / sqrt(nb_around.rest), where nb_around.rest is the sum of G m / r^3 over
 * all other particles except nb_around.closest. */
static double first_close_scale(struct nb_cluster *c)
{
    uint64_t count = 0;
    nb_cluster_each(c, c->n, c->n > 256, guess_scale);
    for (uint64_t i = 0; i < c->n; i++)
        if (c->scale[i] > 0 && isfinite(c->scale[i]))
            c->extent[count++] = c->scale[i];
    return close_scale(c->extent, count);
}

static double close_scale_now(struct nb_cluster *c)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->n; i++)
        if (nb_cluster_has(c, i))
            c->extent[count++] = c->scale[i]; /* c->extent is free for use as work space here */
    return close_scale(c->extent, count);
}

/* Sets c->energy to the larger of G K and -G W / 2, an estimate of G |total energy| for a system in equilibrium. K:
 * kinetic energy. W: potential energy, computed as the sum of m (x . a) over the particles (mass m, position x,
 * acceleration a). */
static void set_energy(struct nb_cluster *c)
{
    double mass = 0, kinetic = 0, virial = 0, x[3] = {0}, v[3] = {0};
    for (uint64_t i = 0; i < c->n; i++)
        for (int d = 0; d < 3 && nb_cluster_has(c, i); d++) {
            mass += d == 0 ? c->gm[i] : 0;
            x[d] += c->gm[i] * c->x[d * c->stride + i];
            v[d] += c->gm[i] * c->v[d * c->stride + i];
        }
    for (uint64_t i = 0; i < c->n; i++)
        for (int d = 0; d < 3 && nb_cluster_has(c, i); d++) {
            const uint64_t k = d * c->stride + i;
            const double dx = c->x[k] - x[d] / mass, dv = c->v[k] - v[d] / mass;
            kinetic += c->gm[i] * dv * dv / 2;
            virial -= c->gm[i] * dx * c->a[k] / 2;
        }
    c->energy = fmax(kinetic, virial);
}

void nb_cluster_open(struct nb_cluster *c, double base)
{
    c->base = base;
    c->now = 0;
    if (c->split.outer == 0) {
        set_energy(c);
        c->close_scale = close_scale_now(c);
    }
    for (uint32_t k = 0; k < c->count; k++)
        c->groups[k].at = c->groups[k].looked = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        const struct nb_group *g = nb_cluster_group(c, i);
        const double longest = fmin(c->cap[i], g ? nb_group_longest(g) : INFINITY);
        if (c->group[i] != NB_VACANT)
            nb_cluster_begin_step(c, i, nb_cluster_step(c, fmin(longest, c->eta * c->scale[i]), NB_WHOLE));
    }
}

static void find_partner(struct nb_cluster *c, uint64_t i)
{
    if (!nb_cluster_has(c, i) || c->group[i] != NB_SINGLE_STAR)
        return;
    const struct nb_around around = nb_cluster_look(c, i, NULL);
    const bool binds = around.closest != NB_NOBODY && nb_cluster_binds(c, i, around.closest, around.rest);
    c->partner[i] = binds ? around.closest : NB_NOBODY;
}

/* Finds a partner for each single star i: nb_around.closest, the particle with the largest G (m + m_i) / r^3, where
 * m and m_i are the two masses and r is the distance. Forms a group of i and its partner if nb_cluster_binds returns
 * true for the two. Sets *made to the number of groups formed. Returns -1 after nb_fail. */
static int find_groups(struct nb_cluster *c, uint64_t *made)
{
    *made = 0;
    nb_cluster_each(c, c->n, c->n > 256, find_partner);
    for (uint64_t i = 0; i < c->n; i++) {
        const uint32_t k = c->partner[i];
        if (k == NB_NOBODY || c->group[i] == NB_VACANT)
            continue;
        c->partner[i] = NB_NOBODY;
        if (c->group[k] == NB_VACANT)
            continue;
        const struct nb_around around = nb_cluster_look(c, i, NULL);
        if (around.failed)
            return -1;
        if (around.closest != k || !nb_cluster_binds(c, i, k, around.rest))
            continue;
        if (nb_cluster_bind(c, (uint32_t)i, k) == NB_NOBODY)
            return -1;
        ++*made;
    }
    return 0;
}

/* Makes one group of all stars of a system with few stars. Reason: within a group, no force is approximated. */
static int join_all(struct nb_cluster *c)
{
    uint64_t whole = 0;
    for (uint64_t i = 1; i < c->n; i++)
        if ((whole = nb_cluster_bind(c, (uint32_t)whole, (uint32_t)i)) == NB_NOBODY)
            return -1;
    return 0;
}

static bool are_few(const struct nb_cluster *c)
{
    bool few = c->n >= 2 && c->n <= NB_CHAIN_MAX;
    for (uint64_t i = 0; i < c->n && few; i++)
        few = c->gm[i] > 0;
    return few;
}

int nb_cluster_begin(struct nb_cluster *c)
{
    const bool split = c->split.outer > 0;
    uint64_t made = split || !are_few(c);
    if (!made && join_all(c))
        return -1;
    if (!split)
        c->close_scale = first_close_scale(c);
    for (int passes = 0; made > 0 && passes < NB_CHAIN_MAX; passes++)
        if (find_groups(c, &made))
            return -1;
    c->dues = 0;
    for (uint64_t i = 0; i < c->n; i++)
        if (c->group[i] != NB_VACANT)
            c->due[c->dues++] = (uint32_t)i;
    if (nb_cluster_list(c))
        return -1;
    for (uint32_t k = 0; k < c->count; k++)
        if (c->groups[k].n > 0) {
            c->groups[k].around = nb_cluster_look(c, c->groups[k].slot, &c->groups[k].view);
            nb_cluster_calm(c, &c->groups[k]);
        }
    return nb_cluster_start(c, c->dues, c->due);
}
