/* Chains with post-Newtonian terms. The leapfrog with two velocities has errors in even powers of the step, so each
 * column of the extrapolation gains two orders. The averaged orbit (orbit_pn.c) agrees with the chain. */
#include "kepler.h"

#include "step/groups/chain_advance.c"
#include "step/groups/orbit.h"

static const double gm[2] = {1.5, 0.5}, nu = 0.1875;

/* A binary of semi-major axis 1 about the Newtonian centre of mass, whose origin moves. */
static struct nb_chain binary(double e, double c_light, int order)
{
    const double r = 1 - e, speed = sqrt(2 / r * (1 + e));
    const double x[2][3] = {{-r / 4, 0, 0}, {3 * r / 4, 0, 0}}, v[2][3] = {{0, -speed / 4, 0}, {0, 3 * speed / 4, 0}};
    struct nb_chain c;
    nb_chain_make(&c, 2, gm, x, v);
    c.pn = (struct nb_pn){.G = 1, .c = c_light, .order = order};
    c.hole[0] = true;
    c.frame[0] = 0.3, c.frame[1] = -0.2, c.frame[2] = 0.5;
    return c;
}

static void separation(const struct nb_chain *c, double x[3], double v[3])
{
    double at[NB_CHAIN_MAX][3], moves[NB_CHAIN_MAX][3];
    nb_chain_places(c, at, moves);
    for (int d = 0; d < 3; d++) {
        x[d] = at[1][d] - at[0][d];
        v[d] = moves[1][d] - moves[0][d];
    }
}

/* What a column is off by after `steps` steps to the chain's time `span`. */
static double off(const double *truth, int column, double span, int steps)
{
    struct nb_chain c = binary(0.6, 12, 5);
    struct work w = {.c = &c, .total = 2};
    double y[VARIABLES], sum = 0;
    for (int k = 0; k < steps; k++) {
        double table[COLUMNS][VARIABLES], before[VARIABLES], y0[VARIABLES];
        open_step(&w, y0);
        for (int q = 0; q <= column; q++) {
            memcpy(y, y0, sizeof y);
            leapfrog(&w, y, span / steps, substeps_of(q));
            extrapolate(q, w.count, table, y, before);
        }
        close_step(&w, &c, y);
    }
    for (int k = LINKS; k < w.count; k++)
        sum += (y[k] - truth[k]) * (y[k] - truth[k]);
    if (steps == 1)
        memcpy((double *)truth, y, sizeof y);
    return sqrt(sum);
}

static void test_each_column_gains_two_orders(void **state)
{
    double truth[VARIABLES] = {0};
    (void)state;
    struct nb_chain c = binary(0.6, 12, 5);
    struct work w = {.c = &c, .total = 2};
    double y[VARIABLES];
    for (int k = 0; k < 64; k++) { /* nothing is left of the error of the last column */
        double table[COLUMNS][VARIABLES], before[VARIABLES], y0[VARIABLES];
        open_step(&w, y0);
        for (int q = 0; q < COLUMNS; q++) {
            memcpy(y, y0, sizeof y);
            leapfrog(&w, y, 3.0 / 64, substeps_of(q));
            extrapolate(q, w.count, table, y, before);
        }
        close_step(&w, &c, y);
    }
    memcpy(truth, y, sizeof y);
    for (int column = 0; column < 3; column++) {
        const double coarse = off(truth, column, 3, 16), fine = off(truth, column, 3, 32);
        print_message("column %d: %g, %g, order %.2f\n", column, coarse, fine, log2(coarse / fine));
        assert_true(fabs(log2(coarse / fine) - 2 * (column + 1)) < 0.35);
    }
}

/* After about `orbits` orbits, relative to the semi-major axis. */
static double orbit_is_off(double e, double c_light, int order, double orbits)
{
    struct nb_chain c = binary(e, c_light, order);
    struct nb_orbit o;
    double x[3], v[3], ox[3], ov[3], most = 0;
    memset(c.frame, 0, sizeof c.frame);
    assert_true(nb_chain_advance(&c, 0.7, 1e-13, NULL, NULL, NULL));
    separation(&c, x, v);
    assert_true(nb_orbit_set(&o, 2, x, v) && nb_orbit_set_pn(&o, &c.pn, nu, x, v));
    for (int k = 0; k < 8; k++) {
        const double dt = (orbits + 0.123) * nb_orbit_period(&o) / 8;
        nb_orbit_place(&o, ox, ov);
        separation(&c, x, v);
        for (int d = 0; d < 3; d++)
            most = fmax(most, fabs(x[d] - ox[d]));
        assert_true(nb_chain_advance(&c, dt, 1e-13, NULL, NULL, NULL));
        nb_orbit_advance(&o, dt, NULL);
    }
    return most;
}

static void test_orbit_is_that_of_the_chain(void **state)
{
    static const double e[3] = {0, 0.3, 0.8};
    (void)state;
    for (int k = 0; k < 3; k++) { /* up to 1/c^4, the next order */
        const double one = orbit_is_off(e[k], 1000, 2, 10), two = orbit_is_off(e[k], 2000, 2, 10);
        print_message("e %g: %g, %g\n", e[k], one, two);
        assert_true(one < 1e-8 && two < one / 10);
    }
}

/* What 2.5PN changes in a separation after a time, by the chain and by the orbit. */
static void test_orbit_decays_as_the_chain(void **state)
{
    double x[2][3], ox[2][3], v[3], sum = 0, off = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct nb_chain c = binary(0.5, 300, 4 + k);
        struct nb_orbit o;
        memset(c.frame, 0, sizeof c.frame);
        separation(&c, x[k], v);
        assert_true(nb_orbit_set(&o, 2, x[k], v) && nb_orbit_set_pn(&o, &c.pn, nu, x[k], v));
        const double dt = 1000.3 * nb_orbit_period(&o);
        assert_true(nb_chain_advance(&c, dt, 1e-13, NULL, NULL, NULL));
        nb_orbit_advance(&o, dt, NULL);
        separation(&c, x[k], v);
        nb_orbit_place(&o, ox[k], v);
    }
    for (int d = 0; d < 3; d++) {
        const double chain = x[1][d] - x[0][d], orbit = ox[1][d] - ox[0][d];
        sum += chain * chain;
        off += (chain - orbit) * (chain - orbit);
    }
    print_message("decay moves by %g, off by %g of that\n", sqrt(sum), sqrt(off / sum));
    assert_true(sqrt(sum) > 1e-4 && sqrt(off / sum) < 0.01);
}

/* The centre of mass wobbles, the centre of energy does not. */
static void test_centre_of_energy_moves_uniformly(void **state)
{
    double place[2][3], speed[2][3], x[2][3], v[2][3], wobble = 0, off = 0;
    struct nb_chain c = binary(0.5, 1000, 2);
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_true(nb_chain_advance(&c, k ? 2.3 : 0.4, 1e-13, NULL, NULL, NULL));
        nb_chain_places(&c, x, v);
        for (int b = 0; b < 2; b++)
            for (int d = 0; d < 3; d++) {
                x[b][d] -= c.x[1][d];
                v[b][d] -= c.v[1][d];
            }
        const double frame[3] = {c.frame[0] + c.v[1][0], c.frame[1] + c.v[1][1], c.frame[2] + c.v[1][2]};
        nb_pn_centre(1000, gm, (const double(*)[3])x, (const double(*)[3])v, frame, place[k], speed[k]);
        for (int d = 0; d < 3; d++) {
            wobble = fmax(wobble, fabs(speed[k][d]));
            place[k][d] += c.x[1][d];
            speed[k][d] += c.v[1][d];
        }
    }
    for (int d = 0; d < 3; d++) {
        off = fmax(off, fabs(speed[1][d] - speed[0][d]));
        off = fmax(off, fabs(place[1][d] - place[0][d] - 2.3 * speed[0][d]));
    }
    print_message("wobble %g, of the centre of energy %g\n", wobble, off);
    assert_true(wobble > 1e-8 && off < 1e-4 * wobble);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_column_gains_two_orders), cmocka_unit_test(test_orbit_is_that_of_the_chain),
        cmocka_unit_test(test_orbit_decays_as_the_chain), cmocka_unit_test(test_centre_of_energy_moves_uniformly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
