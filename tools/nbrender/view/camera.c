#include "nbrender/view/camera.h"

#include <math.h>

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
    c->scale = 0.5 * width / extent;
    c->inverse_distance = fov_deg > 0 ? tan(radians(fov_deg) / 2) / extent : 0;
    c->middle_x = 0.5 * width;
    c->middle_y = 0.5 * height;
}
