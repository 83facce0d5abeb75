/* Computes the coverage of pixels by a straight line with round ends. */
#include "nbrender/overlay/overlay.h"

/* Restricts the interval [t0, t1] to the values of t for which a + t * d >= 0. */
static void keep_half(double a, double d, double *t0, double *t1)
{
    if (d > 0)
        *t0 = fmax(*t0, -a / d);
    else if (d < 0)
        *t1 = fmin(*t1, -a / d);
    else if (a < 0)
        *t1 = -1;
}

/* Clips a segment to a rectangle: the picture extended by `reach` pixels on each side, because the line covers pixels
 * up to this distance from the segment (Liang and Barsky 1984, ACM TOG 3, 1). Returns false if the entire segment is
 * outside the rectangle. */
static bool clip(struct segment *s, double reach, int width, int height)
{
    const double size[2] = {width, height}, fade = s->opacity[1] - s->opacity[0];
    double t0 = 0, t1 = 1, way[2];
    for (int d = 0; d < 2; d++) {
        way[d] = s->end[d] - s->begin[d];
        if (!isfinite(way[d]))
            return false;
        keep_half(s->begin[d] + reach, way[d], &t0, &t1);
        keep_half(size[d] + reach - s->begin[d], -way[d], &t0, &t1);
    }
    for (int d = 0; d < 2; d++) {
        s->end[d] = s->begin[d] + t1 * way[d];
        s->begin[d] += t0 * way[d];
    }
    s->opacity[1] = s->opacity[0] + t1 * fade;
    s->opacity[0] += t0 * fade;
    return t0 <= t1;
}

/* Sets *from and *to so that, on the horizontal line at y, all points within the distance `reach` of the segment have
 * an x from *from to *to. `length` is the length of the segment. */
static void strip(const struct segment *s, double reach, double y, double length, double *from, double *to)
{
    double nx = -(s->end[1] - s->begin[1]) / length, ny = (s->end[0] - s->begin[0]) / length;
    *from = fmin(s->begin[0], s->end[0]) - reach;
    *to = fmax(s->begin[0], s->end[0]) + reach;
    if (length > 0 && fabs(nx) > 1e-6) {
        double middle = s->begin[0] - ny * (y - s->begin[1]) / nx, half = reach / fabs(nx);
        *from = fmax(*from, middle - half);
        *to = fmin(*to, middle + half);
    }
}

/* The coverage of a pixel is 1 inside the line and 0 outside. At the edge of the line it decreases linearly over a
 * distance of one pixel. If the line is narrower than a pixel, the coverage is at most its width in pixels. */
void segment_cover(const struct segment *segment, int width, int height, segment_pixel *pixel, void *context)
{
    struct segment s = *segment;
    const double reach = 0.5 * s.width + 0.5, peak = fmin(s.width, 1);
    if (!clip(&s, reach, width, height))
        return;
    const double dx = s.end[0] - s.begin[0], dy = s.end[1] - s.begin[1], length2 = dx * dx + dy * dy;
    const int begin = (int)fmax(fmin(s.begin[1], s.end[1]) - reach, 0);
    const int end = (int)fmin(fmax(s.begin[1], s.end[1]) + reach + 1, height);
    for (int y = begin; y < end; y++) {
        double from, to;
        strip(&s, reach, y + 0.5, sqrt(length2), &from, &to);
        for (int x = (int)fmax(from, 0); x < width && x < to; x++) {
            double px = x + 0.5 - s.begin[0], py = y + 0.5 - s.begin[1];
            double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            double away2 = (px - t * dx) * (px - t * dx) + (py - t * dy) * (py - t * dy);
            double covered = fmin(reach - sqrt(away2), peak);
            if (covered > 0)
                pixel(context, x, y, covered * (s.opacity[0] + t * (s.opacity[1] - s.opacity[0])));
        }
    }
}
