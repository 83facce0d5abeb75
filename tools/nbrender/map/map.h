/* map.h - maps: pictures of a quantity instead of light, with colour scale and contours. */
#pragma once

#include "common/tool_forces.h"
#include "nbrender/overlay/overlay.h"

struct render_options;
struct stage;

/* ---- map_options.c: options for maps ---- */

enum map_kind {
    MAP_NONE,         /* no map: bodies are drawn as light or discs */
    MAP_DENSITY,      /* mass per area, along the line of sight */
    MAP_MEAN,         /* mean of a quantity along the line of sight, weighted by mass */
    MAP_POTENTIAL,    /* potential on the plane through the centre of the view */
    MAP_ACCELERATION, /* magnitude of the acceleration on the plane through the centre of the view */
};

#define MAP_CONTOURS_MAX 200

struct map_options {
    enum map_kind kind;
    const char *what; /* argument of --map; if kind is MAP_MEAN: "speed" or the name of a column */
    int contours;     /* maximum number of contours; -1: not given */
    double bodies;    /* opacity of the bodies over a map of potential or acceleration, 0 to 1 */
    struct nb_force_request forces;
    double softening; /* softening length; NAN: the value in the input */
};

extern const struct tool_option map_table[];
/* Dies (usage error) if options of maps contradict each other or other options. Call it when all options are read. */
void map_options_finish(const struct render_options *o);

/* map_is_field returns whether the map shows potential or acceleration on a plane; bodies can be drawn over it.
 * map_is_of_bodies returns whether the map shows a density or a mean, which is computed by drawing the bodies as light.
 */
static inline bool map_is_field(const struct map_options *o)
{
    return o->kind == MAP_POTENTIAL || o->kind == MAP_ACCELERATION;
}

static inline bool map_is_of_bodies(const struct map_options *o)
{
    return o->kind == MAP_DENSITY || o->kind == MAP_MEAN;
}

static inline bool map_has_bodies(const struct map_options *o)
{
    return map_is_field(o) && o->bodies > 0;
}

/* ---- plane.c: potential or acceleration of all bodies and external fields, on the plane through the view's centre and
 * parallel to the picture. It is computed at the centres of the pixels of an orthographic view.
 *
 * The forces are computed with force/force.h, with these points as targets. A GPU computes every pixel. A CPU computes
 * every pixel too, or uses a grid if that takes less than half the time. It then computes the field of the bodies with
 * a step of 2, 4 or 8 pixels and interpolates with a bicubic spline. Small-scale contributions of bodies near the plane
 * are added separately (near.c). External fields are computed at every pixel. */

enum plane_what {
    PLANE_POTENTIAL,   /* unit L^2/T^2 */
    PLANE_ACCELERATION /* magnitude, unit L/T^2 */
};

/* Default of --theta, the opening criterion of the tree. The relative error of the potential is then below 4e-5 for a
 * thousand bodies, and below 1e-5 for many more bodies. */
#define PLANE_THETA "0.4"

struct plane {
    struct nb_device *device; /* device of the forces; belongs to the caller */
    const struct nb_force_request *forces;
    struct nb_kept_fields *kept; /* external fields, kept open for all frames */
    double softening;            /* softening length; NAN: the value in the input */
    enum plane_what what;
};

/* Computes the potential or the magnitude of the acceleration at each pixel (x, y) of the plane and stores it in
 * value[y * width + x]. Without softening, the value at the position of a body is infinite or NaN. Returns 0, or -1
 * after nb_fail. Dies if the requested forces are not possible. */
int plane_compute(const struct plane *p, const struct nb_bodies *b, const struct nb_view *view, int width, int height,
                  float *value);

/* ---- near.c: contributions of bodies near a map's plane on scales that a coarse grid does not resolve.
 *
 * The 1/r of a body is the sum of a smooth part and a short-range part, which is 0 beyond a distance R. Let s be the
 * squared distance plus the squared softening length. Within R, the smooth part is the Taylor polynomial of order 4 of
 * s^(-1/2) (accelerations: s^(-3/2)) about s = R^2. It has no structure smaller than R. The short-range parts are
 * subtracted from the field on the grid. The rest is interpolated to the pixels. There, the short-range parts are added
 * again. The interpolation error is then as small as for a smooth field sampled with a step of R / 8 (R / 10 for
 * accelerations), however close a body is. */

/* The distance R beyond which the short-range part of a body's field is 0, in units of the grid step. With these
 * values, the interpolated field of a single point mass has a relative error of at most 5e-5 (potential) or 2e-4
 * (acceleration). The error is smaller for many bodies. */
#define NEAR_STEPS_POTENTIAL    8
#define NEAR_STEPS_ACCELERATION 10

struct near_body { /* lengths in pixels; y down, z towards the camera */
    double x, y, z;
    double s;  /* z^2 + softening length^2 */
    double gm; /* factor in the potential -gm/r, or in the acceleration gm * d/r^3 (d: vector to the body) */
};

struct near {
    double reach; /* distance R beyond which the short-range part of a body's field is 0, pixels */
    uint64_t count;
    struct near_body *body; /* the `count` bodies in ascending order of y; owned */
};

struct near_frame { /* a rectangle of the plane; near_count and near_find search for bodies near it */
    const struct nb_view *view;
    double x0, y0, x1, y1; /* corners of the rectangle, pixels */
    double softening;      /* softening length, length units */
};

/* Returns the number of bodies that may have a short-range field in the rectangle. A body is counted if its mass is
 * positive, if its softened distance from the plane is below R, and if it is less than R outside the rectangle in x and
 * y. `reach` is R in pixels: beyond this distance, the short-range part of a body's field is 0. */
uint64_t near_count(const struct nb_bodies *b, const struct near_frame *f, double reach);
/* Stores in n->body the bodies that near_count counts. Sets gm of each body to factor * mass. `factor` is the
 * gravitational constant in the units of the field. Returns 0, or -1 after nb_fail if there is no memory. Free the
 * result with near_free. */
int near_find(struct near *n, const struct nb_bodies *b, const struct near_frame *f, double reach, double factor);
void near_free(struct near *n);

/* These functions add the short-range parts of the bodies' fields (field minus smooth part, see near.c above) at
 * `count` points (x0 + i * step, y):
 * - near_add_potential adds the short-range part of -gm/r to phi[i];
 * - near_add_acceleration adds the short-range part of gm * d/r^3 to a[0][i], a[1][i], a[2][i] (x, y, z), where d is
 *   the vector from the point to the body. */
void near_add_potential(const struct near *n, double x0, double y, double step, int count, double *phi);
void near_add_acceleration(const struct near *n, double x0, double y, double step, int count, double *const a[3]);

/* ---- spline.c: bicubic splines through values on a grid, evaluated at pixel centres ---- */

/* A grid. Node (i, j) is at pixel coordinates (x0 + i * step, y0 + j * step). Its value is v[j * columns + i]. */
struct spline_grid {
    int columns, rows; /* at least SPLINE_LEAST each */
    double x0, y0, step;
};
#define SPLINE_LEAST 4

/* Replaces the values on the grid by coefficients of cubic B-splines, first along rows, then along columns. The spline
 * is natural: its second derivative is 0 at the first and the last node. */
void spline_fit(const struct spline_grid *g, double *v);
/* Computes the spline at the centres of the pixels (x, y), for x from 0 to width - 1, and adds each value to out[x].
 * Each pixel centre must be inside the grid, at least one grid step from its border. `work` has room for `columns`
 * numbers. */
void spline_add_row(const struct spline_grid *g, const double *coefficients, int y, int width, double *work,
                    double *out);

/* ---- shared by plane*.c: the field at points and on a grid ---- */

struct plane_work { /* state while one map is computed */
    const struct plane *plane;
    const struct nb_bodies *b;
    const struct nb_view *view;
    /* The map has width * height pixels. The field has `rows` components: 1 for the potential, or 3 for the
     * acceleration (along x, along y downwards, along z towards the camera). */
    int width, height, rows;
    struct nb_force_set set;
    enum nb_precision precision;
    struct nb_state *state;
    double softening;
};

/* ---- plane_points.c: the field at points ---- */

struct plane_points { /* points of the plane, and the values of the field at these points */
    uint64_t n;
    double *place;  /* 3 * n coordinates, length units */
    double *row[3]; /* the field: one array of n numbers for each component */
};

/* Allocates n points for a field with `rows` components. Returns 0, or -1 after nb_fail. Free with plane_points_free.
 */
int plane_points_alloc(struct plane_points *p, uint64_t n, int rows);
void plane_points_free(struct plane_points *p);
/* Sets the position of point i to the point of the plane that is at the pixel coordinates (x, y) in view v. */
void plane_points_set(struct plane_points *p, uint64_t i, const struct nb_view *v, double x, double y);
/* Computes the field at the points and stores it in p->row. `part` selects the forces: nb_forces_own (forces of the
 * bodies) or nb_forces_external. Returns 0, or -1 after nb_fail. */
int plane_points_compute(const struct plane_work *w, struct nb_force_part part, struct plane_points *p);

/* ---- plane_grid.c: the field of the bodies from a coarse grid ---- */

struct plane_grid {
    struct spline_grid nodes;
    struct near near;
    struct plane_points points; /* points.row contains the field at the nodes, later the coefficients of the spline */
};

/* Returns the grid step in pixels (distance of adjacent nodes) for which the map is computed fastest. Returns 0 if the
 * map should be computed at every pixel, without a grid. */
int plane_grid_step(const struct plane_work *w);
/* Computes the field on the grid and fits the spline. Returns 0, or -1 after nb_fail, or 1 if the field is not
 * finite at a node. After 1, the caller must compute every pixel. Call plane_grid_close in all cases. */
int plane_grid_open(struct plane_grid *g, const struct plane_work *w, int step);
void plane_grid_close(struct plane_grid *g);
/* Adds component k of the field at the pixels of row y to the array row[k], for each k < w->rows. Returns 0, or -1 if
 * there is no memory. */
int plane_grid_add_row(const struct plane_grid *g, const struct plane_work *w, int y, double *const row[3]);

/* ---- contours.c: antialiased contour lines of constant width.
 *
 * The quantity f is taken as linear between a pixel and its neighbours. The distance of a pixel from a line is then
 * |f - level| / |grad f|. A pixel is drawn if this distance is less than half the width of the line plus half a pixel,
 * and if some pixels nearby have values above the level, and others below it. The second condition is tested on square
 * blocks of pixels, as by Lorensen & Cline (1987, SIGGRAPH 21, 163). But no list of segments is made, because lines are
 * drawn and not stored. */

struct contour_label {
    /* (x, y) is the centre of the text, `half` is half the width of the text with its margins, and `height` is the
     * height of the text, all in pixels. */
    double x, y, half, height;
    char text[ROUNDING_TEXT];
};

struct contours {
    int count;
    const double *level; /* `count` levels in ascending order */
    double width;        /* width of the lines, pixels */
    double opacity;      /* opacity of the lines, 0 to 1 */
    int labels;
    struct contour_label label[MAP_CONTOURS_MAX]; /* labels; contours are not drawn under labels */
};

struct contour_field { /* values of the quantity: value[y * width + x]; NAN if undefined */
    const float *value;
    int width, height;
};

/* Returns the fraction of pixel (x, y) that contours cover, 0 to 1. */
double contours_cover(const struct contours *c, const struct contour_field *f, int x, int y);
/* Draws contours into a picture of the same size as the field. Lines are white, or black on bright pixels. */
void contours_draw(const struct contours *c, const struct contour_field *f, struct picture *p);
/* Smooths the values in three passes. Each pass replaces each value by the mean over a square with a side of
 * 2 * radius + 1 pixels. Means ignore NAN. Pixels with NAN do not change. Dies if there is no memory. */
void contours_smooth(float *value, int width, int height, int radius);

/* ---- contour_levels.c: round values for contours ----
 *
 * Fills in up to `most` round values between the ends of the scale and returns their number. Values are round in the
 * unit of the labels. A label shows `factor` times the value. For SCALE_LINEAR they are multiples of 1, 2 or 5 times a
 * power of ten. For SCALE_LOG they are the same in each decade. Otherwise they are evenly spaced in colour. */
int contour_levels(const struct colour_scale *scale, double factor, int most, double *level);

/* ---- contour_labels.c: a number on each contour that is long and flat enough ---- */
/* Chooses the positions of the labels in c->label. A label shows `factor` * level. `text` is the font; if it is NULL,
 * there are no labels. */
void contour_labels_place(struct contours *c, const struct contour_field *f, struct text *text, double factor);
/* Draws the labels over a picture of the field's size. */
void contour_labels_draw(const struct contours *c, struct text *text, struct picture *p);

/* ---- map_bodies.c: masses and quantities of the bodies, for maps of a density or of a mean ---- */

struct map_bodies {
    /* mass of the body / total; 0 if the body's quantity is not finite in single precision, or if the body is in a
     * flow's inlet */
    float *light;
    /* (quantity - least) / span, from 0 to 1. This number is precise as f32 even if `span` is much smaller than
     * `least` */
    float *value;
    double total;            /* largest of the total masses of the surveyed frames */
    double least, span;      /* minimum, and maximum - minimum, of the quantity in the surveyed frames */
    uint64_t lights, values; /* capacity of the arrays */
    bool warned;             /* a warning about values that are not finite was printed */
};

/* Sets m->total (the maximum of the frames' total masses), and m->least and m->span (the range of the quantity `name`
 * in all `count` frames). If `name` is NULL, sets only m->total. Warns once about bodies whose value is not finite.
 * Dies if the bodies do not have the quantity. */
void map_bodies_survey(struct map_bodies *m, const struct nb_bodies *const *frames, int count, const char *name);
/* Sets m->light and m->value for the bodies `b`, one of the frames that map_bodies_survey used. Dies if there is no
 * memory. */
void map_bodies_take(struct map_bodies *m, const struct nb_bodies *b, const char *name);
void map_bodies_free(struct map_bodies *m); /* also resets m to zeros */

/* ---- map*.c: the painter of maps ---- */

struct map_range { /* a sample of the pixels of several frames */
    struct sample value;
    /* mass per area (map.mass) in the same pixels as `value`, for maps of a mean; all zeros for other maps */
    struct sample mass;
};

struct map {
    const struct map_options *options;
    const struct colour_options *colour;
    struct stage *stage;
    bool linear;                   /* the output format stores the values, not colours */
    struct colour_ramp ramp;       /* colours from low to high values */
    uint16_t shown[RAMP_STEPS][3]; /* 16-bit colours of `ramp`; the colour of values that are not finite is black */
    struct map_bodies bodies;
    struct nb_kept_fields kept;     /* external fields, kept open for all frames */
    char unit[NB_NAME_MAX];         /* unit of the values, in the form of a column's unit */
    float *value[LAYOUT_PANES_MAX]; /* value[pane][y * width + x] in units of the stream; NAN: undefined */
    /* for maps of a mean: mass[pane][y * width + x], the mass per area in units of (total mass) / (picture height)^2 */
    float *mass[LAYOUT_PANES_MAX];
    float *pixels;              /* pixels of a pane as lib/light returns them, 4 numbers per pixel */
    struct map_range range;     /* sample of the values in surveyed frames, for the range of the scale */
    struct colour_scale *scale; /* NULL before the first frame */
    /* bits: SCALE_BELOW if the last picture has values below the scale, SCALE_ABOVE if it has values above the scale */
    unsigned beyond;
    bool is_symmetric; /* the scale is symmetric about 0, and 0 has the grey middle colour */
    double level[MAP_CONTOURS_MAX];
    struct contours contours;
    struct text *text;  /* font of the contours' labels; NULL: no labels */
    double unit_factor; /* labels show unit_factor * value: the value converted from `unit` to the unit of the labels */
    /* for maps of a mean: pixels with less mass (map.mass) than this are black, because their mean is not reliable */
    double thin;
};

static inline size_t map_pixels(const struct pane *pane)
{
    return (size_t)pane->place.width * (size_t)pane->place.height;
}

/* ---- map_range.c: the range of the scale ----
 *
 * map_range_note adds a sample of the pixels of map m to r. map_range_set finds the scale and `thin` of map m from r
 * and empties r. It dies if the scale is not possible. */
void map_range_note(struct map_range *r, const struct map *m);
void map_range_set(struct map *m, struct map_range *r);
void map_range_free(struct map_range *r);

/* ---- map_contours.c: the contours of a map ---- */

/* Chooses values for the contours between the ends of the colour scale. These values are round numbers in the unit that
 * the colour bar shows. */
void map_contours_set(struct map *m, const struct nb_units *units);
/* Draws the contours and labels of one pane. The map of the pane must already be painted in `picture`. */
void map_contours_draw(const struct map *m, int pane, struct picture *picture);
void map_contours_close(struct map *m);

/* ---- map_paint.c: the colours of a map ---- */

/* Fills in the colours of the user's colour map. The default map depends on m->is_symmetric: call the function again if
 * m->is_symmetric changes. Dies if there is no colour map with the user's name. */
void map_paint_open(struct map *m);
/* Compares the values of all pixels with the scale and sets m->beyond. */
void map_paint_note(struct map *m);
/* The function `paint` of struct painter (nbrender.h) for maps. */
void map_paint(void *state, const struct pane *pane, struct picture *picture, bool over);
