/* view.h - from where bodies are seen, and in which part of a picture. */
#pragma once

#include "light/light.h"
#include "nbrender/light/light.h"
#include "nbrender/output/output.h"
#include "select/select.h"

struct moment;
struct render_options;

/* ---- layout.c: the rectangles into which a picture is divided, and from where each looks ---- */

#define LAYOUT_PANES_MAX 5

enum layout_kind {
    LAYOUT_SINGLE,
    LAYOUT_QUAD,
    LAYOUT_STEREO,      /* the views of the left and the right eye, one over the other */
    LAYOUT_STEREO_QUAD, /* a quad with these in the perspective's place */
    LAYOUT_DOME,        /* a hemisphere */
    LAYOUT_SPHERE       /* all directions: a band about the horizon, and two caps over it (sphere.c) */
};

enum layout_projection { PROJECTION_FLAT, PROJECTION_DOME, PROJECTION_360 };

struct layout_pane {
    int x, y, width, height;           /* in the picture, pixels, y down */
    bool fixed;                        /* stands there and is orthographic, whatever is said of the camera */
    double azimuth_deg, elevation_deg; /* of a fixed one */
    int eye;                           /* -1: the left one of a pair, 1: the right one; 0: there is one for both */
    enum nb_projection projection;
    double radian; /* pixels, unless the projection is a plane */
    int pole;      /* 1: it looks up from where the camera stands, -1: down */
};

/* Whether it is of a dome or a sphere, drawn by a camera that stands among the bodies. */
static inline bool layout_is_round(enum layout_kind kind)
{
    return kind == LAYOUT_DOME || kind == LAYOUT_SPHERE;
}

#define LAYOUT_QUAD_LEAST 16 /* pixels of a picture that is divided into four, each way */

/* ---- path.c: where the camera is at any time, from a file of keyframes.
 *
 * A line is a keyframe: eleven numbers
 *
 *   time  position x y z  target x y z  up x y z  fov
 *
 * with white space between them; `#` and what follows is a comment, empty lines are nothing. Times ascend, or descend
 * for a film backwards in time. fov is the horizontal angle of view in degrees. Of `up` counts what is across the line
 * of sight. */

struct pose {
    double position[3], target[3];
    double up[3]; /* of any length, not along the line of sight */
    double fov_deg;
};

struct path;

/* Reads a file; dies with the line's number where it is no such file, or cannot be read. */
struct path *path_read(const char *file);
void path_free(struct path *p); /* NULL is allowed */

/* Whether the distance from what is looked at changes, or the angle of view. */
bool path_moves(const struct path *p);
/* Between two keyframes cubic in time (Catmull and Rom 1974, for steps of any length): through each keyframe with the
 * velocity of the parabola through it and its neighbours; it starts from rest at the first and comes to rest at the
 * last, where it is before and after. Between two equal keyframes it rests. */
struct pose path_at(const struct path *p, double time);

/* ---- camera.c: the axes and the scale of a view (light/view.h) ---- */

/* Points the camera's axes: it stands in direction (azimuth, elevation) as seen from the centre, the z axis upward in
 * the picture. Elevation 90 with azimuth -90 looks down the z axis, x to the right and y up. */
void camera_turn(struct nb_view *c, double azimuth_deg, double elevation_deg);
/* Sets the scale so that half the picture's width shows `extent` at the centre, and the distance that this takes with
 * an angle of view of fov_deg (0: orthographic). */
void camera_zoom(struct nb_view *c, int width, int height, double extent, double fov_deg);
/* All of that, and the centre, of a camera that stands and looks as a pose says, its places counted from `origin`. */
void camera_stand(struct nb_view *c, int width, int height, const struct pose *pose, const double origin[3]);
/* Makes a perspective that of a pane with another projection: where the camera stands and looks it keeps, and of a
 * distance how large it looks there; a pane of a pole looks along the camera's axis up, or against it. */
void camera_look_round(struct nb_view *c, const struct layout_pane *place);
/* Moves the camera by `aside` of its distance to the right and lets it look past the centre, so that what is in the
 * centre's plane stays where it is in the picture: an eye of a pair. For a perspective. */
void camera_step_aside(struct nb_view *c, double aside);

/* ---- focus.c: what stands in the picture's middle ---- */

enum focus_kind { FOCUS_AUTO, FOCUS_COM, FOCUS_DENSEST, FOCUS_BODY, FOCUS_GROUP };

struct focus {
    enum focus_kind kind;    /* FOCUS_AUTO: the middle of the box that the header has, or else as FOCUS_COM */
    uint64_t id;             /* of FOCUS_BODY */
    struct nb_select *group; /* of FOCUS_GROUP, whose centre of mass it is */
};

/* Reads "com", "densest", the id of a body, or a condition (select/select.h). -1 after nb_fail: none of these. */
int focus_parse(struct focus *f, const char *text);
void focus_free(struct focus *f);

/* Where it is in a frame; `centre` holds where it was before, or NAN. What is not there is where it was, if it was
 * anywhere. -1 after nb_fail. */
int focus_find(const struct focus *f, const struct nb_bodies *b, double centre[3]);

/* ---- densest.c: the densest place of a system: where a core or a nucleus is ---- */

/* By a sphere that shrinks about the centre of mass of what is in it (Power et al. 2003, MNRAS 338, 14), until 1 % of
 * the bodies are left (64 at least), of a sample where they are many; then the maximum, next to it, of the density that
 * is smoothed over that sphere, so that it moves steadily with the bodies. The sphere begins with all bodies; or with
 * the quarter of them next to `centre`, if that is a number, so that of several nuclei one is followed. -1: no finite
 * number. */
int densest_find(const struct nb_bodies *b, double centre[3]);

/* ---- framing.c: what part of space the pictures show, found from the first frame ---- */

/* Centre of mass (of the places alone where all masses are 0) of the bodies with mask[i] != 0, NULL: of all. -1: not a
 * finite number. */
int framing_centre(const struct nb_bodies *b, const unsigned char *mask, double centre[3]);

struct framing_frame {
    double aspect;       /* width / height of the picture */
    double tan_half_fov; /* of the horizontal angle of view; 0: orthographic */
    bool turning;        /* the camera's azimuth changes from frame to frame */
    bool known;          /* several frames give the extent, so that it needs no room for motion to come */
};

/* Half the picture's width in length units, > 0, for a camera whose axes and centre are set: so that nothing that
 * matters leaves the picture. Up to 16 bodies: the Kepler ellipses on which their present acceleration and velocity
 * would take them round the centre. Up to 100: all bodies. More: all, unless 95 % of them need a much smaller picture,
 * so that one far away does not make the others small. With a margin of 12 %. */
double framing_extent(const struct nb_bodies *b, const struct nb_view *camera, struct framing_frame frame);
/* The same for a region of the plane z = 0, without a margin. */
double framing_extent_of_region(const double low[2], const double high[2], const struct nb_view *camera,
                                struct framing_frame frame);

/* ---- view_options.c: what the user says about the camera ---- */

#define VIEW_FOV_LEAST 0.01
#define VIEW_FOV_MOST  170.0

struct slice {    /* only bodies so near to a plane across the line of sight are drawn */
    double depth; /* of the plane, from the one through the centre towards the camera */
    double thick; /* 0: all bodies are drawn */
};

static inline bool slice_holds(const struct slice *s, double depth)
{
    return s->thick == 0 || fabs(depth - s->depth) <= 0.5 * s->thick;
}

struct view_options {
    enum layout_kind layout;
    enum layout_projection projection;
    double stereo_base;                /* distance of the eyes over the camera's from the centre; 0: no pair */
    double azimuth_deg, elevation_deg; /* of the camera as seen from the centre */
    double spin_deg;                   /* added to the azimuth from frame to frame */
    double orbit;                      /* turns from the input's first frame to its last */
    double zoom;                       /* magnification from the first to the last */
    int64_t last_frame;                /* that one's number, where orbit or zoom want it */
    double fov_deg;                    /* horizontal angle of view; 0: orthographic */
    double extent;                     /* half the picture's width, length units; 0: from the bodies, */
    bool extent_adapts;                /* of all frames, smoothly */
    double center[3];                  /* NAN: `focus` of the first frame */
    struct focus focus;
    bool follow; /* `followed` is in the middle of every picture */
    struct focus followed;
    const char *camera; /* a file of keyframes, path.c; NULL: none */
    struct slice slice;
};

extern const struct tool_option view_table[];
/* Once all options are known: chooses what was not given; dies (usage) on what does not go together. */
void view_options_finish(struct view_options *o, int width, int height);
/* Whether the picture is one view, of one eye. */
bool view_options_is_one(const struct view_options *o);
/* The same of a dome and of 360, before that: also the picture's size. */
void view_options_finish_round(struct render_options *o);
void view_options_free(struct view_options *o);
/* Whether it has to be known how many frames the input has; then how many, or -1 where that cannot be: dies. */
bool view_options_need_length(const struct view_options *o);
void view_options_set_length(struct view_options *o, int64_t frames);

/* ---- pane.c: the panes of a picture: rectangles of it, each with a view and a light of its own. Mostly there is one.
 */

struct pane {
    struct layout_pane place; /* its rectangle in the picture */
    struct nb_view view;      /* in the pane's own pixels */
    double brightness;        /* of bodies that shine: 1 at the first frame, more as the view narrows */
    struct nb_light *light;   /* of the pane's size */
};

struct panes {
    int count;
    struct pane pane[LAYOUT_PANES_MAX];
    const struct pane *main;    /* the one that the camera is for: what all share (colours, a scale) is found there */
    struct light_options style; /* in force, of a picture of one frame */
    bool is_smooth_usual;
    struct slice slice; /* of each pane's own view */
    float *sliced;      /* work space: the light of bodies, 0 of those outside of the slice */
    uint64_t sliced_room;
    struct picture one, two; /* panes as they are shown, on their way into a picture that has several; two: of pairs */
    struct sphere *sphere;   /* of a dome and of 360, else NULL */
};

/* ---- sphere.c: pictures of a dome and of all directions.
 *
 * A dome is a fisheye of 180 degrees in a square: in the middle, the zenith, is what the camera looks at; below is the
 * front of the dome, and what is outside the circle is black. All directions are an equirectangular picture: in the
 * middle is what the camera looks at. Near its poles a footprint would have to be many times as wide as high, so there
 * are three panes of one height and scale: a band of 110 degrees and, of as many, a fisheye about each pole, which go
 * over into each other from 40 to 50 degrees of latitude. In each of them a solid angle has about the shape that it has
 * in the middle, and its area is that of nb_view_project.
 *
 * Light is drawn by the plane cameras of any device: bodies are moved to where such a camera sees them at the same
 * place, and as large. Those near the band's ends are put on both sides. */

#define SPHERE_PANES 3 /* the band, the caps about the upper and the lower pole */

struct sphere;

/* Sets the panes' places for a picture of that size. */
void sphere_layout(struct panes *p, enum layout_kind kind, int width, int height);
struct sphere *sphere_create(const struct panes *p, int width, int height, bool linear);
void sphere_free(struct sphere *s); /* NULL is allowed */
/* How many points are as high as a pane: they are as large as in a flat picture of 60 degrees. */
double sphere_points(const struct pane *pane);
/* Puts bodies into the pane's light. 0, or -1 after nb_fail. */
int sphere_put(struct sphere *s, const struct pane *pane, const struct nb_light_bodies *b);
/* As a pane of it is shown, or its light, to be filled in before sphere_join; pane k. */
struct picture *sphere_sheet(struct sphere *s, int k);
/* The picture, of the sheets of all panes. */
void sphere_join(const struct sphere *s, const struct panes *p, struct picture *picture);

/* Makes panes without views and light: one, two over each other, a quad, or those of sphere.c. A quad holds the views
 * from the top and in perspective, below them from the front and from the side, so that one above the other they share
 * x, side by side z; between them are gaps of about 1/270 of the picture's height. */
void layout_fill(struct panes *p, enum layout_kind kind, int width, int height);
/* Opens the light of every pane on a device; dies where that fails. Views are the caller's to set. */
void panes_open(struct panes *p, const struct render_options *o, struct nb_device *device);
/* Changes footprints and points of all panes (nb_light_restyle). */
void panes_set_style(struct panes *p, double smooth, double stars);
/* Footprints and points as for a film that begins with these bodies. */
void panes_restyle(struct panes *p, const struct render_options *o, const struct nb_bodies *first);
/* Footprints of each frame of a picture that is the average of so many; returns K, its bodies in a frame. */
double panes_average(struct panes *p, int frames);
void panes_close(struct panes *p);

/* As in light/light.h, for all panes; they die on failure. The light of all is measured as that of one picture, so one
 * exposure serves all and equal brightness means the same in each. */
void panes_clear(struct panes *p);
/* `shining`: in every pane times its brightness. */
void pane_put(struct panes *p, int k, const struct nb_light_bodies *b, bool shining);
void panes_put(struct panes *p, const struct nb_light_bodies *b, bool shining);
void panes_finish(struct panes *p);
void panes_measure(const struct panes *p, struct nb_light_histogram *h);
/* Fills in the whole picture, the gaps too: `paint` fills in each pane as a picture of its own. */
void panes_paint(const struct panes *p, struct picture *picture,
                 void (*paint)(const struct pane *pane, struct picture *picture, void *context), void *context);
/* The light of a linear picture. */
void panes_fetch(const struct panes *p, struct picture *picture);
/* What lies along the sides of the main pane. */
void panes_note_axes(const struct panes *p, struct picture_info *info);

/* ---- aim.c: where the camera of each pane stands at a moment ---- */

struct aim;

/* Reads --camera's file; dies where it cannot. The options stay the caller's, and the extents that frames of the input
 * ask for, if --extent does not say one; they may be filled in later, before aim_first. If there are none, as of a
 * pipe, the extent is the first frame's. */
struct aim *aim_create(const struct render_options *o, const struct curve *extents);
void aim_destroy(struct aim *a);

/* Whether the camera comes nearer or goes away, on a path or with an extent that adapts. */
bool aim_moves(const struct aim *a);
/* What the first frame's bodies set: the centre and the extent of all panes. Dies where there is no centre. */
void aim_first(struct aim *a, struct panes *p, const struct nb_bodies *b);
/* The extent that a moment asks for. */
double aim_extent(struct aim *a, struct panes *p, const struct moment *now);
/* Once a picture, if the extent adapts and no frames are known ahead: goes towards the extent that a moment asks for,
 * by a share (0 to 1) of two delays one after the other, so that it starts and ends slowly. */
void aim_adapt(struct aim *a, struct panes *p, const struct moment *now, double share);
/* Sets the views of all panes for a moment, and how bright they are: as magnification grows, so does the light of a
 * body with its square, as if the camera came nearer. */
void aim_at(struct aim *a, struct panes *p, const struct moment *now);
