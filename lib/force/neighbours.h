/* neighbours.h - splits the acceleration of each body into two parts (Ahmad & Cohen 1973, J. Comput. Phys. 12, 389).
 * The irregular part comes from its neighbours and changes fast. The regular part comes from all other bodies. Each
 * body has two step sizes, each the base step divided by a power of 2. At the end of an irregular step the irregular
 * part is computed, and the regular part is extrapolated. Each regular step ends together with an irregular step. At
 * this time the regular part is computed as well, and the list of neighbours is rebuilt.
 *
 * Body j is a neighbour of body i if r_ij < reach_i (m_j / mean)^(1/3), where `mean` is the mean of the nonzero masses.
 * This selects the bodies with the largest tidal forces. For equal masses, the neighbours are the bodies in a sphere of
 * radius reach_i. A body of mass 0 is never a neighbour. The reach of each body is adapted, so that its number of
 * neighbours stays close to the wanted number. */
#pragma once

#include "device/device.h"

struct nb_own_run;
struct nb_sources;

struct nb_neighbours { /* device pointers; rows and vectors are double */
    /* The bodies and their irregular steps. own.d_a and own.d_j are the entire acceleration and jerk (irregular plus
     * regular part). own.eta is the accuracy parameter of the irregular steps. During a base step, own.d_step and
     * d_regular_step contain step sizes. After the base step they contain time scales, from which the next step sizes
     * are computed. */
    struct nb_own_hermite own;
    double regular_eta;
    void *d_regular[4]; /* vectors: regular acceleration, jerk, snap and crackle at the beginning of the regular step */
    void *d_regular_step; /* regular step size of each body */
    void *d_reach2;       /* square of the reach of each body */
    uint32_t wanted;      /* wanted number of neighbours per body */
    uint32_t most;        /* maximum number of neighbours in a list */
    uint32_t *d_count;    /* number of neighbours of each body */
    uint32_t *d_list;     /* neighbour k of body i is body d_list[i * most + k]; each list is in ascending order */
    uint64_t pairs;       /* number of computed pairs; the functions of nb_force_neighbours add to it */
};

/* Functions of a force that computes the irregular and the regular part separately. */
struct nb_force_neighbours {
    /* Initialises the reach (radius of the neighbour sphere) and the list of neighbours of each body. Computes the
     * regular acceleration and jerk from positions own.d_px and velocities own.d_pv. Sets regular snap and crackle to
     * zero. */
    int (*start)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);
    /* Advances all bodies to the end of the base step. Stops earlier if steps have ended at run->most different times.
     * At the last of these times, it then ends the steps of all bodies. Results at the time reached:
     * - range[0]: the shortest step size that a body requires;
     * - range[1]: the longest time scale on which the irregular part of a body changes. */
    int (*step)(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w,
                struct nb_own_run *run, double range[2]);
};
