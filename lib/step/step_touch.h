/* step_touch.h - bodies that come to touch in a step: pairs whose distance falls to the sum of their radii.
 *
 * A pair is followed along the polynomials of time that positions, velocities and accelerations give: of fifth order
 * from both ends of a step that all bodies take, of third order from the end of a body's own step, with the pair's own
 * acceleration and its derivative. The driver of a run (nbsim's meet.c) takes the step again up to the contact, and so
 * decides by the scheme itself. */
#pragma once

#include "step/step.h"

struct nb_touch_end { /* of a step that all bodies take: 3 n values each, host memory */
    const double *x, *v, *a;
};

/* Finds the first pair that touches in the step of h between two ends, into w->found and w->first, for the masses and
 * radii of n bodies in w. O(n log n) where bodies move little beside how far they are apart. -1: no memory. */
int nb_touch_between(struct nb_touch_watch *w, uint64_t n, const struct nb_touch_end *begin,
                     const struct nb_touch_end *end, nb_quad h);

/* For families in which bodies have steps of their own. Looks for pairs that touch in the steps of the `count` bodies
 * in d_index (NULL: all) that end at the time `now` since the base step of h began: all bodies are at d_x with d_v
 * then. Rows: d_length, the steps' lengths, or where `begun` the times at which they began, both over `unit`.
 * `straight`: in their steps bodies have moved along straight lines. Notes the first one in p->watch. O(count n). */
struct nb_touch_due {
    const void *d_x, *d_v, *d_length;
    uint64_t count;
    const uint32_t *d_index;
    nb_quad now;
    double unit;
    bool begun, straight;
};
int nb_touch_look(struct nb_stepper *p, const struct nb_touch_due *due);
/* Notes a pair (nb_touch_may) that touches so long after the base step began, if none did before. */
void nb_touch_note(struct nb_touch_watch *w, uint64_t i, uint64_t j, nb_quad after);

/* ---- a pair ---- */

#define NB_TOUCH_TERMS 6

struct nb_touch_path { /* x, y and z of one body as seen from the other: polynomials in the share of the step */
    double c[3][NB_TOUCH_TERMS];
};
/* Does the pair come as near as r? *u: the share of the step at which it first does. */
bool nb_touch_comes_near(const struct nb_touch_path *p, double r, double *u);
/* Have the two a mass and a size, and are they to be found? */
bool nb_touch_may(const struct nb_touch_watch *w, uint64_t i, uint64_t j);

struct nb_touch_motion { /* of body j as seen from body i */
    double x[3], v[3], a[3], jerk[3];
};
/* Adds what a mass at the origin, of G m = gm and softening eps, gives a body at x with v: acceleration and jerk. */
void nb_touch_attract(double gm, double eps, const double x[3], const double v[3], double a[3], double jerk[3]);
/* Looks for a contact of a pair (nb_touch_may) in its last step of h, which ends with this motion so long after the
 * base step began, and notes it. */
void nb_touch_look_back(struct nb_touch_watch *w, uint64_t i, uint64_t j, const struct nb_touch_motion *m, double h,
                        nb_quad now);
