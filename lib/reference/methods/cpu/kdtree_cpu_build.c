/* kdtree_cpu_build.c - builds the k-d tree, beginning at the root, by selection of the median. Then computes centres of
 * mass and radii, beginning at the leaves. Declared in kdtree_cpu.h. */
#include "reference/methods/cpu/kdtree_cpu.h"

#include "base/error.h"
#include "force/put.h"

#include <math.h>
#include <stdlib.h>

#define TASK 2048 /* the subtree of a node with more than TASK bodies is built in a separate OpenMP task */

struct nb_kdtree_point {
    double x[3], m;
    uint32_t body;
};

void nb_kdtree_free(struct nb_kdtree *t)
{
    free(t->node);
    free(t->body);
    free(t->point);
    *t = (struct nb_kdtree){0};
}

static int reserve(struct nb_kdtree *t, uint64_t n)
{
    if (nb_kdtree_check(n))
        return -1;
    if (t->capacity < n) {
        nb_kdtree_free(t);
        t->node = malloc(2 * n * sizeof *t->node);
        t->body = malloc(n * sizeof *t->body);
        t->point = malloc(n * sizeof *t->point);
        t->capacity = n;
    }
    t->n = (uint32_t)n;
    if (t->node && t->body && t->point)
        return 0;
    nb_kdtree_free(t);
    return nb_fail("no memory for a k-d tree of %llu bodies", (unsigned long long)n);
}

/* Copies the bodies. Returns false if a position or a mass is not finite. */
static bool gather(struct nb_kdtree *t, bool single, uint64_t stride, const void *m, const void *x)
{
    bool finite = true;
#pragma omp parallel for schedule(static) if (t->n > TASK) reduction(&& : finite)
    for (uint32_t i = 0; i < t->n; i++) {
        struct nb_kdtree_point *p = &t->point[i];
        p->body = i;
        p->m = nb_field_get(m, single, i);
        for (uint64_t k = 0; k < 3; k++)
            p->x[k] = nb_field_get(x, single, k * stride + i);
        finite = finite && isfinite(p->m) && isfinite(p->x[0]) && isfinite(p->x[1]) && isfinite(p->x[2]);
    }
    return finite;
}

/* ---- selection ---- */

static int longest_axis(const struct nb_kdtree_point *p, uint32_t begin, uint32_t end)
{
    int axis = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double lo = p[begin].x[k], hi = lo;
        for (uint32_t i = begin; i < end; i++) {
            lo = p[i].x[k] < lo ? p[i].x[k] : lo;
            hi = p[i].x[k] > hi ? p[i].x[k] : hi;
        }
        if (hi - lo > most) {
            most = hi - lo;
            axis = k;
        }
    }
    return axis;
}

/* Returns whether a is before b along the axis. Bodies with equal coordinates are ordered by index, so that coincident
 * bodies can be divided. */
static bool before(const struct nb_kdtree_point *a, const struct nb_kdtree_point *b, int axis)
{
    return a->x[axis] != b->x[axis] ? a->x[axis] < b->x[axis] : a->body < b->body;
}

/* Returns a random index in [begin, end). Pivots are random, because with fixed pivots some input orders would make all
 * divisions slow. */
static uint32_t draw(uint32_t begin, uint32_t end, uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return begin + (uint32_t)((uint64_t)*seed * (end - begin) >> 32);
}

static uint32_t middle_of_three(const struct nb_kdtree_point *p, const uint32_t i[3], int axis)
{
    const bool ab = before(&p[i[0]], &p[i[1]], axis), bc = before(&p[i[1]], &p[i[2]], axis),
               ac = before(&p[i[0]], &p[i[2]], axis);
    return ab == bc ? i[1] : ab == ac ? i[2] : i[0];
}

/* Reorders the points [begin, end) so that all points that are before the pivot along the axis come first, then the
 * pivot. Returns the new index of the pivot. */
static uint32_t partition(struct nb_kdtree_point *p, uint32_t begin, uint32_t end, uint32_t pivot, int axis)
{
    const struct nb_kdtree_point at = p[pivot];
    uint32_t to = begin;
    p[pivot] = p[end - 1];
    p[end - 1] = at;
    for (uint32_t i = begin; i < end - 1; i++)
        if (before(&p[i], &at, axis)) {
            const struct nb_kdtree_point moved = p[i];
            p[i] = p[to];
            p[to++] = moved;
        }
    p[end - 1] = p[to];
    p[to] = at;
    return to;
}

/* Partially sorts the points [begin, end) along the axis. Afterwards no point before index `middle` has a larger
 * coordinate than the point at `middle`, and no point after it has a smaller one (Hoare 1961, Commun. ACM 4, 321). */
static void divide(struct nb_kdtree_point *p, uint32_t begin, uint32_t end, uint32_t middle, int axis)
{
    uint32_t seed = begin ^ end;
    while (end - begin > 1) {
        const uint32_t three[3] = {draw(begin, end, &seed), draw(begin, end, &seed), draw(begin, end, &seed)};
        const uint32_t at = partition(p, begin, end, middle_of_three(p, three, axis), axis);
        if (at == middle)
            return;
        *(at < middle ? &begin : &end) = at < middle ? at + 1 : at;
    }
}

/* ---- nodes ---- */

static void set_leaf(struct nb_kdtree *t, uint32_t i, const struct nb_kdtree_point *p)
{
    t->node[i] = (struct nb_kdtree_node){{p->x[0], p->x[1], p->x[2]}, p->m, 0};
    t->body[i - t->n] = p->body;
}

/* Computes mass and centre of mass of node i from its two children, and its radius from its bodies. */
static void set_node(struct nb_kdtree *t, uint32_t i, uint32_t begin, uint32_t end)
{
    const struct nb_kdtree_node *left = &t->node[2 * i], *right = left + 1;
    struct nb_kdtree_node node = {.m = left->m + right->m};
    const double share = node.m != 0 ? right->m / node.m : 0.5;
    for (int k = 0; k < 3; k++)
        node.x[k] = left->x[k] + share * (right->x[k] - left->x[k]);
    for (uint32_t q = begin; q < end; q++) {
        const double r2 = nb_kdtree_distance2(&node, t->point[q].x);
        node.radius2 = r2 > node.radius2 ? r2 : node.radius2;
    }
    t->node[i] = node;
}

static void build(struct nb_kdtree *t, uint32_t i)
{
    const uint32_t begin = nb_kdtree_begin(t->n, i), end = nb_kdtree_end(t->n, i);
    if (i >= t->n) {
        set_leaf(t, i, &t->point[begin]);
        return;
    }
    divide(t->point, begin, end, nb_kdtree_begin(t->n, 2 * i + 1), longest_axis(t->point, begin, end));
#pragma omp task if (end - begin > TASK)
    build(t, 2 * i);
    build(t, 2 * i + 1);
#pragma omp taskwait
    set_node(t, i, begin, end);
}

int nb_kdtree_build(struct nb_kdtree *t, bool single, uint64_t n, uint64_t stride, const void *m, const void *x)
{
    if (reserve(t, n))
        return -1;
    if (!gather(t, single, stride, m, x))
        return 0;
#pragma omp parallel if (n > TASK)
#pragma omp single
    build(t, 1);
    return 1;
}
