/* near.h - finds the particles near a particle with SIMD instructions. One source is compiled for several instruction
 * sets (near_simd.c). The functions read up to NB_NEAR_LANES - 1 elements after the last particle of a row. Rows must
 * therefore have memory for a multiple of NB_NEAR_LANES elements. */
#pragma once

#include "simd/simd.h"

#include <stdint.h>

#define NB_NEAR_LANES 8 /* number of lanes of the widest SIMD set */

struct nb_near_query {
    uint64_t n, stride;
    /* x: positions, three rows of `stride`; gm: G times masses; particles of mass 0 are ignored */
    const double *x, *gm;
    uint64_t self; /* index of the particle near which the search looks for other particles */
    double far2;   /* square of the search radius of the function `look` */
};

struct nb_near_found {
    double all;       /* sum of G m / r^3 over all other particles */
    double pull;      /* G m / r^3 of the particle `closest` */
    uint64_t closest; /* particle with the largest G (m + m_self) / r^3; n: none */
    uint64_t count;   /* number of particles that `look` has listed */
};

/* Arguments of the functions pull and pull_far. x, v: positions and velocities, three rows of `stride` each; gm: G
 * times masses; self: index of the particle whose acceleration is computed. */
struct nb_near_pull {
    uint64_t n, stride;
    const double *x, *v, *gm;
    uint64_t self;
    double inner2, outer2; /* squares of the inner and outer radii of the changeover (changeover.h) */
    double base;           /* length of the base step (cluster.h); negative if the run goes backwards in time */
};

struct nb_near_set {
    /* Sets the members of *o. If `list` is not NULL, also writes indices of particles to `list`: all particles within
     * the search radius, and all particles that are heavier than particle `self`, at any distance. `list` has room for
     * n indices. */
    void (*look)(const struct nb_near_query *q, struct nb_near_found *o, uint32_t *list);
    /* Writes to `list` the index of each group k whose squared distance to the point `at` is below far2[k]. A group
     * with mass[k] < gm and far2[k] > 0 is listed at any distance. mass[k]: G times the mass of group k; gm: G times
     * the mass of the particle at the point. Returns the number of listed groups. */
    uint32_t (*within)(uint32_t count, const double *const x[3], const double *far2, const double *mass,
                       const double at[3], double gm, uint32_t *list);
    /* Computes the near part (changeover.h) of acceleration (sum[0..2]) and jerk (sum[3..5]) of particle `self`.
     * Returns the maximum of (approach velocity) * `base` / (distance) over all other particles. */
    double (*pull)(const struct nb_near_pull *q, double sum[6]);
    /* Computes the far part (changeover.h) of the acceleration of particle `self`. v and `base` are not used. */
    void (*pull_far)(const struct nb_near_pull *q, double sum[3]);
};

/* Returns the kernels for the instruction set in use. */
const struct nb_near_set *nb_near_in_use(void);
