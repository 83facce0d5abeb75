/* ias15 on every device: Kepler orbits up to e = 0.999 compared with the formula, energy errors from rounding only,
 * and steps by the time scale of each body: close light pairs, a body on which forces cancel, a passage through a
 * point without force. */
#include "device/device_kind.h"
#include "kepler.h"

/* Bodies of mass, position and velocity, seven numbers each. */
static void make_bodies(struct nb_bodies *b, uint64_t n, const double (*body)[7])
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = n;
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (uint64_t i = 0; i < n; i++) {
        ((double *)b->columns[0].data)[i] = body[i][0];
        memcpy((double *)b->columns[1].data + 3 * i, body[i] + 1, 3 * sizeof(double));
        memcpy((double *)b->columns[2].data + 3 * i, body[i] + 4, 3 * sizeof(double));
    }
}

/* Of the state, by its definition. */
static long double energy(const struct nb_stepper *p)
{
    enum { MOST = 8 };
    double m[MOST], x[3 * MOST], v[3 * MOST];
    struct nb_column mass = {.type = NB_F64, .width = 1, .data = m}, pos = {.type = NB_F64, .width = 3, .data = x},
                     vel = {.type = NB_F64, .width = 3, .data = v};
    long double sum = 0;
    assert_true(p->state->n <= MOST);
    assert_int_equal(nb_state_fetch(p->state, p->state->m, &mass), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->v, &vel), 0);
    for (uint64_t i = 0; i < p->state->n; i++)
        for (uint64_t j = 0; j <= i; j++) {
            long double d2 = (long double)p->softening * p->softening, v2 = 0;
            for (int k = 0; k < 3; k++) {
                d2 += ((long double)x[3 * i + k] - x[3 * j + k]) * ((long double)x[3 * i + k] - x[3 * j + k]);
                v2 += (long double)v[3 * i + k] * v[3 * i + k];
            }
            sum += j == i ? m[i] * v2 / 2 : -(long double)m[i] * m[j] / sqrtl(d2);
        }
    return sum;
}

static struct nb_control advance(struct nb_stepper *p, double tolerance, nb_quad time)
{
    struct nb_control c = {.tolerance = tolerance, .min_step = 1e-12, .max_step = (double)INFINITY, .step = 1e-3};
    if (nb_steps_adaptive(p, &c, &time, UINT64_MAX))
        fail_msg("%s", nb_error());
    return c;
}

/* After four and a half periods from pericentre the bodies are at apocentre, a (1 + e) apart; after half a period where
 * kernels start slowly. */
static void eccentric_orbits(void **state)
{
    static const struct {
        double e, bound;
    } orbits[] = {{0.5, 1e-13}, {0.9, 1e-12}, {0.99, 3e-11}, {0.999, 1e-9}};
    for (size_t k = 0; k < sizeof orbits / sizeof *orbits; k++) {
        struct nb_bodies b;
        double x[6];
        struct nb_column pos = {.type = NB_F64, .width = 3, .data = x};
        if (starts_slowly(*state) && orbits[k].e != 0.9)
            continue;
        make_kepler(&b, orbits[k].e);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
        /* The orbit of the state as it is rounded: distance q and speed u. */
        const nb_quad q = 2 * (nb_quad)((double *)b.columns[1].data)[0],
                      u = 2 * (nb_quad)((double *)b.columns[2].data)[1], a = 1 / (2 / q - u * u);
        const struct nb_control c =
            advance(&p, 1e-9, (starts_slowly(*state) ? NB_Q(1.0) : NB_Q(9.0)) * PI_Q / nb_quad_rsqrt(a * a * a));
        assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
        const double along = fabs(x[0] - x[3] + (double)(2 * a - q)), across = fabs(x[1] - x[4]);
        print_message("# e = %g: off by %.1e along and %.1e across the axis, %d steps\n", orbits[k].e, along, across,
                      (int)c.taken);
        assert_true(fmax(along, across) < orbits[k].bound);
        assert_true(c.taken < 1500);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* Two thousand orbits, of a few eccentricities: the error of the energy is a small part of what it were if each step
 * was off by a rounding, at random, of the kinetic energy at pericentre. What is the same in each step adds up to more:
 * an iteration that stops at a tenth of a rounding. */
static void errors_are_roundings(void **state)
{
    static const double e[] = {0.5, 0.6, 0.7};
    const bool slow = !((struct nb_device *)*state)->kind->host;
    const int orbits = starts_slowly(*state) ? 1 : slow ? 20 : 2000;
    double sum = 0;
    for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
        struct nb_bodies b;
        make_kepler(&b, e[k]);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
        const long double before = energy(&p), kinetic = 0.125L * (1 + e[k]) / (1 - e[k]);
        const struct nb_control c = advance(&p, 1e-9, orbits * 2 * PI_Q);
        const double error = (double)(energy(&p) - before), random = 0x1p-53 * (double)kinetic * sqrt((double)c.taken);
        print_message("# e = %g: %.1e, roundings at random %.1e\n", e[k], error, random);
        sum += pow(error / random, 2);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
    assert_true(sqrt(sum / (double)(sizeof e / sizeof *e)) < (slow ? 1 : 0.25));
}

/* A pair of masses 5e-7 in orbit about one of mass 1, its period 1/31 of the outer one: followed to a small part of its
 * own energy, which is 1e-4 of the whole. */
static void tight_light_pair(void **state)
{
    const double turns = starts_slowly(*state) ? 0.25 : 1;
    const double d = 5e-4, u = sqrt(1e-6 / 1e-3) / 2;
    const double body[][7] = {
        {1, 0, 0, 0, 0, 0, 0}, {5e-7, 1 + d, 0, 0, 0, 1 + u, 0}, {5e-7, 1 - d, 0, 0, 0, 1 - u, 0}};
    struct nb_bodies b;
    make_bodies(&b, 3, body);
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
    const long double before = energy(&p), own = 2.5e-13L / 2e-3L;
    const struct nb_control c = advance(&p, 1e-9, turns * 2 * PI_Q);
    print_message("# error %.1e of the pair's energy, %d steps\n", (double)((energy(&p) - before) / own), (int)c.taken);
    assert_true(fabsl(energy(&p) - before) < 1e-9L * own);
    assert_true((double)c.taken > turns * 31 * 20 && (double)c.taken < turns * 31 * 80);
    end_stepper(&p);
    nb_bodies_free(&b);
}

/* Two bodies on one circle about a third between them, whose acceleration is all rounding: as many steps as without the
 * rounding, from an origin far away too. */
static void forces_that_cancel(void **state)
{
    static const double away[] = {0, 1000};
    for (int k = 0; k < 2; k++) {
        const double o = away[k], v = sqrt(1 + 1e-3 / 4);
        const double body[][7] = {
            {1, o, o / 3, 0, 0, 0, 0}, {1e-3, o + 1, o / 3, 0, 0, v, 0}, {1e-3, o - 1, o / 3, 0, 0, -v, 0}};
        struct nb_bodies b;
        make_bodies(&b, 3, body);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
        const struct nb_control c = advance(&p, 1e-9, 2 * PI_Q);
        print_message("# %d steps\n", (int)c.taken);
        assert_true(c.taken > 30 && c.taken < 60 && c.rejected < 4);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* Softened bodies that fall through one another: where they meet no force acts, and nothing is short there. */
static void through_no_force(void **state)
{
    const double body[][7] = {{0.5, 0.5, 0, 0, 0, 0, 0}, {0.5, -0.5, 0, 0, 0, 0, 0}};
    struct nb_bodies b;
    make_bodies(&b, 2, body);
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
    p.softening = 0.3;
    assert_int_equal(nb_step_begin(&p), 0); /* with that softening */
    const long double before = energy(&p);
    const struct nb_control c = advance(&p, 1e-9, starts_slowly(*state) ? 5 : 20);
    print_message("# error %.1e, %d steps, %d refused\n", (double)((energy(&p) - before) / before), (int)c.taken,
                  (int)c.rejected);
    assert_true(fabsl(energy(&p) - before) < 1e-13L * fabsl(before));
    assert_true(c.taken < 1000);
    end_stepper(&p);
    nb_bodies_free(&b);
}

/* A step that is far too long is refused and leaves the state as it was. */
static void refuses_what_is_too_long(void **state)
{
    struct nb_bodies b;
    make_kepler(&b, 0.9);
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("ias15"), &b);
    struct nb_control c = {.tolerance = 1e-9, .min_step = 1, .max_step = (double)INFINITY, .step = 100};
    nb_quad left = 100;
    const long double before = energy(&p);
    c.step = 100;
    p.scaled = true; /* as in the midst of a run, so that the first step is not made shorter */
    assert_int_equal(nb_steps_adaptive(&p, &c, &left, 1), -1);
    assert_non_null(strstr(nb_error(), "below the minimum"));
    assert_true(left == 100 && energy(&p) == before && c.rejected > 0);
    end_stepper(&p);
    nb_bodies_free(&b);
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"eccentric orbits", eccentric_orbits, NULL, NULL, NULL},
        {"errors are roundings", errors_are_roundings, NULL, NULL, NULL},
        {"a tight light pair", tight_light_pair, NULL, NULL, NULL},
        {"forces that cancel", forces_that_cancel, NULL, NULL, NULL},
        {"through no force", through_no_force, NULL, NULL, NULL},
        {"refuses what is too long", refuses_what_is_too_long, NULL, NULL, NULL},
    };
    return run_on_devices("step ias15", NULL, of_device, sizeof of_device / sizeof *of_device);
}
