/* measure_cluster.h - properties of star clusters: core radius, relaxation time, mass segregation, bound pairs. Results
 * are identical for any number of threads. */
#pragma once

#include "measure/measure.h"

/* Computes the core radius (Casertano & Hut 1985, ApJ 298, 80, section IV) of the bodies with mass:
 *     sum rho |x - x_d| / sum rho, with the density centre x_d = sum rho x / sum rho
 * rho is the number density at a body, from the distance of its sixth neighbour (for few or very many bodies see
 * nb_measure_centre). It is not the mass density, because then one heavy star could count more than thousands of
 * others. NaN if no body has mass. Takes O(n log n). Returns -1 if there is no memory. */
int nb_measure_core(const struct nb_bodies *b, double *radius);

/* Returns the half-mass relaxation time, 0.138 n r^(3/2) / (sqrt(G M) ln(0.11 n)) (Spitzer & Hart 1971, ApJ 164, 399;
 * the argument of the logarithm by Giersz & Heggie 1994, MNRAS 268, 257). NaN if 0.11 n <= 1. */
double nb_measure_relaxation(uint64_t n, double mass, double half_mass_radius, double G);

/* Computes the mass segregation *ratio: the radius about the centre that contains half of the heaviest bodies, by
 * number, divided by the radius that contains half of all bodies. The ratio is 1 if heavy bodies are distributed like
 * all bodies, and less than 1 if heavy bodies are closer to the centre. At most a tenth of all bodies count as the
 * heaviest. Bodies of equal mass all count or none counts. If more than a tenth of all bodies have the largest mass,
 * exactly these bodies count. *ratio is NaN without a centre. Takes O(n log n). Returns -1 if there is no
 * memory. */
int nb_measure_segregation(const struct nb_bodies *b, const double centre[3], double *ratio);

/* ---- pairs ---- */

/* A pair of two bound systems; each system is a star or another pair. Bound: E = v^2 / 2 - G M / s < 0, with total mass
 * M, relative velocity v, distance r, softening length eps and s^2 = r^2 + eps^2. All formulas use s in place of r. */
struct nb_pair {
    uint64_t body[2]; /* index of a body of each system, the heavier system first; for a pair its body[0] */
    int stars;        /* 2: two stars; 3: a pair and a star; 4: two pairs */
    double mass[2];
    double distance;
    double axis; /* semi-major axis */
    double eccentricity;
    double period;
    double energy;   /* binding energy G m1 m2 / (2 axis) */
    double hardness; /* energy / nb_pairs.kinetic */
};

struct nb_pairs {
    /* pairs found in the first pass of nb_pairs_find, then in the second; within a pass in the order of the bodies */
    struct nb_pair *of;
    uint64_t count;
    double kinetic; /* mean kinetic energy of a system (single star, or centre of mass of bound stars) relative to
                       the centre of mass of all stars; NaN without a system */
};

/* Finds the pairs of the bodies with mass. Each system chooses, among its six nearest neighbours, the neighbour with
 * which it has the smallest semi-major axis. Two systems that choose each other are a pair. In the first pass systems
 * are stars. In the second pass they are pairs and the remaining stars, which finds triples and quadruples, but nothing
 * larger. Takes O(n log n). Bodies without gravity have no pairs. Returns -1 after nb_fail if there is no memory, or if
 * bodies have different softening lengths. The caller must call nb_pairs_free also after a failure. */
int nb_pairs_find(const struct nb_bodies *b, struct nb_pairs *pairs);
void nb_pairs_free(struct nb_pairs *pairs);
