/* measure_structure.h - structure of a system: Lagrangian radii, radial profiles, azimuthal modes, escaped bodies.
 *
 * Means are weighted with mass. Sums are compensated and do not depend on the number of threads (measure.h). */
#pragma once

#include "measure/measure.h"

struct nb_pose { /* position, velocity and orientation of a system */
    double centre[3], velocity[3];
    /* three axes, orthonormal and right-handed; the azimuth is the angle about axis[2], measured from axis[0] */
    double axis[3][3];
};

/* Sets the axes of the pose (the orientation of the system). axis[2] gets the direction of the vector `direction`, or
 * of the z axis if `direction` is 0. axis[0] gets the direction of the x axis, made perpendicular to axis[2]. If the x
 * axis is nearly parallel to axis[2], the y axis is used instead. */
void nb_pose_turn(struct nb_pose *pose, const double direction[3]);

/* distances are from the pose's centre (spherical), or from its third axis (cylindrical) */
enum nb_geometry { NB_SPHERICAL, NB_CYLINDRICAL };
enum nb_weight { NB_BY_MASS, NB_BY_NUMBER };

/* Returns the distance of the position x from the centre (NB_SPHERICAL) or the third axis (NB_CYLINDRICAL) of the pose.
 * Sets d to the components of x - centre along the pose's axes. */
double nb_pose_distance(const struct nb_pose *pose, enum nb_geometry geometry, const double x[3], double d[3]);

/* Computes radii that enclose given fractions `shares` (0 to 1) of the total mass or number. A radius is the distance
 * of a body: the nearest body at which the enclosed mass or number reaches the fraction. Radii are NaN if the total is
 * 0 or there is no centre. The time is linear in n for every distribution of distances. Returns -1 if there is no
 * memory. */
int nb_measure_radii(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry,
                     enum nb_weight weight, const double *shares, int count, double *radii);

/* Computes the mean velocity, weighted with mass, of the bodies within `radius` of `centre`. The result is NaN if these
 * bodies have no mass. Returns -1 if there is no memory. */
int nb_measure_velocity(const struct nb_bodies *b, const double centre[3], double radius, double velocity[3]);

/* Computes the angular momentum of bodies relative to the position and velocity of a moving centre. *m: the measures of
 * these bodies. */
void nb_measure_spin(const struct nb_measures *m, const double centre[3], const double velocity[3], double spin[3]);

/* ---- radial profiles ---- */

struct nb_profile_bin { /* means and dispersions are NaN if the bin has no mass */
    double inner, outer;
    uint64_t n; /* number of bodies with inner < r <= outer; the first bin includes r = inner */
    double mass;
    double within;  /* mass of all bodies with r <= outer, including bodies with r below the first bin */
    double radius;  /* mean distance */
    double density; /* mass per volume (NB_CYLINDRICAL: mass per area); NaN if inner equals outer */
    /* components of the mean velocity: radial, azimuthal (rotation), and polar (for NB_CYLINDRICAL: axial) */
    double mean[3];
    double sigma[3]; /* velocity dispersions about `mean`; set to 0 if below the rounding errors of velocities */
    double beta;     /* velocity anisotropy: 1 - (sigma_phi^2 + sigma_theta^2) / (2 sigma_r^2), or 1 - sigma_phi^2 /
                        sigma_r^2 for NB_CYLINDRICAL; NaN if sigma_r is 0, as for one body */
    double z;        /* mean coordinate along the third axis of the pose */
    double height;   /* root mean square of (coordinate along the third axis of the pose - z) */
    /* circular speed: the square root of the mean of -a_r r over the bin (a_r: radial component of the acceleration; r:
     * distance). NaN without accelerations or if the mean is negative */
    double circular;
};

#define NB_PROFILE_MOST 1000 /* maximum number of bins of a profile */

/* Computes edges[0] to edges[bins] of bins that contain equal numbers of bodies, as nearly as possible. edges[0] is 0.
 * Returns -1 if there is no memory. */
int nb_measure_edges(const struct nb_bodies *b, const struct nb_pose *pose, enum nb_geometry geometry, int bins,
                     double *edges);

/* Computes out[k] from the bodies between edges[k] and edges[k + 1], for k < bins. The edges must not decrease. `acc`:
 * accelerations, three values for each body, or NULL. nb_profile_bin.beta follows Binney & Tremaine 2008, Galactic
 * Dynamics, 4.1.2. Returns -1 if there is no memory. */
int nb_measure_profile(const struct nb_bodies *b, const double *acc, const struct nb_pose *pose,
                       enum nb_geometry geometry, const double *edges, int bins, struct nb_profile_bin *out);

/* ---- azimuthal modes ---- */

#define NB_MODES 4

struct nb_modes {               /* azimuthal modes m = 1 to NB_MODES; element m - 1 is for mode m; NaN without mass */
    double amplitude[NB_MODES]; /* A_m = |sum of mass * exp(i m phi)| / total mass, 0 to 1; phi: azimuth of a body */
    /* azimuth of the maximum of mode m, in radians: arg(sum of mass * exp(i m phi)) / m, where phi is the azimuth of a
     * body. There are m maxima; this is the one with the azimuth nearest to 0 */
    double phase[NB_MODES];
};

/* Computes the modes of the bodies that are closer than `within` to the axis of the pose, axis[2]. A body on the axis
 * has no azimuth and contributes only to the total mass. Black holes (NB_BLACK_HOLE) are left out if other bodies have
 * mass, because black holes are near the centre and have random azimuths. Returns -1 if there is no memory. */
int nb_measure_modes(const struct nb_bodies *b, const struct nb_pose *pose, double within, struct nb_modes *out);

/* ---- escaped bodies ---- */

struct nb_escaped { /* escaped fractions, 0 to 1, of the total mass and of the number of bodies. `mass` is NaN if the
                       total mass is 0; both are NaN if the velocity of the system is not finite */
    double mass, number;
};

/* Computes which fractions of the mass and of the bodies have escaped. A body has escaped if
 *     |v - velocity|^2 / 2 + fields->phi + fields->external > 0 (fields->external may be NULL).
 * Components of v - velocity as small as the rounding error of v are set to 0. Otherwise a system of one body would
 * have escaped, because its velocity is rounded. Returns -1 if there is no memory. */
int nb_measure_escaped(const struct nb_bodies *b, const struct nb_fields *fields, const double velocity[3],
                       struct nb_escaped *out);
