/* contours.h - lines over a picture where a quantity has given values, antialiased and of one width.
 *
 * A line is drawn where the quantity, linear between a pixel and its neighbours, takes the value: a pixel's distance
 * from it is |f - level| / |grad f|, and pixels count only if f is on both sides of the level nearby (as of the squares
 * in Lorensen & Cline 1987, SIGGRAPH 21, 163, without a list of segments, since lines are drawn and not kept). */
#ifndef NBRENDER_CONTOURS_H
#define NBRENDER_CONTOURS_H

#include "nbrender/output/picture.h"

struct contours {
    int count;
    const double *level; /* rising */
    double width;        /* of the lines, pixels */
    double opacity;      /* 0 to 1 */
    uint16_t colour[3];  /* of the display */
};

/* How much of the pixel (x, y) a line covers, 0 to 1; value[y * width + x], NAN where it has none. */
double contours_cover(const struct contours *c, const float *value, int width, int height, int x, int y);
/* Draws them into a picture of the values' size. */
void contours_draw(const struct contours *c, const float *value, struct picture *p);

#endif
