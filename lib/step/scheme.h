/* scheme.h - the tables of the schemes, a type for each family. A new scheme is a table and a line in schemes.c. */
#pragma once

#include "step/step_family.h"

#define NB_STAGES_MAX 35

#define Q(literal) NB_Q(literal) /* tables are made of them */

/* K(kick[0] h) D(drift[0] h) K(kick[1] h) ... D(drift[stages-1] h) K(kick[stages] h), where K adds acceleration times
 * its argument to the velocity and D velocity times its argument to the position. A kick of 0 asks for no force. */
struct nb_splitting {
    int stages;
    const nb_quad *kick;  /* stages + 1 */
    const nb_quad *drift; /* stages */
};

/* A Butcher table; stage 0 of an explicit one is at the beginning of the step. */
struct nb_butcher {
    int stages;
    const nb_quad *a;        /* explicit: rows 1, 2, ... with 1, 2, ... entries; implicit: stages^2 */
    const nb_quad *b, *c;    /* stages each; b is the row that advances */
    const nb_quad *error;    /* b less the row of the lower order; NULL: none */
    int error_order;         /* that lower order */
    const nb_quad *position; /* in place of b A, for Nystrom schemes; NULL: b A */
    bool same_as_last;       /* first same as last (FSAL): the last stage is the next step's first */
};

/* x+ = x + h sum_j predictor[j] x'_{n-j}; with a corrector that again with x'_{n+1} first (predict, evaluate, correct,
 * evaluate). */
struct nb_adams {
    int steps;
    const nb_quad *predictor; /* steps */
    const nb_quad *corrector; /* steps, or NULL */
    const struct nb_scheme *starter;
};

#define NB_HERMITE_DERIVATIVES 3

/* Hermite's schemes, from derivatives of the acceleration, itself among them, at both ends of a step. Interpolated
 * derivatives are sums of number[k] h^(k/2 - m) times those in the order a0 a1 j0 j1 s0 s1, m their order. */
struct nb_hermite {
    int derivatives;                        /* evaluated: 2 or 3 */
    int divisor[NB_HERMITE_DERIVATIVES];    /* of the corrector: h^(k+1)/divisor[k] */
    int end[2][2 * NB_HERMITE_DERIVATIVES]; /* further ones at the end, up to the crackle */
    int start[2 * NB_HERMITE_DERIVATIVES];  /* the next one at the beginning, where it predicts too; else zeros */
};

/* Richardson extrapolation of a rule with an error in even powers of h/n, n substeps: of what it adds to position and
 * velocity. */
struct nb_extrapolation {
    int first, more; /* substeps of column j: first + j more */
    int (*rule)(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
};

/* A symplectic corrector for drift-kick-drift with a small kick (Wisdom, Holman & Touma 1996, Fields Inst. Commun. 10,
 * 217), as the product over k = stages .. 1 of Z(k spacing, b_k), and over 1 .. stages of Z(-k spacing, -b_k), with
 *     Z(a, b) = D(a h) K(b h) D(-2 a h) K(-b h) D(a h).
 * To first order in the kick it takes away the errors of the step up to h^(2 stages + 1) where
 *     sum_k 4 b_k (k spacing)^(2j-1) / (2j-1)! = c_j,  j = 1 .. stages,  1 - (x/2) / sinh(x/2) = sum_j c_j x^2j. */
struct nb_corrector {
    int stages;       /* 0: none */
    const nb_quad *b; /* stages */
};

/* A map of Wisdom and Holman's kind: its coordinates, and the corrector before and after its steps. */
struct nb_planetary {
    bool jacobi; /* else democratic heliocentric ones (whfast.h) */
    struct nb_corrector corrector;
};

#define NB_CORRECTOR_SPACING Q(0.4183300132670377739890860128925937446964) /* sqrt(7/40), of all of them */

/* The rules: a step of h in `substeps`; d_dx and d_dv get what it adds to position and velocity. 0, or -1. */
int nb_rule_midpoint(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
int nb_rule_stormer(struct nb_stepper *p, nb_quad h, int substeps, void *d_dx, void *d_dv);
