/* The formulas of tree_expansion.h in double, compared with sums over the bodies: moments added and shifted, the
 * local expansion added and shifted, its value and gradient. The error decreases by 2^5 if the distance doubles, also
 * with softening. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REAL           double
#define SCALAR(x)      ((double)(x))
#define RSQRT(x)       (1 / sqrt(x))
#define EXPANSION(w)   w
#define EXPANSION_CALL static
#include "force/tree/tree_expansion.h"

#define BODIES 24

struct group {
    double m[BODIES], x[BODIES][3], c[3], mass;
};

static uint64_t seed = 11;

static double random_number(void) /* between -1 and 1; the same in every run */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

/* Bodies in a cube of edge 1 about a place. */
static void make(struct group *g, const double *place)
{
    *g = (struct group){.mass = 0};
    for (int i = 0; i < BODIES; i++) {
        g->m[i] = 1.5 + random_number();
        g->mass += g->m[i];
        for (int k = 0; k < 3; k++) {
            g->x[i][k] = place[k] + 0.5 * random_number();
            g->c[k] += g->m[i] * g->x[i][k];
        }
    }
    for (int k = 0; k < 3; k++)
        g->c[k] /= g->mass;
}

static void moments_of(const struct group *g, int begin, int end, const double *c, double *q)
{
    for (int i = begin; i < end; i++)
        moments_add(q, g->m[i], c[0] - g->x[i][0], c[1] - g->x[i][1], c[2] - g->x[i][2]);
}

/* Acceleration and potential (of the other sign) of a group at y. */
static double field(const struct group *g, const double *y, double eps2, double *a)
{
    double psi = 0;
    a[0] = a[1] = a[2] = 0;
    for (int i = 0; i < BODIES; i++) {
        const double d[3] = {g->x[i][0] - y[0], g->x[i][1] - y[1], g->x[i][2] - y[2]};
        const double rinv = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2);
        psi += g->m[i] * rinv;
        for (int k = 0; k < 3; k++)
            a[k] += g->m[i] * rinv * rinv * rinv * d[k];
    }
    return psi;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- the tests ---- */

static void moments_of_parts_shift_to_those_of_the_whole(void **state)
{
    (void)state;
    struct group g;
    double whole[NB_MOMENTS] = {0}, shifted[NB_MOMENTS] = {0};
    make(&g, (double[3]){3, -1, 2});
    moments_of(&g, 0, BODIES, g.c, whole);
    for (int half = 0; half < 2; half++) {
        const int begin = half * BODIES / 2, end = begin + BODIES / 2;
        double c[3] = {0}, mass = 0, q[NB_MOMENTS] = {0};
        for (int i = begin; i < end; i++) {
            mass += g.m[i];
            for (int k = 0; k < 3; k++)
                c[k] += g.m[i] * g.x[i][k];
        }
        for (int k = 0; k < 3; k++)
            c[k] /= mass;
        moments_of(&g, begin, end, c, q);
        moments_shift(shifted, q, g.c[0] - c[0], g.c[1] - c[1], g.c[2] - c[2]);
    }
    assert_true(fabs(whole[0] - g.mass) < 1e-14 * g.mass);
    for (int k = 0; k < NB_MOMENTS; k++)
        assert_true(fabs(whole[k] - shifted[k]) < 1e-13 * g.mass);
}

/* A local expansion is a polynomial: shifted it is the same one, to rounding. */
static void a_shifted_local_expansion_is_the_same_function(void **state)
{
    (void)state;
    double l[NB_LOCALS], to[NB_LOCALS] = {0};
    const double s[3] = {0.3, -0.7, 0.2}, y[3] = {-0.4, 0.9, 0.6};
    for (int k = 0; k < NB_LOCALS; k++)
        l[k] = random_number();
    local_shift(to, l, s[0], s[1], s[2]);
    double g[3] = {0}, g_to[3] = {0};
    local_gradient(l, y[0] + s[0], y[1] + s[1], y[2] + s[2], g);
    local_gradient(to, y[0], y[1], y[2], g_to);
    assert_true(distance(g, g_to) < 1e-14);
    assert_true(fabs(local_value(l, y[0] + s[0], y[1] + s[1], y[2] + s[2]) - local_value(to, y[0], y[1], y[2])) <
                1e-14);
}

static void the_gradient_is_that_of_the_value(void **state)
{
    (void)state;
    double l[NB_LOCALS], g[3] = {0}, numeric[3];
    const double y[3] = {0.2, -0.3, 0.5}, h = 1e-5;
    for (int k = 0; k < NB_LOCALS; k++)
        l[k] = random_number();
    local_gradient(l, y[0], y[1], y[2], g);
    for (int k = 0; k < 3; k++) {
        double up[3] = {y[0], y[1], y[2]}, down[3] = {y[0], y[1], y[2]};
        up[k] += h, down[k] -= h;
        numeric[k] = (local_value(l, up[0], up[1], up[2]) - local_value(l, down[0], down[1], down[2])) / (2 * h);
    }
    assert_true(distance(g, numeric) < 1e-9);
}

/* Largest relative errors of acceleration and potential at the bodies of a group, from another one's moments. */
static void errors_at(double separation, double eps2, double *error_a, double *error_psi)
{
    struct group near, far;
    double q[NB_MOMENTS] = {0}, l[NB_LOCALS] = {0};
    make(&near, (double[3]){0, 0, 0});
    make(&far, (double[3]){0.6 * separation, -0.64 * separation, 0.48 * separation});
    moments_of(&far, 0, BODIES, far.c, q);
    local_add(l, q, near.c[0] - far.c[0], near.c[1] - far.c[1], near.c[2] - far.c[2], eps2, true);
    *error_a = *error_psi = 0;
    for (int i = 0; i < BODIES; i++) {
        const double d[3] = {near.x[i][0] - near.c[0], near.x[i][1] - near.c[1], near.x[i][2] - near.c[2]};
        double a[3], g[3] = {0}, none[3] = {0};
        const double psi = field(&far, near.x[i], eps2, a);
        local_gradient(l, d[0], d[1], d[2], g);
        *error_a = fmax(*error_a, distance(g, a) / distance(a, none));
        *error_psi = fmax(*error_psi, fabs(local_value(l, d[0], d[1], d[2]) / psi - 1));
    }
}

static void the_error_falls_with_the_fifth_power(void **state)
{
    (void)state;
    static const double softening2[] = {0, 1e-4, 0.25};
    for (int s = 0; s < 3; s++) {
        double a[4], psi[4];
        for (int k = 0; k < 4; k++) {
            a[k] = psi[k] = 0;
            for (int sample = 0; sample < 20; sample++) {
                double ea, epsi;
                seed = (uint64_t)sample; /* the same groups at every distance */
                errors_at(8 << k, softening2[s], &ea, &epsi);
                a[k] += ea / 20;
                psi[k] += epsi / 20;
            }
            print_message("# softening^2 %g, distance %d: acceleration %.2e, potential %.2e\n", softening2[s], 8 << k,
                          a[k], psi[k]);
        }
        assert_true(a[0] < 1e-4);
        for (int k = 1; k < 4; k++) {
            assert_true(log2(a[k - 1] / a[k]) > 4.9 && log2(a[k - 1] / a[k]) < 5.5);
            assert_true(log2(psi[k - 1] / psi[k]) > 4.9);
        }
    }
}

/* The forces of two groups on each other are equal and opposite, since both expansions have the same order. */
static void momentum_is_kept(void **state)
{
    (void)state;
    struct group g[2];
    double force[2][3] = {{0}}, none[3] = {0};
    make(&g[0], (double[3]){0, 0, 0});
    make(&g[1], (double[3]){2, 1, -1.5});
    for (int to = 0; to < 2; to++) {
        const struct group *a = &g[to], *b = &g[1 - to];
        double q[NB_MOMENTS] = {0}, l[NB_LOCALS] = {0};
        moments_of(b, 0, BODIES, b->c, q);
        local_add(l, q, a->c[0] - b->c[0], a->c[1] - b->c[1], a->c[2] - b->c[2], 0.01, false);
        assert_true(l[0] == 0);
        for (int i = 0; i < BODIES; i++) {
            double f[3] = {0};
            local_gradient(l, a->x[i][0] - a->c[0], a->x[i][1] - a->c[1], a->x[i][2] - a->c[2], f);
            for (int k = 0; k < 3; k++)
                force[to][k] += a->m[i] * f[k];
        }
    }
    for (int k = 0; k < 3; k++)
        force[1][k] = -force[1][k];
    assert_true(distance(force[0], force[1]) < 1e-13 * distance(force[0], none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_parts_shift_to_those_of_the_whole),
        cmocka_unit_test(a_shifted_local_expansion_is_the_same_function),
        cmocka_unit_test(the_gradient_is_that_of_the_value),
        cmocka_unit_test(the_error_falls_with_the_fifth_power),
        cmocka_unit_test(momentum_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
