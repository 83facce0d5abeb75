/* step_touch.h - finds contacts in a step: pairs of bodies whose distance falls to the sum of their radii. If there is
 * a contact, nbsim (merge.c) repeats the step up to the contact.
 *
 * The relative path of a pair in a step is a polynomial in time:
 * - If all bodies take the same step: degree 5, from positions, velocities and accelerations at both ends of the step.
 * - If each body has its own step: degree 3, from position, velocity, acceleration and jerk at the end of the step.
 *   The acceleration and jerk include only the forces of the two bodies on each other. */
#pragma once

#include "step/step.h"

struct nb_touch_end { /* state of all bodies at one end of a step: 3 n values in each array, host memory */
    const double *x, *v, *a;
};

/* Finds the first pair that touches in a step of size h from the state `begin` to the state `end`. Masses and radii of
 * n bodies are in w; the result is in w->found and w->first. Takes time O(n log n) if each body moves by less than its
 * distance from its neighbours. Returns 0, or -1 if there is no memory. */
int nb_touch_between(struct nb_touch_watch *w, uint64_t n, const struct nb_touch_end *begin,
                     const struct nb_touch_end *end, nb_quad h);

/* Arguments of nb_touch_look. The steps of `count` bodies end at the time `now`. Times count from the beginning of the
 * base step. */
struct nb_touch_due {
    /* d_x, d_v: positions and velocities of all bodies at `now`. d_length: for each body, the length of its step if
     * `begun` is false, or the time at which its step began if `begun` is true, in units of `unit`. */
    const void *d_x, *d_v, *d_length;
    uint64_t count;
    const uint32_t *d_index; /* indices of the `count` bodies; NULL: all bodies */
    nb_quad now;
    double unit;
    bool begun, straight; /* begun: see d_length; straight: bodies have moved along straight lines in their steps */
};
/* Looks for pairs that touch in the steps that end at due->now. For integrators whose bodies have their own steps.
 * Notes the first contact in p->watch. Takes time proportional to due->count * n. */
int nb_touch_look(struct nb_stepper *p, const struct nb_touch_due *due);
/* Notes a contact of bodies i and j at the time `after` since the beginning of the base step. Of all contacts noted,
 * only the first in time is kept. The pair must satisfy nb_touch_may. */
void nb_touch_note(struct nb_touch_watch *w, uint64_t i, uint64_t j, nb_quad after);

/* ---- a pair ---- */

#define NB_TOUCH_TERMS 6

/* Path of a body, or of a body relative to another one, in a step. Coordinate k is the sum of c[k][q] u^q, where u,
 * from 0 to 1, is the fraction of the step that has passed. */
struct nb_touch_path {
    double c[3][NB_TOUCH_TERMS];
};
/* Returns whether the distance of the pair is r or less at a time in the step. *u: the first such time, as a fraction
 * of the step. */
bool nb_touch_comes_near(const struct nb_touch_path *p, double r, double *u);
/* Returns whether the pair can touch: the sum of their masses is positive, the sum of their radii is positive, and the
 * pair is not in w->passed, the list of contacts to ignore. */
bool nb_touch_may(const struct nb_touch_watch *w, uint64_t i, uint64_t j);

struct nb_touch_motion { /* motion of body j relative to body i */
    double x[3], v[3], a[3], jerk[3];
};
/* Adds to a and jerk the acceleration and jerk of a body at position x with velocity v, caused by a mass at rest at the
 * origin. gm: G times the mass; eps: softening length. */
void nb_touch_attract(double gm, double eps, const double x[3], const double v[3], double a[3], double jerk[3]);
/* Looks for a contact of a pair in its last step, of length h, and notes the contact (nb_touch_note). The pair must
 * satisfy nb_touch_may. m: relative motion of the pair at the end of this step. now: time from the beginning of the
 * base step to the end of this step. */
void nb_touch_look_back(struct nb_touch_watch *w, uint64_t i, uint64_t j, const struct nb_touch_motion *m, double h,
                        nb_quad now);
