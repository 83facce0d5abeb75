/* neighbours.h - splits the acceleration of each body into an irregular part, from its neighbours, which changes fast,
 * and a regular part, from all other bodies (Ahmad & Cohen 1973, J. Comput. Phys. 12, 389). Each body has two step
 * sizes, both base / 2^k. At the end of an irregular step the neighbours' acceleration is computed, and the regular
 * part is extrapolated. A regular step ends together with an irregular step. Then the regular part is computed too, and
 * the list of neighbours is rebuilt.
 *
 * Body j is a neighbour of body i if r_ij < reach_i (m_j / mean)^(1/3), where `mean` is the mean of the nonzero masses.
 * This selects the bodies with the largest tidal forces; for equal masses it is a sphere. A body of mass 0 is never a
 * neighbour. The reach is adapted to the number of neighbours. */
#pragma once

#include "device/device.h"

struct nb_own_run;
struct nb_sources;

struct nb_neighbours { /* device pointers; rows and vectors are double */
    /* bodies, irregular steps and irregular time scales, as for the Hermite scheme. own.d_a and own.d_j are the sums of
     * the irregular and the regular part. own.eta is for irregular steps. Between base steps own.d_step and
     * d_regular_step contain time scales instead of steps */
    struct nb_own_hermite own;
    double regular_eta;
    void *d_regular[4]; /* vectors: regular acceleration, jerk, snap and crackle at the beginning of the regular step */
    void *d_regular_step; /* row: regular steps */
    void *d_reach2;       /* row: reach^2 */
    uint32_t wanted;      /* target number of neighbours */
    uint32_t most;        /* capacity of a list */
    uint32_t *d_count;    /* row of n: number of neighbours */
    uint32_t *d_list;     /* list[i * most + k], increasing in k */
    uint64_t pairs;       /* incremented by the number of pairs computed */
};

/* Functions of a force that computes the two parts separately. */
struct nb_force_neighbours {
    /* Initialises reaches and lists, and computes the regular acceleration and jerk from positions d_px and velocities
     * d_pv. Snap and crackle begin with 0. */
    int (*start)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);
    /* Advances through a base step: all times at which steps end, or at most `run->most` of them. All steps end at the
     * last time. Sets range[0] to the shortest step that the time scales then require, and range[1] to the longest
     * irregular time scale. */
    int (*step)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w,
                struct nb_own_run *run, double range[2]);
};
