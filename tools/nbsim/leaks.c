/* leaks.c - finds two faults of a run with colliding disks (sim_leaks_look in run.h): disks that passed through a wall
 * and are outside the box, and flows whose inlet has too few disks. The contact force does not report disks that pass
 * through a thin wall. It reports an error only if the centre of a disk is deep inside a wall that encloses an area. */
#include "run.h"

#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* nbsim warns if a disk is fast enough to enter a wall by more than this number of disk radii. In models of nbgen only
 * the fastest disks can enter by more than one radius. */
#define DEEP  1.5
#define NEAR  1e-6 /* a wall closer than this to a side of the box, in disk radii, counts as a wall on this side */
#define SHARE 0.01 /* if more than this share of all disks is outside the box, the run is invalid */
/* nbsim warns if the inflow has less than this fraction of its intended density. The fraction is below 1, because the
 * number of entering disks fluctuates by some percent. */
#define THIN  0.95
#define BLOCK 1024

/* ---- sides of the box that are closed by walls ---- */

struct part { /* part of a side of the box that a wall covers: range of the coordinate along this side */
    double begin, end;
};

static int compare(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    return p->begin < q->begin ? -1 : p->begin > q->begin;
}

/* Lists the parts of a side of the box that the segments of a wall cover. On this side, the coordinate `axis` (0: x,
 * 1: y) is equal to `at`, with the tolerance `near`. Returns the number of parts. */
static size_t list_parts(const struct nb_wall *w, int axis, double at, double near, struct part *part)
{
    size_t count = 0;
    for (int k = 0; k + 1 < w->count; k++) {
        const double *a = w->xy + 2 * (ptrdiff_t)k, *b = a + 2;
        if (fabs(a[axis] - at) <= near && fabs(b[axis] - at) <= near)
            part[count++] = (struct part){fmin(a[!axis], b[!axis]), fmax(a[!axis], b[!axis])};
    }
    return count;
}

static bool is_closed(const struct nb_scene *s, int axis, double at, struct part *part)
{
    const double near = NEAR * s->radius;
    size_t count = 0;
    for (int k = 0; k < s->wall_count; k++)
        count += list_parts(&s->walls[k], axis, at, near, part + count);
    qsort(part, count, sizeof *part, compare);
    double reached = s->low[!axis];
    for (size_t k = 0; k < count && part[k].begin <= reached + near; k++)
        reached = fmax(reached, part[k].end);
    return reached >= s->high[!axis] - near;
}

static void make_ready(struct sim_leaks *l, const struct nb_meta *meta)
{
    struct nb_scene s;
    must(nb_scene_read(meta, &s));
    struct part *part = claimed(malloc((NB_WALL_POINTS_MAX + 1) * sizeof *part), "no memory");
    l->walls = s.wall_count > 0;
    l->stiffness = s.stiffness, l->radius = s.radius;
    l->density = s.flowing ? s.density : 0;
    for (int k = 0; k < 2; k++) {
        const bool has_sides = s.boxed && !s.periodic[k];
        const bool low = has_sides && is_closed(&s, k, s.low[k], part);
        const bool high = has_sides && is_closed(&s, k, s.high[k], part);
        l->low[k] = low ? s.low[k] : -INFINITY;
        l->high[k] = high ? s.high[k] : INFINITY;
        l->from[k] = has_sides && !low ? s.low[k] : -INFINITY;
        l->to[k] = has_sides && !high ? s.high[k] : INFINITY;
    }
    free(part);
    nb_scene_free(&s);
    l->ready = true;
}

/* ---- a frame ---- */

static bool is_outside(const struct sim_leaks *l, const double *x)
{
    for (int k = 0; k < 2; k++)
        if ((x[k] < l->low[k] || x[k] > l->high[k]) && x[!k] >= l->from[!k] && x[!k] <= l->to[!k])
            return true;
    return false;
}

struct found {
    uint64_t outside;
    /* largest depth to which a disk would enter a wall before the contact force stops it, in radii of the disk */
    double deepest;
};

/* Counts the disks outside the box, and computes how deep the disks can enter a wall. `radius` is the column of the
 * radii of the disks; NULL: all disks have the radius in the frame's header. */
static struct found look(const struct sim_leaks *l, const struct nb_bodies *b, const struct nb_column *radius)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos"),
                           *vel = nb_bodies_find(b, "vel");
    uint64_t outside = 0;
    double deepest = 0;
#pragma omp parallel for schedule(static) reduction(+ : outside) reduction(max : deepest)
    for (uint64_t i0 = 0; i0 < b->n; i0 += BLOCK) {
        const uint64_t i1 = i0 + BLOCK < b->n ? i0 + BLOCK : b->n;
        double m[BLOCK], x[3 * BLOCK], v[3 * BLOCK], r[BLOCK];
        nb_column_get_f64(mass, i0, i1, m);
        nb_column_get_f64(pos, i0, i1, x);
        nb_column_get_f64(vel, i0, i1, v);
        if (radius)
            nb_column_get_f64(radius, i0, i1, r);
        for (uint64_t i = 0; i < i1 - i0; i++) {
            outside += is_outside(l, x + 3 * i);
            const double size = radius ? r[i] : l->radius, v2 = v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1];
            deepest = fmax(deepest, m[i] * v2 / (size * size));
        }
    }
    return (struct found){outside, sqrt(deepest / l->stiffness)};
}

/* Warns if the inflow has too few disks. Reads the density of the inflow from the frame's header. It is a mean over the
 * time since the previous frame, and cannot be computed from the present positions of the disks. */
static void look_at_inflow(struct sim_leaks *l, const struct nb_meta *meta, double time)
{
    double inflow[3];
    if (!(l->density > 0) || l->warned_of_thin || !nb_scene_inflow(meta, inflow) || inflow[0] >= THIN * l->density)
        return;
    warn("t = %.9g: the inflow has only %.2g of its density: the inlet has no disks in reserve (nbgen windtunnel "
         "--reserve)",
         time, inflow[0] / l->density);
    l->warned_of_thin = true;
}

void sim_leaks_look(struct run *r, double time)
{
    struct sim_leaks *l = &r->leaks;
    if (!(nb_force_set_flags(&r->forces) & NB_CONTACT))
        return;
    if (!l->ready)
        make_ready(l, &r->bodies.meta);
    look_at_inflow(l, &r->bodies.meta, time);
    if (!l->walls)
        return;
    const bool own = nb_force_set_flags(&r->forces) & NB_READS_RADIUS;
    const struct found found = look(l, &r->bodies, own ? nb_bodies_find(&r->bodies, "radius") : NULL);
    l->outside = found.outside;
    if (found.deepest > DEEP && !l->warned_of_soft) {
        warn("t = %.9g: walls are too soft: the fastest disk would enter a wall by %.3g radii, and above 1 it passes "
             "through a thin wall",
             time, found.deepest);
        l->warned_of_soft = true;
    }
    if (l->outside > 0 && !l->warned_of_outside) {
        warn("t = %.9g: %" PRIu64 " of %s %s outside the box, behind the walls that close it", time, l->outside,
             tool_many(r->bodies.n, "disk", "disks"), l->outside == 1 ? "is" : "are");
        l->warned_of_outside = true;
    }
}

bool sim_leaks_judge(const struct run *r)
{
    const double share = (double)r->leaks.outside / (double)r->bodies.n;
    if (share <= SHARE)
        return true;
    complain("%" PRIu64 " of %" PRIu64 " disks, %.3g %%, are outside the box at the end: its walls did not hold them",
             r->leaks.outside, r->bodies.n, 100 * share);
    return false;
}
