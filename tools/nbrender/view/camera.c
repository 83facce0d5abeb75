/* Axes, scale and distance of a camera. */
#include "nbrender/view/view.h"

static double radians(double deg)
{
    return fmod(deg, 360) * (M_PI / 180);
}

void camera_turn(struct nb_view *c, double azimuth_deg, double elevation_deg)
{
    double sin_a = sin(radians(azimuth_deg)), cos_a = cos(radians(azimuth_deg));
    double sin_e = sin(radians(elevation_deg)), cos_e = cos(radians(elevation_deg));
    c->right[0] = -sin_a, c->right[1] = cos_a, c->right[2] = 0;
    c->up[0] = -sin_e * cos_a, c->up[1] = -sin_e * sin_a, c->up[2] = cos_e;
    c->back[0] = cos_e * cos_a, c->back[1] = cos_e * sin_a, c->back[2] = sin_e;
}

void camera_zoom(struct nb_view *c, int width, int height, double extent, double fov_deg)
{
    c->projection = NB_VIEW_PLANE;
    c->scale = 0.5 * width / extent;
    c->inverse_distance = fov_deg > 0 ? tan(radians(fov_deg) / 2) / extent : 0;
    c->middle_x = 0.5 * width;
    c->middle_y = 0.5 * height;
}

/* Scales the vector a[] to length 1. Returns false if its length is zero or not finite. */
static bool norm(double a[3])
{
    double length = vector_length(a);
    for (int d = 0; d < 3; d++)
        a[d] /= length;
    return length > 0 && isfinite(length);
}

void camera_stand(struct nb_view *c, int width, int height, const struct pose *pose, const double origin[3])
{
    double distance, unit[3] = {0};
    int least = 0;
    for (int d = 0; d < 3; d++) {
        c->back[d] = pose->position[d] - pose->target[d];
        c->centre[d] = origin[d] + pose->target[d];
    }
    distance = vector_length(c->back);
    if (!norm(c->back)) { /* between two keyframes the camera may be exactly at its target, so there is no direction */
        c->back[0] = c->back[1] = 0, c->back[2] = 1;
        distance = 1;
    }
    vector_cross(pose->up, c->back, c->right);
    for (int d = 1; d < 3; d++)
        least = fabs(c->back[d]) < fabs(c->back[least]) ? d : least;
    unit[least] = 1;
    if (!norm(c->right)) { /* `up` is parallel to the line of sight: use any other direction */
        vector_cross(unit, c->back, c->right);
        norm(c->right);
    }
    vector_cross(c->back, c->right, c->up);
    camera_zoom(c, width, height, distance * tan(radians(pose->fov_deg) / 2), pose->fov_deg);
}

void camera_look_round(struct nb_view *c, const struct layout_pane *place)
{
    if (place->projection == NB_VIEW_PLANE)
        return;
    c->projection = place->projection;
    const double distance = 1 / c->inverse_distance, pole = place->pole;
    c->scale = place->radian * c->inverse_distance;
    for (int d = 0; d < 3 && place->pole; d++) {
        const double up = c->up[d], back = c->back[d];
        c->centre[d] += distance * (back + pole * up); /* moves the centre so that the camera keeps its position */
        c->up[d] = pole * back;
        c->back[d] = -pole * up;
    }
}

void camera_step_aside(struct nb_view *c, double aside)
{
    double step = aside / c->inverse_distance;
    for (int d = 0; d < 3; d++)
        c->centre[d] += step * c->right[d];
    c->middle_x += step * c->scale;
}
