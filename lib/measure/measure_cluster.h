/* measure_cluster.h - what is said of a cluster of stars: its core, its relaxation time, its mass segregation, and the
 * bound pairs in it. Equal for any number of threads. */
#pragma once

#include "measure/measure.h"

/* The core radius (Casertano & Hut 1985, ApJ 298, 80, section IV): sum rho |x - x_d| / sum rho over the bodies with
 * mass, about x_d = sum rho x / sum rho. rho is the density of their number by the sixth neighbour, with the exceptions
 * of nb_measure_centre. With weights by mass the heaviest star of a cluster would outweigh thousands. NaN if no body
 * has mass. O(n log n). -1: no memory. */
int nb_measure_core(const struct nb_bodies *b, double *radius);

/* The half-mass relaxation time, 0.138 n r^(3/2) / (sqrt(G M) ln(0.11 n)) (Spitzer & Hart 1971, ApJ 164, 399; the
 * argument of the logarithm by Giersz & Heggie 1994, MNRAS 268, 257). NaN if 0.11 n is not above 1. */
double nb_measure_relaxation(uint64_t n, double mass, double half_mass_radius, double G);

/* The mass segregation: the radius about the centre that holds half of the heaviest bodies, by their number, over the
 * one that holds half of all. 1 if heavy bodies are placed as all are, less if they are nearer to the centre. The
 * heaviest are as many as have at most a tenth of all, where bodies of equal mass are in or out together; if more than
 * a tenth share the largest mass, these. NaN without a centre. O(n log n). -1: no memory. */
int nb_measure_segregation(const struct nb_bodies *b, const double centre[3], double *ratio);

/* ---- pairs ---- */

/* Two stars, or systems of them, that are bound to each other: E = v^2 / 2 - G M / s < 0, with M both masses, v the
 * relative velocity, and s^2 = r^2 + eps^2. In all formulas s is in the place of r. */
struct nb_pair {
    uint64_t body[2]; /* the heavier first; of a system that is a pair itself the first of its bodies */
    int stars;        /* 2: both are stars; 3: a pair and a star; 4: two pairs */
    double mass[2];
    double distance;
    double axis; /* semi-major axis */
    double eccentricity;
    double period;
    double energy;   /* the binding energy G m1 m2 / (2 axis) */
    double hardness; /* over the mean kinetic energy of the systems */
};

struct nb_pairs {
    struct nb_pair *of; /* those of both passes, each in the order of the bodies */
    uint64_t count;
    double kinetic; /* the mean kinetic energy of a system (single stars, and centres of mass of what is bound) about
                       the centre of mass of all; NaN without one */
};

/* Finds the pairs of the bodies with mass. Of its six nearest neighbours each system chooses the one with which it has
 * the smallest semi-major axis; a pair is two that choose each other. In the first of two passes systems are stars, in
 * the second pairs and the stars that are left: hence triples and quadruples, but nothing larger. O(n log n). Bodies
 * that have no gravity have no pairs. -1: no memory, or softening lengths that differ from body to body. The caller
 * frees in both cases. */
int nb_pairs_find(const struct nb_bodies *b, struct nb_pairs *pairs);
void nb_pairs_free(struct nb_pairs *pairs);
