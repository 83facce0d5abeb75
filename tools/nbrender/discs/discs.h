/* discs.h - bodies as discs, with their paths and labels. */
#pragma once

#include "nbrender/output/output.h"
#include "nbrender/view/view.h"
#include "select/select.h"

/* ---- discs.c: pictures of few bodies: a disc for each, its size by its mass, with the paths they came along; and of
 * bodies that touch, each as large as it is. */

#define DISCS_FEW 200 /* bodies up to which discs are drawn unless --style says otherwise */

enum style { STYLE_AUTO, STYLE_LIGHT, STYLE_DISCS };

struct disc_options {
    enum style style;
    const char *labels;        /* what stands beside the discs (labels.c); NULL: nothing */
    double trails;             /* length of the paths, time units; 0: none */
    struct nb_select *trailed; /* bodies that have paths; NULL: all, or many of them; owned by the tables */
    double point_size;         /* diameter of the most massive body, pixels; 0: by the picture's height */
};

extern const struct tool_option disc_table[];

/* ---- labels.c: the text beside a disc: its id, a value of a column, or a name ---- */

#define LABEL_MAX 128 /* bytes of one, with its NUL */

struct labels;

/* By what --labels says: "id" (the body's place in the frame where there is no id), the name of a column of `b`, or
 * names with commas between: the first is that of the body of the least id in `b`, and so on. Dies where there is no
 * such column, or there are more names than bodies. */
struct labels *labels_create(const char *what, const struct nb_bodies *b);
void labels_destroy(struct labels *l); /* NULL is allowed */
/* Body i's of a frame; empty where it has none. */
void labels_text(const struct labels *l, const struct nb_bodies *b, uint64_t i, char text[LABEL_MAX]);

/* ---- stroke.c: lines and discs of light on a picture, antialiased (segment.c). All are clipped to it; places in
 * pixels (light/view.h), NAN draws nothing. */

/* A line with round ends, `radius` pixels to both sides. What is there already and is brighter stays, channel by
 * channel, so that lines that join or cross show no seams. Colour from 0 to 1. */
void stroke_line(struct picture *p, const double from[2], const double to[2], double radius, const float colour[3]);

/* A disc over what is there, a little darker towards its limb. */
void stroke_disc(struct picture *p, double x, double y, double radius, const float colour[3]);

/* ---- trails.c: where bodies were, and the paths between: cubic Hermite curves from places and velocities, the bodies
 * of two frames matched as motion between frames does (motion/match.c). */

#define TRAILS_MOST  10000 /* bodies with paths */
#define TRAILS_LIGHT 500   /* the same among many, of light, unless they were selected */

struct trails;

struct trail_place {
    double pos[3], vel[3];
    float light; /* of the body */
    uint16_t step;
};

struct trail_way { /* of a body, from one frame to the next */
    const struct trail_place *from, *to;
    double end[3]; /* where `to` is, in the image of a periodic box that the body came to */
    double step;   /* the time that it takes */
    double age[2]; /* shares of the length of paths that have passed since both ends, the older one first */
};

/* For the paths of o->trails time units, > 0. `sampled`: of about TRAILS_LIGHT bodies if there are more and none were
 * selected. Dies without memory. */
struct trails *trails_create(const struct disc_options *o, bool sampled);
void trails_destroy(struct trails *t); /* NULL is allowed */
/* Adds a frame, with the light and the steps of its bodies, and forgets what is older than the length by now, or of
 * another stream: before time turned round. Dies where too many bodies would have paths. */
void trails_note(struct trails *t, const struct nb_bodies *b, const struct nb_light_bodies *light);

/* The place at share s of a way, and the share of the length of paths that has passed since. */
double trail_at(const struct trail_way *w, double s, double x[3]);
/* About how long a way is seen, pixels; 0 if a part of it is behind the camera. */
double trail_length(const struct trail_way *w, const struct nb_view *view);
/* Calls `each` for every way, the oldest first. */
typedef void trail_each(void *context, const struct trail_way *way);
void trails_walk(const struct trails *t, trail_each *each, void *context);
/* Of the frame noted last: its box, and how many bodies of it have paths. */
const struct period *trails_period(const struct trails *t);
uint64_t trails_count(const struct trails *t);

/* ---- trails_lines.c ---- */

/* Draws lines, `radius` pixels to both sides, fading with age, each piece in its body's colour of that time. */
void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p);

/* ---- trails_light.c ---- */

/* Puts the paths into the panes as light, in the same colours, fading with age. `white` is the surface brightness shown
 * as white, of which a path has a share for each body of light 1; `lit` has the ramp of colours. */
void trails_shine(const struct trails *t, double white, struct panes *panes, const struct nb_light_bodies *lit);
