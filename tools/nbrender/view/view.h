/* view.h - cameras, and the panes of a picture. */
#pragma once

#include "light/light.h"
#include "nbrender/light/light.h"
#include "nbrender/output/output.h"
#include "select/select.h"

struct moment;
struct render_options;

/* ---- layout.c: the rectangles of a picture, and the direction of view of each ---- */

#define LAYOUT_PANES_MAX 5

enum layout_kind {
    LAYOUT_SINGLE,
    LAYOUT_QUAD,
    LAYOUT_STEREO,      /* the views of the left and the right eye, drawn over each other */
    LAYOUT_STEREO_QUAD, /* four panes, with a stereo pair in the place of the perspective pane */
    LAYOUT_DOME,        /* a hemisphere */
    LAYOUT_SPHERE       /* all directions: a band around the horizon and two caps (sphere.c) */
};

enum layout_projection { PROJECTION_FLAT, PROJECTION_DOME, PROJECTION_360 };

struct layout_pane {
    int x, y, width, height;           /* rectangle in the picture, pixels, y down */
    bool fixed;                        /* a fixed orthographic view, whatever the camera options are */
    double azimuth_deg, elevation_deg; /* direction of the camera from the centre; only for a fixed view */
    int eye;                           /* -1: left eye of a stereo pair, 1: right eye; 0: not a stereo pair */
    enum nb_projection projection;
    double radian; /* dome and 360 only: scale of the picture, pixels per radian */
    int pole;      /* 1: pane around the upper pole; -1: pane around the lower pole; 0: other pane */
};

/* Returns whether the layout is a dome or a sphere. */
static inline bool layout_is_round(enum layout_kind kind)
{
    return kind == LAYOUT_DOME || kind == LAYOUT_SPHERE;
}

#define LAYOUT_QUAD_LEAST 16 /* minimum width and height of a picture with four panes, pixels */

/* ---- path.c: the camera as a function of time, from a file of keyframes.
 *
 * A line is a keyframe with eleven numbers separated by white space:
 *
 *   time  position x y z  target x y z  up x y z  fov
 *
 * `#` begins a comment. Empty lines are ignored. Times ascend, or descend for a film that runs backwards. fov is the
 * horizontal angle of view in degrees. Only the component of `up` perpendicular to the line of sight is used. */

struct pose {
    double position[3], target[3];
    double up[3]; /* upward direction, of any length; must not be parallel to the line of sight */
    double fov_deg;
};

struct path;

/* Reads a file of keyframes. Dies with the number of the line if the file is invalid or cannot be read. */
struct path *path_read(const char *file);
void path_free(struct path *p); /* p may be NULL */

/* Returns whether the camera's target, or the width that the picture shows at the target, changes along the path.
 * Compares each keyframe with the first. Ignores changes of the width by up to 1 %. Ignores changes of a coordinate of
 * the target by up to 0.5 % of the width at the first keyframe. */
bool path_moves(const struct path *p);
/* Returns the camera's pose (position, target, ...) at a time. Between keyframes, each number of the pose is a cubic
 * function of time (Catmull and Rom 1974, generalised to keyframes at unequal times). The slope of this function at a
 * keyframe is the slope of the parabola through this keyframe, the previous and the next keyframe. But the slope is 0
 * at the first and the last keyframe, and at a keyframe with the same pose as the previous or the next keyframe. Before
 * the first and after the last keyframe the pose is constant. */
struct pose path_at(const struct path *p, double time);

/* ---- camera.c: axes and scale of a view (light/view.h) ---- */

/* Sets the axes. The camera is in direction (azimuth, elevation) from the centre, and the z axis points up in the
 * picture. Elevation 90 with azimuth -90 looks down the z axis, with x to the right and y up. */
void camera_turn(struct nb_view *c, double azimuth_deg, double elevation_deg);
/* Sets the scale so that half the picture's width is `extent` length units at the depth of the centre. Sets the
 * distance of the camera from the centre so that the angle of view is fov_deg (0: orthographic). width and height are
 * in pixels. */
void camera_zoom(struct nb_view *c, int width, int height, double extent, double fov_deg);
/* Sets axes, scale, distance and centre from a pose. The pose's coordinates are relative to `origin`. */
void camera_stand(struct nb_view *c, int width, int height, const struct pose *pose, const double origin[3]);
/* Changes a perspective view to the projection of the pane (dome or 360). Objects at the centre keep their size in the
 * picture. The camera keeps its position, and its direction if place->pole is 0. If place->pole is 1 or -1, turns the
 * camera by 90 degrees upwards or downwards. Does nothing for a plane projection. */
void camera_look_round(struct nb_view *c, const struct layout_pane *place);
/* Moves the camera to the right for one eye of a stereo pair. The shift is `aside` times the distance between camera
 * and centre. The picture is shifted so that points at the depth of the centre keep their position. The view must have
 * perspective. */
void camera_step_aside(struct nb_view *c, double aside);

/* ---- focus.c: the point in the middle of the picture ---- */

enum focus_kind { FOCUS_AUTO, FOCUS_COM, FOCUS_DENSEST, FOCUS_BODY, FOCUS_GROUP };

struct focus {
    /* FOCUS_AUTO: the middle of the box, if the frame's header has a box, otherwise the centre of mass */
    enum focus_kind kind;
    uint64_t id;             /* id of the body for FOCUS_BODY */
    struct nb_select *group; /* for FOCUS_GROUP: the bodies whose centre of mass is the focus */
};

/* Parses "com", "densest", the id of a body, or a condition (select/select.h). Returns 0, or -1 after nb_fail if the
 * text is none of these. */
int focus_parse(struct focus *f, const char *text);
void focus_free(struct focus *f); /* frees f->group */

/* Finds the focus in a frame. On input, `centre` is the focus in the previous frame, or NAN. On output, `centre` is the
 * focus in this frame. If the body or the group is not in the frame, `centre` does not change. Returns 0, or -1 after
 * nb_fail, for example if `centre` is still NAN. */
int focus_find(const struct focus *f, const struct nb_bodies *b, double centre[3]);

/* ---- densest.c: the density centre of a system, such as a core or a nucleus ---- */

/* Finds the density centre in two stages:
 * - A sphere shrinks until it contains 1 % of the bodies, or 64 bodies if that is more. After each step the sphere is
 *   moved to the centre of mass of the bodies inside (Power et al. 2003, MNRAS 338, 14).
 * - The centre moves to the nearest maximum of the smoothed density. The smoothing length is the radius of the last
 *   sphere. The purpose of this stage: the maximum moves smoothly from frame to frame.
 *
 * Only a sample of the bodies is used in large systems. On entry, `centre` is NAN or the result of an earlier frame. If
 * it is NAN, the first sphere contains all bodies. Otherwise the first sphere contains the quarter of the bodies that
 * is closest to `centre`, so that the same nucleus is followed in each frame. Returns 0, or -1 after nb_fail if the
 * result is not finite or there is no memory. */
int densest_find(const struct nb_bodies *b, double centre[3]);

/* ---- framing.c: the region of space that the pictures show ---- */

/* Computes the centre of mass of the bodies with mask[i] != 0, or of all bodies if mask is NULL. If all masses are 0,
 * computes the mean position. Returns 0, or -1 after nb_fail if the result is not finite. Dies if there is no memory.
 */
int framing_centre(const struct nb_bodies *b, const unsigned char *mask, double centre[3]);

struct framing_frame {
    double aspect;       /* width / height of the picture */
    double tan_half_fov; /* tangent of half the horizontal angle of view; 0: orthographic */
    bool turning;        /* the camera's azimuth changes from frame to frame */
    /* true: the extent of each frame is known, so that the extent of this frame needs no margin for a later
     * expansion */
    bool known;
};

/* Returns the extent: half the picture's width in length units, > 0. Call it after the axes and the centre of the
 * camera are set. What the picture contains depends on the number of bodies:
 * - up to 16 bodies: the Kepler ellipse of each body around the centre, computed from its present acceleration and
 *   velocity, and a margin of 12 %;
 * - up to 100 bodies: all bodies, and a margin of 12 %;
 * - more bodies: all bodies, and a margin of 12 %, but at most 1.45 times the extent that contains 95 % of the bodies
 *   (1.05 times if frame.known is true), so that a distant body does not make all others small. */
double framing_extent(const struct nb_bodies *b, const struct nb_view *camera, struct framing_frame frame);
/* Returns the extent with which a picture contains a region of the plane z = 0. No margin is added. */
double framing_extent_of_region(const double low[2], const double high[2], const struct nb_view *camera,
                                struct framing_frame frame);

/* ---- view_options.c: options for the camera ---- */

#define VIEW_FOV_LEAST 0.01
#define VIEW_FOV_MOST  170.0

struct slice {    /* layer perpendicular to the line of sight. Only bodies in this layer are drawn */
    double depth; /* distance of the layer's middle plane from the centre, positive towards the camera, length units */
    double thick; /* thickness of the slice; 0: no slice */
};

/* Returns whether a body is inside the slice. depth: distance of the body from the centre along the line of sight,
 * positive towards the camera (see view_depth). */
static inline bool slice_holds(const struct slice *s, double depth)
{
    return s->thick == 0 || fabs(depth - s->depth) <= 0.5 * s->thick;
}

struct view_options {
    enum layout_kind layout;
    enum layout_projection projection;
    double stereo_base; /* (distance between the eyes) / (distance of the camera from the centre); 0: no stereo pair */
    double azimuth_deg, elevation_deg; /* direction of the camera from the centre */
    double spin_deg;                   /* change of the azimuth per frame */
    double orbit;                      /* number of turns from the first to the last frame of the input */
    double zoom;                       /* (magnification in the last frame) / (magnification in the first frame) */
    int64_t last_frame;                /* number of the last frame; set only if `orbit` or `zoom` is used */
    double fov_deg;                    /* horizontal angle of view; 0: orthographic */
    double extent;                     /* half the picture's width, length units; 0: found from the bodies */
    bool extent_adapts;                /* the extent changes smoothly as the system expands or collapses */
    double center[3];                  /* centre of the picture; NAN: found from `focus` in the first frame */
    struct focus focus;
    bool follow; /* true: the point `followed` (a body, a centre of mass ...) is in the middle of every picture */
    struct focus followed;
    const char *camera; /* file of keyframes (path.c); NULL: none */
    struct slice slice;
};

extern const struct tool_option view_table[];
/* Sets the defaults of options that were not given. Dies with a usage error if options contradict each other. */
void view_options_finish(struct view_options *o, int width, int height);
/* Returns whether the picture has a single pane (no quad and no stereo pair). */
bool view_options_is_one(const struct view_options *o);
/* Sets defaults, and the picture's size, for --projection dome and 360. Dies with a usage error if options contradict
 * the projection. Call it before view_options_finish. */
void view_options_finish_round(struct render_options *o);
void view_options_free(struct view_options *o); /* frees o->followed */
/* view_options_need_length returns whether the options need the number of frames of the input. If so, pass this number
 * to view_options_set_length, which dies if the number is -1 (unknown). */
bool view_options_need_length(const struct view_options *o);
void view_options_set_length(struct view_options *o, int64_t frames);

/* ---- pane.c: the panes of a picture. A pane is a rectangle with its own view and light. ---- */

struct pane {
    struct layout_pane place; /* rectangle in the picture */
    struct nb_view view;      /* camera of the pane; projects to pixels of the pane */
    /* factor for the light of bodies: (magnification in this frame / magnification in the first frame)^2 */
    double brightness;
    struct nb_light *light; /* renderer; its pictures have the width and height of `place` */
};

struct panes {
    int count;
    struct pane pane[LAYOUT_PANES_MAX];
    const struct pane *main; /* pane from which the colours and the scale of all panes are found */
    /* Light style from the options. In a picture that is the mean of several frames, the result of panes_average
     * replaces style.smooth, the number of neighbours that defines the smoothing length. */
    struct light_options style;
    bool is_smooth_usual;
    struct slice slice; /* slice in the view of each pane; bodies outside the slice are not drawn */
    float *sliced;      /* work space: light of the bodies, 0 outside the slice */
    uint64_t sliced_room;
    /* work space in which each pane is painted before it is copied into the picture: `two` for the right eye of a
     * stereo pair, `one` for all other panes */
    struct picture one, two;
    struct sphere *sphere; /* data for --projection dome or 360; NULL for other projections */
};

/* ---- sphere.c: pictures of a dome and of all directions.
 *
 * A picture of a dome is a fisheye of 180 degrees in a square. The camera's target is in the middle, which is the
 * zenith of the dome. The front of the dome is at the bottom of the picture, and pixels outside the circle are black.
 *
 * A picture of all directions is equirectangular, with the camera's target in the middle. If bodies were drawn into it
 * directly, a smoothing kernel near a pole would be many times wider than high. So three panes of equal height and
 * scale are drawn first: a band of 110 degrees around the equator, and a fisheye of 110 degrees around each pole. In
 * these panes kernels are hardly distorted. The band and the fisheyes are blended from 40 to 50 degrees of latitude.
 *
 * The device draws light with a plane camera. Bodies are therefore moved to points that this camera shows at the right
 * position of the pane and with the right size. Bodies near the left and right end of the band are drawn at
 * both ends. */

#define SPHERE_PANES 3 /* number of panes: the band, the upper cap and the lower cap */

struct sphere;

/* Sets the rectangles of the panes for a picture of width x height pixels. */
void sphere_layout(struct panes *p, enum layout_kind kind, int width, int height);
/* Allocates a picture for each pane that sphere_layout has set up. Dies if there is no memory. */
struct sphere *sphere_create(const struct panes *p, int width, int height, bool linear);
void sphere_free(struct sphere *s); /* s may be NULL */
/* Returns (height of the pane) / (size of a point), the value of nb_light_style.points for a pane. A point then has the
 * same angular size as in a flat picture with an angle of view of 60 degrees. */
double sphere_points(const struct pane *pane);
/* Draws bodies with the pane's renderer, pane->light. Returns 0, or -1 after nb_fail. Dies if there is no memory. */
int sphere_put(struct sphere *s, const struct pane *pane, const struct nb_light_bodies *b);
/* Returns the picture of pane k. The caller fills it in before sphere_join, but does not free it. */
struct picture *sphere_sheet(struct sphere *s, int k);
/* Combines the pictures of all panes into `picture`. */
void sphere_join(const struct sphere *s, const struct panes *p, struct picture *picture);

/* Sets the number of panes and their rectangles. Views and renderers are set later. In the layout of four panes (quad),
 * the upper panes show the view from the top (left) and the view in perspective (right). The lower panes show the views
 * from the front (left) and from the side (right). So the left panes share the x axis, and the lower panes share the z
 * axis. The gaps between panes are about 1/270 of the picture's height. */
void layout_fill(struct panes *p, enum layout_kind kind, int width, int height);
/* Opens the renderer of every pane on a device. Dies if that fails. The caller sets the views. */
void panes_open(struct panes *p, const struct render_options *o, struct nb_device *device);
/* Changes the light style of all panes (nb_light_restyle). smooth: number of neighbours that defines a body's smoothing
 * length; stars: fraction of the light that is drawn as points. */
void panes_set_style(struct panes *p, double smooth, double stars);
/* Sets p->style from the options, and applies it to all panes. Defaults depend on the film's first frame, `first`. */
void panes_restyle(struct panes *p, const struct render_options *o, const struct nb_bodies *first);
/* Returns the number of neighbours that defines the smoothing length in a picture that is the mean of `frames` frames.
 * If `frames` is above 1, also applies this number to all panes (panes_set_style). */
double panes_average(struct panes *p, int frames);
void panes_close(struct panes *p); /* closes the renderers and frees all pictures */

/* panes_clear, panes_finish and panes_measure call nb_light_clear, nb_light_finish and nb_light_measure (light/light.h)
 * for every pane. panes_measure uses the same histogram for all panes. These functions, and all functions below down to
 * panes_fetch, die on failure. */
void panes_clear(struct panes *p);
/* Returns whether pane_put and panes_put accept bodies whose light is computed by a callback (nb_light_fill). */
bool panes_take_fill(const struct panes *p);
/* pane_put draws bodies into pane k, panes_put into all panes. If `shining` is true, the light is multiplied by
 * pane.brightness. */
void pane_put(struct panes *p, int k, const struct nb_light_bodies *b, bool shining);
void panes_put(struct panes *p, const struct nb_light_bodies *b, bool shining);
void panes_finish(struct panes *p);
void panes_measure(const struct panes *p, struct nb_light_histogram *h);
/* Fills in the complete picture, including the gaps between panes. `paint` fills in each pane as a separate picture. */
void panes_paint(const struct panes *p, struct picture *picture,
                 void (*paint)(const struct pane *pane, struct picture *picture, void *context), void *context);
/* Copies the linear light of all panes into a linear picture. */
void panes_fetch(const struct panes *p, struct picture *picture);
/* Fills in info->axis, the coordinate axes of the main pane. */
void panes_note_axes(const struct panes *p, struct picture_info *info);

/* ---- aim.c: the camera of each pane at a given moment ---- */

struct aim;

/* Creates the cameras and reads the file of --camera. Dies if that fails. `o` and `extents` must exist as long as the
 * cameras. `extents` has the extent of the view for each frame, and is used if --extent was not given. The caller may
 * set the values of `extents` later, before aim_first. If `extents` is empty (for input from a pipe), the first frame
 * determines the extent. */
struct aim *aim_create(const struct render_options *o, const struct curve *extents);
void aim_destroy(struct aim *a);

/* Returns whether the camera's distance or target changes during the film, because of a path or because the extent
 * adapts. */
bool aim_moves(const struct aim *a);
/* Sets the centre and the extent of all panes from the first frame. Dies if there is no centre. */
void aim_first(struct aim *a, struct panes *p, const struct nb_bodies *b);
/* Returns the extent that all panes need to show the bodies of a moment (framing.c). */
double aim_extent(struct aim *a, struct panes *p, const struct moment *now);
/* Adapts the extent: moves it towards the extent that the bodies need at this moment. Call it once for each picture.
 * Does nothing if the extent does not adapt, or if extents are known in advance. Two low-pass filters in series are
 * used, so that the zoom starts and ends slowly. The output y of a filter with input x changes by
 * log(y) += share * (log(x) - log(y)), with `share` from 0 to 1. */
void aim_adapt(struct aim *a, struct panes *p, const struct moment *now, double share);
/* Sets the view and the brightness of all panes for a moment. The brightness is the square of the magnification
 * relative to the first frame, because a body gets brighter when the camera comes closer. With --follow, dies if
 * focus_find fails. */
void aim_at(struct aim *a, struct panes *p, const struct moment *now);
