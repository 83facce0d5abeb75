/* step_aarseth.h - step size by Aarseth's criterion (1985, in Multiple Time Scales, 377).
 *
 * If all bodies take the same step, the step is eta times the shortest time scale tau of a body,
 *     tau^2 = (a s + j^2) / (j c + s^2),
 * where a, j, s, c are the magnitudes of the body's acceleration, jerk, snap and crackle. nb_device_step_scale
 * computes tau so that rounding errors do little harm. eta = tolerance^(1/order) makes the error of a step
 * proportional to the tolerance. A tolerance below nb_step_force_epsilon is replaced by it.
 *
 * Aarseth's own eta is the square of this eta. Nitadori & Makino (2008, New Astronomy 13, 498) define eta as in this
 * file. */
#pragma once

#include "step/step_family.h"

/* Returns eta for a tolerance > 0. */
double nb_aarseth_eta(const struct nb_stepper *p, double tolerance);
/* Lowers *most to the first step that the criterion gives with the vectors of acceleration, jerk and snap, if this step
 * is shorter. If d_snap is NULL, the step is eta * a / j. */
int nb_aarseth_first(struct nb_stepper *p, const void *d_a, const void *d_jerk, const void *d_snap, double tolerance,
                     double *most);
/* Judges a step of h by the derivatives at its end: a, j, s, c. The step is rejected if it is more than twice the step
 * that the criterion gives there. Sets trial->accepted and trial->factor, (next step) / h, in [0.05, 2]. */
int nb_aarseth_judge(struct nb_stepper *p, nb_quad h, const void *const d_derivative[4], double tolerance,
                     struct nb_trial *trial);

/* ---- families in which each body has its own steps within a base step ---- */

/* Implementations of nb_family.steps, .first and .attempt for families that have nb_family.base. The first member of
 * p->memory must be a double: the longest time scale of a body at the end of the last base step. */
int nb_aarseth_own_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
int nb_aarseth_own_first(struct nb_stepper *p, double tolerance, double *most);
int nb_aarseth_own_attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial);
