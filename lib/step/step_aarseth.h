/* step_aarseth.h - step size by Aarseth's criterion (1985, in Multiple Time Scales, 377).
 *
 * If all bodies take the same step, the step is eta times the shortest time scale tau of a body,
 *     tau^2 = (a s + j^2) / (j c + s^2),
 * where a, j, s, c are the magnitudes of the body's acceleration, jerk, snap and crackle. nb_device_step_scale computes
 * tau. It uses another formula for tau if that gives a longer tau, and it limits the effect of rounding errors. eta is
 * t^(1/order), where t is the larger of tolerance and nb_step_force_epsilon. The error of a step is then
 * proportional to t.
 *
 * This eta is the square root of Aarseth's eta, as in Nitadori & Makino (2008, New Astronomy 13, 498). */
#pragma once

#include "step/step_family.h"

/* Returns eta, which is (step size) / (time scale tau), for a tolerance > 0. */
double nb_aarseth_eta(const struct nb_stepper *p, double tolerance);
/* Computes the size of the first step by Aarseth's criterion, from acceleration, jerk and snap. Reduces *most to
 * this size if *most is larger. If d_snap is NULL, the size is about eta times the minimum of |acceleration| /
 * |jerk| over all bodies. */
int nb_aarseth_first(struct nb_stepper *p, const void *d_a, const void *d_jerk, const void *d_snap, double tolerance,
                     double *most);
/* Decides whether a step of size h is accepted. d_derivative: acceleration, jerk, snap and crackle at the end of the
 * step. From these, Aarseth's criterion computes a step size. The step is accepted if |h| is at most twice this
 * size. Sets trial->factor to (this size) / |h|, limited to the range 0.05 to 2. */
int nb_aarseth_judge(struct nb_stepper *p, nb_quad h, const void *const d_derivative[4], double tolerance,
                     struct nb_trial *trial);

/* ---- families in which each body has its own steps within a base step ---- */

/* These functions implement nb_family.steps, .first and .attempt for families with base steps (nb_family.base).
 * p->memory must point to a structure that begins with a double: the maximum of the time scales of all bodies, computed
 * at the start and at the end of each base step. */
int nb_aarseth_own_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
int nb_aarseth_own_first(struct nb_stepper *p, double tolerance, double *most);
int nb_aarseth_own_attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial);
