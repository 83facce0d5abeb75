/* step_hermite.c - Hermite schemes. A step predicts the state at its end from the derivatives at its beginning,
 * evaluates the derivatives of the predicted state, and corrects the state.
 * - Order 4 uses acceleration and jerk (Makino & Aarseth 1992).
 * - Order 6 also uses the snap, which is computed from the predicted accelerations. The prediction of order 6 also uses
 *   the crackle, which was interpolated in the previous step (Nitadori & Makino 2008). */
#include "step/scheme.h"
#include "step/step_aarseth.h"

#define DERIVATIVES NB_HERMITE_DERIVATIVES

enum { /* indices of p->vectors. A: acceleration, J: jerk, S: snap, C: crackle; 0: begin, 1: end of a step */
       A0,
       J0,
       S0,
       C0,
       COMPENSATION_X,
       COMPENSATION_V,
       A1,
       J1,
       S1,
       PREDICTED_X,
       PREDICTED_V,
       PREDICTED_A,
       VECTORS
};

struct hermite {
    bool started; /* true: the crackle at the beginning of the next step was interpolated (order 6 only) */
};

static const struct nb_hermite *table_of(const struct nb_stepper *p)
{
    return p->scheme->table;
}

/* Returns whether the prediction uses an interpolated derivative: the crackle, in order 6. */
static bool extends(const struct nb_hermite *t)
{
    return t->start[0] != 0;
}

static void *begin_of(const struct nb_stepper *p, int k)
{
    return p->vectors[A0 + k];
}

/* Returns the vector for the k-th derivative of the acceleration at the end of the step. The interpolated derivatives
 * have no vectors of their own: they overwrite the predicted positions and velocities, which are not needed after the
 * evaluation of the forces. */
static void *end_of(const struct nb_stepper *p, int k)
{
    const int evaluated = table_of(p)->derivatives;
    return p->vectors[k < evaluated ? A1 + k : PREDICTED_X + k - evaluated];
}

static int evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_a, int first)
{
    void *const *out = p->vectors + first;
    return table_of(p)->derivatives == 2 ? nb_step_evaluate(p, d_x, d_v, out[0], out[1])
                                         : nb_step_evaluate_snap(p, d_x, d_v, d_a, out[0], out[1], out[2]);
}

/* For order 4, does not allocate S0, C0, S1 and the predicted acceleration, because they are not used. */
static int begin(struct nb_stepper *p)
{
    const struct nb_hermite *t = table_of(p);
    const struct nb_state *s = p->state;
    return nb_step_memory(p, sizeof(struct hermite)) && nb_step_vectors(p, A0, A0 + t->derivatives + extends(t)) == 0 &&
                   nb_step_vectors(p, COMPENSATION_X, A1 + t->derivatives) == 0 &&
                   nb_step_vectors(p, PREDICTED_X, PREDICTED_V + t->derivatives - 1) == 0 &&
                   evaluate(p, s->x, s->v, s->a, A0) == 0
               ? 0
               : -1;
}

/* Predicts positions and velocities with Taylor series. In order 6, also predicts accelerations. */
static int predict(struct nb_stepper *p, nb_quad h)
{
    const struct nb_hermite *t = table_of(p);
    const struct nb_state *s = p->state;
    const int inputs = 1 + t->derivatives + extends(t);
    const void *in[2 + DERIVATIVES] = {s->v};
    nb_quad c[3][2 + DERIVATIVES] = {{h}, {0}, {0, 1}};
    for (int k = 1; k < inputs; k++) {
        in[k] = begin_of(p, k - 1);
        c[0][k] = c[0][k - 1] * h / (k + 1);
        c[1][k] = c[0][k - 1];
        c[2][k] = k > 1 ? c[1][k - 1] : 1;
    }
    const struct nb_combination rows[] = {{c[0], s->x, p->vectors[COMPENSATION_X], p->vectors[PREDICTED_X], NULL},
                                          {c[1], s->v, p->vectors[COMPENSATION_V], p->vectors[PREDICTED_V], NULL},
                                          {c[2], NULL, NULL, p->vectors[PREDICTED_A], NULL}};
    return nb_step_combine(p, inputs, in, t->derivatives, rows, NULL);
}

static int predict_end(struct nb_stepper *p, nb_quad h)
{
    void *const *v = p->vectors;
    return predict(p, h) || evaluate(p, v[PREDICTED_X], v[PREDICTED_V], v[PREDICTED_A], A1) ? -1 : 0;
}

/* Computes the weights with which a0, a1, j0, j1, s0, s1 (0: begin, 1: end of the step) give the interpolated
 * derivative number `order` of the acceleration: c[k] = number[k] h^(k/2 - order), with k/2 rounded down. `number` is
 * nb_hermite.start or a row of nb_hermite.end. */
static void interpolation(const struct nb_hermite *t, const int *number, int order, nb_quad h, nb_quad *c)
{
    const nb_quad powers[] = {1, h, h * h, h * h * h};
    for (int k = 0; k < 2 * t->derivatives; k++)
        c[k] = number[k] / powers[order - k / 2];
}

static int interpolate(struct nb_stepper *p, int count, const int (*number)[2 * DERIVATIVES], nb_quad h,
                       void *const *d_out)
{
    const struct nb_hermite *t = table_of(p);
    const void *in[2 * DERIVATIVES];
    nb_quad c[2][2 * DERIVATIVES];
    struct nb_combination rows[2];
    for (int k = 0; k < t->derivatives; k++) {
        in[2 * k] = begin_of(p, k);
        in[2 * k + 1] = end_of(p, k);
    }
    for (int r = 0; r < count; r++) {
        interpolation(t, number[r], t->derivatives + r, h, c[r]);
        rows[r] = (struct nb_combination){.c = c[r], .out = d_out[r]};
    }
    return nb_step_combine(p, 2 * t->derivatives, in, count, rows, NULL);
}

/* Interpolates derivatives at the end of the step: snap and crackle in order 4, the crackle in order 6. */
static int interpolate_end(struct nb_stepper *p, nb_quad h)
{
    const struct nb_hermite *t = table_of(p);
    return interpolate(p, 4 - t->derivatives, t->end, h, p->vectors + PREDICTED_X);
}

/* Corrects the state from the derivatives at the beginning (0) and at the end (1) of the step:
 *   v1 = v0 + sum_k h^(k+1) / d_k (a0^(k) + (-1)^k a1^(k))
 *   x1 = x0 + sum_k h^(k+1) / d_k (v0^(k) + (-1)^k v1^(k))
 * The sums are over the derivatives used. a^(k) is the k-th derivative of a with respect to time; d_k = divisor[k]. */
static int correct(struct nb_stepper *p, nb_quad h)
{
    const struct nb_hermite *t = table_of(p);
    const struct nb_state *s = p->state;
    const nb_quad h2 = h * h, powers[] = {h, h2, h2 * h, h2 * h2};
    const void *in[1 + 2 * DERIVATIVES] = {s->v};
    nb_quad c[2][1 + 2 * DERIVATIVES] = {{h}, {0}};
    for (int k = 0, sign = 1; k < t->derivatives; k++, sign = -sign) {
        const nb_quad half = powers[k + 1] / (2 * t->divisor[k]);
        const nb_quad next = k + 1 < t->derivatives ? powers[k + 1] / t->divisor[k + 1] : 0;
        in[1 + 2 * k] = begin_of(p, k);
        in[2 + 2 * k] = end_of(p, k);
        c[0][1 + 2 * k] = half + next;
        c[0][2 + 2 * k] = sign * half - sign * next;
        c[1][1 + 2 * k] = powers[k] / t->divisor[k];
        c[1][2 + 2 * k] = sign * c[1][1 + 2 * k];
    }
    const struct nb_combination rows[] = {{c[0], s->x, p->vectors[COMPENSATION_X], s->x, p->vectors[COMPENSATION_X]},
                                          {c[1], s->v, p->vectors[COMPENSATION_V], s->v, p->vectors[COMPENSATION_V]}};
    return nb_step_combine(p, 1 + 2 * t->derivatives, in, 2, rows, NULL);
}

/* Order 6 only. Before the first step, computes the crackle at the beginning of this step: predicts the end of the step
 * without the crackle, evaluates the derivatives there, and interpolates the crackle from the derivatives at both ends.
 * If an attempt of the first step was rejected, the next prediction uses the crackle of this attempt. */
static int start(struct nb_stepper *p, nb_quad h)
{
    const struct nb_hermite *t = table_of(p);
    struct hermite *w = p->memory;
    if (w->started || !extends(t))
        return 0;
    w->started = true;
    return predict_end(p, h) || interpolate(p, 1, &t->start, h, p->vectors + A0 + t->derivatives) ? -1 : 0;
}

/* Corrects the state. Swaps the derivatives, because the end of this step is the beginning of the next step. */
static int finish(struct nb_stepper *p, nb_quad h)
{
    const struct nb_hermite *t = table_of(p);
    if (correct(p, h))
        return -1;
    for (int k = 0; k < t->derivatives; k++)
        nb_step_swap(&p->vectors[A0 + k], &p->vectors[A1 + k]);
    if (extends(t))
        nb_step_swap(&p->vectors[A0 + t->derivatives], &p->vectors[PREDICTED_X]);
    p->stale = true;
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    if (start(p, h))
        return -1;
    for (; count > 0; count--)
        if (predict_end(p, h) || (extends(table_of(p)) && interpolate_end(p, h)) || finish(p, h))
            return -1;
    return 0;
}

static int first(struct nb_stepper *p, double tolerance, double *most)
{
    return nb_aarseth_first(p, p->vectors[A0], p->vectors[J0], p->vectors[S0], tolerance, most);
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    struct hermite *w = p->memory;
    const bool started = w->started;
    if (start(p, h) || predict_end(p, h) || interpolate_end(p, h))
        return -1;
    const void *const end[] = {end_of(p, 0), end_of(p, 1), end_of(p, 2), end_of(p, 3)};
    if (nb_aarseth_judge(p, h, end, tolerance, trial))
        return -1;
    w->started = started || trial->accepted; /* a rejected step is too long, so its crackle can be inaccurate */
    return trial->accepted ? finish(p, h) : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    const struct nb_hermite *t = table_of(p);
    struct hermite *w = p->memory;
    if (extends(t) && nb_pack_flag(k, &w->started))
        return -1;
    return nb_step_pack_vectors(p, k, A0, A0 + t->derivatives + extends(t)) ||
                   nb_step_pack_vectors(p, k, COMPENSATION_X, COMPENSATION_V + 1)
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    const struct nb_hermite *t = scheme->table;
    (void)velocity;
    (void)adaptive;
    return 2 + 3 * t->derivatives + extends(t);
}

const struct nb_family nb_family_hermite = {.vectors = vectors,
                                            .begin = begin,
                                            .steps = steps,
                                            .attempt = attempt,
                                            .first = first,
                                            .carry = carry,
                                            .carried = COMPENSATION_V + 1};
