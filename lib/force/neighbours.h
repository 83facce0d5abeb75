/* neighbours.h - bodies whose acceleration is a sum of two parts: that of their neighbours (irregular), which changes
 * fast, and that of all others (regular; Ahmad & Cohen 1973, J. Comput. Phys. 12, 389). Each body has two steps, base /
 * 2^k both. When its irregular step ends, its neighbours' acceleration is computed, and the regular one is
 * extrapolated. When its regular step ends, which is also the end of an irregular step, that of all others is computed
 * as well, and the list of neighbours is renewed.
 *
 * Body j is a neighbour of body i if r_ij < reach_i (m_j / mean)^(1/3), with the mean of the masses other than 0: the
 * bodies whose tides are the largest, for equal masses those in a sphere. A body of mass 0 is nobody's neighbour. The
 * reach follows the number of neighbours. */
#pragma once

#include "device/device.h"

struct nb_own_run;
struct nb_sources;

struct nb_neighbours { /* device pointers; rows and vectors are double */
    /* Bodies, their steps and irregular time scales as in Hermite's steps. d_a and d_j are of both parts, eta is of
     * irregular steps. Between base steps the two rows of steps have time scales. */
    struct nb_own_hermite own;
    double regular_eta;
    void *d_regular[4];   /* vectors: the regular acceleration, jerk, snap and crackle where its step begins */
    void *d_regular_step; /* row */
    void *d_reach2;       /* row: reach^2 */
    uint32_t wanted;      /* neighbours of a body that the reach aims at, */
    uint32_t most;        /* and as many as a list holds */
    uint32_t *d_count;    /* neighbours of each body, */
    uint32_t *d_list;     /* list[i * most + k], rising */
    uint64_t pairs;       /* adds the pairs that were computed */
};

/* Of a force that computes the two parts separately. */
struct nb_force_neighbours {
    /* Makes reaches and lists from nothing, and the regular acceleration and jerk from positions d_px and velocities
     * d_pv; snap and crackle begin with 0. */
    int (*start)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);
    /* A base step: all times at which steps end, or `run->most` of them, at the last of which all steps end. range: the
     * shortest step that the time scales then ask for, and the longest irregular time scale. */
    int (*step)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w,
                struct nb_own_run *run, double range[2]);
};
