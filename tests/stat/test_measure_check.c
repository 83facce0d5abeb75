/* nb_measure_check with potentials that have known errors. */
#include "common/devices.h"
#include "common/uniform.h"
#include "measure/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 4000 };

/* A cube of bodies around a heavy one, number 1234, which has a third of sum m phi; their potentials, in double. */
static void make(struct nb_bodies *b, uint64_t n, double *phi)
{
    uint64_t seed = 1;
    nb_bodies_init(b);
    b->n = n;
    for (int k = 0; k < 3; k++)
        assert_int_equal(nb_bodies_add_known(b, (const char *[]){"mass", "pos", "vel"}[k], NB_F64), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
    for (uint64_t i = 0; i < n; i++) {
        m[i] = i == 1234 ? 1 : 1. / N;
        for (uint64_t k = 3 * i; k < 3 * i + 3; k++)
            x[k] = i == 1234 ? 0 : 2 * uniform01(&seed) - 1;
    }
    b->meta.softening = 0.01;
    for (uint64_t i = 0; i < n; i++) {
        phi[i] = 0;
        for (uint64_t j = 0; j < n; j++) {
            const double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1], dz = x[3 * j + 2] - x[3 * i + 2];
            phi[i] -= i == j ? 0 : m[j] / sqrt(dx * dx + dy * dy + dz * dz + 1e-4);
        }
    }
}

static double check(const struct nb_bodies *b, const double *phi)
{
    struct nb_force_set direct = open_force(device_of("cpu"), NB_DOUBLE, NB_WANT_PHI, "direct", NAN);
    double error = -1;
    assert_int_equal(nb_measure_check(b, &direct, phi, &error), 0);
    nb_force_set_close(&direct);
    return error;
}

static void assert_between(double x, double low, double high)
{
    if (!(x >= low && x <= high))
        fail_msg("%g is not in %g .. %g", x, low, high);
}

static void errors_are_told(void **state)
{
    (void)state;
    static double exact[N], phi[N];
    struct nb_bodies b;
    uint64_t seed = 2;
    make(&b, N, exact);
    assert_between(check(&b, exact), 0, 1e-14);
    for (int sign = -1; sign <= 1; sign += 2) { /* the same everywhere */
        for (int i = 0; i < N; i++)
            phi[i] = exact[i] / (1 + sign * 3e-4);
        assert_between(check(&b, phi), 2.9999e-4, 3.0001e-4);
    }
    for (int i = 0; i < N;
         i++) /* both ways, but for the heavy one: the mean is 0, which 1024 draws tell to 1e-3 / 32 */
        phi[i] = exact[i] * (1 + (i == 1234 ? 0 : uniform01(&seed) < 0.5 ? 1e-3 : -1e-3));
    assert_between(check(&b, phi), 3e-5, 1.5e-4);
    memcpy(phi, exact, sizeof phi); /* of one body among many, if it counts */
    phi[1234] *= 1.01;
    assert_between(check(&b, phi), 2e-3, 6e-3);
    nb_bodies_free(&b);
}

static void nothing_to_be_wrong(void **state)
{
    (void)state;
    struct nb_bodies b;
    double phi[3];
    make(&b, 1, phi);
    assert_true(check(&b, phi) == 0);
    nb_bodies_free(&b);
    make(&b, 3, phi);
    memset(b.columns[0].data, 0, 24);
    memset(phi, 0, sizeof phi);
    assert_true(check(&b, phi) == 0);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_told), cmocka_unit_test(nothing_to_be_wrong)};
    return cmocka_run_group_tests_name("measure check", tests, NULL, NULL);
}
