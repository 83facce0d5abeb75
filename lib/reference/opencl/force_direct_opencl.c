/* force_direct_opencl.c - the direct sum on a device of OpenCL; runs the kernel in direct.cl. */
#include "device/timing.h"
#include "force/force.h"
#include "reference/opencl/opencl.h"

extern const char nb_opencl_source_direct[];

static const char *direct_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "it computes acceleration and potential only, no jerk" : NULL;
}

static int direct_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    /* number of targets of a work-item, equal to LANES in direct.cl */
    const uint64_t lanes = nb_opencl_of(device)->is_cpu ? 8 : precision == NB_DOUBLE ? 1 : 4;
    (void)work;
    nb_timing_stage(device, "pairs");
    struct nb_opencl_call c = nb_opencl_begin(device, nb_opencl_source_direct, precision, "direct");
    nb_opencl_ulong(&c, s->n);
    nb_opencl_ulong(&c, s->stride);
    nb_opencl_rows(&c, s->m);
    nb_opencl_rows(&c, s->x);
    nb_opencl_ulong(&c, t->n);
    nb_opencl_ulong(&c, t->stride);
    nb_opencl_rows(&c, t->x);
    nb_opencl_place(&c, t->index, sizeof *t->index);
    nb_opencl_value(&c, &t->self, sizeof t->self);
    nb_opencl_pair_number(&c, s->softening * s->softening);
    nb_opencl_number(&c, s->G);
    nb_opencl_ulong(&c, out->stride);
    nb_opencl_rows(&c, out->a);
    nb_opencl_rows(&c, out->phi);
    nb_opencl_int(&c, out->add);
    return nb_opencl_run(&c, (t->n + lanes - 1) / lanes);
}

extern const struct nb_force nb_force_direct_opencl;
const struct nb_force nb_force_direct_opencl = {
    .method = "direct",
    .device = "opencl",
    .about = "all pairs; a few targets to a work-item",
    .flags = NB_EXACT | NB_ALL_PAIRS,
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-14},
    .refuse = direct_refuse,
    .field = direct_field,
};
