/* galaxy.h - a galaxy of spherical components and disks in mutual equilibrium, for models of one or more galaxies.
 *
 * Units of a galaxy: G = 1. The unit of length is the scale length of the disk. If there is no disk, it is the scale
 * radius of the bulge. If there is no bulge either, it is the scale radius of the halo. The unit of mass is such that
 * the circular speed in the plane at 2.2 units of length is 1, without softening. */
#pragma once

#include "nbgen/galaxy/orbits.h"
#include "nbgen/nbgen.h"
#include "nbgen/orbit.h"
#include "nbgen/sphere/sphere.h"

/* Softened attraction (G = 1) as a function of the radius r. It is stored as a function mass(r): a point of this mass
 * in the centre would have the same attraction at r. galaxy.round: attraction of the spherical components. galaxy.all:
 * attraction of all components, as if disks were spherical. */
struct field {
    struct numeric_spline *log_mass; /* log(mass) as a function of log(r); NULL: only the central point has mass */
    double point, softening;         /* mass and softening of the point in the centre */
};

/* Components of a galaxy, in the order in which their bodies are stored. */
enum galaxy_component { GALAXY_HOLE, GALAXY_DISK, GALAXY_GAS, GALAXY_BULGE, GALAXY_HALO, GALAXY_COMPONENTS };
extern const char *const galaxy_names[GALAXY_COMPONENTS];

/* Masses and lengths are in any units, because only their ratios determine the galaxy. Presets use 10^10 Msun and kpc.
 * A component with mass 0 does not exist, and its other values are ignored. */
struct galaxy_shape {
    const char *name;
    double mass[GALAXY_COMPONENTS];
    double scale[GALAXY_COMPONENTS];
    double weight[GALAXY_COMPONENTS]; /* ratio (mass of a body) / (mass of a disk body); 0: default */
    double height[GALAXY_COMPONENTS]; /* scale heights of disks: density ~ sech^2(z / height) */
    double toomre[GALAXY_COMPONENTS]; /* disks: minimum over R of Toomre's Q = sigma_R kappa / (3.36 G Sigma) */
    /* true: an option set `toomre`; error messages then name this option */
    bool toomre_asked[GALAXY_COMPONENTS];
    double truncation; /* truncation radius of the halo, in scale radii (struct sphere_shape) */
    int hernquist;     /* 1: Hernquist halo, otherwise Navarro, Frenk & White */
};

/* The first presets are those that users may name (GALAXY_PRESETS). Models of two galaxies use the other presets. */
extern const struct galaxy_shape galaxy_presets[];
enum { GALAXY_MILKYWAY, GALAXY_M31, GALAXY_SPIRAL = 5, GALAXY_INTRUDER, GALAXY_SATELLITE };
#define GALAXY_PRESETS "milkyway|m31|dwarf|elliptical|disk-dominated"
/* The option --quiet-start, and whether it was given. */
extern const struct tool_option galaxy_quiet[];
extern bool galaxy_is_quiet;

/* Tables from which the bodies of a galaxy are drawn. Contains pointers into itself: do not move or copy it. Kept until
 * the tool ends. */
struct galaxy {
    struct galaxy_shape shape;     /* in units of the galaxy, except `truncation`, which is in scale radii */
    double unit_mass, unit_length; /* unit mass and length of the galaxy, in the units of the given shape */
    uint64_t n[GALAXY_COMPONENTS];
    double softening; /* softening length, in units of the galaxy */
    double circular;  /* softened circular speed in the plane at 2.2 scale lengths */
    double step;      /* suggested time step, in units of the galaxy */
    struct field round, all;
    struct sphere *spheres[GALAXY_COMPONENTS];
    /* Densities of the spherical components, in two systems of units. `densities` is in units of the galaxy, where the
     * circular speed is 1. In `unscaled`, the unit of mass is the total mass of the galaxy. The galaxy's unit of mass
     * is computed from `unscaled`. */
    struct sphere_density unscaled[GALAXY_COMPONENTS];
    struct sphere_density densities[GALAXY_COMPONENTS];
    struct sphere_pull pull;
    struct orbits *orbits[GALAXY_COMPONENTS];
};

/* Computes the units of a galaxy from its shape. Call numeric_demand (numeric.h) first. Dies with a usage error if the
 * shape is invalid. */
void galaxy_begin(struct galaxy *g, const struct galaxy_shape *shape);
/* Returns the suggested softening for n bodies, in units of the galaxy. Call galaxy_begin first. */
double galaxy_softening(const struct galaxy *g, uint64_t n);
/* Computes the tables for n bodies with the given softening in units of the galaxy. Dies with a usage error if there is
 * no equilibrium. */
void galaxy_prepare(struct galaxy *g, uint64_t n, double softening);
/* Prints a warning if a disk is so hot that it is out of equilibrium, or that its surface density has a large error. */
void galaxy_warn(const struct galaxy *g);

/* Returns the rotation period at 2.2 scale lengths, in units of the galaxy. Call galaxy_prepare first. */
double galaxy_turn(const struct galaxy *g);

/* Sets the plan's scale so that the model's units are the units of this galaxy. If the output has physical units, the
 * shape's masses must be in 10^10 Msun and its lengths in kpc. */
void galaxy_scale(struct gen_plan *plan, const struct galaxy *g);

/* Size and orientation of a galaxy in a plan, in the plan's units. */
struct galaxy_place {
    double mass, length;    /* unit mass and unit length of the galaxy */
    struct orbit_tilt tilt; /* orientation of the disks */
};

/* Prepares a galaxy of n bodies with the plan's softening. Appends its components to the plan as parts. Their common
 * centre of mass is at the origin. `number` is the value of column `galaxy`. A component with value c of column
 * `component` uses the random stream with index c + 256 * number. Sets plan->galaxies, but not the time step. Prints
 * the composition to stderr. */
void galaxy_add(struct gen_plan *plan, struct galaxy *g, uint64_t n, uint8_t number, const struct galaxy_place *place);
