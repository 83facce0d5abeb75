/* p3t with near and far parts of forces together: two stars compared with Kepler's orbit, and bitwise identical
 * results. */
#include "common/made_bodies.h"
#include "kepler.h"
#include "step/kepler.h"

#include <omp.h>

#define E     0.818 /* from 0.3 to 3 times the outer end */
#define FIRST 0.1   /* a step; the changeover follows the first one */

static double far_share(const struct nb_stepper *p)
{
    double a[6], x[6], far = 0, r2 = 0;
    struct nb_column acc = {.type = NB_F64, .width = 3, .data = a}, pos = {.type = NB_F64, .width = 3, .data = x};
    assert_int_equal(nb_state_fetch(p->state, p->vectors[0], &acc), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    for (int d = 0; d < 3; d++) {
        r2 += (x[3 + d] - x[d]) * (x[3 + d] - x[d]);
        far += 2 * a[d] * (x[3 + d] - x[d]);
    }
    return far * sqrt(r2);
}

struct pair_orbit {
    double x[3], v[3];
};

static struct pair_orbit relative(const struct nb_stepper *p)
{
    double x[6], v[6];
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x}, vel = {.type = NB_F64, .width = 3, .data = v};
    struct pair_orbit o;
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->v, &vel), 0);
    for (int d = 0; d < 3; d++)
        o.x[d] = x[3 + d] - x[d], o.v[d] = v[3 + d] - v[d];
    return o;
}

static double energy(const struct pair_orbit *o)
{
    return (o->v[0] * o->v[0] + o->v[1] * o->v[1]) / 2 - 1 / hypot(o->x[0], o->x[1]);
}

/* Two stars at the apocentre, after one step, which has set the changeover. */
static struct nb_stepper start(struct nb_device *device)
{
    struct nb_bodies b;
    make_kepler(&b, -E);
    struct nb_stepper p = start_stepper(device, NB_DOUBLE, nb_scheme_find("p3t"), &b);
    assert_int_equal(nb_steps(&p, FIRST, 1), 0);
    nb_bodies_free(&b);
    return p;
}

/* The orbit at once, from where `p` is, to 0.55 of a period later, through the pericentre. */
static double orbit_error(struct nb_device *device, uint64_t steps)
{
    struct nb_stepper p = start(device);
    const struct pair_orbit from = relative(&p);
    const double time = 1.1 * (double)PI_Q;
    double dx[3], dv[3], worst = 0;
    nb_kepler_advance(1, time, from.x, from.v, dx, dv);
    assert_int_equal(nb_steps(&p, (nb_quad)time / steps, steps), 0);
    const struct pair_orbit to = relative(&p);
    for (int d = 0; d < 3; d++)
        worst = fmax(worst, fabs(to.x[d] - from.x[d] - dx[d]));
    end_stepper(&p);
    return worst;
}

static void both_parts_have_order_2(void **state)
{
    double error[4];
    for (int k = 0; k < 4; k++)
        error[k] = orbit_error(*state, (uint64_t)40 << k);
    print_message("# an orbit through the changeover, half the step each: off by %.1e, %.1e, %.1e, %.1e\n", error[0],
                  error[1], error[2], error[3]);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(log2(error[k] / error[k + 1]) - 2) < 0.1);
    assert_true(error[3] < 2e-5);
}

/* The first step makes the changeover end within the orbit, which goes from all far to all near. */
static void energy_stays(void **state)
{
    struct nb_stepper p = start(*state);
    const struct pair_orbit from = relative(&p);
    double worst[2] = {0}, least = 1;
    assert_true(fabs(far_share(&p) - 1) < 1e-12);
    for (int step = 0; step < 256 * 60; step++) {
        double *which = &worst[step >= 256 * 30];
        assert_int_equal(nb_steps(&p, 2 * PI_Q / 256, 1), 0);
        const struct pair_orbit now = relative(&p);
        *which = fmax(*which, fabs(energy(&now) - energy(&from)));
        least = fmin(least, fabs(far_share(&p)));
    }
    print_message("# energy error in 30 orbits, and in the next 30: %.1e, %.1e\n", worst[0], worst[1]);
    assert_true(least < 0.1 && worst[0] < 2e-3 && worst[1] < 1.2 * worst[0]);
    end_stepper(&p);
}

/* Pairs and single stars in a cube, and a dense clump, which is one component that threads share. */
static void make_cluster(struct nb_bodies *b)
{
    uint64_t seed = 7;
    make_bodies(b, 2000, 1.0 / 2000);
    double *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t k = 0; k < 3 * b->n; k++) {
        x[k] = (k < 3 * 600 ? 0.06 : 2) * (uniform01(&seed) - 0.5);
        v[k] = uniform01(&seed) - 0.5;
        if (k >= 3 * 1200 && k / 3 % 2) {
            x[k] = x[k - 3] + 1e-3 * (uniform01(&seed) - 0.5);
            v[k] = v[k - 3] + 0.1 * (uniform01(&seed) - 0.5);
        }
    }
}

static void equal_bits_for_any_threads(void **state)
{
    static double x[3][3 * 2000], v[3 * 2000];
    struct nb_bodies b;
    const int usual = omp_get_max_threads();
    make_cluster(&b);
    for (int k = 0; k < 3; k++) {
        struct nb_column pos = {.type = NB_F64, .width = 3, .data = x[k]},
                         vel = {.type = NB_F64, .width = 3, .data = v};
        omp_set_num_threads(1 << k);
        struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("p3t"), &b);
        assert_int_equal(nb_steps(&p, 2e-3, 3), 0);
        assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
        assert_int_equal(nb_state_fetch(p.state, p.state->v, &vel), 0);
        for (uint64_t l = 0; l < 3 * b.n; l++)
            x[k][l] += v[l];
        end_stepper(&p);
        omp_set_num_threads(usual);
        assert_memory_equal(x[0], x[k], sizeof x[0]);
    }
    nb_bodies_free(&b);
}

/* The changeover shrinks while a clump is one component, and is as wide as at first when the clump has dispersed. */
static void the_changeover_follows_crowds(void **state)
{
    struct nb_bodies b;
    uint64_t seed = 8;
    make_bodies(&b, 2000, 1.0 / 2000);
    double *x = b.columns[1].data, *v = b.columns[2].data;
    for (uint64_t k = 0; k < 3 * b.n; k++) {
        const bool clump = k < 3 * 400;
        x[k] = (clump ? 0.2 : 2) * (uniform01(&seed) - 0.5);
        v[k] = clump ? 40 * x[k] : 0;
    }
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("p3t"), &b);
    double first = 0, least = INFINITY;
    for (int step = 0; step < 200; step++) {
        assert_int_equal(nb_steps(&p, 2e-3, 1), 0);
        first = step == 0 ? p.split.outer : first;
        least = fmin(least, p.split.outer);
    }
    print_message("# the outer end: first %.3g, least %.3g, last %.3g\n", first, least, p.split.outer);
    assert_true(least < 0.51 * first && p.split.outer > 0.95 * first);
    end_stepper(&p);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest of_device[] = {
        cmocka_unit_test(both_parts_have_order_2),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(equal_bits_for_any_threads),
        cmocka_unit_test(the_changeover_follows_crowds),
    };
    return run_on_devices_alone("tree", NB_FAR_PART, "p3t", of_device, sizeof of_device / sizeof *of_device);
}
