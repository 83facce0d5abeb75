/* measure_near.c - finds the nearest neighbours of points with a k-d tree. Declared in measure_near.h. */
#include "measure/measure_near.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LEAF     8                 /* maximum number of points in a leaf */
#define PARALLEL ((size_t)1 << 13) /* with more than PARALLEL points, several threads are used */

int nb_near_open(struct nb_near *t, uint64_t most)
{
    *t = (struct nb_near){0};
    if (nb_memory_check(most, (double)most * sizeof *t->points))
        return -1;
    t->points = malloc(most * sizeof *t->points);
    t->planes = malloc((most / 4 + 2) * sizeof *t->planes);
    return t->points && t->planes ? 0 : nb_fail("no memory for the neighbours of %" PRIu64 " bodies", most);
}

void nb_near_free(struct nb_near *t)
{
    free(t->planes);
    free(t->points);
}

void nb_near_fill(struct nb_near *t, const struct nb_bodies *b, uint64_t stride)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    const uint64_t count = (b->n + stride - 1) / stride;
#pragma omp parallel for schedule(static) if (count > PARALLEL)
    for (uint64_t k = 0; k < count; k++) {
        struct nb_near_point *p = &t->points[k];
        nb_column_get_f64(pos, k * stride, k * stride + 1, p->x);
        p->mass = nb_column_get(mass, k * stride, 0);
    }
    for (uint64_t k = 0; k < count; k++)
        if (t->points[k].mass > 0)
            t->points[t->n++] = t->points[k];
}

static int scale(struct nb_near *t)
{
    double largest = 0;
    int octaves;
#pragma omp parallel for schedule(static) reduction(max : largest) if (t->n > PARALLEL)
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(t->points[i].x[k]));
    frexp(largest, &octaves);
#pragma omp parallel for schedule(static) if (t->n > PARALLEL)
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; k < 3; k++)
            t->points[i].x[k] = ldexp(t->points[i].x[k], -octaves);
    return octaves;
}

/* ---- construction of the tree ---- */

static int widest_axis(const struct nb_near_point *p, size_t begin, size_t end)
{
    int widest = 0;
    double extent[3];
    for (int k = 0; k < 3; k++) {
        double least = p[begin].x[k], most = least;
        for (size_t i = begin + 1; i < end; i++) {
            least = p[i].x[k] < least ? p[i].x[k] : least;
            most = p[i].x[k] > most ? p[i].x[k] : most;
        }
        extent[k] = most - least;
        widest = extent[k] > extent[widest] ? k : widest;
    }
    return widest;
}

static void exchange(struct nb_near_point *a, struct nb_near_point *b)
{
    const struct nb_near_point t = *a;
    *a = *b;
    *b = t;
}

/* Partially sorts the points begin to end - 1 along `axis`. Afterwards p[middle] is the point that a full sort
 * would put there. No point before p[middle] has a larger coordinate and no point after it has a smaller one (Hoare
 * 1961, Commun. ACM 4, 321). Pivots are random, so that the time does not depend on the order of the bodies. */
static void select_middle(struct nb_near_point *p, size_t begin, size_t end, size_t middle, int axis)
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
            end = i; /* coordinates of points from i on are >= pivot */
        else
            begin = j + 1; /* coordinates of points up to j are <= pivot */
    }
}

static void divide(const struct nb_near *t, size_t node, size_t begin, size_t end)
{
    if (end - begin <= LEAF)
        return;
    const size_t middle = begin + (end - begin) / 2;
    const int axis = widest_axis(t->points, begin, end);
    select_middle(t->points, begin, end, middle, axis);
    t->planes[node] = (struct nb_near_plane){axis, t->points[middle].x[axis]};
#pragma omp task if (end - begin > PARALLEL)
    divide(t, 2 * node, begin, middle);
    divide(t, 2 * node + 1, middle, end);
}

int nb_near_sort(struct nb_near *t)
{
    const int octaves = scale(t);
#pragma omp parallel if (t->n > PARALLEL)
#pragma omp single
    divide(t, 1, 0, t->n);
    return octaves;
}

/* ---- search ---- */

struct search {
    const struct nb_near *t;
    size_t self;
    const double *x;
    int count;                   /* number of neighbours wanted */
    double away[3];              /* distance of x from the node's cell (a box) along each axis */
    struct nb_near_found *found; /* the nearest neighbours so far */
};

static void look_at(struct search *s, size_t begin, size_t end)
{
    const int last = s->count - 1;
    double *const nearest = s->found->r2;
    size_t *const at = s->found->at;
    for (size_t i = begin; i < end; i++) {
        const double *x = s->t->points[i].x, dx = x[0] - s->x[0], dy = x[1] - s->x[1], dz = x[2] - s->x[2];
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (!(r2 < nearest[last]) || i == s->self)
            continue;
        int k = last;
        for (; k > 0 && r2 < nearest[k - 1]; k--) {
            nearest[k] = nearest[k - 1];
            at[k] = at[k - 1];
        }
        nearest[k] = r2;
        at[k] = i;
    }
}

/* Searches a node for the nearest neighbours of x: first the child on the side of x, then the other child if its cell
 * is closer to x than the farthest neighbour found so far. cell_r2 is the squared distance of x from the node's cell:
 * the sum of away[axis]^2 over the three axes. The cell of a child differs from the node's cell along one axis, the
 * axis of the dividing plane. So only one term of the sum changes (Arya & Mount 1993, Proc. Data Compression Conf.,
 * 381). */
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
    if (!(cell_r2 < s->found->r2[s->count - 1]))
        return;
    s->away[axis] = to_plane;
    search(s, 2 * node + !right, right ? begin : middle, right ? middle : end, cell_r2);
    s->away[axis] = before;
}

void nb_near_find(const struct nb_near *t, size_t i, int count, struct nb_near_found *found)
{
    struct search s = {.t = t, .self = i, .x = t->points[i].x, .count = count, .found = found};
    for (int k = 0; k < count; k++)
        found->r2[k] = INFINITY;
    search(&s, 1, 0, t->n, 0);
}
