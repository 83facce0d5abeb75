/* touch.c - contacts of stars of the same group. Declared in touch.h. */
#include "step/groups/touch.h"

#include "step/kepler.h"

#include <math.h>
#include <string.h>

static double radii(const struct nb_group *g, const struct nb_cluster *c, int k, int l)
{
    return c->watch->radius[g->body[k]] + c->watch->radius[g->body[l]];
}

static bool may(const struct nb_group *g, const struct nb_cluster *c, int k, int l)
{
    return nb_touch_may(c->watch, g->body[k], g->body[l]);
}

/* Stores a contact of stars k and l in g->contact, unless an earlier contact is stored there. The time of the contact
 * is g->at + after. */
static void keep(struct nb_group *g, const struct nb_cluster *c, int k, int l, double after)
{
    const double time = nb_cluster_span(c, 0, (double)g->at) + after;
    if (!g->contact.found || fabs(time) < fabs(g->contact.after))
        g->contact = (struct nb_group_contact){true, g->body[k], g->body[l], time};
}

void nb_touch_on_orbit(struct nb_group *g, const struct nb_cluster *c, double after, double dt, const double x[3],
                       const double v[3])
{
    double t;
    if (may(g, c, 0, 1) && nb_kepler_comes_near(g->total, dt, x, v, radii(g, c, 0, 1), &t))
        keep(g, c, 0, 1, after + t);
}

/* ---- orbits that change by a tide ---- */

/* a step is divided into PIECES equal parts; the pericentre distance is tested at the ends of the parts */
#define PIECES  8
#define NEAR    2  /* an orbit is tested if its pericentre is below NEAR times the sum of radii */
#define HALVES  50 /* number of bisections in when_near */
#define PASSES  8  /* maximum number of pericentre passages that are tested */
#define ROUNDED (1 + 1e-9)
#define TURNS   6 /* number of iterations for the time of a contact */

struct tidal {
    struct nb_orbit begin;
    const double *tide;
};

static struct nb_orbit orbit_at(const struct tidal *o, double t)
{
    struct nb_orbit at = o->begin;
    nb_orbit_advance(&at, t, o->tide);
    return at;
}

static double pericentre(const struct nb_orbit *o)
{
    return o->a * o->shape / (1 + o->e);
}

/* Returns the first time between `from` and dt at which the pericentre distance is at most r, or INFINITY if this
 * distance is larger at all tested times. */
static double when_near(const struct tidal *o, double r, double from, double dt)
{
    double far = from;
    for (int k = 0; k <= PIECES; k++) {
        double near = from + (dt - from) * k / PIECES;
        const struct nb_orbit at = orbit_at(o, near);
        if (pericentre(&at) > r) {
            far = near;
            continue;
        }
        for (int half = 0; half < HALVES && k > 0; half++) {
            const double middle = (far + near) / 2;
            const struct nb_orbit there = orbit_at(o, middle);
            *(pericentre(&there) > r ? &far : &near) = middle;
        }
        return near;
    }
    return INFINITY;
}

/* Returns the time at which the distance of the stars falls to r while the tide changes their orbit. t: first estimate
 * of this time, made without the tide. sign: sign of the step. */
static double correct(const struct tidal *o, double r, double t, double sign)
{
    for (int k = 0; k < TURNS; k++) {
        const struct nb_orbit at = orbit_at(o, t);
        const double cosine = (1 - r / at.a) / at.e, E = acos(fmin(1, fmax(-1, cosine)));
        const double off = remainder(sign * -(E - at.e * sin(E)) - at.anomaly, 2 * M_PI);
        t += off * nb_orbit_period(&at) / (2 * M_PI);
    }
    return t;
}

/* Sets *t to the time of the first contact, when the distance of the stars falls to r. Returns false if there is no
 * contact within the time dt. Tests several pericentre passages, because the tide can make the pericentre distance
 * small and then large again before the stars reach the pericentre. */
static bool touches(const struct tidal *o, double r, double dt, double *t)
{
    const double sign = dt < 0 ? -1 : 1;
    double from = 0, x[3], v[3];
    for (int k = 0; k < PASSES; k++) {
        const double near = when_near(o, r, from, dt);
        if (!isfinite(near))
            return false;
        const struct nb_orbit at = orbit_at(o, near);
        nb_orbit_place(&at, x, v);
        if (!nb_kepler_comes_near(at.gm, sign * nb_orbit_period(&at), x, v, r * ROUNDED, t))
            return false;
        *t = *t == 0 ? near : correct(o, r, near + *t, sign);
        *t = sign * fmax(sign * *t, sign * near);
        const struct nb_orbit there = orbit_at(o, *t);
        if (pericentre(&there) <= r * ROUNDED)
            return fabs(*t) <= fabs(dt);
        from = *t;
    }
    return false;
}

void nb_touch_averaged(struct nb_group *g, const struct nb_cluster *c, double dt, const double tide[NB_TENSOR])
{
    const struct tidal o = {g->orbit, tide};
    const struct nb_orbit end = orbit_at(&o, dt);
    double t;
    if (!may(g, c, 0, 1))
        return;
    const double r = radii(g, c, 0, 1);
    if (fmin(pericentre(&o.begin), pericentre(&end)) <= NEAR * r && touches(&o, r, dt, &t))
        keep(g, c, 0, 1, t);
}

/* ---- chains ---- */

/* in a step, two stars count as moving on a Kepler orbit if the orbit from the beginning of the step ends within
 * EXACT * (sum of radii) of their true relative position */
#define EXACT   1e-8
#define DEEPEST 14 /* maximum number of successive halvings of a step */

enum answer { NO, YES, PERHAPS };

/* Tests whether the distance of stars k and l falls to r, the sum of their radii, in the step.
 * - YES: it does. *t is the time from the beginning of the step to the contact.
 * - PERHAPS: the stars come close, but do not move on a Kepler orbit. The caller then divides the step.
 * If `last` is true, the stars are assumed to move on the Kepler orbit that they have at the beginning of the step, and
 * the answer is YES or NO. */
static enum answer touch(const struct nb_group *g, const struct nb_touch_step *s, int k, int l, double r, bool last,
                         double *t)
{
    const double gm = g->gm[k] + g->gm[l];
    double x0[3], v0[3], x1[3], v1[3], dx[3], dv[3], off2 = 0, ignored;
    nb_chain_between(s->begin, k, l, x0, v0);
    if (nb_kepler_comes_near(gm, 0, x0, v0, r, t))
        return YES;
    nb_chain_between(s->end, k, l, x1, v1);
    nb_kepler_advance(gm, s->dt, x0, v0, dx, dv);
    for (int d = 0; d < 3; d++)
        off2 += (x0[d] + dx[d] - x1[d]) * (x0[d] + dx[d] - x1[d]);
    const double off = sqrt(off2), wide = r + 2 * off;
    const bool touches = nb_kepler_comes_near(gm, s->dt, x0, v0, r, t);
    if (off <= EXACT * r || last)
        return touches ? YES : NO;
    return nb_kepler_comes_near(gm, s->dt, x0, v0, wide, &ignored) ||
                   nb_kepler_comes_near(gm, -s->dt, x1, v1, wide, &ignored)
               ? PERHAPS
               : NO;
}

static bool look(struct nb_group *g, const struct nb_cluster *c, const struct nb_touch_step *s, bool last)
{
    double first = INFINITY;
    int pair[2] = {0, 0};
    for (int k = 0; k < s->begin->n; k++)
        for (int l = k + 1; l < s->begin->n; l++) {
            double t;
            if (!may(g, c, k, l))
                continue;
            const enum answer answer = touch(g, s, k, l, radii(g, c, k, l), last, &t);
            if (answer == PERHAPS)
                return false;
            if (answer == YES && fabs(t) < first)
                first = fabs(t), pair[0] = k, pair[1] = l;
        }
    if (isfinite(first))
        keep(g, c, pair[0], pair[1], s->after + (s->dt < 0 ? -first : first));
    return true;
}

static void look_in_halves(struct nb_group *g, const struct nb_cluster *c, const struct nb_touch_step *s, int depth)
{
    if (look(g, c, s, depth == DEEPEST))
        return;
    struct nb_chain middle = *s->begin;
    const double half = s->dt / 2;
    if (!nb_group_advance_chain(g, c, &middle, s->after, half))
        return;
    look_in_halves(g, c, &(struct nb_touch_step){s->begin, &middle, s->after, half}, depth + 1);
    if (nb_touch_wanted(g, c))
        look_in_halves(g, c, &(struct nb_touch_step){&middle, s->end, s->after + half, s->dt - half}, depth + 1);
}

void nb_touch_in_chain(struct nb_group *g, const struct nb_cluster *c, const struct nb_touch_step *step)
{
    look_in_halves(g, c, step, 0);
}
