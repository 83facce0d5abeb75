/* Hermite schemes with steps by Aarseth's criterion, on every device: the step size of the criterion, for the body
 * with the shortest step; rejected steps; errors that follow the tolerance with the order of the scheme, compared
 * with known orbits. */
#include "device/device_kind.h"
#include "kepler.h"

static const char *const names[] = {"hermite4", "hermite6"};

static struct nb_control control(double tolerance, double step)
{
    return (struct nb_control){.tolerance = tolerance, .min_step = 1e-12, .max_step = (double)INFINITY, .step = step};
}

static void fetch(const struct nb_stepper *p, double *x)
{
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x};
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
}

static double *rows(struct nb_bodies *b, int column)
{
    return b->columns[column].data;
}

/* Two pairs on circles of their own about a common centre, far from each other: their angular frequency is 1, and that
 * of the pairs themselves 100 and 50. */
static void make_pairs(struct nb_bodies *b)
{
    static const double frequency[] = {100, 50};
    nb_bodies_init(b);
    b->n = 4;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    memset(rows(b, 1), 0, 96);
    memset(rows(b, 2), 0, 96);
    for (int i = 0; i < 4; i++) {
        const double side = i < 2 ? 1 : -1, end = i % 2 ? 1 : -1, w = frequency[i / 2];
        const double radius = cbrt(0.5 / (w * w)) / 2;
        rows(b, 0)[i] = 0.25;
        rows(b, 1)[3 * i] = side / 2;
        rows(b, 2)[3 * i + 1] = side / 2;
        rows(b, 1)[3 * i + 2] = end * radius;
        rows(b, 2)[3 * i] = end * radius * w;
    }
}

/* On a circle of frequency w the criterion is 1/w, for a scheme of order p tolerance^(1/p) of it; with two pairs it is
 * that of the faster. */
static void steps_are_of_the_fastest(void **state)
{
    for (int which = 0; which < 2; which++)
        for (int pairs = 0; pairs < 2; pairs++) {
            const struct nb_scheme *scheme = nb_scheme_find(names[which]);
            const double tolerance = 1e-8, eta = pow(tolerance, 1.0 / scheme->order), want = eta / (pairs ? 100 : 1);
            struct nb_bodies b;
            struct nb_control c = control(tolerance, 10);
            nb_quad left = 1000 * want, before = left;
            if (pairs)
                make_pairs(&b);
            else
                make_kepler(&b, 0);
            struct nb_stepper p = start_stepper(*state, NB_DOUBLE, scheme, &b);
            assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1), 0);
            const double first = (double)(before - left) / want;
            if (!(first > 0.9 && first < 1.5)) /* a/j, and with the snap the root of 2 of it */
                fail_msg("%s: the first step is %g of what is asked for", names[which], first);
            assert_int_equal(nb_steps_adaptive(&p, &c, &left, 20), 0);
            if (!(fabs((double)c.step / want - 1) < 0.02) || c.rejected != 0)
                fail_msg("%s: steps of %g, not %g", names[which], (double)c.step, want);
            end_stepper(&p);
            nb_bodies_free(&b);
        }
}

/* How far from the beginning, where a period of e = 0.9 should end. */
static double period_error(struct nb_device *device, const char *name, double tolerance, struct nb_control *c)
{
    struct nb_bodies b;
    double x[6], worst = 0;
    nb_quad left = 2 * PI_Q;
    make_kepler(&b, 0.9);
    struct nb_stepper p = start_stepper(device, NB_DOUBLE, nb_scheme_find(name), &b);
    *c = control(tolerance, 1);
    assert_int_equal(nb_steps_adaptive(&p, c, &left, 1000000), 0);
    fetch(&p, x);
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(x[k] - rows(&b, 1)[k]));
    end_stepper(&p);
    nb_bodies_free(&b);
    return worst;
}

/* A thousandth of the tolerance: steps are shorter by its root of the order, the error falls as much, up to a factor
 * of 2. */
static void errors_follow_the_tolerance(void **state)
{
    for (int which = 0; which < 2; which++) {
        const int order = nb_scheme_find(names[which])->order;
        struct nb_control coarse, fine;
        const double error[] = {period_error(*state, names[which], 1e-5, &coarse),
                                period_error(*state, names[which], 1e-8, &fine)};
        const double steps = (double)fine.taken / (double)coarse.taken, want = pow(1000, 1.0 / order);
        print_message("# %s: %.2e in %d steps, %.2e in %d steps\n", names[which], error[0], (int)coarse.taken, error[1],
                      (int)fine.taken);
        assert_true(fabs(steps / want - 1) < 0.05);
        assert_true(error[0] < 1e-2 && error[1] < 2e-3 * error[0]);
        assert_true(coarse.rejected <= 2 && fine.rejected <= 2);
    }
}

/* From rest two bodies at distance 1 are at half of it after (1/2 + pi/4) / sqrt(2) in time, G (m1 + m2) = 1. Nothing
 * at rest says how long a step may be, and the first one tried is far too long. */
static void falls_from_rest(void **state)
{
    for (int which = 0; which < 2; which++) {
        struct nb_bodies b;
        double x[6];
        struct nb_control c = control(1e-10, 1000);
        nb_quad left = (NB_Q(0.5) + PI_Q / 4) * nb_quad_rsqrt(2);
        make_kepler(&b, 0);
        memset(rows(&b, 2), 0, 48);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find(names[which]), &b);
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 100000), 0);
        fetch(&p, x);
        if (!(fabs(x[0] - x[3] - 0.5) < 1e-9))
            fail_msg("%s: off by %g", names[which], x[0] - x[3] - 0.5);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* A step far too long is tried again and again on the way to a pericentre: each is refused, costs its evaluations, and
 * leaves no trace but shorter steps; and steps grow by no more than a factor of 2. */
static void long_steps_are_refused(void **state)
{
    for (int which = 0; which < 2; which++) {
        struct nb_bodies b;
        double x[6];
        struct nb_control c = control(1e-7, 1);
        nb_quad left = 2 * PI_Q, last = 10;
        uint64_t forced = 0;
        make_kepler(&b, 0.9);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find(names[which]), &b);
        const uint64_t begun = p.evaluations;
        while (left != 0) {
            const nb_quad before = left;
            if (c.taken % 20 == 19 && left > 1) {
                c.step = 2;
                last = 10;
                forced++;
            }
            assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1), 0);
            assert_true(before - left <= last * NB_Q(2.0000001));
            last = before - left;
        }
        fetch(&p, x);
        assert_true(forced > 5 && c.rejected >= forced);
        assert_int_equal(p.evaluations - begun, c.taken + c.rejected + (which == 1)); /* and the start of hermite6 */
        for (int k = 0; k < 6; k++)
            assert_true(fabs(x[k] - rows(&b, 1)[k]) < 1e-4);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* In mixed precision a tolerance below the digits of the forces counts as these, and steps do not die away. */
static void no_finer_than_forces(void **state)
{
    for (int which = 0; which < 2; which++) {
        struct nb_bodies b;
        struct nb_control c = control(1e-15, 1);
        nb_quad left = 1;
        make_kepler(&b, 0.3);
        struct nb_stepper p = start_stepper(*state, NB_MIXED, nb_scheme_find(names[which]), &b);
        assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1000), 0);
        assert_true(left == 0);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"steps are of the fastest body", steps_are_of_the_fastest, NULL, NULL, NULL},
        {"errors follow the tolerance", errors_follow_the_tolerance, NULL, NULL, NULL},
        {"falls from rest", falls_from_rest, NULL, NULL, NULL},
        {"long steps are refused", long_steps_are_refused, NULL, NULL, NULL},
        {"no finer than forces", no_finer_than_forces, NULL, NULL, NULL},
    };
    return run_on_devices_with("direct", NB_WANT_JERK, "step hermite", NULL, of_device,
                               sizeof of_device / sizeof *of_device);
}
