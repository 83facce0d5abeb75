/* step_ias15.c - Gauss-Radau steps of order 15 (Everhart 1985, in Dynamics of Comets, 185; Rein & Spiegel 2015, MNRAS
 * 446, 1424).
 * - The acceleration during a step is a polynomial through its values at eight nodes (times). The values are found by
 *   iteration: the newest values give the positions at a node, and these give the node's new acceleration. The
 *   iteration ends when rounding errors prevent further improvement.
 * - The first guess extrapolates the polynomial of the last step. At each node, it is corrected by the error of the
 *   last step's first guess.
 * - The code stores the values of the acceleration; the papers store the coefficients of the polynomial.
 * - The constants of the scheme are rounded. Their rounding errors are the same in every step, so the resulting errors
 *   would add up. In the linear combinations that advance the state, each input therefore occurs twice: with its
 *   rounded coefficient, and with the rounding error of this coefficient (low part). At the nodes, only the velocity
 *   occurs twice. The energy error then grows only as the square root of the number of steps (Hairer, McLachlan &
 *   Razakarivony 2008, BIT 48, 231). In quad precision, the state is advanced without low parts. */
#include "step/scheme.h"

#include "base/error.h"
#include "step/step_radau.h"

#include <math.h>
#include <string.h>

#define NODES NB_RADAU_NODES
/* The inputs of a linear combination are the velocity and the accelerations at the nodes. LOW: number of these
 * inputs. Coefficient LOW + k is the low part (rounding error) of coefficient k. Therefore input LOW + k is the same
 * vector as input k */
#define LOW (1 + NODES)
/* number of inputs if each input occurs twice: with its coefficient, and with the low part of its coefficient */
#define INPUTS (2 * LOW)
/* number of inputs for position and velocity at a node. Only the velocity occurs twice: with its coefficient, and with
 * the low part (rounding error) of its coefficient */
#define STAGE_INPUTS (LOW + 1)
/* number of inputs of a first guess: the accelerations at the nodes of the last step, and their first guesses */
#define GUESS_INPUTS (NODES + (NODES - 1))

/* Indices of p->vectors, for node s. NOW + s: acceleration in this step; GUESS + s: first guess of this acceleration;
 * LAST + s, LAST_GUESS + s: acceleration and first guess in the last step. The acceleration at node 0 is the
 * acceleration of the state, so NOW + 0 and GUESS + 0 are free for other uses. */
enum {
    NOW,
    SPARE = NOW, /* new acceleration of the last node, before it is compared with the old one */
    GUESS = NOW + NODES,
    STAGE_X = GUESS,
    LAST = GUESS + NODES,
    LAST_GUESS = LAST + NODES,
    COMPENSATION_X = LAST_GUESS, /* LAST_GUESS + 0 is free, because the acceleration at node 0 is never guessed */
    COMPENSATION_V = LAST_GUESS + NODES,
    STAGE_V, /* allocated only if a force needs velocities */
    DERIVATIVE,
    VECTORS = DERIVATIVE + 4
};

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)

#define SCALAR double
#define WIDE   long double
#define NAME   double
#include "step/step_ias15_rows.h"

#define SCALAR nb_quad
#define WIDE   nb_quad
#define NAME   quad
#include "step/step_ias15_rows.h"

struct ias15 {
    /* h: step size for which the coefficients in d or q were computed. ratio: (step size) / (size of the last step)
     * for which the coefficients of the first guess were computed */
    nb_quad h, ratio;
    nb_quad last;        /* size of the last step, whose accelerations are in LAST; 0: none */
    bool guessed;        /* true: LAST_GUESS contains the first guesses of the last step */
    bool set_guessed;    /* value of `guessed` for which the coefficients of the first guess were computed */
    nb_quad node[NODES]; /* times of the nodes, in units of the step */
    bool quad;           /* the coefficients in use are q if true, d if false */
    struct rows_double d;
    struct rows_quad q;
};

/* Returns the array `member` of w->q if w->quad is set, otherwise of w->d. */
#define ROW(w, member) ((w)->quad ? (const void *)(w)->q.member : (const void *)(w)->d.member)

static int begin(struct nb_stepper *p)
{
    struct ias15 *w = nb_step_memory(p, sizeof *w);
    struct nb_radau table;
    if (!w)
        return -1;
    w->quad = p->state->precision == NB_QUAD;
    nb_radau_make(&table);
    memcpy(w->node, table.node, sizeof w->node);
    if (w->quad)
        make_quad(&w->q, &table);
    else
        make_double(&w->d, &table);
    return nb_step_vectors(p, 0, p->velocity ? STAGE_V + 1 : STAGE_V);
}

static void set_step(struct ias15 *w, nb_quad h)
{
    if (w->h == h)
        return;
    w->h = h;
    if (w->quad)
        set_step_quad(&w->q, h);
    else
        set_step_double(&w->d, (long double)h);
}

/* Sets in[1 + s] to the guessed acceleration at node s. */
static int guess(struct nb_stepper *p, const void **in)
{
    struct ias15 *w = p->memory;
    const void *last[GUESS_INPUTS];
    for (int s = 0; s < NODES; s++)
        in[1 + s] = s == 0 || w->last == 0 ? p->state->a : p->vectors[GUESS + s];
    if (w->last == 0)
        return 0;
    const nb_quad ratio = w->h / w->last;
    if (w->ratio != ratio || w->set_guessed != w->guessed) {
        if (w->quad)
            set_guess_quad(&w->q, ratio, w->guessed);
        else
            set_guess_double(&w->d, (double)ratio, w->guessed);
        w->ratio = ratio;
        w->set_guessed = w->guessed;
    }
    for (int k = 0; k < GUESS_INPUTS; k++)
        last[k] = p->vectors[k < NODES ? LAST + k : LAST_GUESS + k - NODES + 1];
    for (int s = 1; s < NODES; s += NB_COMBINATIONS_MAX) {
        struct nb_combination row[NB_COMBINATIONS_MAX];
        int rows = 0;
        for (; rows < NB_COMBINATIONS_MAX && s + rows < NODES; rows++)
            row[rows] = (struct nb_combination){.c = ROW(w, next[s + rows]), .out = p->vectors[GUESS + s + rows]};
        if (nb_step_combine_scalar(p, w->guessed ? GUESS_INPUTS : NODES, last, rows, row, NULL))
            return -1;
    }
    return 0;
}

/* Recomputes the accelerations in[1 + s] at the nodes s = 1, 2, ..., one after the other. The positions at a node are
 * computed from the newest accelerations at all nodes. norm[0]: max norm of the difference between the new acceleration
 * at the last node and its value before this sweep; norm[1]: max norm of the new acceleration at this node. */
static int sweep(struct nb_stepper *p, const void **in, double norm[2])
{
    static const nb_quad difference_quad[] = {1, -1}, itself_quad[] = {1, 0};
    static const double difference[] = {1, -1}, itself[] = {1, 0};
    const struct ias15 *w = p->memory;
    struct nb_state *s = p->state;
    void **const d = p->vectors;
    const nb_quad begin = p->time;
    for (int k = 1; k < NODES; k++) {
        const struct nb_combination row[] = {{ROW(w, x[k]), s->x, d[COMPENSATION_X], d[STAGE_X], NULL},
                                             {ROW(w, v[k]), s->v, d[COMPENSATION_V], d[STAGE_V], NULL}};
        void **const out = &d[k < NODES - 1 ? NOW + k : SPARE];
        if (p->timed)
            nb_step_at(p, begin + w->node[k] * w->h);
        if (nb_step_combine_scalar(p, STAGE_INPUTS, in, p->velocity ? 2 : 1, row, NULL) ||
            nb_step_evaluate(p, d[STAGE_X], d[STAGE_V], *out, NULL))
            return -1;
        if (k < NODES - 1)
            in[1 + k] = *out;
    }
    if (p->timed)
        nb_step_at(p, begin);
    const void *const pair[] = {d[SPARE], in[NODES]};
    const struct nb_combination size[] = {{.c = w->quad ? (const void *)difference_quad : difference},
                                          {.c = w->quad ? (const void *)itself_quad : itself}};
    if (nb_step_combine_scalar(p, 2, pair, 2, size, norm))
        return -1;
    nb_step_swap(&d[SPARE], &d[NOW + NODES - 1]);
    in[NODES] = d[NOW + NODES - 1];
    return 0;
}

#define SWEEPS 40
/* Forces computed by a tree or in mixed precision are not continuous, so the iteration may stop converging before it
 * reaches the rounding errors. The result is then accepted if the last sweep changed the acceleration at the last node
 * by less than ROUGH (relative change). A larger change means that the step is too long for convergence. */
#define ROUGH 1e-3

/* Finds the accelerations at the nodes by iteration. Sets in[1 + s] to the acceleration at node s, and *converged to
 * whether the iteration converged. */
static int iterate(struct nb_stepper *p, const void **in, bool *converged)
{
    /* The iteration may end when a sweep changes the acceleration at the last node by at most `least` (relative
     * change). The error that remains is similar in each step, so it adds up. Its sum over 10^8 steps is below the sum
     * of rounding errors. */
    const double least = 1e-4 * nb_step_epsilon(p->state->precision);
    double before = INFINITY;
    *converged = false;
    in[0] = in[LOW] = p->state->v;
    if (guess(p, in))
        return -1;
    for (int k = 0; k < NODES; k++)
        in[LOW + 1 + k] = NULL;
    for (int k = 0; k < SWEEPS && !*converged; k++) {
        double norm[2];
        if (sweep(p, in, norm))
            return -1;
        const double change = norm[0] > 0 ? norm[0] / norm[1] : 0;
        if (!(change <= 1e3) && k > 0)
            return 0;
        /* Each sweep reduces the change by about the same factor, so change * (change / before) estimates the change in
         * the next sweep. */
        *converged = change <= least ||
                     (k > 0 && (change * (change / before) <= least || (k > 1 && change >= before && change < ROUGH)));
        before = change;
    }
    return 0;
}

/* Advances the state to the end of the step and evaluates its acceleration. Swaps vectors, so that LAST contains the
 * accelerations at the nodes of this step, and LAST_GUESS their first guesses. */
static int finish(struct nb_stepper *p, const void **in)
{
    struct ias15 *w = p->memory;
    struct nb_state *s = p->state;
    void **const d = p->vectors;
    const struct nb_combination rows[] = {{ROW(w, x[NODES]), s->x, d[COMPENSATION_X], s->x, d[COMPENSATION_X]},
                                          {ROW(w, v[NODES]), s->v, d[COMPENSATION_V], s->v, d[COMPENSATION_V]}};
    for (int k = 0; k < NODES; k++)
        in[LOW + 1 + k] = in[1 + k];
    if (nb_step_combine_scalar(p, w->quad ? LOW : INPUTS, in, 2, rows, NULL))
        return -1;
    nb_step_swap(&s->a, &d[LAST]);
    for (int k = 1; k < NODES; k++) {
        nb_step_swap(&d[NOW + k], &d[LAST + k]);
        nb_step_swap(&d[GUESS + k], &d[LAST_GUESS + k]);
    }
    w->guessed = w->last != 0;
    w->last = w->h;
    if (p->timed)
        nb_step_at(p, p->time + w->h);
    return nb_step_evaluate_state(p);
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    const void *in[INPUTS];
    bool converged;
    set_step(p->memory, h);
    for (; count > 0; count--) {
        if (iterate(p, in, &converged))
            return -1;
        if (!converged)
            return nb_fail("%s: the iteration does not converge with a step of %g (use a smaller --dt)",
                           p->scheme->name, (double)h);
        if (finish(p, in))
            return -1;
    }
    return 0;
}

/* ---- step size ---- */

/* Sets *factor to (size of the next step) / h. The next step is T * (5040 * tolerance)^(1/7), where T is the time scale
 * at the end of the present step. The last term of the acceleration's power series (degree 7) is then about `tolerance`
 * times the acceleration (Rein & Spiegel 2015, eq. 11; Pham, Rein & Spiegel 2024). */
static int factor_of(struct nb_stepper *p, const void *const *in, double tolerance, double *factor)
{
    const struct ias15 *w = p->memory;
    const void *derivative[4];
    struct nb_combination rows[4];
    double norm[4], time;
    if (nb_step_vectors(p, DERIVATIVE, VECTORS))
        return -1;
    for (int k = 0; k < 4; k++) {
        rows[k] = (struct nb_combination){.c = ROW(w, derivative[k]), .out = p->vectors[DERIVATIVE + k]};
        derivative[k] = p->vectors[DERIVATIVE + k];
    }
    if (nb_step_combine_scalar(p, NODES, in + 1, 4, rows, norm) || nb_step_shortest(p, derivative, norm[0], &time))
        return -1;
    *factor = time * pow(5040 * tolerance, 1.0 / 7);
    return 0;
}

#define LONGEST 2     /* a step is rejected if it is more than LONGEST times the size found for the next step */
#define MOST    4     /* maximum of (next step) / (this step) */
#define LEAST   0.05  /* minimum of (next step) / (this step) */
#define ZERO    1e-12 /* accelerations below ZERO times the largest acceleration at the nodes are taken as zero */

/* Sets size[s] to the max norm of the accelerations at node s. */
static int node_sizes(struct nb_stepper *p, const void *const *in, double size[NODES])
{
    for (int s = 0; s < NODES; s += NB_COMBINATIONS_MAX) {
        struct nb_combination row[NB_COMBINATIONS_MAX];
        int rows = 0;
        for (; rows < NB_COMBINATIONS_MAX && s + rows < NODES; rows++)
            row[rows] = (struct nb_combination){.base = in[1 + s + rows]};
        if (nb_step_combine(p, 0, NULL, rows, row, size + s))
            return -1;
    }
    return 0;
}

/* Recomputes *factor = (next step) / (this step) if the accelerations of all bodies are zero at the first or at the
 * last node of the step. In this case factor_of finds a time scale of about 0, and every step would be rejected. The
 * new factor is computed from the ratio (last term of the step's polynomial) / (largest acceleration in the step). If
 * the step changes no velocity by more than a rounding error, the factor is MOST. */
static int factor_near_zero(struct nb_stepper *p, const void *const *in, double tolerance, double *factor)
{
    const struct ias15 *w = p->memory;
    const struct nb_combination term = {.c = ROW(w, weight)};
    double size[NODES], most = 0, last;
    if (node_sizes(p, in, size))
        return -1;
    for (int s = 0; s < NODES; s++)
        most = fmax(most, size[s]);
    if (fabs((double)w->h) * most <= nb_step_epsilon(p->state->precision) * p->scale[1]) {
        *factor = MOST;
        return 0;
    }
    if (size[0] > ZERO * most && size[NODES - 1] > ZERO * most)
        return 0;
    if (nb_step_combine_scalar(p, NODES, in + 1, 1, &term, &last))
        return -1;
    *factor = pow(tolerance * most / last, 1.0 / 7);
    return 0;
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    const void *in[INPUTS];
    bool converged;
    double factor = LEAST;
    set_step(p->memory, h);
    if (iterate(p, in, &converged) || (converged && factor_of(p, in, tolerance, &factor)))
        return -1;
    if (converged && !(factor >= 1 && factor < INFINITY) && factor_near_zero(p, in, tolerance, &factor))
        return -1;
    trial->accepted = converged && factor * LONGEST >= 1;
    trial->factor = converged ? fmin(MOST, fmax(LEAST, factor)) : 0.25;
    return trial->accepted ? finish(p, in) : 0;
}

/* ---- checkpoints ---- */

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct ias15 *w = p->memory;
    if (nb_pack_bytes(k, &w->last, sizeof w->last) || nb_pack_flag(k, &w->guessed) ||
        nb_step_pack_vectors(p, k, LAST, COMPENSATION_V + 1))
        return -1;
    return isfinite((double)w->last) ? 0 : nb_fail("contains an invalid last step");
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme;
    return DERIVATIVE - (velocity ? 0 : 1) + (adaptive ? 4 : 0);
}

const struct nb_family nb_family_ias15 = {.vectors = vectors,
                                          .begin = begin,
                                          .steps = steps,
                                          .attempt = attempt,
                                          .carry = carry,
                                          .carried = COMPENSATION_V + 1 - LAST};
