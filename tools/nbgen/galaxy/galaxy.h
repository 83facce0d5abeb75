/* galaxy.h - a galaxy of round components and disks in mutual equilibrium, for models that have one or more.
 *
 * Units of a galaxy of its own: G = 1; the disk's scale length and the circular speed in the plane at 2.2 of them,
 * before softening, are 1. Without a disk the bulge's scale radius takes its place, without that the halo's. */
#pragma once

#include "nbgen/galaxy/orbits.h"
#include "nbgen/nbgen.h"
#include "nbgen/orbit.h"
#include "nbgen/sphere/sphere.h"

/* The softened pull of a galaxy's round components, or of all of them as if the disks were round, G = 1: that of a mass
 * with this pull at r, were it a point. */
struct field {
    struct numeric_spline *log_mass; /* of log r; NULL: no mass but the point's */
    double point, softening;         /* a mass in the middle */
};

/* Components in the order of their bodies. */
enum galaxy_component { GALAXY_HOLE, GALAXY_DISK, GALAXY_GAS, GALAXY_BULGE, GALAXY_HALO, GALAXY_COMPONENTS };
extern const char *const galaxy_names[GALAXY_COMPONENTS];

/* Masses and lengths in any units; only their ratios shape the galaxy, but presets have 10^10 Msun and kpc. A component
 * without mass is not there, and its other values have no meaning. */
struct galaxy_shape {
    const char *name;
    double mass[GALAXY_COMPONENTS];
    double scale[GALAXY_COMPONENTS];
    double weight[GALAXY_COMPONENTS];     /* a body's mass over that of the disk's bodies; 0: default */
    double height[GALAXY_COMPONENTS];     /* of disks: density ~ sech^2(z / height) */
    double toomre[GALAXY_COMPONENTS];     /* of disks: Q = sigma_R kappa / (3.36 G Sigma) where it is least */
    bool toomre_asked[GALAXY_COMPONENTS]; /* by its option, which a refusal then names */
    double truncation;                    /* of the halo, as in struct sphere_shape */
    int hernquist;                        /* 1: the halo is Hernquist's, else of Navarro, Frenk & White */
};

/* Those that users may name, in this order, and then those of pairs. */
extern const struct galaxy_shape galaxy_presets[];
enum { GALAXY_MILKYWAY, GALAXY_M31, GALAXY_SPIRAL = 5, GALAXY_INTRUDER, GALAXY_SATELLITE };
#define GALAXY_PRESETS "milkyway|m31|dwarf|elliptical|disk-dominated"
/* The option --quiet-start, and whether it was given. */
extern const struct tool_option galaxy_quiet[];
extern bool galaxy_is_quiet;

/* A galaxy that its bodies can be drawn from; lives until the tool ends, where it is: it points into itself. */
struct galaxy {
    struct galaxy_shape shape;     /* in units of its own, but for `truncation` */
    double unit_mass, unit_length; /* what 1 is, in the units of the shape that was given */
    uint64_t n[GALAXY_COMPONENTS];
    double softening; /* in units of its own */
    double circular;  /* softened speed in the plane at 2.2 scale lengths */
    double step;      /* suggested, in units of its own */
    struct field round, all;
    struct sphere *spheres[GALAXY_COMPONENTS];
    struct sphere_density unscaled[GALAXY_COMPONENTS]; /* of the shares of the mass, from which the units come */
    struct sphere_density densities[GALAXY_COMPONENTS];
    struct sphere_pull pull;
    struct orbits *orbits[GALAXY_COMPONENTS];
};

/* The units of a galaxy of that shape. Dies (usage) where it makes no sense; the model has demanded its numerics
 * (numeric.h). */
void galaxy_begin(struct galaxy *g, const struct galaxy_shape *shape);
/* The suggested softening of n bodies, in units of its own; the units must be there. */
double galaxy_softening(const struct galaxy *g, uint64_t n);
/* The tables for n bodies with that softening, in units of its own. Dies (usage) as galaxy_begin. */
void galaxy_prepare(struct galaxy *g, uint64_t n, double softening);
/* A line where the disk cannot be had as it was asked for. */
void galaxy_warn(const struct galaxy *g);

/* A turn at 2.2 scale lengths, in units of its own; once it is prepared. */
double galaxy_turn(const struct galaxy *g);

/* Sets the plan's scale so that its own units are this galaxy's: units that have sizes are the shape's, 10^10 Msun and
 * kpc, code units the galaxy's own. */
void galaxy_scale(struct gen_plan *plan, const struct galaxy *g);

/* How a galaxy lies in a plan, in the plan's units. */
struct galaxy_place {
    double mass, length;    /* what 1 of the galaxy's own units is */
    struct orbit_tilt tilt; /* of the disks */
};

/* Prepares a galaxy of n bodies with the plan's softening. Its components become parts with a common centre of mass, at
 * the origin. `number` goes into the column `galaxy`, and the random streams are component + 256 * number. Sets
 * plan->galaxies; not the time step. Lines on stderr say what it is made of. */
void galaxy_add(struct gen_plan *plan, struct galaxy *g, uint64_t n, uint8_t number, const struct galaxy_place *place);
