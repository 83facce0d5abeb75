/* External fields on the CPU as an entry of the table of forces. */
#include "device/timing.h"
#include "force/put.h"

#define EXTERNAL_CALL static inline
#include "force/external/external_field.h"

struct rows { /* of the targets and of the output, in the precision's type */
    bool single;
    const void *x, *v;
    void *a, *phi;
};

static double get(const struct rows *r, const void *row, uint64_t i)
{
    return r->single ? (double)((const float *)row)[i] : ((const double *)row)[i];
}

static int external_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                          const struct nb_targets *t, const struct nb_field *out)
{
    const struct nb_external *field = work;
    const struct rows r = {precision == NB_SINGLE, t->x, t->v, out->a, out->phi};
    (void)s;
    nb_timing_stage(device, "external");
#pragma omp parallel for schedule(static) if (t->n > 5000)
    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t at = t->index ? t->index[i] : i;
        struct nb_external_sum sum = {{0}, 0};
        double x[3], v[3] = {0};
        for (uint64_t k = 0; k < 3; k++) {
            x[k] = get(&r, r.x, k * t->stride + at);
            if (r.v)
                v[k] = get(&r, r.v, k * t->stride + at);
        }
        external_add(field, x, v, &sum);
        for (uint64_t k = 0; k < 3 && r.a; k++)
            nb_field_put(r.a, r.single, out->add, k * out->stride + i, sum.a[k]);
        if (r.phi)
            nb_field_put(r.phi, r.single, out->add, i, sum.phi);
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
    .open = nb_external_open,
    .close = nb_external_close,
};
