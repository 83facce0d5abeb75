/* Computes the short-range part of the field of bodies near the plane of a map. The coarse grid on which the rest of
 * the field is computed (plane_grid.c) is too coarse for this part. */
#include "nbrender/map/map.h"

#include <inttypes.h>

/* ---- finding bodies ---- */

struct columns {
    const struct nb_column *mass, *pos;
};

static struct columns find_columns(const struct nb_bodies *b)
{
    return (struct columns){nb_bodies_find(b, "mass"), nb_bodies_find(b, "pos")};
}

/* Sets *at from the position, the softening length and the mass of body i. Lengths are in pixels, and z is the distance
 * of the body from the plane of the map. Returns whether the body can contribute to the map. This is true if its mass
 * is positive, sqrt(z^2 + softening length^2) < reach, and (x, y) is in the rectangle of `f`, extended by `reach` on
 * all sides. */
static bool place(const struct columns *c, uint64_t i, const struct near_frame *f, double reach, struct near_body *at)
{
    const struct nb_view *v = f->view;
    const double softening = f->softening * v->scale;
    double d[3], x[3];
    nb_column_get_f64(c->pos, i, i + 1, x);
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - v->centre[k];
    at->x = v->middle_x + v->scale * vector_dot(d, v->right);
    at->y = v->middle_y - v->scale * vector_dot(d, v->up);
    at->z = v->scale * vector_dot(d, v->back);
    at->s = at->z * at->z + softening * softening;
    at->gm = nb_column_get(c->mass, i, 0);
    return at->gm > 0 && at->s < reach * reach && at->x > f->x0 - reach && at->x < f->x1 + reach &&
           at->y > f->y0 - reach && at->y < f->y1 + reach;
}

uint64_t near_count(const struct nb_bodies *b, const struct near_frame *f, double reach)
{
    const struct columns c = find_columns(b);
    uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (uint64_t i = 0; i < b->n; i++) {
        struct near_body at;
        count += place(&c, i, f, reach, &at);
    }
    return count;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Orders bodies by y, then by x, z and gm, so that the order does not depend on the sorting algorithm. */
static int compare_bodies(const void *p, const void *q)
{
    const struct near_body *a = p, *b = q;
    int order = compare(a->y, b->y);
    order = order ? order : compare(a->x, b->x);
    order = order ? order : compare(a->z, b->z);
    return order ? order : compare(a->gm, b->gm);
}

int near_find(struct near *n, const struct nb_bodies *b, const struct near_frame *f, double reach, double factor)
{
    const struct columns c = find_columns(b);
    const uint64_t count = near_count(b, f, reach);
    *n = (struct near){.reach = reach, .body = malloc((count + 1) * sizeof *n->body)};
    if (!n->body)
        return nb_fail("no memory for %" PRIu64 " bodies near the plane of the map", count);
    for (uint64_t i = 0; i < b->n; i++)
        n->count += place(&c, i, f, reach, &n->body[n->count]);
    for (uint64_t k = 0; k < n->count; k++)
        n->body[k].gm *= factor;
    qsort(n->body, n->count, sizeof *n->body, compare_bodies);
    return 0;
}

void near_free(struct near *n)
{
    free(n->body);
    *n = (struct near){0};
}

/* ---- contributions ---- */

/* Returns the index of the first body in n->body whose y coordinate is at least `y`. */
static uint64_t first_from(const struct near *n, double y)
{
    uint64_t low = 0, high = n->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (n->body[middle].y < y)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct reached { /* the points `begin` to `end` - 1 of a row are within n->reach of a body */
    int begin, end;
    double dx, s; /* dx: x of point 0 of the row minus x of the body; s: square of the distance of the body from the
                     row, plus (softening length)^2 */
};

static struct reached reach_of(const struct near *n, const struct near_body *b, double x0, double y, double step,
                               int count)
{
    const double dy = y - b->y, s = b->s + dy * dy, half2 = n->reach * n->reach - s;
    struct reached r = {0, 0, x0 - b->x, s};
    if (half2 <= 0)
        return r;
    const double half = sqrt(half2), first = ceil((-half - r.dx) / step), last = floor((half - r.dx) / step);
    r.begin = (int)fmin(fmax(first, 0), count);
    r.end = (int)fmin(fmax(last + 1, r.begin), count);
    return r;
}

static inline double series(double u, const double c[5])
{
    return c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * c[4])));
}

void near_add_potential(const struct near *n, double x0, double y, double step, int count, double *phi)
{
    static const double c[] = {1, -1.0 / 2, 3.0 / 8, -5.0 / 16, 35.0 / 128};
    const double inverse_r = 1 / n->reach, inverse_s = inverse_r * inverse_r;
    for (uint64_t k = first_from(n, y - n->reach); k < n->count && n->body[k].y < y + n->reach; k++) {
        const struct near_body *b = &n->body[k];
        const struct reached r = reach_of(n, b, x0, y, step, count);
        const double gm = b->gm;
        for (int i = r.begin; i < r.end; i++) {
            const double dx = r.dx + i * step, s = dx * dx + r.s;
            phi[i] -= gm * (1 / sqrt(s) - inverse_r * series(s * inverse_s - 1, c));
        }
    }
}

void near_add_acceleration(const struct near *n, double x0, double y, double step, int count, double *const a[3])
{
    static const double c[] = {1, -3.0 / 2, 15.0 / 8, -35.0 / 16, 315.0 / 128};
    const double inverse_r = 1 / n->reach, inverse_s = inverse_r * inverse_r, inverse_r3 = inverse_s * inverse_r;
    double *restrict ax = a[0], *restrict ay = a[1], *restrict az = a[2];
    for (uint64_t k = first_from(n, y - n->reach); k < n->count && n->body[k].y < y + n->reach; k++) {
        const struct near_body *b = &n->body[k];
        const struct reached r = reach_of(n, b, x0, y, step, count);
        const double dy = b->y - y, dz = b->z, gm = b->gm;
        for (int i = r.begin; i < r.end; i++) {
            const double dx = r.dx + i * step, s = dx * dx + r.s, inverse = 1 / sqrt(s);
            const double pull = gm * (inverse * inverse * inverse - inverse_r3 * series(s * inverse_s - 1, c));
            ax[i] -= pull * dx;
            ay[i] += pull * dy;
            az[i] += pull * dz;
        }
    }
}
