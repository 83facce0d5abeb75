#include "device.h"
#include "error.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cpu_open(char *description, size_t size)
{
    int threads = omp_get_max_threads();
    snprintf(description, size, "CPU, %d thread%s", threads, threads == 1 ? "" : "s");
    return 0;
}

static void *cpu_alloc(size_t size_bytes)
{
    size_t rounded = (size_bytes + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
    void *p = rounded < size_bytes ? NULL : aligned_alloc(NB_ALIGN, rounded ? rounded : NB_ALIGN);
    if (!p) {
        nb_fail("no memory for %zu bytes", size_bytes);
        return NULL;
    }
    return memset(p, 0, rounded);
}

static int cpu_copy(void *to, const void *from, size_t size_bytes)
{
    memcpy(to, from, size_bytes);
    return 0;
}

static int cpu_axpy(enum nb_precision precision, uint64_t count, double a, const void *x, void *y)
{
    if (precision == NB_SINGLE) {
        const float *restrict xs = x;
        float *restrict ys = y;
        float as = (float)a;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
        for (uint64_t i = 0; i < count; i++)
            ys[i] += as * xs[i];
    } else {
        const double *restrict xd = x;
        double *restrict yd = y;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
        for (uint64_t i = 0; i < count; i++)
            yd[i] += a * xd[i];
    }
    return 0;
}

static int cpu_leap(enum nb_precision precision, uint64_t count, double k1, double k2, double d, const void *a, void *v,
                    void *x)
{
    if (k1 != 0 && cpu_axpy(precision, count, k1, a, v))
        return -1;
    return cpu_axpy(precision, count, k2, a, v) || cpu_axpy(precision, count, d, v, x) ? -1 : 0;
}

static int cpu_sync(void)
{
    return 0;
}

static int cpu_speed(int *processors, double *clock_hz)
{
    *processors = omp_get_max_threads();
    *clock_hz = 0;
    return 0;
}

extern const struct nb_device nb_device_cpu;
const struct nb_device nb_device_cpu = {
    .name = "cpu",
    .usual = NB_DOUBLE,
    .open = cpu_open,
    .alloc = cpu_alloc,
    .free = free,
    .to_device = cpu_copy,
    .from_device = cpu_copy,
    .axpy = cpu_axpy,
    .leap = cpu_leap,
    .sync = cpu_sync,
    .speed = cpu_speed,
};
