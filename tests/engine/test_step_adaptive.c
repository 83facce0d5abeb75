/* Adaptive steps, for every scheme with an error estimate, on every device: steps end at output times, grow and
 * shrink, go backwards in time and keep their limits; the error agrees with the tolerance. */
#include "device/device_kind.h"
#include "kepler.h"

static bool serves(const struct nb_scheme *scheme, const struct nb_device *device)
{
    return (scheme->traits & NB_ADAPTIVE) != 0 && scheme_serves_long(scheme, device);
}

static struct nb_control control(double tolerance, double step)
{
    return (struct nb_control){.tolerance = tolerance, .min_step = 1e-12, .max_step = (double)INFINITY, .step = step};
}

/* The largest distance of positions from the beginning, which a whole number of periods should return to. */
static double off_start(const struct nb_stepper *p, const struct nb_bodies *b)
{
    double x[6], worst = 0;
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x};
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(x[k] - ((double *)b->columns[1].data)[k]));
    return worst;
}

/* A period of e = 0.9, forwards and backwards, from steps that are too long and too short: the error follows the
 * tolerance, so does the number of steps, and steps grow on the way to the apocentre. */
static void period_returns(void **state)
{
    static const double tolerances[] = {1e-6, 1e-10};
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        for (int which = 0; which < 4 && serves(*s, *state); which++) {
            const double tolerance = tolerances[which / 2];
            struct nb_bodies b;
            make_kepler(&b, 0.9);
            struct nb_stepper p = start_stepper(*state, NB_DOUBLE, *s, &b);
            struct nb_control c = control(tolerance, which % 2 ? 1e-7 : 10);
            nb_quad left = which % 2 ? -2 * PI_Q : 2 * PI_Q, largest = 0;
            while (left != 0) {
                const nb_quad before = left;
                assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1), 0);
                assert_true(left == 0 || (left > 0) == (before > 0));
                assert_true(nb_quad_abs(left) < nb_quad_abs(before));
                largest = nb_quad_abs(before - left) > largest ? nb_quad_abs(before - left) : largest;
            }
            const double off = off_start(&p, &b);
            const nb_quad mean = 2 * PI_Q / c.taken;
            if (!(off < 10000 * tolerance) || c.taken > ((*s)->order > 4 ? 3000 : 8000) || !(largest > 2 * mean))
                fail_msg("%s at %g: off by %g in %d steps, the longest %g", (*s)->name, tolerance, off, (int)c.taken,
                         (double)largest);
            end_stepper(&p);
            nb_bodies_free(&b);
        }
}

/* Equal bits and numbers of evaluations, whether steps are asked for one by one or at once. */
static void equal_bits_however_divided(void **state)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        double x[2][6];
        uint64_t evaluations[2];
        for (int which = 0; which < 2 && serves(*s, *state); which++) {
            struct nb_bodies b;
            struct nb_column pos = {.type = NB_F64, .width = 3, .data = x[which]};
            make_kepler(&b, 0.5);
            struct nb_stepper p = start_stepper(*state, NB_DOUBLE, *s, &b);
            struct nb_control c = control(1e-9, 0.1);
            for (nb_quad left = 3; left != 0;)
                assert_int_equal(nb_steps_adaptive(&p, &c, &left, which ? 1 : 1000000), 0);
            assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
            evaluations[which] = p.evaluations;
            end_stepper(&p);
            nb_bodies_free(&b);
        }
        if (serves(*s, *state)) {
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            assert_int_equal(evaluations[0], evaluations[1]);
        }
    }
}

/* To ends that are 1.05, 0.7 and 0.01 steps away, and far: the last two steps are of one size, none is tiny against the
 * step that the error allows, and landing does not make later steps shorter. */
static void lands_without_a_tiny_step(void **state)
{
    static const double ends[] = {1.05, 0.7, 0.01, 7.3, 2.1};
    struct nb_bodies b;
    make_kepler(&b, 0);
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("rkdp54"), &b);
    struct nb_control c = control(1e-8, 0.01);
    nb_quad left = 3;
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), 0);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const nb_quad usual = c.step; /* the circle's */
        nb_quad size[2] = {0, 0};
        left = ends[k] * usual;
        while (left != 0) {
            const nb_quad before = left;
            assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1), 0);
            size[0] = size[1];
            size[1] = before - left;
        }
        if (ends[k] > 1) {
            assert_true(nb_quad_abs(size[0] - size[1]) <= NB_Q(1e-12) * usual);
            assert_true(size[1] > NB_Q(0.45) * usual);
        }
        assert_true(c.step > NB_Q(0.8) * usual && c.step < NB_Q(1.25) * usual);
    }
    assert_true(c.rejected <= 2);
    end_stepper(&p);
    nb_bodies_free(&b);
}

/* A step of at most max_step; one below min_step is an error that leaves the last good state. */
static void keeps_to_its_bounds(void **state)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        struct nb_bodies b;
        if (!serves(*s, *state) || (*s)->traits & NB_OWN_STEPS)
            continue; /* a base step is not refused: test_step_hermite_block.c */
        make_kepler(&b, 0);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, *s, &b);
        struct nb_control c = control(1e-3, 1);
        nb_quad left = 1;
        c.max_step = c.step = 0.05;
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), 0);
        assert_int_equal(c.taken, 20);
        left = 9;
        c.max_step = (double)INFINITY;
        c.step = 3;
        c.min_step = 2; /* for which no scheme's error is that small */
        c.tolerance = 1e-15;
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), -1);
        assert_non_null(strstr(nb_error(), "below the minimum"));
        assert_true(left == 9 && c.taken == 20);
        assert_true(off_start(&p, &b) < 1 && c.step < 2);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* First same as last: six evaluations a step of rkdp54, none again after a step was refused. */
static void first_same_as_last(void **state)
{
    struct nb_bodies b;
    make_kepler(&b, 0.9);
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("rkdp54"), &b);
    struct nb_control c = control(1e-9, 1);
    nb_quad left = 7;
    for (; left != 0; c.step = left != 0 ? 1 : c.step) /* much too long at most places */
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 20), 0);
    assert_true(c.rejected > 20);
    assert_int_equal(p.evaluations, 1 + 6 * (c.taken + c.rejected));
    end_stepper(&p);
    nb_bodies_free(&b);
}

/* How far three periods of e = 0.5 end from where they began, as one body sees the other. */
static double off_orbit(struct nb_device *device, const struct nb_scheme *scheme, bool moved, uint64_t *taken)
{
    static const double place[] = {1000, -700, 300}, speed[] = {-800, 1000, 500};
    const bool long_numbers = device->kind->quad && !nb_scheme_refuse_state(scheme, device, NB_QUAD, 0);
    const enum nb_precision precision = long_numbers ? NB_QUAD : NB_DOUBLE;
    double worst = 0, x[6];
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x};
    struct nb_bodies b;
    make_kepler(&b, 0.5);
    for (int k = 0; moved && k < 6; k++) {
        ((double *)b.columns[1].data)[k] += place[k % 3];
        ((double *)b.columns[2].data)[k] += speed[k % 3];
    }
    struct nb_stepper p = start_stepper(device, precision, scheme, &b);
    struct nb_control c = control(1e-6, 0.1);
    nb_quad left = 6 * PI_Q;
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 100000), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(x[k] - x[3 + k] - (k == 0 ? 0.5 : 0)));
    *taken = c.taken;
    end_stepper(&p);
    nb_bodies_free(&b);
    return worst;
}

/* An orbit that is elsewhere and moves past, a thousand times as fast as its bodies, has the same error. */
static void origin_does_not_matter(void **state)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        if (serves(*s, *state)) {
            uint64_t taken[2];
            const double here = off_orbit(*state, *s, false, &taken[0]), there = off_orbit(*state, *s, true, &taken[1]);
            print_message("# %-15s off by %.1e here and %.1e there, %d and %d steps\n", (*s)->name, here, there,
                          (int)taken[0], (int)taken[1]);
            assert_true(there < 2 * here + 1e-8 && here < 2 * there + 1e-8);
            assert_true(llabs((long long)taken[0] - (long long)taken[1]) <= 2);
        }
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"a period returns", period_returns, NULL, NULL, NULL},
        {"equal bits however divided", equal_bits_however_divided, NULL, NULL, NULL},
        {"lands without a tiny step", lands_without_a_tiny_step, NULL, NULL, NULL},
        {"keeps to its bounds", keeps_to_its_bounds, NULL, NULL, NULL},
        {"the origin does not matter", origin_does_not_matter, NULL, NULL, NULL},
        {"first same as last", first_same_as_last, NULL, NULL, NULL},
    };
    return run_on_devices("step adaptive", NULL, of_device, sizeof of_device / sizeof *of_device);
}
