/* layout.h - the rectangles into which a picture is divided, and from where each looks. */
#ifndef NBRENDER_LAYOUT_H
#define NBRENDER_LAYOUT_H

#include <stdbool.h>

#define LAYOUT_PANES_MAX 4

enum layout_kind {
    LAYOUT_SINGLE,
    LAYOUT_QUAD,
    LAYOUT_STEREO /* the views of the left and the right eye, one over the other */
};

struct layout_pane {
    int x, y, width, height;           /* in the picture, pixels, y down */
    bool fixed;                        /* stands there and is orthographic, whatever is said of the camera */
    double azimuth_deg, elevation_deg; /* of a fixed one */
    int eye;                           /* -1: the left one of a pair, 1: the right one; 0: there is one for both */
};

struct layout {
    int count;
    struct layout_pane pane[LAYOUT_PANES_MAX]; /* in the order of reading; all of one size */
    int main;                                  /* the pane that the camera is for */
};

/* A quad holds the views from the top and in perspective, below them from the front and from the side, so that one
 * above the other they share x, side by side z; between them are gaps of about 1/270 of the picture's height. The
 * picture is at least LAYOUT_QUAD_LEAST pixels each way. */
#define LAYOUT_QUAD_LEAST 16
void layout_fill(struct layout *layout, enum layout_kind kind, int width, int height);

#endif
