/* force_external_cpu.c - the force `external` on the CPU: sums external fields at the bodies. */
#include "device/timing.h"
#include "force/put.h"

#define EXTERNAL_CALL static inline
#include "force/external/external_field.h"

static int external_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                          const struct nb_targets *t, const struct nb_field *out)
{
    const struct nb_external field = nb_external_at(work, s ? s->time : 0);
    const bool single = precision == NB_SINGLE;
    nb_timing_stage(device, "external");
#pragma omp parallel for schedule(static) if (t->n > 5000)
    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t at = t->index ? t->index[i] : i;
        struct nb_external_sum sum = {{0}, 0};
        double x[3], v[3] = {0};
        for (uint64_t k = 0; k < 3; k++) {
            x[k] = nb_field_get(t->x, single, k * t->stride + at);
            if (t->v)
                v[k] = nb_field_get(t->v, single, k * t->stride + at);
        }
        external_add(&field, x, v, &sum);
        nb_field_put_sums(out, single, 1, i, sum.a, sum.phi);
    }
    return 0;
}

extern const struct nb_force nb_force_external_cpu;
const struct nb_force nb_force_external_cpu = {
    .method = "external",
    .device = "cpu",
    .about = "analytic fields that act on every body",
    .flags = NB_EXACT | NB_EXTERNAL,
    .kinds = nb_external_kinds,
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-14, [NB_DOUBLE] = 1e-14},
    .refuse = nb_external_refuse,
    .field = external_field,
    .frequency = nb_external_frequency,
    .covers = nb_external_covers,
    .grain = nb_external_grain,
    .note_files = nb_external_note_files,
    .open = nb_external_open,
    .close = nb_external_close,
};
