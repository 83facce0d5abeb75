/* step_extrapolation.c - Richardson extrapolation to a substep of length 0 (Gragg 1965, SIAM J. Numer. Anal. 2, 384;
 * Bulirsch & Stoer 1966).
 *
 * - A rule (midpoint or Stormer) computes the same step several times, each time with more substeps. The result with n
 *   substeps is called a column. Its error is a series in even powers of 1/n.
 * - The columns are combined so that the lowest powers cancel.
 * - With a tolerance, the step size and the number of columns are chosen for the least work (Deuflhard 1983; Hairer,
 *   Norsett & Wanner 1993, II.9).
 * - A column contains the changes of position and velocity in the step. These are small numbers, which reduces the
 *   rounding errors that the combination amplifies. */
#include "step/scheme.h"

#include <math.h>

#define COLUMNS     24
#define FIXED       4  /* a fixed step uses FIXED columns, which gives order 8 */
#define LAST_DOUBLE 11 /* last extrapolation column in double precision; more columns would amplify rounding errors */
/* maximum of `target` in struct extrapolation. A step may also compute column target + 1, at most COLUMNS - 1 */
#define TARGET_MOST (COLUMNS - 2)

enum { /* indices of p->vectors */
       CHAIN_DX,
       CHAIN_DV,
       SUBSTEP_X,
       SUBSTEP_A,
       COMPENSATION_X,
       COMPENSATION_V,
       SUBSTEP_V, /* allocated only if a force needs velocities */
       /* first vector of the columns: vectors COLUMN + 2 k and COLUMN + 2 k + 1 are the changes of position (dx) and of
        * velocity (dv) of column k, the result with substeps(p, k) substeps */
       COLUMN,
       VECTORS = COLUMN + 2 * COLUMNS
};

struct extrapolation {
    int target; /* column whose error is expected to be within the tolerance; 0: not known */
};

static int begin(struct nb_stepper *p)
{
    return nb_step_memory(p, sizeof(struct extrapolation)) &&
                   nb_step_vectors(p, 0, p->velocity ? COLUMN : SUBSTEP_V) == 0
               ? 0
               : -1;
}

static int substeps(const struct nb_stepper *p, int column)
{
    const struct nb_extrapolation *t = p->scheme->table;
    return t->first + column * t->more;
}

/* Returns the number of force evaluations for columns 0 to `column`, plus one for the beginning of the next step. */
static double work(const struct nb_stepper *p, int column)
{
    double sum = 1;
    for (int j = 0; j <= column; j++)
        sum += substeps(p, j);
    return sum;
}

static int compute_column(struct nb_stepper *p, nb_quad h, int column)
{
    const nb_quad begin = p->time;
    const struct nb_extrapolation *t = p->scheme->table;
    void **d = &p->vectors[COLUMN + 2 * column];
    const int status = nb_step_vectors(p, COLUMN + 2 * column, COLUMN + 2 * column + 2)
                           ? -1
                           : t->rule(p, h, substeps(p, column), d[0], d[1]);
    if (p->timed)
        nb_step_at(p, begin);
    return status;
}

/* Computes the weights of columns first to last in the extrapolated value. The polynomial in 1/n^2 through these
 * columns has the extrapolated value at 1/n^2 = 0 (Aitken & Neville). */
static void extrapolation_weights(const struct nb_stepper *p, int first, int last, nb_quad *weight)
{
    for (int j = first; j <= last; j++) {
        const nb_quad nj = substeps(p, j);
        weight[j] = 1;
        for (int i = first; i <= last; i++)
            if (i != j)
                weight[j] *= nj * nj / ((nj - substeps(p, i)) * (nj + substeps(p, i)));
    }
}

/* Computes the next positions and velocities by extrapolation from columns 0 to last. If `take` is true, stores them in
 * the state. Unless norm is NULL, writes four max norms to it: of the positions, of the velocities, and of their
 * differences from an extrapolation without column 0. */
static int extrapolate(struct nb_stepper *p, int last, bool take, double *norm)
{
    struct nb_state *s = p->state;
    nb_quad full[COLUMNS] = {0}, less[COLUMNS] = {0}, c[4][2 * COLUMNS] = {{0}};
    const void *in[2 * COLUMNS];
    extrapolation_weights(p, 0, last, full);
    extrapolation_weights(p, 1, last, less);
    for (int j = 0; j <= last; j++) {
        in[2 * j] = p->vectors[COLUMN + 2 * j];
        in[2 * j + 1] = p->vectors[COLUMN + 2 * j + 1];
        c[0][2 * j] = c[1][2 * j + 1] = full[j];
        c[2][2 * j] = c[3][2 * j + 1] = full[j] - less[j];
    }
    const struct nb_combination rows[] = {
        {c[0], s->x, p->vectors[COMPENSATION_X], take ? s->x : NULL, take ? p->vectors[COMPENSATION_X] : NULL},
        {c[1], s->v, p->vectors[COMPENSATION_V], take ? s->v : NULL, take ? p->vectors[COMPENSATION_V] : NULL},
        {.c = c[2]},
        {.c = c[3]}};
    return nb_step_combine(p, 2 * last + 2, in, norm ? 4 : 2, rows, norm);
}

static int take(struct nb_stepper *p, nb_quad h, int last)
{
    if (p->timed)
        nb_step_at(p, p->time + h);
    return extrapolate(p, last, true, NULL) || nb_step_evaluate_state(p) ? -1 : 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    for (; count > 0; count--) {
        for (int j = 0; j < FIXED; j++)
            if (compute_column(p, h, j))
                return -1;
        if (take(p, h, FIXED - 1))
            return -1;
    }
    return 0;
}

/* Returns the last useful column. More columns would amplify rounding errors more than they reduce the error. */
static int last_column(const struct nb_stepper *p)
{
    return p->state->precision == NB_QUAD ? COLUMNS - 1 : p->state->precision == NB_SINGLE ? 5 : LAST_DOUBLE;
}

/* Returns whether the error of column `most` is expected to be above the tolerance. error: (error of column j) /
 * tolerance. The error of column i is expected to be the error of column i - 1 multiplied by (n_0 / n_i)^2, where n_i
 * is the number of substeps of column i. */
static bool out_of_reach(const struct nb_stepper *p, int j, int most, double error)
{
    double help = 1;
    for (int i = j + 1; i <= most; i++)
        help *= (double)substeps(p, i) / substeps(p, 0);
    return error > help * help;
}

struct columns { /* results of the columns of a step that is tried */
    /* error: (error of the column) / tolerance
     * factor: (size of the next step that this error allows) / (size of this step)
     * rate: (number of force evaluations) / factor, a measure of the cost per unit of simulated time */
    double error[COLUMNS], factor[COLUMNS], rate[COLUMNS];
};

/* Returns the column with the least error. In later columns rounding errors dominate. */
static int best_column(const struct columns *known, int last)
{
    int best = last;
    for (int j = last - 1; j > 1; j--)
        if (known->error[j] < known->error[best])
            best = j;
    return best;
}

/* Chooses the target column of the next step. Of the columns k - 1, k and k + 1, it is the column with the least
 * expected cost. Returns (size of the next step) / (size of this step). k: the column with the least error in this
 * step; if the step was rejected, k is at most the present target. */
static double plan(struct nb_stepper *p, const struct columns *known, int k, bool accepted)
{
    struct extrapolation *w = p->memory;
    double factor = known->factor[k];
    if (k > 1 && known->rate[k - 1] < 0.8 * known->rate[k]) {
        k--;
        factor = known->factor[k];
    } else if (accepted && k + 1 < last_column(p) && (k == 1 || known->rate[k] < 0.9 * known->rate[k - 1])) {
        factor *= work(p, k + 1) / work(p, k);
        k++;
    }
    w->target = k < 2 ? 2 : k < TARGET_MOST ? k : TARGET_MOST;
    return factor;
}

static int attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    struct extrapolation *w = p->memory;
    struct columns known = {{0}, {0}, {0}};
    if (w->target == 0)
        w->target = (int)fmin(last_column(p) - 1, fmax(2, 0.6 * -log10(tolerance) + 0.5));
    const int target = w->target;
    double norm[4];
    int j = 0;
    for (bool finished = false; !finished; j++) {
        if (compute_column(p, h, j) || (j > 0 && extrapolate(p, j, false, norm)))
            return -1;
        if (j == 0)
            continue;
        const double error = nb_step_error(p, norm) / tolerance, power = 1.0 / (2 * j + 1);
        known.error[j] = error;
        known.factor[j] = fmin(5, fmax(pow(0.02, power) / 5, 0.94 * pow(0.65 / error, power)));
        known.rate[j] = work(p, j) / known.factor[j];
        finished = j >= target - 1 && (error <= 1 || j == target + 1 || out_of_reach(p, j, target + 1, error));
    }
    const int best = best_column(&known, j - 1);
    trial->accepted = known.error[best] <= 1;
    trial->factor = plan(p, &known, best < target || trial->accepted ? best : target, trial->accepted);
    return trial->accepted && (take(p, h, best) || nb_step_rescale(p)) ? -1 : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct extrapolation *w = p->memory;
    return nb_pack_int(k, &w->target, 0, TARGET_MOST) || nb_step_pack_vectors(p, k, COMPENSATION_X, COMPENSATION_V + 1)
               ? -1
               : 0;
}

/* Implements nb_family.vectors: returns the number of vectors. For adaptive steps, this is the number in double
 * precision. Single precision needs fewer vectors, and quadruple precision can need more. */
static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme;
    return (velocity ? COLUMN : SUBSTEP_V) + 2 * (adaptive ? LAST_DOUBLE + 1 : FIXED);
}

const struct nb_family nb_family_extrapolation = {
    .vectors = vectors, .begin = begin, .steps = steps, .attempt = attempt, .carry = carry, .carried = 2};

/* ---- rules ---- */

/* Gragg's modified midpoint rule with smoothing, for z = (x, v): z_{m+1} = z_{m-1} + 2 g f(z_m) with the substep g. One
 * pair of vectors, p->vectors[CHAIN_DX] and [CHAIN_DV], contains z_{m-1} - z_0. The other pair, d_dx and d_dv, contains
 * z_m - z_0. After each substep the pairs change roles. At the end, d_dx and d_dv contain the result. */
int nb_rule_midpoint(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv)
{
    const struct nb_state *s = p->state;
    const nb_quad g = h / substeps, half = g / 2;
    const nb_quad first[4][2] = {{g, 0}, {0, g}, {0, 0}, {0, 0}};
    const void *begin[] = {s->v, s->a};
    const struct nb_combination open[] = {{first[0], NULL, NULL, d_dx, NULL}, {first[1], NULL, NULL, d_dv, NULL}};
    const struct nb_combination clear[] = {{first[2], NULL, NULL, p->vectors[CHAIN_DX], NULL},
                                           {first[3], NULL, NULL, p->vectors[CHAIN_DV], NULL},
                                           {first[0], s->x, NULL, p->vectors[SUBSTEP_X], NULL},
                                           {first[1], s->v, NULL, p->vectors[SUBSTEP_V], NULL}};
    void *old_dx = p->vectors[CHAIN_DX], *old_dv = p->vectors[CHAIN_DV], *dx = d_dx, *dv = d_dv;
    if (nb_step_combine(p, 2, begin, 2, open, NULL) || nb_step_combine(p, 2, begin, p->velocity ? 4 : 3, clear, NULL))
        return -1;
    for (int m = 1; m <= substeps; m++) {
        const void *in[] = {s->v, p->vectors[SUBSTEP_A], dv, old_dx, dx, old_dv};
        const nb_quad on[4][6] = {
            {2 * g, 0, 2 * g, 0, 0, 0}, {0, 2 * g, 0, 0, 0, 0}, {2 * g, 0, 2 * g, 1, 0, 0}, {0, 2 * g, 0, 0, 0, 1}};
        const nb_quad smooth[2][6] = {{half, 0, half + 0, NB_Q(0.5), NB_Q(0.5), 0},
                                      {0, half, NB_Q(0.5), 0, 0, NB_Q(0.5)}};
        const struct nb_combination next[] = {{on[0], old_dx, NULL, old_dx, NULL},
                                              {on[1], old_dv, NULL, old_dv, NULL},
                                              {on[2], s->x, NULL, p->vectors[SUBSTEP_X], NULL},
                                              {on[3], s->v, NULL, p->vectors[SUBSTEP_V], NULL}};
        const struct nb_combination close[] = {{smooth[0], NULL, NULL, d_dx, NULL},
                                               {smooth[1], NULL, NULL, d_dv, NULL}};
        if (p->timed)
            nb_step_at(p, p->time + g);
        if (nb_step_evaluate(p, p->vectors[SUBSTEP_X], p->vectors[SUBSTEP_V], p->vectors[SUBSTEP_A], NULL) ||
            (m < substeps ? nb_step_combine(p, 6, in, p->velocity ? 4 : 3, next, NULL)
                          : nb_step_combine(p, 6, in, 2, close, NULL)))
            return -1;
        nb_step_swap(&old_dx, &dx);
        nb_step_swap(&old_dv, &dv);
    }
    return 0;
}

/* Stormer's rule x_{m+1} = 2 x_m - x_{m-1} + g^2 a_m with the substep g, computed as leapfrog: half a kick, then drifts
 * and kicks in turn, and half a kick at the end. */
int nb_rule_stormer(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv)
{
    const struct nb_state *s = p->state;
    const nb_quad g = h / substeps;
    const void *in[] = {s->v, s->a, d_dv, d_dx};
    const nb_quad open[3][4] = {{g, g * g / 2, 0, 0}, {0, g / 2, 0, 0}, {g, g * g / 2, 0, 0}};
    const nb_quad on[3][4] = {{g, g * g, g, 0}, {0, g, 0, 0}, {g, g * g, g, 1}}, close[4] = {0, g / 2, 0, 0};
    const struct nb_combination first[] = {{open[0], NULL, NULL, d_dx, NULL},
                                           {open[1], NULL, NULL, d_dv, NULL},
                                           {open[2], s->x, NULL, p->vectors[SUBSTEP_X], NULL}};
    const struct nb_combination next[] = {{on[0], d_dx, NULL, d_dx, NULL},
                                          {on[1], d_dv, NULL, d_dv, NULL},
                                          {on[2], s->x, NULL, p->vectors[SUBSTEP_X], NULL}};
    for (int m = 0; m < substeps; m++) {
        if (p->timed)
            nb_step_at(p, p->time + g);
        if (nb_step_combine(p, 4, in, 3, m == 0 ? first : next, NULL) ||
            nb_step_evaluate(p, p->vectors[SUBSTEP_X], NULL, p->vectors[SUBSTEP_A], NULL))
            return -1;
        in[1] = p->vectors[SUBSTEP_A];
    }
    return nb_step_combine(p, 4, in, 1, &(struct nb_combination){close, d_dv, NULL, d_dv, NULL}, NULL);
}
