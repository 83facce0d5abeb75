/* The plain double loop, its targets spread over threads by one line. */
#include "device/timing.h"
#include "reference/methods/cpu/plain.h"
#include "reference/methods/methods.h"

static int openmp_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    const struct nb_plain_set *plain = nb_plain();
    (void)work, (void)precision;
    nb_timing_stage(device, "pairs");
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < t->n; i++)
        plain->rows(s, out, i, i + 1);
    return 0;
}

extern const struct nb_force nb_force_openmp_cpu;
const struct nb_force nb_force_openmp_cpu = {
    .method = "openmp",
    .device = "cpu",
    .about = "textbook: the plain double loop on all threads",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = openmp_field,
};
