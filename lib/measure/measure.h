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
    nb_quad potential; /* sum m phi / 2, each pair once; NaN without phi */
    nb_quad external;  /* sum m phi_external, each body once; 0 without external fields */
    nb_quad drift;     /* part of `kinetic`: kinetic energy of the centre of mass; set to 0 in external fields and
                          between walls, where the motion of the centre belongs to the system */
    nb_quad booked;    /* energy removed by earlier mergers and escapes; set by the caller, initially 0 */
};

/* Input of nb_measure_energies, n values in each array. The arrays *_low hold the parts of the values that were lost
 * when the values were rounded to double; NULL if they are not known. */
struct nb_energy_terms {
    uint64_t n;
    const struct nb_column *mass, *vel, *vel_low;
    const double *phi, *phi_low;           /* potential of self-gravity, or NULL */
    const double *external, *external_low; /* potential of external fields, or NULL */
    bool held;                             /* the system has walls, which are fixed in space */
};

/* Computes the energies by compensated sums in double; in quadruple precision if there are low parts. Returns -1
 * if there is no memory. */
int nb_measure_energies(const struct nb_energy_terms *terms, struct nb_energies *out);
/* Returns the total energy E = K + W + X (kinetic, potential, external). Infinite or NaN if one of them is. */
double nb_measure_energy(const struct nb_energies *e);
/* Returns the signed relative energy error (E - E0) / max(|E0|, 0.01 (K0 + |W0 + X0|)). K, W, X and E are the energies
 * of `now`, those with a 0 are the energies of `first`. K does not include `drift`, the motion of the centre of mass.
 * The second argument of max keeps the error finite if E0 is near 0. If K0, W0 and X0 are all 0, the divisor is
 * computed from the energies of `now`; 0/0 counts as 0. There are two exceptions. If no body of `first` moves about the
 * centre of mass, as for one body, K and K0 include the drift. If bodies merged or escaped between the two frames, E -
 * E0 includes the change of the drift and the energy that these bodies removed. NaN if an energy is not finite. */
double nb_measure_energy_error(const struct nb_energies *now, const struct nb_energies *first);
/* Returns a text to be printed after the error: "" if the divisor is |E0|, otherwise " of " and the divisor's
 * formula. */
const char *nb_measure_energy_divisor(const struct nb_energies *first);

struct nb_fields {    /* n values each, in double; NULL: not wanted (as output) or not known (as input) */
    double *phi;      /* potential of self-gravity */
    double *phi_low;  /* rounding error of phi, from quadruple precision */
    double *external; /* potential of the external fields */
    double *acc;      /* acceleration by all forces, three values a body */
};

/* Momenta, in quadruple precision if the bodies have low parts. */
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
    /* the centre that nb_measure's `about` selects; NaN for NB_ABOUT_NOTHING */
    double centre[3];
    /* distance from `centre` to the body at which the enclosed mass, including the body, reaches half of the total; NaN
     * without mass or centre */
    double half_mass_radius;
    double momentum_scale;         /* sum m |v| */
    double angular_momentum_scale; /* sum m |x| |v| */
};

/* Adds the energy and momenta that merged or escaped stars removed, which the header contains, to m->energies and
 * m->momenta. Energy and momentum errors, which are computed from these, then do not count the removal as an error. The
 * values in double (m->kinetic, m->momentum, ...) remain those of the present bodies. Returns -1 after nb_fail if the
 * line of the header with these values is invalid. */
int nb_measure_book(const struct nb_meta *meta, struct nb_measures *m);

/* Return the errors |P - P0| / sum m |v| and |L - L0| / sum m |x| |v|. P and L are the momenta of `now`, P0 and L0
 * those of `first`; the sums are of `now`. 0 if there is no difference. */
double nb_measure_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);
double nb_measure_angular_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);

/* which centre nb_measure computes. Without a centre there is no half-mass radius. Computing the density centre takes
 * most of the time of a measurement */
enum nb_about {
    NB_ABOUT_NOTHING,
    NB_ABOUT_DENSITY, /* the density centre (nb_measure_centre) */
    NB_ABOUT_COM      /* the centre of mass */
};

/* Computes the measures of bodies that nb_bodies_check accepts. Uses the arrays of `fields` that are not NULL. Returns
 * -1 if there is no memory. */
int nb_measure(const struct nb_bodies *b, const struct nb_fields *fields, enum nb_about about, struct nb_measures *out);

/* Computes the density centre (Casertano & Hut 1985, ApJ 298, 80): sum m rho x / sum m rho with rho = M / r^3. r is the
 * distance to the sixth neighbour of a body. If N < 13 bodies are used, r is the distance to neighbour number (N - 1) /
 * 2, rounded down, at least 1. M is the mass closer than r, including the body. If there are more than 2^20 bodies,
 * only every k-th body is used. NaN without mass. Takes O(n log n). Returns -1 if there is no memory. */
int nb_measure_centre(const struct nb_bodies *b, double centre[3]);

/* Largest allowed relative error of the potential energy that a tree computes. With the opening parameter
 * NB_MEASURE_THETA the error is smaller, except for thin systems; nb_measure_check tests it. */
#define NB_MEASURE_TOLERANCE 1e-5
#define NB_MEASURE_THETA     0.5

/* Computes fields with the forces of the set, which must be opened for this precision, and with the header's G and
 * softening. In quadruple precision the low parts of positions are used too. Returns -1 after nb_fail if device or
 * memory failed, or if a value is not finite; errno is then EDOM, and the message names the body. */
int nb_measure_fields(const struct nb_bodies *b, const struct nb_force_set *set, enum nb_precision precision,
                      const struct nb_fields *out);

/* Estimates an upper limit of the relative error of the sum of m phi, with phi in double. Compares phi with potentials
 * computed by the forces `exact` for bodies drawn 1024 times, in proportion to m |phi|. The limit is the magnitude of
 * the mean relative error plus two standard errors. *error is 0 if there is no potential, or more than 2^32 bodies.
 * Returns -1 if device or memory failed. */
int nb_measure_check(const struct nb_bodies *b, const struct nb_force_set *exact, const double *phi, double *error);

/* Computes the virial ratio of Clausius (1870, Annalen der Physik 217, 124) for motions about the centre of mass R:
 *     sum m |v - V|^2 / -sum m (x - R) . a.
 * Its time average is 1 in any bound system with any forces, because numerator minus denominator is the second
 * derivative of sum m |x - R|^2 / 2. For self-gravity the denominator is sum over pairs G m m r2 / (r2 + eps2)^(3/2),
 * about any point, which is |W| for eps = 0. `acc`: three values a body; `m`: measures of these bodies. Infinite or NaN
 * if the denominator is 0, NaN without mass. Returns -1 if there is no memory. */
int nb_measure_virial(const struct nb_bodies *b, const double *acc, const struct nb_measures *m, double *ratio);
