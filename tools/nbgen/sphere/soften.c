/* soften.c - the gravity of a sphere with Plummer-softened forces, as in nbsim. The attraction at each radius r is
 * stored as an "attracting mass". A point of this mass at the centre, without softening, has the same attraction. */
#include "sphere.h"

#include <math.h>

#define NODES_EFOLD 16
#define LOWEST      1e-3 /* minimum radius of the table in softening lengths; inside, the attraction is linear in r */
/* Maximum radius of the table in softening lengths. At larger r, softening reduces the attraction only by a fraction of
 * about (softening / r)^2. */
#define HIGHEST 1000.
#define POINTS  6 /* number of points of an interpolating polynomial */
#define PANEL   0.25

struct soft {
    struct sphere_density density;
    double softening, first; /* softening length; ln r of node 0 of the table */
    size_t n;
    double *log_share; /* log of (softened attraction) / (attraction without softening) at each node */
};

struct at {
    const struct soft *soft;
    double r;
};

/* Returns r^2 * (attraction at radius r) for a shell of mass 1 and radius s, with G = 1. This is r^2 dU/dr, where U is
 * the potential of the shell, U = (sqrt((r - s)^2 + e^2) - sqrt((r + s)^2 + e^2)) / (2 r s), with softening length e.
 * The code uses equivalent formulas that avoid differences of nearly equal numbers. */
static double seeming(double r, double s, double softening)
{
    double e2 = softening * softening, p = r + s, q = r - s, a = sqrt(q * q + e2), b = sqrt(p * p + e2);
    if (q >= 0)
        return 2 * r / (a + b) - 2 * r * r * e2 / (a * b * (p * a + q * b));
    return 2 * r / (a + b) - r / (2 * s) * (p / b - q / a);
}

static double pull_of(const struct at *at, double s)
{
    const struct sphere_density *d = &at->soft->density;
    return 4 * M_PI * s * s * d->density(s, d->context) * seeming(at->r, s, at->soft->softening);
}

static double per_efold(double log_s, const void *context)
{
    double s = exp(log_s);
    return s * pull_of(context, s);
}

/* Integrand for soft_mass: the contribution of the shell of radius s = r + softening * sinh(t), per unit of t. Uniform
 * steps in t are short steps in s near s = r, where the attraction changes much within one softening length. */
static double per_turn(double t, const void *context)
{
    const struct at *at = context;
    return at->soft->softening * cosh(t) * pull_of(at, at->r + at->soft->softening * sinh(t));
}

static double integrate(numeric_function *f, const void *context, double from, double to)
{
    double sum = 0;
    int panels = 1 + (int)((to - from) / PANEL);
    for (int k = 0; k < panels; k++)
        sum += sphere_gauss(f, context, from + k * (to - from) / panels, (to - from) / panels);
    return sum;
}

/* soft_mass integrates over spherical shells, from the radius r / 2 * exp(-INNER) outwards. The mass inside this radius
 * is treated as a point mass. */
#define INNER 20

static double soft_mass(const struct soft *soft, double r)
{
    const struct at at = {soft, r};
    double inner = log(r / 2), outer = log(2 * r), e = soft->softening;
    double point = soft->density.mass(exp(inner - INNER), soft->density.context) * pow(r / hypot(r, e), 3);
    return point + integrate(per_efold, &at, inner - INNER, inner) +
           integrate(per_turn, &at, asinh(-r / 2 / e), asinh(r / e)) +
           integrate(per_efold, &at, outer, log(fmax(r, e)) + 10);
}

static double interpolate(const struct soft *soft, double at)
{
    size_t first = (size_t)fmin(fmax(at - (POINTS / 2 - 1), 0), (double)(soft->n - POINTS));
    double sum = 0;
    for (size_t k = first; k < first + POINTS; k++) {
        double term = soft->log_share[k];
        for (size_t j = first; j < first + POINTS; j++)
            term *= j == k ? 1 : (at - (double)j) / ((double)k - (double)j);
        sum += term;
    }
    return sum;
}

static double mass(double r, const void *context)
{
    const struct soft *soft = context;
    double lowest = LOWEST * soft->softening, highest = HIGHEST * soft->softening;
    if (r < lowest)
        return pow(r / lowest, 3) * mass(lowest, context);
    if (r > highest)
        return soft->density.mass(r, soft->density.context) *
               (1 + expm1(soft->log_share[soft->n - 1]) * pow(highest / r, 2));
    return soft->density.mass(r, soft->density.context) * exp(interpolate(soft, (log(r) - soft->first) * NODES_EFOLD));
}

struct sphere_pull sphere_soften(const struct sphere_density *density, double softening)
{
    if (softening == 0)
        return (struct sphere_pull){density->mass, density->context};
    struct soft *soft = gen_memory(sizeof *soft);
    *soft = (struct soft){.density = *density, .softening = softening, .first = log(LOWEST * softening)};
    soft->n = 1 + (size_t)ceil(log(HIGHEST / LOWEST) * NODES_EFOLD);
    soft->log_share = gen_memory(soft->n * sizeof *soft->log_share);
    for (size_t k = 0; k < soft->n; k++) {
        double r = exp(soft->first + (double)k / NODES_EFOLD);
        soft->log_share[k] = log(soft_mass(soft, r) / density->mass(r, density->context));
    }
    return (struct sphere_pull){mass, soft};
}
