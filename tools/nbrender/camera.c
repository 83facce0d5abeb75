#include "camera.h"

#include <math.h>
#include <stdbool.h>

static double radians(double deg)
{
    return fmod(deg, 360) * (M_PI / 180);
}

void camera_turn(struct camera *c, double azimuth_deg, double elevation_deg)
{
    double sin_a = sin(radians(azimuth_deg)), cos_a = cos(radians(azimuth_deg));
    double sin_e = sin(radians(elevation_deg)), cos_e = cos(radians(elevation_deg));
    c->right[0] = -sin_a, c->right[1] = cos_a, c->right[2] = 0;
    c->up[0] = -sin_e * cos_a, c->up[1] = -sin_e * sin_a, c->up[2] = cos_e;
    c->back[0] = cos_e * cos_a, c->back[1] = cos_e * sin_a, c->back[2] = sin_e;
}

void camera_zoom(struct camera *c, int width, int height, double extent, double fov_deg)
{
    c->scale = 0.5 * width / extent;
    c->inverse_distance = fov_deg > 0 ? tan(radians(fov_deg) / 2) / extent : 0;
    c->middle_x = 0.5 * width;
    c->middle_y = 0.5 * height;
}

/* A body nearer to the camera than this share of the camera's distance is as good as behind it. */
#define NEAREST 0.01

/* One loop for both projections: with inverse_distance 0 the perspective division is by 1. Called with `single`
 * constant, so that each type of column gets a loop of its own. */
static inline __attribute__((always_inline)) void project(const struct camera *c, const void *pos, bool single,
                                                          int count, double *restrict x, double *restrict y)
{
    const struct camera k = *c;
    for (int i = 0; i < count; i++) {
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = (single ? (double)((const float *)pos)[3 * i + d] : ((const double *)pos)[3 * i + d]) - k.centre[d];
        double u = k.right[0] * p[0] + k.right[1] * p[1] + k.right[2] * p[2];
        double v = k.up[0] * p[0] + k.up[1] * p[1] + k.up[2] * p[2];
        double w = k.back[0] * p[0] + k.back[1] * p[1] + k.back[2] * p[2];
        double depth = 1 - w * k.inverse_distance;
        double scale = k.scale / depth;
        scale = depth > NEAREST ? scale : NAN;
        x[i] = k.middle_x + scale * u;
        y[i] = k.middle_y - scale * v;
    }
}

void camera_project(const struct camera *c, const struct nb_column *pos, uint64_t i0, int count, double *x, double *y)
{
    if (pos->type == NB_F32)
        project(c, (const float *)pos->data + 3 * i0, true, count, x, y);
    else
        project(c, (const double *)pos->data + 3 * i0, false, count, x, y);
}
