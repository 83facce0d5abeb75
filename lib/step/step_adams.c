/* step_adams.c - Adams schemes. The new state is computed from the velocities and accelerations of the last steps, by a
 * predictor and, in some schemes, a corrector. */
#include "step/scheme.h"

#include <string.h>

#define STEPS 5 /* maximum number of steps of a multistep formula */

/* Indices of p->vectors. PAST_V, PAST_A: ring buffers of the velocities and accelerations of the last STEPS - 1 steps.
 * Compensations of rounding errors and work space follow. */
enum {
    PAST_V,
    PAST_A = PAST_V + STEPS - 1,
    COMPENSATION_X = PAST_A + STEPS - 1,
    COMPENSATION_V,
    PREDICTED_X,
    PREDICTED_V,
    PREDICTED_A,
    VECTORS
};

struct adams {
    nb_quad h;                 /* size of the past steps whose accelerations are stored */
    int known, newest;         /* number of past steps in the ring buffers, and index of the newest of them */
    struct nb_stepper starter; /* stepper of the scheme that takes the first steps; it has the same state */
};

static int begin(struct nb_stepper *p)
{
    const struct nb_adams *t = p->scheme->table;
    struct adams *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    w->starter = *p;
    w->starter.scheme = t->starter;
    w->starter.memory = NULL;
    return nb_step_vectors(p, PAST_V, PAST_V + t->steps - 1) || nb_step_vectors(p, PAST_A, PAST_A + t->steps - 1) ||
                   nb_step_vectors(p, COMPENSATION_X, t->corrector ? VECTORS : PREDICTED_X) ||
                   t->starter->family->begin(&w->starter)
               ? -1
               : 0;
}

static void end(struct nb_stepper *p)
{
    struct adams *w = p->memory;
    nb_step_end(&w->starter);
}

/* Takes a step of the starting scheme. Stores the velocity and acceleration before the step in element `slot` of the
 * ring buffers, as the newest element. */
static int start(struct nb_stepper *p, int slot)
{
    const struct nb_adams *t = p->scheme->table;
    struct adams *w = p->memory;
    const struct nb_combination keep[] = {{.base = p->state->v, .out = p->vectors[PAST_V + slot]},
                                          {.base = p->state->a, .out = p->vectors[PAST_A + slot]}};
    w->starter.evaluations = 0;
    w->starter.time = p->time;
    if (nb_step_combine(p, 0, NULL, 2, keep, NULL) || t->starter->family->steps(&w->starter, w->h, 1))
        return -1;
    p->evaluations += w->starter.evaluations;
    p->time = w->starter.time;
    w->known++;
    w->newest = slot;
    return 0;
}

/* Returns input vector j of a linear combination. Input 0 is `present`. Input j > 0 is the j-th newest vector of the
 * ring buffer that begins at p->vectors[past]. */
static const void *at(const struct nb_stepper *p, const void *present, int past, int j)
{
    const struct adams *w = p->memory;
    const int places = ((const struct nb_adams *)p->scheme->table)->steps - 1;
    return j == 0 ? present : p->vectors[past + (w->newest - (j - 1) + places) % places];
}

/* A linear combination of the newest velocities and accelerations. in[]: nb_adams.steps velocities, followed by
 * nb_adams.steps accelerations. */
struct sum {
    const void *in[2 * STEPS];
    nb_quad c[2][2 * STEPS]; /* c[0]: coefficients for the position; c[1]: for the velocity */
};

/* Sets *sum to the linear combination with the coefficients `weight`. If `end` is false, the newest velocity and the
 * newest acceleration are those of the state. If `end` is true, they are the values predicted for the end of the
 * step. */
static void make_sum(const struct nb_stepper *p, const nb_quad *weight, bool end, struct sum *sum)
{
    const int steps = ((const struct nb_adams *)p->scheme->table)->steps;
    const struct adams *w = p->memory;
    memset(sum->c, 0, sizeof sum->c);
    for (int j = 0; j < steps; j++) {
        sum->in[j] = end && j == 0 ? p->vectors[PREDICTED_V] : at(p, p->state->v, PAST_V, end ? j - 1 : j);
        sum->in[steps + j] = end && j == 0 ? p->vectors[PREDICTED_A] : at(p, p->state->a, PAST_A, end ? j - 1 : j);
        sum->c[0][j] = sum->c[1][steps + j] = w->h * weight[j];
    }
}

static int predict(struct nb_stepper *p)
{
    const struct nb_adams *t = p->scheme->table;
    const struct nb_state *s = p->state;
    void **const d = p->vectors;
    struct sum sum;
    make_sum(p, t->predictor, false, &sum);
    const struct nb_combination rows[] = {{sum.c[0], s->x, NULL, d[PREDICTED_X], NULL},
                                          {sum.c[1], s->v, NULL, d[PREDICTED_V], NULL}};
    return nb_step_combine(p, 2 * t->steps, sum.in, 2, rows, NULL) ||
                   nb_step_evaluate(p, d[PREDICTED_X], d[PREDICTED_V], d[PREDICTED_A], NULL)
               ? -1
               : 0;
}

/* Advances the state to the end of the step. Stores the velocity and acceleration before the step in element `slot` of
 * the ring buffers of past steps. */
static int advance(struct nb_stepper *p, int slot)
{
    static const nb_quad none[2 * STEPS];
    const struct nb_adams *t = p->scheme->table;
    const struct nb_state *s = p->state;
    void **const d = p->vectors;
    struct sum sum;
    make_sum(p, t->corrector ? t->corrector : t->predictor, t->corrector, &sum);
    const struct nb_combination rows[] = {{sum.c[0], s->x, d[COMPENSATION_X], s->x, d[COMPENSATION_X]},
                                          {sum.c[1], s->v, d[COMPENSATION_V], s->v, d[COMPENSATION_V]},
                                          {none, s->v, NULL, d[PAST_V + slot], NULL},
                                          {none, s->a, NULL, d[PAST_A + slot], NULL}};
    return nb_step_combine(p, 2 * t->steps, sum.in, t->steps > 1 ? 4 : 2, rows, NULL);
}

static int step(struct nb_stepper *p)
{
    const struct nb_adams *t = p->scheme->table;
    struct adams *w = p->memory;
    const int places = t->steps - 1, slot = places > 0 ? (w->newest + 1) % places : 0;
    if (w->known < places)
        return start(p, slot);
    if (p->timed)
        nb_step_at(p, p->time + w->h);
    if ((t->corrector && predict(p)) || advance(p, slot))
        return -1;
    w->newest = slot;
    return nb_step_evaluate_state(p);
}

/* Takes `count` steps of size h. Discards the past steps if their size differs from h. */
static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    struct adams *w = p->memory;
    if (w->h != h)
        w->known = 0;
    w->h = h;
    for (; count > 0; count--)
        if (step(p))
            return -1;
    return 0;
}

/* Saves or loads the past steps, the compensations of rounding errors, and the data of the starting scheme. */
static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    const struct nb_adams *t = p->scheme->table;
    const int places = t->steps - 1;
    struct adams *w = p->memory;
    return nb_pack_bytes(k, &w->h, sizeof w->h) || nb_pack_int(k, &w->known, 0, places) ||
                   nb_pack_int(k, &w->newest, 0, places > 0 ? places - 1 : 0) ||
                   nb_step_pack_vectors(p, k, PAST_V, PAST_V + places) ||
                   nb_step_pack_vectors(p, k, PAST_A, PAST_A + places) ||
                   nb_step_pack_vectors(p, k, COMPENSATION_X, COMPENSATION_V + 1) ||
                   (t->starter->family->carry && t->starter->family->carry(&w->starter, k))
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    const struct nb_adams *t = scheme->table;
    const int further = (t->corrector ? VECTORS : PREDICTED_X) - COMPENSATION_X;
    return 2 * (t->steps - 1) + further + nb_scheme_vectors(t->starter, adaptive, velocity);
}

const struct nb_family nb_family_adams = {
    .vectors = vectors, .begin = begin, .steps = steps, .carry = carry, .carried = 2 * STEPS + 2, .end = end};
