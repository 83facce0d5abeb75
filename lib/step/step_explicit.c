/* step_explicit.c - explicit Runge-Kutta schemes with fixed steps, or with error control by an embedded scheme. */
#include "step/scheme.h"

#include <math.h>

enum { /* indices of p->vectors. The vectors before NEXT_X are the accelerations of stages 1, 2, ... */
       NEXT_X = NB_STAGES_MAX,
       NEXT_V,
       COMPENSATION_X,
       COMPENSATION_V,
       NEXT_COMPENSATION_X,
       NEXT_COMPENSATION_V,
       STAGE_V, /* allocated only if a force needs velocities */
       VECTORS
};

enum { POSITION, VELOCITY, POSITION_ERROR, VELOCITY_ERROR };

/* number of inputs of a linear combination: the velocity, then the accelerations of the stages */
#define INPUTS (NB_STAGES_MAX + 1)

struct explicit
{
    nb_quad square[NB_STAGES_MAX][NB_STAGES_MAX]; /* the square of the scheme's matrix A */
    nb_quad position[NB_STAGES_MAX]; /* nb_butcher.position; if it is NULL, the row vector b (weights) times A */
    nb_quad error[NB_STAGES_MAX];    /* the row vector e times A; e: error weights of the embedded scheme */
    /* Coefficients for steps of size h: the scheme's coefficients times h or h^2. stage[i] gives the position of stage
     * i, and stage_v[i] its velocity. row[POSITION] to row[VELOCITY_ERROR] give the results of the step. */
    nb_quad h, stage[NB_STAGES_MAX][INPUTS], stage_v[NB_STAGES_MAX][INPUTS], row[4][INPUTS];
};

static nb_quad entry(const struct nb_butcher *t, int i, int j)
{
    return j < i ? t->a[i * (i - 1) / 2 + j] : 0;
}

/* Returns element j of the product row * A. row: row vector; A: the scheme's matrix. */
static nb_quad times_a(const struct nb_butcher *t, const nb_quad *row, int j)
{
    nb_quad sum = 0;
    for (int k = j + 1; k < t->stages; k++)
        sum += row[k] * entry(t, k, j);
    return sum;
}

static int begin(struct nb_stepper *p)
{
    const struct nb_butcher *t = p->scheme->table;
    struct explicit *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    for (int j = 0; j < t->stages; j++) {
        for (int i = 0; i < t->stages; i++)
            for (int k = j + 1; k < i; k++)
                w->square[i][j] += entry(t, i, k) * entry(t, k, j);
        w->position[j] = t->position ? t->position[j] : times_a(t, t->b, j);
        w->error[j] = t->error ? times_a(t, t->error, j) : 0;
    }
    return nb_step_vectors(p, 0, t->stages - 1) || nb_step_vectors(p, NEXT_X, p->velocity ? VECTORS : STAGE_V) ? -1 : 0;
}

static void set_step(struct nb_stepper *p, nb_quad h)
{
    const struct nb_butcher *t = p->scheme->table;
    struct explicit *w = p->memory;
    if (w->h == h)
        return;
    w->h = h;
    w->row[POSITION][0] = h;
    for (int i = 0; i < t->stages; i++) {
        w->stage[i][0] = h * t->c[i];
        for (int j = 0; j < i; j++) {
            w->stage[i][1 + j] = w->square[i][j] == 0 ? 0 : h * h * w->square[i][j];
            w->stage_v[i][1 + j] = entry(t, i, j) == 0 ? 0 : h * entry(t, i, j);
        }
        w->row[POSITION][1 + i] = h * h * w->position[i];
        w->row[VELOCITY][1 + i] = h * t->b[i];
        w->row[POSITION_ERROR][1 + i] = h * h * w->error[i];
        w->row[VELOCITY_ERROR][1 + i] = t->error ? h * t->error[i] : 0;
    }
}

/* Computes the next position and velocity. Does not change the state. If `norm` is not NULL, sets norm[] to the max
 * norms of position, velocity, position error and velocity error. */
static int compute(struct nb_stepper *p, nb_quad h, double *norm)
{
    const struct nb_butcher *t = p->scheme->table;
    const struct nb_state *s = p->state;
    struct explicit *w = p->memory;
    const nb_quad begin = p->time;
    const void *in[INPUTS] = {s->v, s->a};
    set_step(p, h);
    for (int i = 1; i < t->stages; i++) {
        const struct nb_combination stage[] = {
            {w->stage[i], s->x, p->vectors[COMPENSATION_X], p->vectors[NEXT_X], NULL},
            {w->stage_v[i], s->v, p->vectors[COMPENSATION_V], p->vectors[STAGE_V], NULL}};
        if (p->timed)
            nb_step_at(p, begin + w->stage[i][0]);
        if (nb_step_combine(p, 1 + i, in, p->velocity ? 2 : 1, stage, NULL) ||
            nb_step_evaluate(p, p->vectors[NEXT_X], p->vectors[STAGE_V], p->vectors[i - 1], NULL))
            return -1;
        in[1 + i] = p->vectors[i - 1];
    }
    if (p->timed)
        nb_step_at(p, begin);
    const struct nb_combination rows[4] = {
        {w->row[POSITION], s->x, p->vectors[COMPENSATION_X], p->vectors[NEXT_X], p->vectors[NEXT_COMPENSATION_X]},
        {w->row[VELOCITY], s->v, p->vectors[COMPENSATION_V], p->vectors[NEXT_V], p->vectors[NEXT_COMPENSATION_V]},
        {.c = w->row[POSITION_ERROR]},
        {.c = w->row[VELOCITY_ERROR]},
    };
    return nb_step_combine(p, 1 + t->stages, in, norm ? 4 : 2, rows, norm);
}

/* Replaces position and velocity of the state by the results of the step. */
static int accept(struct nb_stepper *p, nb_quad h)
{
    const struct nb_butcher *t = p->scheme->table;
    struct nb_state *s = p->state;
    if (p->timed)
        nb_step_at(p, p->time + h);
    nb_step_swap(&s->x, &p->vectors[NEXT_X]);
    nb_step_swap(&s->v, &p->vectors[NEXT_V]);
    nb_step_swap(&p->vectors[COMPENSATION_X], &p->vectors[NEXT_COMPENSATION_X]);
    nb_step_swap(&p->vectors[COMPENSATION_V], &p->vectors[NEXT_COMPENSATION_V]);
    if (!t->same_as_last)
        return nb_step_evaluate_state(p);
    nb_step_swap(&s->a, &p->vectors[t->stages - 2]);
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    for (; count > 0; count--)
        if (compute(p, h, NULL) || accept(p, h))
            return -1;
    return 0;
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    const struct nb_butcher *t = p->scheme->table;
    double norm[4];
    if (compute(p, h, norm))
        return -1;
    const double error = nb_step_error(p, norm) / tolerance;
    trial->accepted = error <= 1;
    trial->factor = fmin(5, fmax(0.2, 0.9 * pow(error, -1.0 / (t->error_order + 1))));
    return trial->accepted && (accept(p, h) || nb_step_rescale(p)) ? -1 : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    return nb_step_pack_vectors(p, k, COMPENSATION_X, COMPENSATION_V + 1);
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)adaptive;
    return ((const struct nb_butcher *)scheme->table)->stages - 1 + (velocity ? VECTORS : STAGE_V) - NEXT_X;
}

const struct nb_family nb_family_explicit = {
    .vectors = vectors, .begin = begin, .steps = steps, .attempt = attempt, .carry = carry, .carried = 2};
