/* pn.h - post-Newtonian terms of a pair of bodies: corrections of general relativity to Newtonian gravity, in powers of
 * 1/c, for point masses without spin in harmonic coordinates (Blanchet 2014, Living Reviews in Relativity 17, 2).
 *
 *     1PN    1/c^2   pericentre precession
 *     2PN    1/c^4   correction of the precession
 *     2.5PN  1/c^5   energy and angular momentum carried away by gravitational waves
 *
 * - Positions and velocities may be in any inertial frame, not only in the centre-of-mass frame.
 * - The sum of mass * acceleration over a pair is not 0. The conserved energy, momentum and centre of mass therefore
 *   have post-Newtonian terms as well.
 * - In systems of more than two bodies, three-body terms are neglected.
 * - All values are in the units of the stream. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_LIGHT_CGS 2.99792458e10 /* speed of light, cm/s */

struct nb_pn {
    double G, c;
    int order; /* highest power of 1/c: 2 (1PN), 4 (1PN and 2PN), 5 (1PN, 2PN and 2.5PN) */
};

struct nb_pn_body {
    double m, v[3];
};

/* Returns the speed of light in the frame's units, or 0 if the units have no physical size. */
double nb_pn_light(const struct nb_meta *meta);

/* Computes the post-Newtonian accelerations of both bodies. d is the position of the first body minus the position of
 * the second body; it must not be 0. */
void nb_pn_pair(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                const double d[3], double a_first[3], double a_second[3]);
/* Adds to a_first the post-Newtonian acceleration of the first body that the second body causes. */
void nb_pn_add(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
               const double d[3], double a_first[3]);

/* The post-Newtonian energy of a system, to order 2PN, has two parts: the sum over all bodies of (mass of the body) *
 * nb_pn_kinetic(), and the sum over all ordered pairs of (mass of the first body) * nb_pn_energy(). Both functions
 * return energies per mass. */
double nb_pn_kinetic(const struct nb_pn *pn, const double v[3]);
double nb_pn_energy(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                    const double d[3]);

struct nb_force_set;
/* Returns the parameters of the post-Newtonian terms in a set of forces, owned by the set. NULL if the set has no such
 * terms. */
const struct nb_pn *nb_pn_of(const struct nb_force_set *set);

#ifdef __cplusplus
}
#endif
