/* step_jacobi.c - Jacobi coordinates for the Wisdom-Holman map (step_whfast.c):
 * - Planets are sorted by their initial distances from the central body.
 * - r_i and the velocity of planet i are relative to the centre of mass of the central body and planets 0 to i - 1.
 * - eta_i is the total mass of the central body and planets 0 to i.
 * - The Kepler motion of planet i is an orbit about a mass eta_i, with acceleration -G eta_i r_i / |r_i|^3.
 * - A kick uses the remaining acceleration: the second time derivative of r_i due to all bodies, minus the acceleration
 *   of the Kepler motion. */
#include "step/step_whfast.h"

#include "base/error.h"
#include "force/force.h"

#include <math.h>
#include <stdlib.h>

struct distance {
    double squared; /* square of the distance from the central body; -1 for the central body itself */
    uint32_t body;
};

static int by_distance(const void *a, const void *b)
{
    const struct distance *p = a, *q = b;
    if (p->squared != q->squared)
        return p->squared < q->squared ? -1 : 1;
    return p->body < q->body ? -1 : 1;
}

/* Writes the indices of the bodies to w->order: the central body, then the other bodies by distance from it. */
static int sort_planets(struct nb_stepper *p)
{
    struct whfast *w = p->memory;
    const struct nb_state *s = p->state;
    const double *x = s->x;
    struct distance *all = malloc(s->n * sizeof *all);
    w->order = malloc(s->n * sizeof *w->order);
    const bool there = all && w->order;
    for (uint64_t i = 0; i < s->n && there; i++) {
        all[i] = (struct distance){i == w->centre ? -1 : 0, (uint32_t)i};
        for (uint64_t k = 0; k < 3; k++)
            all[i].squared += pow(x[k * s->stride + i] - x[k * s->stride + w->centre], 2);
    }
    if (there)
        qsort(all, s->n, sizeof *all, by_distance);
    for (uint64_t i = 0; i < s->n && there; i++)
        w->order[i] = all[i].body;
    free(all);
    return there ? 0 : nb_fail("no memory");
}

/* Writes two rows of masses to the vector MASSES, and returns the second row. First row: element i is the total mass of
 * planets 0 to i. Second row: the mass of the central body, then the mass of each planet. Planet i is body
 * w->order[i + 1]. */
static double *sum_masses(struct nb_stepper *p)
{
    struct whfast *w = p->memory;
    double *up_to = p->vectors[MASSES], *own = up_to + p->state->stride, sum = 0;
    own[0] = w->planets.centre;
    for (uint64_t i = 0; i < w->planets.n; i++) {
        own[i + 1] = ((const double *)p->state->m)[w->order[i + 1]];
        up_to[i] = sum += own[i + 1];
    }
    return own;
}

/* Returns (mass of planet i) / (total mass of the central body and planets 0 to i). In Jacobi coordinates,
 * planets->m[i] is the total mass of planets 0 to i; own[i + 1] is the mass of planet i. */
static double share(const struct nb_planets *planets, const double *own, uint64_t i)
{
    return own[i + 1] / (planets->centre + planets->m[i]);
}

int nb_jacobi_take(struct nb_stepper *p)
{
    struct whfast *w = p->memory;
    const struct nb_state *s = p->state;
    if (sort_planets(p))
        return -1;
    const double *own = sum_masses(p);
    for (uint64_t k = 0; k < 3; k++) {
        const double *x = (const double *)s->x + k * s->stride, *v = (const double *)s->v + k * s->stride;
        nb_quad place = x[w->centre], rate = v[w->centre];
        for (uint64_t i = 0; i < w->planets.n; i++) {
            const nb_quad q = x[w->order[i + 1]] - place, u = v[w->order[i + 1]] - rate;
            nb_whfast_take_planet(&w->planets, k * s->stride + i, q, u);
            place += share(&w->planets, own, i) * q;
            rate += share(&w->planets, own, i) * u;
        }
        w->place[k] = place;
        w->rate[k] = rate;
    }
    return 0;
}

void nb_jacobi_give(struct nb_stepper *p, const struct nb_planets *planets, nb_quad time)
{
    const struct whfast *w = p->memory;
    const struct nb_state *s = p->state;
    const double *own = nb_jacobi_masses(p);
    for (uint64_t k = 0; k < 3; k++) {
        double *x = (double *)s->x + k * s->stride, *v = (double *)s->v + k * s->stride;
        nb_quad place = w->place[k] + w->rate[k] * time, rate = w->rate[k];
        for (uint64_t i = planets->n; i-- > 0;) {
            const uint64_t at = k * planets->stride + i;
            const nb_quad q = (nb_quad)planets->q[at] + planets->q_low[at],
                          u = (nb_quad)planets->v[at] + planets->v_low[at];
            place -= share(planets, own, i) * q;
            rate -= share(planets, own, i) * u;
            x[w->order[i + 1]] = (double)(place + q);
            v[w->order[i + 1]] = (double)(rate + u);
        }
        x[w->centre] = (double)place;
        v[w->centre] = (double)rate;
    }
}

int nb_jacobi_kick(struct nb_stepper *p, const struct nb_planets *planets, double h)
{
    const uint64_t n = planets->n, stride = planets->stride;
    const double *own = nb_jacobi_masses(p);
    double *x = p->vectors[POSITIONS], *a = p->vectors[ACCELERATIONS];
    const struct nb_sources from = {.n = n + 1, .stride = stride, .m = own, .x = x, .G = planets->G};
    const struct nb_targets to = {.n = n + 1, .stride = stride, .x = x};
    for (uint64_t k = 0; k < 3; k++) {
        double place = 0; /* position of the centre of mass of the central body and planets 0 to i - 1 */
        for (uint64_t i = n; i-- > 0;) {
            const double q = planets->q[k * stride + i] + planets->q_low[k * stride + i];
            place -= share(planets, own, i) * q;
            x[k * stride + i + 1] = place + q;
        }
        x[k * stride] = place;
    }
    if (nb_force_set_evaluate(p->forces, nb_forces_all, NB_DOUBLE, &from, &to,
                              &(struct nb_field){.stride = stride, .a = a}))
        return -1;
    double before[3] = {a[0], a[stride], a[2 * stride]};
    for (uint64_t i = 0; i < n; i++) {
        double q[3], r2 = 0;
        for (uint64_t k = 0; k < 3; k++) {
            q[k] = planets->q[k * stride + i] + planets->q_low[k * stride + i];
            r2 += q[k] * q[k];
        }
        const double pull = planets->G * (planets->centre + planets->m[i]) / (r2 * sqrt(r2));
        for (uint64_t k = 0; k < 3; k++) {
            const double relative = a[k * stride + i + 1] - before[k];
            planets->v_low[k * stride + i] += h * (relative + pull * q[k]);
            before[k] += share(planets, own, i) * relative;
        }
    }
    return 0;
}

int nb_jacobi_carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct whfast *w = p->memory;
    const uint64_t n = p->state->n;
    if (nb_pack_bytes(k, w->order, n * sizeof *w->order))
        return -1;
    if (w->order[0] != w->centre || !nb_pack_is_order(w->order, n))
        return nb_fail("contains an invalid order of planets");
    sum_masses(p);
    return 0;
}
