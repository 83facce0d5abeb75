/* libnbtools with its header only, linked as other programs link it: orbits and energies compared with closed forms
 * and direct sums, threads, and a message for every mistake with options and systems. */
#include "test_nbtools_bodies.h"

#include <pthread.h>

/* ---- two bodies ---- */

static void kepler_orbit(void **state)
{
    (void)state;
    struct nbt_system *s = make_pair();
    assert_string_equal(nbt_option_get(s, "integrator"), "ias15");
    assert_string_equal(nbt_option_get(s, "device"), "cpu");
    assert_string_equal(nbt_option_get(s, "precision"), "double");
    for (int k = 1; k <= 20; k++) {
        good(nbt_advance(s, 1.7 * k));
        check_pair(s, 1.7 * k, 1e-10);
    }
    double steps;
    good(nbt_value_get(nbt_system_frame(s), "step", &steps));
    assert_true(steps > 20);
    for (int k = 19; k >= 0; k--) /* and back */
        good(nbt_advance(s, 1.7 * k));
    check_pair(s, 0, 1e-10);
    nbt_system_close(s);
}

/* Leapfrog is of second order, by dt; hermite4-block, leapfrog-block and quad precision are told by their errors. */
static double error_with(const char *const *options, double t)
{
    struct nbt_system *s = make_pair();
    double place[2];
    for (; *options; options += 2)
        good(nbt_option_set(s, options[0], options[1]));
    good(nbt_advance(s, t));
    const double *x = column(s, "pos");
    find_place(t, place);
    const double error = hypot(x[3] - x[0] - place[0], x[4] - x[1] - place[1]);
    nbt_system_close(s);
    return error;
}

static void options_count(void **state)
{
    (void)state;
    const double coarse = error_with((const char *const[]){"integrator", "leapfrog", "dt", "0.01", NULL}, 3);
    const double fine = error_with((const char *const[]){"integrator", "leapfrog", "dt", "0.005", NULL}, 3);
    assert_true(coarse > 1e-5 && coarse / fine > 3.8 && coarse / fine < 4.2);
    assert_true(error_with((const char *const[]){"integrator", "hermite4-block", NULL}, 3) < 1e-4);
    assert_true(error_with((const char *const[]){"tolerance", "1e-4", NULL}, 3) < 1e-6);
    assert_true(error_with((const char *const[]){"precision", "quad", NULL}, 3) < 1e-14);
    assert_true(
        error_with((const char *const[]){"integrator", "whfast", "dt", "0.01", "precision", "double", NULL}, 3) < 1e-4);
}

/* ---- a cluster ---- */

/* Energies and field by sums over pairs, at points, or at bodies if `self`. */
static double potential_at(const double *mass, const double *pos, const double *x, int self, double *a)
{
    double phi = 0;
    a[0] = a[1] = a[2] = 0;
    for (int j = 0; j < N; j++) {
        const double d[3] = {pos[3 * j] - x[0], pos[3 * j + 1] - x[1], pos[3 * j + 2] - x[2]};
        const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.05 * 0.05);
        if (j == self)
            continue;
        phi -= mass[j] / r;
        for (int k = 0; k < 3; k++)
            a[k] += mass[j] * d[k] / (r * r * r);
    }
    return phi;
}

static void sum_energies(struct nbt_system *s, double e[2], double momentum[3])
{
    const double *m = column(s, "mass"), *x = column(s, "pos"), *v = column(s, "vel");
    double a[3];
    e[0] = e[1] = momentum[0] = momentum[1] = momentum[2] = 0;
    for (int i = 0; i < N; i++) {
        e[1] += m[i] * potential_at(m, x, x + 3 * i, i, a) / 2;
        for (int k = 0; k < 3; k++) {
            e[0] += m[i] * v[3 * i + k] * v[3 * i + k] / 2;
            momentum[k] += m[i] * v[3 * i + k];
        }
    }
}

static void energy_and_momentum_are_kept(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(1);
    double first[2], now[2], p0[3], p[3], e[3];
    sum_energies(s, first, p0);
    good(nbt_energies(s, e));
    assert_true(fabs(e[0] - first[0]) < 1e-14 && fabs(e[1] - first[1]) < 1e-14 && e[2] == 0);
    good(nbt_advance(s, 1));
    sum_energies(s, now, p);
    assert_true(fabs(now[0] + now[1] - first[0] - first[1]) < 1e-12);
    assert_true(fabs(now[0] - first[0]) > 1e-4);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[k] - p0[k]) < 1e-14);
    nbt_system_close(s);
}

static void field_at_points(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(2), *other = make_cluster(2);
    double points[30], acc[30], phi[10], a[3];
    good(nbt_advance(s, 0.3));
    for (int k = 0; k < 30; k++)
        points[k] = 4 * draw() - 2;
    good(nbt_field(s, 10, points, acc, phi));
    for (int i = 0; i < 10; i++) {
        assert_true(fabs(potential_at(column(s, "mass"), column(s, "pos"), points + 3 * i, -1, a) - phi[i]) < 1e-13);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(acc[3 * i + k] - a[k]) < 1e-12);
    }
    good(nbt_field(s, 1, points, NULL, a));
    assert_true(a[0] == phi[0]);
    good(nbt_field(s, 0, points, acc, phi));
    /* Who looks changes nothing. */
    good(nbt_advance(s, 0.6));
    good(nbt_advance(other, 0.3));
    good(nbt_advance(other, 0.6));
    assert_memory_equal(column(s, "pos"), column(other, "pos"), sizeof(double) * 3 * N);
    nbt_system_close(s);
    nbt_system_close(other);
}

static void external_field(void **state)
{
    (void)state;
    const double mass = 0, pos[3] = {1, 0, 0}, vel[3] = {0, 1, 0};
    struct nbt_system *s = nbt_system_new(1, &mass, pos, vel);
    double phi, acc[3];
    const double at[3] = {0, 2, 0};
    good(nbt_option_set(s, "force", "external:point,mass=1"));
    good(nbt_field(s, 1, at, acc, &phi));
    assert_true(fabs(phi + 0.5) < 1e-15 && fabs(acc[1] + 0.25) < 1e-15);
    assert_non_null(strstr(nbt_option_get(s, "force"), "external:point"));
    good(nbt_advance(s, M_PI / 2));
    assert_true(fabs(column(s, "pos")[0]) < 1e-10 && fabs(column(s, "pos")[1] - 1) < 1e-10);
    nbt_system_close(s);
}

/* ---- threads ---- */

static pthread_barrier_t both;

static bool advance(struct nbt_system *s)
{
    bool fine = true;
    for (int k = 1; k <= 10; k++)
        fine = fine && nbt_advance(s, 0.02 * k) == 0;
    return fine;
}

/* Each thread has its own sentence, though the other one's is later. NULL: all is well. cmocka has one thread only. */
static void *advance_beside(void *s)
{
    char option[32];
    snprintf(option, sizeof option, "none%p", s);
    bool fine = true;
    for (int k = 0; k < 2; k++) {
        fine = fine && nbt_option_set(s, option, "1") == -1;
        pthread_barrier_wait(&both);
        fine = fine && strstr(nbt_error(), option);
        pthread_barrier_wait(&both);
    }
    return advance(s) && fine ? NULL : s;
}

/* draw() is not thread-safe: all systems are drawn first. */
static void two_threads(void **state)
{
    (void)state;
    struct nbt_system *together[2] = {make_cluster(11), make_cluster(12)},
                      *alone[2] = {make_cluster(11), make_cluster(12)};
    pthread_t thread[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, advance_beside, together[k]), 0);
    for (int k = 0; k < 2; k++) {
        void *failed;
        pthread_join(thread[k], &failed);
        assert_null(failed);
    }
    pthread_barrier_destroy(&both);
    for (int k = 0; k < 2; k++) {
        assert_true(advance(alone[k]));
        assert_memory_equal(column(alone[k], "pos"), column(together[k], "pos"), sizeof(double) * 3 * N);
    }
    assert_memory_not_equal(column(alone[0], "pos"), column(alone[1], "pos"), sizeof(double) * 3 * N);
    for (int k = 0; k < 2; k++) {
        nbt_system_close(together[k]);
        nbt_system_close(alone[k]);
    }
}

/* ---- mistakes ---- */

static void wrong_options(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"device", "abacus", "abacus"},
                                           {"force", "magic", "magic"},
                                           {"theta", "9", "theta"},
                                           {"rebuild", "x", "rebuild"},
                                           {"pn", "3", "expected 1, 2 or 2.5"},
                                           {"softening", "-1", "must not be negative"},
                                           {"precision", "half", "half"},
                                           {"integrator", "euler9", "euler9"},
                                           {"dt", "0", "must be positive"},
                                           {"dt", "1x", "expected a number"},
                                           {"tolerance", "-1e-3", "must be positive"},
                                           {"min-dt", "nan", "expected a number"},
                                           {"max-dt", "", "expected a number"},
                                           {"eta", "0", "must be positive"},
                                           {"max-rungs", "41", "from 0 to 40"},
                                           {"neighbours", "1.5", "whole number"},
                                           {"until", "1", "unknown option 'until'"}};
    struct nbt_system *s = make_pair();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refused(nbt_option_set(s, wrong[k][0], wrong[k][1]), wrong[k][2]);
    refused(!nbt_option_get(s, "theta"), "'theta'");
    good(nbt_advance(s, 0.1)); /* none of them counts */
    nbt_system_close(s);
    nbt_system_close(NULL);
}

/* Options that are good one by one: refused by the call that computes, which serves when one of them is taken back. */
static void wrong_together(void **state)
{
    (void)state;
    static const char *const wrong[][5] = {
        {"integrator", "leapfrog", "tolerance", "1e-3", "does not estimate its error"},
        {"tolerance", "1e-30", "integrator", "ias15", "below the digits"},
        {"force", "direct", "force", "tree", "twice"},
        {"force", "direct", "theta", "0.5", "--theta needs"},
        {"integrator", "ias15", "eta", "0.1", "--eta"},
        {"min-dt", "1", "max-dt", "0.1", "more than"},
        {"dt", "0.1", "min-dt", "0.01", "--min-dt"},
        {"integrator", "whfast", "softening", "0.1", "whfast"},
        {"pn", "1", "softening", "0", "units"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct nbt_system *s = make_pair();
        double e[3];
        good(nbt_option_set(s, wrong[k][0], wrong[k][1]));
        good(nbt_option_set(s, wrong[k][2], wrong[k][3]));
        refused(nbt_advance(s, 1), wrong[k][4]);
        refused(nbt_energies(s, e), wrong[k][4]);
        good(nbt_option_set(s, wrong[k][0], NULL));
        good(nbt_option_set(s, wrong[k][2], NULL));
        good(nbt_advance(s, 1));
        nbt_system_close(s);
    }
}

static void wrong_systems(void **state)
{
    (void)state;
    const double mass[2] = {1, 1}, bad_mass[2] = {1, -1}, pos[6] = {0}, vel[6] = {0}, apart[6] = {0, 0, 0, 1, 0, 0};
    const double no_point[3] = {0, NAN, 0};
    double phi, e[3];
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    refused(nbt_advance(s, 1), "at the same position");
    refused(nbt_advance(s, INFINITY), "cannot advance to");
    nbt_system_close(s);
    s = nbt_system_new(2, bad_mass, apart, vel);
    refused(nbt_advance(s, 1), "mass");
    refused(nbt_energies(s, e), "mass");
    nbt_system_close(s);
    s = nbt_system_new(0, mass, pos, vel);
    refused(nbt_advance(s, 1), "bodies");
    good(nbt_add(s, 2, mass, apart, vel, NULL));
    good(nbt_advance(s, 0.1));
    refused(nbt_field(s, 1, no_point, NULL, &phi), "point 0");
    /* Changes that were not told of, or told of too late. */
    good(nbt_advance(s, 0.2));
    refused(nbt_changed(s), "nbt_system_frame");
    struct nbt_frame *f = nbt_system_frame(s);
    good(nbt_column_set(f, "pos", NBT_F32, 3, NULL));
    good(nbt_advance(s, 0.3));
    refused(!nbt_system_frame(s), "without nbt_changed");
    nbt_system_close(s);
    /* No step is short enough: the system says so from then on. */
    s = nbt_system_new(2, mass, apart, vel);
    good(nbt_option_set(s, "min-dt", "0.01"));
    good(nbt_option_set(s, "tolerance", "1e-12"));
    refused(nbt_advance(s, 3), "");
    refused(nbt_advance(s, 4), "");
    refused(!nbt_system_frame(s), "");
    assert_true(strlen(nbt_error()) > 10);
    nbt_system_close(s);
}

static void version(void **state)
{
    (void)state;
    int major, minor, patch;
    assert_int_equal(sscanf(nbt_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_orbit),
        cmocka_unit_test(options_count),
        cmocka_unit_test(energy_and_momentum_are_kept),
        cmocka_unit_test(field_at_points),
        cmocka_unit_test(external_field),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_together),
        cmocka_unit_test(wrong_systems),
        cmocka_unit_test(version),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools", tests, NULL, NULL));
}
