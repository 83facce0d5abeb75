/* Post-Newtonian terms of a pair: their conserved quantities, to the order of the terms, and the balance of momentum
 * with gravitational waves. tests/sim/pn.bats compares accelerations with those of the Lagrangian, test_pn_force.c
 * tests the force on many bodies. */
#include "force/pn/pn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct two { /* x1, x2, v1, v2 */
    double y[4][3];
};

static const double m1 = 1.3, m2 = 0.4;
static const struct two start = {{{0.3, -0.2, 0.5}, {-0.7, 0.4, -0.1}, {0.9, -0.5, 0.3}, {-0.6, 0.7, 0.25}}};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* x1 - x2; its length. */
static double separation(const struct two *s, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = s->y[0][k] - s->y[1][k];
    return sqrt(dot(d, d));
}

static struct nb_pn_body body(const struct two *s, int which)
{
    const double *v = s->y[2 + which];
    return (struct nb_pn_body){which ? m2 : m1, {v[0], v[1], v[2]}};
}

static void accelerations(const struct nb_pn *pn, const struct two *s, double a[2][3])
{
    double d[3], r = separation(s, d);
    const struct nb_pn_body first = body(s, 0), second = body(s, 1);
    nb_pn_pair(pn, &first, &second, d, a[0], a[1]);
    for (int k = 0; k < 3; k++) {
        a[0][k] -= m2 * d[k] / (r * r * r);
        a[1][k] += m1 * d[k] / (r * r * r);
    }
}

static double energy(const struct nb_pn *pn, const struct two *s)
{
    double d[3], r = separation(s, d);
    const double back[3] = {-d[0], -d[1], -d[2]};
    const struct nb_pn_body first = body(s, 0), second = body(s, 1);
    return m1 * (dot(first.v, first.v) / 2 + nb_pn_kinetic(pn, first.v) + nb_pn_energy(pn, &first, &second, d)) +
           m2 * (dot(second.v, second.v) / 2 + nb_pn_kinetic(pn, second.v) + nb_pn_energy(pn, &second, &first, back)) -
           m1 * m2 / r;
}

/* Along x, to 1PN. */
static double momentum(const struct nb_pn *pn, const struct two *s)
{
    double d[3], r = separation(s, d), sum = 0;
    const double m[2] = {m1, m2};
    for (int i = 0; i < 2; i++) {
        const double *v = s->y[2 + i];
        sum += m[i] * v[0] + (m[i] * dot(v, v) / 2 * v[0] - m1 * m2 / (2 * r) * (v[0] + dot(d, v) * d[0] / (r * r))) /
                                 (pn->c * pn->c);
    }
    return sum;
}

/* Along x, what gravitational waves make of it at 2.5PN, in the near zone. */
static double wave_momentum(const struct nb_pn *pn, const struct two *s)
{
    double d[3], r = separation(s, d), v[3];
    for (int k = 0; k < 3; k++)
        v[k] = s->y[2][k] - s->y[3][k];
    const double v2 = dot(v, v);
    return 0.8 * m1 * m2 / (r * r * r * pow(pn->c, 5)) * d[0] * (m1 * (v2 - 2 * m1 / r) - m2 * (v2 - 2 * m2 / r));
}

/* The time derivative of a function of the state. */
static double rate(double (*of)(const struct nb_pn *, const struct two *), const struct nb_pn *pn)
{
    const double h = 1e-4;
    double a[2][3], value[2];
    accelerations(pn, &start, a);
    for (int side = 0; side < 2; side++) {
        struct two s = start;
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) {
                s.y[i][k] += (side ? h : -h) * start.y[2 + i][k];
                s.y[2 + i][k] += (side ? h : -h) * a[i][k];
            }
        value[side] = of(pn, &s);
    }
    return (value[1] - value[0]) / (2 * h);
}

/* Of what is left of a rate at c and 2 c; the error of the difference, as it is without the terms, taken off. */
static double ratio(double (*of)(const struct nb_pn *, const struct two *), int order, double c)
{
    const struct nb_pn plain = {1, 1e9, order}, one = {1, c, order}, other = {1, 2 * c, order};
    const double zero = rate(of, &plain);
    return (rate(of, &one) - zero) / (rate(of, &other) - zero);
}

static void energy_and_momentum_are_conserved_to_their_order(void **state)
{
    (void)state;
    const double first = ratio(energy, 2, 30), second = ratio(energy, 4, 30), p = ratio(momentum, 2, 30);
    print_message("# energy %.3g of 16, with 2PN %.3g of 64; momentum %.3g of 16\n", first, second, p);
    assert_true(fabs(first - 16) < 0.5); /* what is left goes as the next order, c^-4 and c^-6 */
    assert_true(fabs(second - 64) < 1);
    assert_true(fabs(p - 16) < 0.5);
}

/* The same relative motion about the centre of mass, which is shifted at 1PN (Kidder 1995, Phys. Rev. D 52, 821). */
static struct two centred(double c, double x[3], double v[3])
{
    const double m = m1 + m2, mu[2] = {m2 / m, -m1 / m}, r = separation(&start, x);
    struct two s;
    for (int k = 0; k < 3; k++)
        v[k] = start.y[2][k] - start.y[3][k];
    const double rdot = dot(x, v) / r, shift = m1 * m2 * (m1 - m2) / (m * m * m * c * c);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            s.y[i][k] = (mu[i] + shift * (dot(v, v) - m / r) / 2) * x[k];
            s.y[2 + i][k] = (mu[i] + shift * (dot(v, v) - m / r) / 2) * v[k] - shift * m * rdot / (2 * r * r) * x[k];
        }
    return s;
}

/* Its acceleration beside Newton's to 2PN (eq. 2.2). */
static void relative_acceleration(double c, const double x[3], const double v[3], double a[3])
{
    const double m = m1 + m2, nu = m1 * m2 / (m * m), r = sqrt(dot(x, x)), g = m / r, v2 = dot(v, v);
    const double rdot = dot(x, v) / r, q = rdot * rdot;
    const double along1 = -2 * (2 + nu) * g + (1 + 3 * nu) * v2 - 1.5 * nu * q, across1 = -2 * (2 - nu) * rdot;
    const double along2 = 0.75 * (12 + 29 * nu) * g * g + nu * (3 - 4 * nu) * (v2 * v2 - 1.5 * v2 * q) +
                          15.0 / 8 * nu * (1 - 3 * nu) * q * q - nu / 2 * (13 - 4 * nu) * g * v2 -
                          (2 + 25 * nu + 2 * nu * nu) * g * q;
    const double across2 =
        -rdot / 2 * (nu * (15 + 4 * nu) * v2 - (4 + 41 * nu + 8 * nu * nu) * g - 3 * nu * (3 + 2 * nu) * q);
    for (int k = 0; k < 3; k++)
        a[k] = -g / r / (c * c) * ((along1 + along2 / (c * c)) * x[k] / r + (across1 + across2 / (c * c)) * v[k]);
}

static void relative_motion_is_that_of_kidder(void **state)
{
    (void)state;
    const double c = 100;
    const struct nb_pn pn = {1, c, 4};
    double x[3], v[3], a[2][3], want[3];
    const struct two s = centred(c, x, v);
    const struct nb_pn_body first = body(&s, 0), second = body(&s, 1);
    nb_pn_pair(&pn, &first, &second, x, a[0], a[1]);
    relative_acceleration(c, x, v, want);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(a[0][k] - a[1][k] - want[k]) < 20 / pow(c, 6)); /* of 1 / c^4 */
}

/* The 2.5PN terms: the relative acceleration (Kidder 1995, Phys. Rev. D 52, 821, eq. 2.2d), and momentum. */
static void waves_act_on_both(void **state)
{
    (void)state;
    const struct nb_pn with = {1, 3, 5}, without = {1, 3, 4};
    const double m = m1 + m2, nu = m1 * m2 / (m * m), c5 = pow(3, 5);
    double a[2][3], b[2][3], d[3], v[3], r = separation(&start, d), sum = 0;
    accelerations(&with, &start, a);
    accelerations(&without, &start, b);
    for (int k = 0; k < 3; k++)
        v[k] = start.y[2][k] - start.y[3][k];
    const double rdot = dot(d, v) / r, v2 = dot(v, v), factor = 1.6 * m * m * nu / (r * r * r * c5);
    for (int k = 0; k < 3; k++) {
        const double want = factor * (rdot * d[k] / r * (3 * v2 + 17 * m / (3 * r)) - v[k] * (v2 + 3 * m / r));
        const double got = a[0][k] - b[0][k] - (a[1][k] - b[1][k]);
        assert_true(fabs(got - want) < 1e-13);
    }
    sum = m1 * (a[0][0] - b[0][0]) + m2 * (a[1][0] - b[1][0]);
    assert_true(fabs(sum) > 1e-6);
    const struct nb_pn newton = {1, 1e9, 2};
    const struct nb_pn *of = &newton; /* the motion; its c is replaced in the momentum */
    double value[2];
    accelerations(of, &start, b);
    for (int side = 0; side < 2; side++) {
        struct two s = start;
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) {
                s.y[i][k] += (side ? 1e-5 : -1e-5) * start.y[2 + i][k];
                s.y[2 + i][k] += (side ? 1e-5 : -1e-5) * b[i][k];
            }
        value[side] = wave_momentum(&with, &s);
    }
    assert_true(fabs(sum + (value[1] - value[0]) / 2e-5) < 1e-9);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_momentum_are_conserved_to_their_order),
        cmocka_unit_test(relative_motion_is_that_of_kidder),
        cmocka_unit_test(waves_act_on_both),
    };
    return cmocka_run_group_tests_name("pn", tests, NULL, NULL);
}
