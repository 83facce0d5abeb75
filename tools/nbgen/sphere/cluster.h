/* cluster.h - how the bodies of a sphere are dealt out: one by one or in mirrored pairs, of equal masses or of those of
 * stars, single or in binaries. The options that all models of spheres share. */
#pragma once

#include "nbgen/nbgen.h"
#include "sphere.h"

/* Makes n <= GEN_TOGETHER bodies from `first` on. A place is made of numbers in (0, 1), place[k] those of all: the
 * share of the mass within, and of a direction. pos or vel may be NULL. Their further numbers are `rng`'s from draw 1
 * on; draws from 2^62 on are the cluster's. */
typedef void cluster_make(const void *sphere, double *const place[3], const struct nb_rng *rng, uint64_t first,
                          size_t n, double *pos, double *vel);

struct cluster {
    struct nb_rng rng;
    uint64_t n, pairs; /* bodies; binaries, which come first */
    enum nb_component component;
    cluster_make *make;
    const void *sphere;
    double mass_unit; /* masses are multiples of it */
    double sun, day;  /* a solar mass and a day, in the model's own units; of binaries with periods in days */
    double heaviest, lightest;
};

/* Options: anisotropy, a quiet start, masses and binaries. */
extern const struct tool_option cluster_isotropy[], cluster_quiet[], cluster_stars[];
/* In the length called 1; INFINITY: isotropic. */
extern double cluster_anisotropy;
extern bool cluster_is_quiet;

#define QUIET_DOC                                                                                       \
    "\n\n"                                                                                              \
    "--quiet-start: bodies 2k and 2k + 1 mirror each other through the centre, and the pairs fill the " \
    "model evenly (Roberts 2018). Speeds stay random."
#define CLUSTER_DOC                                                                                           \
    QUIET_DOC                                                                                                 \
    "\n\n"                                                                                                    \
    "--imf: numbers ~ m^-1.3 up to 0.5 solar masses and m^-2.3 above (kroupa, 2001), or m^-2.35 "             \
    "(salpeter, 1955). The column temperature has those of dwarf stars."                                      \
    "\n\n--binaries: the first bodies are pairs. There is no softening then, and the time step is that of "   \
    "the closest possible pair."                                                                              \
    "\n\n--binary-periods: flat: axes from 0.2 to 20 times (m1 + m2)/M of the length called 1, log-uniform. " \
    "duquennoy: Duquennoy & Mayor (1991). sana: Sana et al. (2012). field: sana for primaries from 5 "        \
    "solar masses, duquennoy for others. All but flat are in days and need --units with physical sizes; "     \
    "with --imf the total mass is then the sum of the stars in solar masses."

/* Its bodies; a part is a struct cluster. */
gen_fill cluster_fill;
/* A part of all bodies of the plan, of mass 1 together. Dies on options that do not go together. Softening and dt of
 * the plan are set after this: see cluster_steps. */
const struct cluster *cluster_plan(struct gen_plan *plan, enum nb_component component, cluster_make *make,
                                   const void *sphere);
/* Sets the plan's softening: `usual`, none with binaries, or what --softening says. */
void cluster_softening(struct gen_plan *plan, double usual);
/* Sets its step: that of gen_step_bodies, and for binaries. */
void cluster_step(struct gen_plan *plan, const struct cluster *c, double radius, double speed, double largest);

/* The dynamical time of a sphere of mass 1 with half of it within that radius. */
double sphere_dynamical_time(double half_mass_radius);
/* The radius that has that share of the bodies, in (0, 1). */
double sphere_density_radius(const struct sphere_density *d, double share);
/* The sphere of that density in its own gravity, softened. Exit 2 where none of that anisotropy is in equilibrium. */
const struct sphere *sphere_alone(const struct sphere_density *density, double softening, double anisotropy_radius);
/* Makes its bodies. */
cluster_make sphere_alone_make;

/* ---- masses of stars: stars.c ---- */
enum imf { IMF_KROUPA, IMF_SALPETER, IMF_EQUAL };
#define IMF_LEAST 0.08 /* solar masses */
#define IMF_MOST  100.
/* The mass below which the share u of all stars is, in solar masses. */
double imf_mass(enum imf imf, double u);
/* Effective temperature of a star on the main sequence, K, of a mass in solar masses. */
double star_temperature(double mass);

/* ---- orbits of binaries: binaries.c ---- */
enum binary_periods { PERIODS_FLAT, PERIODS_DUQUENNOY, PERIODS_SANA, PERIODS_FIELD };

#define BINARY_CLOSEST      0.2 /* flat: semi-major axes, in (m1 + m2) / M of the length called 1 */
#define BINARY_WIDEST       20.
#define BINARY_ECCENTRICITY 0.9 /* flat: the largest */

struct binary {
    double axis, eccentricity;
};

/* A binary whose masses add up to `mass`, from two numbers. */
struct binary binary_flat(double mass, const double u[2]);
/* The period in days and the eccentricity of a binary with that primary, in solar masses, from the number u and from
 * draws of the body from `draw` on. */
double binary_period(enum binary_periods periods, double primary, double u, const struct nb_rng *rng, uint64_t body,
                     uint64_t draw);
double binary_eccentricity(enum binary_periods periods, double primary, double days, double u, const struct nb_rng *rng,
                           uint64_t body, uint64_t draw);
/* The shortest period in days, which no motion at a pericentre is faster than, and about the median. */
double binary_shortest(enum binary_periods periods);
double binary_median(enum binary_periods periods);
/* Whether the mass ratio is that of massive stars, and it. Secondaries are stars. */
bool binary_is_massive(enum binary_periods periods, double primary);
double binary_mass_ratio(double primary, double u);
/* Position and velocity of the second body from the first at a phase and in an orientation from four numbers. */
void binary_state(double mass, const struct binary *b, const double u[4], double pos[3], double vel[3]);

/* ---- Plummer's sphere: plummer.c ---- */

/* Henon's units: G = 1, mass 1, E = -1/4. */
struct plummer {
    double share; /* of the mass of the sphere without a limit */
    double a;     /* scale radius */
};

/* Cut off at that many scale radii, from 1 on; INFINITY: nowhere. */
struct plummer plummer_make(double cut);
/* Its bodies, of a struct plummer: draws 1 and 2. */
cluster_make plummer_bodies;
