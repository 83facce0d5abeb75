/* Header lines of disks in contact: bitwise round trips, malicious lines rejected with a message. */
#include "base/error.h"
#include "scene/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_says(const char *pattern)
{
    if (!strstr(nb_error(), pattern))
        fail_msg("'%s' does not say '%s'", nb_error(), pattern);
}

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
        {"box 1 1 0 1", NULL, "expected X0 < X1 and Y0 < Y1"},
        {"box 0 1 2 1", NULL, "expected X0 < X1 and Y0 < Y1"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_orientation), cmocka_unit_test(test_hostile_lines),
        cmocka_unit_test(test_huge_counts), cmocka_unit_test(test_wall_force),  cmocka_unit_test(test_inflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
