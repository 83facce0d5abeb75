/* neighbours_run.h - working memory of a base step of the neighbour scheme on the CPU, and functions for regular steps.
 * Include device/own_regular.h first. */
#pragma once

#include "force/direct/cpu/neighbours_cpu.h"
#include "force/force.h"
#include "force/neighbours.h"

struct near_regular { /* results at the end of a regular step */
    /* acceleration and jerk caused by all bodies that were not in the neighbour list when the step began */
    struct nb_near_sum sum;
    /* change of the regular acceleration, jerk and snap when the list is renewed: contributions of bodies that left the
     * list, minus contributions of bodies that joined it */
    double change_a[3], change_j[3], change_s[3];
};

struct near_run {
    const struct nb_neighbour_set *set;
    const struct nb_sources *s;
    struct nb_neighbours *w;
    double eps2, mean; /* eps2: squared softening length; mean: mean of the nonzero masses */
    uint64_t massive;  /* number of nonzero masses */
    double now;
    bool ended;
    struct nb_near_body *body;
    struct nb_near_place *place; /* n + 1 elements; the last one is a body without mass */
    struct nb_own_regular *far;
    double *regular_step, *regular_begun, *weight;
    struct nb_near_rows rows;
    /* NB_NEAR_TARGETS arrays for each thread. An array holds the masses of all bodies. During the sum for a target, the
     * masses of the target and of its neighbours are set to 0 in the array. */
    double **mass;
    uint32_t **found; /* NB_NEAR_TARGETS lists for each thread: the new neighbours of a target */
    int scratch;      /* number of arrays in `mass`, and of lists in `found` */
    /* A step of rung k has the size base step / 2^k. The bodies whose irregular steps have rung k form a linked list:
     * first[k], next[first[k]] and so on. regular_on[k]: number of bodies whose regular steps have rung k. */
    uint32_t first[NB_OWN_PARTS + 1], *next;
    uint64_t regular_on[NB_OWN_PARTS + 1];
    uint32_t due_count, *due;
    /* due: bodies whose irregular steps end now. regular_due: the bodies of `due` whose regular steps also end now.
     * With k = regular_at[f], the body due[f] is regular_due[k], and its results are regular[k]. k = UINT32_MAX: the
     * body's regular step does not end now */
    uint32_t regular_count, *regular_due, *regular_at;
    struct nb_near_sum *irregular; /* for each due body: acceleration and jerk caused by its neighbours */
    struct near_regular *regular;
};

/* nb_near_begin allocates the memory of a base step and fills it from the rows of s and w. nb_near_store writes the
 * changed values back to the rows of s and w. nb_near_end frees the memory, also after a failure of nb_near_begin. */
int nb_near_begin(struct near_run *r, const struct nb_sources *s, struct nb_neighbours *w);
void nb_near_store(const struct near_run *r);
void nb_near_end(struct near_run *r);

/* Computes r->regular for bodies regular_due[k0] to regular_due[k1 - 1], at most NB_NEAR_TARGETS, and rebuilds their
 * lists. The predicted positions and velocities of all bodies must be in r->place and in r->rows. */
void nb_near_regular(struct near_run *r, uint32_t k0, uint32_t k1);

/* Implements nb_force_neighbours.start. */
int nb_near_start(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);

extern const struct nb_force_neighbours nb_direct_neighbours;
