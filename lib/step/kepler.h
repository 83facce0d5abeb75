/* kepler.h - the motion of a body about a fixed mass, whatever its orbit and however long the time. */
#pragma once

#include <stdbool.h>

/* What a time dt of either sign adds to position x and velocity v relative to a mass at the origin, mu being G times
 * that mass, > 0; any consistent units. Elliptic, parabolic and hyperbolic orbits by universal variables (Stumpff 1959,
 * Himmelsmechanik I; Battin 1987, An Introduction to the Mathematics and Methods of Astrodynamics, 4.5):
 *     G_k(X) = X^k c_k(beta X^2),  c_k(z) = sum_j (-z)^j / (k + 2j)!,  beta = 2 mu / r - v^2,
 *     dt = r X + (x v) G_2 + (mu - beta r) G_3,
 * which grows with X as the distance is positive, so that Newton's method between bounds finds it always. Increments
 * rather than the new values, so that a caller may carry what rounding takes from them. Not a number where x is 0 or
 * what is given is not finite; then too it ends. */
void nb_kepler_advance(double mu, double dt, const double x[3], const double v[3], double dx[3], double dv[3]);

/* Does the distance fall to r > 0 in a time dt of either sign? *t: when it first does, of dt's sign; 0 if it is no
 * larger at the beginning. mu, x and v as above. */
bool nb_kepler_comes_near(double mu, double dt, const double x[3], const double v[3], double r, double *t);
