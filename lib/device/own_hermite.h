/* own_hermite.h - one step of a body with the fourth-order Hermite scheme (Makino & Aarseth 1992, Publ. Astron. Soc.
 * Japan 44, 141). All devices use this code, in double. Before this file is included, define OWN_STEP_CALL, the
 * specifiers of its functions (such as `static inline`). */
#pragma once

#include <math.h>
#define TIME_SCALE_CALL OWN_STEP_CALL
#include "device/time_scale.h"

struct nb_own_body { /* state of a body at the beginning of its step */
    double x[3], v[3], a[3], j[3];
};

OWN_STEP_CALL double nb_own_length(const double *w)
{
    return time_scale_length(w[0], w[1], w[2]);
}

/* Returns Aarseth's time scale (time_scale.h) for acceleration, jerk, snap and crackle. An acceleration below `least`
 * is replaced by `least`. Returns infinity if the formula is undefined, or if a value is NaN: short steps would only
 * delay the detection of the NaN. */
OWN_STEP_CALL double nb_own_time_scale(double least, const double *a, const double *j, const double *s, const double *c)
{
    const double rate2 =
        time_scale_aarseth(fmax(nb_own_length(a), least), nb_own_length(j), nb_own_length(s), nb_own_length(c));
    return rate2 > 0 && rate2 <= DBL_MAX ? 1 / sqrt(rate2) : INFINITY;
}

/* factor of the time scale for the first step of a body; small, because the time scale is computed without the crackle
 * and may be much too long */
#define NB_OWN_START_SHARE (1.0 / 64)

/* Returns NB_OWN_START_SHARE times the time scale of body b, for its first step. snap: derivative of the jerk. */
OWN_STEP_CALL double nb_own_start(double least, const struct nb_own_body *b, const double *snap)
{
    const double none[3] = {0, 0, 0};
    return NB_OWN_START_SHARE * nb_own_time_scale(least, b->a, b->j, snap, none);
}

/* Returns a coordinate after a time h by its Taylor series. x, v, a, j: coordinate, velocity, acceleration and jerk at
 * the beginning. */
OWN_STEP_CALL double nb_own_place(double h, double x, double v, double a, double j)
{
    return x + h * (v + h * (1.0 / 2) * (a + h * (1.0 / 3) * j));
}

/* Returns a component of the velocity after a time h by its Taylor series. */
OWN_STEP_CALL double nb_own_speed(double h, double v, double a, double j)
{
    return v + h * (a + h * (1.0 / 2) * j);
}

/* Moves the body to the end of its step h. a, j: acceleration and jerk at the end. Returns the time scale at the end.
 * Snap and crackle for the time scale are computed from the polynomial through the accelerations and jerks at both
 * ends. An acceleration below `least` is replaced by `least`. */
OWN_STEP_CALL double nb_own_correct(struct nb_own_body *b, double h, const double *a, const double *j, double least)
{
    double snap[3], crackle[3];
    for (int k = 0; k < 3; k++) {
        const double change = b->a[k] - a[k], v = b->v[k];
        snap[k] = (6 * change + h * (2 * b->j[k] + 4 * j[k])) / (h * h);
        crackle[k] = (12 * change + h * (6 * b->j[k] + 6 * j[k])) / (h * h * h);
        b->v[k] = v + (h / 2 * (b->a[k] + a[k]) + h * h / 12 * (b->j[k] - j[k]));
        b->x[k] += h / 2 * (v + b->v[k]) + h * h / 12 * change;
        b->a[k] = a[k];
        b->j[k] = j[k];
    }
    return nb_own_time_scale(least, b->a, b->j, snap, crackle);
}
