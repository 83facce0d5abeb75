/* land.h - where one body lands: inlined into the loops of both rows. */
#ifndef NB_LAND_H
#define NB_LAND_H

#include "light/footprint.h"
#include "light/view.h"

/* As nb_view_project, of the point p; gives how much larger it looks. One formula for both projections: with
 * inverse_distance 0 the perspective division is by 1. */
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

#endif
