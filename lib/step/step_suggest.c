/* step_suggest.c - computes a default time step from the accelerations of the bodies and from the expected duration of
 * close encounters. */
#include "step/step_family.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

#define FIELD_SHARE   0.02 /* (step) / (shortest dynamical time); 0.02 gives 314 steps for a circular orbit */
#define PASSAGE_SHARE 0.1  /* (step) / (duration of an encounter) */

/* properties of the n bodies in host memory: n values or triples in each column */
struct sample {
    struct nb_column a, phi; /* acceleration and potential due to self-gravity */
    struct nb_column x, v, m;
};

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static int take_sample(struct nb_stepper *p, struct sample *q, void *d_a, void *d_phi)
{
    const struct nb_state *s = p->state;
    return nb_force_set_evaluate_state(p->forces, nb_forces_own, s, p->G, p->softening, d_a, d_phi) ||
                   nb_state_fetch(s, d_phi, &q->phi) || nb_state_fetch(s, d_a, &q->a) ||
                   nb_state_fetch(s, s->x, &q->x) || nb_state_fetch(s, s->v, &q->v) || nb_state_fetch(s, s->m, &q->m)
               ? -1
               : 0;
}

/* Returns the shortest dynamical time of all bodies; infinity if there is none. A body has two dynamical times:
 * - due to self-gravity: sqrt(|phi|) / |a|, with the potential phi and the acceleration a
 * - due to external fields: 1 / (angular frequency of a circular orbit) */
static double shortest_time(const struct nb_stepper *p, const struct sample *q)
{
    double time = INFINITY;
    for (uint64_t i = 0; i < p->state->n; i++) {
        const double phi = fabs(((double *)q->phi.data)[i]), a = length((double *)q->a.data + 3 * i);
        if (a > 0 && phi > 0)
            time = fmin(time, sqrt(phi) / a);
    }
    const double frequency = nb_force_set_frequency(p->forces, p->state->n, q->x.data, p->state->time);
    return frequency > 0 ? fmin(time, 1 / frequency) : time;
}

/* Returns the mass-weighted mean square of the speed relative to the centre of mass; 0 if the total mass is 0. */
static double mean_square_speed(const struct sample *q, uint64_t n, double mass)
{
    const double *m = q->m.data, *v = q->v.data;
    double mean[3] = {0, 0, 0}, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += m[i] / mass * v[3 * i + k];
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            sum += m[i] / mass * (v[3 * i + k] - mean[k]) * (v[3 * i + k] - mean[k]);
    return mass > 0 ? sum : 0;
}

/* Returns the absolute value of the potential energy of self-gravity. */
static double binding(const struct sample *q, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += ((double *)q->m.data)[i] * fabs(((double *)q->phi.data)[i]) / 2;
    return sum;
}

/* Returns the duration of a close encounter of two bodies of mean mass. They pass each other at the distance
 * (d^2 + softening^2)^(1/2), where d is the distance at which gravity deflects them by a right angle. Among the n
 * bodies there is about one such encounter in a crossing time. Their speed follows from the mean square speed of the
 * bodies. For NB_MANY_BODIES or more bodies, it is at least the speed that the bodies would have after a collapse of
 * the system. */
static double passage_time(const struct nb_stepper *p, const struct sample *q)
{
    const uint64_t n = p->state->n;
    double mass = 0;
    for (uint64_t i = 0; i < n; i++)
        mass += ((double *)q->m.data)[i];
    const double both = p->G * 2 * mass / (double)n, collapsed = binding(q, n) / fmax(mass, 1e-300) * 2;
    const double v2 = 2 * fmax(mean_square_speed(q, n, mass), n >= NB_MANY_BODIES ? collapsed : 0);
    if (n < 2 || !(both > 0) || !(v2 > 0))
        return INFINITY;
    const double distance = hypot(p->softening, both / v2);
    return distance / sqrt(v2 + 2 * both / distance);
}

double nb_step_softened(double G, double mass, double heaviest, double softening, double largest)
{
    const double n = mass / heaviest, factor = 0.18 * fmin(3, fmax(1, pow(n / 5000, 0.2)));
    const double count = 2.75 * pow(n / 1e5, n < 1e5 ? 0.3 : 0.5), speed = pow(G * mass * largest, 0.25);
    const double smooth = factor * sqrt(softening / (largest + 0.77 * G * heaviest / (softening * softening)));
    return fmin(smooth, count * softening / speed);
}

/* a system will collapse, and its accelerations will increase, if 2 * (kinetic energy) / |potential energy| is below
 * COLD */
#define COLD 0.7

/* Returns the step that nb_step_softened computes for these bodies, or 0 if that function is not suitable: if there are
 * external fields, if there is no softening, if there are few bodies, or if the system will collapse. */
static double softened(const struct nb_stepper *p, const struct sample *q)
{
    double mass = 0, heaviest = 0, largest = 0;
    for (uint64_t i = 0; i < p->state->n; i++) {
        mass += ((double *)q->m.data)[i];
        heaviest = fmax(heaviest, ((double *)q->m.data)[i]);
        largest = fmax(largest, length((double *)q->a.data + 3 * i));
    }
    if (nb_force_set_flags(p->forces) & NB_EXTERNAL || !(p->softening > 0) || !(heaviest > 0) ||
        mass < NB_MANY_BODIES * heaviest ||
        mass * mean_square_speed(q, p->state->n, mass) < COLD * binding(q, p->state->n))
        return 0;
    return nb_step_softened(p->G, mass, heaviest, p->softening, largest);
}

static double suggestion(const struct nb_stepper *p, const struct sample *q)
{
    const double many = softened(p, q);
    if (many > 0)
        return many;
    const double field = FIELD_SHARE * shortest_time(p, q);
    return nb_force_set_has_own(p->forces) ? fmin(field, PASSAGE_SHARE * passage_time(p, q)) : field;
}

#define LONGEST 64 /* maximum of (longest step of a body) / (shortest step of a body) */

static double longest_own(const struct nb_stepper *p, const struct sample *q)
{
    double most = 0, least = INFINITY;
    for (uint64_t i = 0; i < p->state->n; i++) {
        const double step = p->own.eta * sqrt(p->softening / length((double *)q->a.data + 3 * i));
        most = fmax(most, step);
        least = fmin(least, step);
    }
    return fmin(most, LONGEST * least);
}

static double suggest(struct nb_stepper *p, double (*of)(const struct nb_stepper *p, const struct sample *q))
{
    const struct nb_state *s = p->state;
    struct sample q;
    struct nb_column *const all[] = {&q.a, &q.phi, &q.x, &q.v, &q.m};
    void *d_a = nb_state_vector(s), *d_phi = nb_state_vector(s);
    bool ready = d_a && d_phi;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        *all[k] = (struct nb_column){.type = NB_F64, .width = all[k] == &q.phi || all[k] == &q.m ? 1 : 3};
        all[k]->data = malloc(nb_column_bytes(all[k], s->n));
        if (!all[k]->data)
            ready = nb_fail("no memory") == 0;
    }
    const double dt = ready && take_sample(p, &q, d_a, d_phi) == 0 ? of(p, &q) : -1;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]->data);
    nb_device_free(s->device, d_a);
    nb_device_free(s->device, d_phi);
    return isfinite(dt) ? dt : 0;
}

double nb_step_suggest(struct nb_stepper *p)
{
    return p->scheme->family->suggest ? p->scheme->family->suggest(p) : suggest(p, suggestion);
}

double nb_step_suggest_longest(struct nb_stepper *p)
{
    return suggest(p, longest_own);
}
