/* step_touch.c - finds pairs of bodies that touch, for schemes in which all bodies take the same step. Declared in
 * step_touch.h. */
#include "step/step_touch.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

#define TERMS NB_TOUCH_TERMS

struct swept { /* box that contains a body's path in a step, extended by the body's radius */
    double low[3], high[3];
};

/* Computes the path of body i in the step: a polynomial of degree 5 in each coordinate. c: its coefficients. b: its
 * control points as a Bezier curve; their convex hull contains the path. If h^2 * (acceleration) is much larger than
 * the length of the path, the step is too long for degree 5. The degree is then 3, and accelerations are not used. */
static void lead(const struct nb_touch_end *begin, const struct nb_touch_end *end, uint64_t i, double h,
                 struct nb_touch_path *c, double b[3][TERMS])
{
    double way = 0, bend = 0;
    for (int k = 0; k < 3; k++) {
        const uint64_t at = 3 * i + (uint64_t)k;
        way += fabs(end->x[at] - begin->x[at]) + fabs(h) * (fabs(begin->v[at]) + fabs(end->v[at]));
        bend += h * h * (fabs(begin->a[at]) + fabs(end->a[at]));
    }
    const bool fifth = bend <= 10 * way;
    for (int k = 0; k < 3; k++) {
        const uint64_t at = 3 * i + (uint64_t)k;
        const double x0 = begin->x[at], x1 = end->x[at], v0 = h * begin->v[at], v1 = h * end->v[at], d = x1 - x0;
        const double a0 = fifth ? h * h * begin->a[at] : 6 * d - 4 * v0 - 2 * v1;
        const double a1 = fifth ? h * h * end->a[at] : -6 * d + 2 * v0 + 4 * v1;
        const double points[TERMS] = {x0,          x0 + v0 / 5, x0 + 2 * v0 / 5 + a0 / 20, x1 - 2 * v1 / 5 + a1 / 20,
                                      x1 - v1 / 5, x1};
        const double terms[TERMS] = {x0,
                                     v0,
                                     a0 / 2,
                                     10 * d - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1,
                                     -15 * d + 8 * v0 + 7 * v1 + 1.5 * a0 - a1,
                                     6 * d - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1};
        for (int q = 0; q < TERMS; q++) {
            c->c[k][q] = terms[q];
            b[k][q] = points[q];
        }
    }
}

static struct swept sweep(const double b[3][TERMS], double radius)
{
    struct swept s;
    for (int k = 0; k < 3; k++) {
        s.low[k] = s.high[k] = b[k][0];
        for (int q = 1; q < TERMS; q++) {
            s.low[k] = fmin(s.low[k], b[k][q]);
            s.high[k] = fmax(s.high[k], b[k][q]);
        }
        s.low[k] -= radius;
        s.high[k] += radius;
    }
    return s;
}

/* Space is divided into columns that are parallel to the x axis. The width of a column in y (or z) is twice the mean
 * width of the bodies' bounding boxes (struct swept) in y (or z). A body belongs to each column that its box overlaps.
 * The bodies of a column are sorted by the lower x of their boxes, and bodies whose boxes overlap in x are compared. A
 * body whose box overlaps more than COLUMNS_MOST columns is compared with all bodies. */
#define COLUMNS_MOST 16
#define CELLS        1e15 /* maximum |column number|; column numbers are integers that are stored as double */

struct entry {
    double column[2], low;
    uint64_t body;
};

struct search {
    struct nb_touch_watch *watch;
    uint64_t n, count; /* n: number of bodies; count: number of entries */
    nb_quad h;
    struct nb_touch_path *lead;
    struct swept *swept;
    struct entry *entries;
    double width[2];
};

static int by_place(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    for (int k = 0; k < 2; k++)
        if (p->column[k] != q->column[k])
            return p->column[k] < q->column[k] ? -1 : 1;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

static bool overlap(const struct swept *a, const struct swept *b)
{
    for (int k = 0; k < 3; k++)
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k]))
            return false;
    return true;
}

static void look_at_pair(const struct search *f, uint64_t i, uint64_t j)
{
    struct nb_touch_watch *w = f->watch;
    struct nb_touch_path apart;
    double u;
    if (i == j || !overlap(&f->swept[i], &f->swept[j]) || !nb_touch_may(w, i, j))
        return;
    for (int k = 0; k < 3; k++)
        for (int q = 0; q < TERMS; q++)
            apart.c[k][q] = f->lead[j].c[k][q] - f->lead[i].c[k][q];
    if (nb_touch_comes_near(&apart, w->radius[i] + w->radius[j], &u))
        nb_touch_note(w, i, j, f->h * (nb_quad)u);
}

static void choose_width(struct search *f)
{
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        for (uint64_t i = 0; i < f->n; i++)
            sum += f->swept[i].high[k + 1] - f->swept[i].low[k + 1];
        f->width[k] = fmax(2 * sum / (double)f->n, 1e-300);
    }
}

/* Computes the range of columns that the box of body i overlaps. Returns false for more than COLUMNS_MOST columns. */
static bool columns_of(const struct search *f, uint64_t i, double low[2], double high[2])
{
    double all = 1;
    for (int k = 0; k < 2; k++) {
        low[k] = floor(f->swept[i].low[k + 1] / f->width[k]);
        high[k] = floor(f->swept[i].high[k + 1] / f->width[k]);
        all *= fabs(low[k]) < CELLS && fabs(high[k]) < CELLS ? high[k] - low[k] + 1 : INFINITY;
    }
    return all <= COLUMNS_MOST;
}

static void enter(struct search *f, uint64_t i)
{
    double low[2], high[2];
    if (!columns_of(f, i, low, high)) {
        for (uint64_t j = 0; j < f->n; j++)
            look_at_pair(f, i, j);
        return;
    }
    for (double y = low[0]; y <= high[0]; y++)
        for (double z = low[1]; z <= high[1]; z++)
            f->entries[f->count++] = (struct entry){{y, z}, f->swept[i].low[0], i};
}

static void compare_entries(const struct search *f)
{
    for (uint64_t i = 0; i < f->count; i++) {
        const struct entry *a = &f->entries[i], *end = f->entries + f->count;
        const double high = f->swept[a->body].high[0];
        for (const struct entry *b = a + 1;
             b < end && b->column[0] == a->column[0] && b->column[1] == a->column[1] && b->low <= high; b++)
            look_at_pair(f, a->body, b->body);
    }
}

static uint64_t count_entries(const struct search *f)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < f->n; i++) {
        double low[2], high[2];
        if (columns_of(f, i, low, high))
            count += (uint64_t)((high[0] - low[0] + 1) * (high[1] - low[1] + 1));
    }
    return count;
}

static int search(struct search *f)
{
    choose_width(f);
    f->entries = malloc((count_entries(f) + 1) * sizeof *f->entries);
    if (!f->entries)
        return -1;
    for (uint64_t i = 0; i < f->n; i++)
        enter(f, i);
    qsort(f->entries, f->count, sizeof *f->entries, by_place);
    compare_entries(f);
    free(f->entries);
    return 0;
}

int nb_touch_between(struct nb_touch_watch *w, uint64_t n, const struct nb_touch_end *begin,
                     const struct nb_touch_end *end, nb_quad h)
{
    struct search f = {.watch = w, .n = n, .h = h};
    f.swept = malloc(n * sizeof *f.swept);
    f.lead = malloc(n * sizeof *f.lead);
    int status = f.swept && f.lead ? 0 : -1;
    for (uint64_t i = 0; i < n && status == 0; i++) {
        double b[3][TERMS];
        lead(begin, end, i, (double)h, &f.lead[i], b);
        f.swept[i] = sweep((const double(*)[TERMS])b, w->radius[i]);
    }
    if (status || search(&f))
        status = nb_fail("no memory to search for contacts");
    free(f.swept);
    free(f.lead);
    return status;
}
