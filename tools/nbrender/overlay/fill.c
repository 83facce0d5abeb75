#include "nbrender/overlay/overlay.h"

#include <math.h>
#include <stdlib.h>

/* Where the sides cross a line, in order; a corner on it belongs to the side below. Returns how many. */
static int find_crossings(const double (*at)[2], int count, double y, double *x)
{
    int found = 0;
    for (int k = 0; k < count; k++) {
        const double *p = at[k], *q = at[(k + 1) % count];
        if ((p[1] <= y) != (q[1] <= y))
            x[found++] = p[0] + (q[0] - p[0]) * ((y - p[1]) / (q[1] - p[1]));
    }
    qsort(x, (size_t)found, sizeof *x, compare_numbers);
    return found;
}

static void add_span(double x0, double x1, int width, float *cover)
{
    x0 = fmin(fmax(x0, 0), width);
    x1 = fmin(fmax(x1, 0), width);
    for (int x = (int)x0; x < x1; x++)
        cover[x] += (float)((fmin(x1, x + 1) - fmax(x0, x)) / FILL_LINES);
}

int fill_cover(const double (*at)[2], int count, int width, int height, fill_row *row, void *context)
{
    double *x = malloc((size_t)count * sizeof *x);
    float *cover = malloc((size_t)width * sizeof *cover);
    for (int y = 0; y < height && x && cover; y++) {
        memset(cover, 0, (size_t)width * sizeof *cover);
        for (int line = 0; line < FILL_LINES; line++) {
            const int found = find_crossings(at, count, y + (line + 0.5) / FILL_LINES, x);
            for (int k = 0; k + 1 < found; k += 2)
                add_span(x[k], x[k + 1], width, cover);
        }
        row(context, y, cover);
    }
    const bool good = x && cover;
    free(x);
    free(cover);
    return good ? 0 : nb_fail("no memory for the walls");
}
