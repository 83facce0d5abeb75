/* Ranks of a run (lib/device/ranks), here threads: exchanges in pieces through staging memory, failures that are
 * reported later, and ranks that differ. test_group.c tests their results. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/ranks/ranks_state.h"

#include <unistd.h>

#define RANKS 3

static const struct nb_ranks_program *const alike[RANKS] = {&loopback_program, &loopback_program, &loopback_program};

static struct nb_device *open_ranks(struct loopback_run *run)
{
    assert_non_null(loopback_start(run, RANKS, alike));
    struct nb_device *d = nb_ranks_open(run->ranks, "cpu", &(struct nb_ranks_setting){.threads = 1});
    assert_non_null(d);
    return d;
}

static void close_ranks(struct loopback_run *run, struct nb_device *d)
{
    nb_device_close(d);
    loopback_stop(run);
    for (int k = 1; k < RANKS; k++)
        assert_int_equal(run->rank[k].served, 0);
}

/* ---- a CPU whose memory is staged, as a GPU's is ---- */

static _Atomic int looks, copies;          /* at marks, and copies so far */
static _Atomic int failing_at = INT32_MAX; /* the copy that fails */

static void *stage_alloc(struct nb_device *d, size_t size_bytes)
{
    (void)d;
    return malloc(size_bytes);
}

static void *stage_none(struct nb_device *d, size_t size_bytes)
{
    (void)d, (void)size_bytes;
    nb_fail("memory that is made to lack");
    return NULL;
}

static void stage_free(struct nb_device *d, void *p, void *mark)
{
    (void)d, (void)mark;
    free(p);
}

static int stage(struct nb_device *d, void *to, const void *from, size_t size_bytes, void **mark)
{
    (void)d, (void)mark;
    if (copies++ == failing_at)
        return nb_fail("a copy that is made to fail");
    memcpy(to, from, size_bytes);
    return 0;
}

/* Not every copy is done at once. */
static int staged(struct nb_device *d, void *mark)
{
    (void)d, (void)mark;
    return looks++ % 3 == 0;
}

static const struct nb_device_staging copied = {stage_alloc, stage_free, stage, stage, staged};
static struct nb_device_kind staging;

static void stage_all(struct loopback_run *run)
{
    staging = *run->ranks->inner;
    staging.staging = &copied;
    for (int k = 0; k < RANKS; k++)
        run->rank[k].ranks->inner = &staging;
    looks = copies = 0;
    failing_at = INT32_MAX;
}

/* ---- exchanges ---- */

struct taking { /* a vector of all bodies onto each part */
    struct nb_device *d;
    uint64_t n, stride;
    void *vector, *full;
};

static int make_ready(void *context, int k)
{
    return nb_group_ready(((struct taking *)context)->d, k);
}

static int take(void *context, int k)
{
    const struct taking *t = context;
    return nb_group_take(t->d, k, NB_DOUBLE, t->n, t->vector, 3, t->stride, nb_group_at(t->d, t->full, k), true);
}

static int end_taking(void *context, int k)
{
    return nb_group_taken(((struct taking *)context)->d, k);
}

static int take_all(struct taking *t)
{
    return nb_group_run(t->d, make_ready, t) || nb_group_run(t->d, take, t) || nb_group_run(t->d, end_taking, t) ? -1
                                                                                                                 : 0;
}

/* Value i of row r of a vector. */
static double value_of(uint64_t r, uint64_t i)
{
    return (double)(r * 10000019 + i);
}

static struct taking make_taking(struct nb_device *d, uint64_t n)
{
    struct taking t = {.d = d, .n = n, .stride = (n + 63) / 64 * 64};
    double *rows = calloc(3 * t.stride, sizeof *rows);
    for (uint64_t r = 0; r < 3; r++)
        for (uint64_t i = 0; i < n; i++)
            rows[r * t.stride + i] = value_of(r, i);
    t.vector = nb_device_alloc_rows(d, NB_DOUBLE, n, t.stride, 3);
    t.full = nb_device_alloc(d, 3 * t.stride * sizeof(double));
    assert_true(rows && t.vector && t.full);
    assert_int_equal(nb_device_to(d, t.vector, rows, 3 * t.stride * sizeof *rows), 0);
    free(rows);
    return t;
}

/* Bodies of part k's memory that are not where they should be. */
static uint64_t wrong_on(const struct taking *t, int k)
{
    double *rows = calloc(3 * t->stride, sizeof *rows);
    uint64_t wrong = 0;
    assert_int_equal(
        nb_device_from(nb_group_part(t->d, k), rows, nb_group_at(t->d, t->full, k), 3 * t->stride * sizeof *rows), 0);
    for (uint64_t r = 0; r < 3; r++)
        for (uint64_t i = 0; i < t->n; i++)
            wrong += rows[r * t->stride + i] != value_of(r, i);
    free(rows);
    return wrong;
}

static void free_taking(struct taking *t)
{
    nb_device_free(t->d, t->vector);
    nb_device_free(t->d, t->full);
}

/* Bodies that are one piece of each part, and several; fewer than parts. */
static void pieces_arrive_where_they_belong(void **state)
{
    const uint64_t sizes[] = {3000, 3 * (NB_PIECE / sizeof(double)) + 100000, 10};
    const bool stages = *state != NULL;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct loopback_run run;
        struct nb_device *d = open_ranks(&run);
        if (stages)
            stage_all(&run);
        struct taking t = make_taking(d, sizes[k]);
        assert_int_equal(take_all(&t), 0);
        assert_int_equal(take_all(&t), 0);
        for (int part = 0; part < RANKS; part++)
            assert_int_equal(wrong_on(&t, part), 0);
        assert_true(!stages || sizes[k] == 10 || copies > 0);
        free_taking(&t);
        close_ranks(&run, d);
    }
}

/* The others get theirs, and nobody waits for ever. */
static void a_copy_that_fails_is_told(void **state)
{
    struct loopback_run run;
    struct nb_device *d = open_ranks(&run);
    (void)state;
    stage_all(&run);
    struct taking t = make_taking(d, 3000);
    failing_at = 5;
    const int status = take_all(&t);
    assert_int_equal(status || nb_device_sync(d) ? -1 : 0, -1);
    assert_non_null(strstr(nb_error(), ": a copy that is made to fail"));
    assert_int_equal(take_all(&t) || nb_device_sync(d) ? -1 : 0, 0);
    for (int part = 0; part < RANKS; part++)
        assert_int_equal(wrong_on(&t, part), 0);
    free_taking(&t);
    close_ranks(&run, d);
}

/* One rank cannot begin what the others wait for: the run ends, with what that rank says, be it rank 0 or another. */
static void an_exchange_that_cannot_begin_ends_the_run(void **state)
{
    for (int lacking = 0; lacking < RANKS; lacking++) {
        struct loopback_run run;
        struct nb_device *d = open_ranks(&run);
        char says[64];
        (void)state;
        stage_all(&run);
        struct nb_device_kind lacks = staging;
        struct nb_device_staging no_memory = copied;
        no_memory.alloc = stage_none;
        lacks.staging = &no_memory;
        run.rank[lacking].ranks->inner = &lacks;
        struct taking t = make_taking(d, 3000);
        const int status = take_all(&t);
        assert_int_equal(status || nb_device_sync(d) ? -1 : 0, -1);
        snprintf(says, sizeof says, "%s", nb_error());
        assert_non_null(strstr(says, "memory that is made to lack"));
        assert_int_equal(nb_device_sync(d), -1);
        assert_int_equal(errno, NB_RANK_LOST);
        snprintf(says, sizeof says, "rank %d: memory that is made to lack", lacking);
        assert_non_null(strstr(nb_error(), says));
        void *left[RANKS][2]; /* with a process that has ended its memory would be gone */
        for (int k = 1; k < RANKS; k++) {
            left[k][0] = nb_group_at(d, t.vector, k);
            left[k][1] = nb_group_at(d, t.full, k);
        }
        free_taking(&t);
        for (int k = 1; k < RANKS; k++)
            atomic_store(&run.rank[k].ranks->lost, 0); /* as where they see that rank 0 has ended */
        nb_device_close(d);
        loopback_stop(&run);
        for (int k = 1; k < RANKS; k++) {
            free(left[k][0]);
            free(left[k][1]);
        }
    }
}

/* ---- calls ---- */

static void what_fails_unanswered_is_told_once(void **state)
{
    struct loopback_run run;
    struct nb_device *d = open_ranks(&run), *remote = nb_group_part(d, 2);
    struct nb_rank_call call = nb_rank_call(999, NULL, 0);
    (void)state;
    assert_int_equal(nb_rank_post(remote, &call), 0);
    assert_int_equal(nb_device_sync(d), -1);
    assert_non_null(strstr(nb_error(), "rank 2: received an unknown request 999 from rank 0"));
    assert_int_equal(nb_device_sync(d), 0);
    assert_null(nb_device_alloc(remote, SIZE_MAX / 2));
    assert_non_null(strstr(nb_error(), "no memory"));
    assert_int_equal(nb_device_sync(d), 0);
    assert_null(nb_ranks_open(run.ranks, "cpu", &(struct nb_ranks_setting){.threads = 1}));
    close_ranks(&run, d);
}

/* Without these functions, rank 0 would fetch and send back all rows at each short step (own_steps.c). */
static void ranks_compute_individual_steps(void **state)
{
    struct loopback_run run;
    (void)state;
    struct nb_device *d = open_ranks(&run);
    for (int k = 0; k < RANKS; k++) {
        const struct nb_device_kind *kind = nb_group_part(d, k)->kind;
        assert_true(kind->kick_own && kind->hermite_own && kind->select_due);
    }
    close_ranks(&run, d);
}

/* Columns of more bodies than go at once, in both types. */
static void columns_of_any_size(void **state)
{
    const uint64_t n = 3 * NB_RANK_BODIES + 777, stride = (n + 63) / 64 * 64;
    struct loopback_run run;
    struct nb_device *d = open_ranks(&run), *remote = nb_group_part(d, 1);
    float *column = calloc(3 * n, sizeof *column);
    double *back = calloc(3 * n, sizeof *back);
    void *rows = nb_device_alloc(remote, 3 * stride * sizeof(double));
    (void)state;
    assert_true(column && back && rows);
    for (uint64_t k = 0; k < 3 * n; k++)
        column[k] = (float)(k % 16000057);
    assert_int_equal(nb_device_store(remote, NB_DOUBLE, n, stride, 3, column, NB_F32, rows), 0);
    assert_int_equal(nb_device_fetch(remote, NB_DOUBLE, n, stride, 3, rows, NB_F64, back), 0);
    uint64_t wrong = 0;
    for (uint64_t k = 0; k < 3 * n; k++)
        wrong += back[k] != (double)column[k];
    assert_int_equal(wrong, 0);
    nb_device_free(remote, rows);
    free(column);
    free(back);
    close_ranks(&run, d);
}

/* ---- joining ---- */

static void other_versions_are_refused(void **state)
{
    static const struct nb_ranks_program other = {.version = "another", .signalled = loopback_signalled};
    const struct nb_ranks_program *const programs[RANKS] = {&loopback_program, &loopback_program, &other};
    struct loopback_run run;
    (void)state;
    assert_null(loopback_start(&run, RANKS, programs));
    assert_non_null(strstr(nb_error(), "rank 2 on "));
    assert_non_null(strstr(nb_error(), "version another"));
    loopback_stop(&run);
}

static void a_kind_that_is_not_there_is_refused(void **state)
{
    struct loopback_run run;
    (void)state;
    assert_non_null(loopback_start(&run, RANKS, alike));
    assert_null(nb_ranks_open(run.ranks, "abacus", &(struct nb_ranks_setting){.threads = 1}));
    assert_null(nb_ranks_open(run.ranks, "opencl", &(struct nb_ranks_setting){.threads = 1}));
    struct nb_device *d = nb_ranks_open(run.ranks, "auto", &(struct nb_ranks_setting){.threads = 1});
    assert_non_null(d);
    assert_int_equal(nb_group_count(d), RANKS);
    close_ranks(&run, d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"pieces arrive where they belong: directly", pieces_arrive_where_they_belong, NULL, NULL, NULL},
        {"pieces arrive where they belong: staged", pieces_arrive_where_they_belong, NULL, NULL, &staging},
        cmocka_unit_test(a_copy_that_fails_is_told),
        cmocka_unit_test(an_exchange_that_cannot_begin_ends_the_run),
        cmocka_unit_test(what_fails_unanswered_is_told_once),
        cmocka_unit_test(ranks_compute_individual_steps),
        cmocka_unit_test(columns_of_any_size),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(a_kind_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
