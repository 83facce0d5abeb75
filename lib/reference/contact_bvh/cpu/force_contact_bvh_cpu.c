/* force_contact_bvh_cpu.c - the force contact-bvh on the CPU, which finds partners with a bounding volume hierarchy. */
#include "base/error.h"
#include "device/timing.h"
#include "force/contact/cpu/contact_simd.h"
#include "reference/contact_bvh/contact_bvh_kinds.h"
#include "reference/contact_bvh/cpu/contact_bvh.h"

#include <stdlib.h>
#include <string.h>

#define TASK 4096 /* number of disks that a thread takes at a time */

struct bvh_work {
    struct nb_contact_work base; /* must be the first member */
    bool reflexive;
    struct nb_contact_bvh bvh;
    struct nb_contact_rows rows;
    void *sums; /* if `reflexive` (each pair computed once): struct nb_contact_sum_single or _double for each disk */
    uint64_t sums_capacity;
};

/* Computes the force of each pair once, and adds it to the sums of both disks. Returns -1 if there is no memory. */
static int reflect(struct bvh_work *w, const struct nb_contact_input *in, struct nb_contact_task *task)
{
    const size_t size = in->single ? sizeof(struct nb_contact_sum_single) : sizeof(struct nb_contact_sum_double);
    nb_contact_reflect *pairs = nb_contact_sets[nb_simd_in_use()]->reflect[!in->single];
    if (w->sums_capacity < in->n * size) {
        free(w->sums);
        w->sums_capacity = (w->sums = malloc(in->n * size)) ? in->n * size : 0;
    }
    if (!w->sums)
        return nb_fail("no memory for sums of disks");
    memset(w->sums, 0, in->n * size);
    task->sums = w->sums;
#pragma omp parallel for schedule(dynamic) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < in->n; i += TASK)
        pairs(task, i, in->n - i < TASK ? in->n : i + TASK);
    return 0;
}

static int bvh_find(struct nb_device *device, struct nb_contact_work *work, const struct nb_contact_input *in,
                    struct nb_contact_task *task)
{
    struct bvh_work *w = (struct bvh_work *)work;
    const struct nb_scene *s = &work->contact.scene;
    const double distance = 2 * s->radius + nb_contact_slack(s, in->single);
    nb_timing_stage(device, "boxes");
    if (nb_contact_bvh_build(&w->bvh, &work->contact, in))
        return -1;
    nb_timing_stage(device, "partners");
    if (nb_contact_bvh_search(&w->bvh, in, distance, w->reflexive, &w->rows))
        return -1;
    task->begin = w->rows.begin;
    task->partner = w->rows.partner;
    nb_timing_stage(device, "contacts");
    return w->reflexive ? reflect(w, in, task) : 0;
}

static void *bvh_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    static const char *const of_a_gpu[] = {"stack", "aggregate"};
    (void)device;
    for (size_t k = 0; k < 2; k++)
        if (nb_force_value(spec, of_a_gpu[k]) != 0)
            return nb_null(nb_fail("force contact-bvh on device cpu: %s works on a GPU only", of_a_gpu[k]));
    struct bvh_work *w = nb_contact_work_open(sizeof *w, spec, meta);
    if (w) {
        w->base.find = bvh_find;
        w->reflexive = nb_force_value(spec, "reflexive") != 0;
        w->bvh.reorder = nb_force_value(spec, "reorder") != 0;
    }
    return w;
}

static void bvh_close(struct nb_device *device, void *work)
{
    struct bvh_work *w = work;
    (void)device;
    nb_contact_bvh_free(&w->bvh);
    nb_contact_rows_free(&w->rows);
    free(w->sums);
    nb_contact_work_close(&w->base);
}

/* Returns an estimate of the working memory in bytes: partner lists with about one partner per disk, the hierarchy, and
 * the sums (used with reflexive=on only). */
static double bvh_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double boxes =
        sizeof(struct nb_contact_box) + 2 * sizeof(uint64_t) + 2 * sizeof(double) + 9 * sizeof(uint32_t);
    (void)precision;
    return (double)n * (boxes + sizeof(uint64_t) + 3 * sizeof(uint32_t) + sizeof(struct nb_contact_sum_double));
}

extern const struct nb_force nb_force_contact_bvh_cpu;
const struct nb_force nb_force_contact_bvh_cpu = {
    .method = "contact-bvh",
    .device = "cpu",
    .about = "disks that touch, partners from a hierarchy of boxes",
    .flags = NB_EXACT | NB_CONTACT | NB_BOUNDS_STEP | NB_PLANAR | NB_CARRIES_RUN,
    .kinds = nb_contact_bvh_kinds,
    .tolerance = {[NB_SINGLE] = 1e-5, [NB_MIXED] = 1e-13, [NB_DOUBLE] = 1e-13},
    .refuse = nb_contact_refuse,
    .field = nb_contact_field_cpu,
    .open = bvh_open,
    .close = bvh_close,
    .carry = nb_contact_carry_cpu,
    .work_bytes = bvh_work_bytes,
    .steps = &nb_contact_steps_cpu,
};
