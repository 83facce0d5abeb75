/* force_plain_cpu.c - three simple forces on the CPU, written as in a first program.
 * - naive: a double loop on one thread. Speed-ups are relative to it.
 * - openmp: the same loops; the targets are distributed over threads.
 * - tiled: targets and sources are divided into blocks that fit the L1 cache. The inner loop is over the targets of a
 *   block. The compiler can vectorise this loop, but not an inner loop that sums over sources. */
#include "device/timing.h"
#include "reference/methods/cpu/plain.h"
#include "reference/methods/methods.h"

static int naive_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const struct nb_targets *t, const struct nb_field *out)
{
    (void)work, (void)precision;
    nb_timing_stage(device, "pairs");
    nb_plain()->rows(s, out, 0, t->n);
    return 0;
}

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

extern const struct nb_force nb_force_naive_cpu, nb_force_openmp_cpu, nb_force_tiled_cpu;
const struct nb_force nb_force_naive_cpu = {
    .method = "naive",
    .device = "cpu",
    .about = "textbook: the plain double loop on one thread",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = naive_field,
};

const struct nb_force nb_force_openmp_cpu = {
    .method = "openmp",
    .device = "cpu",
    .about = "textbook: the plain double loop on all threads",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = openmp_field,
};

const struct nb_force nb_force_tiled_cpu = {
    .method = "tiled",
    .device = "cpu",
    .about = "textbook: the double loop in blocks for the cache and for vectors, on all threads",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = tiled_field,
};
