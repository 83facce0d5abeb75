/* outline.c - makes the outline of a body in a flow. A name such as `wedge` selects the body. */

#include "nbgen/contact/disks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLATE_THICKNESS 0.04
/* Half the angle of the wedge. It is small enough that the oblique shock at Mach 2 stays attached to the edge. */
#define WEDGE_HALF_DEG 10

struct outline outline_new(int count, double pivot)
{
    double *xy = claimed(malloc(2 * (size_t)count * sizeof *xy), "no memory for a profile of %d points", count);
    return (struct outline){count, xy, pivot};
}

static struct outline listed(const double *xy, int count)
{
    struct outline o = outline_new(count, 0.5);
    memcpy(o.xy, xy, 2 * (size_t)count * sizeof *xy);
    return o;
}

static struct outline plate(void)
{
    const double h = PLATE_THICKNESS / 2;
    return listed((const double[]){0, -h, 1, -h, 1, h, 0, h, 0, -h}, 5);
}

static struct outline wedge(void)
{
    const double h = tan(WEDGE_HALF_DEG * M_PI / 180);
    return listed((const double[]){0, 0, 1, -h, 1, h, 0, 0}, 4);
}

static struct outline cylinder(int points)
{
    struct outline o = outline_new(points + 1, 0.5);
    for (int k = 0; k <= points; k++) {
        const double angle = 2 * M_PI * (k % points) / points;
        o.xy[2 * k] = 0.5 + 0.5 * cos(angle);
        o.xy[2 * k + 1] = 0.5 * sin(angle);
    }
    return o;
}

struct outline outline_find(const char *airfoil, int points)
{
    if (strcmp(airfoil, "cylinder") == 0)
        return cylinder(points);
    if (strcmp(airfoil, "plate") == 0)
        return plate();
    if (strcmp(airfoil, "wedge") == 0)
        return wedge();
    if (strcmp(airfoil, "none") == 0)
        return (struct outline){0};
    if (strncmp(airfoil, "naca", 4) == 0 && strlen(airfoil + 4) == strspn(airfoil + 4, "0123456789"))
        return outline_naca(airfoil + 4, points);
    if (!strpbrk(airfoil, "/.") && access(airfoil, F_OK) != 0)
        die_usage("--airfoil %s: expected a file or %s", airfoil, OUTLINE_NAMES);
    return outline_read(airfoil);
}
