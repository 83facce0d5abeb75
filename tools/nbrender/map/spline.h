/* spline.h - bicubic splines through values on a grid, evaluated at the middles of a picture's pixels. */
#ifndef NBRENDER_SPLINE_H
#define NBRENDER_SPLINE_H

#include <stddef.h>

/* Node (i, j) stands at pixel coordinates (x0 + i step, y0 + j step); its value is v[j * columns + i]. */
struct spline_grid {
    int columns, rows; /* SPLINE_LEAST at least */
    double x0, y0, step;
};
#define SPLINE_LEAST 4

/* Makes the values coefficients of cubic B-splines, in place: the natural spline (its second derivative is 0 at the
 * first and the last node), along rows and then along columns. */
void spline_fit(const struct spline_grid *g, double *v);
/* Adds the spline's values at the middles of pixels (0 .. width - 1, y) to out; the pixels are within the grid, one
 * step at least from its border. `work`: room for `columns` numbers. */
void spline_add_row(const struct spline_grid *g, const double *coefficients, int y, int width, double *work,
                    double *out);

#endif
