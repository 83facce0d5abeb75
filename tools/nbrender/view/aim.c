#include "nbrender/view/aim.h"

#include "nbrender/view/camera.h"
#include "nbrender/view/framing.h"

#include <math.h>

static double fov_of(const struct pane *pane, const struct view_options *o)
{
    return pane->place.fixed ? 0 : o->fov_deg;
}

/* So that what matters is in every pane. */
static double extent_of_all(const struct panes *p, const struct view_options *o, const struct nb_bodies *b)
{
    double extent = 0;
    for (int k = 0; k < p->count; k++) {
        const struct pane *pane = &p->pane[k];
        struct framing_frame frame = {(double)pane->place.width / pane->place.height, tan(fov_of(pane, o) * M_PI / 360),
                                      !pane->place.fixed && o->spin_deg != 0};
        extent = fmax(extent, framing_extent(b, &pane->view, frame));
    }
    return extent;
}

void aim_first(struct panes *p, const struct render_options *o, const struct nb_bodies *b)
{
    const struct view_options *view = &o->view;
    double centre[3] = {view->center[0], view->center[1], view->center[2]};
    if (isnan(centre[0]) && framing_centre(b, centre))
        die("%s (--center X,Y,Z)", nb_error());
    for (int k = 0; k < p->count; k++)
        for (int d = 0; d < 3; d++)
            p->pane[k].view.centre[d] = centre[d];
    aim_turn(p, view, 0);
    double extent = view->extent > 0 ? view->extent : extent_of_all(p, view, b);
    for (int k = 0; k < p->count; k++) {
        struct pane *pane = &p->pane[k];
        camera_zoom(&pane->view, pane->place.width, pane->place.height, extent, fov_of(pane, view));
    }
}

void aim_turn(struct panes *p, const struct view_options *o, double frame)
{
    for (int k = 0; k < p->count; k++) {
        struct pane *pane = &p->pane[k];
        if (pane->place.fixed)
            camera_turn(&pane->view, pane->place.azimuth_deg, pane->place.elevation_deg);
        else
            camera_turn(&pane->view, o->azimuth_deg + o->spin_deg * frame, o->elevation_deg);
    }
}
