/* fill.h - how much of each pixel the inside of a polygon covers. */
#ifndef NBRENDER_FILL_H
#define NBRENDER_FILL_H

#include <stdbool.h>

/* Of a polygon with `count` corners, x and y in pixels from the upper left corner of an area of width x height pixels;
 * the last is joined to the first. A row's cover[x], 0 to 1, is what the inside covers of its pixels; by the even-odd
 * rule on FILL_LINES lines a row, exact along each. `row` gets them from the top. -1 after nb_fail without memory. */
#define FILL_LINES 4
typedef void fill_row(void *context, int y, const float *cover);
int fill_cover(const double (*at)[2], int count, int width, int height, fill_row *row, void *context);

#endif
