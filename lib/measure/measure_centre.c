/* The density centre, by the nearest neighbours of each body in a k-d tree. Declared in measure.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/sum.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NEIGHBOURS 6
#define LEAF       8                   /* bodies of a leaf, at most */
#define PARALLEL   ((size_t)1 << 13)   /* bodies of a subtree that is worth a task */
#define SAMPLE     ((uint64_t)1 << 22) /* bodies that are looked at */

struct point {
    double x[3], m; /* places in units in which none is above 1: their squares are numbers */
};

struct plane {
    int axis;
    double at;
};

/* A balanced tree over an array of points: a node is a range [begin, end), divided in its middle. Its number is 1 for
 * the root and 2 node, 2 node + 1 for the children. */
struct tree {
    struct point *points;
    size_t n;
    struct plane *planes; /* of each node that is divided */
};

/* What is known of each point's surroundings. */
struct density {
    double r2;     /* distance of its last neighbour, squared */
    double within; /* mass nearer than that, its own included */
};

/* ---- the tree ---- */

static int widest_axis(const struct point *p, size_t begin, size_t end)
{
    int widest = 0;
    double extent[3];
    for (int k = 0; k < 3; k++) {
        double least = p[begin].x[k], most = least;
        for (size_t i = begin + 1; i < end; i++) {
            least = fmin(least, p[i].x[k]);
            most = fmax(most, p[i].x[k]);
        }
        extent[k] = most - least;
        widest = extent[k] > extent[widest] ? k : widest;
    }
    return widest;
}

static void exchange(struct point *a, struct point *b)
{
    const struct point t = *a;
    *a = *b;
    *b = t;
}

/* Puts the point that belongs there in the order along the axis at `middle`, none larger before it and none smaller
 * behind (Hoare 1961, Commun. ACM 4, 321), with pivots from a generator, so that no order of bodies is slow. */
static void select_middle(struct point *p, size_t begin, size_t end, size_t middle, int axis)
{
    uint64_t random = end - begin;
    while (end - begin > 1) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double pivot = p[begin + (random >> 33) % (end - begin)].x[axis];
        size_t i = begin, j = end - 1;
        for (;;) {
            while (p[i].x[axis] < pivot)
                i++;
            while (p[j].x[axis] > pivot)
                j--;
            if (i >= j)
                break;
            exchange(&p[i++], &p[j--]);
        }
        if (i == j && middle == j)
            return;
        if (middle <= j)
            end = i; /* none before it is above the pivot, */
        else
            begin = j + 1; /* and none behind j below */
    }
}

static void divide(const struct tree *t, size_t node, size_t begin, size_t end)
{
    if (end - begin <= LEAF)
        return;
    const size_t middle = begin + (end - begin) / 2;
    const int axis = widest_axis(t->points, begin, end);
    select_middle(t->points, begin, end, middle, axis);
    t->planes[node] = (struct plane){axis, t->points[middle].x[axis]};
#pragma omp task if (end - begin > PARALLEL)
    divide(t, 2 * node, begin, middle);
    divide(t, 2 * node + 1, middle, end);
}

/* ---- neighbours ---- */

struct search {
    const struct tree *t;
    size_t self;
    const double *x;
    int count;                            /* neighbours that are looked for */
    double away[3];                       /* of x from the node's cell, along each axis */
    double r2[NEIGHBOURS], m[NEIGHBOURS]; /* the nearest so far, in order */
};

static void look_at(struct search *s, size_t begin, size_t end)
{
    const int last = s->count - 1;
    for (size_t i = begin; i < end; i++) {
        const double *x = s->t->points[i].x, dx = x[0] - s->x[0], dy = x[1] - s->x[1], dz = x[2] - s->x[2];
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (!(r2 < s->r2[last]) || i == s->self)
            continue;
        int k = last;
        for (; k > 0 && r2 < s->r2[k - 1]; k--) {
            s->r2[k] = s->r2[k - 1];
            s->m[k] = s->m[k - 1];
        }
        s->r2[k] = r2;
        s->m[k] = s->t->points[i].m;
    }
}

/* The side of x first, the other where its cell is near enough: r2 from it is summed over the axes (Arya & Mount 1993,
 * Proc. Data Compression Conf., 381). */
static void search(struct search *s, size_t node, size_t begin, size_t end, double cell_r2)
{
    if (end - begin <= LEAF) {
        look_at(s, begin, end);
        return;
    }
    const size_t middle = begin + (end - begin) / 2;
    const int axis = s->t->planes[node].axis;
    const double to_plane = s->x[axis] - s->t->planes[node].at, before = s->away[axis];
    const bool right = to_plane >= 0;
    search(s, 2 * node + right, right ? middle : begin, right ? end : middle, cell_r2);
    cell_r2 += to_plane * to_plane - before * before;
    if (!(cell_r2 < s->r2[s->count - 1]))
        return;
    s->away[axis] = to_plane;
    search(s, 2 * node + !right, right ? begin : middle, right ? middle : end, cell_r2);
    s->away[axis] = before;
}

static struct density density_at(const struct tree *t, size_t i, int count)
{
    struct search s = {.t = t, .self = i, .x = t->points[i].x, .count = count};
    for (int k = 0; k < count; k++)
        s.r2[k] = INFINITY;
    search(&s, 1, 0, t->n, 0);
    struct density d = {.r2 = t->n > 1 ? s.r2[count - 1] : 0, .within = t->points[i].m};
    for (int k = 0; k < count && s.r2[k] < d.r2; k++)
        d.within += s.m[k];
    return d;
}

/* ---- the centre ---- */

/* The bodies with mass, one of `stride` each; returns the octaves of their unit of length. */
static int fill(const struct nb_bodies *b, uint64_t stride, struct tree *t)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    double largest = 0;
    int octaves;
    for (uint64_t i = 0; i < b->n; i += stride) {
        struct point *p = &t->points[t->n];
        nb_column_get_f64(pos, i, i + 1, p->x);
        p->m = nb_column_get(mass, i, 0);
        if (!(p->m > 0))
            continue;
        t->n++;
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(p->x[k]));
    }
    frexp(largest, &octaves);
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; k < 3; k++)
            t->points[i].x[k] = ldexp(t->points[i].x[k], -octaves);
    return octaves;
}

/* That of the largest weight. */
static size_t find_first(const struct tree *t, const struct density *d)
{
    double most = -INFINITY;
    size_t first = 0;
    for (size_t i = 0; i < t->n && most < INFINITY; i++) {
        const double w = log(t->points[i].m) + log(d[i].within) - 1.5 * log(d[i].r2);
        first = w > most ? i : first;
        most = fmax(w, most);
    }
    return first;
}

/* The mean place, with m rho as weight, in units of the largest; where places coincide, that of those. */
static void find_mean(const struct tree *t, const struct density *d, double centre[3])
{
    struct nb_sum weight = {0}, sum[3] = {{0}};
    const size_t first = find_first(t, d);
    const struct point *origin = &t->points[first];
    for (size_t i = 0; i < t->n; i++) {
        const struct point *p = &t->points[i];
        const double q = d[first].r2 > 0 ? d[first].r2 / d[i].r2 : d[i].r2 == 0;
        const double w = p->m / origin->m * (d[i].within / d[first].within) * (q * sqrt(q));
        if (!(w > 0 && isfinite(w)))
            continue;
        nb_sum_add(&weight, w);
        for (int k = 0; k < 3; k++)
            nb_sum_add(&sum[k], w * (p->x[k] - origin->x[k]));
    }
    for (int k = 0; k < 3; k++)
        centre[k] = origin->x[k] + nb_sum_value(&sum[k]) / nb_sum_value(&weight);
}

static void find_densities(const struct tree *t, struct density *d)
{
    const size_t half = (t->n - 1) / 2;
    const int count = half < 1 ? 1 : half < NEIGHBOURS ? (int)half : NEIGHBOURS;
#pragma omp parallel if (t->n > PARALLEL)
    {
#pragma omp single
        divide(t, 1, 0, t->n);
#pragma omp for schedule(dynamic, 1024)
        for (size_t i = 0; i < t->n; i++)
            d[i] = density_at(t, i, count);
    }
}

static void find_centre(const struct nb_bodies *b, uint64_t stride, struct tree *t, struct density *d, double centre[3])
{
    const int octaves = fill(b, stride, t);
    for (int k = 0; k < 3; k++)
        centre[k] = NAN;
    if (t->n == 0)
        return;
    find_densities(t, d);
    find_mean(t, d, centre);
    for (int k = 0; k < 3; k++)
        centre[k] = ldexp(centre[k], octaves);
}

int nb_measure_centre(const struct nb_bodies *b, double centre[3])
{
    const uint64_t stride = (b->n - 1) / SAMPLE + 1, most = (b->n - 1) / stride + 1;
    if (nb_memory_check(most, (double)most * (sizeof(struct point) + sizeof(struct density))))
        return -1;
    struct density *d = malloc(most * sizeof *d);
    struct tree t = {.points = malloc(most * sizeof *t.points), .planes = malloc((most / 4 + 2) * sizeof *t.planes)};
    const bool room = d && t.points && t.planes;
    if (room)
        find_centre(b, stride, &t, d, centre);
    free(t.planes);
    free(t.points);
    free(d);
    return room ? 0 : nb_fail("no memory for the density of %" PRIu64 " bodies", b->n);
}
