/* measure_cluster.h - properties of star clusters: core radius, relaxation time, mass segregation, bound pairs. Results
 * are identical for any number of threads. */
#pragma once

#include "measure/measure.h"

/* Computes the core radius (Casertano & Hut 1985, ApJ 298, 80, section IV) of the bodies with mass:
 *     sum rho |x - x_d| / sum rho, with the density centre x_d = sum rho x / sum rho
 * rho is the number density at a body, computed from the distance to the body's sixth neighbour (for few or very many
 * bodies see nb_measure_centre). The mass density is not used, because one heavy star could then have more weight than
 * thousands of other stars. The radius is NaN if no body has mass. Takes O(n log n). Returns -1 if there is no
 * memory. */
int nb_measure_core(const struct nb_bodies *b, double *radius);

/* Returns the half-mass relaxation time, 0.138 n r^(3/2) / (sqrt(G M) ln(0.11 n)) (Spitzer & Hart 1971, ApJ 164, 399;
 * the argument of the logarithm by Giersz & Heggie 1994, MNRAS 268, 257). NaN if 0.11 n <= 1. */
double nb_measure_relaxation(uint64_t n, double mass, double half_mass_radius, double G);

/* Computes the mass segregation *ratio = r_heavy / r_all. Half of the heaviest bodies, by number, are within the
 * distance r_heavy from the centre, and half of all bodies are within r_all. The ratio is 1 if heavy bodies are
 * distributed like all bodies, and less than 1 if they are closer to the centre. *ratio is NaN without a centre.
 *
 * The heaviest bodies are at most a tenth of all bodies. They include either all or none of the bodies with equal mass.
 * If more than a tenth of all bodies have the largest mass, the heaviest bodies are all of these. Takes O(n log n).
 * Returns -1 if there is no memory. */
int nb_measure_segregation(const struct nb_bodies *b, const double centre[3], double *ratio);

/* ---- pairs ---- */

/* Two systems that are bound to each other. A system is a star or, in triples and quadruples, a pair of stars. The
 * systems have the total mass M, relative velocity v and distance r. They are bound if E = v^2 / 2 - G M / s < 0, where
 * s^2 = r^2 + eps^2 and eps is the softening length. All formulas use s instead of r. */
struct nb_pair {
    /* for each system: index of its star, or of the heavier star of its pair. The heavier system is first */
    uint64_t body[2];
    int stars; /* 2: two stars; 3: a pair and a star; 4: two pairs */
    double mass[2];
    double distance;
    double axis; /* semi-major axis */
    double eccentricity;
    double period;
    double energy;   /* binding energy G m1 m2 / (2 axis) */
    double hardness; /* energy / nb_pairs.kinetic */
};

struct nb_pairs {
    /* pairs found in the first pass of nb_pairs_find, then pairs found in the second pass. The pairs of one pass are in
     * the order of the bodies */
    struct nb_pair *of;
    uint64_t count;
    /* mean kinetic energy of a system, relative to the centre of mass of all stars. Systems are single stars, and
     * pairs, triples and quadruples of bound stars (each as one body at its centre of mass). NaN without a system */
    double kinetic;
};

/* Finds the pairs of the bodies with mass. Each system chooses, among its six nearest neighbours, the neighbour with
 * the smallest semi-major axis of the relative orbit. Two systems that choose each other are a pair. In the first pass,
 * all systems are stars. In the second pass, each pair found before is one system, so that triples and quadruples are
 * found. Larger systems are not found. Takes O(n log n). Bodies without gravity have no pairs. Returns -1 after nb_fail
 * if there is no memory, or if bodies have different softening lengths. Call nb_pairs_free also after a failure. */
int nb_pairs_find(const struct nb_bodies *b, struct nb_pairs *pairs);
void nb_pairs_free(struct nb_pairs *pairs);
