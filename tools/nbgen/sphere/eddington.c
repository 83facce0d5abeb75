/* eddington.c - the distribution function of a density in a potential: Eddington (1916, MNRAS 76, 572). The anisotropy
 * of Osipkov (1979) and Merritt (1985, AJ 90, 1027) multiplies the density by 1 + r^2 / anisotropy_radius^2. The
 * distribution function is
 *
 *     f(Q) = 1 / (sqrt(8) pi^2) integral from 0 to Q of d2rho/dPsi2 dPsi / sqrt(Q - Psi).
 *
 * rho: the multiplied density; Psi: negative potential; Q: binding energy per mass (with anisotropy, minus
 * (angular momentum per mass)^2 / (2 anisotropy_radius^2)).
 *
 * The integral is a sum over the nodes of a grid. At the upper limit Psi = Q, 1 / sqrt(Q - Psi) is infinite. The nodes
 * near this limit have special weights (end_weights). */
#include "sphere.h"

#include <math.h>
#include <stdlib.h>

/* Returns the derivative of a table with respect to its index, at the element to which y points. Uses central
 * differences, which are exact for polynomials of degree 8. */
static double difference(const double *y)
{
    return (4. / 5) * (y[1] - y[-1]) - (1. / 5) * (y[2] - y[-2]) + (4. / 105) * (y[3] - y[-3]) -
           (1. / 280) * (y[4] - y[-4]);
}

/* Let h(t) be a smooth function. The trapezoidal rule for the integral of h(t) / sqrt(t) from t = 0 must omit its first
 * term, which is infinite. The error of the rule is then
 *     sum over m of zeta(1/2 - m) h^(m)(0) / m! step^(m + 1/2)   (Navot 1961, J. Math. Phys. 40, 271),
 * where zeta is Riemann's function and h^(m) is the derivative of order m. The sum over j of end_weights[j] h(j step)
 * sqrt(step) corrects this error for polynomials h up to degree 7. */
#define END 8
static const double end_weights[END] = {0.9972678465055865,  1.122100581665506,   -1.512792088018551,
                                        1.611875355104541,   -1.1829882445331281, 0.5604268051511664,
                                        -0.1543129358707495, 0.018777188805215};

static double psi_difference(const struct sphere_grid *g, size_t k, size_t j)
{
    return g->inner[j] < g->outer[k] ? g->inner[j] - g->inner[k] : g->outer[k] - g->outer[j];
}

/* Returns f at node k by Eddington's formula, as a sum of terms. Sets *size to the sum of the absolute values of these
 * terms. d2rho[j] is -d(drho/dPsi)/dy at node j, where y is the coordinate of the grid. */
static double invert(const struct sphere_grid *g, const double *d2rho, size_t k, double *size)
{
    double sum = 0, all = 0, end = end_weights[0] * d2rho[k] / sqrt(g->pressure[k]);
    for (size_t j = k + 1; j < g->n - SPHERE_MARGIN; j++) {
        double term = d2rho[j] / sqrt(psi_difference(g, k, j));
        sum += term;
        all += fabs(term);
        if (j - k < END)
            end += end_weights[j - k] * term * sqrt((double)(j - k) * SPHERE_STEP);
    }
    const double factor = 1 / (sqrt(8) * M_PI * M_PI);
    *size = factor * (SPHERE_STEP * all + sqrt(SPHERE_STEP) * fabs(end));
    return factor * (SPHERE_STEP * sum + sqrt(SPHERE_STEP) * end);
}

static double *second_derivative(const struct sphere_grid *g, const struct sphere_density *density, double radius)
{
    double *rho = gen_memory(g->n * sizeof *rho);
    double *slope = gen_memory(g->n * sizeof *slope);
    double *d2rho = gen_memory(g->n * sizeof *d2rho);
    for (size_t k = 0; k < g->n; k++)
        rho[k] = density->density(g->r[k], density->context) * (1 + g->r[k] / radius * (g->r[k] / radius));
    for (size_t k = 4; k < g->n - 4; k++)
        slope[k] = -difference(rho + k) / SPHERE_STEP / g->pressure[k];
    for (size_t k = SPHERE_MARGIN; k < g->n - SPHERE_MARGIN; k++)
        d2rho[k] = -difference(slope + k) / SPHERE_STEP;
    free(rho);
    free(slope);
    return d2rho;
}

/* f is a sum of terms (invert). There is no equilibrium if f is below -DOUBT times the sum of the terms' absolute
 * values. A negative f above this limit may be a rounding error. */
#define DOUBT 1e-3

int sphere_eddington(struct sphere_grid *g, const struct sphere_density *density, double anisotropy_radius,
                     double r_low, double r_high)
{
    double *d2rho = second_derivative(g, density, anisotropy_radius);
    double *size = gen_memory(g->n * sizeof *size);
    size_t lowest = 0;
#pragma omp parallel for schedule(dynamic, 32)
    for (size_t k = SPHERE_MARGIN; k < g->n - 2 * SPHERE_MARGIN; k++)
        g->f[k] = invert(g, d2rho, k, &size[k]);
    for (size_t k = SPHERE_MARGIN; k < g->n - 2 * SPHERE_MARGIN; k++) {
        if (!(g->f[k] >= -DOUBT * size[k]) && g->r[k] > r_low && g->r[k] < r_high && !lowest)
            lowest = k;
        if (!(g->f[k] > 0))
            g->f[k] = 0;
    }
    free(size);
    free(d2rho);
    return lowest ? nb_fail("the distribution function would be negative at the binding energy of radius %.3g",
                            g->r[lowest])
                  : 0;
}
