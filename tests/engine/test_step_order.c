/* Each scheme has the order that its table states: the error at 0.3 of a Kepler period with e = 0.3, in quad, with n
 * steps and with 2 n. And the tables themselves: sums of rows, quadrature conditions. */
#include "kepler.h"

#include "step/scheme.h"
#include "step/step_radau.h"

/* Sine and cosine by their series, |x| < 4. */
static void sine_cosine(nb_quad x, nb_quad *sine, nb_quad *cosine)
{
    nb_quad term = 1;
    *sine = *cosine = 0;
    for (int k = 0; k < 60; k++) {
        if (k % 2)
            *sine += k % 4 == 1 ? term : -term;
        else
            *cosine += k % 4 == 0 ? term : -term;
        term *= x / (k + 1);
    }
}

/* The relative orbit at 0.3 of a period, from the state at pericentre as it is rounded: distance q, speed u. */
static void true_place(nb_quad q, nb_quad u, nb_quad t, nb_quad *place)
{
    const nb_quad a = 1 / (2 / q - u * u), e = 1 - q / a, rate = nb_quad_rsqrt(a * a * a), mean = rate * t;
    nb_quad anomaly = mean, sine, cosine;
    for (int k = 0; k < 60; k++) {
        sine_cosine(anomaly, &sine, &cosine);
        anomaly -= (anomaly - e * sine - mean) / (1 - e * cosine);
    }
    sine_cosine(anomaly, &sine, &cosine);
    place[0] = a * (cosine - e);
    place[1] = a * sine * (1 - e * e) * nb_quad_rsqrt(1 - e * e);
}

static nb_quad error_of(struct nb_device *cpu, const struct nb_scheme *scheme, uint64_t steps)
{
    struct nb_bodies b;
    nb_quad place[2], off[2], time = NB_Q(0.3) * 2 * PI_Q;
    make_kepler(&b, 0.3);
    true_place(2 * (nb_quad)((double *)b.columns[1].data)[0], 2 * (nb_quad)((double *)b.columns[2].data)[1], time,
               place);
    const bool quad = scheme_serves(scheme, cpu, NB_QUAD);
    struct nb_stepper p = start_stepper(cpu, quad ? NB_QUAD : NB_DOUBLE, scheme, &b);
    assert_int_equal(nb_steps(&p, time / steps, steps), 0);
    for (uint64_t k = 0; k < 2; k++) {
        const uint64_t at = k * p.state->stride;
        const nb_quad *x = p.state->x;
        const double *rounded = p.state->x;
        off[k] = nb_quad_abs((quad ? x[at] - x[at + 1] : (nb_quad)rounded[at] - rounded[at + 1]) - place[k]);
    }
    end_stepper(&p);
    nb_bodies_free(&b);
    return off[0] > off[1] ? off[0] : off[1];
}

/* Steps of the coarser run, by order: where the leading term of the error is well above the others and above 1e-32. */
static uint64_t steps_for(const struct nb_scheme *scheme)
{
    static const uint64_t by_order[] = {0, 8000, 1000, 2000, 1000, 2000, 500, 0, 240, 0, 300, 0, 180, 0, 120, 24};
    return by_order[scheme->order];
}

static void order_is_as_stated(void **state)
{
    (void)state;
    struct nb_device *cpu = cpu_alone();
    bool good = true;
    print_message("# %-18s %6s %9s %10s %7s\n", "scheme", "stated", "measured", "error", "steps");
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const uint64_t n = steps_for(*s);
        const bool split = (*s)->traits & NB_SPLIT;
        if ((*s)->traits & (NB_PLANETARY | NB_REGULARISED) && !split) { /* two bodies are no approximation */
            assert_true(error_of(cpu, *s, 10) < NB_Q(1e-13));
            continue;
        }
        const double coarse = (double)error_of(cpu, *s, n), fine = (double)error_of(cpu, *s, 2 * n);
        const double order = log2(coarse / fine);
        print_message("# %-18s %6d %9.3f %10.2e %7d\n", (*s)->name, (*s)->order, order, coarse, (int)n);
        /* The leading term of order 14 is alone only where the rest of 113 bits is not far. */
        good = good && fabs(order - (*s)->order) < ((*s)->order == 14 ? 0.3 : 0.05);
    }
    assert_true(good);
}

/* ---- conditions that the numbers of a table meet, to the digits of nb_quad ---- */

static void assert_zero(const struct nb_scheme *scheme, nb_quad x)
{
    if (!(nb_quad_abs(x) < NB_Q(1e-31)))
        fail_msg("%s: a condition is off by %g", scheme->name, (double)x);
}

/* sum_j row_j c_j^k */
static nb_quad moment(const nb_quad *row, const nb_quad *c, int n, int k)
{
    nb_quad sum = 0;
    for (int j = 0; j < n; j++) {
        nb_quad power = 1;
        for (int i = 0; i < k; i++)
            power *= c[j];
        sum += row[j] * power;
    }
    return sum;
}

/* Rows add up to their nodes, b integrates polynomials as the order says, and the embedded row as its own says. */
static void butcher_conditions(void **state)
{
    int count = 0;
    (void)state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const struct nb_butcher *t = (*s)->table;
        if ((*s)->family != &nb_family_explicit && (*s)->family != &nb_family_implicit)
            continue;
        const nb_quad *row = t->a;
        for (int i = 0; i < t->stages; i++) {
            const int entries = (*s)->family == &nb_family_explicit ? i : t->stages;
            nb_quad sum = -t->c[i];
            for (int j = 0; j < entries; j++)
                sum += row[j];
            assert_zero(*s, sum);
            row += entries;
        }
        for (int k = 0; k < (*s)->order; k++)
            assert_zero(*s, moment(t->b, t->c, t->stages, k) - 1 / (nb_quad)(k + 1));
        for (int k = 0; k < t->error_order; k++)
            assert_zero(*s, moment(t->error, t->c, t->stages, k));
        assert_true((t->error != NULL) == (((*s)->traits & NB_ADAPTIVE) != 0));
        count++;
    }
    assert_true(count >= 14);
}

static void splitting_conditions(void **state)
{
    int count = 0;
    (void)state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const struct nb_splitting *t = (*s)->table;
        nb_quad kicks = -1, drifts = -1;
        if ((*s)->family != &nb_family_splitting)
            continue;
        for (int k = 0; k <= t->stages; k++)
            kicks += t->kick[k];
        for (int k = 0; k < t->stages; k++) {
            drifts += t->drift[k];
            if ((*s)->traits & NB_REVERSIBLE) {
                assert_zero(*s, t->drift[k] - t->drift[t->stages - 1 - k]);
                assert_zero(*s, t->kick[k] - t->kick[t->stages - k]);
            }
        }
        assert_zero(*s, kicks);
        assert_zero(*s, drifts);
        count++;
    }
    assert_true(count >= 7);
}

/* Exact for polynomials of degree below the order: from 0 to 1, with values at 0, -1, ... and for a corrector at 1, 0
 * .. */
static void adams_conditions(void **state)
{
    static const nb_quad nodes[] = {1, 0, -1, -2, -3, -4};
    int count = 0;
    (void)state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const struct nb_adams *t = (*s)->table;
        if ((*s)->family != &nb_family_adams)
            continue;
        for (int k = 0; k < (*s)->order; k++) {
            assert_zero(*s, moment(t->predictor, nodes + 1, t->steps, k) - 1 / (nb_quad)(k + 1));
            if (t->corrector)
                assert_zero(*s, moment(t->corrector, nodes, t->steps, k) - 1 / (nb_quad)(k + 1));
        }
        assert_true(t->starter->order >= (*s)->order);
        count++;
    }
    assert_int_equal(count, 6);
}

/* The polynomial through values at the nodes is exact to degree 7, in its integrals and derivatives, and its integral
 * to the end to degree 14. */
static void radau_conditions(void **state)
{
    const struct nb_scheme *scheme = nb_scheme_find("ias15");
    struct nb_radau r;
    (void)state;
    nb_radau_make(&r);
    for (int s = 0; s <= NB_RADAU_NODES; s++) {
        nb_quad power = r.node[s];
        for (int k = 0; k < (s == NB_RADAU_NODES ? 15 : 8); k++, power *= r.node[s]) {
            assert_zero(scheme, moment(r.velocity[s], r.node, NB_RADAU_NODES, k) - power / (k + 1));
            if (k < 14) /* the weight of the double integral takes a degree */
                assert_zero(scheme,
                            moment(r.position[s], r.node, NB_RADAU_NODES, k) - power * r.node[s] / ((k + 1) * (k + 2)));
        }
    }
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < 4; j++) /* the j-th derivative of t^k at 1 is k (k - 1) ... (k - j + 1) */
            assert_zero(scheme, (moment(r.derivative[j], r.node, NB_RADAU_NODES, k) -
                                 (j < 1 ? 1 : k * (j < 2 ? 1 : (k - 1) * (j < 3 ? 1 : k - 2)))) *
                                    NB_Q(1e-4));
    assert_true(nb_quad_abs(moment(r.velocity[8], r.node, NB_RADAU_NODES, 15) - 1 / NB_Q(16.0)) > NB_Q(1e-10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_as_stated),   cmocka_unit_test(butcher_conditions),
        cmocka_unit_test(splitting_conditions), cmocka_unit_test(adams_conditions),
        cmocka_unit_test(radau_conditions),
    };
    return cmocka_run_group_tests_name("step order", tests, NULL, NULL);
}
