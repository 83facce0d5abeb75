/* nbsim --benchmark: how fast this machine is, as a table by which others can be compared. The bodies are a Plummer
 * sphere, and a row that would take too long or does not fit is a comment. */
#include "benchmark.h"
#include "run.h"

#include "base/error.h"
#include "base/rng.h"
#include "base/sum.h"
#include "simd/simd.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_S    2.0        /* that one evaluation may take, by the one before */
#define MEASURE_S    0.4        /* for which evaluations, and steps, are repeated */
#define MOST         15         /* evaluations */
#define SAMPLE       64         /* bodies whose error is taken, fewer where that is */
#define SAMPLE_PAIRS 1000000000 /* pairs */
#define SOFTENING    0.01
#define SEED         1
#define STEP         1e-4
#define SCALE        (3 * M_PI / 16) /* of the sphere: E = -1/4 */
#define MASS_SHARE   0.999           /* of the sphere within which bodies are drawn */

static const uint64_t direct_sizes[] = {4096, 16384, 65536, 262144, 1048576, 0};
static const uint64_t tree_sizes[] = {16384, 131072, 1048576, 16777216, 67108864, 0};

static const struct subject {
    const char *force;
    const uint64_t *sizes;
    double power; /* of its time with the number of bodies */
} subjects[] = {{"direct", direct_sizes, 2}, {"tree", tree_sizes, 1}};

struct row {
    const char *force;
    enum nb_precision precision;
    uint64_t n;
    double force_s, step_s; /* step_s NAN: not measured */
    double error;           /* median, relative, of accelerations */
};

struct bench {
    const struct sim_options *o;
    struct nb_device *device;
    struct nb_bodies bodies; /* of the row */
    bool any;                /* a row was printed */
};

/* ---- the bodies ---- */

/* A Plummer sphere at rest (1911, MNRAS 71, 460): velocities are none of the measurement's. */
static void make_sphere(struct nb_bodies *b, uint64_t n)
{
    const struct nb_rng rng = {SEED, 0};
    b->n = n;
    if (nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
        nb_bodies_add_known(b, "vel", NB_F64) || nb_bodies_alloc(b))
        die("%s", nb_error());
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        double u[4];
        nb_rng_uniforms(&rng, i, 0, u);
        const double r = SCALE / sqrt(pow(MASS_SHARE * u[0], -2. / 3) - 1), z = 2 * u[1] - 1, s = sqrt(1 - z * z);
        m[i] = 1 / (double)n;
        /* Rounded so that every precision begins with the same numbers. */
        x[3 * i] = (float)(r * s * cos(2 * M_PI * u[2]));
        x[3 * i + 1] = (float)(r * s * sin(2 * M_PI * u[2]));
        x[3 * i + 2] = (float)(r * z);
    }
}

/* Compensated, so that it can judge double precision. */
static void sum_exactly(const struct nb_bodies *b, uint64_t i, double a[3])
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    struct nb_sum sum[3] = {{0}};
    for (uint64_t j = 0; j < b->n; j++) {
        const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING * SOFTENING, w = m[j] / (r2 * sqrt(r2));
        for (int k = 0; k < 3; k++)
            nb_sum_add(&sum[k], w * d[k]);
    }
    for (int k = 0; k < 3; k++)
        a[k] = nb_sum_value(&sum[k]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

/* ---- a row ---- */

static double find_error(const struct nb_bodies *b, const struct nb_state *s)
{
    double error[SAMPLE];
    const uint64_t affordable = SAMPLE_PAIRS / b->n, least = SAMPLE / 4;
    const uint64_t count = affordable > SAMPLE ? SAMPLE : affordable < least ? least : affordable;
    struct nb_column a = {.type = NB_F64, .width = 3};
    a.data = malloc(nb_column_bytes(&a, b->n));
    if (!a.data)
        die("no memory for %" PRIu64 " bodies", b->n);
    sim_check(nb_state_fetch(s, s->a, &a));
#pragma omp parallel for schedule(dynamic)
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t i = k * (b->n / count);
        double e[3], d2 = 0, e2 = 0;
        sum_exactly(b, i, e);
        for (int c = 0; c < 3; c++) {
            const double d = ((const double *)a.data)[3 * i + (uint64_t)c] - e[c];
            d2 += d * d;
            e2 += e[c] * e[c];
        }
        error[k] = sqrt(d2 / e2);
    }
    free(a.data);
    return median(error, count);
}

/* The first evaluations make working memory and choose kernels; they do not count. */
static double time_force(struct nb_force_set *force, struct nb_state *s)
{
    double took_s[MOST];
    size_t count = 0;
    for (int k = 0; k < 2; k++)
        sim_check(nb_force_set_state(force, nb_forces_all, s, 1, SOFTENING, s->a, NULL));
    sim_check(nb_device_sync(force->device));
    for (double spent_s = 0; count < 1 || (count < MOST && spent_s < MEASURE_S); spent_s += took_s[count++]) {
        const double begin_s = tool_clock();
        sim_check(nb_force_set_state(force, nb_forces_all, s, 1, SOFTENING, s->a, NULL));
        sim_check(nb_device_sync(force->device));
        took_s[count] = tool_clock() - begin_s;
    }
    return median(took_s, count);
}

/* Of leapfrog, all included but output. */
static double time_step(struct nb_force_set *force, struct nb_state *s)
{
    struct nb_stepper p = {
        .scheme = nb_scheme_find("leapfrog"), .forces = force, .state = s, .G = 1, .softening = SOFTENING};
    sim_check(nb_step_begin(&p) || nb_steps(&p, STEP, 1) || nb_device_sync(force->device));
    const double begin_s = tool_clock();
    double took_s = 0;
    uint64_t steps = 0;
    /* Bursts grow as in a run, so that the host waits for the device now and then alone. */
    for (uint64_t burst = 1; took_s < MEASURE_S && steps < 10000;) {
        sim_check(nb_steps(&p, STEP, burst) || nb_device_sync(force->device));
        steps += burst;
        const double now_s = tool_clock() - begin_s;
        burst *= now_s - took_s < MEASURE_S / 10 ? 2 : 1;
        took_s = now_s;
    }
    nb_step_end(&p);
    return took_s / (double)steps;
}

/* False, after nb_fail, where the device has not the memory or the force not the precision. */
static bool measure(struct bench *b, struct row *row)
{
    struct nb_force_set force;
    struct nb_force_spec spec;
    nb_force_set_init(&force, b->device);
    sim_check(nb_force_parse(row->force, &spec));
    if (nb_force_set_add(&force, &spec, row->precision, NB_WANT_ACC, row->n, NULL) ||
        nb_force_set_fits(&force, row->precision, 0, row->n)) {
        nb_force_set_close(&force);
        return false;
    }
    nb_bodies_init(&b->bodies);
    make_sphere(&b->bodies, row->n);
    struct nb_state *s = nb_state_create(b->device, row->precision, &b->bodies);
    if (!s)
        die("%s", nb_error());
    row->force_s = time_force(&force, s);
    row->error = find_error(&b->bodies, s);
    row->step_s = time_step(&force, s);
    nb_force_set_close(&force);
    nb_state_destroy(s);
    nb_bodies_free(&b->bodies);
    return true;
}

/* ---- the table ---- */

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : (unsigned char)*text < ' ' ? " " : "%c", *text);
    putchar('"');
}

static void print_fact(const struct bench *b, const char *name, const char *value, const char *end)
{
    if (!b->o->json) {
        printf("# %s: %s\n", name, value);
        return;
    }
    printf("  ");
    print_string(name);
    printf(": ");
    print_string(value);
    printf("%s\n", end);
}

static void print_head(const struct bench *b)
{
    const bool host = nb_device_is_host(b->device);
    if (b->o->json)
        puts("{");
    print_fact(b, "version", "nbsim (nbtools) " TOOL_VERSION, ",");
    print_fact(b, "commit", tool_commit(), ",");
    print_fact(b, "compiler", tool_compiler(), ",");
    print_fact(b, "CUDA", tool_cuda(), ",");
    print_fact(b, "device", b->device->description, ",");
    print_fact(b, "processor", b->device->model, ",");
    print_fact(b, host ? "library" : "driver", b->device->driver, ",");
    print_fact(b, "kernel", host ? nb_simd_name(nb_simd_in_use()) : "-", ",");
    puts(b->o->json ? "  \"rows\": ["
                    : "# device\tforce\tprecision\tn\tforce_ms\tstep_ms\tbodies_per_s\tpairs_per_s\terror_median");
}

/* The direct sum alone takes all pairs. */
static void print_row(struct bench *b, const struct row *r)
{
    const double n = (double)r->n;
    char pairs[32] = "nan";
    if (strcmp(r->force, "direct") == 0)
        snprintf(pairs, sizeof pairs, "%.4g", n * n / r->force_s);
    else if (b->o->json)
        strcpy(pairs, "null");
    const char *format =
        b->o->json
            ? "%s    {\"device\": \"%s\", \"force\": \"%s\", \"precision\": \"%s\", \"n\": %" PRIu64
              ", \"force_ms\": %.4g, \"step_ms\": %.4g, \"bodies_per_s\": %.4g, \"pairs_per_s\": %s, \"error_median\": %.3g}"
            : "%s%s\t%s\t%s\t%" PRIu64 "\t%.4g\t%.4g\t%.4g\t%s\t%.3g\n";
    printf(format, b->o->json && b->any ? ",\n" : "", b->device->name, r->force, nb_precision_name(r->precision), r->n,
           1e3 * r->force_s, 1e3 * r->step_s, n / r->force_s, pairs, r->error);
    b->any = true;
    fflush(stdout);
}

static void print_missing(const struct bench *b, const struct row *r, const char *why)
{
    if (!b->o->json)
        printf("# %s %s %" PRIu64 ": %s\n", r->force, nb_precision_name(r->precision), r->n, why);
}

static void tell(const struct row *r)
{
    char what[96];
    snprintf(what, sizeof what, "%s in %s precision, %" PRIu64 " bodies", r->force, nb_precision_name(r->precision),
             r->n);
    const struct tool_progress p = tool_progress_of(what);
    tool_progress(&p);
}

static void run_subject(struct bench *b, const struct subject *s, enum nb_precision precision)
{
    struct row row = {.force = s->force, .precision = precision};
    uint64_t last_n = 0;
    for (const uint64_t *n = s->sizes; *n && *n <= b->o->benchmark_bodies; n++) {
        const double expected_s = last_n ? row.force_s * pow((double)*n / (double)last_n, s->power) : 0;
        row.n = *n;
        if (expected_s > LONGEST_S) {
            print_missing(b, &row, "left out: an evaluation would take more than 2 s");
            return;
        }
        tell(&row);
        const bool measured = measure(b, &row);
        tool_status_hide();
        if (!measured) {
            print_missing(b, &row, nb_error());
            return;
        }
        print_row(b, &row);
        last_n = *n;
    }
}

noreturn void sim_benchmark(const struct sim_options *o)
{
    struct bench b = {.o = o, .device = sim_device_open(o, o->device ? o->device : "auto")};
    if (!b.device)
        die("%s", nb_error());
    if (o->benchmark_bodies < direct_sizes[0])
        warn("--bodies: no row, the smallest has %" PRIu64 " bodies", direct_sizes[0]);
    print_head(&b);
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        for (int p = NB_SINGLE; p <= NB_DOUBLE; p++)
            if (o->precision < 0 || o->precision == p)
                run_subject(&b, &subjects[k], (enum nb_precision)p);
    tool_progress_end();
    if (o->json)
        puts("\n  ]\n}");
    nb_device_close(b.device);
    tool_end_list();
}
