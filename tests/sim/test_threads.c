/* The number of threads for nbsim's steps (threads.h), on simulated machines: steps with given durations for all
 * threads and for one, and the time lost in comparison with the faster choice. */
#include "../../tools/nbsim/threads.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define THREADS 16

struct machine {
    double all_s, one_s; /* a step */
};

/* Bursts of steps as nbsim takes them until so much time has passed: that time over what the faster way needs. */
static double run(struct sim_threads *t, const struct machine *m, double until_s)
{
    const double best_s = m->all_s < m->one_s ? m->all_s : m->one_s;
    double all_s = 0, steps = 0;
    uint64_t burst = 1;
    while (all_s < until_s) {
        const double took_s = (double)burst * (omp_get_max_threads() == 1 ? m->one_s : m->all_s);
        all_s += took_s;
        steps += (double)burst;
        const bool changed = sim_threads_note(t, burst, 3 * burst, took_s);
        burst = changed ? 1 : took_s < 0.05 ? 2 * burst : took_s > 0.2 && burst > 1 ? burst / 2 : burst;
    }
    return all_s / (steps * best_s);
}

static struct sim_threads begun(bool few)
{
    struct sim_threads t;
    omp_set_num_threads(THREADS);
    sim_threads_begin(&t, THREADS, few);
    return t;
}

static void the_faster_way_is_found(void **state)
{
    (void)state;
    const struct {
        bool few;
        struct machine machine;
        double first_s, lost, later; /* at most lost until then, and in two minutes */
    } cases[] = {
        {true, {50e-6, 20e-6}, 0.5, 0.12, 0.01},   /* a few hundred bodies */
        {true, {100e-6, 800e-6}, 0.5, 0.12, 0.01}, /* some thousand, all cores idle */
        {true, {20e-3, 2e-3}, 0.5, 0.12, 0.02},    /* the same with other programs on the cores */
        {false, {20e-3, 2e-3}, 10, 9, 0.06},       /* it takes a while to see that one thread may be tried */
        {false, {20e-3, 250e-3}, 20, 0.06, 0.03},  /* many */
        {false, {5, 60}, 20, 0, 0},                /* very many: one thread is never tried */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct machine *m = &cases[k].machine;
        struct sim_threads t = begun(cases[k].few);
        const double first = run(&t, m, cases[k].first_s), later = run(&t, m, 120);
        print_message("# steps of %g and %g s: %.3f, later %.3f\n", m->all_s, m->one_s, first, later);
        assert_true(first <= 1 + cases[k].lost + 1e-9 && later <= 1 + cases[k].later + 1e-9);
        assert_int_equal(t.chosen, m->one_s < m->all_s ? SIM_ONE_THREAD : SIM_ALL_THREADS);
    }
}

static void a_change_is_followed(void **state)
{
    (void)state;
    const struct machine idle = {100e-6, 800e-6}, busy = {10e-3, 900e-6};
    struct sim_threads t = begun(true);
    run(&t, &idle, 300);
    assert_int_equal(t.chosen, SIM_ALL_THREADS);
    assert_true(run(&t, &busy, 90) < 100); /* at most a minute as before */
    assert_int_equal(t.chosen, SIM_ONE_THREAD);
    run(&t, &idle, 90);
    assert_int_equal(t.chosen, SIM_ALL_THREADS);
}

static void nothing_to_choose(void **state)
{
    struct sim_threads t;
    (void)state;
    omp_set_num_threads(1);
    sim_threads_begin(&t, 1, true);
    for (int k = 0; k < 1000; k++)
        assert_false(sim_threads_note(&t, 10, 10, 0.05));
    t = begun(false);
    for (int k = 0; k < 1000; k++) /* a burst that was cut before its first step tells nothing */
        assert_false(sim_threads_note(&t, 0, 0, 0.05));
    assert_int_equal(omp_get_max_threads(), THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faster_way_is_found),
        cmocka_unit_test(a_change_is_followed),
        cmocka_unit_test(nothing_to_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
