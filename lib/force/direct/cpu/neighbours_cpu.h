/* neighbours_cpu.h - the scheme of neighbours on the CPU (force/neighbours.h): its bodies in memory, one after the
 * other, and the kernels that are compiled for each instruction set. */
#pragma once

#include "simd/simd.h"

#include <stdint.h>

/* A body at the beginning of its irregular step. Row k of each: 0 to 2 a coordinate, 3 what is named. */
struct nb_near_body {
    double x[4]; /* mass */
    double v[4]; /* time at which the step began */
    double a[4]; /* the step */
    double j[4];
} __attribute__((aligned(64)));

struct nb_near_place { /* where a body is predicted */
    double x[4];       /* mass */
    double v[4];       /* the time that it is predicted for */
} __attribute__((aligned(64)));

struct nb_near_sum {
    double a[3], j[3];
};

struct nb_near_rows { /* of n bodies where they are predicted, and zeros up to the stride */
    uint64_t n, stride;
    const double *x, *v;  /* vectors */
    const double *weight; /* (m / mean)^(2/3) */
};

#define NB_NEAR_LANES 8 /* at most: place n is one without mass, far away, that fills the lanes left over */

#define NB_NEAR_TARGETS 4

struct nb_near_target { /* a body whose regular step ends */
    uint64_t i;
    const double *m; /* masses, 0 of the body and of its neighbours */
    double reach2;
    uint32_t most, count, *list; /* gets what `find` writes and returns */
    struct nb_near_sum sum;      /* gets acceleration and jerk by bodies of masses m, without G */
};

struct nb_neighbour_set {
    /* Predicts body i0 to i1 - 1 at `now`. */
    void (*predict)(const struct nb_near_body *body, struct nb_near_place *place, double base, double now, uint64_t i0,
                    uint64_t i1);
    /* Predicts those of the bodies in the list that are not yet. */
    void (*predict_listed)(const struct nb_near_body *body, struct nb_near_place *place, double base, double now,
                           uint32_t count, const uint32_t *list);
    /* Returns acceleration and jerk of the body at `to` by the bodies in the list, without G. */
    struct nb_near_sum (*pull)(const struct nb_near_place *place, uint64_t none, const struct nb_near_place *to,
                               double eps2, uint32_t count, const uint32_t *list);
    /* Writes the numbers of the bodies other than i with r^2 < reach2 weight, rising, about `most` of them at most: the
     * list has room for 2 NB_NEAR_LANES more. Returns how many there are. */
    uint32_t (*find)(const struct nb_near_rows *rows, uint64_t i, double reach2, uint32_t most, uint32_t *list);
    /* Computes what the targets take, NB_NEAR_TARGETS at most. */
    void (*pull_rest)(const struct nb_near_rows *rows, double eps2, int count, struct nb_near_target *target);
};

extern const struct nb_neighbour_set *const nb_neighbour_sets[NB_SIMD_SETS];
