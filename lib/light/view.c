/* view.c - projects positions of bodies into the picture. The projection can be perspective, orthographic, a fisheye or
 * a band. Declared in view.h. */
#include "light/view.h"

#include <stdbool.h>

/* Projects the point p for a fisheye or a band: sets *x and *y, and returns `near`, as nb_view_land() does for other
 * projections. All are NAN if the point is not visible. */
static double land_on_sphere(const struct nb_view *view, const double p[3], double *x, double *y)
{
    const double distance = 1 / view->inverse_distance, radian = view->scale * distance;
    double u = 0, v = 0, w = -distance;
    for (int d = 0; d < 3; d++) {
        u += view->right[d] * (p[d] - view->centre[d]);
        v += view->up[d] * (p[d] - view->centre[d]);
        w += view->back[d] * (p[d] - view->centre[d]);
    }
    const bool is_band = view->projection == NB_VIEW_BAND;
    const double aside = is_band ? hypot(u, w) : hypot(u, v), away = hypot(aside, is_band ? v : w);
    const double angle = is_band ? atan2(v, aside) : atan2(aside, -w);
    const double most = (is_band ? NB_VIEW_BAND_MOST : NB_VIEW_FISHEYE_MOST) * (M_PI / 180);
    const double wider = is_band ? away / aside : aside > 0 ? angle * away / aside : 1;
    const double larger =
        fabs(angle) <= most && away > NB_VIEW_NEAREST * distance ? sqrt(wider) * distance / away : NAN;
    const double across = is_band ? atan2(u, -w) : aside > 0 ? angle * u / aside : 0;
    const double upwards = is_band ? angle : aside > 0 ? angle * v / aside : 0;
    *x = larger > 0 ? view->middle_x + radian * across : NAN;
    *y = larger > 0 ? view->middle_y - radian * upwards : NAN;
    return larger;
}

/* Callers pass constants for `single` and `plane`, so that the compiler makes a separate loop for each case. */
static inline __attribute__((always_inline)) void project(const struct nb_view *view, const void *pos, bool single,
                                                          bool plane, int count, double *restrict x, double *restrict y,
                                                          float *restrict near)
{
    const struct nb_view k = *view;
    for (int i = 0; i < count; i++) {
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = single ? (double)((const float *)pos)[3 * i + d] : ((const double *)pos)[3 * i + d];
        double larger = plane ? nb_view_land(&k, p[0], p[1], p[2], &x[i], &y[i]) : land_on_sphere(&k, p, &x[i], &y[i]);
        if (near)
            near[i] = (float)larger;
    }
}

void nb_view_project(const struct nb_view *view, const struct nb_column *pos, uint64_t i0, int count, double *x,
                     double *y, float *near)
{
    const bool single = pos->type == NB_F32;
    const void *from = (const char *)pos->data + 3 * i0 * nb_type_size(pos->type);
    if (view->projection != NB_VIEW_PLANE)
        project(view, from, single, false, count, x, y, near);
    else if (single)
        project(view, from, true, true, count, x, y, near);
    else
        project(view, from, false, true, count, x, y, near);
}
