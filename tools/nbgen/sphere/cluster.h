/* cluster.h - computes the bodies of a spherical model. With options, bodies form mirrored pairs or binaries, and have
 * masses from a mass function of stars. Declares the options that all models of spheres share. */
#pragma once

#include "nbgen/nbgen.h"
#include "sphere.h"

/* Computes the n bodies `first` to first + n - 1; n is at most GEN_TOGETHER. `place` contains three numbers
 * in (0, 1) for each body, which give the position of body first + i: place[0][i] is the fraction of the mass within
 * the body's radius, and place[1][i] and place[2][i] give the direction. pos or vel may be NULL. If the function needs
 * more random numbers for a body, it takes them from `rng` with the argument `draw` (rng.h) from 1 to 2^62 - 1.
 * cluster.c uses the values from 2^62 on. */
typedef void cluster_make(const void *sphere, double *const place[3], const struct nb_rng *rng, uint64_t first,
                          size_t n, double *pos, double *vel);

struct cluster {
    struct nb_rng rng;
    uint64_t n, pairs; /* n: number of bodies; pairs: number of binaries, which come first */
    enum nb_component component;
    cluster_make *make;
    const void *sphere;
    double mass_unit; /* with --imf, a solar mass in the model's units; without --imf, the mass of each body */
    double sun, day;  /* a solar mass and a day in the model's units, for binaries with periods in days */
    double heaviest, lightest;
};

/* Options, in this order: the anisotropy; the quiet start; masses of stars and binaries. */
extern const struct tool_option cluster_isotropy[], cluster_quiet[], cluster_stars[];
/* Anisotropy radius in the model's unit of length; INFINITY: isotropic. */
extern double cluster_anisotropy;
extern bool cluster_is_quiet;

#define QUIET_DOC                                                                                       \
    "\n\n"                                                                                              \
    "--quiet-start: bodies 2k and 2k + 1 mirror each other through the centre, and the pairs fill the " \
    "model evenly (Roberts 2018). Speeds stay random."
#define CLUSTER_DOC                                                                                         \
    QUIET_DOC                                                                                               \
    "\n\n"                                                                                                  \
    "--imf: numbers ~ m^-1.3 up to 0.5 solar masses and m^-2.3 above (kroupa, 2001), or m^-2.35 "           \
    "(salpeter, 1955). The column temperature has those of dwarf stars."                                    \
    "\n\n--binaries: the first bodies are pairs. There is no softening then, and the time step is that of " \
    "the closest possible pair."                                                                            \
    "\n\n--binary-periods: flat: axes from 0.2 to 20 times (m1 + m2)/M length scales, log-uniform. "        \
    "duquennoy: Duquennoy & Mayor (1991). sana: Sana et al. (2012). field: sana for primaries from 5 "      \
    "solar masses, duquennoy for others. All but flat are in days and need --units with physical sizes; "   \
    "with --imf the total mass is then the sum of the stars in solar masses."

/* Computes bodies of a part (a range of bodies of a plan, nbgen.h) whose `data` points to a struct cluster. */
gen_fill cluster_fill;
/* Adds all bodies to the plan, as one part (nbgen.h) of total mass 1. Dies if options contradict each other. The
 * caller must also set the plan's softening and dt (cluster_softening, cluster_step). */
const struct cluster *cluster_plan(struct gen_plan *plan, enum nb_component component, cluster_make *make,
                                   const void *sphere);
/* Sets the plan's softening to the value of --softening. If this option was not given, sets the softening to 0 if there
 * are binaries, and to `usual` if there are none. */
void cluster_softening(struct gen_plan *plan, double usual);
/* Sets the plan's step: the step of gen_step_bodies, or a smaller step for binaries. `radius`, `speed` and `largest`
 * are parameters of gen_step_bodies. */
void cluster_step(struct gen_plan *plan, const struct cluster *c, double radius, double speed, double largest);

/* Returns the dynamical time of a sphere of mass 1. */
double sphere_dynamical_time(double half_mass_radius);
/* Returns the radius within which the fraction `share`, in (0, 1), of the bodies lies. */
double sphere_density_radius(const struct sphere_density *d, double share);
/* Returns a sphere with the given density, in equilibrium in its own softened gravity. Exits with status 2 if there is
 * no equilibrium with the given anisotropy radius. */
const struct sphere *sphere_alone(const struct sphere_density *density, double softening, double anisotropy_radius);
/* Computes bodies of a sphere that sphere_alone has made. */
cluster_make sphere_alone_make;

/* ---- masses of stars: stars.c ---- */
enum imf { IMF_KROUPA, IMF_SALPETER, IMF_EQUAL };
#define IMF_LEAST 0.08 /* minimum mass of a star, solar masses */
#define IMF_MOST  100. /* maximum mass of a star, solar masses */
/* Returns the mass in solar masses below which the fraction u of all stars lies. */
double imf_mass(enum imf imf, double u);
/* Returns the effective temperature in K of a main-sequence star; mass in solar masses. */
double star_temperature(double mass);

/* ---- orbits of binaries: binaries.c ---- */
enum binary_periods { PERIODS_FLAT, PERIODS_DUQUENNOY, PERIODS_SANA, PERIODS_FIELD };

/* With PERIODS_FLAT, the semi-major axis is from BINARY_CLOSEST to BINARY_WIDEST times (m1 + m2) / (mass of the model),
 * in the model's unit of length, and the eccentricity is at most BINARY_ECCENTRICITY. */
#define BINARY_CLOSEST      0.2
#define BINARY_WIDEST       20.
#define BINARY_ECCENTRICITY 0.9

struct binary {
    double axis, eccentricity;
};

/* Returns a binary of total mass `mass`, drawn with two uniform random numbers. */
struct binary binary_flat(double mass, const double u[2]);
/* binary_period draws the period of a binary in days, and binary_eccentricity draws its eccentricity. `primary` is the
 * mass of the heavier star (the primary) in solar masses. If one uniform random number is enough, it is u. Otherwise
 * the random numbers are taken from `rng` (rng.h), with the index `body` and the draw numbers draw, draw + 1, ... */
double binary_period(enum binary_periods periods, double primary, double u, const struct nb_rng *rng, uint64_t body,
                     uint64_t draw);
double binary_eccentricity(enum binary_periods periods, double primary, double days, double u, const struct nb_rng *rng,
                           uint64_t body, uint64_t draw);
/* Return the shortest period and the approximate median period, in days. No binary has a larger angular speed at its
 * pericentre than a circular orbit with the shortest period. */
double binary_shortest(enum binary_periods periods);
double binary_median(enum binary_periods periods);
/* binary_is_massive returns whether a binary with this primary has the distributions of massive stars (Sana et al.
 * 2012). For such a binary, binary_mass_ratio computes (mass of the secondary) / (mass of the primary) from the uniform
 * number u. The secondary has at least the minimum mass of a star. */
bool binary_is_massive(enum binary_periods periods, double primary);
double binary_mass_ratio(double primary, double u);
/* Computes position and velocity of the second body relative to the first, with phase and orientation from four uniform
 * numbers. */
void binary_state(double mass, const struct binary *b, const double u[4], double pos[3], double vel[3]);

/* ---- Plummer's sphere: plummer.c ---- */

/* Plummer's sphere in Henon's units: G = 1, mass 1, energy -1/4. */
struct plummer {
    double share; /* ratio (mass of the sphere) / (mass of the untruncated sphere) */
    double a;     /* scale radius */
};

/* Returns a sphere truncated at `cut` scale radii, cut >= 1; INFINITY: not truncated. */
struct plummer plummer_make(double cut);
/* Computes bodies of a struct plummer. Takes random numbers from `rng` with `draw` = 1 and 2 (rng.h). */
cluster_make plummer_bodies;
