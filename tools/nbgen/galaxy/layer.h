/* layer.h - the pull of an exponential disk with a sech^2 profile across, and tables of what it does. G = 1. */
#ifndef GALAXY_LAYER_H
#define GALAXY_LAYER_H

#include <stddef.h>

/* Surface density mass / (2 pi scale^2) exp(-R / scale), times sech^2(z / height) / (2 height). */
struct layer {
    double mass, scale, height;
};

#define LAYER_HEIGHTS 41 /* of a table */
#define LAYER_BITS    3  /* its rows are octaves.h's of 1 + height */

/* Row k of the heights, in heights of the layer, from 0 to 31: eighths to 1, fourths to 3 and so on. And the row, with
 * a fraction, of a height >= 0; never the last. */
double layer_height(int k);
double layer_row(double height);
/* The share of the layer's mass between rows k and k + 1 of its heights, on both sides. */
double layer_share(int k);
/* The mean over the heights, by mass, of what has these values at them. */
double layer_mean(const double values[LAYER_HEIGHTS]);

/* Inward pull in the plane, softened (Plummer): R times it is the square of the circular speed. */
double layer_pull_plane(const struct layer *source, double softening, double R);

/* The pull of `source` at radii R[0..n) and at the heights of `at`: inward and towards the plane, both are added to.
 * The source has no edge; rows of z by numerical Hankel transforms (Toomre 1963; Binney & Tremaine 2008, 2.6.2), to
 * about 1e-4 of the pull. */
void layer_add_pull(const struct layer *source, const struct layer *at, double softening, size_t n, const double *R,
                    double (*inward)[LAYER_HEIGHTS], double (*across)[LAYER_HEIGHTS]);

#endif
