/* near.h - what is around a particle, by vector instructions: one source compiled for several instruction sets
 * (near_simd.c). Rows may be read up to the next multiple of NB_NEAR_LANES elements. */
#pragma once

#include "simd/simd.h"

#include <stdint.h>

#define NB_NEAR_LANES 8 /* of the widest set */

struct nb_near_query {
    uint64_t n, stride;
    const double *x, *gm; /* positions, three rows of `stride`; G times the masses: 0 is nobody */
    uint64_t self;        /* the particle at the centre */
    double far2;          /* it lists what is nearer than the square root of that, and what is heavier than itself */
};

struct nb_near_found {
    double all;       /* sum of G m / r^3 */
    double pull;      /* that of the closest one, of which G (m + m_self) / r^3 is largest */
    uint64_t closest; /* n: there is none */
    uint64_t count;   /* of the list */
};

struct nb_near_pull {
    uint64_t n, stride;
    const double *x, *v, *gm;
    uint64_t self;
    double inner2, outer2; /* squares of a changeover's ends */
    double base;           /* a time, of either sign */
};

struct nb_near_set {
    /* Looks at all particles; `list` has room for n, or is NULL. */
    void (*look)(const struct nb_near_query *q, struct nb_near_found *o, uint32_t *list);
    /* Lists the groups, of `count`, whose limit `far2` is beyond the square of their distance from a place, or that
     * are lighter than gm and have a limit above 0; returns how many. */
    uint32_t (*within)(uint32_t count, const double *const x[3], const double *far2, const double *mass,
                       const double at[3], double gm, uint32_t *list);
    /* Near parts of acceleration and jerk of a particle. Returns the largest rate at which another one comes closer:
     * by this share of the distance in a time `base`. */
    double (*pull)(const struct nb_near_pull *q, double sum[6]);
    /* The far part of its acceleration; velocities and `base` do not matter. */
    void (*pull_far)(const struct nb_near_pull *q, double sum[3]);
};

/* The set that nb_simd_choose chose. */
const struct nb_near_set *nb_near_in_use(void);
