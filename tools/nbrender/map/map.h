/* map.h - a quantity instead of light. */
#pragma once

#include "common/tool_forces.h"
#include "nbrender/overlay/overlay.h"

struct render_options;
struct stage;

/* ---- map_options.c: what the user says about maps ---- */

enum map_kind {
    MAP_NONE,         /* light */
    MAP_DENSITY,      /* mass per area of the picture */
    MAP_MEAN,         /* of a column, by mass, along the line of sight */
    MAP_POTENTIAL,    /* on the plane through the centre */
    MAP_ACCELERATION, /* its magnitude there */
};

#define MAP_CONTOURS_MAX 200

struct map_options {
    enum map_kind kind;
    const char *what; /* as given: the name of a column, or speed */
    int contours;     /* -1: not given */
    double bodies;    /* opacity of the bodies over a field, 0 to 1 */
    struct nb_force_request forces;
    double softening; /* NAN: the input's */
};

extern const struct tool_option map_table[];
/* Once all options are known; dies (usage) on what does not go together. */
void map_options_finish(const struct render_options *o);

/* The potential or the acceleration: of a plane, with the bodies over it. Else their light is the map. */
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

/* ---- plane.c: the field of all bodies, and of external fields, on the plane through the centre that is parallel to
 * the picture: at the middles of its pixels as they are in an orthographic view.
 *
 * The forces are the rows of force/force.h, with points as targets. A device of its own computes every pixel. On a CPU
 * the bodies' part is computed at the nodes of a grid of 2, 4 or 8 pixels, whichever is the least work, and a bicubic
 * spline goes between; what bodies near the plane add on a smaller scale is treated apart (near.c). External fields are
 * computed at every pixel. */

enum plane_what {
    PLANE_POTENTIAL,   /* L^2/T^2 */
    PLANE_ACCELERATION /* its magnitude, L/T^2 */
};

/* A tree's theta where none is given: a potential is then within 1e-5 of the direct sum's for many bodies, 4e-5 for a
 * thousand. */
#define PLANE_THETA "0.4"

struct plane {
    struct nb_device *device; /* the caller's */
    const struct nb_force_request *forces;
    struct nb_kept_fields *kept; /* external fields, for all frames */
    double softening;            /* NAN: the input's */
    enum plane_what what;
};

/* Computes value[y * width + x]. Where a point is at an unsoftened body it is infinite or not a number. -1 after
 * nb_fail. Dies where forces are asked for that cannot be. */
int plane_compute(const struct plane *p, const struct nb_bodies *b, const struct nb_view *view, int width, int height,
                  float *value);

/* ---- near.c: what bodies near the plane of a map contribute on a scale that a coarse grid does not resolve.
 *
 * A body's 1/r is divided at a reach R into a smooth part and a short one that is 0 from R on. Within, with s the
 * squared distance and the squared softening, the smooth part is the Taylor polynomial of s^(-1/2) (accelerations:
 * s^(-3/2)) about R^2 of order 4, so it has no bump narrower than R. The short parts are taken out of the field on a
 * grid, which is interpolated, and are added again where the field is wanted. So the interpolation's error is that
 * of a grid whose steps are R / 8, however close a body is. */

/* Steps of the grid in R, for potentials and for accelerations. Of a point mass alone a cubic spline is then off by at
 * most 5e-5 of its potential and 2e-4 of its acceleration, anywhere; of many bodies by less. */
#define NEAR_STEPS_POTENTIAL    8
#define NEAR_STEPS_ACCELERATION 10

struct near_body { /* lengths in pixels; y down, z towards the camera */
    double x, y, z;
    double s;  /* z^2 + softening^2 */
    double gm; /* the factor of its 1/r or d/r^3 */
};

struct near {
    double reach;           /* R, pixels */
    uint64_t count;         /* in the order of y */
    struct near_body *body; /* owned */
};

struct near_frame { /* where they are looked for: a rectangle of the plane */
    const struct nb_view *view;
    double x0, y0, x1, y1; /* pixels */
    double softening;      /* length units */
};

/* How many bodies are within that reach of the rectangle. */
uint64_t near_count(const struct nb_bodies *b, const struct near_frame *f, double reach);
/* Finds them; `factor` times the mass is gm. -1: no memory. Free with near_free. */
int near_find(struct near *n, const struct nb_bodies *b, const struct near_frame *f, double reach, double factor);
void near_free(struct near *n);

/* Adds the short parts at points (x0 + i step, y), i = 0 .. count - 1: of -gm/r to phi; of gm d/r^3, d from the point
 * to the body, to a[0], a[1], a[2] along x, y, z. */
void near_add_potential(const struct near *n, double x0, double y, double step, int count, double *phi);
void near_add_acceleration(const struct near *n, double x0, double y, double step, int count, double *const a[3]);

/* ---- spline.c: bicubic splines through values on a grid, evaluated at the middles of a picture's pixels ---- */

/* Node (i, j) stands at pixel coordinates (x0 + i step, y0 + j step); its value is v[j * columns + i]. */
struct spline_grid {
    int columns, rows; /* SPLINE_LEAST at least */
    double x0, y0, step;
};
#define SPLINE_LEAST 4

/* Makes the values coefficients of cubic B-splines, in place: the natural spline (its second derivative is 0 at the
 * first and the last node), along rows and then along columns. */
void spline_fit(const struct spline_grid *g, double *v);
/* Adds the spline's values at the middles of pixels (0 .. width - 1, y) to out; the pixels are within the grid, one
 * step at least from its border. `work`: room for `columns` numbers. */
void spline_add_row(const struct spline_grid *g, const double *coefficients, int y, int width, double *work,
                    double *out);

/* ---- what the files plane*.c share: the forces at points, and a grid of such points ---- */

struct plane_work { /* of one map */
    const struct plane *plane;
    const struct nb_bodies *b;
    const struct nb_view *view;
    int width, height, rows; /* pixels; rows of the field: 1 or 3, along x, y (down) and z (to the camera) */
    struct nb_force_set set;
    enum nb_precision precision;
    struct nb_state *state;
    double softening;
};

/* ---- plane_points.c ---- */

struct plane_points { /* where the field is wanted, and what it is there */
    uint64_t n;
    double *place;  /* 3 n, length units */
    double *row[3]; /* n each */
};

int plane_points_alloc(struct plane_points *p, uint64_t n, int rows);
void plane_points_free(struct plane_points *p);
/* Makes point i that at pixel coordinates (x, y). */
void plane_points_set(struct plane_points *p, uint64_t i, const struct nb_view *v, double x, double y);
/* Fills the rows of the points with what that part of the forces does there. */
int plane_points_compute(const struct plane_work *w, struct nb_force_part part, struct plane_points *p);

/* ---- plane_grid.c: the bodies' field by a coarse grid ---- ---- */

struct plane_grid {
    struct spline_grid nodes;
    struct near near;
    struct plane_points points; /* rows: the field, then the spline's coefficients */
};

/* The grid's step in pixels that costs least; 0: every pixel is to be computed. */
int plane_grid_step(const struct plane_work *w);
/* 0; -1 after nb_fail; 1: no grid serves, since the field is not finite at some node. To be closed in any case. */
int plane_grid_open(struct plane_grid *g, const struct plane_work *w, int step);
void plane_grid_close(struct plane_grid *g);
/* Adds the field in row y of the pixels. -1: no memory. */
int plane_grid_add_row(const struct plane_grid *g, const struct plane_work *w, int y, double *const row[3]);

/* ---- contours.c: lines over a picture where a quantity has given values, antialiased and of one width.
 *
 * A line is drawn where the quantity, linear between a pixel and its neighbours, takes the value: a pixel's distance
 * from it is |f - level| / |grad f|, and pixels count only if f is on both sides of the level nearby (as of the squares
 * in Lorensen & Cline 1987, SIGGRAPH 21, 163, without a list of segments, since lines are drawn and not kept). */

struct contour_label {
    double x, y, half, height; /* its middle, half its width and the height of its text, pixels */
    char text[ROUNDING_TEXT];
};

struct contours {
    int count;
    const double *level; /* rising */
    double width;        /* of the lines, pixels */
    double opacity;      /* 0 to 1 */
    int labels;
    struct contour_label label[MAP_CONTOURS_MAX]; /* where lines have a gap */
};

struct contour_field { /* value[y * width + x], NAN where it has none */
    const float *value;
    int width, height;
};

/* How much of the pixel (x, y) a line covers, 0 to 1. */
double contours_cover(const struct contours *c, const struct contour_field *f, int x, int y);
/* Draws them into a picture of the values' size: white, or black where the picture is bright. */
void contours_draw(const struct contours *c, const struct contour_field *f, struct picture *p);
/* Smooths values by three means over 2 radius + 1 pixels each way, of those that there are. Dies without memory. */
void contours_smooth(float *value, int width, int height, int radius);

/* ---- contour_levels.c: up to `most` round values between the ends of a scale, in a unit of `factor` of its own; their
 * number. Of a linear scale they are multiples of 1, 2 or 5 times a power of ten, of a logarithm the same in each
 * decade, of others evenly spaced over the colours. ---- */
int contour_levels(const struct colour_scale *scale, double factor, int most, double *level);

/* ---- contour_labels.c: a number on each line that is long and flat enough for it ---- */
void contour_labels_place(struct contours *c, const struct contour_field *f, struct text *text, double factor);
void contour_labels_draw(const struct contours *c, struct text *text, struct picture *p);

/* ---- map_bodies.c: what bodies put into a map of density or of a mean: their mass, and with it a quantity ---- */

struct map_bodies {
    float *light;            /* mass / total; 0 of a body whose quantity is not a finite number of single precision */
    float *value;            /* (quantity - least) / span, from 0 to 1: single precision serves whatever the offset */
    double total;            /* mass that light counts in: of all, of the heaviest of several frames */
    double least, span;      /* of the quantity in all frames */
    uint64_t lights, values; /* for which there is room */
    bool warned;             /* of quantities that are not numbers */
};

/* Notes total and range of several frames, `bodies(of, k)`; `name`: the quantity (quantity.c), NULL for the mass alone.
 * Warns once of bodies that are left out. Dies where the bodies do not have it. */
void map_bodies_survey(struct map_bodies *m, const struct nb_bodies *const *frames, int count, const char *name);
/* Takes them from the bodies of one of these. Dies without memory. */
void map_bodies_take(struct map_bodies *m, const struct nb_bodies *b, const char *name);
void map_bodies_free(struct map_bodies *m);

/* ---- map*.c: pictures of a quantity instead of light: what it is in every pixel, and how that is shown ---- */

struct map_range { /* pixels of frames: */
    struct sample value;
    struct sample mass; /* of means: beside each value, as in map.mass; else 0 */
};

struct map {
    const struct map_options *options;
    const struct colour_options *colour;
    struct stage *stage;
    bool linear;                   /* the values are written, and not shown */
    struct colour_ramp ramp;       /* from low to high values */
    uint16_t shown[RAMP_STEPS][3]; /* levels of its steps; black of what is not a number */
    struct map_bodies bodies;
    struct nb_kept_fields kept;     /* external fields of the maps of a field */
    char unit[NB_NAME_MAX];         /* of the values, as columns have it */
    float *value[LAYOUT_PANES_MAX]; /* of each pane: value[y * width + x], in the stream's units, NAN where there is
                                       none */
    float *mass[LAYOUT_PANES_MAX];  /* of means: of a picture height squared, over all */
    float *pixels;                  /* a pane as lib/light has it, 4 numbers each */
    struct map_range range;         /* of frames surveyed */
    struct colour_scale *scale;     /* NULL before the first frame */
    unsigned beyond;                /* ends of the scale that have values beyond them in the picture drawn last */
    bool is_symmetric;              /* about 0, where the colours are neutral */
    double level[MAP_CONTOURS_MAX];
    struct contours contours;
    struct text *text;  /* of their numbers, NULL: there are none */
    double unit_factor; /* of their numbers */
    double thin;        /* of means: a pixel with less mass is black */
};

static inline size_t map_pixels(const struct pane *pane)
{
    return (size_t)pane->place.width * (size_t)pane->place.height;
}

/* map_range.c: notes what another map or this one holds; sets scale and thin, and empties the range. Dies
 * where the scale cannot be. */
void map_range_note(struct map_range *r, const struct map *m);
void map_range_set(struct map *m, struct map_range *r);
void map_range_free(struct map_range *r);
/* map_contours.c: chooses lines for the scale, in the unit that the colour bar has. */
void map_contours_set(struct map *m, const struct nb_units *units);
/* Draws them, and their numbers, over a pane that was painted. */
void map_contours_draw(const struct map *m, int pane, struct picture *picture);
void map_contours_close(struct map *m);
/* map_paint.c: reads the colours, as they are before or after the scale is known; dies where there are none of that
 * name. */
void map_paint_open(struct map *m);
/* Notes which ends of the scale the values exceed. */
void map_paint_note(struct map *m);
/* Paints a pane: of a painter. */
void map_paint(void *state, const struct pane *pane, struct picture *picture, bool over);
