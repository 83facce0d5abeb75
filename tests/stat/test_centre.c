/* The density centre: compared with a sum over all pairs, for systems with a known centre, and for systems with
 * almost no centre. */
#include "common/made_bodies.h"
#include "measure/measure.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bodies of mass 1/n at 0. */
static void make(struct nb_bodies *b, uint64_t n)
{
    make_bodies(b, n, 1 / (double)n);
}

static double *mass(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static double *pos(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

/* Bodies [i0, i1) of a Plummer sphere of scale a about (x, 0, 0). */
static void add_plummer(const struct nb_bodies *b, uint64_t i0, uint64_t i1, double a, double x, uint64_t *seed)
{
    for (uint64_t i = i0; i < i1; i++) {
        const double r = a / sqrt(pow(uniform01(seed) * 0.99 + 1e-12, -2. / 3) - 1), z = 2 * uniform01(seed) - 1;
        const double azimuth = 2 * M_PI * uniform01(seed), s = sqrt(1 - z * z);
        pos(b)[3 * i] = x + r * s * cos(azimuth);
        pos(b)[3 * i + 1] = r * s * sin(azimuth);
        pos(b)[3 * i + 2] = r * z;
    }
}

/* Frees the bodies, and says where their centre is. */
static void find(struct nb_bodies *b, double centre[3])
{
    assert_int_equal(nb_measure_centre(b, centre), 0);
    nb_bodies_free(b);
}

static void assert_at(const double c[3], double x, double y, double z, double tolerance)
{
    if (!(fabs(c[0] - x) <= tolerance && fabs(c[1] - y) <= tolerance && fabs(c[2] - z) <= tolerance))
        fail_msg("(%.17g %.17g %.17g) is not within %g of (%.17g %.17g %.17g)", c[0], c[1], c[2], tolerance, x, y, z);
}

static int by_distance(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void by_all_pairs(const struct nb_bodies *b, int count, double centre[3])
{
    double(*other)[2] = malloc(b->n * sizeof *other), weight = 0;
    memset(centre, 0, 24);
    for (uint64_t i = 0; i < b->n; i++) {
        for (uint64_t j = 0; j < b->n; j++) {
            other[j][0] = other[j][1] = 0;
            for (int k = 0; k < 3; k++)
                other[j][0] += pow(pos(b)[3 * j + k] - pos(b)[3 * i + k], 2);
            other[j][1] = mass(b)[j];
        }
        qsort(other, b->n, sizeof *other, by_distance); /* the body itself first */
        double within = 0;
        for (int k = 0; k < count; k++)
            within += other[k][1];
        const double w = mass(b)[i] * within / pow(other[count][0], 1.5);
        weight += w;
        for (int k = 0; k < 3; k++)
            centre[k] += w * pos(b)[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= weight;
    free(other);
}

static void as_by_all_pairs(void **state)
{
    (void)state;
    static const struct {
        int n, count;
    } cases[] = {{2, 1}, {3, 1}, {4, 1}, {5, 2}, {8, 3}, {9, 4}, {13, 6}, {14, 6}, {100, 6}, {1777, 6}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct nb_bodies b;
        double want[3], got[3];
        uint64_t seed = c + 1;
        make(&b, (uint64_t)cases[c].n);
        add_plummer(&b, 0, b.n, 1, 5, &seed);
        for (uint64_t i = 0; i < b.n; i++)
            mass(&b)[i] = pow(10, 4 * uniform01(&seed));
        by_all_pairs(&b, cases[c].count, want);
        find(&b, got);
        assert_at(got, want[0], want[1], want[2], 1e-13);
    }
}

/* Weights are M^2 / a^3 each: the integral of rho^2. */
static void two_spheres(void **state)
{
    (void)state;
    enum { N = 40000 };
    struct nb_bodies b;
    double centre[3];
    uint64_t seed = 7;
    make(&b, N);
    add_plummer(&b, 0, N / 2, 0.1, 0, &seed);
    add_plummer(&b, N / 2, N, 1, 20, &seed);
    find(&b, centre);
    assert_at(centre, 20. / 1001, 0, 0, 0.01);
    make(&b, N);
    add_plummer(&b, 0, N / 2, 0.1, 0, &seed);
    add_plummer(&b, N / 2, N, 0.2, 20, &seed);
    find(&b, centre);
    assert_at(centre, 20. / 9, 0, 0, 0.15);
}

/* One light body far away: the centre of mass goes with it, this one stays, and so does the half-mass radius. */
static void an_outlier(void **state)
{
    (void)state;
    enum { N = 20001 };
    struct nb_bodies b;
    struct nb_measures m;
    double near[3], far[3], radius = 0;
    uint64_t seed = 3;
    make(&b, N);
    add_plummer(&b, 0, N, 1, 0, &seed);
    for (int k = 0; k < 2; k++) {
        pos(&b)[30] = k ? 1e5 : 3;
        assert_int_equal(nb_measure_centre(&b, k ? far : near), 0);
        assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
        assert_true(k == 0 || fabs(m.half_mass_radius / radius - 1) < 1e-3);
        radius = m.half_mass_radius;
    }
    assert_true(m.com[0] > 4);
    assert_at(far, near[0], near[1], near[2], 1e-5);
    assert_at(far, 0, 0, 0, 0.03);
    assert_true(fabs(radius / 1.3 - 1) < 0.02); /* 0.99 of a sphere whose half is within 1.3048 */
    nb_bodies_free(&b);
}

static void hardly_a_centre(void **state)
{
    (void)state;
    struct nb_bodies b;
    double c[3];
    make(&b, 1);
    memcpy(pos(&b), (double[]){3, -4, 5}, 24);
    find(&b, c);
    assert_at(c, 3, -4, 5, 0);
    make(&b, 2); /* of equal mass: between them */
    memcpy(pos(&b), (double[]){3, -4, 5, 5, 0, 5}, 48);
    find(&b, c);
    assert_at(c, 4, -2, 5, 1e-15);
    for (uint64_t n = 2; n < 3000; n = 3 * n + 1) { /* all at one place */
        make(&b, n);
        for (uint64_t i = 0; i < 3 * n; i++)
            pos(&b)[i] = 0.1;
        find(&b, c);
        assert_at(c, 0.1, 0.1, 0.1, 1e-16);
    }
    make(&b, 5000); /* half at one place, the others elsewhere */
    for (uint64_t i = 0; i < 5000; i++)
        pos(&b)[3 * i + 1] = i % 2 ? 7 : (double)i;
    find(&b, c);
    assert_at(c, 0, 7, 0, 1e-14);
}

static void bodies_without_mass(void **state)
{
    (void)state;
    struct nb_bodies b;
    double c[3];
    make(&b, 1000); /* a crowd of them does not make a centre, also at one place */
    for (uint64_t i = 0; i < 1000; i++) {
        mass(&b)[i] = i < 40;
        pos(&b)[3 * i] = i < 40 ? (double)i : i < 500 ? 1e-3 * (double)i - 9 : -50;
    }
    find(&b, c);
    assert_at(c, 19.5, 0, 0, 1e-12);
    make(&b, 40); /* masses at both ends of the range, a light crowd and a heavy one */
    for (int i = 0; i < 40; i++) {
        mass(&b)[i] = i < 20 ? 1e-300 : 1e300;
        pos(&b)[3 * i] = i < 20 ? 1e-6 * i : 5 + i;
    }
    find(&b, c);
    assert_at(c, 34.5, 0, 0, 1e-12);
    make(&b, 20);
    memset(mass(&b), 0, 160);
    find(&b, c);
    assert_true(isnan(c[0]) && isnan(c[1]) && isnan(c[2]));
}

/* A grid, lines and numbers at the ends of the range: no crash, no endless search. */
static void grids_and_extremes(void **state)
{
    (void)state;
    struct nb_bodies b;
    double c[3];
    make(&b, 27000);
    for (int i = 0; i < 27000; i++)
        memcpy(pos(&b) + 3 * i, (double[]){i % 30, i / 30 % 30, i / 900}, 24);
    find(&b, c);
    assert_at(c, 14.5, 14.5, 14.5, 1e-12);
    for (int power = -300; power <= 300; power += 100) {
        uint64_t seed = 5;
        double unit[3];
        for (int scaled = 0; scaled < 2; scaled++) {
            make(&b, 3000);
            add_plummer(&b, 0, 3000, 1, 2, &seed);
            seed = 5;
            for (int i = 0; i < 9000 && scaled; i++)
                pos(&b)[i] = ldexp(pos(&b)[i], 3 * power);
            for (int i = 0; i < 3000 && scaled; i++)
                mass(&b)[i] = ldexp(mass(&b)[i], -3 * power);
            find(&b, scaled ? c : unit);
        }
        assert_at(c, ldexp(unit[0], 3 * power), ldexp(unit[1], 3 * power), ldexp(unit[2], 3 * power), 0);
    }
    make(&b, 100); /* a cluster, and a body so far off that in its units the cluster has no size */
    for (int i = 0; i < 300; i++)
        pos(&b)[i] = i < 3 ? 1e300 : 1 + 1e-3 * i;
    find(&b, c);
    assert_at(c, 1.15, 1.15, 1.15, 0.15);
}

static void threads_and_order(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct nb_bodies b;
    double one[3], c[3];
    uint64_t seed = 11;
    const int usual = omp_get_max_threads();
    make(&b, N);
    add_plummer(&b, 0, N, 1, 0, &seed);
    for (int threads = 1; threads < 6; threads++) {
        omp_set_num_threads(threads);
        assert_int_equal(nb_measure_centre(&b, threads == 1 ? one : c), 0);
        assert_true(threads == 1 || memcmp(one, c, sizeof c) == 0);
    }
    omp_set_num_threads(usual);
    for (int i = 0; i < N / 2; i++)
        for (int k = 0; k < 3; k++) {
            const double t = pos(&b)[3 * i + k];
            pos(&b)[3 * i + k] = pos(&b)[3 * (N - 1 - i) + k];
            pos(&b)[3 * (N - 1 - i) + k] = t;
        }
    find(&b, c);
    assert_at(c, one[0], one[1], one[2], 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_all_pairs),     cmocka_unit_test(two_spheres),
        cmocka_unit_test(an_outlier),          cmocka_unit_test(hardly_a_centre),
        cmocka_unit_test(bodies_without_mass), cmocka_unit_test(grids_and_extremes),
        cmocka_unit_test(threads_and_order),
    };
    return cmocka_run_group_tests_name("density centre", tests, NULL, NULL);
}
