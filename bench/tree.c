/* tree - measures speed and error of the tree force, as TSV: one line for each number of bodies and opening angle.
 *
 *   tree [--device auto|cpu|cuda] [--precision P] [--n N[,N...] | --input FILE] [--theta T[,T...]] [--rebuild K]
 *
 * Time: a full leapfrog step of a Plummer sphere without its outermost bodies, or of the last frame of a stream ("-" is
 * stdin; with its own softening, which must not be 0) (sort, build, moments, walk, near pairs, kick and drift), the
 * median of several; the stages' columns are from further steps with marks between them. Error: of the acceleration at
 * up to 4096 bodies, against the direct sum in double on the same device. */
#include "base/error.h"
#include "bench.h"
#include "device/choose.h"
#include "device/timing.h"
#include "step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE  4096
#define SOFTEN  0.01
#define REPEATS 9
#define MOST    32 /* numbers of a list */

struct options {
    const char *device, *input; /* input NULL: spheres */
    int precision;
    unsigned rebuild;
    double n[MOST], theta[MOST];
    int n_count, theta_count;
};

static void fail(void)
{
    fprintf(stderr, "tree: %s\n", nb_error());
    exit(1);
}

struct model { /* what is advanced */
    struct nb_bodies bodies;
    double softening, dt;
    char name[32];
};

/* ---- error ---- */

struct truth { /* of a sample of the bodies: every step-th */
    uint64_t count, step;
    double *a;
};

/* The bodies of the sample as free points. With softening > 0 a body adds nothing to the acceleration at its position.
 */
static struct truth find_truth(struct nb_device *device, const struct model *m)
{
    const struct nb_bodies *b = &m->bodies;
    struct truth t = {.count = b->n < SAMPLE ? b->n : SAMPLE};
    t.step = b->n / t.count;
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    double *points = malloc(24 * t.count);
    t.a = malloc(24 * t.count);
    struct nb_force_set force = bench_force(device, NB_DOUBLE, "direct", b->n);
    struct nb_state *s = nb_state_create(device, NB_DOUBLE, b);
    const uint64_t stride = (t.count + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
    void *d_points = nb_device_alloc(device, 24 * stride), *d_a = nb_device_alloc(device, 24 * stride);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = t.a};
    if (!points || !t.a || !s || !d_points || !d_a)
        fail();
    for (uint64_t k = 0; k < t.count; k++)
        nb_column_get_f64(pos, k * t.step, k * t.step + 1, points + 3 * k);
    struct nb_sources sources = {
        .n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .G = b->meta.G, .softening = m->softening};
    struct nb_targets targets = {.n = t.count, .stride = stride, .x = d_points, .self = -1};
    struct nb_field out = {.stride = stride, .a = d_a};
    if (nb_device_store(device, NB_DOUBLE, t.count, stride, 3, points, NB_F64, d_points) ||
        nb_force_set_evaluate(&force, nb_forces_all, NB_DOUBLE, &sources, &targets, &out) ||
        nb_device_fetch(device, NB_DOUBLE, t.count, stride, 3, d_a, a.type, a.data))
        fail();
    nb_force_set_close(&force);
    nb_state_destroy(s);
    nb_device_free(device, d_points);
    nb_device_free(device, d_a);
    free(points);
    return t;
}

static void find_errors(const struct truth *t, const double *a, double *median, double *p99, double *most)
{
    double error[SAMPLE];
    for (uint64_t k = 0; k < t->count; k++) {
        double d2 = 0, a2 = 0;
        for (uint64_t c = 0; c < 3; c++) {
            double d = a[3 * k * t->step + c] - t->a[3 * k + c];
            d2 += d * d;
            a2 += t->a[3 * k + c] * t->a[3 * k + c];
        }
        error[k] = sqrt(d2 / a2);
    }
    bench_sort(error, t->count);
    *median = error[t->count / 2];
    *p99 = error[t->count * 99 / 100];
    *most = error[t->count - 1];
}

/* ---- time ---- */

static double stage_ms(const struct nb_stage *table, size_t count, const char *stage, int steps)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(table[k].name, stage) == 0)
            return 1e3 * table[k].seconds / steps;
    return 0;
}

static void take(struct nb_stepper *p, double dt, int steps)
{
    if (nb_steps(p, dt, (uint64_t)steps) || nb_device_sync(p->state->device))
        fail();
}

static void measure(struct nb_device *device, const struct options *o, const struct model *m, const struct truth *truth,
                    const char *method, double theta)
{
    static const char *const stages[] = {"sort", "build", "moments", "walk", "far", "near", "kick and drift"};
    char text[64];
    const struct nb_bodies *b = &m->bodies;
    enum nb_precision precision = o->precision >= 0 ? (enum nb_precision)o->precision : NB_SINGLE;
    struct nb_stepper p = {.scheme = nb_scheme_find("leapfrog"), .G = b->meta.G, .softening = m->softening};
    snprintf(text, sizeof text, strcmp(method, "tree") == 0 ? "tree:theta=%.17g,rebuild=%u" : "direct", theta,
             o->rebuild);
    struct nb_force_set forces = bench_force(device, precision, text, b->n);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = malloc(24 * b->n)};
    double seconds[REPEATS], median, p99, most;
    p.forces = &forces;
    p.state = nb_state_create(device, precision, b);
    if (!a.data || !p.state || nb_step_begin(&p) || nb_state_fetch(p.state, p.state->a, &a))
        fail();
    find_errors(truth, a.data, &median, &p99, &most);
    double begin_s = bench_clock();
    take(&p, m->dt, 1);
    const bool slow = bench_clock() - begin_s > 0.1;
    const int repeats = slow ? 3 : REPEATS, each = slow ? 1 : 3;
    for (int k = 0; k < repeats; k++) {
        begin_s = bench_clock();
        take(&p, m->dt, each);
        seconds[k] = (bench_clock() - begin_s) / each;
    }
    bench_sort(seconds, (size_t)repeats);
    if (nb_timing_begin(device))
        fail();
    take(&p, m->dt, each);
    size_t count;
    const struct nb_stage *table = nb_timing_table(device, &count);
    if (!table)
        fail();
    char label[32];
    snprintf(label, sizeof label, o->rebuild > 1 ? "%s-rebuild-%u" : "%s", method, o->rebuild);
    printf("%s\t%s\t%s\t%.0f\t%.2f\t%.4g\t%.4g\t%.2e\t%.2e\t%.2e", device->name, nb_precision_name(precision), label,
           (double)b->n, theta, 1e3 * seconds[repeats / 2], (double)b->n / seconds[repeats / 2], median, p99, most);
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        printf("\t%.4g", stage_ms(table, count, stages[k], each));
    printf("\t%s\t%.4g\n", m->name, stage_ms(table, count, "momentum", each));
    fflush(stdout);
    nb_timing_end(device);
    nb_step_end(&p);
    nb_force_set_close(&forces);
    nb_state_destroy(p.state);
    free(a.data);
}

/* ---- what is advanced ---- */

static void make_sphere(struct model *m, uint64_t n)
{
    *m = (struct model){.softening = SOFTEN, .dt = 1e-5, .name = "sphere"};
    bench_plummer(&m->bodies, n);
}

/* The name is the model of nbgen in its history. Steps are tiny, so that the bodies hardly move. */
static void read_input(struct model *m, const char *path)
{
    *m = (struct model){.dt = 1e-5, .name = "input"};
    if (bench_input(path, &m->bodies) || nb_bodies_softening(&m->bodies, &m->softening))
        fail();
    if (m->softening == 0 && nb_fail("%s: softening 0, with which errors cannot be found (nbgen --softening L)", path))
        fail();
    if (m->bodies.meta.dt > 0)
        m->dt = 1e-3 * m->bodies.meta.dt;
    if (m->bodies.meta.history_count > 0)
        sscanf(m->bodies.meta.history[0], "%*s %*s %*s %*s %*s nbgen %31s", m->name);
}

/* ---- the program ---- */

static int parse_list(const char *text, double *values)
{
    int count = 0;
    for (char *end; *text && count < MOST; text = *end ? end + 1 : end) {
        values[count++] = strtod(text, &end);
        if (end == text)
            return 0;
    }
    return count;
}

static void parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.device = "auto", .precision = -1, .rebuild = 1, .n = {131072}, .theta = {0.75}};
    o->n_count = o->theta_count = 1;
    for (int k = 1; k + 1 < argc; k += 2)
        if (strcmp(argv[k], "--device") == 0)
            o->device = argv[k + 1];
        else if (strcmp(argv[k], "--precision") == 0)
            o->precision = nb_precision_parse(argv[k + 1]);
        else if (strcmp(argv[k], "--rebuild") == 0)
            o->rebuild = (unsigned)atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--input") == 0)
            o->input = argv[k + 1];
        else if (strcmp(argv[k], "--n") == 0)
            o->n_count = parse_list(argv[k + 1], o->n);
        else if (strcmp(argv[k], "--theta") == 0)
            o->theta_count = parse_list(argv[k + 1], o->theta);
        else
            argc = 0;
    if (argc % 2 == 0 || o->n_count == 0 || o->theta_count == 0) {
        fprintf(stderr,
                "usage: tree [--device D] [--precision P] [--n N,... | --input FILE] [--theta T,...] [--rebuild K]\n"
                "       theta 0 is the direct sum\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct options o;
    parse(&o, argc, argv);
    struct nb_device *device = nb_device_choose(o.device);
    if (!device)
        fail();
    printf("# %s; %s\n", device->description, bench_cpu_name());
    printf(
        "# device\tprecision\tmethod\tn\ttheta\tstep_ms\tbodies/s\terror_median\terror_99\terror_max\tsort_ms\tbuild_ms\tmoments_ms\twalk_ms\tfar_ms\tnear_ms\tkick_ms\tmodel\tmomentum_ms\n");
    for (int i = 0; i < (o.input ? 1 : o.n_count); i++) {
        struct model m;
        if (o.input)
            read_input(&m, o.input);
        else
            make_sphere(&m, (uint64_t)o.n[i]);
        struct truth truth = find_truth(device, &m);
        for (int k = 0; k < o.theta_count; k++)
            measure(device, &o, &m, &truth, o.theta[k] > 0 ? "tree" : "direct", o.theta[k]);
        free(truth.a);
        nb_bodies_free(&m.bodies);
    }
    nb_device_close(device);
    return fclose(stdout) ? 1 : 0;
}
