#include "nbgen/contact/disks.h"

#include <math.h>
#include <stdlib.h>

#define SHARE 0.98 /* of the room between disks that jitter takes: rounding, to f32 too, has the rest */

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

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        die("no memory for %zu rows", count);
    return memory;
}

/* Rows of about that height. */
static void set_rows(struct lattice *l, const struct nb_scene *scene, double height)
{
    const double room = l->high[1] - l->low[1];
    l->rows = (size_t)fmax(1, floor(room / height + 0.5));
    l->height = room / (double)l->rows;
    l->jitter = SHARE / 2 * (l->height - 2 * l->radius);
    if (!(l->jitter >= 0))
        refuse(l);
    lattice_find_spans(l, scene);
}

/* Divides the disks among the rows by the lengths of their spans; what a short row has no room for goes to the next. */
static void count(struct lattice *l, double total)
{
    double length = 0;
    l->before = allocate(l->rows + 1, sizeof *l->before);
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

/* Rows are as far apart as disks in them once it is known how much room there is. */
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

/* ---- places ---- */

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

/* Where that much of the row's spans lies before, from span *k on, at which `begun` of it begins. */
static double x_at(const struct lattice *l, size_t row, double length, size_t *k, double *begun)
{
    const struct lattice_span *s = l->spans.span + *k;
    while (*k + 1 < l->first[row + 1] && length - *begun > s->to - s->from) {
        *begun += s->to - s->from;
        s++, (*k)++;
    }
    return fmin(s->from + (length - *begun), s->to);
}

/* Disks i0 .. i1 - 1, all in that row; span and begun as they were left before. */
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
