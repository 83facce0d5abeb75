/* own_regular.h - the scheme of Ahmad & Cohen (1973, J. Comput. Phys. 12, 389): the regular part of a body's
 * acceleration, which distant bodies cause and which changes slowly. Uses Hermite polynomials (Makino & Aarseth 1992,
 * Publ. Astron. Soc. Japan 44, 141). All devices use this code, in double. Before this file is included, define
 * OWN_STEP_CALL, the specifiers of its functions (such as `static inline`). */
#pragma once

#include "device/own_hermite.h"

struct nb_own_regular { /* acceleration, jerk, snap and crackle at the beginning of the regular step */
    double a[3], j[3], s[3], c[3];
};

/* Adds the regular acceleration and jerk to a and j, at a time h after the beginning of the regular step. */
OWN_STEP_CALL void nb_regular_add(const struct nb_own_regular *r, double h, double *a, double *j)
{
    for (int k = 0; k < 3; k++) {
        a[k] += r->a[k] + h * (r->j[k] + h * (1.0 / 2) * (r->s[k] + h * (1.0 / 3) * r->c[k]));
        j[k] += r->j[k] + h * (r->s[k] + h * (1.0 / 2) * r->c[k]);
    }
}

/* Ends a regular step of size h. Returns the time scale at the end (accelerations below `least` are replaced by it).
 * - a, j: acceleration and jerk at the end of the step, caused by the bodies that were distant at its beginning.
 * - x, v: position and velocity at the end. On entry they are extrapolated with the polynomial r. The function corrects
 *   them with the polynomial through acceleration and jerk at both ends of the step.
 * - r: set to the derivatives of this new polynomial at the end of the step. */
OWN_STEP_CALL double nb_regular_correct(struct nb_own_regular *r, double h, const double *a, const double *j,
                                        double least, double *x, double *v)
{
    for (int k = 0; k < 3; k++) {
        const double change = r->a[k] - a[k], begun = (-6 * change - h * (4 * r->j[k] + 2 * j[k])) / (h * h);
        const double crackle = (12 * change + h * (6 * r->j[k] + 6 * j[k])) / (h * h * h);
        const double more = begun - r->s[k], bend = crackle - r->c[k];
        v[k] += h * h * h * (1.0 / 6) * (more + h * (1.0 / 4) * bend);
        x[k] += h * h * h * h * (1.0 / 24) * (more + h * (1.0 / 5) * bend);
        r->a[k] = a[k];
        r->j[k] = j[k];
        r->s[k] = begun + h * crackle;
        r->c[k] = crackle;
    }
    return nb_own_time_scale(least, r->a, r->j, r->s, r->c);
}
