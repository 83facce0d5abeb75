/* plane.h - the field of all bodies, and of external fields, on the plane through the centre that is parallel to the
 * picture: at the middles of its pixels as they are in an orthographic view.
 *
 * The forces are the rows of force/force.h, with points as targets. A device of its own computes every pixel. On a CPU
 * the bodies' part is computed at the nodes of a grid of 2, 4 or 8 pixels, whichever is the least work, and a bicubic
 * spline goes between; what bodies near the plane add on a smaller scale is treated apart (near.h). External fields are
 * computed at every pixel. */
#ifndef NBRENDER_PLANE_H
#define NBRENDER_PLANE_H

#include "common/tool_forces.h"
#include "light/view.h"

enum plane_what {
    PLANE_POTENTIAL,   /* L^2/T^2 */
    PLANE_ACCELERATION /* its magnitude, L/T^2 */
};

/* A tree's theta where none is given: a potential is then within 1e-5 of the direct sum's for many bodies, 4e-5 for a
 * thousand. */
#define PLANE_THETA "0.4"

struct plane {
    struct nb_device *device; /* the caller's */
    const struct tool_forces *forces;
    double softening; /* NAN: the input's */
    enum plane_what what;
};

/* Computes value[y * width + x]. Where a point is at an unsoftened body it is infinite or not a number. -1 after
 * nb_fail. Dies where forces are asked for that cannot be. */
int plane_compute(const struct plane *p, const struct nb_bodies *b, const struct nb_view *view, int width, int height,
                  float *value);

#endif
