/* The half-mass radius: computed by hand, compared with a sort, and for a Plummer sphere made of its quantiles. */
#include "common/uniform.h"
#include "measure/measure.h"
#include "measure/measure_structure.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < 3; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

static double *mass(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static double *pos(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", a, tolerance, b);
}

static void half_mass_by_hand(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    /* centre at 0: masses 1 1 at 1, 3 3 at 2, 2 2 at 10; the half, 6, is reached within the shell at 2 */
    make(&b, 6);
    memcpy(mass(&b), (const double[6]){2, 1, 3, 3, 2, 1}, 48);
    memcpy(pos(&b), (const double[6][3]){{0, 10, 0}, {1, 0, 0}, {0, 0, -2}, {0, 0, 2}, {0, -10, 0}, {-1, 0, 0}}, 144);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.half_mass_radius == 2);
    mass(&b)[0] = mass(&b)[4] = 4.0001; /* 8 of 16.0002 are within 2 */
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.half_mass_radius == 10);
    mass(&b)[0] = mass(&b)[4] = 4; /* 8 of 16: reached */
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.half_mass_radius == 2);
    for (int i = 0; i < 6; i++)
        pos(&b)[3 * i + 1] += 1024; /* moves with the centre */
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.half_mass_radius == 2 && m.com[1] == 1024);
    nb_bodies_free(&b);
}

static int by_distance(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distances over 300 decades and many equal ones, against a sort. The pairs at +x and -x keep the centre at 0. */
static void check_against_a_sort(int pairs)
{
    double(*order)[2] = malloc((size_t)pairs * sizeof *order);
    struct nb_bodies b;
    struct nb_measures m;
    uint64_t seed = 1;
    make(&b, (uint64_t)2 * pairs);
    for (int i = 0; i < pairs; i++) {
        double r = i % 3 ? pow(10, 300 * uniform01(&seed) - 150) : ldexp(1, i % 7), w = 1 + (int)(9 * uniform01(&seed));
        order[i][0] = r, order[i][1] = w;
        for (int side = 0; side < 2; side++) {
            pos(&b)[3 * (2 * i + side) + i % 3] = side ? r : -r;
            mass(&b)[2 * i + side] = w;
        }
    }
    qsort(order, (size_t)pairs, sizeof *order, by_distance);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    double within = 0;
    int k = 0;
    while ((within += 2 * order[k][1]) < 0.5 * m.mass)
        k++;
    assert_true(m.com[0] == 0 && m.half_mass_radius == order[k][0]);
    nb_bodies_free(&b);
    free(order);
}

/* 10000 bodies are one part for one thread, 240002 are three parts of different sizes. */
static void half_mass_against_a_sort(void **state)
{
    (void)state;
    check_against_a_sort(5000);
    check_against_a_sort(120001);
}

/* Any number of threads finds the same bits, in frames of one part and of several. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    const double shares[] = {0.1, 0.5, 0.51, 0.9};
    const struct nb_pose pose = {.centre = {0.1, 0, 0}};
    const int most = omp_get_max_threads();
    for (uint64_t n = 1000; n <= 300000; n += 299000) {
        struct nb_bodies b;
        double radii[3][4];
        uint64_t seed = n;
        make(&b, n);
        for (uint64_t i = 0; i < n; i++) {
            mass(&b)[i] = uniform01(&seed);
            for (int k = 0; k < 3; k++)
                pos(&b)[3 * i + (uint64_t)k] = uniform01(&seed) - 0.5;
        }
        for (int threads = 1; threads <= 3; threads++) {
            omp_set_num_threads(threads);
            assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, 4, radii[threads - 1]), 0);
            assert_memory_equal(radii[threads - 1], radii[0], sizeof radii[0]);
        }
        assert_true(radii[0][0] > 0 && radii[0][0] < radii[0][1] && radii[0][1] < radii[0][2] &&
                    radii[0][2] < radii[0][3]);
        nb_bodies_free(&b);
    }
    omp_set_num_threads(most);
}

/* r(q) = a / sqrt(q^(-2/3) - 1) holds the share q of the mass; with the exact potential as phi. Half of the mass is
 * reached by the pair that is the last below the half. */
static void plummer_quantiles(void **state)
{
    (void)state;
    enum { N = 40000 };
    const double a = 3 * M_PI / 16;
    double *phi = malloc(N * sizeof *phi), sum = 0;
    struct nb_bodies b;
    struct nb_measures m;
    make(&b, N);
    for (int i = 0; i < N; i++) {
        double r = a / sqrt(pow((i / 2 + 0.5) / (N / 2), -2. / 3) - 1);
        mass(&b)[i] = 1. / N;
        pos(&b)[3 * i + i / 2 % 3] = i % 2 ? r : -r;
        phi[i] = -1 / sqrt(r * r + a * a);
        sum += phi[i] / N;
    }
    assert_int_equal(nb_measure(&b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &m), 0);
    assert_close(m.mass, 1, 1e-14);
    assert_close(m.potential, sum / 2, 1e-13);
    assert_close(m.potential, -0.5, 1e-5); /* as the integral */
    assert_close(m.half_mass_radius, a / sqrt(pow((N / 4 - 0.5) / (N / 2), -2. / 3) - 1), 1e-9);
    free(phi);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_mass_by_hand),
        cmocka_unit_test(half_mass_against_a_sort),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(plummer_quantiles),
    };
    return cmocka_run_group_tests_name("half mass", tests, NULL, NULL);
}
