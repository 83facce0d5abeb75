/* Header lines of stars that merged or left, and of binaries: bitwise round trips, malicious lines rejected with a
 * message, counts if there are too many lines. Pairs that touch during a step, compared with the closest approach of
 * all pairs on straight lines. */
#include "base/error.h"
#include "scene/events.h"
#include "step/step_touch.h"

#include "common/made_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct nb_event merge = {NB_EVENT_MERGE, 1,      0.1,          UINT64_MAX,   7, 0, 1.0 / 3,
                                      5e-324,         -1e300, {-0.0, 1, 2}, {3, M_PI, -5}},
                             escape = {NB_EVENT_ESCAPE, 1, -1e-9, 0, 0, 0, 2, 0, 1.0 / 7, {1, 2, 3}, {4, 5, 6}},
                             exchange = {NB_EVENT_EXCHANGE, 1, 2, 1, 2, UINT64_MAX, 3, 4, 5, {1, 2, 3}, {4, 5, 6}};

static void test_round_trip(void **state)
{
    (void)state;
    const struct nb_event events[] = {merge, escape, exchange};
    const struct nb_booked booked = {3, UINT64_MAX, 0.1, -1.0 / 3, {1, 2, 1e-300}, {4, M_PI, -6}};
    struct nb_booked back;
    struct nb_event *found = NULL;
    struct nb_meta meta = {0};
    size_t count = 0;
    assert_int_equal(nb_meta_add_extra(&meta, "colour red"), 0);
    for (int again = 0; again < 2; again++) { /* in the place of the first */
        assert_int_equal(nb_events_write(&meta, events, 3), 0);
        assert_int_equal(nb_booked_write(&meta, &booked), 0);
    }
    assert_int_equal(meta.extra_count, 5);
    assert_int_equal(nb_events_read(&meta, &found, &count), 0);
    assert_int_equal(nb_booked_read(&meta, &back), 0);
    assert_int_equal(count, 3);
    assert_memory_equal(&found[0], &merge, sizeof merge);
    assert_memory_equal(&found[1], &escape, sizeof escape);
    assert_memory_equal(&found[2], &exchange, sizeof exchange);
    assert_memory_equal(&back, &booked, sizeof back);
    assert_true(nb_events_drop(&meta, true));
    assert_false(nb_events_drop(&meta, true));
    assert_int_equal(meta.extra_count, 1);
    free(found);
    nb_meta_free(&meta);
}

static void test_hostile_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {"event",
                                        "event ",
                                        "event merge",
                                        "event merger 1 2 3",
                                        "event merge 1 2 3 4 5 6 7 8 9 10 11",
                                        "event merge 1 2 3 4 5 6 7 8 9 10 11 12 13",
                                        "event merge 1 2 3 4 5 6 7 8 9 10 11 12 ",
                                        "event merge 1  2 3 4 5 6 7 8 9 10 11 12",
                                        "event merge nan 2 3 4 5 6 7 8 9 10 11 12",
                                        "event merge 1 -2 3 4 5 6 7 8 9 10 11 12",
                                        "event merge 1 2.5 3 4 5 6 7 8 9 10 11 12",
                                        "event merge 1 18446744073709551616 3 4 5 6 7 8 9 10 11 12",
                                        "event merge 1 2 3 -4 5 6 7 8 9 10 11 12",
                                        "event merge 1 2 3 4 5 1e999 7 8 9 10 11 12",
                                        "event escape 1 2 3 4 5 6 7 8 9 0x10",
                                        "event form 1 2 3 4 5 6 7 8 9 10 11",
                                        "event exchange 1 2 3 4 5 6 7 8 9 10 11 12",
                                        "event exchanges 1",
                                        "event merges 1",
                                        "event merges -1 2",
                                        "event escapes 1 2 3",
                                        "booked",
                                        "booked 1 2 3 4 5 6 7 8 9",
                                        "booked 1 2 3 4 5 6 7 8 9 inf",
                                        "booked 1 2 3 4 5 6 7 8 9 10 11"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        struct nb_meta meta = {0};
        struct nb_event *events = NULL;
        struct nb_booked booked;
        size_t count = 0;
        assert_int_equal(nb_meta_add_extra(&meta, lines[k]), 0);
        const int status = nb_events_read(&meta, &events, &count) || nb_booked_read(&meta, &booked);
        if (!status || !strstr(nb_error(), "the header line '"))
            fail_msg("'%s': %s", lines[k], status ? nb_error() : "taken");
        free(events);
        nb_meta_free(&meta);
    }
}

static void test_too_many(void **state)
{
    (void)state;
    enum { MANY = 6000 };
    struct nb_event *events = malloc(MANY * sizeof *events), *found = NULL;
    struct nb_meta meta = {0};
    size_t count = 0;
    for (int k = 0; k < MANY; k++) {
        events[k] = k % 3 ? merge : k % 2 ? escape : exchange;
        events[k].energy = 1;
    }
    assert_int_equal(nb_events_write(&meta, events, MANY), 0);
    assert_int_equal(nb_events_read(&meta, &found, &count), 0);
    assert_int_equal(count, 3);
    assert_true(found[0].kind == NB_EVENT_MERGES && found[0].count == 4000 && found[0].energy == 4000);
    assert_true(found[1].kind == NB_EVENT_ESCAPES && found[1].count == 1000 && found[1].energy == 1000);
    assert_true(found[2].kind == NB_EVENT_EXCHANGES && found[2].count == 1000 && found[2].energy == 1000);
    free(events);
    free(found);
    nb_meta_free(&meta);
}

/* ---- pairs that touch ---- */

enum { N = 400 };

struct lines {
    double mass[N], radius[N], x0[3 * N], x1[3 * N], v[3 * N], a[3 * N];
};

/* The share of the step at which a pair on straight lines touches, or infinite: a quadratic equation. */
static double contact_of(const struct lines *l, int i, int j)
{
    double a = 0, b = 0, c = -(l->radius[i] + l->radius[j]) * (l->radius[i] + l->radius[j]);
    for (int k = 0; k < 3; k++) {
        const double x = l->x0[3 * j + k] - l->x0[3 * i + k], d = l->x1[3 * j + k] - l->x1[3 * i + k] - x;
        a += d * d, b += 2 * x * d, c += x * x;
    }
    const double root = b * b - 4 * a * c, u = (-b - sqrt(fmax(root, 0))) / (2 * a);
    return c <= 0 ? 0 : root >= 0 && u >= 0 && u <= 1 ? u : (double)INFINITY;
}

static void test_first_of_all_pairs(void **state)
{
    (void)state;
    const double h = -0.25; /* backwards */
    uint64_t seed = 11;
    struct lines *l = calloc(1, sizeof *l);
    int none = 0;
    for (int trial = 0; trial < 60; trial++) {
        double first = INFINITY;
        int pair[2] = {0, 0};
        for (int i = 0; i < N; i++) {
            const double speed = i % 50 == 0 ? 40 : 0.5; /* some pass through all */
            l->mass[i] = i % 7 ? 1 : 0;
            l->radius[i] = (trial % 10 + 1) * 4e-4 * uniform01(&seed);
            for (int k = 3 * i; k < 3 * i + 3; k++) {
                l->x0[k] = 1000 * (i == 1) + uniform01(&seed);
                l->v[k] = speed * (uniform01(&seed) - 0.5);
                l->x1[k] = l->x0[k] + h * l->v[k];
            }
        }
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++) {
                const double u = l->mass[i] + l->mass[j] > 0 ? contact_of(l, i, j) : (double)INFINITY;
                if (u < first)
                    first = u, pair[0] = i, pair[1] = j;
            }
        struct nb_touch_watch w = {.mass = l->mass, .radius = l->radius};
        const struct nb_touch_end begin = {l->x0, l->v, l->a}, end = {l->x1, l->v, l->a};
        assert_int_equal(nb_touch_between(&w, N, &begin, &end, h), 0);
        assert_true(w.found == isfinite(first));
        none += !w.found;
        if (!w.found)
            continue;
        assert_true(w.first.i == (uint64_t)pair[0] && w.first.j == (uint64_t)pair[1]);
        assert_true(fabs((double)w.first.after / h - first) < 1e-9);
        /* without that pair another is the first, or none */
        struct nb_touch_watch other = {.mass = l->mass, .radius = l->radius, .passed = &w.first, .passed_count = 1};
        assert_int_equal(nb_touch_between(&other, N, &begin, &end, h), 0);
        assert_true(!other.found || other.first.i != w.first.i || other.first.j != w.first.j);
    }
    assert_true(none > 2 && none < 50);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_hostile_lines),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_first_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
