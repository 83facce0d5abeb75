/* force_direct_cpu.c - direct summation on the CPU: the entry of the table of forces. It chooses the kernel for the
 * processor and distributes targets over threads. */
#include "force/direct/cpu/direct_simd.h"

#include "device/timing.h"
#include "force/neighbours.h"

#define SET(name)    nb_direct_##name
#define SET_OF(name) &SET(name)
extern const struct nb_direct_set NB_SIMD_EACH(SET);
const struct nb_direct_set *const nb_direct_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

#define JERK_SET(name)    nb_direct_jerk_##name
#define JERK_SET_OF(name) &JERK_SET(name)
extern const struct nb_direct_jerk_set NB_SIMD_EACH(JERK_SET);
const struct nb_direct_jerk_set *const nb_direct_jerk_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(JERK_SET_OF)};

/* Minimum number of bodies for which each pair is computed only once, for both of its bodies. With fewer bodies, the
 * blocks into which the bodies are divided would be too small to be efficient. */
#define MUTUAL_FROM 2304

static bool mutual(const struct nb_sources *s, const struct nb_targets *t)
{
    return nb_targets_are_all(t, s) && t->x == s->x && t->stride == s->stride && s->n >= MUTUAL_FROM;
}

/* The sources of each target are summed in a fixed order. Results are therefore bitwise identical for any number of
 * threads. */
static int direct_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    (void)work;
    const struct nb_direct_set *set = nb_direct_sets[nb_simd_in_use()];
    nb_direct_kernel *kernel = set->kernel[precision];
    const uint64_t group = NB_DIRECT_TASK;
    nb_timing_stage(device, "pairs");
    if (precision == NB_QUAD)
        return nb_direct_quad(s, t, out);
    if (out->jerk || out->snap) {
        nb_direct_jerk_sets[nb_simd_in_use()]->field[precision](s, t, out);
        return 0;
    }
    if (mutual(s, t))
        return nb_direct_mutual(set, precision, s, out);
    if (s->n * t->n <= 20000) { /* computing so few pairs takes less time than starting threads */
        kernel(s, t, out, 0, t->n);
        return 0;
    }
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < t->n; i += group)
        kernel(s, t, out, i, t->n - i < group ? t->n : i + group);
    return 0;
}

/* Returns the size in bytes of the memory for the sums: acceleration and potential of each body in double. For quad
 * precision see nb_direct_quad_bytes. */
static double direct_work_bytes(enum nb_precision precision, uint64_t n)
{
    return precision == NB_QUAD ? (double)nb_direct_quad_bytes(n) : 4 * sizeof(double) * (double)n;
}

extern const struct nb_force_neighbours nb_direct_neighbours;
extern const struct nb_force nb_force_direct_cpu;
const struct nb_force nb_force_direct_cpu = {
    .method = "direct",
    .device = "cpu",
    .about = "all pairs, SIMD over targets (" NB_SIMD_ABOUT "); quad in plain C",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_NEAR_AND_FAR,
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-14, [NB_QUAD] = 1e-32},
    .field = direct_field,
    .work_bytes = direct_work_bytes,
    .neighbours = &nb_direct_neighbours,
};
