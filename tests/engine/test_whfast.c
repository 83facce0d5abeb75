/* The Wisdom-Holman map with every instruction set: two bodies, correctors, planets over 10^5 steps, few and many
 * bodies.
 */
#include "kepler.h"

#include "simd/simd.h"
#include "step/scheme.h"
#include "step/whfast.h"

/* ---- the map ---- */

/* A star of mass 1 that moves, and n planets on nearly circular orbits from 1 outwards, masses of 1e-4 to 1e-6 of it;
 * the star is body `star`. */
static void make_planets(struct nb_bodies *b, uint64_t n, uint64_t star, double mass)
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = n + 1;
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i <= n; i++) {
        const double a = 1 + 0.7 * (double)i, angle = 2.4 * (double)i, speed = 1.03 / sqrt(a);
        m[i] = i == star ? 1 : mass / (double)(1 + i % 7);
        x[3 * i] = i == star ? 0 : a * cos(angle), x[3 * i + 1] = i == star ? 0 : a * sin(angle);
        v[3 * i] = i == star ? 0 : -speed * sin(angle), v[3 * i + 1] = i == star ? 0 : speed * cos(angle);
        x[3 * i + 2] = i == star ? 0 : 0.02 * a * sin(3 * angle), v[3 * i + 2] = 0;
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + k] += 5, v[3 * i + k] += 0.25;
    }
}

struct places { /* of at most so many bodies */
    double x[3 * 128], v[3 * 128];
};

static struct places run(const char *scheme, const struct nb_bodies *b, double h, uint64_t count, uint64_t call)
{
    struct places out;
    struct nb_stepper p = start_stepper(cpu_alone(), NB_DOUBLE, nb_scheme_find(scheme), b);
    for (uint64_t done = 0; done < count; done += call)
        assert_int_equal(nb_steps(&p, h, call < count - done ? call : count - done), 0);
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = out.x}, vel = pos;
    vel.data = out.v;
    assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->v, &vel), 0);
    end_stepper(&p);
    return out;
}

static double distance(const struct places *a, const struct places *b, uint64_t n)
{
    double worst = 0;
    for (uint64_t k = 0; k < 3 * n; k++)
        worst = fmax(worst, fabs(a->x[k] - b->x[k]));
    return worst;
}

/* The error falls with h^2 and with the planets' masses; a corrector takes away what is of first order in the masses.
 */
static void errors_in_coordinates(const char *const names[2])
{
    double error[2][2][2];
    for (int mass = 0; mass < 2; mass++) {
        struct nb_bodies b;
        make_planets(&b, 4, 2, mass ? 1e-5 : 1e-3);
        const struct places want = run("feagin12", &b, 0.02, 1000, 1000);
        for (int corrected = 0; corrected < 2; corrected++)
            for (int fine = 0; fine < 2; fine++) {
                const struct places have = run(names[corrected], &b, fine ? 0.1 : 0.2, fine ? 200 : 100, 1000);
                error[mass][corrected][fine] = distance(&have, &want, b.n);
            }
        nb_bodies_free(&b);
    }
    for (int corrected = 0; corrected < 2; corrected++) {
        const double order = log2(error[0][corrected][0] / error[0][corrected][1]);
        const double power = log2(error[0][corrected][1] / error[1][corrected][1]) / log2(100);
        print_message("# %s: %.1e, as h^%.2f and as the masses^%.2f\n", names[corrected], error[0][corrected][1], order,
                      power);
        assert_true(fabs(order - 2) < 0.1 && fabs(power - (corrected ? 2 : 1)) < 0.1);
    }
    assert_true(error[1][1][1] < 1e-3 * error[1][0][1]);
}

static void errors_of_the_map(void **state)
{
    (void)state;
    errors_in_coordinates((const char *const[]){"whfast", "whfast17"});
    errors_in_coordinates((const char *const[]){"whfast-jacobi", "whfast17-jacobi"});
}

/* Two bodies of like masses move on their orbit, however long the step. */
static void two_bodies_are_exact(void **state)
{
    struct nb_bodies b;
    (void)state;
    make_kepler(&b, 0.6);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        const struct places have = run(jacobi ? "whfast-jacobi" : "whfast", &b, 2 * (double)PI_Q / 3, 30, 7);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(have.x[k] - ((double *)b.columns[1].data)[k]) < 1e-11 &&
                        fabs(have.v[k] - ((double *)b.columns[2].data)[k]) < 1e-11);
    }
    nb_bodies_free(&b);
}

/* Few planets act on one another in the kernel, many by the direct sum: the same up to rounding, and either way the
 * same bits however the steps are divided, on every instruction set. */
static void few_and_many(void **state)
{
    static const uint64_t sizes[] = {1, 2, 9, 64, 65, 127};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int set = 0; set < NB_SIMD_SETS; set++) {
            struct nb_bodies b;
            if (!nb_simd_here((enum nb_simd)set) || nb_simd_choose(nb_simd_name((enum nb_simd)set)))
                continue;
            make_planets(&b, sizes[k], sizes[k] / 3, 1e-5);
            const struct places want = run("rkf78", &b, 0.01, 200, 200);
            for (int jacobi = 0; jacobi < 2; jacobi++) {
                const char *scheme = jacobi ? "whfast17-jacobi" : "whfast17";
                const struct places one = run(scheme, &b, 0.05, 40, 40), all = run(scheme, &b, 0.05, 40, 3);
                assert_memory_equal(one.x, all.x, 3 * b.n * sizeof(double));
                assert_memory_equal(one.v, all.v, 3 * b.n * sizeof(double));
                if (!(distance(&one, &want, b.n) < 1e-9))
                    fail_msg("%s, %d planets: %g", scheme, (int)sizes[k], distance(&one, &want, b.n));
            }
            nb_bodies_free(&b);
        }
    assert_int_equal(nb_simd_choose(NULL), 0);
}

/* Energy and angular momentum, in quad so that the sums add no error of theirs. */
static void conserved(const struct nb_stepper *p, nb_quad out[2])
{
    const struct nb_state *s = p->state;
    const double *m = s->m, *x = s->x, *v = s->v;
    const uint64_t y = s->stride, z = 2 * s->stride;
    out[0] = out[1] = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        out[0] += m[i] * ((nb_quad)v[i] * v[i] + (nb_quad)v[y + i] * v[y + i] + (nb_quad)v[z + i] * v[z + i]) / 2;
        out[1] += m[i] * ((nb_quad)x[i] * v[y + i] - (nb_quad)x[y + i] * v[i]);
        for (uint64_t j = 0; j < i; j++) {
            const nb_quad dx = (nb_quad)x[i] - x[j], dy = (nb_quad)x[y + i] - x[y + j],
                          dz = (nb_quad)x[z + i] - x[z + j];
            out[0] -= m[i] * (nb_quad)m[j] * nb_quad_rsqrt(dx * dx + dy * dy + dz * dz);
        }
    }
}

/* The least squares' slope of energy against time over the whole, times the time: the drift. */
static void does_not_drift(const char *scheme)
{
    enum { CALLS = 400, STEPS = 250 };
    struct nb_bodies b;
    nb_quad begin[2], now[2];
    double slope = 0, weight = 0, most = 0, angular = 0;
    make_planets(&b, 4, 0, 1e-5);
    for (int k = 0; k < 15; k++) /* at rest, or the energy of the whole's motion would be most of it */
        ((double *)b.columns[1].data)[k] -= 5, ((double *)b.columns[2].data)[k] -= 0.25;
    struct nb_stepper p = start_stepper(cpu_alone(), NB_DOUBLE, nb_scheme_find(scheme), &b);
    conserved(&p, begin);
    for (int k = 0; k < CALLS; k++) {
        assert_int_equal(nb_steps(&p, 0.05, STEPS), 0);
        conserved(&p, now);
        const double error = (double)((now[0] - begin[0]) / begin[0]), t = 2 * (k + 0.5) / CALLS - 1;
        slope += t * error, weight += t * t;
        most = fmax(most, fabs(error));
        angular = fmax(angular, fabs((double)((now[1] - begin[1]) / begin[1])));
    }
    print_message("# energy within %.1e, drift %.1e; angular momentum within %.1e\n", most, 2 * slope / weight,
                  angular);
    assert_true(most < 3e-8 && fabs(2 * slope / weight) < 1e-10 && angular < 2e-14);
    end_stepper(&p);
    nb_bodies_free(&b);
}

static void nothing_drifts(void **state)
{
    (void)state;
    does_not_drift("whfast17");
    does_not_drift("whfast17-jacobi");
}

/* ---- correctors, refusals ---- */

/* sum_k 4 b_k (k spacing)^(2j-1) / (2j-1)! = c_j, where 1 - (x/2)/sinh(x/2) = sum_j c_j x^(2j), by division of series.
 */
static void corrector_conditions(void **state)
{
    enum { TERMS = 9 };
    nb_quad sinh_terms[TERMS], inverse[TERMS];
    int count = 0;
    (void)state;
    for (int j = 0; j < TERMS; j++) /* sinh(x/2) / (x/2), in powers of x^2 */
        sinh_terms[j] = j == 0 ? 1 : sinh_terms[j - 1] / (4 * (2 * j) * (2 * j + 1));
    for (int j = 0; j < TERMS; j++) {
        inverse[j] = j == 0;
        for (int i = 0; i < j; i++)
            inverse[j] -= inverse[i] * sinh_terms[j - i];
    }
    assert_true(nb_quad_abs(inverse[1] + 1 / (nb_quad)24) < NB_Q(1e-32));
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        if ((*s)->family != &nb_family_whfast)
            continue;
        const struct nb_corrector *c = &((const struct nb_planetary *)(*s)->table)->corrector;
        for (int j = 1; j <= c->stages; j++) {
            nb_quad sum = inverse[j];
            for (int k = 1; k <= c->stages; k++) {
                nb_quad power = 4 * c->b[k - 1];
                for (int i = 1; i < 2 * j; i++)
                    power *= k * NB_CORRECTOR_SPACING / i;
                sum += power;
            }
            assert_true(nb_quad_abs(sum) < NB_Q(1e-30));
        }
        count += c->stages;
    }
    assert_int_equal(count, 16);
}

static const char *why_not(double softening, enum nb_precision precision, unsigned flags)
{
    const struct nb_scheme *s = nb_scheme_find("whfast");
    const char *why = nb_scheme_refuse(s, flags);
    return why ? why : nb_scheme_refuse_state(s, cpu_alone(), precision, softening);
}

static void what_it_cannot_do(void **state)
{
    const unsigned direct = NB_EXACT | NB_ALL_PAIRS;
    (void)state;
    assert_null(why_not(0, NB_DOUBLE, direct));
    assert_non_null(strstr(why_not(0.1, NB_DOUBLE, direct), "--softening 0"));
    assert_non_null(strstr(why_not(0, NB_SINGLE, direct), "double precision only"));
    assert_non_null(strstr(why_not(0, NB_QUAD, direct), "double precision only"));
    assert_non_null(strstr(why_not(0, NB_DOUBLE, direct | NB_EXTERNAL), "external"));
    assert_non_null(strstr(why_not(0, NB_DOUBLE, 0), "--force direct"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_map),    cmocka_unit_test(two_bodies_are_exact),
        cmocka_unit_test(few_and_many),         cmocka_unit_test(nothing_drifts),
        cmocka_unit_test(corrector_conditions), cmocka_unit_test(what_it_cannot_do),
    };
    return cmocka_run_group_tests_name("whfast", tests, NULL, NULL);
}
