/* The direct sum on the CPU: chooses the kernel for the processor and spreads the targets over the threads. */
#include "force/direct/cpu/direct_simd.h"

#include "device/timing.h"
#include "error.h"

#include <string.h>

const struct nb_direct_set *const nb_direct_sets[] = {&nb_direct_baseline, &nb_direct_avx2, &nb_direct_avx512, NULL};
static const struct nb_direct_set *chosen;

bool nb_direct_set_here(const struct nb_direct_set *set)
{
    __builtin_cpu_init();
    if (set == &nb_direct_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
    return set == &nb_direct_baseline || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}

static const struct nb_direct_set *best_set(void)
{
    const struct nb_direct_set *best = NULL;
    for (const struct nb_direct_set *const *set = nb_direct_sets; *set; set++)
        if (nb_direct_set_here(*set))
            best = *set;
    return best;
}

const struct nb_direct_set *nb_direct_set_in_use(void)
{
    return chosen ? chosen : best_set();
}

int nb_direct_set_choose(const char *name)
{
    chosen = NULL;
    if (!name)
        return 0;
    for (const struct nb_direct_set *const *set = nb_direct_sets; *set; set++)
        if (strcmp(name, (*set)->name) == 0) {
            chosen = nb_direct_set_here(*set) ? *set : NULL;
            return chosen ? 0 : nb_fail("this processor has no %s", name);
        }
    return nb_fail("kernel '%s' is not baseline, avx2 or avx512", name);
}

/* From so many bodies on a pair is computed once for both; below, the blocks would be too small to pay. */
#define MUTUAL_FROM 2304

static bool mutual(const struct nb_sources *s, const struct nb_targets *t)
{
    return t->self == 0 && !t->index && t->n == s->n && t->x == s->x && t->stride == s->stride && s->n >= MUTUAL_FROM;
}

/* One thread sums a target, in the order of the sources: equal bytes for any number of threads. */
static int direct_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    (void)work;
    const struct nb_direct_set *set = nb_direct_set_in_use();
    nb_direct_kernel *kernel = set->kernel[precision];
    const uint64_t group = NB_DIRECT_TASK;
    nb_timing_stage(device, "pairs");
    if (precision == NB_QUAD || out->jerk)
        return nb_direct_plain(precision, s, t, out);
    if (mutual(s, t))
        return nb_direct_mutual(set, precision, s, out);
#pragma omp parallel for schedule(dynamic) if (s->n * t->n > 20000)
    for (uint64_t i = 0; i < t->n; i += group)
        kernel(s, t, out, i, t->n - i < group ? t->n : i + group);
    return 0;
}

extern const struct nb_force nb_force_direct_cpu;
const struct nb_force nb_force_direct_cpu = {
    .method = "direct",
    .device = "cpu",
    .about = "all pairs, SIMD over targets (baseline, AVX2, AVX-512); jerk and quad in plain C",
    .flags = NB_EXACT | NB_ALL_PAIRS,
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-14, [NB_QUAD] = 1e-32},
    .field = direct_field,
};
