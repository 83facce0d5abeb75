/* Textbook methods: their individual properties. The tests of all methods compare their results with references. */
#include "force/pairs.h"
#include "force_rows.h"
#include "simd/simd.h"

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
                assert_non_null(strstr(nb_error(), "acceleration and potential only"));
            }
            seen++;
        }
    assert_true(seen >= 6);
}

/* Of rows whose memory grows as n^2: the estimate says it beforehand, and the row itself, here without any bodies,
 * where nobody asked. */
static void too_many_pairs_are_refused(void **state)
{
    struct nb_device *cpu = cpu_alone();
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
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, (enum nb_precision)p, &s, &t,
                                               &(struct nb_field){.stride = n, .a = &a}),
                         -1);
        assert_non_null(strstr(nb_error(), "the pairs of 5000000 bodies need"));
        nb_force_set_close(&set);
    }
}

static void what_is_for_gpus_names_its_like(void **state)
{
    const struct nb_device cpu = {.name = "cpu"};
    (void)state;
    assert_null(nb_force_choose("pairs-symmetric", &cpu, NB_DOUBLE, NB_WANT_ACC, 10));
    assert_non_null(strstr(nb_error(), "on a CPU --force direct computes each pair once"));
    assert_null(nb_force_choose("shared-tiles", &cpu, NB_SINGLE, NB_WANT_ACC, 10));
    assert_non_null(strstr(nb_error(), "--force tiled"));
}

/* ---- equal bits ---- */

/* a and phi of n bodies by a force as its text has it, 4 n numbers, the caller's. */
static double *softened_field(struct nb_device *device, enum nb_precision precision, const char *text, uint64_t n,
                              double softening)
{
    struct nb_bodies b;
    make_sphere(&b, n);
    struct nb_state *s = nb_state_create(device, precision, &b);
    struct nb_force_set set = open_force(device, precision, NB_WANT_ACC, text, NAN);
    void *d_phi = nb_state_vector(s);
    struct nb_column a = {.type = NB_F64, .width = 3}, phi = {.type = NB_F64, .width = 1};
    a.data = calloc(4 * n, sizeof(double));
    phi.data = (double *)a.data + 3 * n;
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, softening, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
    return a.data;
}

static double *field_of(struct nb_device *device, enum nb_precision precision, const char *text, uint64_t n)
{
    return softened_field(device, precision, text, n, 0.01);
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

/* ---- for each instruction set ---- */

static void assert_is_the_sum(const char *method, uint64_t n, double softening)
{
    double *got = softened_field(device_of("cpu"), NB_DOUBLE, method, n, softening);
    struct nb_bodies b;
    make_sphere(&b, n);
    for (uint64_t i = 0; i < n; i++) {
        double a[3], phi, d[3];
        reference(&b, i, softening, a, &phi);
        for (int c = 0; c < 3; c++)
            d[c] = got[3 * i + (uint64_t)c] - a[c];
        assert_true(norm(d) <= 1e-13 * norm(a));
        assert_true(fabs(got[3 * n + i] - phi) <= 1e-13 * fabs(phi));
    }
    free(got);
    nb_bodies_free(&b);
}

/* Sizes about the blocks of `tiled', with and without softening. */
static void every_instruction_set_gives_the_sum(void **state)
{
    static const char *const methods[] = {"naive", "openmp", "tiled"};
    static const uint64_t sizes[] = {1, 2, 63, 64, 65, 200};
    (void)state;
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
        for (int k = 0; k < 3; k++)
            for (int which = 0; which < 6; which++) {
                assert_is_the_sum(methods[k], sizes[which], 0);
                assert_is_the_sum(methods[k], sizes[which], 0.01);
            }
    }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* The matrix of pairs is summed in parts of 256, by rows and by columns. */
static void parts_of_the_matrix_join(void **state)
{
    static const uint64_t sizes[] = {2, 255, 256, 257, 258, 700};
    (void)state;
    for (int which = 0; which < 6; which++)
        assert_is_the_sum("pairs-matrix", sizes[which], 0.01);
}

/* ---- on a GPU: the threads of a block, the order of tiles, many bodies ---- */

/* The parameter of a row's only kind; NULL: it has none of that name. */
static const struct nb_parameter *parameter_of(const struct nb_force *f, const char *name)
{
    for (const struct nb_parameter *p = f->kinds ? f->kinds->parameters : NULL; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* Every word of the parameter gives the bits of the first. */
static void assert_words_are_one(const struct row *row, const struct nb_parameter *p, uint64_t n)
{
    struct nb_device *device = device_of(row->force->device);
    double *first = NULL;
    for (int k = 0; p->words[k]; k++) {
        char text[100];
        snprintf(text, sizeof text, "%s:%s=%s", row->force->method, p->name, p->words[k]);
        double *now = field_of(device, row->precision, text, n);
        if (first && memcmp(first, now, 4 * n * sizeof *now))
            fail_msg("%s in %s, %d bodies: not the bits of %s=%s", text, nb_precision_name(row->precision), (int)n,
                     p->name, p->words[0]);
        assert_true(now[0] != 0 && now[4 * n - 1] < 0);
        if (first)
            free(now);
        else
            first = now;
    }
    free(first);
}

static void blocks_and_orders_change_no_bit(void **state)
{
    static const char *const names[] = {"block", "order"};
    static const uint64_t sizes[] = {33, 1000, 4097};
    const struct row *row = *state;
    for (int k = 0; k < 2; k++)
        for (int which = 0; which < 3; which++)
            if (parameter_of(row->force, names[k]))
                assert_words_are_one(row, parameter_of(row->force, names[k]), sizes[which]);
}

/* What was tried is told, of what was not tried nothing; and trials leave alone what is added to. */
static void trials_are_told_and_leave_no_trace(void **state)
{
    const struct row *row = *state;
    const uint64_t n = 3000;
    struct nb_device *device = device_of(row->force->device);
    char tuned[64], fixed[64];
    struct nb_bodies b;
    snprintf(tuned, sizeof tuned, "%s:block=autotune", row->force->method);
    snprintf(fixed, sizeof fixed, "%s:block=64", row->force->method);
    double *once = field_of(device, row->precision, fixed, n);
    make_sphere(&b, n);
    struct nb_state *s = nb_state_create(device, row->precision, &b);
    const struct nb_sources sources = {.n = n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = 0.01};
    const struct nb_targets all = {.n = n, .stride = s->stride, .x = s->x};
    struct nb_column a = {.type = NB_F64, .width = 3, .data = calloc(3 * n, sizeof(double))};
    for (int turn = 0; turn < 2; turn++) {
        struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, turn ? tuned : fixed, NAN);
        const struct nb_field out = {.stride = s->stride, .a = s->a, .add = turn};
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, &sources, &all, &out), 0);
        const char *notes = set.force[0].entry->notes(set.force[0].work);
        assert_true(turn ? notes && strstr(notes, "threads a block are taken") : !notes);
        nb_force_set_close(&set);
    }
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    for (uint64_t k = 0; k < 3 * n; k++)
        assert_true(((double *)a.data)[k] == 2 * once[k]);
    free(once);
    free(a.data);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

/* So many that the bands of pairs-symmetric are several, and that pairs are more than 2^32: a few of the bodies. */
static void many_bodies(void **state)
{
    const struct row *row = *state;
    const uint64_t n = 93001, every = 9301;
    struct nb_device *device = device_of(row->force->device);
    if (!exact(row) || !has_memory(row, n) || getenv("NB_SANITIZER"))
        skip(); /* hours, under one */
    double *got = field_of(device, row->precision, row->force->method, n);
    struct nb_bodies b;
    make_sphere(&b, n);
    for (uint64_t i = 0; i < n; i += every) {
        const double digits = row->precision >= NB_DOUBLE ? 1e-12 : 2e-5;
        double a[3], phi, d[3];
        reference(&b, i, 0.01, a, &phi);
        for (int c = 0; c < 3; c++)
            d[c] = got[3 * i + (uint64_t)c] - a[c];
        assert_true(norm(d) <= digits * norm(a));
        assert_true(fabs(got[3 * n + i] - phi) <= digits * fabs(phi));
    }
    check_momentum(row, &b, got);
    free(got);
    nb_bodies_free(&b);
}

/* Rows with blocks, on devices that have them: such a row can tell what it has tried. */
static void add_devices(const struct row_case *cases, size_t count)
{
    bool any = false;
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        const struct nb_parameter *block = parameter_of(*f, "block");
        if (!block || !block->words || !(*f)->notes)
            continue;
        add_rows(*f, cases, count);
        any = true;
    }
    if (!any)
        add_test(run_nothing, NULL, "blocks # SKIP built without CUDA");
}

int main(void)
{
    static const struct row_case cases[] = {
        {"blocks and orders change no bit", blocks_and_orders_change_no_bit},
        {"trials are told and leave no trace", trials_are_told_and_leave_no_trace},
        {"many bodies", many_bodies},
    };
    add_test(the_list_of_pairs_is_exact, NULL, "the list of pairs is exact");
    add_test(derivatives_are_refused, NULL, "derivatives are refused");
    add_test(too_many_pairs_are_refused, NULL, "too many pairs are refused");
    add_test(what_is_for_gpus_names_its_like, NULL, "what is for GPUs names its like on a CPU");
    add_test(any_number_of_threads_gives_equal_bits, NULL, "any number of threads gives equal bits");
    add_test(every_instruction_set_gives_the_sum, NULL, "every instruction set gives the sum");
    add_test(parts_of_the_matrix_join, NULL, "parts of the matrix join");
    add_devices(cases, sizeof cases / sizeof *cases);
    return _cmocka_run_group_tests("methods", row_tests, row_test_count, NULL, NULL);
}
