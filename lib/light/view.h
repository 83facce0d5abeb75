/* view.h - computes where bodies appear in the picture.
 *
 * Pixel coordinates: x to the right, y downwards. (0, 0) is the upper left corner of the upper left pixel, whose middle
 * is (0.5, 0.5). The centre of the view appears at (middle_x, middle_y). */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"
#include "light/both.h"

#include <math.h>

NB_C_BEGIN

/* Projections. A projection maps each direction of view to a place in the picture. */
enum nb_projection {
    NB_VIEW_PLANE,   /* perspective, or orthographic */
    NB_VIEW_FISHEYE, /* equidistant: distance from the middle is proportional to the angle from the line of sight */
    NB_VIEW_BAND,    /* equirectangular: azimuth to the right, elevation upwards */
};

/* Camera and projection. */
struct nb_view {
    double centre[3];                /* point in the middle of the view */
    double right[3], up[3], back[3]; /* unit vectors: right and up in the picture, and from the centre to the camera */
    double scale;                    /* pixels per length unit at the centre (for lengths parallel to the picture) */
    double inverse_distance;         /* 1 / distance of the camera from the centre; 0: orthographic */
    double middle_x, middle_y;
    /* NB_VIEW_FISHEYE and NB_VIEW_BAND need inverse_distance > 0. In the middle of their pictures, an angle of one
     * radian is scale / inverse_distance pixels long. nb_view_land() supports only NB_VIEW_PLANE. */
    enum nb_projection projection;
};

/* Minimum (distance of a body from the camera) / (distance of the camera from the centre). Closer bodies are not
 * drawn. */
#define NB_VIEW_NEAREST 0.01
/* Bodies beyond these angles (in degrees) are not drawn: angle from the line of sight for a fisheye, elevation above or
 * below the middle for a band. */
#define NB_VIEW_FISHEYE_MOST 105
#define NB_VIEW_BAND_MOST    75

/* Projects bodies [i0, i0 + count) of a column of positions (f32 or f64). Writes x[k], y[k] in pixels and near[k], the
 * factor by which a body appears larger than in the plane through the centre. All are NAN for bodies that are not
 * visible. `near` may be NULL.
 *
 * For fisheye and band, near = f1 * f2. f1 = (distance of the centre from the camera) / (distance of the body from the
 * camera). f2^2 = (area in the picture of a small solid angle around the body) / (area of an equal solid angle in the
 * middle of the picture). The light of a body is multiplied by near^2, so that surface brightness is correct. */
void nb_view_project(const struct nb_view *view, const struct nb_column *pos, uint64_t i0, int count, double *x,
                     double *y, float *near);

/* Projects the point (px, py, pz) to (*x, *y) as nb_view_project does for NB_VIEW_PLANE. Returns `near`, the factor by
 * which a body at this point appears larger than in the plane through the centre. Returns NAN if the point is too near
 * to the camera. In an orthographic view (inverse_distance = 0) `near` is 1. */
NB_BOTH double nb_view_land(const struct nb_view *view, double px, double py, double pz, double *x, double *y)
{
    double p[3] = {px - view->centre[0], py - view->centre[1], pz - view->centre[2]};
    double u = view->right[0] * p[0] + view->right[1] * p[1] + view->right[2] * p[2];
    double v = view->up[0] * p[0] + view->up[1] * p[1] + view->up[2] * p[2];
    double w = view->back[0] * p[0] + view->back[1] * p[1] + view->back[2] * p[2];
    double depth = 1 - w * view->inverse_distance;
    double larger = depth > NB_VIEW_NEAREST ? 1 / depth : NAN;
    *x = view->middle_x + view->scale * larger * u;
    *y = view->middle_y - view->scale * larger * v;
    return larger;
}

NB_C_END
