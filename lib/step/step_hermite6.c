/* Hermite's scheme of sixth order (Nitadori & Makino 2008): predict from acceleration, jerk, snap and the crackle of
 * the last step's interpolation, evaluate the first three there, the snap from the predicted acceleration, correct. */
#include "step/scheme.h"
#include "step/step_aarseth.h"

enum { /* acceleration, jerk and snap at the beginning of the step, the crackle there by interpolation; at the end */
       A0,
       J0,
       S0,
       C0,
       CARRY_X,
       CARRY_V,
       A1,
       J1,
       S1,
       PREDICTED_X,
       PREDICTED_V,
       PREDICTED_A,
       C1 = PREDICTED_A, /* once what was predicted is evaluated */
       VECTORS
};

struct hermite6 {
    bool started; /* C0 is known */
};

/* The snap from the state's acceleration, which is that of the position. */
static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    return nb_step_memory(p, sizeof(struct hermite6)) && nb_step_vectors(p, 0, VECTORS) == 0 &&
                   nb_step_evaluate_snap(p, s->x, s->v, s->a, p->vectors[A0], p->vectors[J0], p->vectors[S0]) == 0
               ? 0
               : -1;
}

static int predict(struct nb_stepper *p, nb_quad h)
{
    const struct nb_state *s = p->state;
    const void *const in[] = {s->v, p->vectors[A0], p->vectors[J0], p->vectors[S0], p->vectors[C0]};
    const nb_quad h2 = h * h / 2, h3 = h2 * h / 3, h4 = h3 * h / 4, h5 = h4 * h / 5;
    const nb_quad c[3][5] = {{h, h2, h3, h4, h5}, {0, h, h2, h3, h4}, {0, 1, h, h2, h3}};
    const struct nb_combination rows[] = {{c[0], s->x, p->vectors[CARRY_X], p->vectors[PREDICTED_X], NULL},
                                          {c[1], s->v, p->vectors[CARRY_V], p->vectors[PREDICTED_V], NULL},
                                          {c[2], NULL, NULL, p->vectors[PREDICTED_A], NULL}};
    return nb_step_combine(p, 5, in, 3, rows, NULL);
}

static int evaluate(struct nb_stepper *p)
{
    void *const *v = p->vectors;
    return nb_step_evaluate_snap(p, v[PREDICTED_X], v[PREDICTED_V], v[PREDICTED_A], v[A1], v[J1], v[S1]);
}

/* The crackle at the end, of the polynomial of degree 5 through accelerations, jerks and snaps. */
static int interpolate(struct nb_stepper *p, nb_quad h)
{
    void *const *v = p->vectors;
    const void *const in[] = {v[A0], v[A1], v[J0], v[J1], v[S0], v[S1]};
    const nb_quad h2 = h * h, h3 = h2 * h;
    const nb_quad c[] = {-60 / h3, 60 / h3, -24 / h2, -36 / h2, -3 / h, 9 / h};
    return nb_step_combine(p, 6, in, 1, &(struct nb_combination){.c = c, .out = v[C1]}, NULL);
}

/* v+ = v + h/2 (a0 + a1) + h^2/10 (j0 - j1) + h^3/120 (s0 + s1), x+ the same of v, a and j. */
static int correct(struct nb_stepper *p, nb_quad h)
{
    const struct nb_state *s = p->state;
    void *const *v = p->vectors;
    const void *const in[] = {s->v, v[A0], v[A1], v[J0], v[J1], v[S0], v[S1]};
    const nb_quad h2 = h * h, h3 = h2 * h, h4 = h2 * h2;
    const nb_quad c[2][7] = {
        {h, h2 / 4 + h2 / 10, h2 / 4 - h2 / 10, h3 / 20 + h3 / 120, -h3 / 20 + h3 / 120, h4 / 240, h4 / 240},
        {0, h / 2, h / 2, h2 / 10, -h2 / 10, h3 / 120, h3 / 120}};
    const struct nb_combination rows[] = {{c[0], s->x, v[CARRY_X], s->x, v[CARRY_X]},
                                          {c[1], s->v, v[CARRY_V], s->v, v[CARRY_V]}};
    return nb_step_combine(p, 7, in, 2, rows, NULL);
}

/* The crackle at the beginning of the first step, from a step tried without: as the polynomial of correct. */
static int start(struct nb_stepper *p, nb_quad h)
{
    struct hermite6 *w = p->memory;
    void *const *v = p->vectors;
    const void *const in[] = {v[A0], v[A1], v[J0], v[J1], v[S0], v[S1]};
    const nb_quad h2 = h * h, h3 = h2 * h;
    const nb_quad c[] = {-60 / h3, 60 / h3, -36 / h2, -24 / h2, -9 / h, 3 / h};
    if (w->started)
        return 0;
    w->started = true;
    return predict(p, h) || evaluate(p)
               ? -1
               : nb_step_combine(p, 6, in, 1, &(struct nb_combination){.c = c, .out = v[C0]}, NULL);
}

/* Corrects, and what was evaluated at the end is what the next step begins with (FSAL). */
static int finish(struct nb_stepper *p, nb_quad h)
{
    if (correct(p, h))
        return -1;
    for (int k = 0; k < 3; k++)
        nb_step_swap(&p->vectors[A0 + k], &p->vectors[A1 + k]);
    nb_step_swap(&p->vectors[C0], &p->vectors[C1]);
    p->stale = true;
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    if (start(p, h))
        return -1;
    for (; count > 0; count--)
        if (predict(p, h) || evaluate(p) || interpolate(p, h) || finish(p, h))
            return -1;
    return 0;
}

static int first(struct nb_stepper *p, double tolerance, double *most)
{
    return nb_aarseth_first(p, p->vectors[A0], p->vectors[J0], p->vectors[S0], tolerance, most);
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    struct hermite6 *w = p->memory;
    const void *const end[] = {p->vectors[A1], p->vectors[J1], p->vectors[S1], p->vectors[C1]};
    const bool started = w->started;
    if (start(p, h) || predict(p, h) || evaluate(p) || interpolate(p, h) ||
        nb_aarseth_judge(p, h, end, tolerance, trial))
        return -1;
    w->started = started || trial->accepted; /* a step much too long says nothing of the crackle */
    return trial->accepted ? finish(p, h) : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct hermite6 *w = p->memory;
    return nb_pack_flag(k, &w->started) || nb_step_pack_vectors(p, k, A0, CARRY_V + 1) ? -1 : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)velocity;
    (void)scheme;
    (void)adaptive;
    return VECTORS;
}

const struct nb_family nb_family_hermite6 = {.vectors = vectors,
                                             .begin = begin,
                                             .steps = steps,
                                             .attempt = attempt,
                                             .first = first,
                                             .carry = carry,
                                             .carried = CARRY_V + 1};
