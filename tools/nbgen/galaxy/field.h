/* field.h - the softened pull of a galaxy's round components, and of all of them as if the disks were round. G = 1. */
#ifndef GALAXY_FIELD_H
#define GALAXY_FIELD_H

#include "nbgen/numeric.h"

/* A mass with this pull at r, were it a point: numeric functions of it fit sphere_pull. */
struct field {
    struct numeric_spline *log_mass; /* of log r; NULL: no mass but the point's */
    double point, softening;         /* a mass in the middle */
};

#define FIELD_ROWS 400

/* From the mass within r. Softened as Plummer's kernel softens what shells pull: the mean of the mass within r' over a
 * kernel about r' = r. The table is from `least` to `most`, all mass lies within that; softening may be 0. */
struct field field_make(numeric_function *mass, const void *context, double point, double softening, double least,
                        double most);

/* Of struct field *context, at r > 0: r^2 times the pull. */
double field_mass(double r, const void *context);

#endif
