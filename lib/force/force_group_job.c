/* force_group_job.c - gives each device of a group (each part) a copy of all sources. Declared in force_group_job.h. */
#include "force/force_group_job.h"

#include "base/error.h"

/* Number of rows of each quantity (ROW_ constants): mass, position, velocity, acceleration, radius, black hole. */
static const int row_counts[ROW_KINDS] = {1, 3, 3, 3, 1, 1};

int nb_group_reserve(struct nb_device *device, void **d, size_t *have_bytes, size_t size_bytes)
{
    if (*have_bytes >= size_bytes)
        return 0;
    nb_device_free(device, *d);
    *d = nb_device_alloc(device, size_bytes);
    *have_bytes = *d ? size_bytes : 0;
    return *d ? 0 : -1;
}

static const void *source_row(const struct nb_sources *s, int row)
{
    const void *const rows[ROW_KINDS] = {s->m, s->x, s->v, s->a, s->radius, s->hole};
    return rows[row];
}

/* Returns whether the force reads this quantity (a ROW_ constant) of the sources. Mass and position are always read. */
static bool wants_row(const struct nb_group_job *j, int row)
{
    const unsigned flags = j->f->flags;
    const bool derivative = j->out->jerk || j->out->snap;
    return source_row(j->s, row) && (row <= ROW_X || (row == ROW_V && (derivative || flags & NB_NEEDS_VELOCITY)) ||
                                     (row == ROW_A && j->out->snap) || (row == ROW_RADIUS && flags & NB_READS_RADIUS) ||
                                     (row == ROW_HOLE && flags & NB_READS_HOLES));
}

size_t nb_group_row_bytes(const struct nb_group_job *j)
{
    return j->s->stride * nb_precision_size(j->precision);
}

int nb_group_check_rows(const struct nb_group_job *j)
{
    if (j->out->jerk || j->out->snap || j->out->pressure)
        return nb_fail("force %s computes neither jerk nor pressure", j->f->row->method);
    return 0;
}

uint64_t nb_group_first(const struct nb_group_job *j, int k)
{
    return nb_group_begin(j->group, j->s->n, k);
}

struct nb_sources nb_group_taken_sources(const struct nb_group_job *j, int k, uint64_t i0, uint64_t i1)
{
    const size_t element = nb_precision_size(j->precision);
    struct nb_sources s = *j->s;
    const char *row[ROW_KINDS];
    for (int r = 0; r < ROW_KINDS; r++)
        row[r] = wants_row(j, r) ? (char *)j->f->part[k].d_row[r] + i0 * element : NULL;
    s.n = i1 - i0;
    s.m = row[ROW_M];
    s.x = row[ROW_X];
    s.v = row[ROW_V];
    s.a = row[ROW_A];
    s.radius = row[ROW_RADIUS];
    s.hole = row[ROW_HOLE];
    return s;
}

/* Allocates the memory of part k for the sources, then calls nb_group_ready. Other parts may access this memory only
 * after this call, because allocation clears the memory. */
int nb_group_make_ready(void *context, int k)
{
    const struct nb_group_job *j = context;
    struct nb_group_part_work *p = &j->f->part[k];
    for (int row = 0; row < ROW_KINDS; row++)
        if (wants_row(j, row) && nb_group_reserve(nb_group_part(j->group, k), &p->d_row[row], &p->size_bytes[row],
                                                  (size_t)row_counts[row] * nb_group_row_bytes(j)))
            return -1;
    return nb_group_ready(j->group, k);
}

int nb_group_take_rows(const struct nb_group_job *j, int k, bool own)
{
    for (int row = 0; row < ROW_KINDS; row++)
        if (wants_row(j, row) && nb_group_take(j->group, k, j->precision, j->s->n, source_row(j->s, row),
                                               row_counts[row], j->s->stride, j->f->part[k].d_row[row], own))
            return -1;
    return 0;
}

int nb_group_take_all(void *context, int k)
{
    return nb_group_take_rows(context, k, true);
}
