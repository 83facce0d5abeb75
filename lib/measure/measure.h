/* measure.h - what can be said of a frame in a few numbers: its conserved quantities and its size.
 *
 * All in the frame's units, summed in double with compensation (sum.h) over blocks of fixed size whose results are
 * added in their order, so that the bytes do not depend on the number of threads. What overflows is infinite or NaN. */
#pragma once

#include "device/quad.h"
#include "force/force.h"

/* With more digits than double has, so that small differences of them have a value. */
struct nb_energies {
    nb_quad kinetic;   /* sum m v^2 / 2 */
    nb_quad potential; /* sum m phi / 2, each pair once; NaN where phi was not given */
    nb_quad external;  /* sum m phi_external, each body once; 0 where that was not given */
    nb_quad drift;     /* of kinetic what is the motion of the centre of mass; 0 where that is the system's own: in
                          external fields, and between walls */
    nb_quad booked;    /* energy that bodies took with them who merged or left before; the caller's, at first 0 */
};

/* What they are summed from, n values each: `low` is what the others round away, NULL where there is none. */
struct nb_energy_terms {
    uint64_t n;
    const struct nb_column *mass, *vel, *vel_low;
    const double *phi, *phi_low;           /* of the bodies on each other, or NULL */
    const double *external, *external_low; /* of external fields, or NULL */
    bool held;                             /* by something else that is fixed in space: walls */
};

/* Sums in double with compensation; in quadruple precision where there are low parts. -1: no memory. */
int nb_measure_energies(const struct nb_energy_terms *terms, struct nb_energies *out);
/* E = K + W + X; infinite or NaN where a sum is. */
double nb_measure_energy(const struct nb_energies *e);
/* Returns the relative energy error with its sign, of the motion about the centre of mass (K less the drift):
 *     (E - E0) / max(|E0|, 0.01 (K0 + |W0 + X0|)).
 * The second divisor keeps the error of a system with E0 near 0 finite. If K0, W0 and X0 are all 0, the divisor is that
 * of `now`, and the error of nothing is 0. A system in which nothing moves about the centre of mass, such as one body,
 * is measured with the drift. If bodies left between the two, E and E0 are with the drift, which they change, and with
 * what they took along. NaN if an energy is not a finite number. */
double nb_measure_energy_error(const struct nb_energies *now, const struct nb_energies *first);
/* Returns what follows that error in a sentence: "" if the divisor is |E0|, else " of " and the divisor's formula. */
const char *nb_measure_energy_divisor(const struct nb_energies *first);

struct nb_fields {    /* n values a body, in double; NULL for what is not wanted, or not known */
    double *phi;      /* potential of the bodies on each other, */
    double *phi_low;  /* what that rounds away, from quadruple precision, */
    double *external; /* potential of the external fields */
    double *acc;      /* acceleration by all forces, three values */
};

/* In quadruple precision where the bodies have low parts. */
struct nb_momenta {
    nb_quad linear[3];  /* sum m v */
    nb_quad angular[3]; /* sum m x cross v, about the origin */
};

struct nb_measures {
    uint64_t n;
    double mass;
    struct nb_energies energies;
    double kinetic, potential, external; /* the same in double */
    struct nb_momenta momenta;
    double momentum[3], angular_momentum[3]; /* the same in double */
    double com[3];                           /* centre of mass and its velocity; NaN where the mass is 0 */
    double com_velocity[3];
    double centre[3];              /* what `about` names; NaN where it was nothing */
    double half_mass_radius;       /* distance from it of the body at which the mass within, its own included, reaches
                                      half of all; NaN where the mass is 0 or there is no centre */
    double momentum_scale;         /* sum m |v| */
    double angular_momentum_scale; /* sum m |x| |v| */
};

/* Adds what stars took along who merged or left, by the header, to the energies and to momenta (not to their doubles),
 * so that errors are what is left. -1 after nb_fail: the header's line is none. */
int nb_measure_book(const struct nb_meta *meta, struct nb_measures *m);

/* Return the errors |P - P0| / sum m |v| and |L - L0| / sum m |x| |v| of `now`; 0 if there is no difference. */
double nb_measure_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);
double nb_measure_angular_momentum_error(const struct nb_measures *now, const struct nb_momenta *first);

enum nb_about { /* where a system's middle is; nothing: radii are not wanted, and the centre costs the most */
                NB_ABOUT_NOTHING,
                NB_ABOUT_DENSITY, /* nb_measure_centre */
                NB_ABOUT_COM      /* the centre of mass */
};

/* Measures bodies that nb_bodies_check accepts, with the potentials that are known of them. -1: no memory. */
int nb_measure(const struct nb_bodies *b, const struct nb_fields *fields, enum nb_about about, struct nb_measures *out);

/* The density centre (Casertano & Hut 1985, ApJ 298, 80): sum m rho x / sum m rho, with rho = M / r^3, r the distance
 * to a body's sixth neighbour, or to its nth of 2 n + 1 bodies for fewer than 13, and M the mass nearer than that, its
 * own included. Of more than 2^20 bodies as many are taken, at equal distances in their order. NaN where there is no
 * mass. O(n log n). -1: no memory. */
int nb_measure_centre(const struct nb_bodies *b, double centre[3]);

/* What a tree's potential energy may be off by, of the direct sum's. A tree of NB_MEASURE_THETA is that close for all
 * but thin systems; nb_measure_check tells. */
#define NB_MEASURE_TOLERANCE 1e-5
#define NB_MEASURE_THETA     0.5

/* Computes fields by the forces of the set, opened for this precision, with the header's G and softening; in quad with
 * the low parts of positions. -1: device or memory failed, or a value is
 * not finite; then errno is EDOM, and the message names the body. */
int nb_measure_fields(const struct nb_bodies *b, const struct nb_force_set *set, enum nb_precision precision,
                      const struct nb_fields *out);

/* An upper estimate of the relative error of sum m phi: the mean and two standard errors of 1024 relative errors, drawn
 * in proportion to m |phi|, against the forces of `exact`, in double. 0 where there is no potential, and for more than
 * 2^32 bodies. -1: device or memory failed. */
int nb_measure_check(const struct nb_bodies *b, const struct nb_force_set *exact, const double *phi, double *error);

/* The virial ratio of Clausius (1870, Annalen der Physik 217, 124), of motions about the centre of mass R:
 *     sum m |v - V|^2 / -sum m (x - R) . a,
 * 1 on average over time in any bound system, whatever its forces: the second derivative of sum m |x - R|^2 / 2 is the
 * numerator less the denominator. Under the bodies' own gravity the denominator is
 * sum over pairs G m m r2 / (r2 + eps2)^(3/2), about any point, which is |W| for eps = 0. `acc` has three values a
 * body, `m` the measures of these bodies. Infinite or NaN where the denominator is 0; NaN where the mass is. -1: no
 * memory. */
int nb_measure_virial(const struct nb_bodies *b, const double *acc, const struct nb_measures *m, double *ratio);
