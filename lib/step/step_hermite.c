/* Hermite's scheme of fourth order (Makino & Aarseth 1992): predict from acceleration and jerk, evaluate both there,
 * correct. */
#include "step/scheme.h"
#include "step/step_aarseth.h"

enum {
    A0,
    J0,
    A1,
    J1,
    PREDICTED_X,
    PREDICTED_V,
    S1 = PREDICTED_X, /* snap and crackle at the end, once what was predicted is evaluated */
    C1 = PREDICTED_V,
    CARRY_X,
    CARRY_V,
    VECTORS
};

static int begin(struct nb_stepper *p)
{
    return nb_step_memory(p, 1) && nb_step_vectors(p, 0, VECTORS) == 0 &&
                   nb_step_evaluate(p, p->state->x, p->state->v, p->vectors[A0], p->vectors[J0]) == 0
               ? 0
               : -1;
}

static int predict(struct nb_stepper *p, nb_quad h)
{
    const struct nb_state *s = p->state;
    const void *const in[] = {s->v, p->vectors[A0], p->vectors[J0]};
    const nb_quad c[2][3] = {{h, h * h / 2, h * h * h / 6}, {0, h, h * h / 2}};
    const struct nb_combination rows[] = {{c[0], s->x, p->vectors[CARRY_X], p->vectors[PREDICTED_X], NULL},
                                          {c[1], s->v, p->vectors[CARRY_V], p->vectors[PREDICTED_V], NULL}};
    return nb_step_combine(p, 3, in, 2, rows, NULL);
}

static int evaluate(struct nb_stepper *p)
{
    return nb_step_evaluate(p, p->vectors[PREDICTED_X], p->vectors[PREDICTED_V], p->vectors[A1], p->vectors[J1]);
}

/* Snap and crackle at the end, of the cubic through accelerations and jerks. */
static int interpolate(struct nb_stepper *p, nb_quad h)
{
    const void *const in[] = {p->vectors[A0], p->vectors[A1], p->vectors[J0], p->vectors[J1]};
    const nb_quad h2 = h * h, h3 = h2 * h;
    const nb_quad c[2][4] = {{6 / h2, -6 / h2, 2 / h, 4 / h}, {12 / h3, -12 / h3, 6 / h2, 6 / h2}};
    const struct nb_combination rows[] = {{.c = c[0], .out = p->vectors[S1]}, {.c = c[1], .out = p->vectors[C1]}};
    return nb_step_combine(p, 4, in, 2, rows, NULL);
}

/* v+ = v + h/2 (a0 + a1) + h^2/12 (j0 - j1),  x+ = x + h/2 (v + v+) + h^2/12 (a0 - a1). */
static int correct(struct nb_stepper *p, nb_quad h)
{
    const struct nb_state *s = p->state;
    const void *const in[] = {s->v, p->vectors[A0], p->vectors[A1], p->vectors[J0], p->vectors[J1]};
    const nb_quad h2 = h * h, h3 = h2 * h;
    const nb_quad c[2][5] = {{h, h2 / 4 + h2 / 12, h2 / 4 - h2 / 12, h3 / 24, -h3 / 24},
                             {0, h / 2, h / 2, h2 / 12, -h2 / 12}};
    const struct nb_combination rows[] = {{c[0], s->x, p->vectors[CARRY_X], s->x, p->vectors[CARRY_X]},
                                          {c[1], s->v, p->vectors[CARRY_V], s->v, p->vectors[CARRY_V]}};
    return nb_step_combine(p, 5, in, 2, rows, NULL);
}

/* Corrects, and what was evaluated at the end is what the next step begins with (FSAL). */
static int finish(struct nb_stepper *p, nb_quad h)
{
    if (correct(p, h))
        return -1;
    nb_step_swap(&p->vectors[A0], &p->vectors[A1]);
    nb_step_swap(&p->vectors[J0], &p->vectors[J1]);
    p->stale = true;
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    for (; count > 0; count--)
        if (predict(p, h) || evaluate(p) || finish(p, h))
            return -1;
    return 0;
}

static int first(struct nb_stepper *p, double tolerance, double *most)
{
    return nb_aarseth_first(p, p->vectors[A0], p->vectors[J0], NULL, tolerance, most);
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    const void *const end[] = {p->vectors[A1], p->vectors[J1], p->vectors[S1], p->vectors[C1]};
    if (predict(p, h) || evaluate(p) || interpolate(p, h) || nb_aarseth_judge(p, h, end, tolerance, trial))
        return -1;
    return trial->accepted ? finish(p, h) : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    return nb_step_pack_vectors(p, k, A0, J0 + 1) || nb_step_pack_vectors(p, k, CARRY_X, CARRY_V + 1) ? -1 : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)velocity;
    (void)scheme;
    (void)adaptive;
    return VECTORS;
}

const struct nb_family nb_family_hermite = {.vectors = vectors,
                                            .begin = begin,
                                            .steps = steps,
                                            .attempt = attempt,
                                            .first = first,
                                            .carry = carry,
                                            .carried = 4};
