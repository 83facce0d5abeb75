#include "bench.h"

#include "base/error.h"
#include "base/portable.h"
#include "peak.h"
#include "snap/snap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in the tools (tools/common/tool.c): idle threads that spin would take cores from the threads of other programs.
 */
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
    static char name[256];
    nb_processor_name(name, sizeof name);
    return name;
}

double bench_fma_peak(bool single)
{
    static bench_peak *const peaks[NB_SIMD_SETS] = {NB_SIMD_EACH(BENCH_PEAK)};
    static double keep;
    double best = 0;
    for (int k = 0; k < 7; k++)
        best = fmax(best, peaks[nb_simd_in_use()](single, &keep));
    return best;
}
