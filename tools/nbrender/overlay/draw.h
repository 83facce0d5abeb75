/* draw.h - lines and rectangles over a finished picture, antialiased.
 *
 * Places are in pixels from the upper left corner: the middle of the first pixel is (0.5, 0.5). Colours are levels of
 * the display, opacity goes from 0 to 1. What lies outside the picture is cut off, and what has no finite place is not
 * drawn. A line is as bright as its width says, also below one pixel. */
#ifndef NBRENDER_DRAW_H
#define NBRENDER_DRAW_H

#include "nbrender/output/picture.h"

#include <stdbool.h>

/* Lays a colour over the pixel (x, y), which is in the picture; opacity from 0 to 1. */
static inline void draw_pixel(struct picture *p, int x, int y, const uint16_t colour[3], float opacity)
{
    size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    for (int k = 0; k < 3; k++) {
        float level = p->plane[k][at];
        p->plane[k][at] = (uint16_t)(level + opacity * ((float)colour[k] - level) + 0.5f);
    }
}

/* A filled rectangle from (x0, y0) to (x1, y1), x0 < x1, y0 < y1; its borders need not be whole. */
void draw_rectangle(struct picture *p, double x0, double y0, double x1, double y1, const uint16_t colour[3],
                    double opacity);
/* A line of `width` pixels with round ends. */
void draw_line(struct picture *p, double x0, double y0, double x1, double y1, double width, const uint16_t colour[3],
               double opacity);
struct draw_area {
    int x, y, width, height; /* a part of a picture, pixels */
};

/* Lines through n places. The opacity goes linearly from one place's to the next's (NULL: 1 everywhere); where the path
 * meets itself the larger one counts, so that bends are no darker or brighter. A place with a NAN interrupts the path.
 * Dies without memory. */
void draw_polyline(struct picture *p, const double (*at)[2], const float *opacity, size_t n, double width,
                   const uint16_t colour[3]);
/* The same in a part of the picture, with places from its corner. `behind`: as if the picture's own light were in front
 * (1 - (1 - picture) (1 - line)), so that it hides no light. */
void draw_polyline_in(struct picture *p, struct draw_area area, bool behind, const double (*at)[2],
                      const float *opacity, size_t n, double width, const uint16_t colour[3]);

#endif
