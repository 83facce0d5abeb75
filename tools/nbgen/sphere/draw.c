/* Bodies of a sphere. A place is a mass within it; a velocity an energy, drawn from f and taken with the probability
 * that belongs to its speed there. Nothing is approximate but the tables: cubics between nodes, 1e-6 of a cell. */
#include "tables.h"

#include "nbgen/spheres.h"

#include <math.h>

/* Slopes that would overshoot are cut; where a table is flat nothing is drawn. */
static double tame(double slope, double rise)
{
    return fabs(slope) < 3 * fabs(rise) ? slope : 3 * rise;
}

static uint32_t find_mass(const struct sphere *s, double mass)
{
    uint32_t bin = (uint32_t)(mass / s->mass * SPHERE_BINS);
    uint32_t low = s->by_mass[bin], high = s->by_mass[bin < SPHERE_BINS ? bin + 1 : bin] + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(s->nodes[middle].mass <= mass ? &low : &high) = middle;
    }
    return low;
}

/* The radius that has the share u of the bodies within; *node: the last at or inside it, or the first. */
static double radius(const struct sphere *s, double u, uint32_t *node)
{
    double mass = u * s->mass;
    *node = find_mass(s, mass);
    const struct sphere_node *a = &s->nodes[*node], *b = a + 1;
    if (mass < a->mass)
        return a->r * pow(mass / a->mass, s->inner_power);
    double h = b->mass - a->mass, rise = b->r - a->r;
    return sphere_cubic((mass - a->mass) / h, a->r, b->r, tame(a->r_slope * h, rise), tame(b->r_slope * h, rise));
}

/* The Psi within which the integral of f from 0 is `below`, at or outside of a node. */
static double psi_of(const struct sphere *s, double below, uint32_t node)
{
    const struct sphere_node *last = &s->nodes[s->n - 1];
    if (below <= last->below)
        return s->floor + (last->psi - s->floor) * (below / last->below);
    uint32_t bin = sphere_bin(below) - s->first_bin;
    uint32_t low = s->by_below[bin], high = (bin > 0 ? s->by_below[bin - 1] : s->n - 2) + 1;
    if (low < node)
        low = node;
    if (high <= low)
        high = low + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(s->nodes[middle].below >= below ? &low : &high) = middle;
    }
    const struct sphere_node *a = &s->nodes[low], *b = a + 1;
    double h = b->below - a->below, rise = b->psi - a->psi;
    return sphere_cubic((below - a->below) / h, a->psi, b->psi, tame(h / a->f, rise), tame(h / b->f, rise));
}

/* What is drawn from at a place: energies near to its own, or far from it. Near ones are many in a cusp, and slow. */
#define NEAR 40 /* nodes: 1.25 e-folds of radius */

struct well {
    uint32_t node;
    double psi;                     /* there */
    double below, far;              /* integrals of f to psi, and to that of the node which parts near and far */
    double fastest2_near, fastest2; /* half the greatest speeds squared */
    double share_near;
};

static struct well make_well(const struct sphere *s, double r, uint32_t node)
{
    const struct sphere_node *a = &s->nodes[node], *b = a + 1;
    const struct sphere_node *parting = &s->nodes[node + 1 + NEAR < s->n ? node + 1 + NEAR : s->n - 1];
    double h = b->r - a->r, at = fmax(0, (r - a->r) / h);
    struct well w = {.node = node};
    w.psi = sphere_cubic(at, a->psi, b->psi, a->psi_slope * h, b->psi_slope * h);
    w.below = sphere_cubic(at, a->below, b->below, tame(a->f * a->psi_slope * h, b->below - a->below),
                           tame(b->f * b->psi_slope * h, b->below - a->below));
    w.far = fmin(parting->below, w.below);
    w.fastest2_near = fmax(w.psi - parting->psi, 0);
    w.fastest2 = w.psi - s->floor;
    double near = sqrt(w.fastest2_near) * (w.below - w.far), far = sqrt(w.fastest2) * w.far;
    w.share_near = near / (near + far);
    return w;
}

/* Half the square of a speed at the place, from two numbers; -1: not taken. The density of speeds v is v^2 f(psi -
 * v^2/2), that of energies sqrt(v^2) f. */
static double try_energy(const struct sphere *s, const struct well *w, const double u[2])
{
    bool near = u[0] < w->share_near;
    double below =
        near ? w->far + (w->below - w->far) * (u[0] / w->share_near) : w->far * ((1 - u[0]) / (1 - w->share_near));
    double half_v2 = w->psi - psi_of(s, below, w->node);
    return half_v2 >= u[1] * u[1] * (near ? w->fastest2_near : w->fastest2) ? half_v2 : -1;
}

#define TRIES 100000 /* for each body a few: the best of hundreds of thousands needs some hundred */

static double draw_speed(const struct sphere *s, const struct nb_rng *rng, uint64_t i, const struct well *w,
                         const double first[2])
{
    double half_v2 = try_energy(s, w, first), u[4];
    for (uint64_t draw = 2; half_v2 < 0 && draw < TRIES; draw++) {
        nb_rng_uniforms(rng, i, draw, u);
        half_v2 = try_energy(s, w, u);
        if (half_v2 < 0)
            half_v2 = try_energy(s, w, u + 2);
    }
    return sqrt(2 * fmax(half_v2, 0));
}

/* f depends on v_radial^2 + (1 + r^2 / radius^2) v_across^2: isotropic in a space where v_across is longer. */
static void press(const struct sphere *s, double r, const double direction[3], double v[3])
{
    double along = 0, ratio = r / s->anisotropy_radius, shrink = 1 / sqrt(1 + ratio * ratio);
    for (int k = 0; k < 3; k++)
        along += v[k] * direction[k];
    for (int k = 0; k < 3; k++)
        v[k] = shrink * v[k] + (1 - shrink) * along * direction[k];
}

void sphere_draw_at(const struct sphere *s, const double place[3], const struct nb_rng *rng, uint64_t i, double pos[3],
                    double vel[3])
{
    uint32_t node;
    double r = radius(s, place[0], &node), direction[3], u[4];
    sphere_direction(place + 1, 1, direction);
    for (int k = 0; k < 3; k++)
        pos[k] = r * direction[k];
    if (!vel)
        return;
    struct well w = make_well(s, r, node);
    nb_rng_uniforms(rng, i, 1, u);
    sphere_direction(u, draw_speed(s, rng, i, &w, u + 2), vel);
    if (isfinite(s->anisotropy_radius))
        press(s, r, direction, vel);
}

void sphere_draw(const struct sphere *s, const struct nb_rng *rng, uint64_t i, double pos[3], double vel[3])
{
    double u[4];
    nb_rng_uniforms(rng, i, 0, u);
    sphere_draw_at(s, u, rng, i, pos, vel);
}
