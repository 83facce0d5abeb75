#include "nbrender/overlay/overlay.h"

struct line {
    double x0, y0, x1, y1, opacity0, opacity1;
    double reach; /* to both sides, to where nothing is covered any more */
    double peak;  /* coverage in the middle */
};

/* Keeps the part t0..t1 of a line where a + t d >= 0. */
static void keep_half(double a, double d, double *t0, double *t1)
{
    if (d > 0)
        *t0 = fmax(*t0, -a / d);
    else if (d < 0)
        *t1 = fmin(*t1, -a / d);
    else if (a < 0)
        *t1 = -1;
}

/* Cuts a line off where it leaves the picture (Liang and Barsky 1984, ACM TOG 3, 1), so that what follows has no huge
 * numbers. False: nothing is left. */
static bool clip(struct line *s, int width, int height)
{
    double t0 = 0, t1 = 1, dx = s->x1 - s->x0, dy = s->y1 - s->y0, fade = s->opacity1 - s->opacity0;
    if (!isfinite(dx) || !isfinite(dy))
        return false;
    keep_half(s->x0 + s->reach, dx, &t0, &t1);
    keep_half(width + s->reach - s->x0, -dx, &t0, &t1);
    keep_half(s->y0 + s->reach, dy, &t0, &t1);
    keep_half(height + s->reach - s->y0, -dy, &t0, &t1);
    if (!(t0 <= t1))
        return false;
    *s = (struct line){s->x0 + t0 * dx,         s->y0 + t0 * dy,         s->x0 + t1 * dx, s->y0 + t1 * dy,
                       s->opacity0 + t0 * fade, s->opacity0 + t1 * fade, s->reach,        s->peak};
    return true;
}

/* The pixels x of a row whose middles may be within reach: those of the endless strip about the line. */
static void strip(const struct line *s, double y, double length, double *from, double *to)
{
    double nx = -(s->y1 - s->y0) / length, ny = (s->x1 - s->x0) / length;
    *from = fmin(s->x0, s->x1) - s->reach;
    *to = fmax(s->x0, s->x1) + s->reach;
    if (length > 0 && fabs(nx) > 1e-6) {
        double middle = s->x0 - ny * (y - s->y0) / nx, half = s->reach / fabs(nx);
        *from = fmax(*from, middle - half);
        *to = fmin(*to, middle + half);
    }
}

static void cover(struct line s, int width, int height, segment_pixel *pixel, void *context)
{
    double dx = s.x1 - s.x0, dy = s.y1 - s.y0, length2 = dx * dx + dy * dy;
    int begin = (int)fmax(fmin(s.y0, s.y1) - s.reach, 0), end = (int)fmin(fmax(s.y0, s.y1) + s.reach + 1, height);
    for (int y = begin; y < end; y++) {
        double from, to;
        strip(&s, y + 0.5, sqrt(length2), &from, &to);
        for (int x = (int)fmax(from, 0); x < width && x < to; x++) {
            double px = x + 0.5 - s.x0, py = y + 0.5 - s.y0;
            double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            double away2 = (px - t * dx) * (px - t * dx) + (py - t * dy) * (py - t * dy);
            double covered = fmin(s.reach - sqrt(away2), s.peak);
            if (covered > 0)
                pixel(context, x, y, covered * (s.opacity0 + t * (s.opacity1 - s.opacity0)));
        }
    }
}

/* A thin line covers no pixel wholly: it reaches half a pixel further than its half width, and no further. */
void segment_cover(const struct segment *s, int width, int height, segment_pixel *pixel, void *context)
{
    struct line line = {s->begin[0],   s->begin[1],          s->end[0],        s->end[1], s->opacity[0],
                        s->opacity[1], 0.5 * s->width + 0.5, fmin(s->width, 1)};
    if (clip(&line, width, height))
        cover(line, width, height, pixel, context);
}
