/* canvas.h - a picture with the places that overlays have taken on it. */
#ifndef NBRENDER_CANVAS_H
#define NBRENDER_CANVAS_H

#include "nbrender/output/picture.h"
#include "nbrender/overlay/text.h"

#include <stdbool.h>

#define CANVAS_TAKEN_MAX 16

struct canvas_box {
    double x0, y0, x1, y1; /* pixels, y down */
};

struct canvas {
    struct picture *picture;
    struct text *text, *small, *large; /* 1, 0.8 and 1.3 times the usual size */
    double em, margin;                 /* pixels */
    struct canvas_box taken[CANVAS_TAKEN_MAX];
    int count;
};

extern const uint16_t canvas_ink[3]; /* of text, bars and curves */
#define CANVAS_OPACITY 0.8           /* of theirs */
#define CANVAS_FAINT   0.35          /* of frames and axes */

/* Takes a place; false, and nothing is taken: it leaves the picture or overlaps another one. */
bool canvas_take(struct canvas *c, struct canvas_box box);
/* The base line of what stands at the top. */
double canvas_first_line(const struct canvas *c);
/* Text in ink. */
void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8);

#endif
