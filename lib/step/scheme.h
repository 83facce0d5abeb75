/* scheme.h - the types of the coefficient tables, one type for each family of schemes. A new scheme needs a table and
 * an entry in schemes.c. */
#pragma once

#include "step/step_family.h"

#define NB_STAGES_MAX 35

#define Q(literal) NB_Q(literal) /* a coefficient of a table, written as a quad literal */

/* Composition K(kick[0] h) D(drift[0] h) K(kick[1] h) ... D(drift[stages-1] h) K(kick[stages] h). K(t) adds t times
 * the acceleration to the velocity. D(t) adds t times the velocity to the position. A kick of 0 needs no force
 * evaluation. */
struct nb_splitting {
    int stages;
    const nb_quad *kick;  /* stages + 1 elements */
    const nb_quad *drift; /* `stages` elements */
};

/* A Butcher table. Stage 0 of an explicit scheme is the beginning of the step. */
struct nb_butcher {
    int stages;
    const nb_quad *a;     /* implicit: stages x stages; explicit: rows 1 to stages - 1, row k with k entries */
    const nb_quad *b, *c; /* `stages` elements each; b: weights of the new state */
    const nb_quad *error; /* b - (weights of the embedded scheme); NULL: there is no embedded scheme */
    int error_order;      /* order of the embedded scheme */
    /* weights w_j of the accelerations a_j of the stages in the new position x + h v + h^2 sum_j w_j a_j; NULL: w_j =
     * sum_i b[i] a[i][j] */
    const nb_quad *position;
    bool same_as_last; /* first same as last (FSAL): the last stage is the first stage of the next step */
};

/* An Adams scheme. x'_n is the time derivative of x at the end of step n.
 *     predictor: x_{n+1} = x_n + h sum_j predictor[j] x'_{n-j},
 *     corrector: x_{n+1} = x_n + h sum_j corrector[j] x'_{n+1-j}.
 * A step with a corrector predicts, evaluates the forces, corrects, and evaluates the forces again. */
struct nb_adams {
    int steps;
    const nb_quad *predictor; /* `steps` elements */
    const nb_quad *corrector; /* `steps` elements; NULL: no corrector */
    const struct nb_scheme *starter;
};

#define NB_HERMITE_DERIVATIVES 3

/* A Hermite scheme. It uses acceleration, jerk and snap at the beginning (0) and at the end (1) of a step. These six
 * values are d_0 to d_5: a0 a1 j0 j1 s0 s1 (without s0 s1 if the force does not evaluate the snap). Higher derivatives
 * are interpolated: the derivative of order m of the acceleration is sum_k e[k] h^(k/2 - m) d_k, where k/2 is an
 * integer division. The coefficients e[k] are the elements of `start` or of one row of `end`. */
struct nb_hermite {
    int derivatives; /* number of derivatives that the force evaluates: 2 (a, jerk) or 3 (a, jerk, snap) */
    int divisor[NB_HERMITE_DERIVATIVES]; /* factor of derivative k of a in the corrector: h^(k+1) / divisor[k] */
    /* Coefficients e[k] of the formula above, for derivatives at the end of the step that the force does not
     * evaluate. If `derivatives` is 2: row 0 for the snap, row 1 for the crackle. If `derivatives` is 3: row 0 for
     * the crackle. */
    int end[2][2 * NB_HERMITE_DERIVATIVES];
    /* Coefficients e[k] of the formula above, for one more derivative at the beginning of the step (the crackle, if
     * `derivatives` is 3). Zeros if the predictor does not use this derivative. */
    int start[2 * NB_HERMITE_DERIVATIVES];
};

/* Richardson extrapolation. A rule is a method that takes the step h in n substeps. Its error is a series in even
 * powers of h/n. The changes of position and velocity for several n are extrapolated to infinite n. */
struct nb_extrapolation {
    int first, more; /* column j of the extrapolation table has first + j * more substeps */
    int (*rule)(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
};

/* Symplectic corrector for drift-kick-drift steps with small kicks (Wisdom, Holman & Touma 1996, Fields Inst. Commun.
 * 10, 217). D is a drift and K is a kick, as in nb_splitting. The corrector is the product
 *     Z(n s, b_n) ... Z(s, b_1) Z(-s, -b_1) ... Z(-n s, -b_n),  n = stages,  s = NB_CORRECTOR_SPACING,
 *     Z(a, b) = D(a h) K(b h) D(-2 a h) K(-b h) D(a h).
 * It removes all errors up to order h^(2 n + 1) that are proportional to the first power of the kicks. For this, the
 * numbers b_k must satisfy
 *     sum_k 4 b_k (k s)^(2j-1) / (2j-1)! = c_j,  j = 1 .. n,
 * where c_j are the coefficients of the series 1 - (x/2) / sinh(x/2) = sum_j c_j x^2j. */
struct nb_corrector {
    int stages;       /* 0: no corrector */
    const nb_quad *b; /* `stages` elements */
};

/* A Wisdom-Holman map: its coordinates, and the corrector that is applied before and after its steps. */
struct nb_planetary {
    bool jacobi; /* Jacobi coordinates; else democratic heliocentric coordinates (whfast.h) */
    struct nb_corrector corrector;
};

/* distance s of the stages of a symplectic corrector (nb_corrector), in units of the step size: sqrt(7/40) for all
 * correctors */
#define NB_CORRECTOR_SPACING Q(0.4183300132670377739890860128925937446964)

/* Rules of extrapolation schemes. Each takes a step of h from the stepper's state, in `substeps` substeps, and writes
 * the changes of position and velocity to the vectors d_dx and d_dv. Each returns 0, or -1 after nb_fail. */
int nb_rule_midpoint(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
int nb_rule_stormer(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
