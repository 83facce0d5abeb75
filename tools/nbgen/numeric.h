/* numeric.h - splines and differential equations for models, by the GNU Scientific Library. Without
 * it (make GSL=0, or where it is not found) numeric_demand() says so; models that need none of this never call it.
 *
 * What fails here (no convergence, no memory) ends the tool with one line that names the model that demanded it. */
#pragma once

#include <stddef.h>

/* To be called first, by a model that needs what follows: dies (exit 1) with a sentence in an nbgen without GSL. */
void numeric_demand(const char *model);

typedef double numeric_function(double x, const void *context);

/* A cubic spline through n >= 5 points with ascending x (Steffen 1990: monotone where the points are, no overshoot).
 * Copies what it needs. Outside of [x[0], x[n - 1]] it is read at the nearer end. Any number of threads may read. */
struct numeric_spline;
struct numeric_spline *numeric_spline_make(const double *x, const double *y, size_t n);
double numeric_spline_value(const struct numeric_spline *s, double x);
double numeric_spline_slope(const struct numeric_spline *s, double x);
double numeric_spline_integral(const struct numeric_spline *s, double a, double b);
void numeric_spline_free(struct numeric_spline *s); /* NULL is allowed */

/* dy/dx = f for `size` values, from x to `end`, with relative and absolute error `tolerance` (Prince & Dormand 8(9));
 * y is overwritten. */
typedef void numeric_slopes(double x, const double *y, double *slopes, const void *context);
void numeric_solve(numeric_slopes *f, const void *context, size_t size, double x, double end, double *y,
                   double tolerance);
