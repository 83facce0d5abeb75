/* draw.c - draws positions and velocities of the bodies of a sphere at random.
 * - The radius of a body encloses a random fraction of the mass.
 * - The energy of a body is drawn with a density proportional to the distribution function f. The draw is accepted with
 *   a probability proportional to the speed of a body with this energy at its radius.
 * The only approximation is the cubic interpolation in the sphere's tables. It changes radii by 1e-6 of the distance
 * between neighbouring nodes of the tables. */
#include "sphere.h"

#include <math.h>

/* Limits the slope of a cubic at a node so that the cubic does not overshoot. `rise`: value at the end of the cubic
 * minus value at the start. */
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

/* Returns the radius within which the fraction u of the bodies lies. Sets *node to the index of the last node of the
 * sphere's tables at or inside this radius, or to 0 if all nodes are outside. */
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

/* A potential or an energy, stored in two forms: `psi` is 0 at infinity and largest at the centre; `fallen` is (psi at
 * the centre) - psi. fall() returns from.psi - to.psi. It computes this difference from the form that is more
 * accurate. */
struct level {
    double psi, fallen;
};

static double fall(struct level from, struct level to)
{
    return to.fallen < from.psi ? to.fallen - from.fallen : from.psi - to.psi;
}

static struct level level_of(const struct sphere_node *node)
{
    return (struct level){node->psi, node->fallen};
}

/* Returns the energy E for which the integral of the distribution function f from 0 to E is `below`. E must be at most
 * the potential psi at node `node`. */
static struct level find_level(const struct sphere *s, double below, uint32_t node)
{
    const struct sphere_node *last = &s->nodes[s->n - 1];
    if (below <= last->below) {
        double psi = s->floor + (last->psi - s->floor) * (below / last->below);
        return (struct level){psi, last->fallen + (last->psi - psi)};
    }
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
    double h = b->below - a->below, rise = b->fallen - a->fallen;
    double step = sphere_cubic((below - a->below) / h, 0, rise, tame(-h / a->f, rise), tame(-h / b->f, rise));
    return (struct level){a->psi - step, a->fallen + step};
}

/* The possible energies of a body at one radius are divided into bands. A band contains the energies between the
 * potentials at two nodes, and spans twice as many nodes as the previous band. Energies are drawn by rejection, with a
 * separate maximum speed for each band. With a single maximum speed, nearly every draw would be rejected in a cusp,
 * where most bodies are slow. */
#define BANDS 8
/* Number of nodes that the first band spans. Over these nodes, the radius grows by a factor of about e, because
 * SPHERE_STEP is 1 / NEAR. Near the edge of the sphere, the factor is smaller. */
#define NEAR 32

struct well {
    uint32_t node;
    struct level here;
    int bands;
    /* below[k]: integral of f from 0 to the potential at the inner end of band k; below[bands]: 0 */
    double below[BANDS + 1];
    double fastest2[BANDS]; /* fastest2[k]: half the square of the maximum speed in band k */
    /* weight[k]: sum of sqrt(fastest2) * (integral of f over the band), over bands 0 to k - 1 */
    double weight[BANDS + 1];
};

static struct well make_well(const struct sphere *s, double r, uint32_t node)
{
    const struct sphere_node *a = &s->nodes[node], *b = a + 1;
    double h = b->r - a->r, at = fmax(0, (r - a->r) / h), rise = b->fallen - a->fallen;
    double step = sphere_cubic(at, 0, rise, -a->psi_slope * h, -b->psi_slope * h);
    struct well w = {.node = node, .here = {a->psi - step, a->fallen + step}};
    uint32_t end = node + 1, width = NEAR;
    w.below[0] = sphere_cubic(at, a->below, b->below, tame(a->f * a->psi_slope * h, b->below - a->below),
                              tame(b->f * b->psi_slope * h, b->below - a->below));
    for (bool last = false; !last; width *= 2) {
        int k = w.bands++;
        double all = w.below[k] * sqrt(w.here.psi - s->floor);
        end = end + width < s->n ? end + width : s->n - 1;
        last = k == BANDS - 1 || end == s->n - 1 || all < 0.1 * w.weight[k];
        w.below[k + 1] = last ? 0 : fmin(s->nodes[end].below, w.below[k]);
        w.fastest2[k] = last ? w.here.psi - s->floor : fmax(fall(w.here, level_of(&s->nodes[end])), 0);
        w.weight[k + 1] = w.weight[k] + (last ? all : sqrt(w.fastest2[k]) * (w.below[k] - w.below[k + 1]));
    }
    return w;
}

/* Draws v^2/2 of a body with speed v, from two random numbers. Returns -1 if the draw is rejected. The probability
 * density of v is proportional to v^2 f(psi - v^2/2), so the density of the energy is proportional to v f. */
static double try_energy(const struct sphere *s, const struct well *w, const double u[2])
{
    double weight = u[0] * w->weight[w->bands];
    int k = 0;
    while (k < w->bands - 1 && weight >= w->weight[k + 1])
        k++;
    double share = (weight - w->weight[k]) / (w->weight[k + 1] - w->weight[k]);
    double below = w->below[k + 1] + (w->below[k] - w->below[k + 1]) * (1 - share);
    double half_v2 = fall(w->here, find_level(s, below, w->node));
    return half_v2 >= u[1] * u[1] * w->fastest2[k] ? half_v2 : -1;
}

/* Maximum number of draws for a speed. A body needs two or three; the bodies deepest in a cusp need a few dozen. */
#define TRIES 10000

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

/* Makes an isotropic velocity anisotropic: divides its tangential part v_across by sqrt(1 + q^2), with q = r /
 * anisotropy_radius. The distribution function depends on v_radial^2 + (1 + q^2) v_across^2. */
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
