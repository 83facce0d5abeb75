/* measure.h - measures of a frame: conserved quantities, centre and half-mass radius.
 *
 * All values are in the frame's units. Sums are compensated sums in double (sum.h) over blocks of fixed size, which are
 * added in order. They are therefore bitwise identical for any number of threads. Sums that overflow are infinite or
 * NaN. */
#pragma once

#include "device/quad.h"
#include "force/force.h"

/* Energies with more digits than double has, so that small differences are significant. */
struct nb_energies {
    nb_quad kinetic;   /* sum m v^2 / 2 */
    nb_quad potential; /* sum m phi / 2, phi: potential of self-gravity; NaN if phi is not known */
    nb_quad external;  /* sum m phi_external; 0 without external fields */
    /* Kinetic energy of the motion of the centre of mass. `kinetic` includes it. 0 if there are external fields or
     * walls, because then the centre of mass does not move uniformly */
    nb_quad drift;
    /* Energy that earlier mergers and escapes have removed. nb_measure_energies sets it to 0, and nb_measure_book to
     * the value in the frame's header */
    nb_quad booked;
};

/* Input of nb_measure_energies, n values in each array. The arrays *_low have the rounding errors of the values in
 * double: (exact value) - (value in double). They are NULL if not known. */
struct nb_energy_terms {
    uint64_t n;
    const struct nb_column *mass, *vel, *vel_low;
    const double *phi, *phi_low;           /* potential of self-gravity, or NULL */
    const double *external, *external_low; /* potential of external fields, or NULL */
    bool held; /* true if there are walls; the centre of mass then does not move uniformly */
};

/* Computes the energies by compensated sums in double, or in quadruple precision if one of the arrays *_low is not
 * NULL. Returns -1 if there is no memory. */
int nb_measure_energies(const struct nb_energy_terms *terms, struct nb_energies *out);
/* Returns the total energy E = K + W + X (kinetic, potential, external). The result is infinite or NaN if K, W or X is.
 */
double nb_measure_energy(const struct nb_energies *e);
/* Returns the signed relative energy error, or NaN if an energy is not finite:
 *     (E - E0) / max(|E0|, 0.01 (K0 + |W0 + X0|)).
 * E = K + W + X is the energy of `now`, and E0 = K0 + W0 + X0 is the energy of `first`. The second argument of max
 * keeps the error finite if E0 is near 0.
 * - K and K0 do not include the kinetic energy of the centre of mass (drift). Exception: if no body of `first` moves
 *   relative to the centre of mass (for example, if there is one body), K and K0 include the drift.
 * - If bodies merged or escaped between the two frames, E - E0 includes the change of the drift and the energy that
 *   these bodies removed.
 * - If K0, W0 and X0 are all 0, the divisor is computed from the energies of `now`; 0/0 counts as 0. */
double nb_measure_energy_error(const struct nb_energies *now, const struct nb_energies *first);
/* Returns a text to be printed after the energy error: " of ", followed by the formula of the divisor. Returns "" if
 * the divisor is |E0|. */
const char *nb_measure_energy_divisor(const struct nb_energies *first);

struct nb_fields {    /* arrays of n doubles; NULL: not known (as input) or not to be computed (as output) */
    double *phi;      /* potential of self-gravity */
    double *phi_low;  /* (potential in quadruple precision) - phi */
    double *external; /* potential of the external fields */
    double *acc;      /* acceleration by all forces, three values per body */
};

/* Momenta. They are computed in quadruple precision if the positions and velocities have low parts (columns pos_lo,
 * vel_lo). */
struct nb_momenta {
    nb_quad linear[3];  /* sum m v */
    nb_quad angular[3]; /* sum m (x cross v), about the origin */
};

struct nb_measures {
    uint64_t n;
    double mass;
    struct nb_energies energies;
    double kinetic, potential, external; /* the energies in double */
    struct nb_momenta momenta;
    double momentum[3], angular_momentum[3]; /* momenta in double */
    double com[3];                           /* position of the centre of mass; NaN without mass */
    double com_velocity[3];                  /* velocity of the centre of mass; NaN without mass */
    /* the centre selected by the argument `about` of nb_measure; NaN for NB_ABOUT_NOTHING */
    double centre[3];
    /* radius around `centre` that contains half of the total mass. It is the distance from `centre` to a body, so a
     * little more than half of the mass can be within it. NaN without mass or centre */
    double half_mass_radius;
    double momentum_scale;         /* sum m |v| */
    double angular_momentum_scale; /* sum m |x| |v| */
};

/* Reads the header line `booked`: the energy and momenta that mergers and escapes of stars have removed. Sets
 * m->energies.booked to this energy, and adds these momenta to m->momenta. The removal then does not count as an error
 * of energy or momentum. Does not change the values in double (m->kinetic, m->momentum, ...). Returns -1 after nb_fail
 * if the line is invalid. */
int nb_measure_book(const struct nb_meta *meta, struct nb_measures *m);

/* Return the errors of the momentum, |P - P0| / sum m |v|, and of the angular momentum, |L - L0| / sum m |x| |v|. P0
 * and L0 are from `first`; P, L and the sums are from `now`. 0/0 counts as 0. */
double nb_measure_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);
double nb_measure_angular_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);

/* the centre that nb_measure computes. The half-mass radius needs a centre. The density centre takes most of the time
 * of a measurement */
enum nb_about {
    NB_ABOUT_NOTHING,
    NB_ABOUT_DENSITY, /* the density centre (nb_measure_centre) */
    NB_ABOUT_COM      /* the centre of mass */
};

/* Computes the measures of bodies that nb_bodies_check accepts. Uses the arrays of `fields` that are not NULL. Returns
 * -1 if there is no memory. */
int nb_measure(const struct nb_bodies *b, const struct nb_fields *fields, enum nb_about about, struct nb_measures *out);

/* Computes the density centre of the bodies (Casertano & Hut 1985, ApJ 298, 80): sum m rho x / sum m rho. The density
 * at a body is rho = M / r^3. r is the distance from the body to its sixth neighbour. M is the mass of all bodies
 * closer than r, including the body itself. If there are more than 2^20 bodies, only every k-th body is used. If fewer
 * than 13 bodies are used, r is the distance to neighbour number max(1, (bodies - 1) / 2), rounded down. The centre is
 * NaN if there is no mass. Takes O(n log n). Returns -1 if there is no memory. */
int nb_measure_centre(const struct nb_bodies *b, double centre[3]);

/* NB_MEASURE_TOLERANCE: maximum relative error of a potential energy that is computed with a tree. nb_measure_check
 * estimates this error. With the opening parameter theta = NB_MEASURE_THETA, the error is below the maximum, except for
 * thin (disk-like) systems. */
#define NB_MEASURE_TOLERANCE 1e-5
#define NB_MEASURE_THETA     0.5

/* Computes the arrays in *out that are not NULL, with the forces of `set` and with the header's G and softening. The
 * set must have been opened for `precision`. In quadruple precision, uses the positions' low parts (column pos_lo) too.
 * Returns -1 after nb_fail if the device fails or there is no memory. If a value is not finite, errno is EDOM, and the
 * message names the body. */
int nb_measure_fields(const struct nb_bodies *b, const struct nb_force_set *set, enum nb_precision precision,
                      const struct nb_fields *out);

/* Estimates an upper limit of the relative error of sum m phi, where phi is an array of potentials in double. Takes a
 * sample of 1024 bodies, with probabilities proportional to m |phi|. Compares the phi of these bodies with the
 * potentials computed by the forces `exact`, and computes the mean of the relative errors. Sets *error to |mean| plus
 * two standard errors of the mean. Sets *error to 0 if all potentials are 0 or if there are more than 2^32 bodies.
 * Returns -1 if the device fails or there is no memory. */
int nb_measure_check(const struct nb_bodies *b, const struct nb_force_set *exact, const double *phi, double *error);

/* Computes the virial ratio of Clausius (1870, Annalen der Physik 217, 124) for motions about the centre of mass, which
 * has the position R and the velocity V:
 *     sum m |v - V|^2 / -sum m (x - R) . a.
 * In a bound system, the time averages of numerator and denominator are equal for any forces: their difference is the
 * second time derivative of sum m |x - R|^2 / 2. For self-gravity without softening, the denominator is the absolute
 * value of the potential energy. acc: acceleration, three values per body; m: measures of these bodies. The ratio is
 * infinite or NaN if the denominator is 0, and NaN without mass. Returns -1 if there is no memory. */
int nb_measure_virial(const struct nb_bodies *b, const double *acc, const struct nb_measures *m, double *ratio);
