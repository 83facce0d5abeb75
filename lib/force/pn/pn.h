/* pn.h - post-Newtonian terms of a pair of bodies: what general relativity adds to their Newtonian attraction, in
 * powers of 1/c, for point masses without spin in harmonic coordinates.
 *
 *     1PN    1/c^2   turns the pericentre
 *     2PN    1/c^4   corrects that
 *     2.5PN  1/c^5   the energy and angular momentum that gravitational waves carry away
 *
 * Positions and velocities are those in the frame, of both bodies, and need not be about their centre of mass (Blanchet
 * 2014, Living Reviews in Relativity 17, 2). The sum of m a of a pair is therefore not 0: conserved are energy,
 * momentum and centre of mass with their own post-Newtonian terms. In a system of more than two bodies, terms of three
 * bodies are left out. All values are in the frame's units. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_LIGHT_CGS 2.99792458e10 /* speed of light, cm/s */

struct nb_pn {
    double G, c;
    int order; /* highest power of 1/c: 2 for 1PN, 4 with 2PN, 5 with 2.5PN too */
};

struct nb_pn_body {
    double m, v[3];
};

/* Returns the speed of light in the frame's units, L/T; 0 if they have no physical size. */
double nb_pn_light(const struct nb_meta *meta);

/* Writes the post-Newtonian accelerations of both bodies, L/T^2; d is the position of the first one less that of the
 * second one, not 0. */
void nb_pn_pair(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                const double d[3], double a_first[3], double a_second[3]);
/* Adds the acceleration of the first one only. */
void nb_pn_add(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
               const double d[3], double a_first[3]);

/* The energy is the Newtonian energy and, up to 2PN, the sum over both bodies of m times
 *     nb_pn_kinetic, the part of the body's own velocity, once in a system, and
 *     nb_pn_energy, the first body's part for the pair; L^2/T^2. */
double nb_pn_kinetic(const struct nb_pn *pn, const double v[3]);
double nb_pn_energy(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                    const double d[3]);

struct nb_force_set;
/* The terms that a set of forces has; NULL: none. They are the set's. */
const struct nb_pn *nb_pn_of(const struct nb_force_set *set);

#ifdef __cplusplus
}
#endif
