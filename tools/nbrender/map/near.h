/* near.h - what bodies near the plane of a map contribute on a scale that a coarse grid does not resolve.
 *
 * A body's 1/r is divided at a reach R into a smooth part and a short one that is 0 from R on. Within, with s the
 * squared distance and the squared softening, the smooth part is the Taylor polynomial of s^(-1/2) (accelerations:
 * s^(-3/2)) about R^2 of order 4, so it has no bump narrower than R. The short parts are taken out of the field on a
 * grid, which is interpolated, and are added again where the field is wanted. So the interpolation's error is that
 * of a grid whose steps are R / 8, however close a body is. */
#ifndef NBRENDER_NEAR_H
#define NBRENDER_NEAR_H

#include "light/view.h"

/* Steps of the grid in R, for potentials and for accelerations. Of a point mass alone a cubic spline is then off by at
 * most 5e-5 of its potential and 2e-4 of its acceleration, anywhere; of many bodies by less. */
#define NEAR_STEPS_POTENTIAL    8
#define NEAR_STEPS_ACCELERATION 10

struct near_body { /* lengths in pixels; y down, z towards the camera */
    double x, y, z;
    double s;  /* z^2 + softening^2 */
    double gm; /* the factor of its 1/r or d/r^3 */
};

struct near {
    double reach;           /* R, pixels */
    uint64_t count;         /* in the order of y */
    struct near_body *body; /* owned */
};

struct near_frame { /* where they are looked for: a rectangle of the plane */
    const struct nb_view *view;
    double x0, y0, x1, y1; /* pixels */
    double softening;      /* length units */
};

/* How many bodies are within that reach of the rectangle. */
uint64_t near_count(const struct nb_bodies *b, const struct near_frame *f, double reach);
/* Finds them; `factor` times the mass is gm. -1: no memory. Free with near_free. */
int near_find(struct near *n, const struct nb_bodies *b, const struct near_frame *f, double reach, double factor);
void near_free(struct near *n);

/* Adds the short parts at points (x0 + i step, y), i = 0 .. count - 1: of -gm/r to phi; of gm d/r^3, d from the point
 * to the body, to a[0], a[1], a[2] along x, y, z. */
void near_add_potential(const struct near *n, double x0, double y, double step, int count, double *phi);
void near_add_acceleration(const struct near *n, double x0, double y, double step, int count, double *const a[3]);

#endif
