/* The measures compared with exact results: sums over many bodies and few-body systems. */
#include "measured_bodies.h"

static void small_terms_survive_the_blocks(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make(&b, 1000001);
    for (uint64_t i = 0; i < b.n; i++) {
        mass(&b)[i] = i ? 1e-16 : 1;
        vel(&b)[3 * i + 1] = 1;
    }
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(m.mass == 1.0000000001);
    assert_true(m.momentum[1] == 1.0000000001 && m.momentum[0] == 0);
    assert_true(m.kinetic == 0.5 * 1.0000000001);
    assert_true(m.com_velocity[1] == 1);
    nb_bodies_free(&b);
}

static void pythagorean(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 3, (const double[][7]){{3, 1, 3, 0, 0, 0, 0}, {4, -2, -1, 0, 0, 0, 0}, {5, 1, -1, 0, 0, 0, 0}});
    assert_close(measure_directly(&b, &m), -769. / 60, 4e-15);
    assert_true(m.n == 3 && m.mass == 12 && m.kinetic == 0 && m.momentum_scale == 0);
    for (int k = 0; k < 3; k++)
        assert_true(m.momentum[k] == 0 && m.angular_momentum[k] == 0 && m.com[k] == 0 && m.com_velocity[k] == 0);
    /* The density centre with weights m^2 / r^3, r to the nearest other: 4, 3 and 3. Then 5 of 12 are within 1.12, and
     * with the body of mass 4 three quarters. */
    const double w = 9. / 64 + 16. / 27 + 25. / 27, x = (9. / 64 - 2 * 16. / 27 + 25. / 27) / w,
                 y = (3 * 9. / 64 - 16. / 27 - 25. / 27) / w;
    assert_close(m.half_mass_radius, hypot(-2 - x, -1 - y), 1e-15);
}

static void figure_eight(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 3,
              (const double[][7]){{1, 0.97000435669734, -0.24308753153583, 0, 0.46620368557826, 0.43236572995580, 0},
                                  {1, -0.97000435669734, 0.24308753153583, 0, 0.46620368557826, 0.43236572995580, 0},
                                  {1, 0, 0, 0, -0.93240737115652, -0.86473145991160, 0}});
    assert_close(measure_directly(&b, &m), -1.287141997339, 1e-12);
    assert_true(m.angular_momentum[2] == 0 && m.momentum[0] == 0 && m.momentum[1] == 0);
    assert_close(m.momentum_scale, 4 * hypot(0.46620368557826, 0.43236572995580), 1e-15);
}

static void kepler(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    const double v = 1.7320508075688772 / 2;
    make_rows(&b, 2, (const double[][7]){{.5, .25, 0, 0, 0, v, 0}, {.5, -.25, 0, 0, 0, -v, 0}});
    assert_close(measure_directly(&b, &m), -0.125, 1e-16);
    assert_close(m.angular_momentum[2], 0.2165063509461097, 1e-16);
    assert_close(m.angular_momentum_scale, 0.2165063509461097, 1e-16);
    assert_close(m.momentum_scale, v, 1e-16);
}

static void outer_solar_system(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 6,
              (const double[][7]){
                  {1.00000597682, 0, 0, 0, 0, 0, 0},
                  {0.000954786104043, -3.5023653, -3.8169847, -1.5507963, 0.00565429, -0.00412490, -0.00190589},
                  {0.000285583733151, 9.0755314, -3.0458353, -1.6483708, 0.00168318, 0.00483525, 0.00192462},
                  {0.0000437273164546, 8.3101420, -16.2901086, -7.2521278, 0.00354178, 0.00137102, 0.00055029},
                  {0.0000517759138449, 11.4707666, -25.7294829, -10.8169456, 0.00288930, 0.00114527, 0.00039677},
                  {0.00000000769230769230769230769230769, -15.5387357, -25.2225594, -3.1902382, 0.00276725, -0.00170702,
                   -0.00136504}});
    b.meta.G = 2.95912208286e-4;
    assert_close(measure_directly(&b, &m) / -3.215453183208164e-8, 1, 2e-15);
    assert_close(m.angular_momentum[2] / 5.594749022905049e-5, 1, 1e-15);
}

static void softening_enters_the_potential(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 2, (const double[][7]){{2, 0, 0, 0, 0, 0, 0}, {3, 0, 3, 0, 0, 0, 0}});
    b.meta.G = 10;
    b.meta.softening = 4;
    assert_close(measure_directly(&b, &m), -10 * 2 * 3 / 5., 1e-15);
}

static void error_of_the_energy(void **state)
{
    (void)state;
    const struct nb_energies bound = {1, -3, 0, 0}, loose = {4, -4, 0, 0}, lifted = {1, -3, 2.5, 0},
                             nothing = {0, 0, 0, 0}, moves = {8, -7, 0, 0}, moving = {1 + 400, -3, 0, 400},
                             held = {1, -3, -100, 0}, off = {2 + 500, -3, 0, 500};
    const struct nb_energies lost = {1, (nb_quad)NAN, 0, 0}, tiny = {1 + NB_Q(1e-24), -3, 0, 0};
    assert_true(nb_measure_energy(&bound) == -2 && nb_measure_energy_error(&bound, &bound) == 0);
    assert_true(nb_measure_energy_error(&loose, &bound) == 2. / 2);     /* of |E| */
    assert_true(nb_measure_energy_error(&bound, &loose) == -2. / 0.08); /* E = 0: of 0.01 (K + |W|) */
    assert_true(nb_measure_energy_error(&bound, &lifted) == -2.5 / 0.5);
    assert_true(nb_measure_energy_error(&bound, &held) == 100. / 102); /* W and X have one sign */
    assert_true(nb_measure_energy_error(&off, &moving) == 1. / 2); /* the drift, and its change, have no part in it */
    assert_true(nb_measure_energy_error(&moves, &nothing) == 1);
    assert_true(nb_measure_energy_error(&nothing, &nothing) == 0);
    assert_true(isnan(nb_measure_energy_error(&lost, &bound)) && isnan(nb_measure_energy_error(&bound, &lost)));
    assert_close(nb_measure_energy_error(&tiny, &bound), 1e-24 / 2, 1e-33);
    assert_string_equal(nb_measure_energy_divisor(&bound), "");
    assert_string_equal(nb_measure_energy_divisor(&moving), "");
    assert_string_equal(nb_measure_energy_divisor(&loose), " of 0.01 (K0 + |W0 + X0|)");
    assert_string_equal(nb_measure_energy_divisor(&nothing), " of max(|E|, 0.01 (K + |W + X|))");
}

/* Around |E0| = 0.01 (K0 + |W0 + X0|) the divisor and its name change together, and the error does not jump. */
static void divisor_of_the_energy_error(void **state)
{
    (void)state;
    const double share = 0.01, K = 1, edge = K * (1 + share) / (1 - share); /* W - K = 0.01 (W + K) */
    for (int k = -1; k <= 1; k += 2) {
        const struct nb_energies first = {K, -edge * (1 + k * 1e-9), 0, 0}, now = {K + 1e-3, first.potential, 0, 0};
        assert_close(nb_measure_energy_error(&now, &first), 1e-3 / (edge - K), 1e-7);
        assert_int_equal(*nb_measure_energy_divisor(&first) == '\0', k > 0);
    }
}

/* 1 and 1e-20 in two columns, whose energies a double cannot tell from those of 1. */
static void low_parts_are_seen(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_energies e;
    double low[3] = {0, 1e-20, 0}, phi = -2, phi_low = 1e-21, external = 3;
    const struct nb_column vel_low = {.type = NB_F64, .width = 3, .data = low};
    make_rows(&b, 1, (const double[][7]){{2, 0, 0, 0, 0, 1, 0}});
    const struct nb_energy_terms terms = {.n = 1,
                                          .mass = &b.columns[0],
                                          .vel = &b.columns[2],
                                          .vel_low = &vel_low,
                                          .phi = &phi,
                                          .phi_low = &phi_low,
                                          .external = &external};
    assert_int_equal(nb_measure_energies(&terms, &e), 0);
    assert_close((double)(e.kinetic - 1), 2e-20, 1e-33);
    assert_close((double)(e.potential + 2), 1e-21, 1e-33);
    assert_true(e.external == 6);
    nb_bodies_free(&b);
}

/* Of two bodies that fly together one turns round at a wall: the motion of their centre comes and goes, and only
 * between walls, by the header's line, is it the system's own. */
static void walls_hold_the_centre(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m[2];
    for (int held = 0; held < 2; held++)
        for (int k = 0; k < 2; k++) {
            make_rows(&b, 2, (const double[][7]){{1, 0, 0, 0, 3, 0, 0}, {1, 1, 0, 0, k == 0 ? 3 : -3, 2, 0}});
            b.meta.G = 0;
            if (held)
                assert_int_equal(nb_meta_add_extra(&b.meta, "contact 1 0 0.1"), 0);
            measure_directly(&b, &m[k]);
            assert_true(m[k].energies.drift == (held ? 0 : k == 0 ? 10 : 1));
            if (k == 1)
                assert_true(nb_measure_energy_error(&m[1].energies, &m[0].energies) == (held ? 0 : 9)); /* of 1 */
        }
}

static void one_body_and_none_with_mass(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    make_rows(&b, 1, (const double[][7]){{7, 1, 2, 3, 4, 5, 6}});
    assert_true(measure_directly(&b, &m) == 0.5 * 7 * 77);
    assert_true(m.potential == 0 && m.half_mass_radius == 0 && m.com[2] == 3 && m.com_velocity[0] == 4);
    /* 7 (1 2 3) cross (4 5 6) */
    assert_true(m.angular_momentum[0] == -21 && m.angular_momentum[1] == 42 && m.angular_momentum[2] == -21);
    make_rows(&b, 2, (const double[][7]){{0, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0, 0}});
    measure_directly(&b, &m);
    assert_true(m.mass == 0 && m.kinetic == 0 && isnan(m.com[0]) && isnan(m.half_mass_radius));
}

static void no_potential_and_none_that_is_finite(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_measures m;
    double phi[3];
    make_rows(&b, 3, (const double[][7]){{1, 0, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0, 0}});
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_DENSITY, &m), 0);
    assert_true(isnan(m.potential) && m.mass == 3);
    for (int tree = 0; tree < 2; tree++) {
        assert_int_equal(find_potential(&b, tree ? "tree" : "direct", phi), -1);
        assert_non_null(strstr(nb_error(), "body 1"));
    }
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_terms_survive_the_blocks),
        cmocka_unit_test(pythagorean),
        cmocka_unit_test(figure_eight),
        cmocka_unit_test(kepler),
        cmocka_unit_test(outer_solar_system),
        cmocka_unit_test(softening_enters_the_potential),
        cmocka_unit_test(error_of_the_energy),
        cmocka_unit_test(divisor_of_the_energy_error),
        cmocka_unit_test(low_parts_are_seen),
        cmocka_unit_test(walls_hold_the_centre),
        cmocka_unit_test(one_body_and_none_with_mass),
        cmocka_unit_test(no_potential_and_none_that_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
