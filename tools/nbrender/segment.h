/* segment.h - how much of each pixel a straight line with round ends covers. */
#ifndef NBRENDER_SEGMENT_H
#define NBRENDER_SEGMENT_H

struct segment {
    double begin[2], end[2]; /* x, y in pixels from the upper left corner: the middle of the first one is (0.5, 0.5) */
    double opacity[2];       /* there, 0 to 1; linear between */
    double width;            /* pixels, > 0; below one a line is as bright as its width says */
};

/* A pixel that is covered, with the part of it that is, times the opacity: above 0, 1 at most. */
typedef void segment_pixel(void *context, int x, int y, double cover);

/* Goes over those in an area of width x height pixels, row by row, each once. A segment whose places are no finite
 * numbers covers none. */
void segment_cover(const struct segment *s, int width, int height, segment_pixel *pixel, void *context);

#endif
