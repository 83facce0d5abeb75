/* direct - measures speed and error of direct summation, or of another self-gravity method, as TSV: one line for each
 * device, each of its precisions and each number of bodies.
 *
 *   direct [--device auto|cpu|cuda|opencl] [--force NAME[:key=value,...]] [--precision P] [--max-n N] [--only-n N,...]
 *          [--quick]
 *
 * Time: the median of several evaluations after a first one, with the device synchronised before and after. Error: the
 * relative error of the acceleration, compared with a sum in extended precision, for up to 512 bodies. Bounds: on the
 * CPU the measured FMA peak of one core times the threads, at 20 operations a pair; on the GPU the issue slots of the
 * FP32 pipe, 13 a pair, at the clock that the device reports. The numbers of bodies of --only-n are always measured,
 * even if they take long. Steps a second are measured for direct summation only. */
#include "base/error.h"
#include "bench.h"
#include "device/device_kind.h"
#include "force/force.h"
#include "step/step.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

#define SAMPLE  512
#define FLOPS   20 /* of a pair, as is the custom */
#define SOFTEN  0.01
#define LONGEST 3.0 /* seconds that one evaluation may take, by estimate */

static const uint64_t sizes[] = {1024, 2048, 4096, 8192, 16384, 20480, 32768, 65536, 131072, 262144, 524288, 1048576};

struct options {
    const char *device, *force;
    int precision; /* -1: all */
    uint64_t max_n, only[16];
    int only_count; /* 0: all */
    bool quick;
};

struct machine {
    struct nb_device *device;
    double peak[NB_PRECISIONS]; /* pairs/s that the stated bound allows */
};

struct result {
    double seconds, rate, median, p99;
};

static noreturn void fail(void)
{
    fprintf(stderr, "direct: %s\n", nb_error());
    exit(1);
}

/* ---- error ---- */

/* Computes the acceleration of body i with sums in extended precision. */
static void exact(const struct nb_bodies *b, uint64_t i, double *a)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    long double sum[3] = {0};
    for (uint64_t j = 0; j < b->n; j++) {
        double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTEN * SOFTEN, w = m[j] / (r2 * sqrt(r2));
        for (int k = 0; k < 3; k++)
            sum[k] += w * d[k];
    }
    for (int k = 0; k < 3; k++)
        a[k] = (double)sum[k];
}

static void find_errors(const struct nb_bodies *b, const double *a, struct result *r)
{
    const uint64_t count = b->n < SAMPLE ? b->n : SAMPLE, step = b->n / count;
    double error[SAMPLE];
#pragma omp parallel for schedule(dynamic)
    for (uint64_t k = 0; k < count; k++) {
        double e[3], d2 = 0, a2 = 0;
        exact(b, k * step, e);
        for (int c = 0; c < 3; c++) {
            double d = a[3 * k * step + (uint64_t)c] - e[c];
            d2 += d * d;
            a2 += e[c] * e[c];
        }
        error[k] = sqrt(d2 / a2);
    }
    bench_sort(error, count);
    r->median = error[count / 2];
    r->p99 = error[count * 99 / 100];
}

/* ---- time ---- */

/* Prints the automatic choices of the force as a comment. */
static void print_notes(const struct nb_opened_force *f, enum nb_precision p, uint64_t n)
{
    const char *notes = f->entry->notes ? f->entry->notes(f->work) : NULL;
    if (notes)
        printf("# %s %s %s %llu: %s\n", f->entry->method, f->entry->device, nb_precision_name(p), (unsigned long long)n,
               notes);
}

static struct result measure(const struct machine *machine, enum nb_precision p, const struct nb_bodies *b,
                             const struct options *o)
{
    double seconds[15];
    struct result r;
    struct nb_force_set force = bench_force(machine->device, p, o->force, b->n);
    struct nb_state *s = nb_state_create(machine->device, p, b);
    struct nb_column a = {.type = NB_F64, .width = 3};
    a.data = malloc(nb_column_bytes(&a, b->n));
    if (!s || !a.data)
        fail();
    size_t count = 0;
    for (double spent_s = 0; count < 2 || (count < 15 && spent_s < (o->quick ? 0.2 : 1));) {
        double begin_s = bench_clock();
        if (nb_force_set_evaluate_state(&force, nb_forces_all, s, 1, SOFTEN, s->a, NULL) ||
            nb_device_sync(machine->device))
            fail();
        double took_s = bench_clock() - begin_s;
        if (count++ == 0) /* the first makes working memory; its place is taken by the second */
            seconds[0] = took_s;
        else
            seconds[count - 2] = took_s;
        spent_s += took_s;
    }
    bench_sort(seconds, count - 1);
    r.seconds = seconds[(count - 1) / 2];
    r.rate = (double)b->n * (double)b->n / r.seconds;
    if (nb_state_fetch(s, s->a, &a))
        fail();
    find_errors(b, a.data, &r);
    print_notes(&force.force[0], p, b->n);
    nb_force_set_close(&force);
    nb_state_destroy(s);
    free(a.data);
    return r;
}

/* Leapfrog steps a second, everything included but output. */
static double measure_steps(const struct machine *machine, enum nb_precision p, const struct nb_bodies *b)
{
    struct nb_force_set forces = bench_force(machine->device, p, "direct", b->n);
    struct nb_stepper stepper = {.scheme = nb_scheme_find("leapfrog"), .forces = &forces, .G = 1, .softening = SOFTEN};
    stepper.state = nb_state_create(machine->device, p, b);
    if (!stepper.scheme || !stepper.state)
        fail();
    if (nb_step_begin(&stepper) || nb_steps(&stepper, 1e-4, 1) || nb_device_sync(machine->device))
        fail();
    double begin_s = bench_clock(), took_s = 0;
    uint64_t steps = 0, burst = 1; /* grows as in nbsim, so that the host waits for the device now and then */
    while (took_s < 0.5) {
        if (nb_steps(&stepper, 1e-4, burst) || nb_device_sync(machine->device))
            fail();
        steps += burst;
        double now_s = bench_clock() - begin_s;
        burst *= now_s - took_s < 0.05 ? 2 : 1;
        took_s = now_s;
    }
    nb_step_end(&stepper);
    nb_force_set_close(&forces);
    nb_state_destroy(stepper.state);
    return (double)steps / took_s;
}

/* ---- the table ---- */

/* Returns whether this number of bodies is measured, given the rate of the previous one. */
static bool is_wanted(const struct options *o, uint64_t n, double last_rate)
{
    const double pairs = (double)n * (double)n;
    for (int k = 0; k < o->only_count; k++)
        if (o->only[k] == n)
            return true;
    return o->only_count == 0 && n <= o->max_n && pairs / last_rate <= (o->quick ? LONGEST / 10 : LONGEST);
}

/* Returns whether the force supports this case. If not, prints the reason as a comment. */
static bool serves(const struct machine *machine, enum nb_precision p, uint64_t n, const char *force)
{
    struct nb_force_spec spec;
    struct nb_force_set set;
    if (nb_force_parse(force, &spec))
        fail();
    nb_force_set_init(&set, machine->device);
    bool there = nb_force_set_add(&set, &spec, p, NB_WANT_ACC, n, NULL) == 0;
    if (there)
        there = nb_force_set_fits(&set, p, 0, n) == 0;
    nb_force_set_close(&set);
    if (!there)
        printf("# %s %s %llu: %s\n", force, nb_precision_name(p), (unsigned long long)n, nb_error());
    return there;
}

static void bench_size(const struct machine *machine, enum nb_precision p, uint64_t n, const struct options *o,
                       double *rate)
{
    struct nb_bodies b;
    bench_plummer(&b, n);
    const struct result r = measure(machine, p, &b, o);
    const bool steps = n <= 65536 && r.seconds < 0.005 && strcmp(o->force, "direct") == 0;
    printf("%s\t%s\t%llu\t%.4g\t%.4g\t%.2e\t%.2e\t%.3f\t%.4g\t%s\n", machine->device->name, nb_precision_name(p),
           (unsigned long long)n, 1e3 * r.seconds, 1e-9 * r.rate, r.median, r.p99, r.rate / machine->peak[p],
           steps ? measure_steps(machine, p, &b) : NAN, o->force);
    fflush(stdout);
    *rate = r.rate;
    nb_bodies_free(&b);
}

static void bench_device(const struct machine *machine, const struct options *o)
{
    double last_rate = 1e8;
    for (int p = 0; p <= NB_DOUBLE; p++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && (o->precision < 0 || o->precision == p); k++)
            if (is_wanted(o, sizes[k], last_rate) && serves(machine, (enum nb_precision)p, sizes[k], o->force))
                bench_size(machine, (enum nb_precision)p, sizes[k], o, &last_rate);
}

static void begin_cpu(struct machine *m)
{
    double peak_float = bench_fma_peak(true), peak_double = bench_fma_peak(false);
    int threads = omp_get_max_threads();
    printf("# CPU: %s, %d threads; FMA peak of one core %.1f GFLOP/s single, %.1f double (measured)\n",
           bench_cpu_name(), threads, 1e-9 * peak_float, 1e-9 * peak_double);
    m->peak[NB_SINGLE] = m->peak[NB_MIXED] = peak_float * threads / FLOPS;
    m->peak[NB_DOUBLE] = peak_double * threads / FLOPS;
}

static void begin_cuda(struct machine *m)
{
    int multiprocessors;
    double clock_hz;
    if (nb_device_speed(m->device, &multiprocessors, &clock_hz))
        fail();
    double lanes = (double)multiprocessors * 128 * clock_hz;
    printf("# GPU: %s, %d multiprocessors at %.0f MHz; FP32 issue bound %.0f Gpair/s (13 slots), rsqrt bound %.0f\n",
           m->device->description, multiprocessors, 1e-6 * clock_hz, 1e-9 * lanes / 13, 1e-9 * lanes / 8);
    m->peak[NB_SINGLE] = m->peak[NB_MIXED] = lanes / 13;
    m->peak[NB_DOUBLE] = lanes / 2 / 16; /* half the lanes, 16 operations a pair */
}

static noreturn void usage(void)
{
    fprintf(
        stderr,
        "usage: direct [--device auto|cpu|cuda|opencl] [--force NAME] [--precision P] [--max-n N] [--only-n N,...] [--quick]\n");
    exit(2);
}

static void parse_list(struct options *o, char *list)
{
    for (char *item; (item = strsep(&list, ","));) {
        if (o->only_count == sizeof o->only / sizeof *o->only)
            usage();
        o->only[o->only_count++] = strtoull(item, NULL, 10);
    }
}

static struct options parse(int argc, char **argv)
{
    struct options o = {.device = "auto", .force = "direct", .precision = -1, .max_n = 1048576};
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--quick") == 0)
            o.quick = true;
        else if (k + 1 == argc)
            usage();
        else if (strcmp(argv[k], "--device") == 0)
            o.device = argv[++k];
        else if (strcmp(argv[k], "--force") == 0)
            o.force = argv[++k];
        else if (strcmp(argv[k], "--precision") == 0) {
            if ((o.precision = nb_precision_parse(argv[++k])) < 0)
                fail();
        } else if (strcmp(argv[k], "--only-n") == 0)
            parse_list(&o, argv[++k]);
        else if (strcmp(argv[k], "--max-n") == 0)
            o.max_n = strtoull(argv[++k], NULL, 10);
        else
            usage();
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        struct machine m = {.device = NULL};
        if (strcmp(o.device, "auto") != 0 && strcmp(o.device, (*kind)->name) != 0)
            continue;
        if (!(m.device = nb_device_open(*kind, 0))) {
            printf("# %s: %s\n", (*kind)->name, nb_error());
            continue;
        }
        if (nb_device_is_host(m.device))
            begin_cpu(&m);
        else
            begin_cuda(&m);
        printf("# device\tprecision\tn\tms\tGpair/s\terror_median\terror_99\tshare_of_bound\tsteps/s\tforce\n");
        bench_device(&m, &o);
        nb_device_close(m.device);
    }
    return 0;
}
