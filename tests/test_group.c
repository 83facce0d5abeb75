/* Several devices as one (lib/device/group): who has which bodies, vectors with the bits of one device, and what goes
 * wrong on one of them. Parts of a CPU, ranks, and GPUs where there are several. */
#include "group_pair.h"

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

static void scales_and_extents_are_equal(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    double time[2], extent[2][2];
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        const void *derivative[NB_DERIVATIVES_MAX] = {s->x, s->v, s->x, s->v}, *vectors[] = {s->x, s->v};
        assert_int_equal(nb_device_step_scale(s->device, NB_DOUBLE, s->n, s->stride, derivative, 0, &time[k]), 0);
        assert_int_equal(nb_device_extent(s->device, NB_DOUBLE, s->n, s->stride, 2, vectors, extent[k]), 0);
    }
    assert_true(time[0] == time[1] && time[0] > 0 && isfinite(time[0]));
    assert_true(extent[0][0] == extent[1][0] && extent[0][1] == extent[1][1] && extent[0][0] > 0.9);
    free_pair(&p);
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

#define GROUP_TESTS(devices)                                                                                 \
    GROUP_TEST(every_body_has_one_part, devices), GROUP_TEST(what_is_stored_is_fetched, devices),            \
        GROUP_TEST(combinations_are_equal_bits, devices), GROUP_TEST(scales_and_extents_are_equal, devices), \
        GROUP_TEST(a_part_that_fails_is_named, devices)

int main(void)
{
    struct CMUnitTest tests[] = {GROUP_TESTS("cpu:0-2"), GROUP_TESTS("ranks:3"),
                                 cmocka_unit_test(parts_of_a_cpu_share_its_threads), cmocka_unit_test(what_is_no_group),
                                 GROUP_TESTS("cuda:0-1")};
    return run_on_groups("groups", tests, sizeof tests / sizeof *tests, 5);
}
