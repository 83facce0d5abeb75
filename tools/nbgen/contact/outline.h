/* outline.h - the outline of a body in a flow: a closed polygon, anticlockwise, in units of its chord, the leading edge
 * at x = 0, the trailing edge at 1. */
#ifndef OUTLINE_H
#define OUTLINE_H

#include <stddef.h>

struct outline {
    int count;    /* of points, the last is the first; 0: no body */
    double *xy;   /* x0 y0 x1 y1 ...; lives until the tool ends */
    double pivot; /* x of the axis that it is turned about, at y = 0 */
};

#define OUTLINE_NAMES      "naca and 4 or 5 digits (Jacobs, Ward & Pinkerton 1933; 1935), cylinder, plate, wedge, none"
#define OUTLINE_POINTS_MAX 10000

/* The outline that --airfoil asks for: a profile by its name, with `points` sides where it is curved, else a file of
 * two columns. Dies: usage where there is no such profile, 1 where the file is none. */
struct outline outline_find(const char *airfoil, int points);

/* From the text of a file; outline_file.c */
struct outline outline_read(const char *path);
/* A NACA profile of those digits; dies (usage) where there is none. outline_naca.c */
struct outline outline_naca(const char *digits, int points);
/* Memory for so many points, none of them set. */
struct outline outline_new(int count, double pivot);

#endif
