/* The plain double loop in blocks of targets and sources, which stay in the nearest cache. In a block the targets are
 * the inner loop: the compiler makes vectors of it, which it cannot make of a sum. */
#include "device/timing.h"
#include "reference/methods/cpu/plain.h"
#include "reference/methods/methods.h"

static int tiled_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const struct nb_targets *t, const struct nb_field *out)
{
    const struct nb_plain_set *plain = nb_plain();
    (void)work, (void)precision;
    nb_timing_stage(device, "pairs");
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < t->n; i += NB_PLAIN_TILE)
        plain->tile(s, out, i, i + NB_PLAIN_TILE < t->n ? i + NB_PLAIN_TILE : t->n);
    return 0;
}

extern const struct nb_force nb_force_tiled_cpu;
const struct nb_force nb_force_tiled_cpu = {
    .method = "tiled",
    .device = "cpu",
    .about = "textbook: the double loop in blocks for the cache and for vectors, on all threads",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = tiled_field,
};
