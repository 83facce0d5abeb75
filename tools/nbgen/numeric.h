/* numeric.h - splines and differential equations for models, with the GNU Scientific Library. If nbgen was built
 * without this library (make GSL=0, or it was not found), numeric_demand() dies with a message.
 *
 * Failures (no convergence, no memory) end the tool with one line that names the model. */
#pragma once

#include <stddef.h>

/* Must be called first by a model that needs these functions. Dies (exit 1) if nbgen was built without GSL. */
void numeric_demand(const char *model);

typedef double numeric_function(double x, const void *context);

/* A cubic spline through n >= 5 points with ascending x (Steffen 1990: monotone between the points, no overshoot).
 * numeric_spline_make copies the points. Outside [x[0], x[n - 1]] the spline has the value of the first or the last
 * point. Any number of threads may read a spline. */
struct numeric_spline;
struct numeric_spline *numeric_spline_make(const double *x, const double *y, size_t n);
double numeric_spline_value(const struct numeric_spline *s, double x);
double numeric_spline_slope(const struct numeric_spline *s, double x);
double numeric_spline_integral(const struct numeric_spline *s, double a, double b);
void numeric_spline_free(struct numeric_spline *s); /* NULL is allowed */

/* Integrates the system dy/dx = f from x to `end`, with relative and absolute error `tolerance` (Prince & Dormand
 * 8(9)). Replaces the `size` values y[] at x by the values at `end`. */
typedef void numeric_slopes(double x, const double *y, double *slopes, const void *context);
void numeric_solve(numeric_slopes *f, const void *context, size_t size, double x, double end, double *y,
                   double tolerance);
