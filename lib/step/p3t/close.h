/* close.h - bodies under the near parts of their forces alone (changeover.h): a body without others near it goes
 * straight on, two whose whole force is near follow Kepler's orbit, and all others that are connected by pairs go
 * together: few that pass at a distance by smooth.h, others with Hermite's steps of their own and in regularised groups
 * (groups/cluster.h). */
#pragma once

#include "step/groups/cluster.h"
#include "step/p3t/close_touch.h"
#include "step/p3t/components.h"
#include "step/p3t/heavy.h"
#include "step/p3t/smooth.h"

struct nb_p3t_worker;

struct nb_p3t { /* host memory; the caller fills in all from n to watch */
    uint64_t n, stride;
    double *x, *v;    /* vectors: positions and velocities */
    const double *gm; /* G times masses */
    struct nb_changeover split;
    double energy; /* of the motion, times G (nb_cluster) */
    double least;  /* an acceleration counts as no less in a time scale */
    double eta, chain_tolerance, share;
    struct nb_touch_watch *watch; /* NULL: nobody asks who touches */
    struct nb_heavy heavy;
    struct nb_smooth_table smooth;
    int workers;
    struct nb_p3t_worker *worker; /* one a thread */
};

/* Moves all bodies on by h, between two kicks by the far forces of half of it each; `parts`: of pairs that may come
 * within split.outer of each other. The same bits whatever the threads. If bodies touch, the first contact is noted,
 * and where bodies are says nothing. -1 after nb_fail. */
int nb_p3t_drift(struct nb_p3t *w, const struct nb_components *parts, double h);
void nb_p3t_free(struct nb_p3t *w);
