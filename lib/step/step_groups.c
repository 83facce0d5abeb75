/* step_groups.c - Hermite scheme of order 4 in which each particle has its own step size. A particle is a single star
 * or a group of close stars (groups/cluster.h). Particles and groups are in host memory. The device computes the forces
 * between particles. */
#include "step/scheme.h"

#include "base/error.h"
#include "device/timing.h"
#include "force/pn/pn.h"
#include "step/step_aarseth.h"
#include "step/step_groups_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* During a base step, the steps of single bodies end at many different times. With step-size control, a base step of n
 * bodies is ended early after max(n / 2, TIMES) such times. */
#define TIMES 1024
#define CHAIN 1e-13 /* tolerance of the chains that move the stars of a group (groups/chain.h) */
#define SHARE 0.02  /* (allowed relative energy error of a binary) / (tolerance of the steps) */

struct work {
    double longest; /* longest time scale of a body; first member, because step_aarseth.c reads it there */
    struct nb_cluster c;
    struct nb_group_forces forces;
    double *star_gm; /* G times the mass of each star */
};

static size_t row_bytes(const struct work *w)
{
    return w->c.stride * sizeof(double);
}

/* ---- memory ---- */

static bool allocate(struct work *w, struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    if (!nb_cluster_alloc(&w->c, s->n, s->stride))
        return false;
    w->star_gm = calloc(s->stride, sizeof *w->star_gm);
    return (w->star_gm || nb_fail("no memory for the groups of %zu bodies", s->n) == 0) &&
           nb_group_forces_open(&w->forces, p, &w->c) == 0;
}

static void end(struct nb_stepper *p)
{
    struct work *w = p->memory;
    free(w->c.hole);
    free(w->star_gm);
    nb_group_forces_close(&w->forces, p->state->device);
    nb_cluster_free(&w->c);
}

/* ---- stars and particles ---- */

/* Copies the marks of black holes to w->c.hole, if the forces include post-Newtonian terms. */
static int take_holes(struct work *w, const struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    const struct nb_pn *pn = nb_pn_of(p->forces);
    if (!pn || !s->hole)
        return 0;
    w->c.pn = *pn;
    w->c.pn.G = 1;
    w->c.hole = calloc(w->c.stride, sizeof(double));
    return w->c.hole ? nb_device_from(s->device, w->c.hole, s->hole, row_bytes(w))
                     : nb_fail("no memory for the marks of black holes (post-Newtonian terms)");
}

/* Copies masses, positions and velocities of all bodies from the state to w->c, with each body as a single star. */
static int take_stars(struct work *w, const struct nb_stepper *p)
{
    struct nb_cluster *c = &w->c;
    const struct nb_state *s = p->state;
    if (nb_device_from(s->device, w->star_gm, s->m, row_bytes(w)) ||
        nb_device_from(s->device, c->px, s->x, 3 * row_bytes(w)) ||
        nb_device_from(s->device, c->pv, s->v, 3 * row_bytes(w)))
        return -1;
    for (uint64_t i = 0; i < c->n; i++)
        w->star_gm[i] *= p->G;
    c->star_gm = w->star_gm;
    nb_cluster_take_stars(c);
    return 0;
}

/* Writes positions and velocities of all stars to the state. */
static int give_stars(struct work *w, const struct nb_stepper *p)
{
    struct nb_cluster *c = &w->c;
    const struct nb_state *s = p->state;
    nb_cluster_give_stars(c);
    return nb_device_to(s->device, s->x, c->px, 3 * row_bytes(w)) ||
                   nb_device_to(s->device, s->v, c->pv, 3 * row_bytes(w))
               ? -1
               : 0;
}

/* Sets w->longest to the longest time scale of a particle, and *least to the shortest. Sets w->c.least to an estimate
 * of the rounding errors in accelerations (step_hermite_block.c). */
static void survey(struct work *w, double *least)
{
    struct nb_cluster *c = &w->c;
    double largest = 0;
    w->longest = 0;
    *least = INFINITY;
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->group[i] == NB_VACANT)
            continue;
        w->longest = fmax(w->longest, c->scale[i]);
        *least = fmin(*least, c->scale[i]);
        for (uint64_t k = i; k < 3 * c->stride; k += c->stride)
            largest = fmax(largest, fabs(c->a[k]));
    }
    c->least = 1e5 * nb_step_force_epsilon(NB_DOUBLE) * largest;
}

static void set_tolerance(const struct nb_stepper *p, double tolerance)
{
    struct work *w = p->memory;
    const double usual = p->scheme->usual_tolerance;
    w->c.eta = nb_aarseth_eta(p, tolerance);
    w->c.chain_tolerance = CHAIN;
    w->c.share = SHARE * tolerance;
    w->c.care = fmin(1, w->c.eta / nb_aarseth_eta(p, usual));
}

static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    const char *why = nb_scheme_refuse_state(p->scheme, s->device, s->precision, p->softening);
    double least;
    if (why)
        return nb_fail("%s: %s", p->scheme->name, why);
    struct work *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    w->c.base = 1;
    w->c.forces = nb_group_forces;
    w->c.forces_data = &w->forces;
    set_tolerance(p, p->scheme->usual_tolerance);
    if (!allocate(w, p) || take_stars(w, p) || take_holes(w, p) || nb_cluster_begin(&w->c))
        return -1;
    survey(w, &least);
    return 0;
}

/* ---- base steps ---- */

static bool is_touched(const struct nb_stepper *p)
{
    return p->watch && p->watch->found;
}

static int base_step(struct nb_stepper *p, nb_quad h, double tolerance, bool cuts, uint64_t *done, double *least)
{
    struct work *w = p->memory;
    struct nb_cluster *c = &w->c;
    const uint64_t most = p->state->n / 2 > TIMES ? p->state->n / 2 : TIMES;
    w->forces.p = p;
    bool all = false;
    double clock;
    c->watch = p->watch;
    set_tolerance(p, tolerance);
    nb_timing_stage(p->state->device, "bodies' own steps");
    nb_cluster_open(c, (double)h);
    nb_step_note_rung(p, 0, 0, &clock);
    for (uint64_t times = 1; c->now < NB_WHOLE && !all; times++) {
        uint64_t count;
        all = cuts && times >= most;
        if (nb_cluster_next(c, all, &count))
            return -1;
        if (is_touched(p)) {
            *done = NB_WHOLE; /* a contact was found: the state is invalid, and the base step is reported as complete */
            p->stale = true;
            *least = INFINITY;
            return 0;
        }
        const int rung = c->now == NB_WHOLE ? 0 : 40 - __builtin_ctzll(c->now);
        nb_step_note_rung(p, rung < NB_RUNGS_MAX ? rung : NB_RUNGS_MAX, count, &clock);
    }
    p->stale = true;
    *done = c->now;
    survey(w, least);
    *least *= c->eta;
    return give_stars(w, p);
}

/* Implements nb_family.own. Writes each body's time scale to `to`. A star of a group gets the time scale of the
 * particle that represents the group. Sets *factor to eta, the ratio (maximum step size) / (time scale). */
static int own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor)
{
    const struct work *w = p->memory;
    (void)h;
    *factor = nb_aarseth_eta(p, tolerance > 0 ? tolerance : p->scheme->usual_tolerance);
    for (uint64_t i = 0; i < w->c.n; i++)
        nb_column_set(to, i, 0, w->c.scale[i]);
    for (uint32_t k = 0; k < w->c.count; k++)
        for (uint32_t l = 0; l < w->c.groups[k].n; l++)
            nb_column_set(to, w->c.groups[k].body[l], 0, w->c.scale[w->c.groups[k].slot]);
    return 0;
}

/* ---- checkpoints ---- */

/* Returns whether the byte of *b, loaded from a checkpoint, is 0 or 1. To read a bool with any other byte is undefined
 * behaviour. */
static bool is_yes_or_no(const bool *b)
{
    unsigned char byte;
    memcpy(&byte, b, sizeof byte);
    return byte <= 1;
}

static bool is_sound(const struct nb_cluster *c, const struct nb_group *g)
{
    const bool *const bools[] = {&g->moved, &g->averaged, &g->around.met, &g->around.failed, &g->contact.found};
    bool sound = g->n <= NB_CHAIN_MAX && (g->n == 0 || (g->n >= 2 && g->chain.n == (int)g->n && g->slot == g->body[0]));
    for (size_t k = 0; k < sizeof bools / sizeof *bools; k++)
        sound = sound && is_yes_or_no(bools[k]);
    for (uint32_t k = 0; k < g->n && sound; k++)
        sound = g->body[k] < c->n && g->chain.order[k] >= 0 && g->chain.order[k] < (int)g->n &&
                is_yes_or_no(&g->chain.hole[k]);
    return sound && g->nears <= c->n && g->inner <= g->nears &&
           (g->around.closest == NB_NOBODY || g->around.closest < c->n) &&
           (!g->contact.found || (g->contact.i < c->n && g->contact.j < c->n));
}

static int pack_group(struct nb_cluster *c, struct nb_pack *k, struct nb_group *g)
{
    uint32_t *near = g->near, room = g->room;
    if (nb_pack_bytes(k, g, sizeof *g))
        return -1;
    const uint32_t nears = g->nears;
    g->near = near, g->room = room;
    if (k->way == NB_PACK_LOAD) {
        if (!is_sound(c, g))
            return nb_fail("contains an invalid group of stars");
        if (nears > room) {
            g->near = realloc(near, nears * sizeof *near);
            g->room = nears;
        }
        if (nears > 0 && !g->near)
            return nb_fail("no memory for a group's neighbours");
    }
    if (nb_pack_bytes(k, g->near, nears * sizeof *near))
        return -1;
    for (uint32_t l = 0; l < nears; l++)
        if (g->near[l] >= c->n)
            return nb_fail("contains an invalid group of stars");
    return 0;
}

static int pack_groups(struct nb_cluster *c, struct nb_pack *k)
{
    uint64_t count = c->count;
    if (nb_pack_unsigned(k, &count, c->n))
        return -1;
    if (k->way == NB_PACK_LOAD && count > c->room) {
        struct nb_group *groups = realloc(c->groups, count * sizeof *groups);
        if (!groups)
            return nb_fail("no memory for %llu groups of stars", (unsigned long long)count);
        memset(groups + c->room, 0, (count - c->room) * sizeof *groups);
        c->groups = groups;
        c->room = (uint32_t)count;
    }
    c->count = (uint32_t)count;
    for (uint64_t l = 0; l < count; l++)
        if (pack_group(c, k, &c->groups[l]))
            return -1;
    return 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct work *w = p->memory;
    struct nb_cluster *c = &w->c;
    double *const vectors[] = {c->x, c->v, c->a, c->j, c->stars_a, c->stars_j};
    const size_t n = c->n;
    for (size_t l = 0; l < sizeof vectors / sizeof *vectors; l++)
        if (nb_pack_bytes(k, vectors[l], 3 * row_bytes(w)))
            return -1;
    if (nb_pack_bytes(k, c->gm, n * sizeof *c->gm) || nb_pack_bytes(k, c->scale, n * sizeof *c->scale) ||
        nb_pack_bytes(k, c->cap, n * sizeof *c->cap) || nb_pack_bytes(k, c->group, n * sizeof *c->group) ||
        nb_pack_bytes(k, c->partner, n * sizeof *c->partner) ||
        nb_pack_bytes(k, c->patience, n * sizeof *c->patience) || nb_pack_bytes(k, &w->longest, sizeof w->longest) ||
        nb_pack_bytes(k, &c->least, sizeof c->least) || nb_pack_unsigned(k, &w->forces.kicks, UINT64_MAX) ||
        pack_groups(c, k))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (c->group[i] < NB_VACANT || c->group[i] >= (int32_t)c->count ||
            (c->group[i] >= 0 && (c->groups[c->group[i]].n == 0 || c->groups[c->group[i]].slot != i)) ||
            (c->partner[i] != NB_NOBODY && c->partner[i] >= n))
            return nb_fail("contains an invalid group of stars");
    c->changes = n + 1;
    c->regrouped = true;
    return 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme, (void)adaptive, (void)velocity;
    return 12;
}

const struct nb_family nb_family_groups = {.looks = true,
                                           .vectors = vectors,
                                           .begin = begin,
                                           .steps = nb_aarseth_own_steps,
                                           .base = base_step,
                                           .attempt = nb_aarseth_own_attempt,
                                           .first = nb_aarseth_own_first,
                                           .own = own,
                                           .carry = carry,
                                           .carried = 8,
                                           .end = end};
