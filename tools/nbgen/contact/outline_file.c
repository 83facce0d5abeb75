/* outline_file.c - reads the outline of a body from a file with the columns x and y. The points have one of two orders:
 * - Selig's order: once around the outline.
 * - Lednicer's order: first the points of the upper side, then those of the lower side, both from the leading edge. The
 *   first line of the file contains the numbers of points of the two sides. */
#include "nbgen/contact/disks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 1024
/* Minimum ratio (chord) / (largest coordinate). If the ratio is smaller, the points are nearly on a vertical line, and
 * the body has no chord. */
#define LEAST_CHORD 1e-6

struct points {
    const char *path;
    int count;
    double (*xy)[2]; /* has space for OUTLINE_POINTS_MAX + 1 points */
};

/* Reads two numbers from a line. Returns 1 if the line contains only two numbers, 0 if it is empty or a comment, and -1
 * otherwise. */
static int two_numbers(const char *line, double xy[2])
{
    char *end;
    const char *at = line + strspn(line, " \t\r\n");
    if (*at == '\0' || *at == '#')
        return 0;
    for (int k = 0; k < 2; k++, at = end) {
        at += strspn(at, " \t,");
        xy[k] = strtod(at, &end);
        if (end == at)
            return -1;
    }
    return end[strspn(end, " \t\r\n")] == '\0' ? 1 : -1;
}

static void take_point(struct points *p, const double xy[2], int line)
{
    if (!isfinite(xy[0]) || !isfinite(xy[1]) || fabs(xy[0]) > 1e9 || fabs(xy[1]) > 1e9)
        die("%s: line %d: expected two numbers of a reasonable size", p->path, line);
    if (p->count == OUTLINE_POINTS_MAX)
        die("%s: more than %d points", p->path, OUTLINE_POINTS_MAX);
    memcpy(p->xy[p->count++], xy, 2 * sizeof *xy);
}

static void take_lines(struct points *p, FILE *in)
{
    char text[LINE_BYTES];
    double xy[2];
    for (int line = 1; fgets(text, sizeof text, in); line++) {
        if (!strchr(text, '\n') && !feof(in))
            die("%s: line %d is longer than %d bytes", p->path, line, LINE_BYTES - 2);
        const int found = two_numbers(text, xy);
        if (found > 0)
            take_point(p, xy, line);
        else if (found < 0 && line > 1) /* the first line may contain the name of the profile */
            die("%s: line %d: expected two numbers", p->path, line);
    }
    if (ferror(in))
        die("%s: cannot be read: %s", p->path, strerror(errno));
}

/* Converts Lednicer's order to Selig's order. Reverses the upper side, so that it ends at the leading edge. The lower
 * side follows without its first point, because this point is also the leading edge. */
static void join_sides(struct points *p)
{
    const double above = p->xy[0][0], below = p->xy[0][1];
    if (above != rint(above) || !(above >= 2) || !(below >= 2) || above + below != p->count - 1)
        die("%s: expected the numbers of upper and lower points first, which add up to %d, found %g and %g", p->path,
            p->count - 1, above, below);
    const int upper = (int)above;
    memmove(p->xy, p->xy + 1, (size_t)(p->count - 1) * sizeof *p->xy);
    for (int k = 0; k < upper / 2; k++) {
        double keep[2];
        memcpy(keep, p->xy[k], sizeof keep);
        memcpy(p->xy[k], p->xy[upper - 1 - k], sizeof keep);
        memcpy(p->xy[upper - 1 - k], keep, sizeof keep);
    }
    p->count--;
}

static bool is_same(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Removes repeated points and closes the outline. */
static void close_outline(struct points *p)
{
    int kept = 0;
    for (int k = 0; k < p->count; k++)
        if (kept == 0 || !is_same(p->xy[k], p->xy[kept - 1]))
            memmove(p->xy[kept++], p->xy[k], sizeof *p->xy);
    while (kept > 1 && is_same(p->xy[0], p->xy[kept - 1]))
        kept--;
    if (kept < 3)
        die("%s: an outline needs at least three points, found %d (equal successive points count once)", p->path, kept);
    memcpy(p->xy[kept++], p->xy[0], sizeof *p->xy);
    p->count = kept;
}

static double twice_area(const struct points *p)
{
    double sum = 0;
    for (int k = 0; k + 1 < p->count; k++)
        sum += (p->xy[k][0] - p->xy[0][0]) * (p->xy[k + 1][1] - p->xy[0][1]) -
               (p->xy[k + 1][0] - p->xy[0][0]) * (p->xy[k][1] - p->xy[0][1]);
    return sum;
}

/* Returns the outline with the points in anticlockwise order, scaled to x from 0 to 1. */
static struct outline normalise(const struct points *p)
{
    struct outline o = outline_new(p->count, 0.25);
    double least = INFINITY, most = -INFINITY, size = 0;
    const bool backwards = twice_area(p) < 0;
    for (int k = 0; k < p->count; k++) {
        least = fmin(least, p->xy[k][0]), most = fmax(most, p->xy[k][0]);
        size = fmax(size, fmax(fabs(p->xy[k][0]), fabs(p->xy[k][1])));
    }
    if (!(most - least > LEAST_CHORD * size))
        die("%s: all points have the same x, so the profile has no chord", p->path);
    for (int k = 0; k < p->count; k++) {
        const double *from = p->xy[backwards ? p->count - 1 - k : k];
        o.xy[2 * k] = (from[0] - least) / (most - least);
        o.xy[2 * k + 1] = from[1] / (most - least);
    }
    return o;
}

struct outline outline_read(const char *path)
{
    struct points p = {.path = path};
    FILE *in = fopen(path, "r");
    p.xy = claimed(malloc((OUTLINE_POINTS_MAX + 1) * sizeof *p.xy), "no memory for a profile");
    if (!in)
        die("%s: cannot be read: %s", path, strerror(errno));
    take_lines(&p, in);
    fclose(in);
    if (p.count > 0 && p.xy[0][0] > 1.5 && p.xy[0][1] > 1.5)
        join_sides(&p);
    close_outline(&p);
    const struct outline o = normalise(&p);
    free(p.xy);
    return o;
}
