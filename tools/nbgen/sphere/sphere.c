/* sphere.c - computes tables of the mass, potential and distribution function of a sphere, and interpolates in them. */
#include "sphere.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Maximum fraction of the mass that may lie inside the first radius of the tables, or beyond their last radius. */
#define LEAST  1e-10
#define BEYOND 10   /* integrals end near exp(BEYOND) * (last radius of the tables), or at the edge of the sphere */
#define REACH  1e12 /* maximum radius, in scale radii */
/* Maximum ratio (scale radius) / (first radius of the tables). Even in a cusp with density ~ r^-2.9, only 10^-4 of the
 * mass then lies inside the first radius. */
#define DEPTH 1e40

static double grid_r(const struct sphere_grid *g, double y)
{
    double r = g->scale * exp(y);
    return r / (1 + r / g->edge);
}

static double grid_y(const struct sphere_grid *g, double r)
{
    return log(r / g->scale / (1 - r / g->edge));
}

double sphere_gauss(numeric_function *f, const void *context, double x, double h)
{
    static const double at[3] = {0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[3] = {128. / 225, 0.4786286704993665, 0.2369268850561891};
    double middle = x + h / 2, sum = weight[0] * f(middle, context);
    for (int k = 1; k < 3; k++)
        sum += weight[k] * (f(middle - at[k] * h / 2, context) + f(middle + at[k] * h / 2, context));
    return sum * h / 2;
}

/* ---- potential ---- */

static double pull_per_efold(double log_r, const void *context)
{
    const struct sphere_pull *pull = context;
    double r = exp(log_r);
    return pull->mass(r, pull->context) / r;
}

/* Returns Psi at r: the integral of (mass within the radius) / radius^2, from r to infinity. */
static double tail(const struct sphere_pull *pull, double r)
{
    const int steps = 240;
    double sum = 0, from = log(r), step = 0.25;
    for (int k = 0; k < steps; k++)
        sum += sphere_gauss(pull_per_efold, pull, from + k * step, step);
    return sum + pull_per_efold(from + steps * step, pull);
}

struct cell {
    const struct sphere_grid *grid;
    const struct sphere_pull *pull;
};

/* Returns -dPsi/dy = (mass / r^2) * dr/dy, where y is the coordinate of the grid (grid_r). */
static double pressure(double y, const void *context)
{
    const struct cell *c = context;
    double r = grid_r(c->grid, y);
    return c->pull->mass(r, c->pull->context) / r * (1 - r / c->grid->edge);
}

static void integrate_pull(struct sphere_grid *g, const struct sphere_pull *pull)
{
    const struct cell c = {g, pull};
    for (size_t k = 0; k < g->n; k++) {
        double y = g->first + (double)k * SPHERE_STEP;
        g->pressure[k] = pressure(y, &c);
        /* integral from node k to k + 1; the loops below add up these integrals */
        g->outer[k] = sphere_gauss(pressure, &c, y, SPHERE_STEP);
    }
    g->inner[0] = 0;
    for (size_t k = 1; k < g->n; k++)
        g->inner[k] = g->inner[k - 1] + g->outer[k - 1];
    g->outer[g->n - 1] = 0;
    for (size_t k = g->n - 1; k-- > 0;)
        g->outer[k] += g->outer[k + 1];
}

/* ---- the grid ---- */

static double mass_at(const struct sphere_density *d, double r)
{
    return d->mass(r, d->context);
}

/* Returns a radius within which at most the fraction LEAST of the mass lies, but at least about (scale radius) /
 * DEPTH. */
static double innermost(const struct sphere_density *d, double total)
{
    double r = d->scale;
    while (mass_at(d, r) > LEAST * total && r > d->scale / DEPTH)
        r /= 2;
    return r;
}

static double outermost(const struct sphere_grid *g, const struct sphere_density *d)
{
    const double total = mass_at(d, isfinite(g->edge) ? g->edge : d->scale * REACH * REACH);
    double y = 0, step = log(2), end = log(REACH);
    while (y < end && mass_at(d, grid_r(g, y)) < (1 - LEAST) * total)
        y += step;
    return y;
}

/* Makes the grid. In order of increasing radius, it has
 * - SPHERE_MARGIN nodes for finite differences;
 * - the nodes of the sphere's tables. *last is set to the index of the last of these nodes;
 * - nodes at larger radii, for integrals and finite differences. */
static struct sphere_grid make_grid(const struct sphere_density *d, size_t *last)
{
    struct sphere_grid g = {.scale = d->scale, .edge = INFINITY};
    if (isfinite(d->limit) && d->density(d->limit * (1 + 1e-9), d->context) == 0)
        g.edge = d->limit;
    double high = outermost(&g, d);
    double low = grid_y(&g, innermost(d, mass_at(d, fmin(d->limit, d->scale * REACH))));
    size_t own = (size_t)((high - low) / SPHERE_STEP) + 2;
    g.first = low - SPHERE_MARGIN * SPHERE_STEP;
    g.n = own + (size_t)(BEYOND / SPHERE_STEP) + 4 * SPHERE_MARGIN;
    *last = SPHERE_MARGIN + own - 1;
    double *memory = gen_memory(g.n * 5 * sizeof *memory);
    g.r = memory;
    g.pressure = memory + g.n;
    g.inner = memory + 2 * g.n;
    g.outer = memory + 3 * g.n;
    g.f = memory + 4 * g.n;
    for (size_t k = 0; k < g.n; k++)
        g.r[k] = grid_r(&g, g.first + (double)k * SPHERE_STEP);
    return g;
}

/* ---- nodes ---- */

/* Returns the integral of the distribution function f over Psi, between node k and the next node. Exact for polynomials
 * of degree 5. */
static double cell_below(const struct sphere_grid *g, size_t k)
{
    static const double weights[6] = {11. / 1440, -93. / 1440, 802. / 1440, 802. / 1440, -93. / 1440, 11. / 1440};
    double sum = 0;
    for (size_t j = 0; j < 6; j++)
        sum += weights[j] * g->f[k + j - 2] * g->pressure[k + j - 2];
    return fmax(SPHERE_STEP * sum, 0);
}

static void set_nodes(struct sphere *s, const struct sphere_grid *g, size_t last)
{
    double psi_end = tail(&s->pull, g->r[g->n - 1]), below = 0;
    s->floor = isfinite(g->edge) ? psi_end : 0;
    for (size_t k = g->n - 2 * SPHERE_MARGIN; k > last; k--)
        below += cell_below(g, k);
    for (size_t k = last; k >= SPHERE_MARGIN; k--) {
        double r = g->r[k];
        below += cell_below(g, k);
        s->nodes[k - SPHERE_MARGIN] = (struct sphere_node){
            .r = r,
            .mass = mass_at(&s->density, r),
            .r_slope = 1 / (4 * M_PI * r * r * s->density.density(r, s->density.context)),
            .psi = psi_end + g->outer[k],
            .fallen = g->inner[k] - g->inner[SPHERE_MARGIN],
            .psi_slope = -s->pull.mass(r, s->pull.context) / (r * r),
            .f = g->f[k],
            .below = below,
        };
    }
}

/* Returns the number of nodes up to the last useful node. A node is not useful if its `below` (the integral of f) is
 * nearly 0, or if its mass or its `below` is the same as at the node before it. */
static uint32_t count_nodes(const struct sphere *s, uint32_t n)
{
    while (n > 2 && !(s->nodes[n - 1].mass > s->nodes[n - 2].mass && s->nodes[n - 1].below > 1e-280 &&
                      s->nodes[n - 2].below > s->nodes[n - 1].below))
        n--;
    return n;
}

static void index_mass(struct sphere *s)
{
    uint32_t k = 0;
    s->by_mass = gen_memory((SPHERE_BINS + 1) * sizeof *s->by_mass);
    for (int bin = 0; bin <= SPHERE_BINS; bin++) {
        while (k + 2 < s->n && s->nodes[k + 1].mass <= s->mass * bin / SPHERE_BINS)
            k++;
        s->by_mass[bin] = k;
    }
}

static void index_below(struct sphere *s)
{
    uint32_t k = s->n - 1, high = sphere_bin(s->nodes[0].below);
    s->first_bin = sphere_bin(s->nodes[k].below);
    s->bins = high - s->first_bin + 1;
    s->by_below = gen_memory(s->bins * sizeof *s->by_below);
    for (uint32_t bin = 0; bin < s->bins; bin++) {
        while (k > 0 && sphere_bin(s->nodes[k].below) <= s->first_bin + bin)
            k--;
        s->by_below[bin] = k;
    }
}

struct sphere *sphere_make(const struct sphere_density *density, const struct sphere_pull *pull,
                           double anisotropy_radius)
{
    size_t last;
    struct sphere_grid g = make_grid(density, &last);
    double total = mass_at(density, g.r[last]);
    double low = density->scale, high = density->scale;
    assert(density->scale > 0 && density->limit > 0 && anisotropy_radius > 0);
    while (low > g.r[SPHERE_MARGIN] && mass_at(density, low) > 1e-7 * total)
        low /= 2;
    while (high < g.r[last] && mass_at(density, high) < (1 - 1e-7) * total)
        high = fmin(2 * high, (high + g.edge) / 2);
    integrate_pull(&g, pull);
    if (!(isfinite(total) && total > 0 && isfinite(g.inner[g.n - 1]))) {
        free(g.r);
        return nb_null(nb_fail("mass or potential are not finite"));
    }
    if (sphere_eddington(&g, density, anisotropy_radius, low, high)) {
        free(g.r);
        return NULL;
    }
    struct sphere *s = gen_memory(sizeof *s);
    s->density = *density;
    s->pull = *pull;
    s->anisotropy_radius = anisotropy_radius;
    s->nodes = gen_memory((last - SPHERE_MARGIN + 1) * sizeof *s->nodes);
    set_nodes(s, &g, last);
    free(g.r);
    s->n = count_nodes(s, (uint32_t)(last - SPHERE_MARGIN + 1));
    s->mass = fmin(mass_at(density, fmin(density->limit, density->scale * REACH * REACH)), s->nodes[s->n - 1].mass);
    s->inner_power = s->nodes[0].mass * s->nodes[0].r_slope / s->nodes[0].r;
    index_mass(s);
    index_below(s);
    return s;
}

/* ---- interpolation ---- */

/* Returns the last node whose radius is at most r, but never the last node of the sphere. So there is always a next
 * node. */
static const struct sphere_node *node_of(const struct sphere *s, double r)
{
    uint32_t low = 0, high = s->n - 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(s->nodes[middle].r <= r ? &low : &high) = middle;
    }
    return &s->nodes[low];
}

double sphere_potential(const struct sphere *s, double r)
{
    const struct sphere_node *a = node_of(s, r);
    if (r < s->nodes[0].r || r > s->nodes[s->n - 1].r)
        return -tail(&s->pull, r);
    double h = a[1].r - a->r;
    return -sphere_cubic((r - a->r) / h, a->psi, a[1].psi, a->psi_slope * h, a[1].psi_slope * h);
}
