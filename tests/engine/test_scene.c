/* Header lines of disks in contact: bitwise round trips, malicious lines rejected with a message. Errors in walls are
 * compared with a check of all pairs in integers. */
#include "base/error.h"
#include "scene/scene.h"

#include "common/made_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void assert_says(const char *pattern)
{
    if (!strstr(nb_error(), pattern))
        fail_msg("'%s' does not say '%s'", nb_error(), pattern);
}

/* ---- lines ---- */

static void test_round_trip(void **state)
{
    (void)state;
    const double odd[] = {0.1, -1.0 / 3, 5e-324, -1.7976931348623157e308, 4.9406564584124654e-300, -0.0, 2, 1e22};
    struct nb_scene s = {.touching = true,
                         .stiffness = M_PI,
                         .damping = 1e-300,
                         .radius = 0x1.fffffffffffffp-30,
                         .boxed = true,
                         .low = {-1.0 / 3, -1e9},
                         .high = {1e9, 0.7},
                         .periodic = {true, true},
                         .flowing = true,
                         .density = 0.1,
                         .speed = 1.0 / 7,
                         .mach = 2.2,
                         .chord = 3e-5};
    const double triangle[] = {0, 0, 1, 0, 0, 1, 0, 0};
    struct nb_scene back;
    struct nb_meta meta = {0};
    assert_int_equal(nb_scene_add_wall(&s, "odd", odd, 4), 0);
    assert_int_equal(nb_scene_add_wall(&s, "A-z_9", triangle, 4), 0);
    assert_int_equal(nb_meta_add_extra(&meta, "colour red"), 0);
    assert_int_equal(nb_scene_write(&s, &meta), 0);
    assert_true(nb_scene_is_touching(&meta));
    assert_int_equal(nb_scene_read(&meta, &back), 0);
    assert_true(back.touching && back.boxed && back.flowing && back.periodic[0] && back.periodic[1]);
    assert_true(back.stiffness == s.stiffness && back.damping == s.damping && back.radius == s.radius);
    assert_memory_equal(back.low, s.low, sizeof s.low);
    assert_memory_equal(back.high, s.high, sizeof s.high);
    assert_true(back.density == s.density && back.speed == s.speed && back.mach == s.mach && back.chord == s.chord);
    assert_int_equal(back.wall_count, 2);
    assert_memory_equal(back.walls[0].xy, odd, sizeof odd);
    assert_false(back.walls[0].closed);
    assert_memory_equal(back.walls[1].xy, triangle, sizeof triangle);
    assert_true(back.walls[1].closed && back.walls[1].area == 0.5);
    nb_scene_free(&back);
    nb_scene_free(&s);
    nb_meta_free(&meta);
}

static void test_orientation(void **state)
{
    (void)state;
    const double clockwise[] = {7, 7, 7, 9, 9, 9, 9, 7, 7, 7}, back_and_forth[] = {0, 0, 1, 0, 0, 0};
    struct nb_scene s = {0};
    assert_int_equal(nb_scene_add_wall(&s, "cage", clockwise, 5), 0);
    assert_int_equal(nb_scene_add_wall(&s, "line", back_and_forth, 3), 0);
    assert_true(s.walls[0].closed && s.walls[0].area == -4);
    assert_true(!s.walls[1].closed && s.walls[1].area == 0);
    nb_scene_free(&s);
}

static void refuse_lines(const char *first, const char *second, const char *pattern)
{
    struct nb_meta meta = {0};
    struct nb_scene s;
    assert_int_equal(nb_meta_add_extra(&meta, first), 0);
    if (second)
        assert_int_equal(nb_meta_add_extra(&meta, second), 0);
    assert_int_equal(nb_scene_read(&meta, &s), -1);
    assert_says(pattern);
    nb_meta_free(&meta);
}

static void test_hostile_lines(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *pattern;
    } cases[] = {
        {"contact 1 0", NULL, "does not have 3 numbers"},
        {"contact 1 0 1 1", NULL, "does not have 3 numbers"},
        {"contact", NULL, "does not have 3 numbers"},
        {"contact 1 0 nan", NULL, "does not have 3 numbers"},
        {"contact inf 0 1", NULL, "does not have 3 numbers"},
        {"contact 1e400 0 1", NULL, "does not have 3 numbers"},
        {"contact 0x10 0 1", NULL, "does not have 3 numbers"},
        {"contact 1  0 1", NULL, "does not have 3 numbers"},
        {"contact 1 0 1 ", NULL, "does not have 3 numbers"},
        {"contact 1 0 1x", NULL, "does not have 3 numbers"},
        {"contact 0 0 1", NULL, "stiffness and radius must be positive"},
        {"contact 1 -1 1", NULL, "damping not negative"},
        {"contact 1 0 -1", NULL, "must be positive"},
        {"contact 1 0 1", "contact 1 0 1", "two lines 'contact'"},
        {"box 0 1 0", NULL, "does not have 4 numbers"},
        {"box 1 1 0 1", NULL, "an upper limit is not above"},
        {"box 0 1 2 1", NULL, "an upper limit is not above"},
        {"box 0 1 0 1", "box 0 1 0 1", "two lines 'box'"},
        {"box 0 1 0 1", "periodic z", "expected x, y or xy"},
        {"box 0 1 0 1", "periodic", "expected x, y or xy"},
        {"periodic x", NULL, "needs a line 'box'"},
        {"periodic x", "periodic y", "two lines 'periodic'"},
        {"flow 1 1 1 1", NULL, "needs the lines 'box' and 'periodic x'"},
        {"flow 1 1 1 1", "box 0 1 0 1", "needs the lines 'box' and 'periodic x'"},
        {"flow 1 1 0 1", NULL, "must be positive"},
        {"flow 1 1 1", NULL, "does not have 4 numbers"},
        {"wall", NULL, "expected a name and pairs"},
        {"wall ", NULL, "expected a name and pairs"},
        {"wall a", NULL, "fewer than 2 points"},
        {"wall a 0 0", NULL, "fewer than 2 points"},
        {"wall a 0 0 1", NULL, "expected a name and pairs"},
        {"wall a 0 0 1 nan", NULL, "expected a name and pairs"},
        {"wall a 0 0 1 1e999", NULL, "expected a name and pairs"},
        {"wall a:b 0 0 1 1", NULL, "a name consists of letters"},
        {"wall abcdefghijabcdefghijabcdefghij12 0 0 1 1", NULL, "expected a name and pairs"},
        {"wall a 0 0 1 1", "wall a 2 2 3 3", "two walls have the name 'a'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuse_lines(cases[k].first, cases[k].second, cases[k].pattern);
}

/* `count` points and no more, on one line. */
static char *long_wall(const char *name, int count)
{
    char *line = malloc(64 + 24 * (size_t)count), *at = line;
    assert_non_null(line);
    at += sprintf(at, "wall %s", name);
    for (int k = 0; k < count; k++)
        at += sprintf(at, " %d %d", k, k % 2);
    return line;
}

static void test_huge_counts(void **state)
{
    (void)state;
    char *most = long_wall("a", NB_WALL_POINTS_MAX), *more = long_wall("b", NB_WALL_POINTS_MAX + 1),
         *many = long_wall("b", 3 * NB_WALL_POINTS_MAX);
    struct nb_meta meta = {0};
    struct nb_scene s;
    assert_int_equal(nb_meta_add_extra(&meta, most), 0);
    assert_int_equal(nb_scene_read(&meta, &s), 0);
    assert_int_equal(s.walls[0].count, NB_WALL_POINTS_MAX);
    assert_int_equal(nb_scene_check(&s), 0);
    nb_scene_free(&s);
    refuse_lines(most, "wall b 0 0 1 1", "more than 20000 points in all");
    refuse_lines(more, NULL, "more than 20000 points in all");
    refuse_lines(many, NULL, "expected a name and pairs");
    for (int k = 0; k < NB_WALLS_MAX; k++) {
        char line[64];
        sprintf(line, "wall w%d 0 %d 1 %d", k, 3 * k, 3 * k);
        nb_meta_add_extra(&meta, line);
    }
    assert_int_equal(nb_scene_read(&meta, &s), -1);
    assert_says("more than 64 walls");
    nb_meta_free(&meta);
    free(most), free(more), free(many);
}

static void test_wall_force(void **state)
{
    (void)state;
    struct nb_meta meta = {0};
    double f[2] = {9, 9};
    assert_false(nb_scene_wall_force(&meta, "body", f));
    assert_int_equal(nb_scene_put_wall_force(&meta, "body2", (double[]){3, 4}), 0);
    assert_false(nb_scene_wall_force(&meta, "body", f));
    assert_int_equal(nb_scene_put_wall_force(&meta, "body", (double[]){0.1, -1.0 / 3}), 0);
    assert_int_equal(nb_scene_put_wall_force(&meta, "body2", (double[]){5, 6}), 0);
    assert_int_equal(meta.extra_count, 2);
    assert_true(nb_scene_wall_force(&meta, "body", f) && f[0] == 0.1 && f[1] == -1.0 / 3);
    assert_true(nb_scene_wall_force(&meta, "body2", f) && f[0] == 5 && f[1] == 6);
    assert_int_equal(nb_meta_add_extra(&meta, "wall_forces other"), 0);
    nb_scene_drop_measured(&meta);
    assert_false(nb_scene_wall_force(&meta, "body", f) || nb_scene_wall_force(&meta, "body2", f));
    assert_string_equal(meta.extra[meta.extra_count - 1], "wall_forces other");
    nb_meta_free(&meta);
    static const char *const bad[] = {"wall_force body 1", "wall_force body 1 nan", "wall_force body 1 2 3",
                                      "wall_force body", "wall_force bodyx 1 2"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct nb_meta own = {0};
        assert_int_equal(nb_meta_add_extra(&own, bad[k]), 0);
        assert_false(nb_scene_wall_force(&own, "body", f));
        nb_meta_free(&own);
    }
}

static void test_inflow(void **state)
{
    (void)state;
    struct nb_meta meta = {0};
    double got[3];
    assert_false(nb_scene_inflow(&meta, got));
    assert_int_equal(nb_scene_put_inflow(&meta, (double[]){1, 2, 3}), 0);
    assert_int_equal(nb_meta_add_extra(&meta, "inflows 5 6 7"), 0);
    assert_int_equal(nb_scene_put_inflow(&meta, (double[]){1.0 / 3, 0.1, 0.7}), 0);
    assert_int_equal(meta.extra_count, 2);
    assert_true(nb_scene_inflow(&meta, got) && got[0] == 1.0 / 3 && got[1] == 0.1 && got[2] == 0.7);
    nb_scene_drop_measured(&meta);
    assert_false(nb_scene_inflow(&meta, got));
    assert_int_equal(nb_meta_add_extra(&meta, "inflow 1 2 inf"), 0);
    assert_false(nb_scene_inflow(&meta, got));
    nb_meta_free(&meta);
}

/* ---- geometry ---- */

/* A scene from lines, up to five, of disks of the radius 0.1; what nb_scene_check says of it, NULL for nothing. */
static const char *check_lines(const char *const lines[5])
{
    struct nb_meta meta = {0};
    struct nb_scene s;
    assert_int_equal(nb_meta_add_extra(&meta, "contact 1 0 0.1"), 0);
    for (int k = 0; k < 5 && lines[k]; k++)
        assert_int_equal(nb_meta_add_extra(&meta, lines[k]), 0);
    assert_int_equal(nb_scene_read(&meta, &s), 0);
    const int status = nb_scene_check(&s);
    nb_scene_free(&s);
    nb_meta_free(&meta);
    return status ? nb_error() : NULL;
}

#define BOX    "box -4 4 -4 4"
#define SQUARE "wall square 0 0 1 0 1 1 0 1 0 0"
#define CAGE   "wall cage -2 -2 -2 2 2 2 2 -2 -2 -2"

static void test_good_geometry(void **state)
{
    (void)state;
    static const char *const cases[][5] = {
        {NULL},
        {BOX, SQUARE, CAGE, "wall shelf -1.5 -1 1.5 -1"},
        {"box 0 1 0 1", SQUARE},                         /* on the box's sides, which are not periodic */
        {"box -0.1 1.1 0 1", "periodic x", SQUARE},      /* a radius away */
        {SQUARE, "wall next 1.2 0 2 0 2 1 1.2 1 1.2 0"}, /* a diameter away */
        {CAGE, "wall slope -2 1 1 0"},                   /* an open wall that begins on a container */
        {"wall left 0 1 0 0", "wall floor 0 0 1 0", "wall right 1 0 1 1"},  /* that share their ends */
        {"wall floor 0 0 1 0", "wall post 0.5 0 0.5 1"},                    /* in the form of a T */
        {"wall notch 0 0 2 0 2 1 1.05 1 1.05 0.1 0.95 0.1 0.95 1 0 1 0 0"}, /* narrower than a disk */
        {"wall bent 0 0 1 0 0 0.5"},
        {"wall far 0 0 1e99 1e99"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *said = check_lines(cases[k]);
        if (said)
            fail_msg("case %zu: %s", k, said);
    }
}

static void test_bad_geometry(void **state)
{
    (void)state;
    static const struct {
        const char *lines[5], *pattern;
    } cases[] = {
        {{"wall bow 0 0 1 1 1 0 0 2 0 0"}, "wall bow crosses itself, between points 0, 1 and 2, 3"},
        {{"wall touch 0 0 2 0 2 1 1 0 0 1 0 0"}, "wall touch crosses itself"},
        {{"wall loop 0 0 2 0 1 1 1 -1"}, "wall loop crosses itself"},
        {{"wall back 0 0 1 0 0.5 0"}, "wall back crosses itself"},
        {{"wall spike 0 0 1 0 2 0 1 0 1 1 0 0"}, "wall spike crosses itself"},
        {{"wall closed_spike 0 0 1 0 1 1 0 1 0 0 -1 0 0 0"}, "wall closed_spike crosses itself"},
        {{"wall flat 0 0 1 0 0.5 1e-14 0 0"}, "wall flat is closed and has no area"},
        {{"wall twice 0 0 1 0 1 0 0 1 0 0"}, "wall twice: point 1 appears twice"},
        {{"wall dot 3 3 3 3"}, "wall dot: point 0 appears twice"},
        {{SQUARE, "wall cut -1 0.5 2 0.5"}, "walls square and cut cross"},
        {{SQUARE, "wall next 1 1 2 1 2 2 1 2 1 1"}, "walls square and next cross"}, /* a corner in common */
        {{SQUARE, "wall next 1.19 0 2 0 2 1 1.19 1 1.19 0"}, "walls square and next leave a gap of 0.19"},
        {{SQUARE, "wall tip 1.1 1.1 2 2"}, "walls square and tip leave a gap of 0.1414"},
        {{"wall floor 0 0 1 0", "wall post 0.5 0.01 0.5 1"}, "walls floor and post leave a gap of 0.01"},
        {{SQUARE, "wall stone 0.4 0.4 0.6 0.4 0.6 0.6 0.4 0.6 0.4 0.4"}, "wall stone is inside of the solid square"},
        {{CAGE, "wall stone 3 3 3.5 3 3.5 3.5 3 3"}, "wall stone is outside of the container cage"},
        {{"box -4 0.9 -4 4", SQUARE}, "wall square: point 1, (1, 0), is outside the box"},
        {{"box 3 4 3 4", SQUARE}, "is outside the box"},
        {{"box -0.05 4 -4 4", "periodic x", SQUARE}, "within a radius of its sides"},
        {{"box 0 0.7 0 9", "periodic x"}, "the box is periodic along x and narrower than four disks"},
        {{"box 0 9 0 0.7", "periodic xy"}, "along y"},
        {{"wall far 0 0 1e101 0"}, "wall far: point 1 is out of range"},
        {{"box -1e308 1e308 -1 1", "periodic x"}, "the box is out of range along x"},
        {{"box -1 1 0 1e101"}, "the box is out of range along y"},
        {{"wall far -1.7e308 -1.7e308 1.7e308 -1.7e308 0 1.7e308 -1.7e308 -1.7e308"}, "out of range"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *said = check_lines(cases[k].lines);
        if (!said)
            fail_msg("case %zu passes, and should not: %s", k, cases[k].pattern);
        assert_says(cases[k].pattern);
    }
}

/* ---- against all pairs, in whole numbers ---- */

static int side(const int *a, const int *b, const int *c)
{
    const int d = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return (d > 0) - (d < 0);
}

static bool covers(const int *a, const int *b, const int *c)
{
    return side(a, b, c) == 0 && (c[0] - a[0]) * (c[0] - b[0]) <= 0 && (c[1] - a[1]) * (c[1] - b[1]) <= 0;
}

static bool meet(const int *a, const int *b, const int *c, const int *d)
{
    return (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) || covers(a, b, c) ||
           covers(a, b, d) || covers(c, d, a) || covers(c, d, b);
}

/* Neighbours share a point, and nothing else unless they lie on one another. */
static bool crosses_itself(const int xy[][2], int count, bool closed)
{
    for (int i = 0; i + 1 < count; i++)
        for (int j = i + 1; j + 1 < count; j++) {
            const bool next = j == i + 1, around = closed && i == 0 && j == count - 2;
            const int *shared = next ? xy[j] : xy[0], *from = next ? xy[i] : xy[1], *to = next ? xy[j + 1] : xy[j];
            if (next || around
                    ? side(from, shared, to) == 0 &&
                          (from[0] - shared[0]) * (to[0] - shared[0]) + (from[1] - shared[1]) * (to[1] - shared[1]) > 0
                    : meet(xy[i], xy[i + 1], xy[j], xy[j + 1]))
                return true;
        }
    return false;
}

static void test_crossings_against_all_pairs(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int crossing = 0, free_ones = 0;
    for (int trial = 0; trial < 20000; trial++) {
        const int size = 3 + trial % 8, points = 3 + (int)(4 * uniform01(&seed));
        const bool closed = uniform01(&seed) < 0.5;
        int xy[8][2];
        double real[16];
        struct nb_scene s = {.touching = true, .radius = 0.1};
        bool twice = false, line = closed;
        for (int k = 0; k < points + closed; k++)
            for (int c = 0; c < 2; c++)
                real[2 * k + c] = xy[k][c] = k == points ? xy[0][c] : (int)(size * uniform01(&seed));
        for (int k = 0; k + 1 < points + closed; k++)
            twice = twice || (xy[k][0] == xy[k + 1][0] && xy[k][1] == xy[k + 1][1]);
        for (int k = 2; k < points; k++)
            line = line && side(xy[0], xy[1], xy[k]) == 0;
        if (twice || line || (!closed && xy[0][0] == xy[points - 1][0] && xy[0][1] == xy[points - 1][1]))
            continue;
        assert_int_equal(nb_scene_add_wall(&s, "w", real, points + closed), 0);
        const bool expected = crosses_itself((const int(*)[2])xy, points + closed, closed),
                   no_area = closed && s.walls[0].area == 0;
        const int status = nb_scene_check(&s);
        if ((status != 0) != (expected || no_area))
            fail_msg("trial %d: %s", trial, status ? nb_error() : "passes, and crosses itself");
        crossing += expected, free_ones += !expected;
        nb_scene_free(&s);
    }
    assert_true(crossing > 1000 && free_ones > 1000);
}

/* Two triangles: whether they cross, and by the distance of all points from all sides else, the gap that is told. */
static double gap_of(const double *p, const double *q)
{
    double least = INFINITY;
    for (int turn = 0; turn < 2; turn++) {
        const double *t = p;
        p = q, q = t;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *a = p + 2 * i, *b = a + 2, *c = q + 2 * j;
                double best = INFINITY;
                for (int k = 0; k <= 1000; k++) {
                    const double x = a[0] + (b[0] - a[0]) * k / 1000, y = a[1] + (b[1] - a[1]) * k / 1000;
                    best = fmin(best, hypot(c[0] - x, c[1] - y));
                }
                least = fmin(least, best);
            }
    }
    return least;
}

static void test_gaps_against_all_pairs(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int narrow = 0, wide = 0;
    for (int trial = 0; trial < 2000; trial++) {
        struct nb_scene s = {.touching = true, .radius = 0.25};
        double xy[2][8];
        for (int w = 0; w < 2; w++) { /* each on its side of x = 0, so that they do not cross */
            for (int k = 0; k < 3; k++) {
                xy[w][2 * k] = (w ? 1 : -1) * (0.02 + uniform01(&seed));
                xy[w][2 * k + 1] = 4 * uniform01(&seed);
            }
            xy[w][6] = xy[w][0], xy[w][7] = xy[w][1];
            assert_int_equal(nb_scene_add_wall(&s, w ? "b" : "a", xy[w], 4), 0);
        }
        const double gap = gap_of(xy[0], xy[1]);
        if (s.walls[0].area > 0 && s.walls[1].area > 0 && fabs(gap - 0.5) > 1e-3) {
            assert_int_equal(nb_scene_check(&s), gap < 0.5 ? -1 : 0);
            if (gap < 0.5)
                assert_says("leave a gap of");
            narrow += gap<0.5, wide += gap> 0.5;
        }
        nb_scene_free(&s);
    }
    assert_true(narrow > 50 && wide > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_hostile_lines),
        cmocka_unit_test(test_huge_counts),
        cmocka_unit_test(test_wall_force),
        cmocka_unit_test(test_inflow),
        cmocka_unit_test(test_good_geometry),
        cmocka_unit_test(test_bad_geometry),
        cmocka_unit_test(test_crossings_against_all_pairs),
        cmocka_unit_test(test_gaps_against_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
