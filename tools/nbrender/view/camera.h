/* camera.h - the axes and the scale of a view (light/view.h). */
#ifndef NBRENDER_CAMERA_H
#define NBRENDER_CAMERA_H

#include "light/view.h"
#include "nbrender/view/path.h"

/* Points the camera's axes: it stands in direction (azimuth, elevation) as seen from the centre, the z axis upward in
 * the picture. Elevation 90 with azimuth -90 looks down the z axis, x to the right and y up. */
void camera_turn(struct nb_view *c, double azimuth_deg, double elevation_deg);
/* Sets the scale so that half the picture's width shows `extent` at the centre, and the distance that this takes with
 * an angle of view of fov_deg (0: orthographic). */
void camera_zoom(struct nb_view *c, int width, int height, double extent, double fov_deg);
/* All of that, and the centre, of a camera that stands and looks as a pose says, its places counted from `origin`. */
void camera_stand(struct nb_view *c, int width, int height, const struct pose *pose, const double origin[3]);
/* Moves the camera by `aside` of its distance to the right and lets it look past the centre, so that what is in the
 * centre's plane stays where it is in the picture: an eye of a pair. For a perspective. */
void camera_step_aside(struct nb_view *c, double aside);

#endif
