/* Eddington's inversion compared with distribution functions in closed form; its input densities and potentials
 * compared with known results. */
#include "nbgen/sphere/sphere.h"

#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef NB_HAVE_GSL
static const bool has_gsl = true;
#else
static const bool has_gsl = false; /* no spheres by Poisson's equation */
#endif

static struct sphere *make(const struct sphere_density *density, double anisotropy_radius)
{
    struct sphere_pull pull = {density->mass, density->context};
    struct sphere *s = sphere_make(density, &pull, anisotropy_radius);
    if (!s)
        fail_msg("%s", nb_error());
    return s;
}

static struct sphere *make_dehnen(double gamma, double anisotropy_radius)
{
    struct sphere_shape shape = {SPHERE_DEHNEN, 1, 1, .gamma = gamma, .truncation = INFINITY};
    struct sphere_density density = sphere_profile(&shape);
    return make(&density, anisotropy_radius);
}

static void assert_near(double value, double expected, double tolerance, const char *what, double where)
{
    if (!(fabs(value / expected - 1) < tolerance))
        fail_msg("%s at %g: %.12g, not %.12g: off by %.3g", what, where, value, expected, value / expected - 1);
}

/* ---- what the tables say ---- */

/* The distribution function at Q = -E - L^2 / (2 radius^2), by a cubic through four nodes in logarithms. */
static double df(const struct sphere *s, double Q)
{
    uint32_t low = 0, high = s->n - 1;
    double x[4], sum = 0, at = log(Q - s->floor);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(s->nodes[middle].psi >= Q ? &low : &high) = middle;
    }
    const struct sphere_node *a = &s->nodes[low < 1 ? 0 : low + 3 > s->n ? s->n - 4 : low - 1];
    for (int k = 0; k < 4; k++)
        x[k] = log(a[k].psi - s->floor);
    for (int k = 0; k < 4; k++) {
        double term = log(a[k].f);
        for (int j = 0; j < 4; j++)
            term *= j == k ? 1 : (at - x[j]) / (x[k] - x[j]);
        sum += term;
    }
    return exp(sum);
}

/* Binney & Tremaine (2008, eq. 4.60 and 4.216) with the anisotropy's integrating factor r^2 + radius^2. */
static double jeans(double log_r, const void *context)
{
    const struct sphere *s = context;
    double r = exp(log_r), factor = 1 + r / s->anisotropy_radius * (r / s->anisotropy_radius);
    return factor * s->density.density(r, s->density.context) * s->pull.mass(r, s->pull.context) / r;
}

/* The radial velocity dispersion squared at r. */
static double dispersion2(const struct sphere *s, double r)
{
    double end = fmin(s->density.limit, s->nodes[s->n - 1].r), sum = 0;
    double weight = jeans(log(r), s) / (s->pull.mass(r, s->pull.context) / r);
    int panels = r < end ? 1 + (int)(8 * log(end / r)) : 0;
    for (int k = 0; k < panels; k++)
        sum += sphere_gauss(jeans, s, log(r) + k * log(end / r) / panels, log(end / r) / panels);
    return weight > 0 ? sum / weight : 0;
}

/* ---- in closed form ---- */

static double hernquist_df(double E, double radius)
{
    double q = sqrt(E), p = 1 - E;
    return (3 * asin(q) + q * sqrt(p) * (1 - 2 * E) * (8 * E * E - 8 * E - 3)) /
               (8 * sqrt(2) * pow(M_PI, 3) * pow(p, 2.5)) +
           q * (1 - 2 * E) / (sqrt(2) * pow(M_PI, 3) * radius * radius);
}

/* exp(-x^2) integral of exp(y^2), and the same with the signs exchanged */
static double dawson(double x)
{
    double term = x, sum = 0;
    for (int k = 0; k < 400; k++, term *= x * x / k)
        sum += term / (2 * k + 1);
    return sum * exp(-x * x);
}

static double rising(double x)
{
    return exp(x * x) * sqrt(M_PI) / 2 * erf(x);
}

static double jaffe_df(double E)
{
    double x = sqrt(E), y = sqrt(2 * E);
    return (rising(y) - sqrt(2) * rising(x) - sqrt(2) * dawson(x) + dawson(y)) / (2 * pow(M_PI, 3));
}

static void test_closed(void **state)
{
    struct sphere_shape shape = {SPHERE_PLUMMER, 1, 1, .truncation = INFINITY};
    struct sphere_density density = sphere_profile(&shape);
    struct sphere *plummer = make(&density, INFINITY);
    struct sphere *hernquist = make_dehnen(1, INFINITY), *pressed = make_dehnen(1, 0.5),
                  *jaffe = make_dehnen(2, INFINITY);
    (void)state;
    for (double E = 1e-3; E < 0.9999; E = 1.2 * E < 0.9 ? 1.2 * E : (E + 1) / 2) {
        assert_near(df(plummer, E), 24 * sqrt(2) / (7 * pow(M_PI, 3)) * pow(E, 3.5), E < 0.99 ? 1e-6 : 1e-3, "plummer",
                    E);
        if (E > 0.01)
            assert_near(df(hernquist, E), hernquist_df(E, INFINITY), 1e-6, "hernquist", E);
        if (E > 0.01)
            assert_near(df(pressed, E), hernquist_df(E, 0.5), 1e-6, "hernquist, anisotropic", E);
    }
    for (double E = 0.1; E < 10; E *= 1.3)
        assert_near(df(jaffe, E), jaffe_df(E), 1e-6, "jaffe", E);
}

/* The least anisotropy radii: 3/4 of a Plummer sphere (Merritt 1985), 0.202 of a Hernquist sphere (Baes & Dejonghe
 * 2002). */
static void test_limits(void **state)
{
    struct sphere_shape shapes[] = {{SPHERE_PLUMMER, 1, 1, .truncation = INFINITY},
                                    {SPHERE_DEHNEN, 1, 1, .gamma = 1, .truncation = INFINITY}};
    const double least[] = {0.75, 0.2024};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct sphere_density density = sphere_profile(&shapes[k]);
        struct sphere_pull pull = {density.mass, density.context};
        assert_non_null(sphere_make(&density, &pull, 1.02 * least[k]));
        assert_null(sphere_make(&density, &pull, 0.98 * least[k]));
        assert_non_null(
            strstr(nb_error(), "the distribution function would be negative at the binding energy of radius"));
    }
}

/* King's (1966) log10 of edge over core radius, as in Binney & Tremaine (2008), figure 4.9, and tables. */
static void test_king(void **state)
{
    const double table[][2] = {{1, 0.295}, {3, 0.672}, {5, 1.030}, {7, 1.528}, {9, 2.120}, {12, 2.739}};
    (void)state;
    if (!has_gsl)
        skip();
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        struct sphere_shape shape = {SPHERE_KING, 1, 1, .truncation = INFINITY, .w0 = table[k][0]};
        struct sphere_density density = sphere_profile(&shape);
        struct sphere *s = make(&density, INFINITY);
        if (fabs(log10(density.limit) - table[k][1]) > 0.003)
            fail_msg("w0 %g: log c = %.4f, not %.3f", table[k][0], log10(density.limit), table[k][1]);
        /* f ~ exp((Psi - Psi(edge)) / sigma^2) - 1, with sigma^2 from the depth of the centre. */
        double edge = -sphere_potential(s, density.limit), depth = -sphere_potential(s, 1e-5) - edge;
        double at[] = {0.01, 0.1, 0.5, 0.9}, first = 0;
        for (int j = 0; j < 4; j++) {
            double f = df(s, edge + at[j] * depth) / expm1(at[j] * shape.w0);
            first = j ? first : f;
            assert_near(f, first, 1e-4, "king", at[j]);
        }
    }
}

/* The pull of a cusp, softened, against the sum over its shells, of potential (|r - s|' - (r + s)') / (2 r s) with x' =
 * sqrt(x^2 + softening^2); that sphere in its own softened gravity is in equilibrium. */
static void test_soft(void **state)
{
    const double softening = 0.03;
    struct sphere_shape shape = {SPHERE_DEHNEN, 1, 1, .gamma = 1, .truncation = INFINITY};
    struct sphere_density density = sphere_profile(&shape);
    struct sphere_pull pull = sphere_soften(&density, softening);
    (void)state;
    for (double r = 0.003; r < 10; r *= 3) {
        double sum = 0, step = 1e-4;
        for (double x = -20; x < 12; x += step) {
            double s = exp(x), a = hypot(r - s, softening), b = hypot(r + s, softening);
            double slope = (b - a - r * ((r + s) / b - (r - s) / a)) / (2 * s);
            sum += 4 * M_PI * s * s * s * density.density(s, density.context) * slope * step;
        }
        assert_near(pull.mass(r, pull.context), sum, 1e-4, "softened pull", r);
    }
    struct sphere *s = sphere_make(&density, &pull, INFINITY);
    assert_non_null(s);
    double inside = sphere_potential(s, 1e-3) - sphere_potential(s, 1e-2);
    assert_true(inside < 0 && inside > -1e-2);
}

/* ---- bodies ---- */

enum { BODIES = 20000, SHELLS = 10, JEANS = 100 };

struct shell { /* a tenth of the mass */
    double n, radial, radial2, across;
    double dispersion2, beta; /* expected */
};

static void add_body(struct shell *shells, const struct sphere *s, const struct sphere_density *density, double radius,
                     const double pos[3], const double vel[3])
{
    double along = 0, v2 = 0, r2 = 0;
    for (int j = 0; j < 3; j++) {
        along += pos[j] * vel[j];
        v2 += vel[j] * vel[j];
        r2 += pos[j] * pos[j];
    }
    double r = sqrt(r2), radial = along * along / r2, share = density->mass(r, density->context) / s->mass;
    assert_true(r <= density->limit && v2 / 2 <= -sphere_potential(s, r) * (1 + 1e-6));
    struct shell *shell = &shells[(int)fmin(SHELLS * share, SHELLS - 1)];
    shell->n++;
    shell->radial += radial;
    shell->radial2 += radial * radial;
    shell->across += (v2 - radial) / 2;
    if (shell->n > JEANS)
        return;
    shell->dispersion2 += dispersion2(s, r) / JEANS;
    shell->beta += 1 / (1 + pow(radius / r, 2)) / JEANS;
}

static void check_shell(const struct shell *shell, const char *what, int number)
{
    double n = shell->n, mean = shell->radial / n, error = sqrt((shell->radial2 / n - mean * mean) / n);
    double beta = 1 - shell->across / shell->radial;
    if (fabs(n - BODIES / SHELLS) > 4.5 * sqrt(BODIES / SHELLS))
        fail_msg("%s, shell %d: %g bodies", what, number, n);
    if (fabs(mean - shell->dispersion2) > 4.5 * error + 0.03 * shell->dispersion2)
        fail_msg("%s, shell %d: dispersion^2 %g, not %g +- %g", what, number, mean, shell->dispersion2, error);
    if (fabs(beta - shell->beta) > 0.15)
        fail_msg("%s, shell %d: beta %g, not %g", what, number, beta, shell->beta);
}

/* Places against the mass within, speeds against Jeans's equation in shells. */
static void check_draw(const struct sphere_shape *shape, double radius, uint64_t seed, const char *what)
{
    const struct nb_rng rng = {seed, 1};
    struct shell shells[SHELLS] = {0};
    struct sphere_density density = sphere_profile(shape);
    struct sphere *s = make(&density, radius);
    for (uint64_t i = 0; i < BODIES; i++) {
        double pos[3], vel[3], again[3];
        sphere_draw(s, &rng, i, pos, vel);
        sphere_draw(s, &rng, i, again, NULL);
        assert_memory_equal(pos, again, sizeof pos);
        add_body(shells, s, &density, radius, pos, vel);
    }
    for (int j = 0; j < SHELLS; j++)
        check_shell(&shells[j], what, j);
}

static void test_draw(void **state)
{
    const struct {
        const char *name;
        struct sphere_shape shape;
        double radius; /* of the anisotropic one, in scales */
    } cases[] = {
        {"plummer", {SPHERE_PLUMMER, 1, 1, .truncation = INFINITY}, 1.2},
        {"a core", {SPHERE_DEHNEN, 1, 1, .gamma = 0, .truncation = INFINITY}, 1.2},
        {"hernquist, cut", {SPHERE_DEHNEN, 3, 0.1, .gamma = 1, .truncation = 20}, 1.2},
        {"jaffe", {SPHERE_DEHNEN, 1, 1, .gamma = 2, .truncation = INFINITY}, 1.2},
        {"nfw", {SPHERE_NFW, 1, 1, .truncation = 10}, 1.2},
        {"king", {SPHERE_KING, 1, 1, .truncation = INFINITY, .w0 = 7}, 8},
        {"isothermal", {SPHERE_ISOTHERMAL, 1, 1, .truncation = 30}, 25},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (!has_gsl && (cases[k].shape.kind == SPHERE_KING || cases[k].shape.kind == SPHERE_ISOTHERMAL))
            continue;
        check_draw(&cases[k].shape, INFINITY, k, cases[k].name);
        check_draw(&cases[k].shape, cases[k].radius * cases[k].shape.scale, 100 + k, cases[k].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed), cmocka_unit_test(test_limits), cmocka_unit_test(test_king),
        cmocka_unit_test(test_soft),   cmocka_unit_test(test_draw),
    };
    if (has_gsl)
        numeric_demand("test_sphere");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
