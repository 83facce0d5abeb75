/* camera.h - where a body lands in the picture.
 *
 * Pixel coordinates: x to the right, y down, (0, 0) the upper left corner of the upper left pixel, whose middle is
 * (0.5, 0.5). The centre looked at lands in the middle of the picture, (width/2, height/2). */
#ifndef NBRENDER_CAMERA_H
#define NBRENDER_CAMERA_H

#include "bodies.h"

struct camera {
    double centre[3];                /* looked at */
    double right[3], up[3], back[3]; /* unit vectors: of the picture, and from the centre to the camera */
    double scale;                    /* pixels per length unit, in the plane through the centre */
    double inverse_distance;         /* 1 / distance of the camera from the centre; 0: orthographic */
    double middle_x, middle_y;
};

/* Points the camera's axes: it stands in direction (azimuth, elevation) as seen from the centre, the z axis upward in
 * the picture. Elevation 90 with azimuth -90 looks down the z axis, x to the right and y up. */
void camera_turn(struct camera *c, double azimuth_deg, double elevation_deg);
/* Sets the scale so that half the picture's width shows `extent` at the centre, and the distance that this takes with
 * an angle of view of fov_deg (0: orthographic). */
void camera_zoom(struct camera *c, int width, int height, double extent, double fov_deg);

/* Lands bodies [i0, i0 + count) of a pos column: x[k], y[k] in pixels; NAN for those behind the camera. */
void camera_project(const struct camera *c, const struct nb_column *pos, uint64_t i0, int count, double *x, double *y);

#endif
