/* sphere.h - a round component in equilibrium: where its bodies are, the pull of all that there is, and the velocities
 * that follow by Eddington's (1916) inversion, with Osipkov (1979) and Merritt's (1985) anisotropy. A sphere by itself
 * is a component in its own field; a galaxy's halo and bulge are components in the field of all. G = 1. */
#pragma once

#include "nbgen/nbgen.h"
#include "nbgen/numeric.h"

/* A spherical density; the functions take r > 0 and `context`. */
struct sphere_density {
    numeric_function *density; /* mass per volume, falling with r */
    numeric_function *mass;    /* within r */
    const void *context;       /* of both; lives as long as what is made from it */
    double scale;              /* a length where the profile bends: the tables are laid about it */
    double limit; /* no bodies beyond; INFINITY: none. Where the density goes on behind it, f is that of the whole */
};

/* What pulls: the mass within r, of all components, at every r > 0, flattened ones as if they were round. */
struct sphere_pull {
    numeric_function *mass;
    const void *context;
};

/* The pull of the density itself where forces are softened: of pairs m1 m2 r / (r^2 + softening^2)^(3/2). 0:
 * unsoftened.
 */
struct sphere_pull sphere_soften(const struct sphere_density *density, double softening);

struct sphere; /* tables; lives until the tool ends; any number of threads may read */

/* Both live on, with their contexts. Anisotropy: beta = r^2 / (r^2 + radius^2); INFINITY: isotropic. Where no
 * distribution function of at least 0 has that density and anisotropy in that pull: NULL, after nb_fail with the reason
 * in words that name the energy or radius where it fails (the caller says which option to change, and exits with 2). */
struct sphere *sphere_make(const struct sphere_density *density, const struct sphere_pull *pull,
                           double anisotropy_radius);

/* The largest acceleration by the pull. */
double sphere_largest_pull(const struct sphere *s);
/* Potential of the pull at r, 0 far away. */
double sphere_potential(const struct sphere *s, double r);

/* Body i of the stream `rng`: its place and, where `vel` is not NULL, its velocity; a place may be made twice, and
 * comes out the same. */
void sphere_draw(const struct sphere *s, const struct nb_rng *rng, uint64_t i, double pos[3], double vel[3]);
/* The same, the place being made of other numbers in (0, 1): the share of the mass within, and of a direction. */
void sphere_draw_at(const struct sphere *s, const double place[3], const struct nb_rng *rng, uint64_t i, double pos[3],
                    double vel[3]);

/* ---- profiles; masses are the totals within the limit: profile.c ---- */

/* Dehnen: rho ~ r^-gamma (r + a)^(gamma - 4). NFW (Navarro, Frenk & White 1997): rho ~ 1 / (r (r + r_s)^2).
 * King: f ~ e^E - 1, with its own edge. Isothermal: Emden's sphere without that edge, rho ~ r^-2 far away. `truncation`
 * T, not of King, multiplies the density by sech(r / (T scale)), as McMillan & Dehnen (2007) do. */
enum sphere_kind { SPHERE_PLUMMER, SPHERE_DEHNEN, SPHERE_NFW, SPHERE_KING, SPHERE_ISOTHERMAL };

struct sphere_shape {
    enum sphere_kind kind;
    double mass, scale; /* scale radius: a, r_s, King's core radius */
    double gamma;       /* Dehnen (1993): 1 is Hernquist (1990), 2 Jaffe (1983) */
    double truncation;  /* in the unit of `scale`; INFINITY: none, which nfw and isothermal cannot have */
    double edge;        /* as well: the density times (1 - (r/edge)^4)^2, and nothing beyond; 0: none. Not of King */
    double w0;          /* King (1966): the depth of the centre in units of the dispersion, up to 16 */
};

/* Returns the density of that shape. Its context is made here. */
struct sphere_density sphere_profile(const struct sphere_shape *shape);
/* Frees the context of a density of sphere_profile, of a kind other than SPHERE_KING and SPHERE_ISOTHERMAL. */
void sphere_profile_free(struct sphere_density *density);

/* ---- spheres by Poisson's equation, whose density depends on the potential alone: King's (1966, AJ 71, 64) and the
 * isothermal one (Emden 1907): emden.c ---- */

struct emden;

/* Lives until the tool ends. w0 INFINITY: isothermal. */
const struct emden *emden_make(double w0);
/* Relative to the centre's, at r in core radii, 3 sigma / sqrt(4 pi rho(0)). */
double emden_density(const struct emden *e, double r);
/* King's tidal radius in core radii; INFINITY of the isothermal sphere. */
double emden_edge(const struct emden *e);

/* ---- what the models of round and hot systems share: spheres.c ---- */

/* A vector of that length in a direction uniform on the sphere, from two uniform numbers. */
void sphere_direction(const double u[2], double length, double out[3]);

/* Half the mean distance of n bodies at the density of a homogeneous sphere of that radius: what Rodionov & Sotnikova
 * (2005) find best, taken where the model is densest. */
double sphere_softening(double radius, uint64_t n);

#define SPHERE_DOC                                                                                        \
    "Suggested softening: half the mean distance of bodies where they are densest (Rodionov & Sotnikova " \
    "2005). Suggested time step: 0.18 to 0.54 of (softening / largest acceleration)^(1/2), for leapfrog " \
    "with a constant step. Below 1000 bodies it is at most a quarter of the time in which two bodies "    \
    "pass the softening length."

/* ---- what a sphere is made of, for the files that make and read it ---- */

#define SPHERE_STEP   (1. / 32) /* of the grid, in ln r where there is no edge */
#define SPHERE_MARGIN 8         /* nodes at each end that only serve differences */

/* Equal steps of y, with r = scale e^y / (1 + scale e^y / edge): ln r inside, and where the density ends at an edge
 * -ln(edge - r) there, so that powers of r and of the distance from the edge are both smooth. */
struct sphere_grid {
    size_t n;
    double scale, edge; /* INFINITY: none */
    double first;       /* y of node 0 */
    double *r;
    double *pressure;      /* dPsi/dy with its sign turned: what a step outwards costs */
    double *inner, *outer; /* Psi(node 0) - Psi and Psi - Psi(last node): differences of the smaller are exact */
    double *f;             /* the distribution function at Q = Psi; 0 in the margins */
};

/* Fills f from the others; -1 after nb_fail where it would be negative between r_low and r_high. */
int sphere_eddington(struct sphere_grid *g, const struct sphere_density *density, double anisotropy_radius,
                     double r_low, double r_high);
/* The integral of f from x to x + h by Gauss's formula with five points. */
double sphere_gauss(numeric_function *f, const void *context, double x, double h);

struct sphere_node { /* a line of cache */
    double r;
    double mass, r_slope;  /* of the bodies within r; dr/dmass */
    double psi, psi_slope; /* dpsi/dr */
    double fallen;         /* psi(node 0) - psi: without cancellation near the centre */
    double f, below;       /* the distribution function at psi, and its integral from 0 to psi */
};

struct sphere {
    struct sphere_node *nodes; /* outwards */
    uint32_t n;
    uint32_t *by_mass;  /* SPHERE_BINS + 1: the last node with no more mass than the bin's lower end */
    uint32_t *by_below; /* as by_mass, of `below`, in bins of sphere_bin */
    uint32_t first_bin, bins;
    double mass;        /* of the bodies */
    double inner_power; /* r ~ mass^that inside node 0 */
    double floor;       /* psi where f is 0 */
    double anisotropy_radius;
    struct sphere_density density;
    struct sphere_pull pull;
};

#define SPHERE_BINS 4096

/* Bins of 1/16 of an octave: the first digits of a positive double, as an integer. */
static inline uint32_t sphere_bin(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 48);
}

/* The cubic that has the values and slopes of both ends; s from 0 to 1, slopes per s. */
static inline double sphere_cubic(double s, double y0, double y1, double d0, double d1)
{
    double rise = y1 - y0;
    return y0 + s * (d0 + s * (3 * rise - 2 * d0 - d1 + s * (d0 + d1 - 2 * rise)));
}
