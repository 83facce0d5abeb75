/* view.h - where a body lands in the picture.
 *
 * Pixel coordinates: x to the right, y down, (0, 0) the upper left corner of the upper left pixel, whose middle is
 * (0.5, 0.5). The centre looked at lands on (middle_x, middle_y). */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"
#include "light/both.h"

#include <math.h>

NB_C_BEGIN

/* How directions from the camera become places of the picture. */
enum nb_projection {
    NB_VIEW_PLANE,   /* perspective, or orthographic */
    NB_VIEW_FISHEYE, /* equidistant: as far from the middle as the angle from the line of sight is large */
    NB_VIEW_BAND,    /* equirectangular: the azimuth to the right, the elevation upwards */
};

struct nb_view {
    double centre[3];                /* looked at */
    double right[3], up[3], back[3]; /* unit vectors: of the picture, and from the centre to the camera */
    double scale;                    /* pixels per length unit, in the plane through the centre */
    double inverse_distance;         /* 1 / distance of the camera from the centre; 0: orthographic */
    double middle_x, middle_y;
    /* Other than NB_VIEW_PLANE: of a perspective, with scale / inverse_distance pixels a radian in the middle. Only
     * nb_view_project serves these; what is drawn on a device has a plane. */
    enum nb_projection projection;
};

/* A body nearer to the camera than this share of the camera's distance is as good as behind it. */
#define NB_VIEW_NEAREST 0.01
/* Angles in degrees beyond which nothing is seen: from the line of sight, and above or below the band's middle. */
#define NB_VIEW_FISHEYE_MOST 105
#define NB_VIEW_BAND_MOST    75

/* Lands bodies [i0, i0 + count) of a pos column (f32 or f64): x[k], y[k] in pixels, and by which factor each looks
 * larger than in the plane through the centre. Those behind the camera get NAN. `near` may be NULL. Of a fisheye and a
 * band that is by its distance, times the square root of how much larger a solid angle is there than in the middle: so
 * an area is as large as it should be, and light spread over it as bright. */
void nb_view_project(const struct nb_view *view, const struct nb_column *pos, uint64_t i0, int count, double *x,
                     double *y, float *near);

/* As nb_view_project with a plane, of the point p; gives how much larger it looks. One formula for both projections:
 * with inverse_distance 0 the perspective division is by 1. */
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
