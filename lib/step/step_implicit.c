/* step_implicit.c - implicit Runge-Kutta schemes. The accelerations of the stages are found by iteration, until they
 * change by rounding errors only. The result therefore does not depend on the first guess, and reversible schemes
 * remain reversible. */
#include "step/scheme.h"

#include "base/error.h"

#include <math.h>

enum { /* indices of p->vectors. The vectors before STAGE_X are the accelerations of stages 1, 2, ... */
       STAGE_X = NB_STAGES_MAX,
       STAGE_A,
       COMPENSATION_X,
       COMPENSATION_V,
       STAGE_V, /* allocated only if a force needs velocities */
       VECTORS
};

#define STAGES 4 /* maximum number of stages */
#define INPUTS (STAGES + 1)
#define SWEEPS 100

/* Forces computed by a tree or in mixed precision are not continuous. The iteration may therefore stop converging while
 * its changes are still larger than rounding errors. The result is then accepted if the last sweep changed the
 * accelerations by less than ROUGH (relative change). A larger change means that the step is too long for
 * convergence. */
#define ROUGH 1e-3

struct implicit {
    nb_quad square[STAGES][STAGES], position[STAGES]; /* A^2 and b A, with the scheme's coefficients A and b
                                                         (step_family.h) */
    /* coefficients for the step size h, multiplied by powers of h. stage and stage_v: for the position and the
     * velocity of each stage. row[0] and row[1]: for the position and the velocity at the end of the step */
    nb_quad h, stage[STAGES][INPUTS], stage_v[STAGES][INPUTS], row[2][INPUTS];
};

static int begin(struct nb_stepper *p)
{
    const struct nb_butcher *t = p->scheme->table;
    struct implicit *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    for (int j = 0; j < t->stages; j++)
        for (int k = 0; k < t->stages; k++) {
            w->position[j] += t->b[k] * t->a[k * t->stages + j];
            for (int i = 0; i < t->stages; i++)
                w->square[i][j] += t->a[i * t->stages + k] * t->a[k * t->stages + j];
        }
    return nb_step_vectors(p, 0, t->stages) || nb_step_vectors(p, STAGE_X, p->velocity ? VECTORS : STAGE_V) ? -1 : 0;
}

static void set_step(struct nb_stepper *p, nb_quad h)
{
    const struct nb_butcher *t = p->scheme->table;
    struct implicit *w = p->memory;
    w->h = h;
    w->row[0][0] = h;
    for (int i = 0; i < t->stages; i++) {
        w->stage[i][0] = h * t->c[i];
        for (int j = 0; j < t->stages; j++) {
            w->stage[i][1 + j] = h * h * w->square[i][j];
            w->stage_v[i][1 + j] = h * t->a[i * t->stages + j];
        }
        w->row[0][1 + i] = h * h * w->position[i];
        w->row[1][1 + i] = h * t->b[i];
    }
}

/* Computes the acceleration of stage i again, from the newest accelerations of all stages. norm[0] becomes the larger
 * of norm[0] and the max norm of (new acceleration - previous acceleration). norm[1] becomes the larger of norm[1] and
 * the max norm of the new acceleration. */
static int renew(struct nb_stepper *p, int i, const void *const *in, double *norm)
{
    static const nb_quad difference[] = {1, -1}, itself[] = {1, 0};
    const struct nb_butcher *t = p->scheme->table;
    const struct implicit *w = p->memory;
    const struct nb_combination stage[] = {
        {w->stage[i], p->state->x, p->vectors[COMPENSATION_X], p->vectors[STAGE_X], NULL},
        {w->stage_v[i], p->state->v, p->vectors[COMPENSATION_V], p->vectors[STAGE_V], NULL}};
    const struct nb_combination sizes[] = {{.c = difference}, {.c = itself}};
    const nb_quad begin = p->time;
    double now[2];
    if (p->timed)
        nb_step_at(p, begin + w->stage[i][0]);
    if (nb_step_combine(p, 1 + t->stages, in, p->velocity ? 2 : 1, stage, NULL) ||
        nb_step_evaluate(p, p->vectors[STAGE_X], p->vectors[STAGE_V], p->vectors[STAGE_A], NULL))
        return -1;
    if (p->timed)
        nb_step_at(p, begin);
    const void *const pair[] = {p->vectors[STAGE_A], p->vectors[i]};
    if (nb_step_combine(p, 2, pair, 2, sizes, now))
        return -1;
    norm[0] = fmax(norm[0], now[0]);
    norm[1] = fmax(norm[1], now[1]);
    nb_step_swap(&p->vectors[i], &p->vectors[STAGE_A]);
    return 0;
}

/* Computes the accelerations of all stages by iteration. The first guess for each stage is the acceleration at the
 * beginning of the step. */
static int iterate(struct nb_stepper *p)
{
    static const nb_quad one = 1;
    const struct nb_butcher *t = p->scheme->table;
    const struct implicit *w = p->memory;
    const double least = 2 * nb_step_epsilon(p->state->precision);
    double before = INFINITY;
    const void *a = p->state->a;
    for (int i = 0; i < t->stages; i++)
        if (nb_step_combine(p, 1, &a, 1, &(struct nb_combination){.c = &one, .out = p->vectors[i]}, NULL))
            return -1;
    for (int sweep = 0, stalled = 0; sweep < SWEEPS; sweep++) {
        double norm[2] = {0};
        for (int i = 0; i < t->stages; i++) {
            const void *in[INPUTS] = {p->state->v};
            for (int j = 0; j < t->stages; j++)
                in[1 + j] = p->vectors[j];
            if (t->c[i] != 0 && renew(p, i, in, norm)) /* if c[i] is 0, the acceleration is already known */
                return -1;
        }
        const double change = norm[0] > 0 ? norm[0] / norm[1] : 0;
        stalled += change >= before;
        if (change <= least || (stalled >= 2 && change < ROUGH))
            return 0;
        before = change;
    }
    return nb_fail("%s: the iteration does not converge with a step of %g (use a smaller --dt)", p->scheme->name,
                   (double)w->h);
}

static int step(struct nb_stepper *p)
{
    const struct nb_butcher *t = p->scheme->table;
    struct nb_state *s = p->state;
    const struct implicit *w = p->memory;
    if (iterate(p))
        return -1;
    const void *in[INPUTS] = {s->v};
    for (int j = 0; j < t->stages; j++)
        in[1 + j] = p->vectors[j];
    const struct nb_combination rows[] = {
        {w->row[0], s->x, p->vectors[COMPENSATION_X], s->x, p->vectors[COMPENSATION_X]},
        {w->row[1], s->v, p->vectors[COMPENSATION_V], s->v, p->vectors[COMPENSATION_V]}};
    if (p->timed)
        nb_step_at(p, p->time + w->h);
    return nb_step_combine(p, 1 + t->stages, in, 2, rows, NULL) || nb_step_evaluate_state(p) ? -1 : 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    set_step(p, h);
    for (; count > 0; count--)
        if (step(p))
            return -1;
    return 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    return nb_step_pack_vectors(p, k, COMPENSATION_X, COMPENSATION_V + 1);
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)adaptive;
    return ((const struct nb_butcher *)scheme->table)->stages + (velocity ? VECTORS : STAGE_V) - STAGE_X;
}

const struct nb_family nb_family_implicit = {
    .vectors = vectors, .begin = begin, .steps = steps, .carry = carry, .carried = 2};
