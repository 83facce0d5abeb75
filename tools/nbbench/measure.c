/* measure.c - measures time and error of forces, and the time of a step, for a Plummer sphere of n bodies. */
#include "nbbench/nbbench.h"

#include "base/bodies.h"
#include "base/sum.h"
#include "simd/rng.h"
#include "step/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEASURE_S 0.4 /* seconds: evaluations are repeated for this time, then steps for the same time */
#define MOST      15  /* maximum number of repeated evaluations */
/* The error of a force is found by comparing the accelerations of some bodies with exact sums over all n bodies. The
 * number of these bodies is SAMPLE_PAIRS / n, at least SAMPLE / 4 and at most SAMPLE. */
#define SAMPLE       64
#define SAMPLE_PAIRS 1000000000
#define SOFTENING    0.01
#define SEED         1
#define STEP         1e-4
#define SCALE        (3 * M_PI / 16) /* scale radius of a Plummer sphere with mass 1, equilibrium energy -1/4, G = 1 */
#define MASS_SHARE   0.999 /* bodies are drawn up to the radius that contains this fraction of the sphere's mass */

/* ---- the bodies ---- */

/* Makes a sphere of bodies at rest with the density of Plummer (1911, MNRAS 71, 460). */
static void make_sphere(struct nb_bodies *b, uint64_t n)
{
    const struct nb_rng rng = {SEED, 0};
    b->n = n;
    must(nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
         nb_bodies_add_known(b, "vel", NB_F64) || nb_bodies_alloc(b));
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        double u[4];
        nb_rng_uniforms(&rng, i, 0, u);
        const double r = SCALE / sqrt(pow(MASS_SHARE * u[0], -2. / 3) - 1), z = 2 * u[1] - 1, s = sqrt(1 - z * z);
        m[i] = 1 / (double)n;
        /* Rounded to float, so that all precisions start with the same numbers. */
        x[3 * i] = (float)(r * s * cos(2 * M_PI * u[2]));
        x[3 * i + 1] = (float)(r * s * sin(2 * M_PI * u[2]));
        x[3 * i + 2] = (float)(r * z);
    }
}

/* Computes the acceleration of body i by a compensated sum over all bodies. Its rounding errors are smaller than the
 * errors to be measured, even those of accelerations in double precision. */
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

/* ---- a line of the table ---- */

static double find_error(const struct nb_bodies *b, const struct nb_state *s)
{
    double error[SAMPLE];
    const uint64_t affordable = SAMPLE_PAIRS / b->n, least = SAMPLE / 4;
    const uint64_t count = affordable > SAMPLE ? SAMPLE : affordable < least ? least : affordable;
    struct nb_column a = {.type = NB_F64, .width = 3};
    a.data = claimed(malloc(nb_column_bytes(&a, b->n)), "no memory for %" PRIu64 " bodies", b->n);
    must(nb_state_fetch(s, s->a, &a));
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

/* Returns the median time of one evaluation of the force, in seconds. The first two evaluations are not included,
 * because they also allocate memory and choose the kernels to be used. */
static double time_force(struct nb_force_set *force, struct nb_state *s, const struct nb_targets *to, void *d_a)
{
    const struct nb_sources from = nb_sources_of(s, 1, SOFTENING);
    const struct nb_field out = {.stride = s->stride, .a = d_a};
    double took_s[MOST];
    size_t count = 0;
    for (int k = 0; k < 2; k++)
        must(nb_force_set_evaluate(force, nb_forces_all, s->precision, &from, to, &out));
    must(nb_device_sync(force->device));
    for (double spent_s = 0; count < 1 || (count < MOST && spent_s < MEASURE_S); spent_s += took_s[count++]) {
        const double begin_s = tool_clock();
        must(nb_force_set_evaluate(force, nb_forces_all, s->precision, &from, to, &out));
        must(nb_device_sync(force->device));
        took_s[count] = tool_clock() - begin_s;
    }
    return median(took_s, count);
}

/* Returns the median time, in seconds, of an evaluation for few targets: the bodies nearest to the centre, a fraction
 * FEW_SHARE of all bodies. Simulations with individual time steps often have such evaluations. */
static double time_few(struct nb_force_set *force, struct nb_state *s, const struct nb_bodies *b)
{
    const double r = SCALE / sqrt(pow(MASS_SHARE * FEW_SHARE, -2. / 3) - 1), *x = b->columns[1].data;
    const size_t size_bytes = b->n * sizeof(uint32_t);
    uint32_t *index = claimed(malloc(size_bytes), "no memory for %" PRIu64 " bodies", b->n);
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->n; i++)
        if (x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2] < r * r)
            index[count++] = (uint32_t)i;
    uint32_t *d_index = must_have(nb_device_alloc(force->device, size_bytes));
    void *d_a = must_have(nb_device_alloc(force->device, 3 * s->stride * nb_precision_size(s->precision)));
    must(nb_device_to(force->device, d_index, index, count * sizeof *index));
    const struct nb_targets few = {.n = count, .stride = s->stride, .x = s->x, .v = s->v, .index = d_index};
    const double few_s = time_force(force, s, &few, d_a);
    nb_device_free(force->device, d_index);
    nb_device_free(force->device, d_a);
    free(index);
    return few_s;
}

/* Returns the time of a leapfrog step without output, in seconds. */
static double time_step(struct nb_force_set *force, struct nb_state *s)
{
    struct nb_stepper p = {
        .scheme = nb_scheme_find("leapfrog"), .forces = force, .state = s, .G = 1, .softening = SOFTENING};
    must(nb_step_begin(&p) || nb_steps(&p, STEP, 1) || nb_device_sync(force->device));
    const double begin_s = tool_clock();
    double took_s = 0;
    uint64_t steps = 0;
    /* As in a simulation, the host rarely waits for the device: only after `burst` steps. `burst` is doubled until
     * these steps take a tenth of MEASURE_S. */
    for (uint64_t burst = 1; took_s < MEASURE_S && steps < 10000;) {
        must(nb_steps(&p, STEP, burst) || nb_device_sync(force->device));
        steps += burst;
        const double now_s = tool_clock() - begin_s;
        burst *= now_s - took_s < MEASURE_S / 10 ? 2 : 1;
        took_s = now_s;
    }
    nb_step_end(&p);
    return took_s / (double)steps;
}

bool bench_measure(struct nb_device *device, struct bench_row *row)
{
    struct nb_force_set force;
    struct nb_force_spec spec;
    nb_force_set_init(&force, device);
    must(nb_force_parse(row->force, &spec));
    if (nb_force_set_add(&force, &spec, row->precision, NB_WANT_ACC, row->n, NULL) ||
        nb_force_set_fits(&force, row->precision, 0, row->n)) {
        nb_force_set_close(&force);
        return false;
    }
    struct nb_bodies bodies;
    nb_bodies_init(&bodies);
    make_sphere(&bodies, row->n);
    struct nb_state *s = must_have(nb_state_create(device, row->precision, &bodies));
    const struct nb_targets all = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    row->force_s = time_force(&force, s, &all, s->a);
    row->error = find_error(&bodies, s);
    row->few_s = time_few(&force, s, &bodies);
    row->step_s = time_step(&force, s);
    nb_force_set_close(&force);
    nb_state_destroy(s);
    nb_bodies_free(&bodies);
    return true;
}
