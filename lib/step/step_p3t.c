/* step_p3t.c - particle-particle particle-tree scheme (P3T; Oshino, Funato & Makino 2011, Publ. Astron. Soc. Japan 63,
 * 881; Iwasawa, Portegies Zwart & Makino 2015, Comput. Astrophys. Cosmol. 2, 6). The force between two bodies is
 * divided into a near part and a far part (changeover.h). The far parts, computed by the tree, and external fields kick
 * all bodies once a step. Between kicks, bodies move under the near parts only (p3t/close.h). This is called the near
 * motion. The scheme is symplectic if the near motion is exact.
 *
 * The force between two bodies has no near part if they are farther apart than the outer radius. This radius is a
 * fraction of the mean distance between bodies. A step is a fraction of the time in which a body moves by this radius.
 * In a dense core, close pairs can connect hundreds of bodies to one component, whose near motion is expensive. The
 * outer radius is then reduced, and each step is divided into shorter parts. */
#include "step/scheme.h"

#include "base/error.h"
#include "device/timing.h"
#include "step/p3t/close.h"
#include "step/p3t/extent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTER  0.3   /* (outer radius) / (mean distance between bodies, computed from the median density) */
#define INNER  0.1   /* (inner radius) / (outer radius) */
#define LARGER 1.01  /* factor between successive outer radii that the function widest() tries */
#define MOST   1e4   /* maximum number of parts into which a step may be divided */
#define SLACK  0.05  /* a step of up to (1 + SLACK) times the default step (usual_step) is not divided into parts */
#define STEP   0.072 /* (time step) / (time in which a body crosses the outer radius of the changeover) */
/* The list of close pairs contains all pairs closer than (outer radius + NEAR * D). It also contains a pair closer than
 * (outer radius + REACH * D) if its velocities bring it closer than the outer radius. D: distance that a body of mean
 * speed moves while the list is in use */
#define NEAR  1
#define REACH 10
/* (step size) / (time scale) of the Hermite scheme for the near motion. With ETA = 0.1, triples of bodies lost energy
 * if they were not integrated as a group */
#define ETA   0.05
#define CHAIN 1e-12 /* tolerance of the chains that move the stars of a group (groups/chain.h) */
#define SHARE 1e-7  /* (allowed energy error of a binary's orbit) / (typical kinetic energy of all bodies) */
#define STEPS 16    /* number of steps between two calls of `measure`; each part of a step counts as a step */
/* If the size of the system (work.distance) becomes smaller than SHRUNK or larger than GROWN times its previous value,
 * the outer radius is multiplied by the ratio of the two sizes */
#define SHRUNK 0.8
#define GROWN  1.25
/* With fewer than SYSTEM bodies, the mean distance and the mean speed of the bodies are measured only once, and the
 * changeover is chosen only once. In a small system, both quantities vary as single bodies move along their orbits */
#define SYSTEM 100
/* The following costs are in units of the computing time for the near motion of one body in one drift. The far
 * acceleration of one body costs 1 / CROWD */
#define CROWD 16
/* A component (a set of bodies connected by close pairs) is called large if it has n > NB_SMOOTH_MOST bodies. The
 * near motion of a large component costs n + n^2 / FEW, in the unit of CROWD. FEW is also the minimum cost of the
 * far accelerations of all bodies */
#define FEW 128
/* a smaller outer radius is kept if a step costs less than PAYS times a step with the previous radius */
#define PAYS 0.9
/* if a smaller outer radius was tried and not kept, a smaller radius is tried again only when the cost of large
 * components has increased by the factor WORSE */
#define WORSE 1.5
/* the outer radius is chosen again before the next step if the cost of the large components in a drift exceeds JAM
 * times the larger of two values: the limit crowds.most, and the cost of the far accelerations */
#define JAM   4
#define SOME  4 /* crowds.some counts bodies in components (sets of connected bodies) of more than SOME bodies */
#define STEEP 9 /* (fraction of bodies in components of more than SOME bodies) grows about as (outer radius)^STEEP */
/* the outer radius may increase only if the fraction of bodies in components of more than SOME bodies stays below
 * SPARSE */
#define SPARSE 0.05
#define FLOOR  1e-4 /* minimum acceleration in time scales, in units of G * (total mass) / (system size)^2 */

enum { FAR, VECTORS }; /* indices of p->vectors. FAR: acceleration by the far parts of the forces */

struct crowds { /* statistics of components (sets of connected bodies). Costs: computing times in the unit of CROWD */
    /* since the last call of `measure`: number of drifts, and cost of large components in these drifts */
    uint64_t drifts, cost;
    uint64_t some; /* bodies in components of more than SOME bodies, summed over drifts since the last `measure` */
    /* while a smaller outer radius is being tried: previous radius (`outer`), and cost of a step with the previous
     * radius (`before`). Otherwise `before` is 0 */
    double before, outer;
    /* limit of the mean cost of large components in a drift. A smaller outer radius is tried if the cost exceeds
     * both this limit and the cost of the far accelerations */
    double most;
};

struct work {
    struct nb_p3t near;
    struct nb_components parts;
    struct nb_close_pairs close;
    double *gm;
    double distance; /* mean distance between bodies at the median density */
    double speed;    /* mean speed of the bodies in equilibrium (p3t/extent.h) */
    uint64_t since;  /* number of steps since the last call of `measure`; a part of a step counts as a step */
    struct crowds crowds;
    double all, heaviest; /* G * (total mass), G * (largest mass) */
    bool host;            /* device memory is host memory */
};

/* ---- the system ---- */

/* Copies positions and velocities to host memory. */
static int fetch(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    struct work *w = p->memory;
    const size_t bytes = 3 * s->stride * sizeof(double);
    return w->host ? 0
                   : nb_status(nb_device_from(s->device, w->near.x, s->x, bytes) ||
                               nb_device_from(s->device, w->near.v, s->v, bytes));
}

static int give(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    struct work *w = p->memory;
    const size_t bytes = 3 * s->stride * sizeof(double);
    return w->host ? 0
                   : nb_status(nb_device_to(s->device, s->x, w->near.x, bytes) ||
                               nb_device_to(s->device, s->v, w->near.v, bytes));
}

/* Measures w->distance, the mean distance between bodies, and w->speed, their mean speed. With fewer than SYSTEM
 * bodies, measures both only in the first call. */
static int measure(struct nb_stepper *p)
{
    struct work *w = p->memory;
    const struct nb_p3t *o = &w->near;
    w->since = 0;
    if (o->n < SYSTEM && w->distance > 0)
        return 0;
    nb_p3t_measure(o, w->all, &w->distance, &w->speed);
    return w->distance > 0 && w->speed > 0 && isfinite(w->distance + w->speed)
               ? 0
               : nb_fail("%s: the bodies have no mass, or are all at the same position", p->scheme->name);
}

static void weigh(struct work *w)
{
    w->all = w->heaviest = 0;
    for (uint64_t i = 0; i < w->near.n; i++) {
        w->all += w->gm[i];
        w->heaviest = fmax(w->heaviest, w->gm[i]);
    }
}

/* Returns the default step for the outer radius `outer` of the changeover: STEP * outer / speed. speed^2 = (mean
 * speed)^2 + (escape speed at the distance `outer` from the heaviest body)^2. */
static double usual_step(const struct work *w, double outer)
{
    return STEP * outer / sqrt(w->speed * w->speed + 2 * w->heaviest / outer);
}

static double usual_outer(const struct work *w)
{
    return OUTER * w->distance;
}

/* Returns the outer radius of the changeover for a step of h: the default radius, increased if necessary until the
 * default step for the radius is at least |h|. */
static double widest(const struct work *w, double h)
{
    double outer = usual_outer(w);
    while (usual_step(w, outer) < fabs(h))
        outer *= LARGER;
    return outer;
}

/* ---- the far part ---- */

/* Computes the far accelerations of all bodies and the list of close pairs. */
static int evaluate(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    struct work *w = p->memory;
    struct nb_sources from = nb_sources_of(s, p->G, 0);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field own = {.stride = s->stride, .a = p->vectors[FAR], .close = &w->close},
                          others = {.stride = s->stride, .a = p->vectors[FAR], .add = true};
    from.softening = 0;
    from.far = w->near.split;
    p->evaluations++;
    if (nb_force_set_evaluate(p->forces, nb_forces_own, s->precision, &from, &to, &own))
        return -1;
    from.far = (struct nb_changeover){0};
    return nb_force_set_evaluate(p->forces, nb_forces_external, s->precision, &from, &to, &others);
}

static int kick(struct nb_stepper *p, double h)
{
    const struct nb_state *s = p->state;
    nb_timing_stage(s->device, "kick and drift");
    return nb_device_axpy(s->device, s->precision, 3 * s->stride, h, p->vectors[FAR], s->v);
}

/* ---- steps ---- */

/* Returns the cost of one computation of the far accelerations of all bodies, in the unit defined at CROWD. */
static double cost_of_far(const struct work *w)
{
    return fmax(FEW, (double)w->near.n / CROWD);
}

/* Adds the cost of the large components in a drift to the statistics. If the cost exceeds the limit given by JAM, sets
 * w->since to STEPS, so that the changeover is chosen again before the next step. */
static void count_crowds(struct work *w)
{
    struct crowds *c = &w->crowds;
    uint64_t cost = 0;
    for (uint32_t k = 0; k < w->parts.count; k++) {
        const uint64_t n = w->parts.begin[k + 1] - w->parts.begin[k];
        cost += n > NB_SMOOTH_MOST ? n + n * n / FEW : 0;
        c->some += n > SOME ? n : 0;
    }
    c->drifts++;
    c->cost += cost;
    if ((double)cost > JAM * fmax(cost_of_far(w), c->most))
        w->since = STEPS;
}

static int drift(struct nb_stepper *p, double h)
{
    struct work *w = p->memory;
    nb_timing_stage(p->state->device, "near motion");
    w->near.watch = p->watch;
    if (nb_components_find(&w->parts, w->near.n, w->close.count, (const uint32_t(*)[2])w->close.pair))
        return nb_status(-1);
    count_crowds(w);
    return nb_status(fetch(p) || nb_p3t_drift(&w->near, &w->parts, h) || give(p));
}

/* Sets the parameters of the near motion and of the list of close pairs. They depend on the changeover, on the mean
 * speed, and on the time w->close.time for which the list is used. `size`: half-mass radius of a system in equilibrium,
 * computed from its mass and mean speed (Spitzer 1987, Dynamical Evolution of Globular Clusters, 1.2). */
static int follow(struct nb_stepper *p)
{
    struct work *w = p->memory;
    const double outer = p->split.outer, speed2 = w->speed * w->speed, way = w->speed * fabs(w->close.time);
    const double size = 0.4 * w->all / speed2;
    w->near.split = p->split;
    w->near.energy = w->all * speed2 / 2;
    w->near.least = FLOOR * w->all / (size * size);
    w->close.near = outer + NEAR * way;
    w->close.reach = outer + REACH * way;
    w->close.v = p->state->v;
    return nb_status(nb_heavy_choose(&w->near.heavy, w->near.n, w->gm, w->all, outer, w->near.energy));
}

static double largest_radii(const struct nb_stepper *p)
{
    return p->watch ? nb_p3t_largest_radii(p->watch, p->state->n) : 0;
}

/* Returns the number of equal parts into which a step of h is divided. outer: outer radius of the changeover. */
static uint64_t parts_of(const struct work *w, double h, double outer)
{
    const double parts = ceil(fabs(h) / usual_step(w, outer) - SLACK);
    return parts > 1 ? (uint64_t)fmin(parts, 2 * MOST) : 1;
}

/* Returns the outer radius of the changeover for the next steps of size h. If large components cost much, it is
 * smaller than `outer`; if they cost little, it is larger. `outer`: present radius, multiplied by `size`. `size`:
 * factor by which the size of the system has changed; 1 if the change is small. */
static double next_outer(struct work *w, double size, double outer, double h)
{
    struct crowds *c = &w->crowds;
    if (c->drifts == 0)
        return outer;
    const uint64_t parts = parts_of(w, h, outer);
    const double drifts = (double)c->drifts, crowd = (double)c->cost / drifts, far = cost_of_far(w);
    const double cost = (double)parts * (far + crowd), before = c->before;
    const double larger = fmin(parts > 1 ? (double)parts / (double)(parts - 1) : 1.25, widest(w, h) / outer);
    c->before = 0;
    if (before > 0 && !(cost < PAYS * before))
        return size * c->outer;
    if (before > 0 || crowd <= far)
        c->most = 0;
    if (crowd > fmax(far, c->most) && parts < MOST) {
        c->most = WORSE * crowd;
        c->before = cost;
        c->outer = outer;
        return outer * (double)parts / (double)(parts + 1);
    }
    const bool sparse = (double)c->some * pow(larger, STEEP) < drifts * SPARSE * (double)w->near.n;
    return larger > 1 && sparse ? outer * larger : outer;
}

/* Chooses the changeover. Called before the first step and after each call of `measure`. From the second call on, the
 * outer radius is at least the sum of the radii of any two bodies, so that two stars that touch are always in the list
 * of close pairs. */
static int choose(struct nb_stepper *p, double h)
{
    struct work *w = p->memory;
    const bool first = !(p->split_size > 0);
    double size = w->distance / p->split_size;
    if (!first && w->near.n < SYSTEM)
        return 0;
    if (size > SHRUNK && size < GROWN)
        size = 1;
    const double outer = first ? widest(w, h) : fmax(next_outer(w, size, size * p->split.outer, h), largest_radii(p));
    w->crowds.drifts = w->crowds.cost = w->crowds.some = 0;
    if (!isfinite(outer * outer * outer))
        return nb_fail("%s: a step of %g is too long", p->scheme->name, h);
    if (outer == p->split.outer)
        return 0;
    p->split = (struct nb_changeover){INNER * outer, outer};
    p->split_size = size == 1 ? p->split_size : w->distance;
    w->close.time = 0;
    return 0;
}

/* Computes the far accelerations and the list of close pairs for a step of h. Does not compute them again if they were
 * computed for this step, or for a longer one: a step that ends at a contact of two stars (struct nb_touch_watch) is
 * shorter than planned. */
static int prepare(struct nb_stepper *p, double h)
{
    struct work *w = p->memory;
    const bool serves = h / w->close.time > 0 && h / w->close.time <= 1;
    if (!serves)
        w->close.time = h;
    if (follow(p))
        return -1;
    if (serves)
        return 0;
    return largest_radii(p) > p->split.outer
               ? nb_fail(
                     "two stars touch at a distance above %.3g, the limit up to which pairs are followed (a larger --dt "
                     "increases it)",
                     p->split.outer)
               : evaluate(p);
}

/* Takes a step of h in `parts` equal parts. If a contact is found, stops and sets *ended. */
static int step_in_parts(struct nb_stepper *p, nb_quad h, uint64_t parts, bool *ended)
{
    const double part = (double)h / (double)parts;
    const nb_quad begin = p->time;
    if (prepare(p, part))
        return -1;
    for (uint64_t k = 0; k < parts && !*ended; k++) {
        p->stale = true;
        if (kick(p, part / 2) || drift(p, part))
            return -1;
        nb_step_at(p, begin + (k + 1 == parts ? h : part * (nb_quad)(k + 1)));
        *ended = p->watch && p->watch->found;
        if (*ended)
            p->watch->first.after += part * (double)k;
        else if (evaluate(p) || kick(p, part / 2))
            return -1;
    }
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    struct work *w = p->memory;
    bool ended = false;
    for (uint64_t k = 0; k < count && !ended; k++) {
        if ((w->since >= STEPS && measure(p)) || (w->since == 0 && choose(p, (double)h)))
            return -1;
        const uint64_t parts = parts_of(w, (double)h, p->split.outer);
        if (parts > MOST)
            return nb_fail("%s: a step of %g is more than %g times the step that such dense or fast bodies need",
                           p->scheme->name, (double)h, MOST);
        w->since += parts;
        if (step_in_parts(p, h, parts, &ended))
            return -1;
    }
    return 0;
}

static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    const char *why = nb_scheme_refuse_state(p->scheme, s->device, s->precision, p->softening);
    if (why)
        return nb_fail("%s: %s", p->scheme->name, why);
    struct work *w = nb_step_memory(p, sizeof *w);
    if (!w || nb_step_vectors(p, FAR, VECTORS) || !(w->gm = calloc(s->stride, sizeof *w->gm)))
        return w && !w->gm ? nb_fail("%s: no memory for %llu bodies", p->scheme->name, (unsigned long long)s->n) : -1;
    const size_t bytes = 3 * s->stride * sizeof(double);
    w->host = nb_device_is_host(s->device);
    w->near = (struct nb_p3t){.n = s->n,
                              .stride = s->stride,
                              .x = w->host ? s->x : malloc(bytes),
                              .v = w->host ? s->v : malloc(bytes),
                              .gm = w->gm,
                              .eta = ETA,
                              .chain_tolerance = CHAIN,
                              .share = SHARE};
    if (!w->near.x || !w->near.v)
        return nb_fail("%s: no memory for %llu bodies", p->scheme->name, (unsigned long long)s->n);
    if (!w->host) {
        nb_device_pin(s->device, w->near.x, bytes);
        nb_device_pin(s->device, w->near.v, bytes);
    }
    if (nb_device_from(s->device, w->gm, s->m, s->stride * sizeof *w->gm) || fetch(p))
        return -1;
    for (uint64_t i = 0; i < s->n; i++)
        w->gm[i] *= p->G;
    weigh(w);
    return measure(p);
}

/* Returns the default step size for the default outer radius. May be called before the run begins. */
static double suggest(struct nb_stepper *p)
{
    if (!p->memory && begin(p))
        return -1;
    const struct work *w = p->memory;
    return usual_step(w, usual_outer(w));
}

static void end(struct nb_stepper *p)
{
    struct work *w = p->memory;
    for (int k = 0; k < 2 && !w->host; k++) {
        double *copy = k == 0 ? w->near.x : w->near.v;
        if (copy)
            nb_device_unpin(p->state->device, copy);
        free(copy);
    }
    nb_p3t_free(&w->near);
    nb_components_free(&w->parts);
    free(w->close.pair);
    free(w->gm);
}

static int pack_pairs(struct work *w, struct nb_pack *k)
{
    struct nb_close_pairs *c = &w->close;
    uint64_t count = c->count;
    if (nb_pack_unsigned(k, &count, SIZE_MAX / sizeof *c->pair))
        return -1;
    if (k->way == NB_PACK_LOAD && count > c->room) {
        free(c->pair);
        c->pair = malloc(count * sizeof *c->pair);
        c->room = c->pair ? count : 0;
        if (!c->pair)
            return nb_fail("no memory for %llu close pairs", (unsigned long long)count);
    }
    c->count = count;
    if (nb_pack_bytes(k, c->pair, count * sizeof *c->pair))
        return -1;
    for (uint64_t l = 0; l < count; l++)
        if (c->pair[l][0] >= c->pair[l][1] || c->pair[l][1] >= w->near.n)
            return nb_fail("contains an invalid close pair");
    return 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct work *w = p->memory;
    const struct nb_changeover *c = &p->split;
    if (nb_step_pack_vectors(p, k, FAR, VECTORS) || nb_pack_bytes(k, &p->split, sizeof p->split) ||
        nb_pack_bytes(k, &p->split_size, sizeof p->split_size) || nb_pack_bytes(k, &w->since, sizeof w->since) ||
        nb_pack_bytes(k, &w->distance, sizeof w->distance) || nb_pack_bytes(k, &w->speed, sizeof w->speed) ||
        nb_pack_bytes(k, &w->crowds, sizeof w->crowds) || nb_pack_bytes(k, &w->close.time, sizeof w->close.time) ||
        pack_pairs(w, k))
        return -1;
    const bool none = c->inner == 0 && c->outer == 0 && p->split_size == 0, begun = w->close.time != 0;
    if (!(none && !begun) && !(c->inner > 0 && c->inner < c->outer && p->split_size > 0 &&
                               isfinite(c->outer + p->split_size + w->close.time) && w->distance > 0 && w->speed > 0 &&
                               isfinite(w->distance + w->speed) && w->crowds.most >= 0 &&
                               (w->crowds.before == 0 || (w->crowds.before > 0 && w->crowds.outer >= c->outer &&
                                                          w->crowds.outer <= 4 * c->outer))))
        return nb_fail("contains an invalid changeover");
    return begun ? follow(p) : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme, (void)adaptive, (void)velocity;
    return VECTORS;
}

const struct nb_family nb_family_p3t = {.looks = true,
                                        .vectors = vectors,
                                        .begin = begin,
                                        .steps = steps,
                                        .suggest = suggest,
                                        .carry = carry,
                                        .carried = VECTORS,
                                        .end = end};
