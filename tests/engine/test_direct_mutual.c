/* Direct summation on the CPU that computes each pair once, with every available instruction set: odd and even
 * numbers of blocks, incomplete blocks, any number of threads, units of any size, bodies at one position in different
 * blocks. */
#include "common/devices.h"
#include "common/uniform.h"
#include "force/direct/cpu/direct_simd.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SOFTENING 0.02
#define SAMPLE    250

struct row {
    enum nb_simd set;
    enum nb_precision precision;
};

struct system { /* values that single precision holds, and what they do; freed by the caller */
    uint64_t n;
    double *m, *x, *a, *phi; /* x and a: a triple a body */
};

static struct system make(uint64_t n)
{
    struct system b = {n, malloc(8 * n), malloc(24 * n), malloc(24 * n), malloc(8 * n)};
    uint64_t seed = n;
    for (uint64_t i = 0; i < n; i++)
        b.m[i] = (float)(0.5 + uniform01(&seed));
    for (uint64_t k = 0; k < 3 * n; k++)
        b.x[k] = (float)(2 * uniform01(&seed) - 1);
    return b;
}

static void discard(struct system *b)
{
    free(b->m);
    free(b->x);
    free(b->a);
    free(b->phi);
}

static void fill(struct nb_bodies *to, const struct system *b)
{
    nb_bodies_init(to);
    to->n = b->n;
    assert_int_equal(nb_bodies_add(to, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(to, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(to, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(to), 0);
    memcpy(to->columns[0].data, b->m, 8 * b->n);
    memcpy(to->columns[1].data, b->x, 24 * b->n);
    memset(to->columns[2].data, 0, 24 * b->n);
}

static void evaluate(const struct row *row, struct system *b, double eps)
{
    struct nb_bodies bodies;
    fill(&bodies, b);
    struct nb_state *s = nb_state_create(cpu_alone(), row->precision, &bodies);
    void *phi = nb_state_vector(s);
    struct nb_column a_column = {.type = NB_F64, .width = 3, .data = b->a};
    struct nb_column phi_column = {.type = NB_F64, .width = 1, .data = b->phi};
    const struct nb_sources sources = {.n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = eps};
    const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = phi};
    assert_int_equal(nb_direct_mutual(nb_direct_sets[row->set], row->precision, &sources, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a_column), 0);
    assert_int_equal(nb_state_fetch(s, phi, &phi_column), 0);
    nb_device_free(s->device, phi);
    nb_state_destroy(s);
    nb_bodies_free(&bodies);
}

/* Relative errors of body i against sums in extended precision: of the acceleration and of the potential. */
static void find_errors(const struct system *b, uint64_t i, double eps, double *error_a, double *error_phi)
{
    long double a[3] = {0}, phi = 0, d2 = 0, a2 = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        long double d[3], r2 = (long double)eps * eps;
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (long double)b->x[3 * j + k] - b->x[3 * i + k];
            r2 += d[k] * d[k];
        }
        if (j == i)
            continue;
        phi -= b->m[j] / sqrtl(r2);
        for (int k = 0; k < 3; k++)
            a[k] += b->m[j] * d[k] / (r2 * sqrtl(r2));
    }
    for (uint64_t k = 0; k < 3; k++) {
        d2 += (b->a[3 * i + k] - a[k]) * (b->a[3 * i + k] - a[k]);
        a2 += a[k] * a[k];
    }
    *error_a = (double)sqrtl(d2 / a2);
    *error_phi = (double)fabsl(b->phi[i] / phi - 1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(const struct row *row, const struct system *b, double eps)
{
    double error_a[SAMPLE], error_phi[SAMPLE];
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < SAMPLE; k++) /* the first and the last body too */
        find_errors(b, k * (b->n - 1) / (SAMPLE - 1), eps, &error_a[k], &error_phi[k]);
    qsort(error_a, SAMPLE, sizeof *error_a, ascending);
    qsort(error_phi, SAMPLE, sizeof *error_phi, ascending);
    print_message("# %s %s, n %llu: acceleration %.1e, at most %.1e; potential %.1e, at most %.1e\n",
                  nb_simd_name(row->set), nb_precision_name(row->precision), (unsigned long long)b->n,
                  error_a[SAMPLE / 2], error_a[SAMPLE - 1], error_phi[SAMPLE / 2], error_phi[SAMPLE - 1]);
    const bool fine = row->precision >= NB_DOUBLE;
    assert_true(error_a[SAMPLE / 2] < (fine ? 2e-15 : 1e-6) && error_a[SAMPLE - 1] < (fine ? 1e-13 : 2e-5));
    assert_true(error_phi[SAMPLE / 2] < (fine ? 2e-15 : 1e-6) && error_phi[SAMPLE - 1] < (fine ? 1e-14 : 2e-6));
}

/* ---- the tests ---- */

/* One block, two, an odd and an even number of them, with and without bodies left over. The largest, of whole blocks,
 * with the set that is the default alone: the loops of the other sets are the same. */
static void all_sizes_match_plain_sums(void **state)
{
    static const uint64_t sizes[] = {SAMPLE, 2304, 2305, 4097, 5555, 8192, 17001};
    const struct row *row = *state;
    for (size_t k = 0; k < (row->set == nb_simd_in_use() ? 7 : 5); k++) {
        struct system b = make(sizes[k]);
        evaluate(*state, &b, SOFTENING);
        check(*state, &b, SOFTENING);
        discard(&b);
    }
}

static void threads_do_not_matter(void **state)
{
    const int usual = omp_get_max_threads();
    struct system one = make(3333), other = make(3333);
    omp_set_num_threads(1);
    evaluate(*state, &one, SOFTENING);
    for (int threads = 2; threads < 8; threads += threads < 3 ? 1 : 4) {
        omp_set_num_threads(threads);
        evaluate(*state, &other, SOFTENING);
        assert_memory_equal(one.a, other.a, 24 * one.n);
        assert_memory_equal(one.phi, other.phi, 8 * one.n);
    }
    omp_set_num_threads(usual);
    discard(&one);
    discard(&other);
}

/* A unit that is a power of two must not change a bit, also where r^-3 alone is outside of single precision. */
static void units_do_not_matter(void **state)
{
    static const int lengths[] = {46, -46, 20}, masses[] = {106, -30, -60};
    struct system plain = make(2500);
    evaluate(*state, &plain, SOFTENING);
    for (int k = 0; k < 3; k++) {
        struct system b = make(2500);
        for (uint64_t i = 0; i < b.n; i++)
            b.m[i] = ldexp(b.m[i], masses[k]);
        for (uint64_t i = 0; i < 3 * b.n; i++)
            b.x[i] = ldexp(b.x[i], lengths[k]);
        evaluate(*state, &b, ldexp(SOFTENING, lengths[k]));
        for (uint64_t i = 0; i < 3 * b.n; i++)
            assert_true(b.a[i] == ldexp(plain.a[i], masses[k] - 2 * lengths[k]));
        for (uint64_t i = 0; i < b.n; i++)
            assert_true(b.phi[i] == ldexp(plain.phi[i], masses[k] - lengths[k]));
        discard(&b);
    }
    discard(&plain);
}

static void one_body_at_1e18(void **state)
{
    struct system b = make(2500);
    b.x[3 * (b.n - 1)] = (float)1e18;
    evaluate(*state, &b, 0);
    check(*state, &b, 0);
    discard(&b);
}

/* Without softening two bodies at one place have no acceleration, and nobody else is touched. */
static void bodies_at_one_place(void **state)
{
    const uint64_t i = 100, j = 2400;
    struct system b = make(2500);
    memcpy(b.x + 3 * i, b.x + 3 * j, 24);
    evaluate(*state, &b, 0);
    for (uint64_t k = 0; k < b.n; k++)
        assert_true(isfinite(b.a[3 * k]) == (k != i && k != j));
    evaluate(*state, &b, SOFTENING);
    check(*state, &b, SOFTENING);
    discard(&b);
}

/* Bodies next to the origin, at distances whose squares single precision does not hold: in double their field is exact
 * as that of others. With a large softening length as well. */
static void squares_beyond_single(void **state)
{
    const struct row *row = *state;
    double off, off_phi;
    if (row->precision < NB_DOUBLE)
        return;
    for (int power = -8; power >= -40; power -= 4) {
        struct system b = make(2500);
        for (uint64_t k = 0; k < 3 * b.n; k++)
            if (k / 3 % 16 == 5)
                b.x[k] *= pow(10, power);
        evaluate(row, &b, 0);
        for (uint64_t i = 5; i < b.n; i += 16) {
            find_errors(&b, i, 0, &off, &off_phi);
            assert_true(off < 1e-14 && off_phi < 1e-14);
        }
        discard(&b);
    }
    struct system b = make(2500);
    evaluate(row, &b, 1e30);
    check(row, &b, 1e30);
    discard(&b);
}

/* The field at all other bodies is that of one source, so the errors of pairs do not average out. */
static void one_heavy_body(void **state)
{
    const struct row *row = *state;
    double error_a[SAMPLE], error_phi[SAMPLE];
    struct system b = make(2500);
    b.m[0] = 1e12;
    evaluate(row, &b, SOFTENING);
    for (uint64_t k = 0; k < SAMPLE; k++)
        find_errors(&b, 10 * k + 9, SOFTENING, &error_a[k], &error_phi[k]);
    qsort(error_a, SAMPLE, sizeof *error_a, ascending);
    qsort(error_phi, SAMPLE, sizeof *error_phi, ascending);
    print_message("# %s %s: acceleration %.1e, at most %.1e; potential %.1e, at most %.1e\n", nb_simd_name(row->set),
                  nb_precision_name(row->precision), error_a[SAMPLE / 2], error_a[SAMPLE - 1], error_phi[SAMPLE / 2],
                  error_phi[SAMPLE - 1]);
    const double scale = row->precision >= NB_DOUBLE ? 1e-8 : 1;
    assert_true(error_a[SAMPLE / 2] < 3e-7 * scale && error_a[SAMPLE - 1] < 1.1e-6 * scale);
    assert_true(error_phi[SAMPLE / 2] < 2e-7 * scale && error_phi[SAMPLE - 1] < 4e-7 * scale);
    discard(&b);
}

/* What bodies without mass feel, and that they do nothing. */
static void bodies_without_mass(void **state)
{
    struct system b = make(2500);
    for (uint64_t i = 0; i < b.n; i += 2)
        b.m[i] = 0;
    evaluate(*state, &b, SOFTENING);
    check(*state, &b, SOFTENING);
    discard(&b);
}

/* Blocks of bodies with one mass, as the components of a galaxy have them, beside blocks of different masses. */
static void components_of_equal_masses(void **state)
{
    struct system b = make(3000);
    for (uint64_t i = 0; i < 2500; i++)
        b.m[i] = i < 700 ? 0.25 : i < 1500 ? 3 : i < 2000 ? 0 : 1e-3f;
    evaluate(*state, &b, SOFTENING);
    check(*state, &b, SOFTENING);
    discard(&b);
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    {"all sizes match plain sums", all_sizes_match_plain_sums},
    {"threads do not matter", threads_do_not_matter},
    {"units do not matter", units_do_not_matter},
    {"one body at 1e18", one_body_at_1e18},
    {"bodies at one place", bodies_at_one_place},
    {"squares beyond single", squares_beyond_single},
    {"one heavy body", one_heavy_body},
    {"bodies without mass", bodies_without_mass},
    {"components of equal masses", components_of_equal_masses},
};
#define CASES (sizeof cases / sizeof *cases)

int main(void)
{
    static struct row rows[NB_SIMD_SETS * NB_PRECISIONS];
    static struct CMUnitTest tests[NB_SIMD_SETS * NB_PRECISIONS * CASES];
    size_t row_count = 0, count = 0;
    for (int set = 0; set < NB_SIMD_SETS; set++)
        for (int p = 0; p <= NB_DOUBLE && nb_simd_here((enum nb_simd)set); p++) {
            struct row *row = &rows[row_count++];
            *row = (struct row){(enum nb_simd)set, (enum nb_precision)p};
            for (size_t c = 0; c < CASES; c++) {
                char *name;
                if (asprintf(&name, "%s %s: %s", nb_simd_name((enum nb_simd)set), nb_precision_name(row->precision),
                             cases[c].name) < 0)
                    abort();
                tests[count++] = (struct CMUnitTest){name, cases[c].function, NULL, NULL, row};
            }
        }
    return _cmocka_run_group_tests("direct mutual", tests, count, NULL, NULL);
}
