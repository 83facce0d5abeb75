/* discs.h - bodies drawn as discs, with trails and labels. */
#pragma once

#include "nbrender/output/output.h"
#include "nbrender/view/view.h"
#include "select/select.h"

/* ---- discs.c: pictures in which each body is a disc. The size of the disc follows from the body's mass. Colliding
 * disks are drawn with their own radii. ---- */

#define DISCS_FEW 200 /* maximum number of bodies drawn as discs by default */

enum style { STYLE_AUTO, STYLE_LIGHT, STYLE_DISCS };

struct disc_options {
    enum style style;
    const char *labels; /* value of --labels (labels_create); NULL: no labels */
    double trails;      /* length of the trails in time units; 0: none */
    /* condition that selects bodies for trails. NULL: all bodies, or a sample of them if they are drawn as light.
     * Owned by the option table. */
    struct nb_select *trailed;
    /* diameter of the disc of the most massive body, pixels; 0: chosen from the picture's height */
    double point_size;
};

extern const struct tool_option disc_table[];

/* ---- labels.c: text next to a disc: the id of the body, the value of a column, or a name ---- */

#define LABEL_MAX 128 /* maximum number of bytes of a label, including its NUL */

struct labels;

/* Prepares labels. `what` is "id", the name of a column of `b`, or a list of names separated by commas. In a list, the
 * first name labels the body with the smallest id, the second name the body with the next larger id, and so on. Without
 * the column id, the index of a body is its id. Dies if there is no such column, if there are more names than bodies,
 * or if there is no memory. `what` must outlive the labels. */
struct labels *labels_create(const char *what, const struct nb_bodies *b);
void labels_destroy(struct labels *l); /* l may be NULL */
/* Writes the label of body i of the frame `b` to `text`, or an empty string if the body has no label. */
void labels_text(const struct labels *l, const struct nb_bodies *b, uint64_t i, char text[LABEL_MAX]);

/* ---- stroke.c: antialiased lines and discs (segment.c), clipped to the picture. Positions are in pixels, as in
 * light/view.h. A line or disc with a position of NAN is not drawn. ---- */

/* Draws a line with round ends, 2 * radius pixels thick. Each colour channel of a pixel becomes the maximum of its old
 * value and the line's value, so that no seams show where lines join or cross. Colours are from 0 to 1. */
void stroke_line(struct picture *p, const double from[2], const double to[2], double radius, const float colour[3]);

/* Draws an opaque disc, darker towards its limb. */
void stroke_disc(struct picture *p, double x, double y, double radius, const float colour[3]);

/* ---- trails.c: past positions of bodies, and their trails. A trail consists of cubic Hermite curves, computed from
 * positions and velocities. Bodies of two frames are matched by motion/match.c. ---- */

#define TRAILS_MOST 10000 /* maximum number of bodies with trails */
/* approximate number of bodies with trails if bodies are drawn as light and the user did not select bodies */
#define TRAILS_LIGHT 500

struct trails;

struct trail_place {
    double pos[3], vel[3];
    float light;
    uint16_t step;
};

struct trail_way { /* the path of a body from one frame to the next */
    const struct trail_place *from, *to;
    /* end of the path: the position of `to`. If the body crossed a side of a periodic box, this is the periodic image
     * of the position, outside the box, so that the path does not jump to the opposite side */
    double end[3];
    double step;   /* time between the frames */
    double age[2]; /* ages of `from` and `to`: time from each to the newest frame, divided by the length of trails */
};

/* Prepares trails that show the paths during the last o->trails units of simulation time (o->trails > 0). If the user
 * selected bodies for trails, these bodies have trails. If not, all bodies have trails, or only about TRAILS_LIGHT
 * bodies if `sampled` is true. Dies if there is no memory. */
struct trails *trails_create(const struct disc_options *o, bool sampled);
void trails_destroy(struct trails *t); /* t may be NULL */
/* Adds frame b. `light` contains the light and the colour of all its bodies. Removes frames that are older than the
 * length of trails. If time changes its direction, this frame belongs to another stream, and all earlier frames are
 * removed. Dies if more than TRAILS_MOST bodies have trails. */
void trails_note(struct trails *t, const struct nb_bodies *b, const struct nb_light_bodies *light);

/* Computes the position x of the body on its path. s is from 0 (at `from`) to 1 (at `to`), linear in time. Returns the
 * age of this position, divided by the length of trails. */
double trail_at(const struct trail_way *w, double s, double x[3]);
/* Returns the approximate length of the projected path in pixels. Returns 0 if a part of the path is behind the camera.
 */
double trail_length(const struct trail_way *w, const struct nb_view *view);
/* Function that receives a path. The path is valid only during the call. */
typedef void trail_each(void *context, const struct trail_way *way);
/* Calls each(context, way) for every path, oldest first. */
void trails_walk(const struct trails *t, trail_each *each, void *context);
/* trails_period returns the periodic box of the frame that trails_note added last. trails_count returns the number of
 * bodies with trails in this frame. */
const struct period *trails_period(const struct trails *t);
uint64_t trails_count(const struct trails *t);

/* ---- trails_lines.c: trails as lines ---- */

/* Draws the trails as lines, 2 * radius pixels thick. Lines fade with age. Each piece of a line has the colour that the
 * body had at that time. */
void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p);

/* ---- trails_light.c: trails as light ---- */

/* Adds the trails to the panes as light, with the colours and the fading of trails_draw. lit: contains the colour ramp.
 * white: the surface brightness that is shown as white, in light per (picture height)^2. A single trail is darker than
 * this. The more trails there are, the darker is each trail. */
void trails_shine(const struct trails *t, double white, struct panes *panes, const struct nb_light_bodies *lit);
