/* The tree force on every device in every precision: errors compared with sums in double that the test
 * computes, for easy and difficult models; the decrease of errors with theta; bitwise identical results
 * for any number of threads and from run to run; momentum; an order of the bodies that is used several
 * times. A missing device gives one line. */
#include "common/devices.h"
#include "force/force.h"
#include "simd/simd.h"
#include "step/step.h"
#include "tree_models.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SAMPLE 800
/* number of bodies above TREE_LARGE, from which the GPU's tree has larger leaves and computes two nodes a warp */
#define LARGE 400009

struct row {
    const struct nb_force *force;
    enum nb_precision precision;
};

/* ---- bodies, and what is right ---- */

struct problem { /* of a model; never freed, for all rows use it */
    const struct model *model;
    struct nb_bodies b;
    uint64_t count, step; /* of the sample */
    double *a, *phi;
};

static void find_truth(struct problem *p)
{
    const double *m = p->b.columns[0].data, *x = p->b.columns[1].data, eps2 = p->model->softening * p->model->softening;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t k = 0; k < p->count; k++) {
        const uint64_t i = k * p->step;
        double a[3] = {0}, phi = 0;
        for (uint64_t j = 0; j < p->b.n; j++) {
            const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2, y = j == i ? 0 : 1 / sqrt(r2);
            phi -= m[j] * y;
            for (int c = 0; c < 3; c++)
                a[c] += m[j] * y * y * y * d[c];
        }
        memcpy(p->a + 3 * k, a, sizeof a);
        p->phi[k] = phi;
    }
}

static const struct problem *problem_of(const struct model *model, uint64_t n)
{
    static struct problem list[128];
    static int problems;
    for (int k = 0; k < problems; k++)
        if (list[k].model == model && list[k].b.n == n)
            return &list[k];
    assert_true(problems < (int)(sizeof list / sizeof *list));
    struct problem *p = &list[problems++];
    p->model = model;
    nb_bodies_init(&p->b);
    p->b.n = n;
    assert_int_equal(nb_bodies_add(&p->b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(&p->b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(&p->b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(&p->b), 0);
    memset(p->b.columns[2].data, 0, nb_column_bytes(&p->b.columns[2], n));
    model_make(model, n, p->b.columns[0].data, p->b.columns[1].data);
    p->count = n < SAMPLE ? n : SAMPLE;
    p->step = n / p->count;
    p->a = malloc(24 * p->count);
    p->phi = malloc(8 * p->count);
    find_truth(p);
    return p;
}

/* ---- an evaluation ---- */

struct result {
    struct nb_column a, phi;
};

static struct result evaluate(const struct row *row, const struct problem *p, double theta)
{
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = nb_state_create(device, row->precision, &p->b);
    struct result r = {{.type = NB_F64, .width = 3}, {.type = NB_F64, .width = 1}};
    assert_non_null(s);
    void *d_phi = nb_state_vector(s);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, "tree", theta);
    r.a.data = malloc(nb_column_bytes(&r.a, p->b.n));
    r.phi.data = malloc(nb_column_bytes(&r.phi, p->b.n));
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, p->model->softening, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &r.a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &r.phi), 0);
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    return r;
}

static void result_free(struct result *r)
{
    free(r->a.data);
    free(r->phi.data);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct errors { /* relative, of the acceleration, and the potential's median */
    double median, p99, phi;
};

static struct errors errors_of(const struct problem *p, const struct result *r)
{
    static double ea[SAMPLE], ephi[SAMPLE];
    for (uint64_t k = 0; k < p->count; k++) {
        const double *have = (double *)r->a.data + 3 * k * p->step, *want = p->a + 3 * k;
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            d2 += (have[c] - want[c]) * (have[c] - want[c]);
            a2 += want[c] * want[c];
        }
        ea[k] = d2 == 0 ? 0 : sqrt(d2 / a2);
        ephi[k] = p->phi[k] == 0 ? 0 : fabs(((double *)r->phi.data)[k * p->step] / p->phi[k] - 1);
        assert_true(isfinite(ea[k]) && isfinite(ephi[k]));
    }
    qsort(ea, p->count, sizeof *ea, ascending);
    qsort(ephi, p->count, sizeof *ephi, ascending);
    return (struct errors){ea[p->count / 2], ea[(p->count - 1) * 99 / 100], ephi[p->count / 2]};
}

static struct errors measure(const struct row *row, const struct model *model, uint64_t n, double theta)
{
    const struct problem *p = problem_of(model, n);
    struct result r = evaluate(row, p, theta);
    const struct errors e = errors_of(p, &r);
    print_message("# tree %s %s: %s, n %llu, theta %g: median %.2e, 99 %% %.2e, phi %.2e\n", row->force->device,
                  nb_precision_name(row->precision), model->name, (unsigned long long)n, theta, e.median, e.p99, e.phi);
    result_free(&r);
    return e;
}

/* ---- errors ---- */

static const struct {
    int model; /* of usual_models */
    double theta, median, p99;
} bounds[] = {
    {0, 0.75, 8e-4, 5e-3},     {0, 0.5, 1.6e-4, 1e-3}, {1, 0.75, 1.2e-3, 1.2e-2}, {1, 0.5, 3e-4, 2e-3},
    {2, 0.75, 1.2e-3, 1.2e-2}, {2, 0.5, 3e-4, 2e-3},   {3, 0.75, 1.6e-3, 9e-3},   {3, 0.5, 3.5e-4, 2e-3},
};

static bool on_host(const struct row *row) /* also for a group of parts of a CPU, cpu:A-B */
{
    return strcmp(row->force->device, "cpu") == 0;
}

/* Of fewer than a thousand bodies the last in a hundred is one body: three times the bound for that. */
static void check(const struct row *row, const struct model *model, uint64_t n, double theta, double median, double p99)
{
    const struct errors e = measure(row, model, n, theta);
    assert_true(e.median <= median && e.phi <= median);
    assert_true(e.p99 <= (n < 1000 ? 3 * p99 : p99));
}

static void errors_stay_in_bounds(void **state)
{
    static const uint64_t sizes[] = {65, 1000, 20011, 50021, LARGE};
    const size_t count = on_host(*state) ? 3 : 5;
    for (size_t n = 0; n < count; n++)
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
            check(*state, &usual_models[bounds[k].model], sizes[n], bounds[k].theta, bounds[k].median, bounds[k].p99);
}

static void one_body_and_two(void **state)
{
    const struct row *row = *state;
    struct result r = evaluate(row, problem_of(&usual_models[0], 1), 0.75);
    assert_memory_equal(r.a.data, ((double[3]){0}), 24);
    assert_true(*(double *)r.phi.data == 0);
    result_free(&r);
    const struct errors e = measure(row, &usual_models[0], 2, 0.75);
    assert_true(e.p99 < (row->precision == NB_DOUBLE ? 1e-15 : 5e-7));
}

static void errors_fall_with_theta(void **state)
{
    static const double theta[] = {0.9, 0.75, 0.5, 0.3, 0.1};
    const uint64_t sizes[] = {1000, on_host(*state) ? 6007 : 20011};
    for (int n = 0; n < 2; n++)
        for (size_t k = 0; k < sizeof usual_models / sizeof *usual_models; k++) {
            double before = INFINITY;
            for (int i = 0; i < 5; i++) {
                const struct errors e = measure(*state, &usual_models[k], sizes[n], theta[i]);
                assert_true(e.median < before);
                before = e.median;
            }
            assert_true(before < 1e-6);
        }
}

static void hard_models_too(void **state)
{
    const uint64_t sizes[] = {3, 40, 300, on_host(*state) ? 6007 : 20011, LARGE};
    for (size_t k = 0; k < sizeof hard_models / sizeof *hard_models; k++) {
        /* of LARGE floats on a line some are equal, and their force without softening is infinite */
        const size_t count = on_host(*state) || hard_models[k].make == line ? 4 : 5;
        for (size_t n = 0; n < count; n++)
            check(*state, &hard_models[k], sizes[n], 0.75, 2e-3,
                  hard_models[k].p99); /* on a line errors of phi add up */
    }
}

/* Body 0 has a twentieth of all mass, so its acceleration has to be more accurate than those of light bodies. */
static void heavy_bodies_are_more_accurate(void **state)
{
    static const uint64_t sizes[] = {5003, 20011, 50021};
    for (int n = 0; n < 3; n++) {
        const struct problem *p = problem_of(&usual_models[3], sizes[n]);
        struct result r = evaluate(*state, p, 0.75);
        struct problem first = *p;
        first.count = 1;
        const double error = errors_of(&first, &r).median;
        print_message("# tree: heavy body of %llu: %.2e\n", (unsigned long long)sizes[n], error);
        result_free(&r);
        assert_true(error < 5e-4);
    }
}

/* ---- equal bytes ---- */

static void equal_bytes(void **state)
{
    const struct row *row = *state;
    static const int threads[] = {1, 3};
    const bool cpu = strcmp(row->force->device, "cpu") == 0;
    const struct model *models[] = {&usual_models[0], &hard_models[3]};
    const int usual = omp_get_max_threads();
    for (int which = 0; which < (on_host(row) ? 2 : 4); which++) {
        const struct problem *p = problem_of(models[which % 2], on_host(row) ? 10007 : which < 2 ? 40009 : LARGE);
        struct result first = evaluate(row, p, 0.75);
        for (int k = 0; k < 2; k++) {
            omp_set_num_threads(cpu ? threads[k] : usual);
            struct result again = evaluate(row, p, 0.75);
            assert_memory_equal(first.a.data, again.a.data, nb_column_bytes(&first.a, p->b.n));
            assert_memory_equal(first.phi.data, again.phi.data, nb_column_bytes(&first.phi, p->b.n));
            result_free(&again);
        }
        omp_set_num_threads(usual);
        result_free(&first);
    }
}

/* Each set of the CPU's instructions keeps the bounds. */
static void every_instruction_set(void **state)
{
    const struct row *row = *state;
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
        const struct errors near = measure(row, &usual_models[0], 1000, 0.01);
        const struct errors e = measure(row, &usual_models[0], 20011, 0.5);
        assert_true(near.p99 < (row->precision == NB_DOUBLE ? 1e-13 : 1e-5));
        assert_true(e.median <= 1.6e-4 && e.p99 <= 1e-3 && e.phi <= 1.6e-4);
    }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* ---- in motion ---- */

/* A sphere that collapses from speeds of a disk's: 50 steps of 1/256. The drift of momentum against sum m |v|. */
static void momentum_stays(void **state)
{
    const struct row *row = *state;
    const struct problem *p = problem_of(&usual_models[0], 2003);
    struct nb_device *device = device_of(row->force->device);
    struct nb_stepper stepper = {.scheme = nb_scheme_find("leapfrog"), .G = 1, .softening = 0.01};
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
    double *v = p->b.columns[2].data, sum[3] = {0}, size = 0;
    const double *m = p->b.columns[0].data, *x = p->b.columns[1].data;
    for (uint64_t i = 0; i < p->b.n; i++) {
        v[3 * i] = (float)(-0.5 * x[3 * i + 1]);
        v[3 * i + 1] = (float)(0.5 * x[3 * i]);
    }
    stepper.state = nb_state_create(device, row->precision, &p->b);
    stepper.forces = &set;
    assert_int_equal(nb_step_begin(&stepper), 0);
    assert_int_equal(nb_steps(&stepper, 1. / 256, 50), 0);
    struct nb_column vel = {.type = NB_F64, .width = 3, .data = malloc(24 * p->b.n)};
    assert_int_equal(nb_state_fetch(stepper.state, stepper.state->v, &vel), 0);
    for (uint64_t i = 0; i < p->b.n; i++) {
        const double *u = (double *)vel.data + 3 * i;
        for (int k = 0; k < 3; k++)
            sum[k] += m[i] * (u[k] - v[3 * i + (uint64_t)k]);
        size += m[i] * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    const double drift = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / size;
    print_message("# tree %s %s: drift of momentum in 50 steps %.2e\n", row->force->device,
                  nb_precision_name(row->precision), drift);
    assert_true(drift < (row->precision == NB_SINGLE ? 1e-6 : 1e-13));
    free(vel.data);
    nb_step_end(&stepper);
    nb_force_set_close(&set);
    nb_state_destroy(stepper.state);
}

/* One order for 3 evaluations, while the bodies move; potentials alone do not count. Then a new one. */
static void an_order_serves_again(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set kept = open_force(device, row->precision, NB_WANT_ACC, "tree:rebuild=3", NAN);
    struct nb_force_set fresh = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
    for (int k = 0; k < 5; k++) {
        struct problem p = *problem_of(&usual_models[0], on_host(row) ? 6007 : 20011);
        struct result r = {{.type = NB_F64, .width = 3}, {.type = NB_F64, .width = 1}};
        double *at_start = p.b.columns[1].data, *x = malloc(24 * p.b.n);
        for (uint64_t i = 0; i < 3 * p.b.n; i++)
            x[i] = (float)(at_start[i] + 0.01 * k * sin((double)(i % 1009)));
        p.b.columns[1].data = x;
        p.a = malloc(24 * p.count), p.phi = malloc(8 * p.count);
        find_truth(&p);
        struct nb_state *s = nb_state_create(device, row->precision, &p.b);
        void *d_phi = nb_state_vector(s), *d_again = nb_state_vector(s);
        r.a.data = malloc(24 * p.b.n), r.phi.data = malloc(8 * p.b.n);
        assert_int_equal(nb_force_set_evaluate_state(&kept, nb_forces_all, s, 1, 0.01, NULL, d_phi), 0);
        assert_int_equal(nb_force_set_evaluate_state(&kept, nb_forces_all, s, 1, 0.01, s->a, NULL), 0);
        assert_int_equal(nb_state_fetch(s, s->a, &r.a), 0);
        assert_int_equal(nb_state_fetch(s, d_phi, &r.phi), 0);
        const struct errors e = errors_of(&p, &r);
        assert_true(e.median < 8e-4 && e.p99 < 5e-3 && e.phi < 8e-4);
        assert_int_equal(nb_force_set_evaluate_state(&fresh, nb_forces_all, s, 1, 0.01, d_again, NULL), 0);
        struct nb_column again = {.type = NB_F64, .width = 3, .data = malloc(24 * p.b.n)};
        assert_int_equal(nb_state_fetch(s, d_again, &again), 0);
        assert_int_equal(memcmp(again.data, r.a.data, 24 * p.b.n) == 0, k % 3 == 0);
        free(again.data), free(r.a.data), free(r.phi.data), free(x), free(p.a), free(p.phi);
        nb_device_free(device, d_phi), nb_device_free(device, d_again);
        nb_state_destroy(s);
    }
    nb_force_set_close(&kept);
    nb_force_set_close(&fresh);
}

static void *field_of(struct nb_force_set *set, const struct row *row, const struct nb_bodies *b)
{
    struct nb_state *s = nb_state_create(device_of(row->force->device), row->precision, b);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = malloc(24 * b->n)};
    assert_non_null(s);
    assert_int_equal(nb_force_set_evaluate_state(set, nb_forces_all, s, 1, 0.01, s->a, NULL), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    nb_state_destroy(s);
    return a.data;
}

/* A force that has sorted other positions before gives the same bytes as a new force. On a GPU the last order helps to
 * sort. It must not matter whether the bodies have hardly moved, have all moved, or have gathered at one place, where
 * all keys are equal. */
static void earlier_positions_do_not_matter(void **state)
{
    static const struct {
        uint64_t bodies;
        double at;
    } gathered[] = {{0}, {300, 0.125}, {5000, 0.125}, {5000, -1000}}; /* the last place has key 0 */
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_bodies b = problem_of(&usual_models[0], on_host(row) ? 6007 : 40009)->b;
    const double *at_start = b.columns[1].data;
    double *x = malloc(24 * b.n);
    b.columns[1].data = x;
    for (size_t k = 0; k < sizeof gathered / sizeof *gathered; k++) {
        struct nb_force_set old = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
        /* gathered in steps 2 and 3, mirrored in step 5; after a full bucket, the GPU uses buckets again from step 19
         */
        for (int step = 0; step < (on_host(row) ? 6 : 24); step++) {
            for (uint64_t i = 0; i < 3 * b.n; i++)
                x[i] = step / 2 == 1 && i / 3 < gathered[k].bodies
                           ? gathered[k].at
                           : (float)((step == 5 ? -1 : 1) * at_start[i] + 1e-4 * step * sin((double)(i % 1009)));
            struct nb_force_set fresh = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
            void *expected = field_of(&fresh, row, &b), *found = field_of(&old, row, &b);
            assert_memory_equal(expected, found, 24 * b.n);
            nb_force_set_close(&fresh);
            free(expected), free(found);
        }
        nb_force_set_close(&old);
    }
    free(x);
}

/* Bodies gather at the corner of the box, in the last bucket of the GPU's sort, which is full at one of the numbers. */
static void the_last_bucket_may_be_full(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_bodies b = problem_of(&usual_models[0], on_host(row) ? 6007 : 40009)->b;
    double *at_start = b.columns[1].data, *x = malloc(24 * b.n), low[3], high[3];
    for (uint64_t k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (uint64_t i = 0; i < b.n; i++) {
            low[k] = fmin(low[k], at_start[3 * i + k]);
            high[k] = fmax(high[k], at_start[3 * i + k]);
        }
    }
    for (uint64_t gathered = 870; gathered < 910; gathered += on_host(row) ? 20 : 1) {
        struct nb_force_set old = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
        struct nb_force_set fresh = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
        memcpy(x, at_start, 24 * b.n);
        for (uint64_t i = 0, left = gathered; left > 0; i++) {
            const double *p = at_start + 3 * i;
            const bool on_edge = p[0] == low[0] || p[1] == low[1] || p[2] == low[2];
            for (uint64_t k = 0; k < 3 && !on_edge; k++)
                x[3 * i + k] = high[k];
            left -= !on_edge;
        }
        b.columns[1].data = at_start;
        free(field_of(&old, row, &b));
        b.columns[1].data = x;
        void *expected = field_of(&fresh, row, &b), *found = field_of(&old, row, &b);
        assert_memory_equal(expected, found, 24 * b.n);
        free(expected), free(found);
        nb_force_set_close(&fresh);
        nb_force_set_close(&old);
    }
    free(x);
}

/* If one position is infinite, every acceleration is NaN. Then the force works again. */
static void not_finite(void **state)
{
    const struct row *row = *state;
    struct nb_force_set set = open_force(device_of(row->force->device), row->precision, NB_WANT_ACC, "tree", NAN);
    struct nb_bodies b = problem_of(&usual_models[0], on_host(row) ? 6007 : 40009)->b;
    double *x = malloc(24 * b.n);
    memcpy(x, b.columns[1].data, 24 * b.n);
    b.columns[1].data = x;
    for (int step = 0; step < 4; step++) {
        x[3 * 1234] = step == 2 ? INFINITY : 0.5;
        double *a = field_of(&set, row, &b);
        for (uint64_t i = 0; i < 3 * b.n; i++)
            assert_true(step == 2 ? isnan(a[i]) : isfinite(a[i]));
        free(a);
    }
    nb_force_set_close(&set);
    free(x);
}

/* A list of some of the bodies, alone. */
static void a_list_is_as_accurate(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, "tree", NAN);
    struct problem p = *problem_of(&usual_models[0], on_host(row) ? 6007 : 20011);
    struct nb_state *s = nb_state_create(device, row->precision, &p.b);
    struct result r = {{.type = NB_F64, .width = 3}, {.type = NB_F64, .width = 1}};
    uint32_t index[SAMPLE];
    void *d_index = nb_device_alloc(device, sizeof index);
    const struct nb_sources from = {.n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = 0.01};
    const struct nb_targets to = {.n = p.count, .stride = s->stride, .x = s->x, .index = d_index};
    const struct nb_field out = {.stride = s->stride, .a = s->a};
    for (uint64_t k = 0; k < p.count; k++)
        index[k] = (uint32_t)(k * p.step);
    r.a.data = malloc(24 * p.b.n), r.phi.data = calloc(p.b.n, 8);
    assert_int_equal(nb_device_to(device, d_index, index, sizeof index), 0);
    assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, &from, &to, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &r.a), 0);
    p.step = 1; /* results are side by side */
    const struct errors e = errors_of(&p, &r);
    assert_true(e.median < 8e-4 && e.p99 < 5e-3);
    result_free(&r);
    nb_device_free(device, d_index);
    nb_state_destroy(s);
    nb_force_set_close(&set);
}

static void refusals(void **state)
{
    const struct row *row = *state;
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device_of(row->force->device));
    for (int k = 0; k < 3; k++) {
        assert_int_equal(nb_force_parse("tree", &spec), 0);
        spec.value[k / 2] = (const double[]){0, NAN, 0}[k];
        assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_ACC, 1, NULL), -1);
        assert_non_null(strstr(nb_error(), "theta"));
    }
    assert_int_equal(set.count, 0);
}

/* ---- the list ---- */

static void nothing(void **state)
{
    (void)state;
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    {"one body and two", one_body_and_two},
    {"errors stay in bounds", errors_stay_in_bounds},
    {"errors fall with theta", errors_fall_with_theta},
    {"hard models too", hard_models_too},
    {"equal bytes for any threads, from run to run", equal_bytes},
    {"every instruction set", every_instruction_set},
    {"momentum stays", momentum_stays},
    {"an order serves again", an_order_serves_again},
    {"earlier positions do not matter", earlier_positions_do_not_matter},
    {"the last bucket may be full", the_last_bucket_may_be_full},
    {"a position that is not finite", not_finite},
    {"heavy bodies are more accurate", heavy_bodies_are_more_accurate},
    {"a list is as accurate", a_list_is_as_accurate},
    {"refusals", refusals},
};
#define CASES    (sizeof cases / sizeof *cases)
#define ROWS_MAX 16

static struct row rows[ROWS_MAX];
static struct CMUnitTest tests[ROWS_MAX * CASES];
static size_t count, row_count;

static void add(CMUnitTestFunction function, struct row *row, char *name)
{
    tests[count++] = (struct CMUnitTest){name, function, NULL, NULL, row};
}

static void add_rows(const struct nb_force *force)
{
    char *name;
    if (strcmp(force->method, "tree") != 0)
        return;
    if (!device_of(force->device)) {
        if (asprintf(&name, "tree on %s # SKIP %s", force->device, nb_error()) < 0)
            abort();
        add(nothing, NULL, name);
        return;
    }
    for (int p = 0; p <= NB_DOUBLE; p++) {
        rows[row_count] = (struct row){force, (enum nb_precision)p};
        for (size_t c = 0; c < CASES && force->tolerance[p] > 0; c++) {
            if (cases[c].function == every_instruction_set && strcmp(force->device, "cpu") != 0)
                continue;
            if (asprintf(&name, "tree %s %s: %s", force->device, nb_precision_name((enum nb_precision)p),
                         cases[c].name) < 0)
                abort();
            add(cases[c].function, &rows[row_count], name);
        }
        row_count++;
    }
}

int main(void)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        add_rows(*f);
    return _cmocka_run_group_tests("tree", tests, count, NULL, NULL);
}
