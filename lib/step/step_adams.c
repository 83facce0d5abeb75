/* Adams schemes: velocities and accelerations of the last steps, predicted and, where the table says so, corrected. */
#include "step/scheme.h"

#define STEPS 5 /* at most */

enum { /* of p->vectors: the last STEPS - 1 velocities and accelerations before the present ones, in turn */
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
    nb_quad h;                 /* of the steps that are known */
    int known, newest;         /* how many past steps are, and the place of the last */
    struct nb_stepper starter; /* on the same state */
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

/* A step of the starting scheme, the present velocity and acceleration kept as the newest past ones. */
static int start(struct nb_stepper *p, int slot)
{
    const struct nb_adams *t = p->scheme->table;
    struct adams *w = p->memory;
    const struct nb_combination keep[] = {{.base = p->state->v, .out = p->vectors[PAST_V + slot]},
                                          {.base = p->state->a, .out = p->vectors[PAST_A + slot]}};
    w->starter.evaluations = 0;
    if (nb_step_combine(p, 0, NULL, 2, keep, NULL) || t->starter->family->steps(&w->starter, w->h, 1))
        return -1;
    p->evaluations += w->starter.evaluations;
    w->known++;
    w->newest = slot;
    return 0;
}

/* Vector j of a sum over present (j = 0) and past ones. */
static const void *at(const struct nb_stepper *p, const void *present, int past, int j)
{
    const struct adams *w = p->memory;
    const int places = ((const struct nb_adams *)p->scheme->table)->steps - 1;
    return j == 0 ? present : p->vectors[past + (w->newest - (j - 1) + places) % places];
}

static int predict(struct nb_stepper *p, int slot)
{
    const struct nb_adams *t = p->scheme->table;
    const struct adams *w = p->memory;
    struct nb_state *s = p->state;
    const void *in[2 * STEPS];
    nb_quad c[2][2 * STEPS] = {{0}};
    for (int j = 0; j < t->steps; j++) {
        in[j] = at(p, s->v, PAST_V, j);
        in[t->steps + j] = at(p, s->a, PAST_A, j);
        c[0][j] = c[1][t->steps + j] = w->h * t->predictor[j];
    }
    const struct nb_combination rows[4] = {{c[0], s->x, p->vectors[COMPENSATION_X], s->x, p->vectors[COMPENSATION_X]},
                                           {c[1], s->v, p->vectors[COMPENSATION_V], s->v, p->vectors[COMPENSATION_V]},
                                           {(nb_quad[2 * STEPS]){0}, s->v, NULL, p->vectors[PAST_V + slot], NULL},
                                           {(nb_quad[2 * STEPS]){0}, s->a, NULL, p->vectors[PAST_A + slot], NULL}};
    const struct nb_combination beside[] = {{c[0], s->x, NULL, p->vectors[PREDICTED_X], NULL},
                                            {c[1], s->v, NULL, p->vectors[PREDICTED_V], NULL}};
    if (t->corrector)
        return nb_step_combine(p, 2 * t->steps, in, 2, beside, NULL) ||
                       nb_step_evaluate(p, p->vectors[PREDICTED_X], p->vectors[PREDICTED_V], p->vectors[PREDICTED_A],
                                        NULL)
                   ? -1
                   : 0;
    return nb_step_combine(p, 2 * t->steps, in, t->steps > 1 ? 4 : 2, rows, NULL);
}

/* From the predicted values at the end of the step, and those before. */
static int correct(struct nb_stepper *p, int slot)
{
    const struct nb_adams *t = p->scheme->table;
    const struct adams *w = p->memory;
    struct nb_state *s = p->state;
    const void *in[2 * STEPS] = {p->vectors[PREDICTED_V]};
    nb_quad c[2][2 * STEPS] = {{0}};
    in[t->steps] = p->vectors[PREDICTED_A];
    for (int j = 0; j < t->steps; j++) {
        if (j > 0) {
            in[j] = at(p, s->v, PAST_V, j - 1);
            in[t->steps + j] = at(p, s->a, PAST_A, j - 1);
        }
        c[0][j] = c[1][t->steps + j] = w->h * t->corrector[j];
    }
    const struct nb_combination rows[4] = {{c[0], s->x, p->vectors[COMPENSATION_X], s->x, p->vectors[COMPENSATION_X]},
                                           {c[1], s->v, p->vectors[COMPENSATION_V], s->v, p->vectors[COMPENSATION_V]},
                                           {(nb_quad[2 * STEPS]){0}, s->v, NULL, p->vectors[PAST_V + slot], NULL},
                                           {(nb_quad[2 * STEPS]){0}, s->a, NULL, p->vectors[PAST_A + slot], NULL}};
    return nb_step_combine(p, 2 * t->steps, in, 4, rows, NULL);
}

static int step(struct nb_stepper *p)
{
    const struct nb_adams *t = p->scheme->table;
    struct adams *w = p->memory;
    const int places = t->steps - 1, slot = places > 0 ? (w->newest + 1) % places : 0;
    if (w->known < places)
        return start(p, slot);
    if (predict(p, slot) || (t->corrector && correct(p, slot)))
        return -1;
    w->newest = slot;
    return nb_step_evaluate_state(p);
}

/* Steps of another size begin a new history. */
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

/* The starter carries the rounding of its own steps. */
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
