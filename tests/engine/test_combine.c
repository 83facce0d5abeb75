/* Operations that pass once over vectors, on every device in every precision. Linear combinations: compared with sums
 * in quad, and bitwise with single operations; Kahan compensation, norms. The low parts of a state in quad. */
#include "common/devices.h"
#include "device/device_kind.h"
#include "device/quad.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = 5, ROWS = 4 };

/* An element of the precision's type. */
static nb_quad get(enum nb_precision precision, const void *data, uint64_t i)
{
    if (precision == NB_SINGLE)
        return ((const float *)data)[i];
    return precision == NB_QUAD ? ((const nb_quad *)data)[i] : ((const double *)data)[i];
}

static void set(enum nb_precision precision, void *data, uint64_t i, nb_quad value)
{
    if (precision == NB_SINGLE)
        ((float *)data)[i] = (float)value;
    else if (precision == NB_QUAD)
        ((nb_quad *)data)[i] = value;
    else
        ((double *)data)[i] = (double)value;
}

static nb_quad rounded(enum nb_precision precision, nb_quad x)
{
    return precision == NB_SINGLE ? (float)x : precision == NB_QUAD ? x : (double)x;
}

static bool offered(const struct nb_device *device, enum nb_precision precision)
{
    return precision != NB_QUAD || device->kind->quad;
}

/* Input k at element i, of either sign and several sizes; exact in every precision. */
static double input(int k, uint64_t i)
{
    return ldexp((double)((i * 37 + (uint64_t)k * 101) % 199) - 99, k - 6);
}

/* Rows whose factors are nb_quad, in the precision's scalar type. */
static int combine(struct nb_device *device, enum nb_precision precision, uint64_t count, int inputs,
                   const void *const *in, int rows, const struct nb_combination *row, double *norm)
{
    struct nb_combination scalar[ROWS];
    double c[ROWS][INPUTS];
    for (int r = 0; r < rows; r++) {
        scalar[r] = row[r];
        for (int k = 0; k < inputs; k++)
            c[r][k] = (double)((const nb_quad *)row[r].c)[k];
        if (precision != NB_QUAD)
            scalar[r].c = c[r];
    }
    return nb_device_combine(device, precision, count, inputs, in, rows, scalar, norm);
}

struct vectors {
    void *host;
    void *d[INPUTS + ROWS];
};

static void make(struct nb_device *device, enum nb_precision precision, uint64_t count, struct vectors *w)
{
    const size_t size = count * nb_precision_size(precision);
    w->host = malloc(size);
    for (int k = 0; k < INPUTS + ROWS; k++) {
        assert_non_null(w->d[k] = nb_device_alloc(device, size));
        for (uint64_t i = 0; i < count && k < INPUTS; i++)
            set(precision, w->host, i, input(k, i));
        if (k < INPUTS)
            assert_int_equal(nb_device_to(device, w->d[k], w->host, size), 0);
    }
}

static void unmake(struct nb_device *device, struct vectors *w)
{
    for (int k = 0; k < INPUTS + ROWS; k++)
        nb_device_free(device, w->d[k]);
    free(w->host);
}

static const nb_quad factors[ROWS][INPUTS] = {
    {1 / NB_Q(3.0), 0, -2, NB_Q(1e-3), 7}, {0, 0, 0, 0, 0}, {-1, 1 / NB_Q(7.0), 0, 0, 0}, {0, 0, 1, -1, 0}};

/* One operation after the other, each rounded: the last input first, the base last. */
static nb_quad truth(enum nb_precision precision, int r, uint64_t i, nb_quad base)
{
    nb_quad sum = 0;
    for (int k = INPUTS - 1; k >= 0; k--)
        if (factors[r][k] != 0)
            sum = rounded(precision,
                          sum + rounded(precision, rounded(precision, precision == NB_QUAD ? factors[r][k]
                                                                                           : (double)factors[r][k]) *
                                                       (nb_quad)input(k, i)));
    return rounded(precision, base + sum);
}

static void rows_are_sums(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 192, 1000, 70001};
    for (int p = 0; p < NB_PRECISIONS; p++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes && offered(device, (enum nb_precision)p); z++) {
            const enum nb_precision precision = (enum nb_precision)p;
            const uint64_t count = sizes[z];
            const size_t size = count * nb_precision_size(precision);
            struct vectors w;
            double norm[ROWS], largest[ROWS] = {0};
            make(device, precision, count, &w);
            /* Row 0 goes over its own base, row 1 copies the base before that, row 3 is wanted for its norm alone. */
            const struct nb_combination rows[ROWS] = {{.c = factors[0], .base = w.d[1], .out = w.d[1]},
                                                      {.c = factors[1], .base = w.d[1], .out = w.d[INPUTS + 1]},
                                                      {.c = factors[2], .out = w.d[INPUTS + 2]},
                                                      {.c = factors[3], .base = w.d[4]}};
            assert_int_equal(combine(device, precision, count, INPUTS, (const void *const *)w.d, ROWS, rows, norm), 0);
            for (int r = 0; r < ROWS; r++) {
                if (rows[r].out)
                    assert_int_equal(nb_device_from(device, w.host, rows[r].out, size), 0);
                for (uint64_t i = 0; i < count; i++) {
                    nb_quad want = truth(precision, r, i, r == 2 ? 0 : input(r == 3 ? 4 : 1, i));
                    largest[r] = fmax(largest[r], (double)nb_quad_abs(want));
                    if (rows[r].out && get(precision, w.host, i) != want)
                        fail_msg("row %d element %d", r, (int)i);
                }
                assert_true(norm[r] == largest[r]);
            }
            unmake(device, &w);
        }
}

/* A thousand additions of a third of the base's last bit: lost without Kahan compensation, not lost with it. */
static void carries_keep_what_is_rounded(void **state)
{
    struct nb_device *device = *state;
    for (int p = 0; p < NB_PRECISIONS && offered(device, (enum nb_precision)p); p++) {
        const enum nb_precision precision = (enum nb_precision)p;
        const nb_quad bit = precision == NB_SINGLE ? NB_Q(0x1p-24)
                            : precision == NB_QUAD ? NB_Q(0x1p-113)
                                                   : NB_Q(0x1p-53),
                      one = 1;
        const uint64_t count = 300;
        struct vectors w;
        make(device, precision, count, &w);
        for (uint64_t i = 0; i < count; i++)
            set(precision, w.host, i, 1);
        for (int k = 0; k < 2; k++)
            assert_int_equal(nb_device_to(device, w.d[k], w.host, count * nb_precision_size(precision)), 0);
        const nb_quad third = bit / 3;
        const void *const in[] = {w.d[INPUTS + 1]}; /* all ones, once it is made */
        const struct nb_combination copy = {.c = &one, .out = w.d[INPUTS + 1]};
        const void *const ones[] = {w.d[0]};
        assert_int_equal(combine(device, precision, count, 1, ones, 1, &copy, NULL), 0);
        for (int k = 0; k < 1000; k++) {
            const struct nb_combination rows[] = {{.c = &third, .base = w.d[0], .out = w.d[0]},
                                                  {.c = &third,
                                                   .base = w.d[1],
                                                   .compensation = w.d[INPUTS],
                                                   .out = w.d[1],
                                                   .compensation_out = w.d[INPUTS]}};
            assert_int_equal(combine(device, precision, count, 1, in, 2, rows, NULL), 0);
        }
        assert_int_equal(nb_device_from(device, w.host, w.d[0], count * nb_precision_size(precision)), 0);
        assert_true(get(precision, w.host, 7) == 1);
        assert_int_equal(nb_device_from(device, w.host, w.d[1], count * nb_precision_size(precision)), 0);
        const nb_quad kept = (get(precision, w.host, count - 1) - 1) / bit;
        assert_true(kept > 332 && kept < 335);
        unmake(device, &w);
    }
}

static void norms_see_what_is_not_finite(void **state)
{
    struct nb_device *device = *state;
    static const nb_quad one = 1;
    const uint64_t count = 5000;
    for (int which = 0; which < 2; which++) {
        struct vectors w;
        double norm;
        make(device, NB_DOUBLE, count, &w);
        for (uint64_t i = 0; i < count; i++)
            set(NB_DOUBLE, w.host, i, i == 1234 ? (which ? (double)NAN : -(double)INFINITY) : 1);
        assert_int_equal(nb_device_to(device, w.d[0], w.host, count * sizeof(double)), 0);
        assert_int_equal(combine(device, NB_DOUBLE, count, 1, (const void *const *)w.d, 1,
                                 &(struct nb_combination){.c = &one}, &norm),
                         0);
        assert_true(norm == (double)INFINITY);
        unmake(device, &w);
    }
}

/* A third in a state of quad: pos + pos_lo holds it to 2^-107, and a state made of both is that sum. */
static void quad_state_in_two_columns(void **state)
{
    struct nb_device *device = *state;
    static const char *const names[] = {"pos", "vel", "pos_lo", "vel_lo"};
    struct nb_bodies b;
    nb_bodies_init(&b);
    b.n = 5;
    assert_int_equal(nb_bodies_add(&b, "mass", NB_F64, 1, "M"), 0);
    for (int k = 0; k < 4; k++)
        assert_int_equal(nb_bodies_add(&b, names[k], NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (uint64_t i = 0; i < 15; i++) {
        ((double *)b.columns[0].data)[i / 3] = 1;
        for (uint64_t k = 0; k < 2; k++) {
            const nb_quad value = (nb_quad)(i + 1 + 20 * k) / 3;
            ((double *)b.columns[1 + k].data)[i] = (double)value;
            ((double *)b.columns[3 + k].data)[i] = (double)(value - (double)value);
        }
    }
    struct nb_state *s = nb_state_create(device, NB_QUAD, &b);
    assert_non_null(s);
    const size_t size_bytes = 3 * s->stride * sizeof(nb_quad);
    nb_quad *places = malloc(size_bytes), *speeds = malloc(size_bytes);
    assert_int_equal(nb_device_from(device, places, s->x, size_bytes), 0);
    assert_int_equal(nb_device_from(device, speeds, s->v, size_bytes), 0);
    for (uint64_t i = 0; i < 15; i++) {
        const nb_quad x = places[i % 3 * s->stride + i / 3], v = speeds[i % 3 * s->stride + i / 3];
        assert_true(nb_quad_abs(x - (nb_quad)(i + 1) / 3) < NB_Q(1e-31) &&
                    nb_quad_abs(v - (nb_quad)(i + 21) / 3) < NB_Q(1e-30));
        assert_true(x != ((double *)b.columns[1].data)[i] || (i + 1) % 3 == 0);
    }
    struct nb_column hi = {.type = NB_F64, .width = 3, .data = malloc(15 * sizeof(double))}, lo = hi;
    lo.data = malloc(15 * sizeof(double));
    assert_int_equal(nb_state_fetch(s, s->x, &hi), 0);
    assert_int_equal(nb_state_fetch_low(s, s->x, &hi, &lo), 0);
    assert_memory_equal(hi.data, b.columns[1].data, 15 * sizeof(double));
    assert_memory_equal(lo.data, b.columns[3].data, 15 * sizeof(double));
    free(hi.data);
    free(lo.data);
    free(places);
    free(speeds);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

static void reciprocal_root(void **state)
{
    (void)state;
    for (int k = -900; k <= 900; k += 7) {
        const nb_quad x = (nb_quad)ldexp(1 + k * k % 97 / 97.0, k) + (nb_quad)ldexp(1, k - 80), y = nb_quad_rsqrt(x);
        assert_true(nb_quad_abs(x * y * y - 1) < NB_Q(5e-34));
    }
    assert_true(nb_quad_rsqrt(0) == (nb_quad)INFINITY);
}

static void nothing(void **state)
{
    (void)state;
}

int main(void)
{
    static struct CMUnitTest tests[32] = {{"reciprocal root in quad", reciprocal_root, NULL, NULL, NULL}};
    static const struct CMUnitTest of_device[] = {
        {"rows are sums", rows_are_sums, NULL, NULL, NULL},
        {"carries keep what is rounded", carries_keep_what_is_rounded, NULL, NULL, NULL},
        {"norms see what is not finite", norms_see_what_is_not_finite, NULL, NULL, NULL},
        {"a quad state in two columns", quad_state_in_two_columns, NULL, NULL, NULL},
    };
    size_t count = 1;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        char *name;
        struct nb_device *device = device_of((*kind)->name);
        for (size_t k = 0; k < (device ? sizeof of_device / sizeof *of_device : 1); k++) {
            if (device && of_device[k].test_func == quad_state_in_two_columns && !offered(device, NB_QUAD))
                continue;
            if (asprintf(&name, device ? "%s: %s" : "%s # SKIP %s", (*kind)->name,
                         device ? of_device[k].name : nb_error()) < 0)
                return 1;
            tests[count] = device ? of_device[k] : (struct CMUnitTest){NULL, nothing, NULL, NULL, NULL};
            tests[count].name = name;
            tests[count++].initial_state = device;
        }
    }
    return _cmocka_run_group_tests("combine", tests, count, NULL, NULL);
}
