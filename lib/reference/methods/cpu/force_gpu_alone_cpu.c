/* force_gpu_alone_cpu.c - entries for textbook methods that exist only on GPUs. On the CPU each entry returns an error
 * message, which names a method to use instead. */
#include "reference/methods/methods.h"

static const char *refuse_shared_tiles(enum nb_precision precision, unsigned want)
{
    (void)precision, (void)want;
    return "this method is for GPUs (on a CPU, --force tiled does the same)";
}

static const char *refuse_pairs_symmetric(enum nb_precision precision, unsigned want)
{
    (void)precision, (void)want;
    return "it is for GPUs; on a CPU --force direct computes each pair once from 2304 bodies on";
}

extern const struct nb_force nb_force_shared_tiles_cpu, nb_force_pairs_symmetric_cpu;
const struct nb_force nb_force_shared_tiles_cpu = {
    .method = "shared-tiles",
    .device = "cpu",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_shared_tiles_kinds,
    .refuse = refuse_shared_tiles,
};

const struct nb_force nb_force_pairs_symmetric_cpu = {
    .method = "pairs-symmetric",
    .device = "cpu",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_pairs_symmetric_kinds,
    .refuse = refuse_pairs_symmetric,
};
