/* scene_check.c - checks whether disks can move between a scene's walls. Declared in scene.h. Two segments of walls are
 * compared only if their distances in x and in y are at most the diameter of a disk. To find such segments, all
 * segments are sorted by their smallest x. The check of 20000 segments, the maximum, takes one or two seconds if all
 * are close together. */
#include "scene/scene.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

#define COORDINATE_MAX 1e100 /* maximum of |coordinate|, so that products of coordinate differences remain finite */
/* an end of an open wall joins another wall if the distance between them is at most JOINT * (disk radius) */
#define JOINT 1e-6

struct segment {
    const double *a, *b;
    double low[2], high[2];
    int wall, place; /* wall: index of the wall; place: index of the segment in the wall, from 0 */
};

struct check {
    const struct nb_scene *scene;
    struct segment *segment;
    size_t count;
    /* gap[i][j], i < j: smallest distance found so far between the walls i and j. joined[i][j]: an end of one of these
     * walls lies on the other wall. */
    double gap[NB_WALLS_MAX][NB_WALLS_MAX];
    bool joined[NB_WALLS_MAX][NB_WALLS_MAX];
};

/* ---- two segments ---- */

/* Returns a positive number if c is to the left of the line from a to b, a negative number if c is to the right of it,
 * and 0 if c is on the line. */
static double side(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool is_between(const struct segment *s, const double *c)
{
    return s->low[0] <= c[0] && c[0] <= s->high[0] && s->low[1] <= c[1] && c[1] <= s->high[1];
}

/* Returns whether the segments have a common point. */
static bool meet(const struct segment *p, const struct segment *q)
{
    const double c = side(p->a, p->b, q->a), d = side(p->a, p->b, q->b), a = side(q->a, q->b, p->a),
                 b = side(q->a, q->b, p->b);
    if (((c > 0 && d < 0) || (c < 0 && d > 0)) && ((a > 0 && b < 0) || (a < 0 && b > 0)))
        return true;
    return (c == 0 && is_between(p, q->a)) || (d == 0 && is_between(p, q->b)) || (a == 0 && is_between(q, p->a)) ||
           (b == 0 && is_between(q, p->b));
}

static double point_distance(const struct segment *s, const double *c)
{
    const double dx = s->b[0] - s->a[0], dy = s->b[1] - s->a[1], x = c[0] - s->a[0], y = c[1] - s->a[1];
    const double t = fmin(fmax((x * dx + y * dy) / (dx * dx + dy * dy), 0), 1);
    return hypot(x - t * dx, y - t * dy);
}

/* Returns the distance of segments without a common point. */
static double distance(const struct segment *p, const struct segment *q)
{
    return fmin(fmin(point_distance(p, q->a), point_distance(p, q->b)),
                fmin(point_distance(q, p->a), point_distance(q, p->b)));
}

/* ---- two segments of the scene ---- */

static const struct nb_wall *wall_of(const struct check *c, const struct segment *s)
{
    return &c->scene->walls[s->wall];
}

/* Returns whether the segments follow each other in the wall. In a closed wall the first segment follows the last. */
static bool are_neighbours(const struct nb_wall *w, const struct segment *p, const struct segment *q)
{
    const int apart = abs(p->place - q->place);
    return apart == 1 || (w->closed && apart == w->count - 2);
}

/* Returns whether two neighbouring segments overlap because the wall turns back by 180 degrees. */
static bool folds_back(const struct segment *p, const struct segment *q)
{
    const double along = (p->b[0] - p->a[0]) * (q->b[0] - q->a[0]) + (p->b[1] - p->a[1]) * (q->b[1] - q->a[1]);
    return along < 0 && side(p->a, p->b, q->a) == 0 && side(p->a, p->b, q->b) == 0;
}

static int check_own(const struct check *c, const struct segment *p, const struct segment *q)
{
    const struct nb_wall *w = wall_of(c, p);
    if (are_neighbours(w, p, q) ? folds_back(p, q) : meet(p, q))
        return nb_fail("wall %s crosses itself, between points %d, %d and %d, %d", w->name, p->place, p->place + 1,
                       q->place, q->place + 1);
    return 0;
}

/* Returns whether p is the first or last segment of an open wall, and this end of the wall is at most JOINT disk radii
 * from the segment q. */
static bool ends_on(const struct check *c, const struct segment *p, const struct segment *q)
{
    const struct nb_wall *w = wall_of(c, p);
    const double near = JOINT * c->scene->radius;
    return !w->closed && ((p->place == 0 && point_distance(q, p->a) <= near) ||
                          (p->place == w->count - 2 && point_distance(q, p->b) <= near));
}

/* Returns a lower bound of the distance of two segments: the gap between their bounding boxes in x or in y, whichever
 * is larger. Returns 0 if the boxes overlap. */
static double between(const struct segment *p, const struct segment *q)
{
    const double x = fmax(p->low[0] - q->high[0], q->low[0] - p->high[0]);
    const double y = fmax(p->low[1] - q->high[1], q->low[1] - p->high[1]);
    return fmax(fmax(x, y), 0);
}

static int check_walls(struct check *c, const struct segment *p, const struct segment *q)
{
    if (p->wall > q->wall)
        return check_walls(c, q, p);
    double *gap = &c->gap[p->wall][q->wall];
    const double apart = between(p, q);
    bool *joined = &c->joined[p->wall][q->wall];
    if (*joined ? apart > 0 : apart > JOINT * c->scene->radius && apart >= (1 - JOINT) * *gap)
        return 0;
    if (ends_on(c, p, q) || ends_on(c, q, p))
        *joined = true;
    else if (meet(p, q))
        return nb_fail("walls %s and %s cross, between points %d, %d and %d, %d", wall_of(c, p)->name,
                       wall_of(c, q)->name, p->place, p->place + 1, q->place, q->place + 1);
    else
        *gap = fmin(*gap, distance(p, q));
    return 0;
}

static int check_pair(struct check *c, const struct segment *p, const struct segment *q, double reach)
{
    if (p->low[1] > q->high[1] + reach || q->low[1] > p->high[1] + reach)
        return 0;
    return p->wall == q->wall ? check_own(c, p, q) : check_walls(c, p, q);
}

/* ---- all segments ---- */

static int compare(const void *a, const void *b)
{
    const struct segment *p = a, *q = b;
    return p->low[0] < q->low[0] ? -1 : p->low[0] > q->low[0];
}

static int list_segments(struct check *c)
{
    for (int k = 0; k < c->scene->wall_count; k++) {
        const struct nb_wall *w = &c->scene->walls[k];
        for (int i = 0; i < 2 * w->count; i++)
            if (fabs(w->xy[i]) > COORDINATE_MAX)
                return nb_fail("wall %s: point %d is out of range (coordinates must be between %g and %g)", w->name,
                               i / 2, -COORDINATE_MAX, COORDINATE_MAX);
        for (int i = 0; i + 1 < w->count; i++) {
            const double *a = w->xy + 2 * i, *b = a + 2;
            if (a[0] == b[0] && a[1] == b[1])
                return nb_fail("wall %s: point %d appears twice", w->name, i);
            c->segment[c->count++] = (struct segment){
                a, b, {fmin(a[0], b[0]), fmin(a[1], b[1])}, {fmax(a[0], b[0]), fmax(a[1], b[1])}, k, i};
        }
    }
    return 0;
}

static int check_pairs(struct check *c)
{
    const double reach = 2 * c->scene->radius;
    qsort(c->segment, c->count, sizeof *c->segment, compare);
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = i + 1; j < c->count && c->segment[j].low[0] <= c->segment[i].high[0] + reach; j++)
            if (check_pair(c, &c->segment[i], &c->segment[j], reach))
                return -1;
    return 0;
}

/* ---- entire walls ---- */

static int check_gaps(const struct check *c)
{
    const struct nb_scene *s = c->scene;
    for (int i = 0; i < s->wall_count; i++)
        for (int j = i + 1; j < s->wall_count; j++)
            if (!c->joined[i][j] && c->gap[i][j] < (2 - JOINT) * s->radius)
                return nb_fail("walls %s and %s leave a gap of %.4g, too narrow for a disk of radius %.4g",
                               s->walls[i].name, s->walls[j].name, c->gap[i][j], s->radius);
    return 0;
}

/* Returns whether the point p is inside a closed wall: a ray from p crosses the wall an odd number of times. */
static bool is_inside(const struct nb_wall *w, const double *p)
{
    bool odd = false;
    for (int k = 0; k + 1 < w->count; k++) {
        const double *a = w->xy + 2 * k, *b = a + 2;
        if ((a[1] <= p[1]) != (b[1] <= p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            odd = !odd;
    }
    return odd;
}

/* Checks that no wall is inside a solid (disks are outside it) or outside a container (disks are inside it). Walls that
 * cross were refused before, so it is sufficient to check one point of each wall. */
static int check_sides(const struct check *c)
{
    const struct nb_scene *s = c->scene;
    for (int i = 0; i < s->wall_count; i++)
        for (int j = 0; j < s->wall_count && s->walls[i].closed; j++) {
            const struct nb_wall *w = &s->walls[i], *other = &s->walls[j];
            if (i != j && !c->joined[i < j ? i : j][i < j ? j : i] && is_inside(w, other->xy) == (w->area > 0))
                return nb_fail("wall %s is %s %s, where there are no disks", other->name,
                               w->area > 0 ? "inside the solid" : "outside of the container", w->name);
        }
    return 0;
}

/* Checks that a solid is in the box, and at least a disk's radius from periodic sides. If a solid were nearer to a
 * periodic side, a disk beyond that side would not feel the solid. */
static int check_solid(const struct nb_scene *s, const struct nb_wall *w)
{
    for (int i = 0; i < 2 * w->count; i++) {
        const double rim = s->periodic[i % 2] ? s->radius : 0;
        if (w->xy[i] < s->low[i % 2] + rim || w->xy[i] > s->high[i % 2] - rim)
            return nb_fail("wall %s: point %d, (%.4g, %.4g), is outside the box%s", w->name, i / 2, w->xy[i - i % 2],
                           w->xy[i - i % 2 + 1], rim > 0 ? " or within a radius of its sides" : "");
    }
    return 0;
}

/* Returns whether the wall encloses an area that exceeds rounding errors. */
static bool has_area(const struct nb_wall *w)
{
    double length = 0;
    for (int k = 0; k + 1 < w->count; k++)
        length += hypot(w->xy[2 * k + 2] - w->xy[2 * k], w->xy[2 * k + 3] - w->xy[2 * k + 1]);
    return fabs(w->area) > 1e-12 * length * length;
}

static int check_range(const struct nb_scene *s)
{
    if (s->radius > COORDINATE_MAX)
        return nb_fail("the radius of the disks is out of range (it must be at most %g)", COORDINATE_MAX);
    for (int k = 0; k < 2; k++)
        if (fabs(s->low[k]) > COORDINATE_MAX || fabs(s->high[k]) > COORDINATE_MAX)
            return nb_fail("the box is out of range along %c (its limits must be between %g and %g)", "xy"[k],
                           -COORDINATE_MAX, COORDINATE_MAX);
    return 0;
}

static int check_each(const struct nb_scene *s)
{
    for (int k = 0; k < 2; k++) {
        const double wide = s->high[k] - s->low[k], least = 8 * s->radius;
        if (s->periodic[k] && wide < least)
            return nb_fail("the box is periodic along %c and only %.4g wide; it must be at least %.4g wide, four "
                           "diameters of a disk (use smaller disks or a larger box)",
                           "xy"[k], wide, least);
    }
    for (int k = 0; k < s->wall_count; k++) {
        const struct nb_wall *w = &s->walls[k];
        if (w->closed && !has_area(w))
            return nb_fail("wall %s is closed and has no area", w->name);
        if (s->boxed && w->area > 0 && check_solid(s, w))
            return -1;
    }
    return 0;
}

int nb_scene_check(const struct nb_scene *scene)
{
    size_t count = 1;
    struct check *c = calloc(1, sizeof *c);
    for (int k = 0; k < scene->wall_count; k++)
        count += (size_t)scene->walls[k].count;
    if (!c || !(c->segment = calloc(count, sizeof *c->segment))) {
        free(c);
        return nb_fail("no memory for walls");
    }
    c->scene = scene;
    for (int i = 0; i < NB_WALLS_MAX; i++)
        for (int j = 0; j < NB_WALLS_MAX; j++)
            c->gap[i][j] = INFINITY;
    const int status =
        check_range(scene) || list_segments(c) || check_pairs(c) || check_each(scene) || check_gaps(c) || check_sides(c)
            ? -1
            : 0;
    free(c->segment);
    free(c);
    return status;
}
