/* Textbook methods: what is theirs alone. The tests of all rows hold their results to the truth. */
#include "force/methods/pairs.h"
#include "force_rows.h"

#include <omp.h>

/* ---- the list of pairs ---- */

static void assert_first_and_last(uint64_t i)
{
    const uint64_t first = pairs_before(i), last = first + i - 1;
    assert_true(pairs_body(first) == i);
    assert_true(pairs_body(last) == i);
    assert_true(pairs_body(last + 1) == i + 1);
    assert_true(i == 1 || pairs_body(first - 1) == i - 1);
}

/* Every pair of 1000 bodies; then bodies where a root in double is off: to 2^32 bodies, 2^63 pairs. */
static void the_list_of_pairs_is_exact(void **state)
{
    uint64_t k = 0, seed = 1;
    (void)state;
    for (uint64_t i = 1; i < 1000; i++)
        for (uint64_t j = 0; j < i; j++, k++) {
            assert_true(pairs_body(k) == i);
            assert_true(pairs_before(i) + j == k);
        }
    for (uint64_t power = 10; power < 32; power++)
        for (uint64_t i = (1ull << power) - 50; i < (1ull << power) + 50; i++)
            assert_first_and_last(i);
    for (int turn = 0; turn < 100000; turn++)
        assert_first_and_last(1 + (uint64_t)(uniform01(&seed) * 4294967290.0));
    assert_true(pairs_before(4294967295) == 9223372030412324865u);
}

/* ---- refusals ---- */

static bool is_method(const struct nb_force *f)
{
    return f->flags & NB_ALL_BODIES && !(f->flags & (NB_CONTACT | NB_EXTERNAL));
}

static void derivatives_are_refused(void **state)
{
    int seen = 0;
    (void)state;
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        for (int p = 0; p < NB_PRECISIONS && is_method(*f); p++) {
            const struct nb_device named = {.name = (*f)->device};
            if ((*f)->tolerance[p] == 0)
                continue;
            for (unsigned want = NB_WANT_JERK; want <= NB_WANT_SNAP; want *= 2) {
                assert_null(nb_force_choose((*f)->method, &named, (enum nb_precision)p, NB_WANT_ACC | want, 10));
                assert_non_null(strstr(nb_error(), "acceleration and potential alone"));
            }
            seen++;
        }
    assert_true(seen >= 6);
}

/* Of rows whose memory grows as n^2: the estimate says it beforehand, and the row itself where nobody asked. */
static void too_many_pairs_are_refused(void **state)
{
    struct nb_device *cpu = device_of("cpu");
    const uint64_t n = 5000000;
    (void)state;
    for (int p = NB_SINGLE; p <= NB_DOUBLE; p++) {
        struct nb_force_set set = open_force(cpu, (enum nb_precision)p, NB_WANT_ACC, "pairs-matrix", NAN);
        const struct nb_sources s = {.n = n, .stride = n, .G = 1};
        const struct nb_targets t = {.n = n, .stride = n};
        double a;
        const double pairs = 12499997500000, size = p == NB_DOUBLE ? 8 : 4;
        assert_true(set.force[0].entry->work_bytes((enum nb_precision)p, n) == 3 * size * pairs);
        assert_int_equal(nb_force_set_fits(&set, (enum nb_precision)p, 1, n), -1);
        assert_non_null(strstr(nb_error(), "5000000 bodies need"));
        assert_int_equal(nb_force_set_field(&set, nb_forces_all, (enum nb_precision)p, &s, &t,
                                            &(struct nb_field){.stride = n, .a = &a}),
                         -1);
        assert_non_null(strstr(nb_error(), "the pairs of 5000000 bodies need"));
        nb_force_set_close(&set);
    }
}

/* ---- equal bits ---- */

/* a and phi of n bodies by a force as its text has it, 4 n numbers, the caller's. */
static double *field_of(struct nb_device *device, enum nb_precision precision, const char *text, uint64_t n)
{
    struct nb_bodies b;
    make_sphere(&b, n);
    struct nb_state *s = nb_state_create(device, precision, &b);
    struct nb_force_set set = open_force(device, precision, NB_WANT_ACC, text, NAN);
    void *d_phi = nb_state_vector(s);
    struct nb_column a = {.type = NB_F64, .width = 3}, phi = {.type = NB_F64, .width = 1};
    a.data = calloc(4 * n, sizeof(double));
    phi.data = (double *)a.data + 3 * n;
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, s, 1, 0.01, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
    return a.data;
}

static void any_number_of_threads_gives_equal_bits(void **state)
{
    static const char *const methods[] = {"openmp", "tiled", "pairs-matrix"};
    const int threads = omp_get_max_threads();
    (void)state;
    for (int k = 0; k < 3; k++) {
        double *several[2];
        for (int turn = 0; turn < 2; turn++) {
            omp_set_num_threads(turn ? 3 : 1);
            several[turn] = field_of(device_of("cpu"), NB_DOUBLE, methods[k], 1500);
        }
        assert_memory_equal(several[0], several[1], 4 * 1500 * sizeof(double));
        free(several[0]);
        free(several[1]);
    }
    omp_set_num_threads(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_of_pairs_is_exact),
        cmocka_unit_test(derivatives_are_refused),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test(any_number_of_threads_gives_equal_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
