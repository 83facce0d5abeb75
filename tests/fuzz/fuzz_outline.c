/* Fuzz target: nbgen windtunnel --airfoil FILE. An accepted profile goes from 0 to 1 and is closed. If it is valid,
 * disks are placed around it, and no disk is inside or touches it. */
#include "base/error.h"
#include "common/tool.h"
#include "nbgen/contact/disks.h"
#include "sandbox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DISKS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_outline: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

static void check_outline(const struct outline *o)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 2 * o->count; k++) {
        require(isfinite(o->xy[k]), "numbers are finite");
        if (k % 2 == 0)
            least = fmin(least, o->xy[k]), most = fmax(most, o->xy[k]);
    }
    require(o->count >= 4 && o->count <= OUTLINE_POINTS_MAX + 1, "there are some points");
    require(least == 0 && most == 1, "it goes from 0 to 1");
    require(memcmp(o->xy, o->xy + 2 * o->count - 2, 2 * sizeof *o->xy) == 0, "it is closed");
}

/* Distance from the nearest segment; below 0 inside. */
static double distance(const struct nb_wall *w, const double *p)
{
    double least = INFINITY;
    bool inside = false;
    for (int k = 0; k + 1 < w->count; k++) {
        const double *a = w->xy + 2 * k, *b = a + 2, dx = b[0] - a[0], dy = b[1] - a[1];
        const double t = fmin(fmax(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy), 0), 1);
        least = fmin(least, hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy));
        if ((a[1] <= p[1]) != (b[1] <= p[1]) && p[0] < a[0] + (p[1] - a[1]) / dy * dx)
            inside = !inside;
    }
    return inside ? -least : least;
}

static void place(const struct nb_scene *scene)
{
    struct lattice l = {.low = {-2, -2.5}, .high = {3, 2.5}, .radius = scene->radius, .n = DISKS};
    double u[2][DISKS], pos[3 * DISKS];
    for (int i = 0; i < DISKS; i++)
        u[0][i] = fmod(0.618034 * i, 1), u[1][i] = fmod(0.41421 * i, 1);
    lattice_make(&l, scene);
    lattice_place(&l, 0, DISKS, (double *[]){u[0], u[1]}, pos);
    for (int i = 0; i < DISKS; i++)
        require(distance(&scene->walls[0], pos + 3 * i) >= scene->radius * (1 - 1e-9), "disks are outside");
}

static void run(void *path)
{
    const struct outline o = outline_read(path);
    struct nb_scene scene = {.boxed = true, .low = {-2, -2.5}, .high = {3, 2.5}, .radius = 0.05};
    check_outline(&o);
    if (nb_scene_add_wall(&scene, "body", o.xy, o.count) == 0 && nb_scene_check(&scene) == 0)
        place(&scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = memfd_create("profile", 0);
    require(write(fd, data, size) == (ssize_t)size, "a file is written");
    sprintf(path, "/proc/self/fd/%d", fd);
    tool_options.quiet = true;
    const int status = sandbox_run(run, path);
    require(status == -1 || status == TOOL_FAILED || status == TOOL_USAGE, "the end is a known one");
    close(fd);
    return 0;
}
