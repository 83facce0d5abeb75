/* step_aarseth.h - one step for all bodies by Aarseth's criterion (1985, in Multiple Time Scales, 377): eta times the
 * least time scale tau of all, with magnitudes a, j, s, c of a body's acceleration, jerk, snap and crackle,
 *     tau^2 = (a s + j^2) / (j c + s^2),
 * in nb_device_step_scale's form, which rounding errors do not make short. eta = tolerance^(1/order), so that the error
 * of a step is in proportion to the tolerance, which counts as no less than the digits of the forces: Aarseth's own eta
 * is the square of this one, Nitadori & Makino's (2008, New Astronomy 13, 498) is this one. */
#pragma once

#include "step/step_family.h"

/* Returns eta. */
double nb_aarseth_eta(const struct nb_stepper *p, double tolerance);
/* Lowers *most to a first step for a motion with these a, j and s (vectors); s may be NULL: eta times a/j. */
int nb_aarseth_first(struct nb_stepper *p, const void *d_a, const void *d_jerk, const void *d_snap, double tolerance,
                     double *most);
/* Judges a step of h by what its end says, a, j, s and c there: it is refused where it was longer than twice what the
 * criterion asks for at the end. The next is no more than twice as long. */
int nb_aarseth_judge(struct nb_stepper *p, nb_quad h, const void *const d_derivative[4], double tolerance,
                     struct nb_trial *trial);

/* ---- families in which bodies have steps of their own ---- */

/* Of a family with base steps (nb_family.base). First in p->memory is a double: the longest time scale of a body when
 * the last base step ended. */
int nb_aarseth_own_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
int nb_aarseth_own_first(struct nb_stepper *p, double tolerance, double *most);
int nb_aarseth_own_attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial);
