/* The plain double loop in blocks: the sources of a block stay in the nearest cache while all targets of another pass.
 */
#include "device/timing.h"
#include "force/methods/cpu/plain.h"
#include "force/methods/methods.h"

#define TILE 512 /* bodies, 16 KiB of positions and masses: half of a cache of 32 KiB */

/* A block of targets, through the blocks of sources in order. */
static void sum_tile(const struct plain *p, uint64_t n, uint64_t i0, uint64_t i1, struct plain_sum sum[TILE])
{
    for (uint64_t j0 = 0; j0 < n; j0 += TILE)
        for (uint64_t i = i0; i < i1; i++)
            plain_range(p, i, j0, j0 + TILE < n ? j0 + TILE : n, &sum[i - i0]);
}

static int tiled_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const struct nb_targets *t, const struct nb_field *out)
{
    const struct plain p = plain_of(s);
    (void)work, (void)precision;
    nb_timing_stage(device, "pairs");
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i0 = 0; i0 < t->n; i0 += TILE) {
        const uint64_t i1 = i0 + TILE < t->n ? i0 + TILE : t->n;
        struct plain_sum sum[TILE] = {0};
        sum_tile(&p, s->n, i0, i1, sum);
        for (uint64_t i = i0; i < i1; i++)
            plain_put(out, s->G, i, &sum[i - i0]);
    }
    return 0;
}

extern const struct nb_force nb_force_tiled_cpu;
const struct nb_force nb_force_tiled_cpu = {
    .method = "tiled",
    .device = "cpu",
    .about = "textbook: the plain double loop in blocks for the cache, on all threads",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = tiled_field,
};
