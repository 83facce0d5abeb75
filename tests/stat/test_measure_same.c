/* The measures do not depend on the order of the bodies, the threads or the types of columns; extreme values. */
#include "measured_bodies.h"

#include <omp.h>

static void make_cloud(struct nb_bodies *b, uint64_t n, double *phi)
{
    uint64_t seed = 3;
    make(b, n);
    for (uint64_t i = 0; i < n; i++) {
        mass(b)[i] = pow(10, 6 * uniform01(&seed) - 6);
        for (uint64_t k = 3 * i; k < 3 * i + 3; k++) {
            pos(b)[k] = 2 * uniform01(&seed) - 1;
            vel(b)[k] = 2 * uniform01(&seed) - 1;
        }
        phi[i] = -uniform01(&seed);
    }
}

static void swap(double *a, double *b, int width)
{
    for (int k = 0; k < width; k++) {
        double t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

/* Every measure's distance from that of other bodies, in units of what the terms add up to. */
static void assert_same(const struct nb_measures *a, const struct nb_measures *b)
{
    assert_close(a->mass / b->mass, 1, 1e-15);
    assert_close(a->kinetic / b->kinetic, 1, 1e-15);
    assert_close(a->potential / b->potential, 1, 1e-15);
    assert_close(a->half_mass_radius / b->half_mass_radius, 1, 1e-15);
    for (int k = 0; k < 3; k++) {
        assert_close(a->momentum[k], b->momentum[k], 1e-15 * b->momentum_scale);
        assert_close(a->angular_momentum[k], b->angular_momentum[k], 1e-15 * b->angular_momentum_scale);
        assert_close(a->com[k], b->com[k], 1e-15);
        assert_close(a->com_velocity[k], b->com_velocity[k], 1e-15);
    }
}

static void order_of_bodies(void **state)
{
    (void)state;
    enum { N = 50000 };
    static double phi[N];
    struct nb_bodies b;
    struct nb_measures there, mixed;
    uint64_t seed = 9;
    make_cloud(&b, N, phi);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &there), 0);
    for (size_t i = N - 1; i > 0; i--) {
        size_t j = (size_t)((double)(i + 1) * uniform01(&seed));
        swap(mass(&b) + i, mass(&b) + j, 1);
        swap(phi + i, phi + j, 1);
        swap(pos(&b) + 3 * i, pos(&b) + 3 * j, 3);
        swap(vel(&b) + 3 * i, vel(&b) + 3 * j, 3);
    }
    assert_int_equal(nb_measure(&b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &mixed), 0);
    assert_same(&mixed, &there);
    nb_bodies_free(&b);
}

static void number_of_threads(void **state)
{
    (void)state;
    enum { N = 20011 };
    static double phi[N];
    struct nb_bodies b;
    struct nb_measures one, many;
    int usual = omp_get_max_threads();
    make_cloud(&b, N, phi);
    memset(&one, 0, sizeof one);
    memset(&many, 0, sizeof many);
    omp_set_num_threads(1);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &one), 0);
    for (int threads = 2; threads <= 7; threads++) {
        omp_set_num_threads(threads);
        assert_int_equal(nb_measure(&b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &many), 0);
        assert_memory_equal(&one, &many, sizeof one);
    }
    omp_set_num_threads(usual);
    nb_bodies_free(&b);
}

static void single_precision_columns(void **state)
{
    (void)state;
    struct nb_bodies wide, narrow;
    struct nb_measures a, b;
    static double phi[3000];
    make_cloud(&wide, 3000, phi);
    make_typed(&narrow, 3000, NB_F32);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3000 * wide.columns[c].width; k++) {
            float value = (float)((double *)wide.columns[c].data)[k];
            ((float *)narrow.columns[c].data)[k] = value;
            ((double *)wide.columns[c].data)[k] = value;
        }
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    assert_int_equal(nb_measure(&wide, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &a), 0);
    assert_int_equal(nb_measure(&narrow, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, &b), 0);
    assert_memory_equal(&a, &b, sizeof a);
    nb_bodies_free(&wide);
    nb_bodies_free(&narrow);
}

/* Values at the ends of the range: no trap, no endless loop, and what cannot be said is not a number that looks good.
 */
static void extremes(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 3,
              (const double[][7]){{1e308, 1e308, 0, 0, 1e200, 0, 0},
                                  {1e308, -1e308, 0, 0, 0, 1e200, 0},
                                  {1e308, 0, 5e-324, 0, 0, 0, -1e308}});
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_false(isfinite(m.mass) || isfinite(m.kinetic) || isfinite(m.half_mass_radius));
    nb_bodies_free(&b);
    make_rows(&b, 2, (const double[][7]){{5e-324, 3e-320, 0, 0, 0, 0, 0}, {5e-324, -3e-320, 0, 0, 0, 0, 0}});
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.half_mass_radius > 2.9e-320 && m.half_mass_radius < 3.1e-320);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_bodies),
        cmocka_unit_test(number_of_threads),
        cmocka_unit_test(single_precision_columns),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
