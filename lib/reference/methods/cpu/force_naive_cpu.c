/* The double loop of a first program, on one thread: the base of every speed-up that is told. */
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

extern const struct nb_force nb_force_naive_cpu;
const struct nb_force nb_force_naive_cpu = {
    .method = "naive",
    .device = "cpu",
    .about = "textbook: the plain double loop on one thread",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .tolerance = {[NB_DOUBLE] = 1e-13},
    .refuse = nb_methods_refuse,
    .field = naive_field,
};
