/* orbit.h - a binary that nothing disturbs much: Kepler's orbit, and its secular change by the tidal field of others.
 *
 * Over many periods only the mean over an orbit matters. To the outside a binary is a point and a quadrupole,
 *     S_ij = <x_i x_j> = a^2/2 ((1 - e^2) I - j j + 5 e e),
 * with the vectors e towards the pericentre and j, of length (1 - e^2)^(1/2), along the angular momentum. In a tidal
 * field T (acceleration T x) the semi-major axis stays, and (Milankovitch 1939; Tremaine, Touma & Namouni
 * 2009, Astron. J. 137, 3706) dj/dt = -k (j x T j - 5 e x T e),  de/dt = -k (e x T j - 5 j x T e + t j x e),  k =
 * (a^3/G M)^(1/2) / 2, where t, the trace of T, is 0 but for the near part of a force (changeover.h). Both follow from
 * one potential energy, so that what the orbit loses the outside gains. */
#pragma once

#include "force/changeover.h"
#include "force/pn/pn.h"

#include <stdbool.h>

struct nb_orbit {
    double gm;                 /* G times both masses, > 0 */
    double a;                  /* semi-major axis, > 0 */
    double e, shape;           /* eccentricity, below 1, and 1 - e^2 */
    double peri[3], normal[3]; /* unit vectors: to the pericentre, along the angular momentum */
    double anomaly;            /* mean anomaly */
    struct nb_pn pn;           /* order above 0: elements are quasi-Keplerian (orbit_pn.c); for masses times G */
    double nu;                 /* then: product of the masses over the square of their sum */
};

/* Symmetric tensors: xx, yy, zz, xy, xz, yz. */
enum { NB_TENSOR = 6 };

/* y = T x */
void nb_tensor_times(const double t[NB_TENSOR], const double x[3], double y[3]);

/* Sets the orbit of relative position x and velocity v. False where it is no ellipse, or one of no angular momentum. */
bool nb_orbit_set(struct nb_orbit *o, double gm, const double x[3], const double v[3]);
/* The relative position and velocity now. */
void nb_orbit_place(const struct nb_orbit *o, double x[3], double v[3]);
double nb_orbit_period(const struct nb_orbit *o);
/* Goes on by a time dt of either sign, in a tidal field that stays for so long; NULL: none. */
void nb_orbit_advance(struct nb_orbit *o, double dt, const double tide[NB_TENSOR]);

/* The same with post-Newtonian terms, for an orbit that nb_orbit_set has set. False too if it is too fast. */
bool nb_orbit_set_pn(struct nb_orbit *o, const struct nb_pn *pn, double nu, const double x[3], const double v[3]);
void nb_orbit_place_pn(const struct nb_orbit *o, double x[3], double v[3]);
void nb_orbit_advance_pn(struct nb_orbit *o, double dt);
/* Are the terms too large for an orbit? False without them. */
bool nb_orbit_is_fast(const struct nb_orbit *o);
/* The semi-major axis over its rate of decay by gravitational waves; infinite without them. */
double nb_orbit_decay(const struct nb_orbit *o);
/* Place and velocity of the centre of energy to 1PN, which moves uniformly, of two bodies at x and v relative to their
 * centre of mass; `frame` is its velocity, and the result is relative to it. */
void nb_pn_centre(double c, const double gm[2], const double x[2][3], const double v[2][3], const double frame[3],
                  double dx[3], double dv[3]);

/* The tensor S. */
void nb_orbit_spread(const struct nb_orbit *o, double s[NB_TENSOR]);

/* A mass at d pulls with gm w[0] d: w and three derivatives in r^2, of Newton's force, or of its near part. */
void nb_pull_weights(const struct nb_changeover *split, double r2, double w[4]);
/* Adds acceleration and jerk at d, moving with v, of a quadrupole at rest at the origin: `gm` times the tensor s, gm
 * being G times the reduced mass; w: of |d|^2. */
void nb_quadrupole_pull(double gm, const double w[4], const double s[NB_TENSOR], const double d[3], const double v[3],
                        double a[3], double j[3]);
/* Adds the tidal field of a mass at d that moves with v, and its rate of change; gm is G times the mass. */
void nb_tide_add(double gm, const double w[4], const double d[3], const double v[3], double tide[NB_TENSOR],
                 double rate[NB_TENSOR]);
