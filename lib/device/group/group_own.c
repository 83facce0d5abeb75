/* group_own.c - individual time steps on several devices. Each device (part) computes its own bodies. Declared in
 * group_own.h. */
#include "device/group/group_own.h"

#include "device/group/group_memory.h"

#include <math.h>

struct kick_job {
    struct nb_device *d;
    enum nb_precision precision;
    struct nb_own_kick kick;
    double least[NB_GROUP_MAX];
};

static int run_kick_own(void *context, int k)
{
    struct kick_job *j = context;
    struct nb_own_kick own = j->kick;
    own.first = nb_group_begin(j->d, j->kick.n, k);
    own.n = nb_group_begin(j->d, j->kick.n, k + 1) - own.first;
    own.stride = nb_group_stride(j->d, j->kick.n, k);
    /* If d_index is not NULL, d_field contains the accelerations of all listed bodies on each part, in rows of the
     * caller's field_stride. If d_index is NULL, the bodies in d_field are divided among the parts, as in d_a. */
    own.field_stride = own.d_index ? own.field_stride : own.stride;
    own.d_index = nb_group_at(j->d, own.d_index, k);
    own.d_field = nb_group_at(j->d, own.d_field, k);
    own.d_m = nb_group_at(j->d, own.d_m, k);
    own.d_a = nb_group_at(j->d, own.d_a, k);
    own.d_v = nb_group_at(j->d, own.d_v, k);
    own.d_step = nb_group_at(j->d, own.d_step, k);
    j->least[k] = INFINITY;
    return own.n == 0 ? 0 : nb_device_kick_own(nb_group_part(j->d, k), j->precision, &own, &j->least[k]);
}

int nb_group_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least)
{
    struct kick_job job = {.d = d, .precision = precision, .kick = *kick};
    if (nb_group_run(d, run_kick_own, &job))
        return -1;
    *least = INFINITY;
    for (int k = 0; k < nb_group_count(d); k++)
        *least = fmin(*least, job.least[k]);
    return 0;
}

struct hermite_job {
    struct nb_device *d;
    enum nb_precision precision;
    struct nb_own_hermite own;
    double range[NB_GROUP_MAX][2];
};

static int run_hermite_own(void *context, int k)
{
    struct hermite_job *j = context;
    struct nb_own_hermite own = j->own;
    own.first = nb_group_begin(j->d, j->own.n, k);
    own.n = nb_group_begin(j->d, j->own.n, k + 1) - own.first;
    own.stride = nb_group_stride(j->d, j->own.n, k);
    own.field_stride = own.d_index ? own.field_stride : own.stride;
    own.d_index = nb_group_at(j->d, own.d_index, k);
    own.d_field_a = nb_group_at(j->d, own.d_field_a, k);
    own.d_field_j = nb_group_at(j->d, own.d_field_j, k);
    void **const rows[] = {&own.d_x, &own.d_v, &own.d_a, &own.d_j, &own.d_begun, &own.d_step, &own.d_px, &own.d_pv};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        *rows[r] = nb_group_at(j->d, *rows[r], k);
    j->range[k][0] = INFINITY, j->range[k][1] = 0;
    return own.n == 0 ? 0 : nb_device_hermite_own(nb_group_part(j->d, k), j->precision, &own, j->range[k]);
}

int nb_group_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                         double range[2])
{
    struct hermite_job job = {.d = d, .precision = precision, .own = *own};
    if (nb_group_run(d, run_hermite_own, &job))
        return -1;
    range[0] = INFINITY, range[1] = 0;
    for (int k = 0; k < nb_group_count(d); k++) {
        range[0] = fmin(range[0], job.range[k][0]);
        range[1] = fmax(range[1], job.range[k][1]);
    }
    return 0;
}

struct due_job {
    struct nb_device *d;
    enum nb_precision precision;
    uint64_t n;
    const void *d_step;
    double most;
    uint32_t *d_index;
    uint64_t count[NB_GROUP_MAX];
};

static int reserve_due(struct nb_group *g, int k, uint64_t n)
{
    if (g->due_room[k] >= n)
        return 0;
    nb_device_free(g->part[k], g->d_due[k]);
    g->due_room[k] = 0;
    g->d_due[k] = nb_device_alloc(g->part[k], n * sizeof *g->d_due[k]);
    g->due_room[k] = g->d_due[k] ? n : 0;
    return g->d_due[k] ? 0 : -1;
}

static int run_select_due(void *context, int k)
{
    struct due_job *j = context;
    struct nb_group *g = nb_group_of(j->d);
    const uint64_t first = nb_group_begin(j->d, j->n, k), n = nb_group_begin(j->d, j->n, k + 1) - first;
    j->count[k] = 0;
    return (n > 0 && (reserve_due(g, k, n) ||
                      nb_device_select_due(g->part[k], j->precision, first, n, nb_group_at(j->d, j->d_step, k), j->most,
                                           g->d_due[k], &j->count[k]))) ||
                   nb_group_ready(j->d, k)
               ? -1
               : 0;
}

/* Copies the lists of found bodies (d_due) of all parts, one after the other, to part k's d_index. */
static int run_join_due(void *context, int k)
{
    const struct due_job *j = context;
    uint32_t *to = nb_group_at(j->d, j->d_index, k);
    for (int h = 0; h < nb_group_count(j->d); to += j->count[h++])
        if (j->count[h] > 0 && nb_group_copy(j->d, k, to, h, nb_group_of(j->d)->d_due[h], j->count[h] * sizeof *to))
            return -1;
    return 0;
}

static int run_due_taken(void *context, int k)
{
    const struct due_job *j = context;
    return nb_group_taken(j->d, k);
}

/* Each part first lists its own due bodies (bodies whose value in d_step is at most `most`). Then each part copies the
 * lists of all parts, one after the other, to d_index. */
int nb_group_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                        const void *d_step, double most, uint32_t *d_index, uint64_t *count)
{
    struct due_job job = {d, precision, n, d_step, most, d_index, {0}};
    (void)first; /* always 0: a group is not part of another group */
    *count = 0;
    if (nb_group_run(d, run_select_due, &job) || nb_group_run(d, run_join_due, &job) ||
        nb_group_run(d, run_due_taken, &job))
        return -1;
    for (int k = 0; k < nb_group_count(d); k++)
        *count += job.count[k];
    return 0;
}
