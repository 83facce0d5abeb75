/* Bodies between frames, compared with orbits and sums that the test computes. The parts of the tool are compiled
 * into this test. */
#include "nbrender/motion/between.c"
#include "nbrender/motion/match.c"
#include "nbrender/motion/orbits.c"
#include "nbrender/motion/period.c"
#include "nbrender/motion/shutter.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MASS, POS, VEL, ID, PHI };

static void make(struct nb_bodies *b, uint64_t n, enum nb_type type, bool with_ids)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", type, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", type, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", type, 3, "L/T"), 0);
    if (with_ids) {
        assert_int_equal(nb_bodies_add(b, "id", NB_U64, 1, "-"), 0);
        assert_int_equal(nb_bodies_add(b, "phi", type, 1, "L2/T2"), 0);
    }
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < b->column_count; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

/* Value `at` of a column's array. */
static void put(struct nb_column *c, uint64_t at, double x)
{
    value_set(c, at / (uint64_t)c->width, (int)(at % (uint64_t)c->width), x);
}

static void put_id(struct nb_bodies *b, uint64_t i, uint64_t id)
{
    ((uint64_t *)b->columns[ID].data)[i] = id;
}

static double at(const struct nb_bodies *b, int column, uint64_t i, int d)
{
    return nb_column_get(&b->columns[column], i, d);
}

/* Body i goes round a circle of radius 1 + i with angular speed 1; at time t. */
static void put_circling(struct nb_bodies *b, uint64_t i, double orbit, double t)
{
    double r = 1 + orbit;
    put(&b->columns[POS], 3 * i, r * cos(t));
    put(&b->columns[POS], 3 * i + 1, r * sin(t));
    put(&b->columns[POS], 3 * i + 2, 5);
    put(&b->columns[VEL], 3 * i, -r * sin(t));
    put(&b->columns[VEL], 3 * i + 1, r * cos(t));
}

/* The largest error of the place on a circle of radius 1 that is known every h, forwards or backwards in time. */
static double error_of_circle(double h, enum nb_type type)
{
    struct nb_bodies f[2];
    struct match match = {0};
    struct between between = {0};
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        make(&f[k], 1, type, false);
        f[k].meta.time = 0.3 + k * h;
        put_circling(&f[k], 0, 0, 0.3 + k * h);
    }
    assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
    for (double s = 0.05; s < 1; s += 0.05) {
        assert_int_equal(between_fill(&between, f, &match, h, s), 0);
        const struct nb_bodies *b = &between.bodies;
        double t = 0.3 + s * h;
        assert_true(fabs(b->meta.time - t) < 1e-12);
        worst = fmax(worst, hypot(at(b, POS, 0, 0) - cos(t), at(b, POS, 0, 1) - sin(t)));
        double speed = hypot(at(b, VEL, 0, 0), at(b, VEL, 0, 1));
        double across = at(b, VEL, 0, 0) * cos(t) + at(b, VEL, 0, 1) * sin(t);
        assert_true(fabs(speed - 1) < 1e-6 && fabs(across) < h * h / 8);
        assert_true(fabs(at(b, POS, 0, 2) - 5) < 1e-6 && at(b, VEL, 0, 2) == 0);
    }
    between_free(&between);
    match_free(&match);
    nb_bodies_free(&f[0]);
    nb_bodies_free(&f[1]);
    return worst;
}

/* The error of the cubic is at most h^4 / 384 of the fourth derivative, and nearly that in the middle. */
static void test_circle(void **state)
{
    (void)state;
    const double steps[] = {1.2, 0.6, 0.3, -0.6};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        double bound = pow(steps[k], 4) / 384, error = error_of_circle(steps[k], NB_F64);
        assert_true(error <= bound && error > 0.8 * bound);
        assert_true(error_of_circle(steps[k], NB_F32) <= bound + 1e-6);
    }
}

/* However often bodies went round in between, they stay about where their orbit is, all but a few: that one which is
 * opposite with the opposite velocity was not thrown like a stone cannot be seen from two frames. */
static void test_unresolved(void **state)
{
    (void)state;
    for (double least = 2.4; least < 100; least *= 2) {
        double sum = 0;
        int count = 0, far = 0;
        for (double angle = least; angle < 2 * least; angle += least / 1000)
            for (int k = 1; k < 20; k++) {
                struct step t = {k / 20.0, angle};
                double p0[3] = {1, 0, 0}, v0[3] = {0, 1, 0}, p[3];
                double p1[3] = {cos(angle), sin(angle), 0}, v1[3] = {-sin(angle), cos(angle), 0};
                between_place(p0, p1, v0, v1, t.dt, t.s, p);
                sum += vector_length(p);
                far += vector_length(p) > 1.5;
                count++;
            }
        assert_true(sum / count < 1 && far < 0.1 * count);
    }
}

/* A body that turns round (a parabola is a cubic) is followed, at its turning point too. */
static void test_turning(void **state)
{
    (void)state;
    for (int k = 0; k <= 10; k++) {
        struct step t = {.s = k / 10.0, .dt = 2};
        double p0[3] = {0, 7, 0}, v0[3] = {1, 0, 0}, p1[3] = {0, 7, 0}, v1[3] = {-1, 0, 0}, p[3], time = 2 * t.s;
        between_place(p0, p1, v0, v1, t.dt, t.s, p);
        assert_true(fabs(p[0] - (time - 0.5 * time * time)) < 1e-12 && p[1] == 7 && p[2] == 0);
    }
}

/* Second frame: in another order, without body 3, with a new body 100. */
static void test_matching(void **state)
{
    (void)state;
    static const uint64_t second[] = {6, 0, 100, 5, 2, 4, 1};
    const double h = 0.4;
    struct nb_bodies f[2];
    struct match match = {0};
    struct between between = {0};
    for (int k = 0; k < 2; k++) {
        make(&f[k], 7, NB_F64, true);
        for (uint64_t i = 0; i < 7; i++) {
            uint64_t id = k ? second[i] : i;
            put_id(&f[k], i, (id << 40) + 7);
            put_circling(&f[k], i, (double)id, k * h);
            put(&f[k].columns[PHI], i, k ? -(double)id : (double)id);
        }
    }
    assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
    for (double s = 0.1; s < 1; s += 0.2) {
        assert_int_equal(between_fill(&between, f, &match, h, s), 0);
        const struct nb_bodies *b = &between.bodies;
        assert_int_equal(b->n, 7);
        for (uint64_t i = 0; i < 7; i++) {
            uint64_t orbit = s < 0.5 ? i : second[i];
            double r = 1 + (double)orbit, x = r * cos(s * h), y = r * sin(s * h), phi = (double)orbit * (1 - 2 * s);
            double tolerance = r * pow(h, 4) / 384 + 1e-12;
            if (orbit == 3) /* straight on from the frame that has it */
                x = r, y = r * s * h, phi = 3;
            if (orbit == 100) {
                x = r * (cos(h) + (1 - s) * h * sin(h)), y = r * (sin(h) - (1 - s) * h * cos(h)), phi = -100;
            }
            assert_true(hypot(at(b, POS, i, 0) - x, at(b, POS, i, 1) - y) <= tolerance);
            assert_int_equal(((uint64_t *)b->columns[ID].data)[i], (orbit << 40) + 7);
            assert_true(fabs(at(b, PHI, i, 0) - phi) < 1e-12);
        }
    }
    match_free(&match);
    between_free(&between);
    nb_bodies_free(&f[0]);
    nb_bodies_free(&f[1]);
}

/* Two bodies of one number never become one; frames without numbers and with other numbers of bodies share none. */
static void test_matching_what_cannot_be(void **state)
{
    (void)state;
    struct nb_bodies f[2], few;
    struct match match = {0};
    for (int k = 0; k < 2; k++) {
        make(&f[k], 4, NB_F32, true);
        for (uint64_t i = 0; i < 4; i++)
            put_id(&f[k], i, k && i == 0 ? 9 : 1);
    }
    assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
    uint64_t partners = 0;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t j = match_of(&match, 0, i);
        partners += j != MATCH_NONE;
        assert_true(j == MATCH_NONE || match_of(&match, 1, j) == i);
    }
    assert_int_equal(partners, 1);
    make(&few, 3, NB_F64, false);
    assert_int_equal(match_fill(&match, &f[0], &few), 0);
    assert_true(match_of(&match, 0, 0) == MATCH_NONE && match_of(&match, 1, 2) == MATCH_NONE);
    match_free(&match);
    nb_bodies_free(&few);
    nb_bodies_free(&f[0]);
    nb_bodies_free(&f[1]);
}

/* Places and velocities at the ends of their range, or far too fast, give numbers. */
static void test_extremes(void **state)
{
    (void)state;
    const double ends[] = {0, 1, -1, 1e-310, 1e308, -1e308};
    const int count = sizeof ends / sizeof *ends;
    for (int k = 0; k < count * count * count * count; k++)
        for (double s = 0.25; s < 1; s += 0.25) {
            struct step t = {s, 1e5};
            double p[3], v[3], p0[3] = {ends[k % count]}, p1[3] = {0, ends[k / count % count]};
            double v0[3] = {ends[k / count / count % count]}, v1[3] = {ends[k / count / count / count]};
            between_place(p0, p1, v0, v1, t.dt, t.s, p);
            between_velocity(v0, v1, s, v);
            for (int d = 0; d < 3; d++)
                assert_true(isfinite(p[d]) && isfinite(v[d]));
        }
}

/* On straight lines in a box that is periodic along x: through its sides, slowly and several times, and without a
 * partner; along y as ever. */
static void test_periodic(void **state)
{
    (void)state;
    static const double speeds[] = {0.3, -0.3, 1.9, -1.9, 2.2, 17.3, -40.1};
    const int count = sizeof speeds / sizeof *speeds;
    const double low = -0.5, width = 2, h = 0.7;
    for (int first = 0; first < 40; first++) {
        const double x0 = low + width * first / 40;
        struct nb_bodies f[2];
        struct match match = {0};
        struct between between = {.period = {{true, false}, {low, low}, {low + width, low + width}}};
        for (int k = 0; k < 2; k++) {
            make(&f[k], (uint64_t)count, NB_F64, true);
            for (int i = 0; i < count; i++) {
                const double x = x0 + speeds[i] * k * h;
                put_id(&f[k], (uint64_t)i, (uint64_t)(i == 1 ? 100 * k : i));
                put(&f[k].columns[POS], 3 * (uint64_t)i, x - width * floor((x - low) / width));
                put(&f[k].columns[POS], 3 * (uint64_t)i + 1, 5 * speeds[i] * k * h);
                put(&f[k].columns[VEL], 3 * (uint64_t)i, speeds[i]);
                put(&f[k].columns[VEL], 3 * (uint64_t)i + 1, 5 * speeds[i]);
            }
        }
        assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
        for (double s = 0.05; s < 1; s += 0.1) {
            assert_int_equal(between_fill(&between, f, &match, h, s), 0);
            for (int i = 0; i < count; i++) {
                const double x = at(&between.bodies, POS, (uint64_t)i, 0), away = x - (x0 + speeds[i] * s * h);
                assert_true(x >= low && x < low + width);
                assert_true(fabs(away - width * round(away / width)) < 1e-12);
                assert_true(fabs(at(&between.bodies, POS, (uint64_t)i, 1) - 5 * speeds[i] * s * h) < 1e-12);
            }
        }
        match_free(&match);
        between_free(&between);
        nb_bodies_free(&f[0]);
        nb_bodies_free(&f[1]);
    }
}

/* Bodies that are accelerated go on parabolas, which the cubic hits exactly, though they go through several boxes: how
 * many, the mean of both velocities says, and neither of them. */
static void test_periodic_accelerated(void **state)
{
    (void)state;
    const double width = 2, h = 0.7;
    for (double strength = -30; strength <= 30; strength += 3) {
        struct nb_bodies f[2];
        struct match match = {0};
        struct between between = {.period = {{true, true}, {0, 0}, {width, width}}};
        for (int k = 0; k < 2; k++) {
            const double t = k * h, at[2] = {1 + 4 * t + strength * t * t / 2, 1.5 - strength * t * t / 2};
            make(&f[k], 1, NB_F64, true);
            for (int d = 0; d < 2; d++) {
                put(&f[k].columns[POS], (uint64_t)d, at[d] - width * floor(at[d] / width));
                put(&f[k].columns[VEL], (uint64_t)d, d ? -strength * t : 4 + strength * t);
            }
        }
        assert_int_equal(match_fill(&match, &f[0], &f[1]), 0);
        for (double s = 0.05; s < 1; s += 0.1) {
            const double t = s * h, want[2] = {1 + 4 * t + strength * t * t / 2, 1.5 - strength * t * t / 2};
            assert_int_equal(between_fill(&between, f, &match, h, s), 0);
            for (int d = 0; d < 2; d++) {
                const double away = at(&between.bodies, POS, 0, d) - want[d];
                assert_true(fabs(away - width * round(away / width)) < 1e-12);
            }
        }
        match_free(&match);
        between_free(&between);
        nb_bodies_free(&f[0]);
        nb_bodies_free(&f[1]);
    }
}

static void test_moments(void **state)
{
    (void)state;
    struct nb_view opens = {.right = {1}, .up = {0, 1}, .back = {0, 0, 1}, .scale = 10}, closes = opens;
    struct nb_bodies b;
    make(&b, 5000, NB_F32, false);
    assert_int_equal(shutter_moments(&opens, &closes, &b, 3), 2);
    for (uint64_t i = 0; i < b.n; i++)
        put(&b.columns[VEL], 3 * i, i % 21 ? 0.5 : 1000);          /* one of 21 is far too fast */
    assert_int_equal(shutter_moments(&opens, &closes, &b, 3), 10); /* 15 pixels */
    assert_int_equal(shutter_moments(&opens, &closes, &b, -3), 10);
    assert_int_equal(shutter_moments(&opens, &closes, &b, 300), SHUTTER_MOMENTS_MOST);
    closes.middle_x = -15; /* the camera goes with them */
    assert_int_equal(shutter_moments(&opens, &closes, &b, 3), 2);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_matching_what_cannot_be),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_periodic_accelerated),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
