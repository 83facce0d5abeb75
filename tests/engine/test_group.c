/* Several devices together (lib/device/group): the partition of the bodies, vectors bitwise identical to one device,
 * and errors on one of the devices. Uses parts of a CPU, ranks, and GPUs if there are several. */
#include "device/choose.h"
#include "device/range.h"
#include "group_pair.h"
#include "step/step.h"

#include <errno.h>
#include <omp.h>
#include <stdatomic.h>

/* ---- the split ---- */

static void every_body_has_one_part(void **state)
{
    struct nb_device *d = open_device(*state);
    assert_non_null(d);
    assert_true(nb_device_is_group(d));
    for (uint64_t n = 1; n < 100000; n = n * 3 / 2 + 1)
        for (int k = 0; k < nb_group_count(d); k++) {
            const uint64_t begin = nb_group_begin(d, n, k), end = nb_group_begin(d, n, k + 1);
            assert_true(begin <= end && (begin % 64 == 0 || begin == n));
            assert_true(k > 0 || begin == 0);
            assert_true(k + 1 < nb_group_count(d) || end == n);
            assert_true((double)(end - begin) < (double)n / nb_group_count(d) + 65);
            assert_true(nb_group_stride(d, n, k) >= end - begin && nb_group_stride(d, n, k) % 64 == 0);
        }
    nb_device_close(d);
}

static void what_is_stored_is_fetched(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    double largest, *rows = malloc(3 * p.on_one->stride * sizeof *rows),
                    *same = malloc(3 * p.on_one->stride * sizeof *rows);
    assert_true(difference(p.on_one, p.on_one->v, p.on_many, p.on_many->v, &largest) == 0 && largest > 0);
    /* Rows by bytes, as a checkpoint takes them, lie as on one device. */
    assert_int_equal(nb_device_from(p.one, rows, p.on_one->x, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_int_equal(nb_device_from(p.many, same, p.on_many->x, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_memory_equal(rows, same, 3 * p.on_one->stride * sizeof *rows);
    assert_int_equal(nb_device_to(p.many, p.on_many->v, rows, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_true(difference(p.on_one, p.on_one->x, p.on_many, p.on_many->v, &largest) == 0);
    free(rows);
    free(same);
    free_pair(&p);
}

/* ---- vectors ---- */

static void combinations_are_equal_bits(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    const double c[] = {0.3, -1.7};
    double norm[2], largest;
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        const void *in[] = {s->x, s->v};
        const struct nb_combination row = {.c = c, .base = s->x, .out = s->a};
        assert_int_equal(nb_device_combine(s->device, NB_DOUBLE, 3 * s->stride, 2, in, 1, &row, &norm[k]), 0);
        assert_int_equal(nb_device_axpy(s->device, NB_DOUBLE, 3 * s->stride, 0.1, s->a, s->v), 0);
        assert_int_equal(nb_device_kick_drift(s->device, NB_DOUBLE, 3 * s->stride, 0.2, 0, 0.5, s->a, s->v, s->x), 0);
        /* A row alone, by an address within, and its first values. */
        const void *middle = (char *)s->v + s->stride * sizeof(double);
        const struct nb_combination few = {.c = c, .out = (char *)s->a + 2 * s->stride * sizeof(double)};
        assert_int_equal(nb_device_combine(s->device, NB_DOUBLE, 500, 1, &middle, 1, &few, NULL), 0);
    }
    assert_true(norm[0] == norm[1] && norm[0] > 0);
    assert_true(difference(p.on_one, p.on_one->a, p.on_many, p.on_many->a, &largest) == 0 && largest > 0);
    assert_true(difference(p.on_one, p.on_one->v, p.on_many, p.on_many->v, &largest) == 0 && largest > 0);
    assert_true(difference(p.on_one, p.on_one->x, p.on_many, p.on_many->x, &largest) == 0 && largest > 0);
    free_pair(&p);
}

static void scales_are_equal(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    double time[2];
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        const void *derivative[NB_DERIVATIVES_MAX] = {s->x, s->v, s->x, s->v};
        assert_int_equal(nb_device_step_scale(s->device, NB_DOUBLE, s->n, s->stride, derivative, 0, &time[k]), 0);
    }
    assert_true(time[0] == time[1] && time[0] > 0 && isfinite(time[0]));
    free_pair(&p);
}

/* The extent of n triples as that precision has them. */
static double extent_of(enum nb_precision precision, const double *v, uint64_t n)
{
    double widest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (uint64_t i = 0; i < n; i++) {
            const double exact = v[3 * i + (uint64_t)axis];
            const double value = precision == NB_SINGLE ? (double)(float)exact : exact;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        widest = fmax(widest, most - least);
    }
    return widest;
}

/* The extents of positions and velocities, on one device and on several. */
static void check_extents(const struct pair *p, enum nb_precision precision, double of_x, double of_v)
{
    const struct nb_state *const states[] = {p->on_one, p->on_many};
    for (int k = 0; k < 2; k++) {
        const struct nb_state *s = states[k];
        const void *vectors[] = {s->x, s->v};
        double extent[2];
        assert_int_equal(nb_device_extent(s->device, precision, s->n, s->stride, 2, vectors, extent), 0);
        assert_true(extent[0] == of_x && extent[1] == of_v);
    }
}

static void store_velocities(const struct pair *p, enum nb_precision precision)
{
    const struct nb_state *const states[] = {p->on_one, p->on_many};
    for (int k = 0; k < 2; k++) {
        const struct nb_state *s = states[k];
        assert_int_equal(
            nb_device_store(s->device, precision, s->n, s->stride, 3, p->bodies.columns[2].data, NB_F64, s->v), 0);
    }
}

/* Positions on both sides of 0, velocities far from 0 on one side of it; also of fewer bodies than parts, and with a
 * value that is not finite on one part. */
static void extents_are_exact(void **state)
{
    static const uint64_t sizes[] = {5, BODIES};
    for (int which = 0; which < 4 * NB_PRECISIONS; which++) {
        const enum nb_precision precision = (enum nb_precision)(which / 4);
        const uint64_t n = sizes[which / 2 % 2];
        const double far = which % 2 ? 1000.0 / 3 : -1000.0 / 3;
        if (precision == NB_QUAD && strncmp(*state, "cuda", 4) == 0)
            continue;
        struct pair p = make_pair(*state, precision, n);
        double *pos = p.bodies.columns[1].data, *vel = p.bodies.columns[2].data;
        for (uint64_t k = 0; k < 3 * n; k++)
            vel[k] += far;
        store_velocities(&p, precision);
        const double of_x = extent_of(precision, pos, n);
        check_extents(&p, precision, of_x, extent_of(precision, vel, n));
        vel[3 * (n / 2) + 1] = which % 2 ? (double)NAN : -(double)INFINITY;
        store_velocities(&p, precision);
        check_extents(&p, precision, of_x, (double)INFINITY);
        free_pair(&p);
    }
}

/* ---- what parts give each other ---- */

static atomic_uint_fast64_t copied_bytes;
static int (*real_copy)(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes);

static int counted_copy(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes)
{
    atomic_fetch_add(&copied_bytes, size_bytes);
    return real_copy(d, d_to, from, d_from, size_bytes);
}

/* Counts what the parts copy from each other; what ranks send each other is counted where they send it. */
static void count_copies(struct nb_device *many, struct nb_device_kind *counting)
{
    *counting = *nb_group_part(many, 0)->kind;
    real_copy = counting->peer_copy;
    counting->peer_copy = counted_copy;
    for (int k = 0; k < nb_group_count(many) && !nb_device_is_remote(nb_group_part(many, 1)); k++)
        nb_group_part(many, k)->kind = counting;
}

/* Bytes that go from part to part, or from rank to rank, in accepted steps of n bodies without forces. */
static uint64_t bytes_of_steps(const char *devices, const char *scheme, uint64_t n)
{
    struct pair p = make_pair(devices, NB_DOUBLE, n);
    struct nb_device_kind counting;
    struct nb_force_set none;
    nb_force_set_init(&none, p.many);
    count_copies(p.many, &counting);
    struct nb_stepper s = {.scheme = nb_scheme_find(scheme), .forces = &none, .state = p.on_many, .G = 1};
    struct nb_control c = {.tolerance = 1e-9, .min_step = 1e-9, .max_step = 0.01, .step = 0.01};
    nb_quad left = 1;
    assert_int_equal(nb_step_begin(&s), 0);
    assert_int_equal(nb_steps_adaptive(&s, &c, &left, 1), 0); /* the first step allocates */
    const uint64_t before = copied_bytes + loopback.sent_bytes;
    assert_int_equal(nb_steps_adaptive(&s, &c, &left, 5), 0);
    const uint64_t bytes = copied_bytes + loopback.sent_bytes - before;
    assert_true(c.taken == 6 && c.rejected == 0);
    nb_step_end(&s);
    free_pair(&p);
    return bytes;
}

/* Size control adds nothing to what the forces need of the other parts. */
static void accepted_steps_gather_nothing(void **state)
{
    static const char *const schemes[] = {"rkdp54", "rkf78", "bulirsch-stoer"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        const uint64_t few = bytes_of_steps(*state, schemes[k], BODIES);
        assert_int_equal(bytes_of_steps(*state, schemes[k], 8 * BODIES), few);
    }
}

/* ---- what goes wrong ---- */

static int fail_on_one(void *context, int k)
{
    errno = k == 1 ? *(int *)context : 0;
    return k == 1 ? nb_fail("it is full") : 0;
}

static void a_part_that_fails_is_named(void **state)
{
    struct nb_device *d = open_device(*state);
    const int why[] = {EDOM, ENOMEM, EIO}; /* EIO: none is lost, all still answer */
    for (int again = 0; again < 99; again++) {
        int is = why[again % 3];
        assert_int_equal(nb_group_run(d, fail_on_one, &is), -1);
        /* a state that cannot go on does so wherever it is */
        assert_non_null(strstr(nb_error(), is == EDOM ? "it is full" : "1: it is full"));
        assert_true(is != EDOM || strcmp(nb_error(), "it is full") == 0);
        assert_int_equal(errno, is);
    }
    nb_device_close(d);
}

/* ---- threads ---- */

struct count_job {
    atomic_int running, most;
    int calls[4], team[4];
};

static int count_threads(void *context, int k)
{
    struct count_job *j = context;
    j->calls[k]++;
#pragma omp parallel
    {
        const int running = atomic_fetch_add(&j->running, 1) + 1;
        for (int seen = atomic_load(&j->most); seen < running;)
            if (atomic_compare_exchange_weak(&j->most, &seen, running))
                break;
        for (double begin_s = omp_get_wtime(); omp_get_wtime() < begin_s + 2e-3;) /* the others are there meanwhile */
            continue;
        atomic_fetch_sub(&j->running, 1);
#pragma omp master
        j->team[k] = omp_get_num_threads();
    }
    return 0;
}

/* The number of threads is of the whole process, and afterwards it is the caller's as before. */
static void parts_of_a_cpu_share_its_threads(void **state)
{
    static const struct {
        int asked, team[4];
    } cases[] = {{1, {1, 1, 1, 1}}, {2, {1, 1, 1, 1}}, {3, {1, 1, 1, 1}}, {6, {2, 2, 1, 1}}, {8, {2, 2, 2, 2}}};
    const int before = omp_get_max_threads();
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        omp_set_num_threads(cases[c].asked);
        struct nb_device *d = nb_device_choose("cpu:0-3");
        assert_non_null(d);
        struct count_job j = {0};
        for (int call = 0; call < 3; call++)
            assert_int_equal(nb_group_run(d, count_threads, &j), 0);
        nb_device_close(d);
        assert_in_range(j.most, 1, cases[c].asked);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(j.calls[k], 3);
            assert_int_equal(j.team[k], cases[c].team[k]);
        }
        assert_int_equal(omp_get_max_threads(), cases[c].asked);
    }
    omp_set_num_threads(before);
}

static void what_is_no_group(void **state)
{
    (void)state;
    struct nb_device *one = nb_device_choose("cpu:0-0");
    assert_non_null(one);
    assert_false(nb_device_is_group(one));
    nb_device_close(one);
    assert_true(nb_device_is_name("cuda:all") && nb_device_is_name("cuda:0-63") && nb_device_is_name("cuda:1-2"));
    for (const char *const *name =
             (const char *const[]){"cuda:1-0", "cuda:", "cuda:-", "cuda:0-", "cuda:0-1x", "cuda:every", NULL};
         *name; name++)
        assert_false(nb_device_is_name(*name));
    assert_null(nb_device_choose("cpu:0-64"));
    assert_non_null(strstr(nb_error(), "at most 64"));
}

#define GROUP_TESTS(devices)                                                                        \
    GROUP_TEST(every_body_has_one_part, devices), GROUP_TEST(what_is_stored_is_fetched, devices),   \
        GROUP_TEST(combinations_are_equal_bits, devices), GROUP_TEST(scales_are_equal, devices),    \
        GROUP_TEST(extents_are_exact, devices), GROUP_TEST(accepted_steps_gather_nothing, devices), \
        GROUP_TEST(a_part_that_fails_is_named, devices)

int main(void)
{
    struct CMUnitTest tests[] = {GROUP_TESTS("cpu:0-2"), GROUP_TESTS("ranks:3"),
                                 cmocka_unit_test(parts_of_a_cpu_share_its_threads), cmocka_unit_test(what_is_no_group),
                                 GROUP_TESTS("cuda:0-1")};
    return run_on_groups("groups", tests, sizeof tests / sizeof *tests, 7);
}
