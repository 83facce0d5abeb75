/* neighbours_cpu.h - the neighbour scheme on the CPU (force/neighbours.h): arrays of bodies in memory, and kernels
 * compiled for each instruction set. */
#pragma once

#include "simd/simd.h"

#include <stdint.h>

/* A body at the beginning of its irregular step, the step for the forces of its neighbours. Elements 0 to 2 of each
 * array are the components of a vector. Times and step sizes are divided by the base step. */
struct nb_near_body {
    double x[4]; /* x[3]: mass */
    double v[4]; /* v[3]: time at which the step began */
    double a[4]; /* a[3]: step size */
    double j[4];
} __attribute__((aligned(64)));

struct nb_near_place { /* predicted position and velocity of a body */
    double x[4];       /* x[3]: mass */
    double v[4];       /* v[3]: time of the prediction */
} __attribute__((aligned(64)));

struct nb_near_sum {
    double a[3], j[3];
};

struct nb_near_rows { /* rows with the predicted positions and velocities of n bodies; the elements from n on are 0 */
    uint64_t n, stride;
    const double *x, *v; /* vectors */
    /* Body j is a neighbour of body i if r^2 < reach_i^2 * weight[j], where r is the distance of the bodies and reach_i
     * is a length adapted to the number of neighbours of body i (force/neighbours.h).
     * weight[j] = (m_j / mean of the nonzero masses)^(2/3) */
    const double *weight;
};

/* Maximum number of SIMD lanes. Lanes without a body load the last element of an array of nb_near_place. This element
 * is not one of the n bodies, but a distant body of mass 0. */
#define NB_NEAR_LANES 8

#define NB_NEAR_TARGETS 4

struct nb_near_target { /* a body whose regular step (the step for the forces of distant bodies) ends */
    uint64_t i;
    const double *m; /* masses of all bodies, set to 0 for the body and its neighbours */
    double reach2;
    /* results. count: number of new neighbours; list: their indices, complete only if count is at most `most` */
    uint32_t most, count, *list;
    /* result: acceleration and jerk caused by the bodies with masses m, without the factor G */
    struct nb_near_sum sum;
};

struct nb_neighbour_set {
    /* Predicts bodies [i0, i1) to time `now`, in base steps. base: duration of a base step. */
    void (*predict)(const struct nb_near_body *body, struct nb_near_place *place, double base, double now, uint64_t i0,
                    uint64_t i1);
    /* Predicts the listed bodies that are not yet predicted to `now`. */
    void (*predict_listed)(const struct nb_near_body *body, struct nb_near_place *place, double base, double now,
                           uint32_t count, const uint32_t *list);
    /* Returns the acceleration and jerk of the body at `to` caused by the listed bodies, without the factor G. none:
     * index in `place` of a distant body of mass 0, which lanes without a listed body load. */
    struct nb_near_sum (*pull)(const struct nb_near_place *place, uint64_t none, const struct nb_near_place *to,
                               double eps2, uint32_t count, const uint32_t *list);
    /* Returns the number of bodies j other than i with r^2 < reach2 * weight[j], where r is the distance of i and j.
     * Writes their indices to `list` in ascending order. If the number is above `most`, `list` contains only some of
     * them. The list must have room for most + 2 * NB_NEAR_LANES indices, because whole SIMD vectors of indices are
     * stored. */
    uint32_t (*find)(const struct nb_near_rows *rows, uint64_t i, double reach2, uint32_t most, uint32_t *list);
    /* Computes the results of `count` targets: their new neighbours, and the sums of acceleration and jerk. `count` is
     * at most NB_NEAR_TARGETS. */
    void (*pull_rest)(const struct nb_near_rows *rows, double eps2, int count, struct nb_near_target *target);
};

extern const struct nb_neighbour_set *const nb_neighbour_sets[NB_SIMD_SETS];
