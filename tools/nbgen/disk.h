/* disk.h - a disk of stars around a central body, in equilibrium under the softened forces.
 *
 * Units of a disk: G = 1, total mass 1, radius 1. Stars lie at radii R from `inner` to 1, with the surface density of
 * the profile. Their heights are normally distributed. The rms height is z0 R / sqrt(R^2 + scale^2), where z0 is
 * `thickness`. So it is 0 at the centre, and nearly constant in the outer disk. */
#pragma once

#include "nbgen.h"

#define DISK_ROWS 256

/* Suggested softening, in disk radii. It is below the rms height of the stars, which is 0.8 of --thickness in the
 * default disk. So gravity and not softening determines the vertical structure. The softening is at least 0.005,
 * because shorter softening lengths need smaller time steps. */
#define DISK_SOFTENING(shape) fmin(fmax((shape)->thickness * 2 / 3, 0.005), 0.02)

struct disk_shape {
    double central_mass; /* fraction of the total mass in the central body, in [0, 1); 0: no central body */
    int power;           /* 1: surface density ~ R^-slope; otherwise ~ exp(-R / scale) */
    double scale, slope;
    double inner;      /* inner radius, in [0.001, 1) */
    double thickness;  /* z0, the rms height at large R */
    double toomre;     /* Toomre's Q = sigma_R kappa / (3.36 G Sigma); NAN: not given */
    double dispersion; /* ratio sigma_R / circular speed, used instead of toomre; NAN: not given */
    /* Quiet start: GEN_FOLD successive stars form a group. They have equal radii, and their angles differ by 2 pi /
     * GEN_FOLD. Every second star of a group is mirrored at the plane of the disk. */
    bool quiet;
};

/* Values at the radius `radius`. `rotation` is the mean rotation speed. `radial`, `azimuthal` and `vertical` are the
 * velocity dispersions along R, phi and z. `density` is the surface density. `frequency` is the larger of the
 * frequencies of circular motion and of small vertical motion. */
struct disk_row {
    double rotation, radial, azimuthal, vertical;
    double radius, density, frequency;
};

struct disk_range { /* range of radii; from > to: empty */
    double from, to;
};

struct disk {
    struct disk_shape shape;
    struct nb_rng rng;
    uint64_t n; /* number of bodies; the central body is first if it exists */
    double softening;
    /* Mass and radius of the disk in the model's units. Bodies are computed in disk units (mass 1, radius 1) and then
     * converted. */
    double mass, radius;
    struct orbit_plane plane;        /* plane of the disk, in which the disk rotates anticlockwise */
    struct disk_row rows[DISK_ROWS]; /* row k is at radius inner^(1 - k / (DISK_ROWS - 1)) */
    /* Radii where Q is below --toomre, because the radial dispersion is limited to half of the circular speed. The
     * innermost 1 % of the stars are ignored. */
    struct disk_range capped;
    struct disk_range unbalanced; /* radii where random motions are too strong for an equilibrium */
    /* smallest Q in the range `capped`, and its radius */
    double least_Q, least_at;
};

/* Options of a disk. They set disk_shape. */
extern struct disk_shape disk_shape;
extern const struct tool_option disk_options[];

#define DISK_DOC                                                                                               \
    "Stars move on circles with random motions in equilibrium (Jeans equations) in the softened force of "     \
    "all bodies. So change the softening here and not in nbsim. Random motions are at most half the "          \
    "circular speed; a message says where this is less than --toomre."                                         \
    "\n\nSuggested softening: 2/3 of the thickness, from 0.005 to 0.02 radii. Suggested time step: 1/20 (for " \
    "many stars 1/11) of the shortest period of circular and vertical motion and of close orbits around "      \
    "the central body, or the step of the model plummer if that is less, for leapfrog with a constant "        \
    "step."

/* Sets the plan's softening, and disk_shape.toomre if --toomre was not given. Call it first: the other functions need
 * these values. Dies with a usage error if the options contradict each other. */
void disk_begin(struct gen_plan *plan);
/* Makes a disk of n bodies with total mass `mass`, and appends it to the plan as a part. The column `galaxy` of
 * its bodies is the index of this part. The disk's radius is sqrt(mass), so that all disks have the same surface
 * density. `disk` must stay valid. */
void disk_add(struct gen_plan *plan, struct disk *disk, uint64_t n, double mass, struct orbit_tilt tilt);

/* Computes the members rows, capped, unbalanced, least_Q and least_at from `shape`, `n` and `softening` (in disk
 * units). In disk_model.c. */
void disk_prepare(struct disk *disk);
/* Returns the rotation period at 2.2 scale lengths, where an exponential disk rotates fastest, in the plan's units. If
 * this radius is beyond the edge of the disk, or if the profile is a power law, returns the period at the edge. In
 * disk_model.c. */
double disk_turn(const struct disk *disk);
/* Returns a leapfrog time step that resolves motions and encounters, in disk units. In disk_step.c. */
double disk_step(const struct disk *disk);
/* Returns the frequency of circular motion around a central body of mass `mass`, with softening. The circle's radius is
 * the smallest expected pericentre distance of the stars. */
double disk_central_frequency(const struct disk *disk, double mass);
/* Prints a warning if Q is less than --toomre at some radii, and another if some radii are not in equilibrium. */
void disk_warn(const struct disk *disk);
/* Computes n <= GEN_TOGETHER radii: the fraction u[i] of the stars lies within R[i]. */
void disk_radii(const struct disk_shape *shape, size_t n, const double *u, double *R);
/* Returns the rms height of the stars at radius R. */
double disk_height(const struct disk_shape *shape, double R);
