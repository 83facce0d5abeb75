/* Errors in walls, in the box, and gaps between walls (lib/scene/scene_check.c): header lines with and without errors,
 * and random walls compared with a check of all pairs. */
#include "base/error.h"
#include "scene/scene.h"

#include "common/uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_says(const char *pattern)
{
    if (!strstr(nb_error(), pattern))
        fail_msg("'%s' does not say '%s'", nb_error(), pattern);
}

/* ---- header lines ---- */

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
        {{SQUARE, "wall stone 0.4 0.4 0.6 0.4 0.6 0.6 0.4 0.6 0.4 0.4"}, "wall stone is inside the solid square"},
        {{CAGE, "wall stone 3 3 3.5 3 3.5 3.5 3 3"}, "wall stone is outside of the container cage"},
        {{"box -4 0.9 -4 4", SQUARE}, "wall square: point 1, (1, 0), is outside the box"},
        {{"box 3 4 3 4", SQUARE}, "is outside the box"},
        {{"box -0.05 4 -4 4", "periodic x", SQUARE}, "within a radius of its sides"},
        {{"box 0 0.7 0 9", "periodic x"},
         "the box is periodic along x and only 0.7 wide; it must be at least 0.8 wide, four diameters of a disk"},
        {{"box 0 9 0 0.7", "periodic xy"}, "along y"},
        {{"wall far 0 0 1e101 0"}, "wall far: point 1 is out of range"},
        {{"box -1e308 1e308 -1 1", "periodic x"},
         "the box is out of range along x (its limits must be between -1e+100 and 1e+100)"},
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
        cmocka_unit_test(test_good_geometry),
        cmocka_unit_test(test_bad_geometry),
        cmocka_unit_test(test_crossings_against_all_pairs),
        cmocka_unit_test(test_gaps_against_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
