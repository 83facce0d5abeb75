/* kepler.h - advances a body on a Kepler orbit of any eccentricity about a fixed mass, and finds when it comes within a
 * given distance of that mass. */
#pragma once

#include <stdbool.h>

/* Computes the changes dx of position and dv of velocity in the time dt, which may be negative. x and v are relative to
 * a fixed mass at the origin. mu > 0: G times that mass. Units need only be consistent. dx and dv are changes, not new
 * values, so that the caller can use compensated summation. Both are NaN if x is 0 or an argument is not finite.
 *
 * Elliptic, parabolic and hyperbolic orbits are treated alike with universal variables (Stumpff 1959, Himmelsmechanik
 * I; Battin 1987, An Introduction to the Mathematics and Methods of Astrodynamics, 4.5):
 *     G_k(X) = X^k c_k(beta X^2),  c_k(z) = sum_j (-z)^j / (k + 2j)!,  beta = 2 mu / r - v^2,
 *     dt = r X + (x . v) G_2 + (mu - beta r) G_3,
 * where r = |x|. The right side of the last equation increases with X, because its derivative with respect to X is the
 * distance from the fixed mass after the time dt. Therefore Newton's method with bisection always converges. */
void nb_kepler_advance(double mu, double dt, const double x[3], const double v[3], double dx[3], double dv[3]);

/* Returns whether the distance from the fixed mass is r or less at any time between 0 and dt. r must be positive, dt
 * may be negative. Sets *t to the first such time, which is 0 if the distance is r or less at the beginning. For mu, x
 * and v see nb_kepler_advance. */
bool nb_kepler_comes_near(double mu, double dt, const double x[3], const double v[3], double r, double *t);
