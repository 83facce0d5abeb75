/* measure_structure.h - how a system is built: radii that hold shares of its mass, profiles over radius, its modes
 * about an axis, what has escaped.
 *
 * Means are weighted by mass. Sums are as in measure.h: compensated, equal for any number of threads. */
#pragma once

#include "measure/measure.h"

struct nb_pose { /* where a system stands and how it is turned */
    double centre[3], velocity[3];
    double axis[3][3]; /* an orthonormal right-handed system: angles about the third are counted from the first */
};

/* Turns the pose so that its third axis points along a direction of any length, and the first is nearest to x (or to y,
 * where x is nearly along the direction). A direction without a length is z. */
void nb_pose_turn(struct nb_pose *pose, const double direction[3]);

enum nb_geometry { NB_SPHERICAL, NB_CYLINDRICAL }; /* distances from the centre; from the third axis */
enum nb_weight { NB_BY_MASS, NB_BY_NUMBER };

/* The distance of a place, and the place from the centre, d, along the pose's axes. */
double nb_pose_distance(const struct nb_pose *pose, enum nb_geometry geometry, const double x[3], double d[3]);

/* The radii within which are shares (0 to 1) of all mass, or of the number of bodies: each the distance of the body at
 * which what is within, its own included, reaches the share. NaN where there is nothing to share, or no centre. Linear
 * in n for any distances. -1: no memory. */
int nb_measure_radii(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry,
                     enum nb_weight weight, const double *shares, int count, double *radii);

/* The mean velocity of the bodies within a radius about a place; NaN where there is no mass. -1: no memory. */
int nb_measure_velocity(const struct nb_bodies *b, const double centre[3], double radius, double velocity[3]);

/* The angular momentum of what was measured, about a moving place. */
void nb_measure_spin(const struct nb_measures *m, const double centre[3], const double velocity[3], double spin[3]);

/* ---- over radius ---- */

struct nb_profile_bin { /* NaN where there is no mass */
    double inner, outer;
    uint64_t n; /* bodies with inner < r <= outer, in the first one inner too */
    double mass;
    double within;  /* all mass as far as outer, that inside the first bin too */
    double radius;  /* mean distance */
    double density; /* mass by volume; by area for NB_CYLINDRICAL; NaN where inner is outer */
    double mean[3]; /* velocity along r, along the angle about the axis (rotation), and along the polar angle or, for */
    double sigma[3]; /* NB_CYLINDRICAL, the axis; and dispersions about these means, 0 where they are within rounding */
    double beta; /* 1 - (sigma_phi^2 + sigma_theta^2) / (2 sigma_r^2); NB_CYLINDRICAL: 1 - sigma_phi^2 / sigma_r^2; NaN
                    where sigma_r is 0, as it is of one body */
    double z;    /* mean height along the axis, */
    double height; /* and root mean square about it */
    double
        circular; /* sqrt(mean of -a . r), the circular speed; NaN without accelerations, and where these point out */
};

#define NB_PROFILE_MOST 1000 /* bins */

/* Edges of bins that hold equal numbers of bodies: edges[bins + 1], the first 0. -1: no memory. */
int nb_measure_edges(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry, int bins,
                     double *edges);

/* Fills bins between edges, which do not decrease. `acc` has three values a body, or is NULL. Binney & Tremaine 2008,
 * Galactic Dynamics, 4.1.2 (beta). -1: no memory. */
int nb_measure_profile(const struct nb_bodies *b, const double *acc, const struct nb_pose *pose,
                       enum nb_geometry geometry, const double *edges, int bins, struct nb_profile_bin *out);

/* ---- about the axis ---- */

#define NB_MODES 4

struct nb_modes {               /* m = 1 to 4, in this order; NaN where there is no mass */
    double amplitude[NB_MODES]; /* A_m = |sum m exp(i m phi)| / sum m, 0 to 1 */
    double phase[NB_MODES];     /* of the maximum nearest to phi = 0: arg(sum m exp(i m phi)) / m, in radians */
};

/* The modes of the bodies nearer than `within` to the pose's axis. A body on the axis has no angle and counts as mass
 * alone. Black holes (NB_BLACK_HOLE) sit in a centre, at angles that are rounding's or noise's: they count where there
 * is no other mass. -1: no memory. */
int nb_measure_modes(const struct nb_bodies *b, const struct nb_pose *pose, double within, struct nb_modes *out);

/* ---- what has left ---- */

struct nb_escaped { /* shares of mass and number, 0 to 1; that of mass NaN where there is none, both without a velocity
                     */
    double mass, number;
};

/* What has |v - velocity|^2 / 2 + phi + external > 0; external may be NULL. A component of v - velocity within two
 * units in the last place of v is 0: the velocity of a centre of mass is rounded, and a body that is all the mass there
 * is has not escaped. -1: no memory. */
int nb_measure_escaped(const struct nb_bodies *b, const struct nb_fields *fields, const double velocity[3],
                       struct nb_escaped *out);
