/* lattice.c - places disks on a jittered lattice between walls. */

#include "nbgen/contact/disks.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- free spans of rows: finds and sorts all intervals covered by walls, row by row, and keeps the gaps ---- */

static void add(struct lattice_spans *c, size_t row, double from, double to)
{
    c->span = claimed(nb_memory_grow(c->span, c->count, sizeof *c->span), "no memory for the rows of disks");
    c->span[c->count++] = (struct lattice_span){row, from, to};
}

static int compare(const void *a, const void *b)
{
    const struct lattice_span *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return p->from < q->from ? -1 : p->from > q->from;
}

static double middle(const struct lattice *l, size_t row)
{
    return l->low[1] + l->height * ((double)row + 0.5);
}

/* Finds the rows whose middle lines are between from - beyond and to + beyond: rows *begin to *end - 1. */
static void rows_within(const struct lattice *l, double from, double to, double beyond, size_t *begin, size_t *end)
{
    const double most = (double)l->rows;
    *begin = (size_t)fmin(fmax(ceil((from - beyond - l->low[1]) / l->height - 0.5), 0), most);
    *end = (size_t)fmin(fmax(floor((to + beyond - l->low[1]) / l->height - 0.5) + 1, (double)*begin), most);
}

/* ---- near a segment ---- */

/* Finds the points at height y that are within r of the segment from a to b. Returns their largest x if side = 1, and
 * their largest -x if side = -1. Returns -INFINITY if there are no such points. */
static double reach(const double *a, const double *b, double r, double side, double y)
{
    const double dx = side * (b[0] - a[0]), dy = b[1] - a[1], length = hypot(dx, dy);
    const double *const ends[] = {a, b};
    double most = -INFINITY;
    for (int k = 0; k < 2; k++) {
        const double h2 = r * r - (y - ends[k][1]) * (y - ends[k][1]);
        if (h2 >= 0)
            most = fmax(most, side * ends[k][0] + sqrt(h2));
    }
    /* The edge of the region within r of the segment consists of two half circles (handled above) and two straight
     * lines. The straight line in direction `side` is the segment, moved by r along its normal. */
    if (dy != 0) {
        const double t = (y - a[1] + copysign(r, dy) * dx / length) / dy;
        if (t >= 0 && t <= 1)
            most = fmax(most, side * a[0] + t * dx + r * fabs(dy) / length);
    }
    return most;
}

/* Returns the largest value of reach() for all heights y from `low` to `high`. `side` is a direction: 1 for +x, -1 for
 * -x. One end of the segment lies further in this direction than the other end. Over all heights, reach() is largest at
 * the height of this end. If this height is outside the range, the largest value is at the nearest height in the range,
 * because the points within r of a segment are a convex set. */
static double reach_in_strip(const double *a, const double *b, double r, double side, double low, double high)
{
    const double *far = side * a[0] > side * b[0] ? a : b;
    const double least = fmin(a[1], b[1]) - r, most = fmax(a[1], b[1]) + r;
    return reach(a, b, r, side, fmin(fmax(far[1], fmax(low, least)), fmin(high, most)));
}

static void cut_near(const struct lattice *l, const double *a, const double *b, struct lattice_spans *cuts)
{
    size_t row, end;
    const double r = l->radius * (1 + 1e-9);
    rows_within(l, fmin(a[1], b[1]), fmax(a[1], b[1]), r + l->jitter, &row, &end);
    for (; row < end; row++) {
        const double low = middle(l, row) - l->jitter, high = middle(l, row) + l->jitter;
        const double from = -reach_in_strip(a, b, r, -1, low, high), to = reach_in_strip(a, b, r, 1, low, high);
        if (from < to)
            add(cuts, row, from, to);
    }
}

/* ---- insides of solids, outsides of containers ---- */

static void add_crossings(const struct lattice *l, const double *a, const double *b, struct lattice_spans *crossings)
{
    size_t row, end;
    rows_within(l, fmin(a[1], b[1]), fmax(a[1], b[1]), l->height, &row, &end);
    for (; row < end; row++) {
        const double y = middle(l, row);
        if ((a[1] <= y) != (b[1] <= y)) {
            const double x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            add(crossings, row, x, x);
        }
    }
}

static void cut_sides(const struct lattice *l, const struct nb_wall *w, struct lattice_spans *cuts)
{
    struct lattice_spans crossings = {0};
    for (int k = 0; k + 1 < w->count; k++)
        add_crossings(l, w->xy + 2 * k, w->xy + 2 * k + 2, &crossings);
    if (crossings.count > 0)
        qsort(crossings.span, crossings.count, sizeof *crossings.span, compare);
    size_t k = 0;
    for (size_t row = 0; row < l->rows; row++) {
        bool taken = w->area < 0; /* whether the wall covers the row to the left of crossing k */
        double from = -INFINITY;
        for (; k < crossings.count && crossings.span[k].row == row; k++, taken = !taken) {
            if (taken)
                add(cuts, row, from, crossings.span[k].from);
            from = crossings.span[k].from;
        }
        if (taken)
            add(cuts, row, from, INFINITY);
    }
    free(crossings.span);
}

/* ---- gaps ---- */

static void keep(struct lattice *l, size_t row, double from, double to)
{
    if (!(from < to))
        return;
    add(&l->spans, row, from, to);
    l->length[row] += to - from;
}

static void keep_rest(struct lattice *l, const struct lattice_spans *cuts)
{
    size_t k = 0;
    l->spans = (struct lattice_spans){0};
    l->length = claimed(calloc(l->rows, sizeof *l->length), "no memory for the rows of disks");
    l->first = claimed(calloc(l->rows + 1, sizeof *l->first), "no memory for the rows of disks");
    for (size_t row = 0; row < l->rows; row++) {
        double from = l->low[0];
        for (; k < cuts->count && cuts->span[k].row == row; k++) {
            keep(l, row, from, fmin(cuts->span[k].from, l->high[0]));
            from = fmax(from, cuts->span[k].to);
        }
        keep(l, row, from, l->high[0]);
        l->first[row + 1] = l->spans.count;
    }
}

static void find_spans(struct lattice *l, const struct nb_scene *scene)
{
    struct lattice_spans cuts = {0};
    for (int k = 0; k < scene->wall_count; k++) {
        const struct nb_wall *w = &scene->walls[k];
        for (int s = 0; s + 1 < w->count; s++)
            cut_near(l, w->xy + 2 * s, w->xy + 2 * s + 2, &cuts);
        if (w->closed)
            cut_sides(l, w, &cuts);
    }
    if (cuts.count > 0)
        qsort(cuts.span, cuts.count, sizeof *cuts.span, compare);
    keep_rest(l, &cuts);
    free(cuts.span);
}

/* ---- rows ---- */

/* Fraction of the space between disks that jitter uses. The rest is a margin for rounding errors of double and f32. */
#define SHARE 0.98

static double total_length(const struct lattice *l)
{
    double sum = 0;
    for (size_t j = 0; j < l->rows; j++)
        sum += l->length[j];
    return sum;
}

static noreturn void refuse(const struct lattice *l)
{
    die_usage("%s of the radius %.4g %s not fit between the walls", tool_many(l->n, "disk", "disks"), l->radius,
              l->n == 1 ? "does" : "do");
}

/* Divides the rectangle into rows of about the height `height`. Finds the spans of the rows, the intervals of x in
 * which disks can be. */
static void set_rows(struct lattice *l, const struct nb_scene *scene, double height)
{
    const double room = l->high[1] - l->low[1];
    l->rows = (size_t)fmax(1, floor(room / height + 0.5));
    l->height = room / (double)l->rows;
    l->jitter = SHARE / 2 * (l->height - 2 * l->radius);
    if (!(l->jitter >= 0))
        refuse(l);
    find_spans(l, scene);
}

/* Divides the disks among the rows in proportion to the lengths of their spans. Disks that do not fit go to the next
 * row. */
static void count(struct lattice *l, double total)
{
    double length = 0;
    l->before = claimed(calloc(l->rows + 1, sizeof *l->before), "no memory for %zu rows", l->rows + 1);
    for (size_t j = 0; j < l->rows; j++) {
        length += l->length[j];
        const uint64_t due = j + 1 == l->rows ? l->n : (uint64_t)((double)l->n * fmin(length / total, 1) + 0.5);
        const double room = l->length[j] > 0 ? fmax(1, floor(l->length[j] / (2 * l->radius))) : 0;
        l->before[j + 1] = (uint64_t)fmin((double)due, (double)l->before[j] + room);
    }
    if (l->before[l->rows] < l->n)
        refuse(l);
}

static void forget_spans(struct lattice *l)
{
    free(l->length);
    free(l->first);
    free(l->spans.span);
}

/* Makes the rows about as high as the distance between disks in a row. This distance is the square root of the free
 * area per disk. The free area depends on the height of the rows, so both are computed in turn, three times. */
void lattice_make(struct lattice *l, const struct nb_scene *scene)
{
    double room = (l->high[0] - l->low[0]) * (l->high[1] - l->low[1]), total = 0;
    for (int turn = 0; turn < 3; turn++) {
        if (turn > 0)
            forget_spans(l);
        set_rows(l, scene, fmax(sqrt(room / (double)l->n), 2.01 * l->radius));
        total = total_length(l);
        room = total * l->height;
        if (!(room > 0))
            refuse(l);
    }
    count(l, total);
}

/* ---- placing disks ---- */

static size_t row_of(const struct lattice *l, uint64_t i)
{
    size_t from = 0, to = l->rows;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        if (l->before[middle] <= i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Returns the x that is reached after the distance `length` along the spans of the row (the intervals of x in which
 * disks can be), from left to right. The gaps between the spans do not count. Starts at span *k, and sets *k to the
 * index of the span that contains x. *begun: total length of the row's spans before span *k. */
static double x_at(const struct lattice *l, size_t row, double length, size_t *k, double *begun)
{
    const struct lattice_span *s = l->spans.span + *k;
    while (*k + 1 < l->first[row + 1] && length - *begun > s->to - s->from) {
        *begun += s->to - s->from;
        s++, (*k)++;
    }
    return fmin(s->from + (length - *begun), s->to);
}

/* Places disks i0 to i1 - 1, which must be in row `row`. Element 0 of u[0], u[1] and `pos` belongs to disk i0. */
static void place_in_row(const struct lattice *l, size_t row, uint64_t i0, uint64_t i1, const double *const u[2],
                         double *pos)
{
    const double step = l->length[row] / (double)(l->before[row + 1] - l->before[row]);
    const double jitter = SHARE * fmax(0, 1 - 2 * l->radius / step);
    size_t k = l->first[row];
    double begun = 0;
    for (uint64_t i = i0; i < i1; i++) {
        const double along = (double)(i - l->before[row]) + 0.5 + jitter * (u[0][i - i0] - 0.5);
        double *x = pos + 3 * (i - i0);
        x[0] = x_at(l, row, along * step, &k, &begun);
        x[1] = l->low[1] + l->height * ((double)row + 0.5) + l->jitter * (2 * u[1][i - i0] - 1);
        x[2] = 0;
    }
}

void lattice_place(const struct lattice *l, uint64_t first, size_t n, double *const u[2], double *pos)
{
    size_t row = row_of(l, first);
    for (uint64_t i = first, end; i < first + n; i = end, row++) {
        const size_t at = i - first;
        end = l->before[row + 1] < first + n ? l->before[row + 1] : first + n;
        place_in_row(l, row, i, end, (const double *const[]){u[0] + at, u[1] + at}, pos + 3 * at);
    }
}
