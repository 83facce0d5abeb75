#include "bench.h"

#include "error.h"

#include "snap/snap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in the tools (tools/tool.c): beside other programs idle threads that spin cost the busy ones their cores. */
__attribute__((constructor(101))) static void wait_asleep(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

struct nb_force_set bench_force(struct nb_device *device, enum nb_precision precision, const char *text, uint64_t n)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device);
    if (nb_force_parse(text, &spec) || nb_force_set_add(&set, &spec, precision, NB_WANT_ACC, n, NULL)) {
        fprintf(stderr, "bench: %s\n", nb_error());
        exit(1);
    }
    return set;
}

double bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
}

void bench_plummer(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    if (nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
        nb_bodies_add_known(b, "vel", NB_F64) || nb_bodies_alloc(b)) {
        fprintf(stderr, "bench: no memory for %llu bodies\n", (unsigned long long)n);
        exit(1);
    }
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
    srand48(1);
    for (uint64_t i = 0; i < n; i++) {
        double r = 1 / sqrt(pow(0.999 * drand48() + 1e-9, -2. / 3) - 1), z = 2 * drand48() - 1;
        double angle = 2 * M_PI * drand48(), s = sqrt(1 - z * z);
        m[i] = (float)(1 / (double)n);
        x[3 * i] = (float)(r * s * cos(angle));
        x[3 * i + 1] = (float)(r * s * sin(angle));
        x[3 * i + 2] = (float)(r * z);
    }
}

int bench_input(const char *path, struct nb_bodies *b)
{
    struct nb_snap_reader *r = nb_snap_open(path, false);
    nb_bodies_init(b);
    int status = !r || nb_snap_read_frame(r, NB_FRAME_LAST, true, b) < 0 || nb_bodies_check(b) ? -1 : 0;
    nb_snap_close(r);
    return status;
}

const char *bench_cpu_name(void)
{
    static char name[256] = "unknown CPU";
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, sizeof name, "%s", colon + 2);
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    }
    if (file)
        fclose(file);
    return name;
}

/* ---- FMA peak: CHAINS independent chains hide the latency of 4 cycles on two pipes ---- */

#define CHAINS 12
#define ROUNDS 2000000

/* Returns seconds; `keep` keeps the compiler from leaving the work out. */
#define FMA_LOOP(name, isa, type, bytes)                                                   \
    __attribute__((target(isa), noinline)) static double name(double *keep)                \
    {                                                                                      \
        typedef type vector __attribute__((vector_size(bytes)));                           \
        vector a[CHAINS], m = (vector){0} + (type)0.999999, c = (vector){0} + (type)1e-6;  \
        for (int k = 0; k < CHAINS; k++)                                                   \
            a[k] = (vector){0} + (type)k;                                                  \
        double begin_s = bench_clock();                                                    \
        for (int round = 0; round < ROUNDS; round++) {                                     \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) a[k] = a[k] * m + c; \
        }                                                                                  \
        double took_s = bench_clock() - begin_s;                                           \
        for (int k = 0; k < CHAINS; k++)                                                   \
            *keep += (double)a[k][0];                                                      \
        return took_s;                                                                     \
    }

FMA_LOOP(loop_single_512, "avx512f,prefer-vector-width=512", float, 64)
FMA_LOOP(loop_double_512, "avx512f,prefer-vector-width=512", double, 64)
FMA_LOOP(loop_single_256, "avx2,fma", float, 32)
FMA_LOOP(loop_double_256, "avx2,fma", double, 32)
FMA_LOOP(loop_single_128, "sse2", float, 16)
FMA_LOOP(loop_double_128, "sse2", double, 16)

double bench_fma_peak(bool single)
{
    static double keep;
    double best_s = INFINITY;
    int bytes = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
    for (int k = 0; k < 7; k++)
        best_s = fmin(best_s, bytes == 64   ? (single ? loop_single_512 : loop_double_512)(&keep)
                              : bytes == 32 ? (single ? loop_single_256 : loop_double_256)(&keep)
                                            : (single ? loop_single_128 : loop_double_128)(&keep));
    return 2.0 * CHAINS * ROUNDS * (double)(bytes / (single ? 4 : 8)) / best_s;
}
