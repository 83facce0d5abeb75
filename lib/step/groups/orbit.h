/* orbit.h - a weakly perturbed binary: its Kepler orbit, and the secular change by the tidal field of other particles.
 *
 * The binary is averaged over its orbit. It acts on other particles as a point mass and a quadrupole. The quadrupole is
 * the reduced mass times
 *     S_ij = <x_i x_j> = a^2/2 ((1 - e^2) I - j j + 5 e e),
 * where x is the vector between the two bodies, < > is the average over the orbit, a is the semi-major axis, I is the
 * unit tensor, and j j and e e are outer products. The vector e points to the pericentre, and its length is the
 * eccentricity. The vector j has the direction of the angular momentum and the length (1 - e^2)^(1/2).
 *
 * A tidal field T (acceleration T x) does not change the semi-major axis. It changes e and j (Milankovitch 1939;
 * Tremaine, Touma & Namouni 2009, Astron. J. 137, 3706):
 *     dj/dt = -k (j x T j - 5 e x T e),  de/dt = -k (e x T j - 5 j x T e + t j x e),  k = (a^3/G M)^(1/2) / 2.
 * t is the trace of T. It is 0 except for the near part of a force (changeover.h). S and the rates follow from the same
 * potential energy, so that the total energy of the orbit and the other particles is conserved. */
#pragma once

#include "force/changeover.h"
#include "force/pn/pn.h"

#include <stdbool.h>

struct nb_orbit {
    double gm;                 /* G times the sum of both masses, > 0 */
    double a;                  /* semi-major axis, > 0 */
    double e, shape;           /* e: eccentricity, below 1; shape: 1 - e^2 */
    double peri[3], normal[3]; /* unit vectors. peri: towards the pericentre; normal: along the angular momentum */
    double anomaly;            /* mean anomaly */
    /* post-Newtonian terms. If pn.order > 0, the orbital elements are quasi-Keplerian (orbit_pn.c). pn.G is 1, because
     * masses are already multiplied by G */
    struct nb_pn pn;
    double nu; /* used with post-Newtonian terms: m1 m2 / (m1 + m2)^2 */
};

/* Number of elements of a symmetric tensor: xx, yy, zz, xy, xz, yz. */
enum { NB_TENSOR = 6 };

/* Computes the vector y = T x. T: symmetric tensor with the elements t. */
void nb_tensor_times(const double t[NB_TENSOR], const double x[3], double y[3]);

/* Sets the orbit from relative position x and velocity v. Returns false if the orbit is not an ellipse or has no
 * angular momentum. */
bool nb_orbit_set(struct nb_orbit *o, double gm, const double x[3], const double v[3]);
/* Computes the present relative position and velocity. */
void nb_orbit_place(const struct nb_orbit *o, double x[3], double v[3]);
/* Returns the Kepler period. */
double nb_orbit_period(const struct nb_orbit *o);
/* Advances the orbit by a time dt of either sign. `tide`: tidal field, constant for this time; NULL: none. */
void nb_orbit_advance(struct nb_orbit *o, double dt, const double tide[NB_TENSOR]);

/* For an orbit with post-Newtonian terms, these functions replace nb_orbit_set, nb_orbit_place and nb_orbit_advance.
 * nb_orbit_set must be called before nb_orbit_set_pn. nu: m1 m2 / (m1 + m2)^2. nb_orbit_set_pn returns false if the
 * orbit is not an ellipse, has no angular momentum, or is too fast for the formulas (nb_orbit_is_fast). */
bool nb_orbit_set_pn(struct nb_orbit *o, const struct nb_pn *pn, double nu, const double x[3], const double v[3]);
void nb_orbit_place_pn(const struct nb_orbit *o, double x[3], double v[3]);
void nb_orbit_advance_pn(struct nb_orbit *o, double dt);
/* Returns whether there are post-Newtonian terms that are too large for the quasi-Keplerian formulas. */
bool nb_orbit_is_fast(const struct nb_orbit *o);
/* Returns the time scale a / |da/dt| of the decay by gravitational waves, where a is the semi-major axis. Returns
 * infinity if pn has no terms for gravitational waves. */
double nb_orbit_decay(const struct nb_orbit *o);
/* Computes position dx and velocity dv of the 1PN centre of energy of two bodies. (The centre of energy moves
 * uniformly.) x, v: positions and velocities of the bodies. dx, dv, x and v are relative to the bodies' centre of mass.
 * `frame`: velocity of the centre of mass. c: speed of light. */
void nb_pn_centre(double c, const double gm[2], const double x[2][3], const double v[2][3], const double frame[3],
                  double dx[3], double dv[3]);

/* Computes the tensor S of the orbit's quadrupole (see the top of this file). */
void nb_orbit_spread(const struct nb_orbit *o, double s[NB_TENSOR]);

/* Computes w[0] = 1/r^3, where r2 = r^2. If split->outer > 0, computes only the near part (changeover.h). A mass at d
 * causes the acceleration gm w[0] d at the origin. w[1] to w[3]: first to third derivative of w[0] with respect to
 * r^2. */
void nb_pull_weights(const struct nb_changeover *split, double r2, double w[4]);
/* Computes the acceleration and jerk that a quadrupole at rest at the origin causes on a target at d with velocity v.
 * Adds them to a and j. The tensor of the quadrupole is gm times s. gm: G times the reduced mass. w: from
 * nb_pull_weights for r = |d|. */
void nb_quadrupole_pull(double gm, const double w[4], const double s[NB_TENSOR], const double d[3], const double v[3],
                        double a[3], double j[3]);
/* Computes the tidal field that a mass at d causes at the origin, and its rate of change. Adds them to `tide` and
 * `rate`. v: velocity of the mass; gm: G times the mass; w: from nb_pull_weights for r = |d|. */
void nb_tide_add(double gm, const double w[4], const double d[3], const double v[3], double tide[NB_TENSOR],
                 double rate[NB_TENSOR]);
