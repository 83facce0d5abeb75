/* Sets the camera of each pane at a given moment: centre, extent, path, orbit and zoom. */
#include "nbrender/nbrender.h"

#include "scene/scene.h"

struct aim {
    const struct view_options *options;
    struct path *path; /* NULL: no keyframes */
    double centre[3];  /* centre of the picture; with --follow and keyframes: origin of the keyframes' coordinates */
    double extent;     /* half the picture's width, length units */
    double delayed;    /* extent after the first of two smoothing filters in aim_adapt; `extent` is after the second */
    const struct curve *extents;
    double first_scale; /* pixels per length unit in the main pane at the first frame */
};

struct aim *aim_create(const struct render_options *o, const struct curve *extents)
{
    struct aim *a = claimed(calloc(1, sizeof *a), "no memory");
    a->options = &o->view;
    a->extents = extents;
    a->path = o->view.camera ? path_read(o->view.camera) : NULL;
    return a;
}

void aim_destroy(struct aim *a)
{
    path_free(a->path);
    free(a);
}

bool aim_moves(const struct aim *a)
{
    return (a->path && path_moves(a->path)) || a->options->extent_adapts;
}

/* Returns the angle of view of a pane in degrees. For --projection dome and 360, the angle only sets the distance of
 * the camera from the centre, which is extent / tan(angle / 2). With the angle 2 atan(2), this distance is half the
 * extent. The camera is then inside the system, with bodies on all sides. */
static double fov_of(const struct aim *a, const struct pane *pane)
{
    return pane->place.fixed                         ? 0
           : pane->place.projection != NB_VIEW_PLANE ? 2 * atan(2) * (180 / M_PI)
                                                     : a->options->fov_deg;
}

static struct framing_frame frame_of(const struct aim *a, const struct pane *pane, bool known)
{
    const struct layout_pane *place = &pane->place;
    const bool turning = !place->fixed && (a->options->spin_deg != 0 || a->options->orbit != 0);
    if (place->projection != NB_VIEW_PLANE)
        return (struct framing_frame){1, 0, turning, known};
    return (struct framing_frame){(double)place->width / place->height, tan(fov_of(a, pane) * M_PI / 360), turning,
                                  known};
}

/* ---- first frame ---- */

/* Returns the extent with which every pane shows the box in the frame's header or, if there is no box, the bodies. Call
 * it after the axes of the views are set. known: the extent of each frame is known, so no margin for a later expansion
 * is added. */
static double extent_of_all(const struct aim *a, const struct panes *p, const struct nb_bodies *b, bool known)
{
    struct nb_scene scene;
    double extent = 0;
    must(nb_scene_read(&b->meta, &scene));
    for (int k = 0; k < p->count; k++) {
        const struct pane *pane = &p->pane[k];
        const struct framing_frame frame = frame_of(a, pane, known);
        extent = fmax(extent, scene.boxed ? framing_extent_of_region(scene.low, scene.high, &pane->view, frame)
                                          : framing_extent(b, &pane->view, frame));
    }
    nb_scene_free(&scene);
    return extent;
}

static void find_centre(struct aim *a, const struct nb_bodies *b)
{
    const struct view_options *o = a->options;
    for (int d = 0; d < 3; d++)
        a->centre[d] = o->center[d];
    if (isnan(o->center[0]) && focus_find(o->follow ? &o->followed : &o->focus, b, a->centre))
        die("--%s: %s", o->follow ? "follow" : "center", nb_error());
}

/* ---- any moment ---- */

static double film_share(const struct view_options *o, double frame)
{
    return o->last_frame > 0 ? frame / (double)o->last_frame : 0;
}

static void set_view(const struct aim *a, struct pane *pane, const struct moment *now)
{
    const struct view_options *o = a->options;
    const struct layout_pane *place = &pane->place;
    double zoom = pow(o->zoom, film_share(o, now->frame));
    if (a->path && !place->fixed) {
        struct pose pose = path_at(a->path, now->bodies->meta.time);
        static const double origin[3];
        camera_stand(&pane->view, place->width, place->height, &pose, o->follow ? a->centre : origin);
    } else {
        double turned = o->spin_deg * now->frame + 360 * o->orbit * film_share(o, now->frame);
        for (int d = 0; d < 3; d++)
            pane->view.centre[d] = a->centre[d];
        if (place->fixed)
            camera_turn(&pane->view, place->azimuth_deg, place->elevation_deg);
        else
            camera_turn(&pane->view, o->azimuth_deg + turned, o->elevation_deg);
        camera_zoom(&pane->view, place->width, place->height, a->extent / zoom, fov_of(a, pane));
    }
    camera_look_round(&pane->view, place);
    if (place->eye)
        camera_step_aside(&pane->view, 0.5 * place->eye * o->stereo_base);
}

static bool is_known(const struct aim *a)
{
    return a->extents->count > 0;
}

static void set_views(struct aim *a, struct panes *p, const struct moment *now)
{
    if (a->options->extent_adapts && is_known(a))
        a->extent = curve_at(a->extents, now->frame);
    for (int k = 0; k < p->count; k++)
        set_view(a, &p->pane[k], now);
}

void aim_first(struct aim *a, struct panes *p, const struct nb_bodies *b)
{
    const struct moment first = {.bodies = b};
    find_centre(a, b);
    a->extent = 1;
    set_views(a, p, &first);
    if (a->options->extent > 0)
        a->extent = a->options->extent;
    else if (is_known(a))
        a->extent = curve_median(a->extents);
    else
        a->extent = extent_of_all(a, p, b, a->options->extent_adapts);
    a->delayed = a->extent;
    set_views(a, p, &first);
    a->first_scale = p->main->view.scale;
}

double aim_extent(struct aim *a, struct panes *p, const struct moment *now)
{
    aim_at(a, p, now);
    return extent_of_all(a, p, now->bodies, true);
}

static void approach(double *value, double to, double share)
{
    *value *= pow(to / *value, share);
}

void aim_adapt(struct aim *a, struct panes *p, const struct moment *now, double share)
{
    if (!a->options->extent_adapts || is_known(a) || now->bodies->n == 0)
        return;
    approach(&a->delayed, aim_extent(a, p, now), share);
    approach(&a->extent, a->delayed, share);
}

void aim_at(struct aim *a, struct panes *p, const struct moment *now)
{
    if (a->options->follow && focus_find(&a->options->followed, now->bodies, a->centre))
        die("--follow: %s", nb_error());
    set_views(a, p, now);
    for (int k = 0; k < p->count; k++)
        p->pane[k].brightness = pow(p->pane[k].view.scale / a->first_scale, 2);
}
