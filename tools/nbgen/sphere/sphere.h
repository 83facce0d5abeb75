/* sphere.h - a round component in equilibrium: where its bodies are, the pull of all that there is, and the velocities
 * that follow by Eddington's (1916) inversion, with Osipkov (1979) and Merritt's (1985) anisotropy. A sphere by itself
 * is a component in its own field; a galaxy's halo and bulge are components in the field of all. G = 1. */
#ifndef SPHERE_H
#define SPHERE_H

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

#endif
