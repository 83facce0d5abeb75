/* profile.c - densities of spheres, and the mass within r. The mass is computed by a formula if there is one, and
 * interpolated in a table if there is none. */
#include "sphere.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define CELLS_EFOLD 32
#define SMALLEST    1e-14 /* minimum radius of the table in scale radii; below it, the density is a power of r */
#define LARGEST     1e14  /* maximum radius of the table in scale radii */

struct profile {
    struct sphere_shape shape;
    const struct emden *emden;
    double norm;        /* factor of the density that makes the total mass 1 */
    double edge;        /* radius of the edge in scale radii; INFINITY: no edge */
    size_t n;           /* number of nodes of the table `mass`; 0: no table, because a formula gives the mass */
    double *mass;       /* mass[k]: mass within the radius SMALLEST * exp(k / CELLS_EFOLD) */
    double inner_power; /* mass ~ r^inner_power inside the first node */
};

static double sech(double x)
{
    return x < 700 ? 1 / cosh(x) : 0;
}

/* Returns the factor by which the density at radius x is multiplied to give the sphere an edge: (1 - (x / edge)^4)^2.
 * The factor goes to 0 quadratically at the edge, so that the distribution function also goes to 0. Far inside the edge
 * the factor is nearly 1. */
static double taper(const struct profile *p, double x)
{
    double q = x / p->edge;
    return q < 1 ? pow((1 - q) * (1 + q) * (1 + q * q), 2) : 0;
}

static double form(const struct profile *p, double x)
{
    double gamma = p->shape.gamma, cut = isinf(p->shape.truncation) ? 1 : sech(x / p->shape.truncation);
    if (p->shape.edge > 0)
        cut *= taper(p, x);
    switch (p->shape.kind) {
    case SPHERE_PLUMMER: return cut * (3 / (4 * M_PI) * pow(1 + x * x, -2.5));
    case SPHERE_DEHNEN: return cut * ((3 - gamma) / (4 * M_PI) * pow(x / (1 + x), -gamma) * pow(1 + x, -4));
    case SPHERE_NFW: return cut / (x * (1 + x) * (1 + x));
    case SPHERE_ISOTHERMAL: return cut * emden_density(p->emden, x);
    case SPHERE_KING: return emden_density(p->emden, x);
    }
    return 0;
}

/* Returns the density at the radius x, for a sphere of scale 1 and mass 1. */
static double unit(const struct profile *p, double x)
{
    return p->norm * form(p, x);
}

static double closed_mass(const struct sphere_shape *s, double x)
{
    return s->kind == SPHERE_PLUMMER ? pow(1 + 1 / (x * x), -1.5) : pow(1 + 1 / x, s->gamma - 3);
}

static double density(double r, const void *context)
{
    const struct profile *p = context;
    return p->shape.mass / pow(p->shape.scale, 3) * unit(p, r / p->shape.scale);
}

/* Returns the mass per unit of ln(radius) at the radius exp(log_x), for a sphere of scale radius 1. */
static double shell(double log_x, const void *context)
{
    double x = exp(log_x);
    return 4 * M_PI * x * x * x * unit(context, x);
}

static double table_mass(const struct profile *p, double x)
{
    double at = log(x / SMALLEST) * CELLS_EFOLD, cell = floor(at);
    if (x <= SMALLEST)
        return p->mass[0] * pow(x / SMALLEST, p->inner_power);
    if (x >= p->edge || at >= (double)(p->n - 1))
        return p->mass[p->n - 1];
    size_t k = (size_t)cell;
    double from = log(SMALLEST) + cell / CELLS_EFOLD;
    double h = 1. / CELLS_EFOLD, to = from + h;
    if (to > log(p->edge)) /* the last cell ends at the edge, not at a node */
        return p->mass[k] + sphere_gauss(shell, p, from, log(x) - from);
    return sphere_cubic(at - cell, p->mass[k], p->mass[k + 1], h * shell(from, p), h * shell(to, p));
}

static double mass(double r, const void *context)
{
    const struct profile *p = context;
    double x = r / p->shape.scale;
    return p->shape.mass * (p->n ? table_mass(p, x) : closed_mass(&p->shape, x));
}

static void make_table(struct profile *p)
{
    double first = log(SMALLEST), step = 1. / CELLS_EFOLD;
    p->n = (size_t)((log(LARGEST) - first) * CELLS_EFOLD) + 2;
    p->mass = gen_memory(p->n * sizeof *p->mass);
    p->inner_power = log(shell(first, p) / shell(first - 1, p));
    p->mass[0] = shell(first, p) / p->inner_power;
    for (size_t k = 1; k < p->n; k++) {
        double from = first + (double)(k - 1) * step, to = fmin(from + step, log(p->edge));
        p->mass[k] = p->mass[k - 1] + (to > from ? sphere_gauss(shell, p, from, to - from) : 0);
    }
    double total = p->mass[p->n - 1];
    for (size_t k = 0; k < p->n; k++)
        p->mass[k] /= total;
    p->norm = 1 / total;
}

struct sphere_density sphere_profile(const struct sphere_shape *shape)
{
    struct profile *p = gen_memory(sizeof *p);
    bool cut = isfinite(shape->truncation) || shape->edge > 0;
    bool closed = !cut && (shape->kind == SPHERE_PLUMMER || shape->kind == SPHERE_DEHNEN);
    assert(isfinite(shape->truncation) || (shape->kind != SPHERE_NFW && shape->kind != SPHERE_ISOTHERMAL));
    *p = (struct profile){.shape = *shape, .norm = 1, .edge = shape->edge > 0 ? shape->edge : INFINITY};
    if (shape->kind == SPHERE_KING || shape->kind == SPHERE_ISOTHERMAL)
        p->emden = emden_make(shape->kind == SPHERE_KING ? shape->w0 : INFINITY);
    if (shape->kind == SPHERE_KING)
        p->edge = emden_edge(p->emden);
    if (!closed)
        make_table(p);
    return (struct sphere_density){density, mass, p, shape->scale, p->edge * shape->scale};
}

void sphere_profile_free(struct sphere_density *density)
{
    struct profile *p = (struct profile *)density->context;
    assert(!p->emden);
    free(p->mass);
    free(p);
    *density = (struct sphere_density){0};
}
