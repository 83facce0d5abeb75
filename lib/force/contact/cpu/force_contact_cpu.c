/* force_contact_cpu.c - contact forces on the CPU: functions shared by all contact methods, and the entry of
 * contact-grid in the table of forces. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pack.h"
#include "device/timing.h"
#include "force/contact/cpu/contact_simd.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define SET(name)    nb_contact_##name
#define SET_OF(name) &SET(name)
extern const struct nb_contact_set NB_SIMD_EACH(SET);
const struct nb_contact_set *const nb_contact_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

#define TASK 4096 /* number of disks that a thread processes at a time */

static int reserve_felt(struct nb_contact_work *w, int threads)
{
    if (w->threads < threads) {
        free(w->felt);
        w->felt = malloc((size_t)threads * sizeof *w->felt);
        w->threads = w->felt ? threads : 0;
    }
    return w->felt ? 0 : nb_fail("no memory");
}

/* Collects the results of all threads. If `counts` is true, adds the forces on the walls to the tally. Returns -1 after
 * nb_fail if a disk is too deep inside a wall. */
static int take_felt(struct nb_contact_work *w, const struct nb_contact_input *in, int threads, bool counts)
{
    uint64_t deep = UINT64_MAX;
    for (int k = 0; k < threads; k++)
        deep = w->felt[k].deep < deep ? w->felt[k].deep : deep;
    if (deep < UINT64_MAX)
        return nb_contact_fail_deep(&w->contact.scene, deep, nb_contact_at(in, 0, deep), nb_contact_at(in, 1, deep));
    for (int wall = 0; counts && wall < w->contact.scene.wall_count; wall++)
        for (int k = 0; k < 2; k++) {
            int64_t sum = 0;
            for (int t = 0; t < threads; t++)
                sum += w->felt[t].units[wall][k];
            nb_contact_units_add(&w->tally.walls[2 * wall + k], sum);
        }
    w->tally.evaluations += counts;
    return 0;
}

static int sum_all(struct nb_contact_work *w, const struct nb_contact_input *in, const struct nb_contact_task *task,
                   uint64_t targets, bool counts)
{
    const int threads = targets > NB_CONTACT_SERIAL ? omp_get_max_threads() : 1;
    nb_contact_kernel *kernel = nb_contact_sets[nb_simd_in_use()]->sum[!in->single];
    if (reserve_felt(w, threads))
        return -1;
    for (int k = 0; k < threads; k++)
        w->felt[k] = (struct nb_contact_felt){.deep = UINT64_MAX};
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (uint64_t i = 0; i < targets; i += TASK)
        kernel(task, i, targets - i < TASK ? targets : i + TASK, &w->felt[omp_get_thread_num()]);
    return take_felt(w, in, threads, counts);
}

int nb_contact_field_cpu(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                         const struct nb_targets *t, const struct nb_field *out)
{
    struct nb_contact_work *w = work;
    const struct nb_scene *scene = &w->contact.scene;
    const struct nb_contact_input in = {precision == NB_SINGLE,
                                        s->n,
                                        s->stride,
                                        s->m,
                                        s->x,
                                        s->v                       ? s->v
                                        : nb_targets_are_all(t, s) ? t->v
                                                                   : NULL,
                                        w->contact.own_radii ? s->radius : NULL};
    if (nb_contact_check(&w->contact, s, t))
        return -1;
    struct nb_contact_task task = {.law_single = nb_contact_single_of(scene, s->kick),
                                   .law_double = nb_contact_double_of(scene, s->kick),
                                   .walls = &w->walls,
                                   .radius = scene->radius,
                                   .unit = NB_CONTACT_UNIT * scene->stiffness * scene->radius,
                                   .own_radius = in.radius,
                                   .stride = s->stride,
                                   .m = in.m,
                                   .x = in.x,
                                   .v = in.v,
                                   .index = t->index,
                                   .first = t->index ? 0 : (uint64_t)t->self,
                                   .out = out};
    if (w->find(device, w, &in, &task))
        return -1;
    nb_timing_stage(device, "contacts");
    return sum_all(w, &in, &task, t->n, out->a && !out->aside && (t->share || nb_targets_are_all(t, s)));
}

/* ---- limit of the step ---- */

static int contact_longest_step(struct nb_device *device, void *work, const struct nb_state *s,
                                double least_of[NB_LEAST_MAX], double *h)
{
    const struct nb_contact_work *w = work;
    const bool own = w->contact.own_radii;
    double least = least_of[NB_CONTACT_LEAST_MASS], fastest2 = 0,
           radius = fmin(w->contact.scene.radius, least_of[NB_CONTACT_LEAST_RADIUS]);
    (void)device;
#pragma omp parallel for schedule(static) reduction(min              \
                                                    : least, radius) \
    reduction(max                                                    \
              : fastest2) if (s->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < s->n; i++) {
        const double m = nb_field_get(s->m, s->precision == NB_SINGLE, i),
                     vx = nb_field_get(s->v, s->precision == NB_SINGLE, i),
                     vy = nb_field_get(s->v, s->precision == NB_SINGLE, s->stride + i), v2 = vx * vx + vy * vy;
        least = m < least ? m : least;
        fastest2 = v2 > fastest2 ? v2 : fastest2;
        radius = own ? fmin(radius, nb_field_get(s->radius, s->precision == NB_SINGLE, i)) : radius;
    }
    least_of[NB_CONTACT_LEAST_RADIUS] = radius;
    least_of[NB_CONTACT_LEAST_MASS] = least;
    least_of[NB_CONTACT_FASTEST] = fmin(least_of[NB_CONTACT_FASTEST], -sqrt(fastest2));
    return nb_contact_bound_step(&w->contact, least_of, h);
}

static int contact_boundary(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    struct nb_contact_work *w = work;
    (void)asked; /* tells whether the next evaluation may be prepared here; on the CPU, nothing is prepared */
    nb_timing_stage(device, "boundary");
    w->counted = nb_contact_bound(&w->contact, &w->tally, w->contact.first_step + ++w->steps, s, first);
    return 0;
}

/* ---- counts ---- */

static int contact_report(struct nb_device *device, void *work, struct nb_meta *meta)
{
    struct nb_contact_work *w = work;
    (void)device;
    return nb_contact_report(&w->contact, &w->tally, meta);
}

static bool counts_changed(const void *work)
{
    return ((const struct nb_contact_work *)work)->counted;
}

static int fetch_counts(struct nb_device *device, void *work, void *counts)
{
    (void)device;
    memcpy(counts, &((struct nb_contact_work *)work)->tally, sizeof(struct nb_contact_tally));
    return 0;
}

static int put_counts(struct nb_device *device, void *work, const void *counts)
{
    (void)device;
    memcpy(&((struct nb_contact_work *)work)->tally, counts, sizeof(struct nb_contact_tally));
    return 0;
}

static const struct nb_force_counts contact_counts = {sizeof(struct nb_contact_tally), counts_changed, fetch_counts,
                                                      put_counts, nb_contact_join};

/* A checkpoint does not contain the lists of partners: they are rebuilt after loading. The forces remain bitwise
 * identical, because disks in a list that do not touch add nothing. */
int nb_contact_carry_cpu(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k)
{
    struct nb_contact_work *w = work;
    uint64_t number = w->contact.first_step + w->steps;
    (void)device;
    (void)n;
    if (nb_contact_pack(k, &number, &w->tally))
        return -1;
    /* The checkpoint's step number replaces the number that nb_contact_make took from the frame's header. */
    if (k->way == NB_PACK_LOAD) {
        w->contact.first_step = number;
        w->steps = 0;
    }
    return 0;
}

const struct nb_force_steps nb_contact_steps_cpu = {nb_contact_flags, contact_longest_step, contact_boundary,
                                                    contact_report, &contact_counts};

/* ---- working memory ---- */

void nb_contact_work_close(struct nb_contact_work *w)
{
    nb_contact_walls_free(&w->walls);
    nb_contact_free(&w->contact);
    free(w->felt);
    free(w);
}

void *nb_contact_work_open(size_t size, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct nb_contact_work *w = nb_memory_new(size);
    if (!w || nb_contact_make(spec, meta, &w->contact)) {
        free(w);
        return NULL;
    }
    w->tally.stock = w->contact.first_stock;
    if (nb_contact_walls_make(&w->contact.scene, &w->walls)) {
        nb_contact_work_close(w);
        return NULL;
    }
    return w;
}

/* ---- contact-grid ---- */

struct grid_work {
    struct nb_contact_work base; /* must be the first member (nb_contact_work) */
    struct nb_contact_list list;
};

static int grid_find(struct nb_device *device, struct nb_contact_work *work, const struct nb_contact_input *in,
                     struct nb_contact_task *task)
{
    struct nb_contact_list *list = &((struct grid_work *)work)->list;
    nb_timing_stage(device, "partners");
    if (nb_contact_list_update(list, &work->contact, task, in))
        return -1;
    task->begin = list->rows.begin;
    task->partner = list->rows.partner;
    return 0;
}

static void *grid_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct grid_work *w = nb_contact_work_open(sizeof *w, spec, meta);
    (void)device;
    if (w) {
        const struct nb_scene *s = &w->base.contact.scene;
        w->base.find = grid_find;
        w->list.skin = nb_contact_list_skin(s, nb_force_value(spec, "skin") * s->radius);
    }
    return w;
}

static void grid_close(struct nb_device *device, void *work)
{
    struct grid_work *w = work;
    (void)device;
    nb_contact_list_free(&w->list);
    nb_contact_work_close(&w->base);
}

/* Returns an estimate of the memory in bytes for the grid and the lists of n disks with about two partners each. */
static double grid_work_bytes(enum nb_precision precision, uint64_t n)
{
    (void)precision;
    const double rows = sizeof(uint64_t) + 5 * sizeof(uint32_t);
    const double grid = 7 * sizeof(uint32_t) + 4 * sizeof(double);
    return (double)n * (rows + grid);
}

extern const struct nb_force nb_force_contact_grid_cpu;
const struct nb_force nb_force_contact_grid_cpu = {
    .method = "contact-grid",
    .device = "cpu",
    .about = "disks that touch, partners from a uniform grid, lists with a skin",
    .flags = NB_EXACT | NB_CONTACT | NB_BOUNDS_STEP | NB_PLANAR | NB_CARRIES_RUN,
    .kinds = nb_contact_grid_kinds,
    .tolerance = {[NB_SINGLE] = 1e-5, [NB_MIXED] = 1e-13, [NB_DOUBLE] = 1e-13},
    .refuse = nb_contact_refuse,
    .field = nb_contact_field_cpu,
    .open = grid_open,
    .close = grid_close,
    .carry = nb_contact_carry_cpu,
    .work_bytes = grid_work_bytes,
    .steps = &nb_contact_steps_cpu,
};
