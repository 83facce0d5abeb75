/* The direct sum on the CPU: chooses the kernel for the processor and spreads the targets over the threads. */
#include "direct_simd.h"

static const struct nb_direct_set *usual_set(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return &nb_direct_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &nb_direct_avx2;
    return &nb_direct_baseline;
}

static int direct_field(void *work, enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                        const struct nb_field *out)
{
    (void)work;
    nb_direct_kernel *kernel = usual_set()->kernel[precision];
    const uint64_t group = NB_DIRECT_GROUP;
    /* Each target is summed by one thread in the order of the sources: equal bytes for any number of threads. */
#pragma omp parallel for schedule(dynamic) if (s->n * t->n > 20000)
    for (uint64_t i = 0; i < t->n; i += group)
        kernel(s, t, out, i, t->n - i < group ? t->n : i + group);
    return 0;
}

extern const struct nb_force nb_force_direct_cpu;
const struct nb_force nb_force_direct_cpu = {
    .method = "direct",
    .device = "cpu",
    .about = "all pairs, SIMD over targets (baseline, AVX2, AVX-512)",
    .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-14},
    .field = direct_field,
};
