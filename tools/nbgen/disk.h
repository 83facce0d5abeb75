/* disk.h - a disk of stars around a central body, in equilibrium under the softened forces that will act.
 *
 * Units of a disk of its own: G = 1, total mass 1, radius 1. Stars lie between `inner` and 1 with the surface density
 * of the profile, and at normal heights with the rms z0 R / sqrt(R^2 + scale^2), so that the disk neither has a knob in
 * the middle nor flares outside. */
#pragma once

#include "nbgen.h"

#define DISK_ROWS 256

/* Suggested softening, in radii: below the rms height of all stars, 0.8 of --thickness in the usual disk, so that what
 * holds them in the plane is not the softening. Thinner disks would ask for ever shorter steps. */
#define DISK_SOFTENING(shape) fmin(fmax((shape)->thickness * 2 / 3, 0.005), 0.02)

struct disk_shape {
    double central_mass; /* share of the central body, in [0, 1); 0: there is none */
    int power;           /* 1: surface density ~ R^-slope; else ~ exp(-R / scale) */
    double scale, slope;
    double inner;      /* in [0.001, 1) */
    double thickness;  /* z0, the rms height far out */
    double toomre;     /* Q = sigma_R kappa / (3.36 G Sigma); NAN: not given */
    double dispersion; /* sigma_R over the circular speed, instead of toomre; NAN: not given */
    bool quiet;        /* stars in groups of GEN_FOLD about the axis, every other one mirrored in the plane */
};

/* At one radius: mean rotation, and dispersions along R, phi and z; surface density, and the greater frequency of
 * circular motion and of small motions across the plane. */
struct disk_row {
    double rotation, radial, azimuthal, vertical;
    double radius, density, frequency;
};

struct disk_range { /* radii; from > to: nowhere */
    double from, to;
};

struct disk {
    struct disk_shape shape;
    struct nb_rng rng;
    uint64_t n; /* bodies, the central one first if there is one */
    double softening;
    double mass, radius;             /* factors for all bodies */
    struct orbit_plane plane;        /* the disk turns anticlockwise in it */
    struct disk_row rows[DISK_ROWS]; /* at inner^(1 - k / (DISK_ROWS - 1)) */
    struct disk_range capped;        /* where --toomre asks for a dispersion that is too much */
    struct disk_range unbalanced;    /* where random motions push more than gravity holds */
    double least_Q, least_at;        /* the least Q among the capped, and its radius; both but for the innermost 1 % */
};

/* Options of a disk; they set disk_shape. */
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

/* Sets the plan's softening, and the default of --toomre. Dies (usage) if the options do not go together. Called before
 * disk_shape is read. */
void disk_begin(struct gen_plan *plan);
/* Makes a disk of n bodies and of that mass, with one surface density for all, and appends it as a part: the galaxy of
 * the part's number. The disk lives on. */
void disk_add(struct gen_plan *plan, struct disk *disk, uint64_t n, double mass, struct orbit_tilt tilt);

/* Fills in the rows and what follows them from shape, n and softening (in disk units). disk_model.c */
void disk_prepare(struct disk *disk);
/* A turn at 2.2 scale lengths, or at the edge if that is nearer or the profile is a power, in the plan's units.
 * disk_model.c */
double disk_turn(const struct disk *disk);
/* The time step for leapfrog in which its motions and passages are followed, in disk units. disk_step.c */
double disk_step(const struct disk *disk);
/* Frequency of the closest orbit of its stars about a central body of that mass, softened. */
double disk_central_frequency(const struct disk *disk, double mass);
/* Warns, a line each, where Q is less than --toomre and where there is no balance. */
void disk_warn(const struct disk *disk);
/* The radii that hold the shares u of them, n <= GEN_TOGETHER. */
void disk_radii(const struct disk_shape *shape, size_t n, const double *u, double *R);
/* rms height at R */
double disk_height(const struct disk_shape *shape, double R);
