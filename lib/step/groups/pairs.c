/* pairs.c - decides which particles form a group and which groups break up. Forms and breaks up these groups. Declared
 * in cluster.h. */
#include "step/groups/cluster.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the ratio q = (tidal force of other particles) / (attraction between two particles), called (tide /
 * attraction) below; see tide_beside(). q grows with the distance between the two particles, so each limit
 * corresponds to a distance. */
#define ISOLATED  1.5e-2 /* two bound particles form a group if (tide / attraction) at apocentre is below ISOLATED */
#define ENCOUNTER 1e-6   /* two approaching particles form a group if (tide / attraction) is below ENCOUNTER */
#define CROWDED   0.1    /* a group breaks up if (tide / attraction) between its two parts is above CROWDED */
/* A particle near a group may join the group if (tide of other particles) / (attraction between particle and group)
 * is below TRIPLE. This ratio is computed for the larger of two lengths: the distance of the particle from the
 * group, and the size of the group. */
#define TRIPLE 2e-2

#define STRONG 4 /* maximum of v^2 r / (G M) of two approaching particles that form a group (a parabola has 2) */
/* Distances between a group and a particle near it, in units of the size of the group. */
#define TOUCH  5 /* a particle within TOUCH sizes joins the group if it is bound or approaches (see also TRIPLE) */
#define LEAVES 8 /* minimum distance at which two parts of a group may separate, in sizes of the larger part */
/* A bound isolated particle (see ISOLATED) joins a group if its pericentre distance is below TIGHT and its distance is
 * below FAR. Both are in units of the size of the group. */
#define TIGHT 10
#define FAR   100 /* maximum distance at which a bound isolated particle joins, in units of the size of the group */
/* With a changeover (`split`, force/changeover.h), a group must be smaller than split.inner: within a group only the
 * near part of the force is computed, and the far part is 0 only up to split.inner. If the orbit of two particles
 * extends beyond split.inner, they may form a group only while their distance is below WITHIN * split.inner. */
#define WITHIN 0.8
/* nb_cluster_stays returns the time in which the distance of the two parts of a group can grow to split.inner. To
 * avoid very short times, it computes the time for a growth of at least END * split.inner. */
#define END 0.1

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct motion { /* relative motion of two particles */
    /* gm: G times the sum of the two masses; r: distance; approach: negative if the particles come closer to each other
     * (the scalar product of x and v, with reversed sign if the run goes backwards in time) */
    double gm, r, approach;
    double strength;  /* v^2 r / gm: 2 for a parabola */
    double near, far; /* pericentre and apocentre distance; far may be infinite */
};

static struct motion motion_of(const struct nb_cluster *c, double gm, const double x[3], const double v[3])
{
    struct motion m = {.gm = gm, .r = sqrt(dot(x, x)), .approach = copysign(1, c->base) * dot(x, v), .far = INFINITY};
    const double v2 = dot(v, v), spin2 = fmax(0, m.r * m.r * v2 - m.approach * m.approach);
    m.strength = v2 * m.r / gm;
    const double inverse = (2 - m.strength) / m.r, e = sqrt(fmax(0, 1 - spin2 * inverse / gm));
    m.near = spin2 / gm / (1 + e);
    if (inverse > 0)
        m.far = (1 + e) / inverse;
    return m;
}

/* Returns the ratio (tidal force of other particles) / (attraction between two particles) for the given distance
 * between the two particles. rest: sum of G m / r^3 over the other particles. */
static double tide_beside(const struct motion *m, double rest, double distance)
{
    return 2 * rest * distance * distance * distance / m->gm;
}

static uint32_t stars_in(const struct nb_cluster *c, uint64_t i)
{
    return c->group[i] >= 0 ? c->groups[c->group[i]].n : 1;
}

static struct motion motion_between(const struct nb_cluster *c, uint64_t i, uint64_t k)
{
    double xi[3], vi[3], x[3], v[3];
    nb_cluster_take(c, c->px, i, xi);
    nb_cluster_take(c, c->pv, i, vi);
    nb_cluster_take(c, c->px, k, x);
    nb_cluster_take(c, c->pv, k, v);
    for (int d = 0; d < 3; d++) {
        x[d] -= xi[d];
        v[d] -= vi[d];
    }
    return motion_of(c, c->gm[i] + c->gm[k], x, v);
}

/* Returns whether a group of two single stars would take less computing time at present than separate steps, because
 * the stars move fast around each other. On a wide eccentric orbit this is true only near the pericentre. */
static bool is_quick(const struct nb_cluster *c, const struct motion *m)
{
    const double a = fmin(m->r, (m->near + m->far) / 2);
    return a * sqrt(a / m->gm) < c->close_scale;
}

bool nb_cluster_binds(const struct nb_cluster *c, uint64_t i, uint64_t k, double rest)
{
    const struct nb_group *const gi = nb_cluster_group(c, i), *const gk = nb_cluster_group(c, k);
    const double size = fmax(gi ? gi->size : 0, gk ? gk->size : 0);
    if (!nb_cluster_has(c, i) || !nb_cluster_has(c, k) || stars_in(c, i) + stars_in(c, k) > NB_CHAIN_MAX)
        return false;
    const struct motion m = motion_between(c, i, k);
    const bool apart = isinf(m.far), crosses = c->split.outer > 0 && m.far + size > c->split.inner;
    const bool alone = !apart && !crosses && tide_beside(&m, rest, m.far) < ISOLATED;
    if (crosses && ((!apart && (gi || gk)) || m.r + size > WITHIN * c->split.inner))
        return false;
    if (!gi && !gk && !is_quick(c, &m))
        return false;
    if (!gi && !gk)
        return alone || (m.approach < 0 && m.strength < STRONG && tide_beside(&m, rest, m.r) < ENCOUNTER);
    if (alone && m.near < TIGHT * size && m.r < FAR * size)
        return true;
    return m.r < TOUCH * size && (m.approach < 0 || !apart) && tide_beside(&m, rest, fmax(m.r, size)) < TRIPLE;
}

/* ---- formation of groups ---- */

static struct nb_group *new_group(struct nb_cluster *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        if (c->groups[k].n == 0)
            return &c->groups[k];
    if (c->count == c->room) {
        const uint32_t room = c->room + c->room / 2 + 16;
        struct nb_group *groups = realloc(c->groups, room * sizeof *groups);
        if (!groups) {
            nb_fail("no memory for %u groups of stars", room);
            return NULL;
        }
        memset(groups + c->room, 0, (room - c->room) * sizeof *groups);
        c->groups = groups;
        c->room = room;
    }
    struct nb_group *g = &c->groups[c->count++];
    uint32_t *near = g->near;
    const uint32_t near_room = g->room;
    *g = (struct nb_group){.near = near, .room = near_room};
    return g;
}

struct gathered { /* stars that form a new particle: positions and velocities relative to a given origin */
    uint32_t n, body[NB_CHAIN_MAX];
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
};

static void gather(const struct nb_cluster *c, uint64_t i, const double origin_x[3], const double origin_v[3],
                   struct gathered *o)
{
    const struct nb_group *g = nb_cluster_group(c, i);
    double x[NB_CHAIN_MAX][3] = {{0}}, v[NB_CHAIN_MAX][3] = {{0}}, at[3], moves[3];
    nb_cluster_take(c, c->px, i, at);
    nb_cluster_take(c, c->pv, i, moves);
    if (g)
        nb_group_places(g, x, v);
    for (uint32_t k = 0; k < (g ? g->n : 1); k++, o->n++) {
        o->body[o->n] = g ? g->body[k] : (uint32_t)i;
        for (int d = 0; d < 3; d++) {
            o->x[o->n][d] = at[d] - origin_x[d] + x[k][d];
            o->v[o->n][d] = moves[d] - origin_v[d] + v[k][d];
        }
    }
}

static void sort_gathered(struct gathered *o)
{
    const struct gathered old = *o;
    uint32_t done = 0;
    for (uint32_t k = 0; k < old.n; k++) {
        uint32_t place = 0;
        for (uint32_t l = 0; l < old.n; l++)
            place += old.body[l] < old.body[k];
        o->body[place] = old.body[k];
        memcpy(o->x[place], old.x[k], sizeof old.x[k]);
        memcpy(o->v[place], old.v[k], sizeof old.v[k]);
        done++;
    }
    o->n = done;
}

static void vacate(struct nb_cluster *c, uint64_t i)
{
    const double far[3] = {1e100, 1e100, 1e100}, rest[3] = {0};
    c->group[i] = NB_VACANT;
    c->gm[i] = 0;
    c->begun[i] = 0;
    c->ends[i] = UINT64_MAX;
    c->regrouped = true;
    nb_cluster_note_change(c, i);
    c->partner[i] = NB_NOBODY;
    nb_cluster_give(c, c->x, i, far);
    nb_cluster_give(c, c->px, i, far);
    nb_cluster_give(c, c->v, i, rest);
    nb_cluster_give(c, c->pv, i, rest);
    nb_cluster_give(c, c->a, i, rest);
    nb_cluster_give(c, c->j, i, rest);
}

/* Creates one particle that contains the stars in o. Their positions and velocities are relative to the given origin.
 * The particle gets the index of its first star. Returns false if there is no memory. */
static bool settle(struct nb_cluster *c, const struct gathered *o, const double origin_x[3], const double origin_v[3])
{
    const uint32_t slot = o->body[0];
    double gm = 0, x[3] = {0}, v[3] = {0};
    for (uint32_t k = 0; k < o->n; k++) {
        gm += c->star_gm[o->body[k]];
        for (int d = 0; d < 3; d++) {
            x[d] += c->star_gm[o->body[k]] * o->x[k][d];
            v[d] += c->star_gm[o->body[k]] * o->v[k][d];
        }
        vacate(c, o->body[k]);
    }
    for (int d = 0; d < 3; d++) {
        x[d] = origin_x[d] + x[d] / gm;
        v[d] = origin_v[d] + v[d] / gm;
    }
    c->gm[slot] = gm;
    c->group[slot] = NB_SINGLE_STAR;
    nb_cluster_begin_step(c, slot, NB_WHOLE);
    c->patience[slot] = 0; /* may look for a partner at once; after a break-up, the caller sets NB_PATIENCE */
    nb_cluster_give(c, c->x, slot, x);
    nb_cluster_give(c, c->v, slot, v);
    nb_cluster_give(c, c->px, slot, x);
    nb_cluster_give(c, c->pv, slot, v);
    if (o->n == 1)
        return true;
    struct nb_group *g = new_group(c);
    if (!g)
        return false;
    nb_group_make(g, c, o->n, o->body, (const double(*)[3])o->x, (const double(*)[3])o->v);
    c->group[slot] = (int32_t)(g - c->groups);
    return true;
}

static void dismiss(struct nb_cluster *c, uint64_t i)
{
    if (c->group[i] >= 0)
        c->groups[c->group[i]].n = 0;
    vacate(c, i);
}

uint32_t nb_cluster_bind(struct nb_cluster *c, uint32_t i, uint32_t k)
{
    struct gathered all = {0};
    double x[3], v[3];
    nb_cluster_take(c, c->px, i, x);
    nb_cluster_take(c, c->pv, i, v);
    gather(c, i, x, v, &all);
    gather(c, k, x, v, &all);
    sort_gathered(&all);
    dismiss(c, i);
    dismiss(c, k);
    return settle(c, &all, x, v) ? all.body[0] : NB_NOBODY;
}

/* ---- break-up of groups ---- */

/* Copies the stars at positions k to l - 1 of the group's chain to o. x, v: positions and velocities of all stars in
 * g. */
static void take_part(const struct nb_group *g, const double x[][3], const double v[][3], int k, int l,
                      struct gathered *o)
{
    memset(o, 0, sizeof *o);
    for (; k < l; k++, o->n++) {
        const int star = g->chain.order[k];
        o->body[o->n] = g->body[star];
        memcpy(o->x[o->n], x[star], sizeof x[star]);
        memcpy(o->v[o->n], v[star], sizeof v[star]);
    }
    sort_gathered(o);
}

/* Computes G times the mass of a part of a group, and the position and velocity of its centre of mass. Returns the size
 * of the part (see nb_group.size), 0 for a single star. */
static double middle(const struct nb_cluster *c, const struct gathered *o, double *gm, double x[3], double v[3])
{
    double far2 = 0;
    *gm = 0;
    memset(x, 0, 3 * sizeof *x);
    memset(v, 0, 3 * sizeof *v);
    for (uint32_t k = 0; k < o->n; k++) {
        const double m = c->star_gm[o->body[k]];
        for (int d = 0; d < 3; d++) {
            x[d] = (*gm * x[d] + m * o->x[k][d]) / (*gm + m);
            v[d] = (*gm * v[d] + m * o->v[k][d]) / (*gm + m);
        }
        *gm += m;
    }
    for (uint32_t k = 0; k < o->n && o->n > 2; k++) {
        const double d[3] = {o->x[k][0] - x[0], o->x[k][1] - x[1], o->x[k][2] - x[2]};
        far2 = fmax(far2, dot(d, d));
    }
    if (o->n == 2) {
        const double d[3] = {o->x[1][0] - o->x[0][0], o->x[1][1] - o->x[0][1], o->x[1][2] - o->x[0][2]};
        const double w[3] = {o->v[1][0] - o->v[0][0], o->v[1][1] - o->v[0][1], o->v[1][2] - o->v[0][2]};
        const struct motion m = motion_of(c, *gm, d, w);
        return isinf(m.far) ? m.r : m.far;
    }
    return sqrt(far2);
}

/* Computes the relative motion of two parts of a group. *size: size of the larger part. */
static struct motion motion_of_parts(const struct nb_cluster *c, const struct gathered part[2], double *size)
{
    double gm[2], x[2][3], v[2][3];
    *size = 0;
    for (int k = 0; k < 2; k++)
        *size = fmax(*size, middle(c, &part[k], &gm[k], x[k], v[k]));
    for (int d = 0; d < 3; d++) {
        x[0][d] -= x[1][d];
        v[0][d] -= v[1][d];
    }
    return motion_of(c, gm[0] + gm[1], x[0], v[0]);
}

/* Returns whether two parts of a group should become separate particles. */
static bool parts_leave(const struct nb_cluster *c, const struct gathered part[2], double rest)
{
    double size;
    const struct motion m = motion_of_parts(c, part, &size);
    return tide_beside(&m, rest, m.r) > CROWDED ||
           (c->split.outer > 0 && m.far + size > c->split.inner && m.r + size > WITHIN * c->split.inner) ||
           (part[0].n + part[1].n > 2 && m.approach > 0 && m.r > LEAVES * size &&
            (isinf(m.far) || m.r > 2 * FAR * size || m.near > 2 * TIGHT * size));
}

static int longest_link(const struct nb_chain *h)
{
    int longest = 0;
    for (int k = 1; k + 1 < h->n; k++)
        if (dot(h->x[k], h->x[k]) > dot(h->x[longest], h->x[longest]))
            longest = k;
    return longest;
}

/* Divides a group at the longest link of its chain into part[0] and part[1]. */
static void take_parts(const struct nb_group *g, struct gathered part[2])
{
    const int link = longest_link(&g->chain);
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
    nb_group_places(g, x, v);
    take_part(g, (const double(*)[3])x, (const double(*)[3])v, 0, link + 1, &part[0]);
    take_part(g, (const double(*)[3])x, (const double(*)[3])v, link + 1, (int)g->n, &part[1]);
}

double nb_cluster_stays(const struct nb_cluster *c, struct nb_group *g)
{
    struct gathered part[2];
    double size;
    if (c->split.outer == 0 || g->averaged)
        return INFINITY;
    take_parts(g, part);
    const struct motion m = motion_of_parts(c, part, &size);
    const double within = g->n == 2 ? INFINITY : g->pace;
    if (m.far + size <= c->split.inner)
        return within;
    return fmin(within, fmax(c->split.inner - m.r - size, END * c->split.inner) / sqrt(m.strength * (m.gm / m.r)));
}

int nb_cluster_part(struct nb_cluster *c, uint32_t i, uint32_t fresh[2])
{
    struct nb_group *g = &c->groups[c->group[i]];
    const double tide = g->around.all;
    struct gathered part[2];
    double origin_x[3], origin_v[3];
    const struct motion binary = {.gm = g->total};
    if ((g->around.closest == NB_NOBODY && isinf(nb_cluster_stays(c, g))) ||
        (g->averaged && tide_beside(&binary, tide, g->size) < CROWDED))
        return 1;
    nb_group_resolve(g, c);
    take_parts(g, part);
    if (!parts_leave(c, part, tide))
        return 1;
    nb_cluster_take(c, c->px, i, origin_x);
    nb_cluster_take(c, c->pv, i, origin_v);
    dismiss(c, i);
    for (int k = 0; k < 2; k++) {
        if (!settle(c, &part[k], origin_x, origin_v))
            return 0;
        fresh[k] = part[k].body[0];
        c->patience[fresh[k]] = NB_PATIENCE;
    }
    return 2;
}
