/* field.c - corrects the forces between particles (single stars and groups) for the individual stars of groups, and
 * finds the particles near a particle. Declared in cluster.h. */
#include "step/groups/cluster.h"
#include "step/groups/near.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Sets d to (vector of particle k) - (vector of particle i). rows: the vectors of all particles, for example px. */
static void apart(const struct nb_cluster *c, const double *rows, uint64_t i, uint64_t k, double d[3])
{
    for (int l = 0; l < 3; l++)
        d[l] = rows[l * c->stride + k] - rows[l * c->stride + i];
}

int nb_cluster_list(struct nb_cluster *c)
{
    for (int r = 0; r < NB_LISTED && c->listed_room < c->room; r++) {
        double *row = realloc(c->listed[r], (c->room + NB_NEAR_LANES) * sizeof *row);
        if (!row)
            return nb_fail("no memory for %u groups of stars", c->room);
        c->listed[r] = row;
        memset(row + c->listed_room, 0, (c->room - c->listed_room + NB_NEAR_LANES) * sizeof *row);
    }
    c->listed_room = c->room;
    for (uint32_t k = 0; k < c->count; k++) {
        struct nb_group *g = &c->groups[k];
        if (g->n == 0) {
            c->listed[NB_LISTED_SIGHT2][k] = c->listed[NB_LISTED_REACH2][k] = -1;
            continue;
        }
        if (g->moved)
            nb_group_measure(g, c);
        for (int d = 0; d < 3; d++)
            c->listed[NB_LISTED_X + d][k] = c->px[d * c->stride + g->slot];
        c->listed[NB_LISTED_SIGHT2][k] = g->sight * g->sight;
        c->listed[NB_LISTED_REACH2][k] = g->reach * g->reach;
        c->listed[NB_LISTED_GM][k] = g->total;
    }
    return 0;
}

static double distance2(const struct nb_cluster *c, uint64_t i, uint32_t g)
{
    double sum = 0;
    for (int l = 0; l < 3; l++) {
        const double d = c->px[l * c->stride + i] - c->listed[NB_LISTED_X + l][g];
        sum += d * d;
    }
    return sum;
}

/* Returns a factor for the squares of nb_group.reach and nb_group.sight of group g, for its interaction with particle
 * i. The factor is 1, or above 1 if the particle is heavier than the group. */
static double weight2(const struct nb_cluster *c, uint64_t i, uint32_t g)
{
    const double ratio = c->gm[i] / c->listed[NB_LISTED_GM][g];
    return ratio > 1 ? cbrt(ratio * ratio) : 1;
}

bool nb_cluster_meets(const struct nb_cluster *c, uint64_t i, uint32_t g, double slack)
{
    const double r2 = distance2(c, i, g), reach2 = slack * slack * c->listed[NB_LISTED_REACH2][g];
    return r2 < reach2 || (c->gm[i] > c->listed[NB_LISTED_GM][g] && r2 < reach2 * weight2(c, i, g));
}

bool nb_cluster_sees(const struct nb_cluster *c, uint64_t i, uint32_t g)
{
    const double r2 = distance2(c, i, g), sight2 = c->listed[NB_LISTED_SIGHT2][g];
    return r2 < sight2 || (c->gm[i] > c->listed[NB_LISTED_GM][g] && r2 < sight2 * weight2(c, i, g));
}

static int make_room(struct nb_cluster *c)
{
    const uint64_t room = 2 * c->sights_room + c->count;
    uint32_t *sights = realloc(c->sights, room * sizeof *sights);
    if (!sights)
        return nb_fail("no memory for %llu neighbours of groups", (unsigned long long)room);
    c->sights = sights;
    c->sights_room = room;
    return 0;
}

int64_t nb_cluster_in_sight(struct nb_cluster *c, uint64_t i, const uint32_t **list)
{
    struct nb_seen *seen = &c->seen[i];
    if (c->count == 0)
        return 0;
    if (!seen->known) {
        if (c->sights_count + c->count > c->sights_room && make_room(c))
            return -1;
        const double at[3] = {c->px[i], c->px[c->stride + i], c->px[2 * c->stride + i]};
        uint32_t *found = c->sights + c->sights_count, kept = 0;
        const uint32_t count =
            nb_near_in_use()->within(c->count, (const double *const *)&c->listed[NB_LISTED_X],
                                     c->listed[NB_LISTED_SIGHT2], c->listed[NB_LISTED_GM], at, c->gm[i], found);
        for (uint32_t k = 0; k < count; k++)
            if (nb_cluster_sees(c, i, found[k]))
                found[kept++] = found[k];
        *seen = (struct nb_seen){c->sights_count, kept, true};
        c->sights_count += kept;
    }
    *list = c->sights + seen->begin;
    return seen->count;
}

/* Adds the acceleration and the jerk that a point mass causes at a target to a[] and j[]. `factor`: G times the point
 * mass. d and v: position and velocity of the point mass relative to the target. */
static void add_point(const struct nb_cluster *c, double factor, const double d[3], const double v[3], double a[3],
                      double j[3])
{
    double w[4];
    nb_pull_weights(&c->split, dot(d, d), w);
    const double rate = 2 * dot(d, v) * w[1];
    for (int l = 0; l < 3; l++) {
        a[l] += factor * w[0] * d[l];
        j[l] += factor * (w[0] * v[l] + rate * d[l]);
    }
}

struct stars { /* stars of a particle (one star or a group), relative to the particle */
    uint32_t n;
    double gm[NB_CHAIN_MAX], x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
};

/* Stores the stars of particle i in s, or the particle as one point mass if `single` is set. */
static void stars_of(const struct nb_cluster *c, uint64_t i, bool single, struct stars *s)
{
    if (!single && c->group[i] >= 0) {
        const struct nb_group *g = &c->groups[c->group[i]];
        s->n = g->n;
        memcpy(s->gm, g->gm, sizeof s->gm);
        nb_group_places(g, s->x, s->v);
        return;
    }
    s->n = 1;
    s->gm[0] = c->gm[i];
    memset(s->x[0], 0, sizeof s->x[0]);
    memset(s->v[0], 0, sizeof s->v[0]);
}

/* Corrects the acceleration a and the jerk j of particle `to`. Adds the values that the stars of particle `from` cause
 * at the stars of `to` (mean over the stars of `to`, weighted with their masses). Subtracts the values that `from`
 * would cause at `to` if both were point masses. d and v: position and velocity of `from` relative to `to`. */
static void add_stars(const struct nb_cluster *c, const struct stars *from, double from_gm, const struct stars *to,
                      double to_gm, const double d[3], const double v[3], double a[3], double j[3])
{
    for (uint32_t k = 0; k < to->n; k++)
        for (uint32_t l = 0; l < from->n; l++) {
            double dx[3], dv[3];
            for (int m = 0; m < 3; m++) {
                dx[m] = d[m] + from->x[l][m] - to->x[k][m];
                dv[m] = v[m] + from->v[l][m] - to->v[k][m];
            }
            /* a single star has the share 1; this avoids a division by its mass, which may be 0 */
            const double share = to->n > 1 ? to->gm[k] / to_gm : 1;
            add_point(c, share * from->gm[l], dx, dv, a, j);
        }
    add_point(c, -from_gm, d, v, a, j);
}

/* If a particle is closer to a group than TOUCH * (size of the group), its time scale (smooth_scale) includes the
 * forces of the group's individual stars. */
#define TOUCH 5

/* Adds to *o the correction of the force of particle k on particle i. Particle i, particle k or both are groups. The
 * uncorrected force treats groups as point masses. The correction contains the forces of individual stars, or the
 * quadrupoles of binaries. */
static void mend_pair(const struct nb_cluster *c, uint64_t i, uint64_t k, struct nb_mended *o)
{
    const struct nb_group *const to = c->group[i] >= 0 ? &c->groups[c->group[i]] : NULL,
                                 *const from = c->group[k] >= 0 ? &c->groups[c->group[k]] : NULL;
    const bool by_to = to && nb_cluster_sees(c, k, (uint32_t)c->group[i]),
               by_from = from && nb_cluster_sees(c, i, (uint32_t)c->group[k]);
    double d[3], v[3], w[4];
    if (!by_to && !by_from)
        return;
    apart(c, c->px, i, k, d);
    apart(c, c->pv, i, k, v);
    nb_pull_weights(&c->split, dot(d, d), w);
    const bool to_stars = by_to && !to->averaged && nb_cluster_meets(c, k, (uint32_t)c->group[i], 1),
               from_stars = by_from && !from->averaged && nb_cluster_meets(c, i, (uint32_t)c->group[k], 1);
    if (to_stars || from_stars) {
        struct stars these, those;
        stars_of(c, i, !to_stars, &these);
        stars_of(c, k, !from_stars, &those);
        const double size = fmax(to_stars ? to->size : 0, from_stars ? from->size : 0);
        const bool close = dot(d, d) < TOUCH * TOUCH * size * size;
        add_stars(c, &those, c->gm[k], &these, c->gm[i], d, v, close ? o->a : o->stars_a, close ? o->j : o->stars_j);
    }
    if (by_from && !from_stars) {
        const double d_from[3] = {-d[0], -d[1], -d[2]}, v_from[3] = {-v[0], -v[1], -v[2]};
        nb_quadrupole_pull(from->reduced, w, from->spread, d_from, v_from, o->a, o->j);
    }
    if (by_to && !to_stars) { /* the quadrupole of i pulls particle k, and i gets the opposite force */
        double a_other[3] = {0}, j_other[3] = {0};
        nb_quadrupole_pull(to->reduced, w, to->spread, d, v, a_other, j_other);
        for (int l = 0; l < 3; l++) {
            o->a[l] -= c->gm[k] / c->gm[i] * a_other[l];
            o->j[l] -= c->gm[k] / c->gm[i] * j_other[l];
        }
    }
}

void nb_cluster_mend(const struct nb_cluster *c, uint64_t i, struct nb_mended *o)
{
    memset(o, 0, sizeof *o);
    if (c->group[i] < 0) {
        const struct nb_seen *seen = &c->seen[i];
        for (uint32_t k = 0; k < seen->count; k++)
            mend_pair(c, i, c->groups[c->sights[seen->begin + k]].slot, o);
        return;
    }
    const struct nb_group *g = &c->groups[c->group[i]];
    for (uint32_t k = 0; k < g->nears; k++)
        if (nb_cluster_has(c, g->near[k]) && g->near[k] != i)
            mend_pair(c, i, g->near[k], o);
}

/* ---- surroundings ---- */

#define INNER 0.5 /* particles within INNER * reach act on each star of the group separately */

static bool note_near(struct nb_group *g, uint32_t i, bool inner)
{
    if (g->nears == g->room) {
        const uint32_t room = 2 * g->room + 16;
        uint32_t *near = realloc(g->near, room * sizeof *near);
        if (!near)
            return nb_fail("no memory for %u neighbours of a group of stars", room) == 0;
        g->near = near;
        g->room = room;
    }
    g->near[g->nears++] = i;
    if (inner) {
        g->near[g->nears - 1] = g->near[g->inner];
        g->near[g->inner++] = i;
    }
    return true;
}

/* Adds particle k to the list nb_group.near of particle i, which must be a group. Adds the tidal field of k to *view.
 * Sets o->met if k is within the reach of the group. d: position of k relative to i. */
static void view_near(const struct nb_cluster *c, uint64_t i, uint64_t k, const double d[3], struct nb_view *view,
                      struct nb_around *o)
{
    const uint32_t g = (uint32_t)c->group[i];
    const bool inner = nb_cluster_meets(c, k, g, INNER);
    o->failed = o->failed || !note_near(&c->groups[g], (uint32_t)k, inner);
    o->met = o->met || inner || nb_cluster_meets(c, k, g, 1);
    double v[3], w[4];
    apart(c, c->pv, i, k, v);
    nb_pull_weights(&c->split, dot(d, d), w);
    nb_tide_add(c->gm[k], w, d, v, view->all, view->all_rate);
    if (!inner)
        nb_tide_add(c->gm[k], w, d, v, view->rest, view->rest_rate);
}

/* Calls view_near for particle i, which is a group, with each particle k near it: the particles within
 * nb_group.sight of group i, and the groups that have i within their own sight (nb_cluster_sees). The first `count`
 * entries of c->list are candidates for the particles within the sight of i. Overwrites c->list. */
static void view_all(const struct nb_cluster *c, uint64_t i, struct nb_view *view, struct nb_around *o, uint64_t count)
{
    const uint32_t g = (uint32_t)c->group[i];
    double d[3], at[3];
    for (uint64_t k = 0; k < count; k++) {
        if (!nb_cluster_sees(c, c->list[k], g))
            continue;
        apart(c, c->px, i, c->list[k], d);
        view_near(c, i, c->list[k], d, view, o);
    }
    nb_cluster_take(c, c->px, i, at);
    count = nb_near_in_use()->within(c->count, (const double *const *)&c->listed[NB_LISTED_X],
                                     c->listed[NB_LISTED_SIGHT2], c->listed[NB_LISTED_GM], at, c->gm[i], c->list);
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t other = c->list[k], slot = c->groups[other].slot;
        if (other == g || !nb_cluster_sees(c, i, other) || nb_cluster_sees(c, slot, g))
            continue;
        apart(c, c->px, i, slot, d);
        view_near(c, i, slot, d, view, o);
    }
}

struct nb_around nb_cluster_look(const struct nb_cluster *c, uint64_t i, struct nb_view *view)
{
    struct nb_near_query query = {.n = c->n, .stride = c->stride, .x = c->px, .gm = c->gm, .self = i};
    struct nb_near_found found;
    struct nb_around o = {.closest = NB_NOBODY};
    if (view) {
        struct nb_group *g = &c->groups[c->group[i]];
        g->nears = g->inner = 0;
        memset(view, 0, sizeof *view);
        query.far2 = c->listed[NB_LISTED_SIGHT2][c->group[i]];
    }
    nb_near_in_use()->look(&query, &found, view ? c->list : NULL);
    o.all = found.all;
    o.rest = fmax(0, found.all - found.pull);
    if (found.closest < c->n)
        o.closest = (uint32_t)found.closest;
    if (view)
        view_all(c, i, view, &o, found.count);
    return o;
}
