/* Modes about an axis, and escapers: compared with plain sums in long double and formulas. */
#include "made_cloud.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- modes ---- */

static void modes_against_plain_sums(void **state)
{
    (void)state;
    enum { N = 7001 };
    struct nb_bodies b;
    struct nb_modes got;
    const struct nb_pose pose = tilted();
    for (int q = 0; q < 2; q++) {
        const double within = q ? 0.7 : INFINITY;
        long double re[NB_MODES] = {0}, im[NB_MODES] = {0}, all = 0;
        make_cloud(&b, N, 6);
        for (uint64_t i = 0; i < N; i++) {
            long double u[2] = {0};
            for (int e = 0; e < 2; e++)
                for (uint64_t k = 0; k < 3; k++)
                    u[e] += pose.axis[e][k] * ((long double)pos(&b)[3 * i + k] - pose.centre[k]);
            if (!(hypotl(u[0], u[1]) < within))
                continue;
            all += mass(&b)[i];
            for (int k = 0; k < NB_MODES; k++) {
                re[k] += mass(&b)[i] * cosl((k + 1) * atan2l(u[1], u[0]));
                im[k] += mass(&b)[i] * sinl((k + 1) * atan2l(u[1], u[0]));
            }
        }
        assert_int_equal(nb_measure_modes(&b, &pose, within, &got), 0);
        for (int k = 0; k < NB_MODES; k++) {
            assert_close(got.amplitude[k], (double)(hypotl(re[k], im[k]) / all), 1e-14);
            assert_close(got.phase[k], (double)(atan2l(im[k], re[k]) / (k + 1)), 1e-10);
            assert_true(got.amplitude[k] > 1e-3);
        }
        nb_bodies_free(&b);
    }
}

/* k bodies at the corners of a polygon: A_k = 1, the others 0, and the phase is that of the corner next to phi = 0. */
static void modes_of_polygons(void **state)
{
    (void)state;
    for (int corners = 1; corners <= NB_MODES; corners++) {
        struct nb_bodies b;
        struct nb_modes got;
        struct nb_pose pose = {0};
        nb_pose_turn(&pose, (const double[3]){0, 0, 1});
        make(&b, (uint64_t)corners + 1); /* and one on the axis, of the same mass */
        for (int i = 0; i < corners; i++) {
            const double phi = 0.3 + 2 * M_PI * i / corners;
            memcpy(pos(&b) + 3 * i, (double[]){cos(phi) * (i + 1), sin(phi) * (i + 1), i}, 24);
        }
        pos(&b)[3 * corners + 2] = 9;
        assert_int_equal(nb_measure_modes(&b, &pose, INFINITY, &got), 0);
        for (int k = 0; k < NB_MODES; k++)
            assert_close(got.amplitude[k], (k + 1) % corners == 0 ? corners / (corners + 1.) : 0, 1e-15);
        assert_close(got.phase[corners - 1], 0.3, 1e-15);
        nb_bodies_free(&b);
    }
    struct nb_bodies b;
    struct nb_modes got;
    struct nb_pose pose = {0};
    nb_pose_turn(&pose, (const double[3]){0, 0, 1});
    make(&b, 1);
    assert_int_equal(nb_measure_modes(&b, &pose, 1, &got), 0); /* on the axis */
    assert_true(got.amplitude[1] == 0 && got.phase[1] == 0);
    pos(&b)[0] = 2;
    assert_int_equal(nb_measure_modes(&b, &pose, 1, &got), 0); /* none within */
    assert_true(isnan(got.amplitude[1]) && isnan(got.phase[1]));
    nb_bodies_free(&b);
}

/* ---- escape ---- */

static void what_escapes(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_escaped got;
    double phi[4] = {-1, -1, -0.5, -0.5}, external[4] = {0, 0, -1, 1};
    const double u[3] = {10, 0, 0};
    make(&b, 4);
    for (int i = 0; i < 4; i++) {
        mass(&b)[i] = i + 1;
        vel(&b)[3 * i] = 10;
    }
    vel(&b)[4] = 1.4142135623730951; /* the least above sqrt(2): its square is above 2 */
    vel(&b)[7] = -1.5;
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, u, &got), 0);
    assert_true(got.mass == 0.5 && got.number == 0.5);
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.mass == 0.6 && got.number == 0.5);
    vel(&b)[4] = 1.414213562373095; /* and the last below */
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.mass == 0.4 && got.number == 0.25);
    phi[0] = 0; /* at rest at infinity: not beyond it */
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.number == 0.25);
    nb_bodies_free(&b);
}

/* The velocity of the centre of mass is that of the only body with mass, but for rounding: it is at rest there. */
static void a_lone_body_has_not_escaped(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int rounded = 0;
    for (int trial = 0; trial < 1000; trial++) {
        static const double origin[3] = {0};
        double phi[3] = {0, -1, 0}, u[3];
        const uint64_t n = 1 + (uint64_t)trial % 2 * 2;
        struct nb_bodies b;
        struct nb_escaped got;
        make_cloud(&b, n, seed += 5);
        memset(mass(&b), 0, 8 * n);
        mass(&b)[0] = pow(10, 20 * uniform01(&seed) - 10);
        if (n == 3) { /* one that is bound to it, and one that has passed */
            memcpy(vel(&b) + 3, vel(&b), 24);
            vel(&b)[6] = vel(&b)[0] * (1 + 1e-14);
        }
        assert_int_equal(nb_measure_velocity(&b, origin, INFINITY, u), 0);
        rounded += memcmp(u, vel(&b), 24) != 0;
        assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, u, &got), 0);
        assert_true(got.mass == 0 && got.number == (n == 3 ? 1 / 3. : 0));
        nb_bodies_free(&b);
    }
    assert_true(rounded > 100);
}

/* Without mass there is no frame to escape in. */
static void nothing_escapes_without_mass(void **state)
{
    (void)state;
    static const double origin[3] = {0};
    double phi[2] = {0}, u[3];
    struct nb_bodies b;
    struct nb_escaped got;
    make_bodies(&b, 2, 0);
    assert_int_equal(nb_measure_velocity(&b, origin, INFINITY, u), 0);
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, u, &got), 0);
    assert_true(isnan(got.mass) && isnan(got.number));
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_against_plain_sums),
        cmocka_unit_test(modes_of_polygons),
        cmocka_unit_test(what_escapes),
        cmocka_unit_test(a_lone_body_has_not_escaped),
        cmocka_unit_test(nothing_escapes_without_mass),
    };
    return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
