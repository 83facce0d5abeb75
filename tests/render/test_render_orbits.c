/* Bodies about a heavy one between frames, compared with Kepler's orbits and circles. The parts of the tool are
 * compiled into this test. */
#include "nbrender/motion/between.c"
#include "nbrender/motion/match.c"
#include "nbrender/motion/orbits.c"
#include "nbrender/motion/period.c"

#include "render/render_bodies.h"

enum { MASS, POS, VEL, ID };

static void make(struct nb_bodies *b, uint64_t n)
{
    make_bodies(b, n, NB_F64);
    assert_int_equal(nb_bodies_add(b, "id", NB_U64, 1, "-"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
}

#define HEAVY 3.0 /* its mass, with G = 1 */
#define DRIFT 0.4 /* its velocity along z */

/* Kepler's orbit of semi-major axis a in the plane z = 0 at the mean anomaly m, from its pericentre on the x axis. */
static void kepler(double a, double e, double m, double x[3], double v[3])
{
    const double n = sqrt(HEAVY / (a * a * a)), b = sqrt(1 - e * e);
    double E = m;
    for (int k = 0; k < 100; k++)
        E -= (E - e * sin(E) - m) / (1 - e * cos(E));
    const double rate = n / (1 - e * cos(E)), place[3] = {a * (cos(E) - e), a * b * sin(E)},
                 speed[3] = {-a * rate * sin(E), a * b * rate * cos(E)};
    memcpy(x, place, sizeof place);
    memcpy(v, speed, sizeof speed);
}

/* Two frames h apart, the second in reverse order: body 0 is the heavy one, body i of `count` is at `x`, `v` from it by
 * the function. Returns the largest distance of a body from there, or a tenth of the error of
 * its velocity, between them and behind the second. */
static double error_of_orbits(int count, double softening, double h,
                              void body(int i, double t, double x[3], double v[3]))
{
    struct nb_bodies f[2];
    struct match match = {0};
    struct between between = {0};
    double worst = 0, x[3], v[3];
    for (int k = 0; k < 2; k++) {
        make(&f[k], (uint64_t)count);
        f[k].meta.softening = softening;
        for (int i = 0; i < count; i++) {
            const uint64_t to = (uint64_t)(k ? count - 1 - i : i);
            memset(x, 0, sizeof x);
            memset(v, 0, sizeof v);
            if (i)
                body(i, k * h, x, v);
            ((uint64_t *)f[k].columns[ID].data)[to] = (uint64_t)i;
            put(&f[k], MASS, to, 0, i ? 0 : HEAVY);
            for (int d = 0; d < 3; d++) {
                put(&f[k], POS, to, d, x[d] + (d == 2 ? DRIFT * k * h : 0));
                put(&f[k], VEL, to, d, v[d] + (d == 2 ? DRIFT : 0));
            }
        }
        orbits_note(&between.orbits, k, &f[k]);
    }
    assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
    assert_int_equal(orbits_fill(&between.orbits, f, &match, h), 0);
    for (double s = 0.05; s < 1.3; s += 0.05) {
        assert_int_equal(between_fill(&between, f, &match, h, s), 0);
        for (int i = 1; i < count; i++) {
            const uint64_t of = (uint64_t)(s < 0.5 ? i : count - 1 - i);
            body(i, s * h, x, v);
            for (int d = 0; d < 3; d++) {
                const double drift = d == 2 ? DRIFT : 0;
                worst = fmax(worst, fabs(value_of(&between.bodies.columns[POS], of, d) - drift * s * h - x[d]));
                worst = fmax(worst, fabs(value_of(&between.bodies.columns[VEL], of, d) - drift - v[d]) * 0.1);
            }
        }
    }
    between_free(&between);
    match_free(&match);
    nb_bodies_free(&f[0]);
    nb_bodies_free(&f[1]);
    return worst;
}

static double eccentricity;

static void on_kepler(int i, double t, double x[3], double v[3])
{
    kepler(1, eccentricity, i + sqrt(HEAVY) * t, x, v);
}

/* Two radians of mean anomaly from frame to frame, forwards and backwards, and a revolution and a half. */
static void test_orbits(void **state)
{
    (void)state;
    const double turns[] = {2, -2, 9.5};
    for (eccentricity = 0; eccentricity < 0.7; eccentricity += 0.3)
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
            assert_true(error_of_orbits(7, 0, turns[k] / sqrt(HEAVY), on_kepler) < (k < 2 ? 1e-3 : 0.05));
}

/* Circles of radius 0.1 i in a softened field. */
static void on_circle(int i, double t, double x[3], double v[3])
{
    const double r = 0.1 * i, rate = sqrt(HEAVY / pow(r * r + 0.25, 1.5)), angle = i + rate * t;
    const double place[3] = {r * cos(angle), r * sin(angle)},
                 speed[3] = {-r * rate * sin(angle), r * rate * cos(angle)};
    memcpy(x, place, sizeof place);
    memcpy(v, speed, sizeof speed);
}

static void test_softened_orbits(void **state)
{
    (void)state;
    assert_true(error_of_orbits(7, 0.5, 0.5, on_circle) < 1e-3);
    assert_true(error_of_orbits(7, 0.5, 1.3, on_circle) < 2e-3);
}

/* Bodies that the heavy one does not attract stay on their straight lines. */
static void on_line(int i, double t, double x[3], double v[3])
{
    const double place[3] = {t - 0.2 * i, 0.1 * i, 0.3}, speed[3] = {1, 0, 0};
    memcpy(x, place, sizeof place);
    memcpy(v, speed, sizeof speed);
}

static void test_lines_by_a_heavy_body(void **state)
{
    (void)state;
    assert_true(error_of_orbits(7, 0, 1, on_line) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orbits),
        cmocka_unit_test(test_softened_orbits),
        cmocka_unit_test(test_lines_by_a_heavy_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
