/* step_whfast.c - Wisdom-Holman map in democratic heliocentric coordinates (whfast.h) or Jacobi coordinates
 * (step_jacobi.c): drift-kick-drift, with or without a symplectic corrector (scheme.h).
 *
 * The last half drift of a step and the first half drift of the next step are done as one drift. So between calls of
 * the stepper, planets are stored as they are after the kick of a step, with compensations of rounding errors. The
 * state for the caller is made from a copy: the copied planets drift to the end of the step, and the corrector is
 * undone. Results therefore do not depend on how the caller divides the steps among calls. */
#include "step/step_whfast.h"

#include "base/error.h"
#include "base/sum.h"
#include "device/timing.h"
#include "force/force.h"
#include "simd/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SET(name)    nb_whfast_##name
#define SET_OF(name) &SET(name)
extern const struct nb_whfast_set NB_SIMD_EACH(SET);
static const struct nb_whfast_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

#define BLOCK 256 /* number of planets per iteration of a thread */

static void lay_out(struct nb_stepper *p, struct nb_planets *planets, int first)
{
    const struct nb_state *s = p->state;
    const struct whfast *w = p->memory;
    *planets = (struct nb_planets){
        .n = s->n - 1,
        .stride = s->stride,
        .G = p->G,
        .centre = ((const double *)s->m)[w->centre],
        .m = p->vectors[MASSES],
        .q = p->vectors[first],
        .v = p->vectors[first + 1],
        .q_low = p->vectors[first + 2],
        .v_low = p->vectors[first + 3],
    };
}

/* ---- bodies and planets ---- */

static const struct nb_planetary *table_of(const struct nb_stepper *p)
{
    return p->scheme->table;
}

/* Returns the index of the body that is planet i: i, or the index of the last body if body i is the central body. */
static uint64_t body_of(const struct whfast *w, uint64_t i)
{
    return i == w->centre ? w->planets.n : i;
}

static int find_centre(struct nb_stepper *p)
{
    struct whfast *w = p->memory;
    const uint64_t n = p->state->n;
    const double *m = p->state->m;
    for (uint64_t i = 0; i < n; i++) {
        w->centre = m[i] > m[w->centre] ? i : w->centre;
        w->mass += m[i];
    }
    if (!(m[w->centre] > 0 && w->mass > 0))
        return nb_fail("%s: no body has a mass, so there is no centre to move around", p->scheme->name);
    return 0;
}

/* Returns (m_0 + m) / m_0, where m_0 and m are the masses of the central body and of planet i. The stored velocity V_i
 * (whfast.h) is the planet's velocity relative to the centre of mass, multiplied by this factor. */
static double faster(const struct nb_planets *planets, uint64_t i)
{
    return 1 + planets->m[i] / planets->centre;
}

static void take_bodies(struct nb_stepper *p)
{
    struct whfast *w = p->memory;
    const struct nb_state *s = p->state;
    const double *m = s->m;
    for (uint64_t i = 0; i < w->planets.n; i++)
        ((double *)p->vectors[MASSES])[i] = m[body_of(w, i)];
    for (uint64_t k = 0; k < 3; k++) {
        const double *x = (const double *)s->x + k * s->stride, *v = (const double *)s->v + k * s->stride;
        for (uint64_t i = 0; i < s->n; i++) {
            w->place[k] += m[i] / w->mass * x[i];
            w->rate[k] += m[i] / w->mass * v[i];
        }
        for (uint64_t i = 0; i < w->planets.n; i++) {
            const uint64_t body = body_of(w, i);
            nb_whfast_take_planet(&w->planets, k * s->stride + i, (nb_quad)x[body] - x[w->centre],
                                  (v[body] - w->rate[k]) * faster(&w->planets, i));
        }
    }
}

static double sum(nb_quad base, double high, double low)
{
    return (double)(base + high + low);
}

/* Writes the planets and the central body to the state. The planets must be at the end of a step (`synchronise`). At
 * this time, the centre of mass is at w->place + w->rate * time. */
static void give_bodies(struct nb_stepper *p, const struct nb_planets *planets, nb_quad time)
{
    const struct whfast *w = p->memory;
    const struct nb_state *s = p->state;
    for (uint64_t k = 0; k < 3; k++) {
        double *x = (double *)s->x + k * s->stride, *v = (double *)s->v + k * s->stride;
        const double *q = planets->q + k * s->stride, *q_low = planets->q_low + k * s->stride;
        const double *u = planets->v + k * s->stride, *u_low = planets->v_low + k * s->stride;
        struct nb_sum moment = {0}, momentum = {0};
        for (uint64_t i = 0; i < planets->n; i++) {
            nb_sum_add(&moment, planets->m[i] * (q[i] + q_low[i]));
            nb_sum_add(&momentum, planets->m[i] * (u[i] + u_low[i]) / faster(planets, i));
        }
        const nb_quad centre = w->place[k] + w->rate[k] * time - nb_sum_value(&moment) / w->mass;
        for (uint64_t i = 0; i < planets->n; i++) {
            x[body_of(w, i)] = sum(centre, q[i], q_low[i]);
            v[body_of(w, i)] = sum(w->rate[k], u[i] / faster(planets, i), u_low[i]);
        }
        x[w->centre] = (double)centre;
        v[w->centre] = (double)(w->rate[k] - nb_sum_value(&momentum) / (nb_quad)planets->centre);
    }
}

/* ---- steps ---- */

static void drift(const struct nb_planets *planets, double h)
{
    const struct nb_whfast_set *set = sets[nb_simd_in_use()];
    const uint64_t n = planets->n;
    if (n <= BLOCK) { /* avoids the cost of an OpenMP team */
        set->drift(planets, h, 0, n);
        return;
    }
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < n; i += BLOCK)
        set->drift(planets, h, i, n - i < BLOCK ? n : i + BLOCK);
}

/* Applies the jumps of whfast.h for a time h: moves each planet by h / m_0 times the momentum of the other planets.
 * m_0: mass of the central body. */
static void jump(const struct nb_planets *planets, double h)
{
    for (uint64_t k = 0; k < 3; k++) {
        const uint64_t row = k * planets->stride;
        const double *v = planets->v + row, *v_low = planets->v_low + row;
        struct nb_sum momentum = {0};
        for (uint64_t i = 0; i < planets->n; i++)
            nb_sum_add(&momentum, planets->m[i] / faster(planets, i) * (v[i] + v_low[i]));
        const double all = nb_sum_value(&momentum);
        for (uint64_t i = 0; i < planets->n; i++)
            planets->q_low[row + i] +=
                h / planets->centre * (all - planets->m[i] / faster(planets, i) * (v[i] + v_low[i]));
    }
}

/* Kicks the planets for a time h by their forces on each other. The force methods of the run compute these forces,
 * without the central body. */
static int interact(struct nb_stepper *p, const struct nb_planets *planets, double h)
{
    const uint64_t n = planets->n, stride = planets->stride;
    double *x = p->vectors[POSITIONS], *a = p->vectors[ACCELERATIONS];
    const struct nb_sources from = {.n = n, .stride = stride, .m = planets->m, .x = x, .G = planets->G};
    const struct nb_targets to = {.n = n, .stride = stride, .x = x};
    for (uint64_t k = 0; k < 3 * stride; k++)
        x[k] = planets->q[k] + planets->q_low[k];
    if (nb_force_set_evaluate(p->forces, nb_forces_all, NB_DOUBLE, &from, &to,
                              &(struct nb_field){.stride = stride, .a = a}))
        return -1;
    for (uint64_t k = 0; k < 3; k++)
        for (uint64_t i = 0; i < n; i++)
            planets->v_low[k * stride + i] += h * faster(planets, i) * a[k * stride + i];
    return 0;
}

static int kick(struct nb_stepper *p, const struct nb_planets *planets, double h)
{
    if (table_of(p)->jacobi)
        return nb_jacobi_kick(p, planets, h);
    jump(planets, h / 2);
    if (interact(p, planets, h))
        return -1;
    jump(planets, h / 2);
    return 0;
}

/* Does a drift and then a kick, `count` times. The first drift has the duration `first`, all other drifts h. Each kick
 * has the duration kick_h. */
static int advance(struct nb_stepper *p, const struct nb_planets *planets, double first, double h, double kick_h,
                   uint64_t count)
{
    const struct nb_whfast_set *set = sets[nb_simd_in_use()];
    if (planets->n <= NB_WHFAST_FEW) {
        if (table_of(p)->jacobi)
            set->jacobi_steps(planets, nb_jacobi_masses(p), first, h, kick_h, count);
        else
            set->steps(planets, first, h, kick_h, count);
        return 0;
    }
    for (; count > 0; count--, first = h) {
        drift(planets, first);
        if (kick(p, planets, kick_h))
            return -1;
    }
    return 0;
}

/* Drifts by `before`, then applies D(a) K(b) D(-2a) K(-b), where D is a drift and K a kick. This is the factor Z(a, b)
 * of the corrector (scheme.h) without its last drift D(a). */
static int correct_once(struct nb_stepper *p, const struct nb_planets *planets, double before, double a, double b)
{
    return advance(p, planets, before + a, 0, b, 1) || advance(p, planets, -2 * a, 0, -b, 1) ? -1 : 0;
}

/* Applies the corrector (sign 1) or its inverse (sign -1). The corrector depends on |h| only, so that steps of -h
 * reverse steps of h. */
static int correct(struct nb_stepper *p, const struct nb_planets *planets, int sign)
{
    const struct nb_corrector *c = &table_of(p)->corrector;
    const double h = fabs((double)((const struct whfast *)p->memory)->h);
    const double spacing = (double)NB_CORRECTOR_SPACING * h;
    double left = 0;
    for (int k = -c->stages; k <= c->stages; k++) {
        if (k == 0)
            continue;
        const double a = -k * spacing, b = (k < 0 ? -sign : sign) * (double)c->b[abs(k) - 1] * h;
        if (correct_once(p, planets, left, a, b))
            return -1;
        left = a;
    }
    if (c->stages > 0)
        drift(planets, left);
    return 0;
}

/* Completes a step after its kick: drifts the planets by half a step and undoes the corrector. */
static int synchronise(struct nb_stepper *p, const struct nb_planets *planets)
{
    const struct whfast *w = p->memory;
    drift(planets, (double)w->h / 2);
    return correct(p, planets, -1);
}

static int set_step(struct nb_stepper *p, nb_quad h)
{
    struct whfast *w = p->memory;
    if (w->h != 0 && synchronise(p, &w->planets))
        return -1;
    for (int k = 0; k < 3; k++)
        w->place[k] += w->rate[k] * (w->h * w->steps);
    w->h = h;
    w->steps = 0;
    return correct(p, &w->planets, 1);
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    struct whfast *w = p->memory;
    if (w->h != h && set_step(p, h))
        return -1;
    const double step = (double)h, first = w->steps > 0 ? step : step / 2;
    nb_timing_stage(p->state->device, "Kepler motion and kicks");
    if (w->planets.n > 0 && advance(p, &w->planets, first, step, step, count))
        return -1;
    w->steps += count;
    p->evaluations += count;
    p->stale = true;
    for (int k = 0; k < COPY - PLANETS; k++)
        memcpy(p->vectors[COPY + k], p->vectors[PLANETS + k], 3 * p->state->stride * sizeof(double));
    if (synchronise(p, &w->copy))
        return -1;
    (table_of(p)->jacobi ? nb_jacobi_give : give_bodies)(p, &w->copy, w->h * w->steps);
    return 0;
}

static int begin(struct nb_stepper *p)
{
    struct whfast *w = nb_step_memory(p, sizeof *w);
    const char *why = nb_scheme_refuse_state(p->scheme, p->state->device, p->state->precision, p->softening);
    if (!w)
        return -1;
    if (why)
        return nb_fail("%s: %s", p->scheme->name, why);
    if (p->forces->count > 1)
        return nb_fail("%s supports one force, not %d", p->scheme->name, p->forces->count);
    if (find_centre(p) || nb_step_vectors(p, 0, VECTORS))
        return -1;
    lay_out(p, &w->planets, PLANETS);
    lay_out(p, &w->copy, COPY);
    if (table_of(p)->jacobi)
        return nb_jacobi_take(p);
    take_bodies(p);
    return 0;
}

static void end(struct nb_stepper *p)
{
    free(((struct whfast *)p->memory)->order);
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct whfast *w = p->memory;
    return (w->order && nb_jacobi_carry(p, k)) || nb_step_pack_vectors(p, k, PLANETS, COPY) ||
                   nb_pack_bytes(k, w->place, sizeof w->place) || nb_pack_bytes(k, w->rate, sizeof w->rate) ||
                   nb_pack_bytes(k, &w->h, sizeof w->h) || nb_pack_unsigned(k, &w->steps, UINT64_MAX)
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme;
    (void)adaptive;
    (void)velocity;
    return VECTORS;
}

const struct nb_family nb_family_whfast = {
    .vectors = vectors, .begin = begin, .steps = steps, .carry = carry, .carried = COPY - PLANETS, .end = end};
