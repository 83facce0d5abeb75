/* sphere.h - a spherical component in equilibrium. Its velocities come from Eddington's (1916) inversion with the
 * anisotropy of Osipkov (1979) and Merritt (1985), for a given density and a given gravity. The gravity is
 * that of the sphere itself, or, for the halo and the bulge of a galaxy, that of all components. G = 1. */
#pragma once

#include "nbgen/nbgen.h"
#include "nbgen/numeric.h"

/* A spherical density. The functions take r > 0 and `context`. */
struct sphere_density {
    numeric_function *density; /* mass per volume, decreasing with r */
    numeric_function *mass;    /* mass within r */
    const void *context;       /* argument of both functions; must be valid as long as the sphere */
    /* radius at which the slope of the density changes; the tables extend from here inwards and outwards */
    double scale;
    /* There are no bodies beyond this radius; INFINITY: no limit. The functions may return a density above 0 there: the
     * distribution function is computed from the entire density. */
    double limit;
};

/* The gravity that acts on the bodies. The function `mass` returns the mass of all components within r, for r > 0. Flat
 * components are treated as if they were spherical. */
struct sphere_pull {
    numeric_function *mass;
    const void *context;
};

/* Returns the gravity of a sphere with this density. The force between two bodies at distance r is softened: m1 m2 r /
 * (r^2 + softening^2)^(3/2). The softening may be 0. */
struct sphere_pull sphere_soften(const struct sphere_density *density, double softening);

struct sphere; /* tables, kept until the tool ends; any number of threads may read them */

/* Makes the tables of a sphere. `density` and `pull` with their contexts must stay valid. The anisotropy is
 * beta = r^2 / (r^2 + anisotropy_radius^2); INFINITY: isotropic. Returns NULL after nb_fail if the distribution
 * function would be negative, so that there is no equilibrium. The message contains a radius where it would be
 * negative. The caller then prints which option the user should change, and exits with status 2. */
struct sphere *sphere_make(const struct sphere_density *density, const struct sphere_pull *pull,
                           double anisotropy_radius);

/* Returns the largest acceleration at the nodes of the sphere's tables. */
double sphere_largest_pull(const struct sphere *s);
/* Returns the potential at r. The potential is negative, and 0 at infinity. */
double sphere_potential(const struct sphere *s, double r);

/* Draws the position of body i, and its velocity if `vel` is not NULL, with random numbers of the stream `rng`.
 * Repeated calls, with or without `vel`, give the same position. */
void sphere_draw(const struct sphere *s, const struct nb_rng *rng, uint64_t i, double pos[3], double vel[3]);
/* Draws a body as sphere_draw does, but its position comes from given numbers in (0, 1): place[0] is the fraction of
 * the mass within its radius, and the other two give the direction. */
void sphere_draw_at(const struct sphere *s, const double place[3], const struct nb_rng *rng, uint64_t i, double pos[3],
                    double vel[3]);

/* ---- profiles: profile.c. Masses are totals within the limit ---- */

/* Kinds of density profiles. In the formulas, a and r_s are the member `scale` of sphere_shape.
 * - Dehnen: rho ~ r^-gamma (r + a)^(gamma - 4).
 * - NFW (Navarro, Frenk & White 1997): rho ~ 1 / (r (r + r_s)^2).
 * - King: distribution function f ~ e^E - 1; the density is 0 from the tidal radius on.
 * - Isothermal (Emden): f ~ e^E; there is no tidal radius, and rho ~ r^-2 at large r.
 *
 * A `truncation` T (not for King) multiplies the density by sech(r / (T scale)), as in McMillan & Dehnen (2007). */
enum sphere_kind { SPHERE_PLUMMER, SPHERE_DEHNEN, SPHERE_NFW, SPHERE_KING, SPHERE_ISOTHERMAL };

struct sphere_shape {
    enum sphere_kind kind;
    double mass, scale; /* scale radius: a, r_s, or King's core radius */
    double gamma;       /* Dehnen (1993): 1 is Hernquist (1990), 2 Jaffe (1983) */
    double truncation;  /* T in the factor sech(r / (T scale)). INFINITY: no truncation (not for NFW and isothermal) */
    /* (radius at which the density becomes 0) / scale. The density is multiplied by (1 - (r / (edge * scale))^4)^2.
     * edge = 0: no such factor. Not for King. */
    double edge;
    double w0; /* King (1966): (central potential) / (velocity dispersion)^2, up to 16 */
};

/* Returns the density profile of this shape. Its context is new; free it with sphere_profile_free. */
struct sphere_density sphere_profile(const struct sphere_shape *shape);
/* Frees the context of a density from sphere_profile. Must not be called for SPHERE_KING and SPHERE_ISOTHERMAL, whose
 * contexts are never freed. */
void sphere_profile_free(struct sphere_density *density);

/* ---- emden.c: solutions of Poisson's equation for spheres whose density depends only on the potential: King's sphere
 * (1966, AJ 71, 64) and the isothermal sphere (Emden 1907) ---- */

struct emden;

/* Returns King's sphere with the central potential w0 (sphere_shape.w0), or the isothermal sphere if w0 is INFINITY.
 * The sphere is never freed. */
const struct emden *emden_make(double w0);
/* Returns (density at r) / (central density). Unit of r: the core radius,
 * 3 * (velocity dispersion) / sqrt(4 pi * (central density)) with G = 1. */
double emden_density(const struct emden *e, double r);
/* Returns King's tidal radius in core radii; INFINITY for the isothermal sphere. */
double emden_edge(const struct emden *e);

/* ---- functions shared by models of spherical systems: spheres.c ---- */

/* Computes a vector of length `length` in an isotropic direction, from two uniform numbers. */
void sphere_direction(const double u[2], double length, double out[3]);

/* Returns the suggested softening: half the mean distance of n bodies in a homogeneous sphere with this radius, which
 * is the optimum according to Rodionov & Sotnikova (2005). For other models, choose the radius so that the homogeneous
 * sphere is as dense as the densest part of the model. */
double sphere_softening(double radius, uint64_t n);

#define SPHERE_DOC                                                                                        \
    "Suggested softening: half the mean distance of bodies where they are densest (Rodionov & Sotnikova " \
    "2005). Suggested time step: 0.18 to 0.54 of (softening / largest acceleration)^(1/2), for leapfrog " \
    "with a constant step. Below 1000 bodies it is at most a quarter of the time in which two bodies "    \
    "pass the softening length."

/* ---- the tables of a sphere, for the files that make and read them ---- */

#define SPHERE_STEP   (1. / 32) /* step of the grid in y (struct sphere_grid) */
#define SPHERE_MARGIN 8         /* number of extra nodes at each end of the grid, needed for finite differences only */

/* Grid with equal steps in y. The radius is r = scale e^y / (1 + scale e^y / edge). Far inside the edge, y is ln r plus
 * a constant. Near the edge, y is -ln(edge - r) plus a constant. Powers of r and of (edge - r) are therefore smooth
 * functions of y. */
struct sphere_grid {
    size_t n;
    double scale, edge; /* scale radius; radius of the edge, INFINITY: no edge */
    double first;       /* y of node 0 */
    double *r;
    double *pressure; /* -dPsi/dy, where Psi is the negative potential */
    /* Differences of Psi at each node: inner is Psi(node 0) - Psi, outer is Psi - Psi(last node). The smaller of these
     * two differences has no cancellation error. */
    double *inner, *outer;
    double *f; /* distribution function (eddington.c) at the Psi of each node; 0 at the extra nodes at both ends */
};

/* Computes g->f from the other members. Returns -1 after nb_fail if f would be negative between r_low and r_high. */
int sphere_eddington(struct sphere_grid *g, const struct sphere_density *density, double anisotropy_radius,
                     double r_low, double r_high);
/* Returns the integral of the function `f` from x to x + h by Gauss's formula with five points. */
double sphere_gauss(numeric_function *f, const void *context, double x, double h);

struct sphere_node { /* 64 bytes, a cache line */
    double r;
    double mass, r_slope;  /* mass of the bodies within r, and dr/dmass */
    double psi, psi_slope; /* negative potential, and dpsi/dr */
    double fallen;         /* psi(node 0) - psi, computed without cancellation error near the centre */
    double f, below;       /* distribution function at psi, and its integral from 0 to psi */
};

struct sphere {
    struct sphere_node *nodes; /* nodes in order of increasing r */
    uint32_t n;
    /* Tables to find a node quickly. by_mass[b]: index of the last node whose mass is at most
     * (b / SPHERE_BINS) * (total mass), but at most n - 2. b is from 0 to SPHERE_BINS. */
    uint32_t *by_mass;
    /* by_below[b]: index of the last node whose integral `below` lies in a bin above first_bin + b. sphere_bin()
     * returns the bin of a number. `below` decreases from node to node */
    uint32_t *by_below;
    uint32_t first_bin, bins;
    double mass;        /* total mass of all bodies */
    double inner_power; /* r ~ mass^inner_power inside node 0 */
    double floor;       /* psi at which f becomes 0 */
    double anisotropy_radius;
    struct sphere_density density;
    struct sphere_pull pull;
};

#define SPHERE_BINS 4096

/* Returns the number of the bin that contains x > 0: the highest 16 bits of the double (sign, exponent and 4 bits of
 * the mantissa). There are therefore 16 bins per octave. */
static inline uint32_t sphere_bin(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 48);
}

/* Returns the cubic Hermite interpolation at s from 0 to 1. y0 and y1 are the values at both ends, d0 and d1 the
 * derivatives with respect to s. */
static inline double sphere_cubic(double s, double y0, double y1, double d0, double d1)
{
    double rise = y1 - y0;
    return y0 + s * (d0 + s * (3 * rise - 2 * d0 - d1 + s * (d0 + d1 - 2 * rise)));
}
