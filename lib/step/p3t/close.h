/* close.h - moves bodies under the near parts of their forces: the parts that act only at distances below the outer
 * radius of the changeover (changeover.h). A component is a set of bodies connected by close pairs (components.h). The
 * bodies of a component are moved together. There are four cases:
 *     a body alone in its component: straight line;
 *     two bodies, if the far part of their force is 0: Kepler orbit;
 *     few bodies that move little compared with their distances: smooth.h;
 *     otherwise: a Hermite scheme with individual time steps and regularised groups (groups/cluster.h). */
#pragma once

#include "step/groups/cluster.h"
#include "step/p3t/close_touch.h"
#include "step/p3t/components.h"
#include "step/p3t/heavy.h"
#include "step/p3t/smooth.h"

struct nb_p3t_worker;

struct nb_p3t { /* in host memory; the caller sets `n`, `watch` and all members between them */
    uint64_t n, stride;
    double *x, *v;    /* positions and velocities: vectors with rows of `stride` elements, changed by nb_p3t_drift */
    const double *gm; /* G times the mass of each body */
    struct nb_changeover split;
    /* estimate of G times the total kinetic energy of all bodies, from their mean speed; copied to nb_cluster.energy */
    double energy;
    double least; /* in the computation of time scales, accelerations smaller than `least` are replaced by `least` */
    double eta, chain_tolerance, share;
    struct nb_touch_watch *watch; /* NULL: no search for contacts */
    struct nb_heavy heavy;
    struct nb_smooth_table smooth;
    int workers;
    struct nb_p3t_worker *worker; /* one for each thread */
};

/* Moves all bodies for a time h under the near parts of their forces. Before and after this call, the caller applies
 * the far parts as kicks for h/2. `parts`: components, formed by the pairs of bodies whose distance may become smaller
 * than split.outer. Results are bitwise identical for any number of threads. If bodies touch, the function stores the
 * first contact in `watch`, and x and v are undefined. Returns 0, or -1 after nb_fail. */
int nb_p3t_drift(struct nb_p3t *w, const struct nb_components *parts, double h);
void nb_p3t_free(struct nb_p3t *w);
