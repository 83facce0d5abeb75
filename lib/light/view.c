#include "light/view.h"

#include <math.h>
#include <stdbool.h>

/* One loop for both projections: with inverse_distance 0 the perspective division is by 1. Called with `single`
 * constant, so that each type of column gets a loop of its own. */
static inline __attribute__((always_inline)) void project(const struct nb_view *view, const void *pos, bool single,
                                                          int count, double *restrict x, double *restrict y,
                                                          float *restrict near)
{
    const struct nb_view k = *view;
    for (int i = 0; i < count; i++) {
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = (single ? (double)((const float *)pos)[3 * i + d] : ((const double *)pos)[3 * i + d]) - k.centre[d];
        double u = k.right[0] * p[0] + k.right[1] * p[1] + k.right[2] * p[2];
        double v = k.up[0] * p[0] + k.up[1] * p[1] + k.up[2] * p[2];
        double w = k.back[0] * p[0] + k.back[1] * p[1] + k.back[2] * p[2];
        double depth = 1 - w * k.inverse_distance;
        double larger = depth > NB_VIEW_NEAREST ? 1 / depth : NAN;
        x[i] = k.middle_x + k.scale * larger * u;
        y[i] = k.middle_y - k.scale * larger * v;
        if (near)
            near[i] = (float)larger;
    }
}

void nb_view_project(const struct nb_view *view, const struct nb_column *pos, uint64_t i0, int count, double *x,
                     double *y, float *near)
{
    if (pos->type == NB_F32)
        project(view, (const float *)pos->data + 3 * i0, true, count, x, y, near);
    else
        project(view, (const double *)pos->data + 3 * i0, false, count, x, y, near);
}
