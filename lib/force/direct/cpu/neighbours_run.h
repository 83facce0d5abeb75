/* neighbours_run.h - the memory of a base step of the scheme of neighbours on the CPU, and the regular part. Include
 * device/own_regular.h first. */
#pragma once

#include "force/direct/cpu/neighbours_cpu.h"
#include "force/force.h"
#include "force/neighbours.h"

struct near_regular {                             /* at the end of a regular step */
    struct nb_near_sum sum;                       /* by all bodies that are not in the list that the step began with */
    double change_a[3], change_j[3], change_s[3]; /* by the new list: of those that left it less those that came */
};

struct near_run {
    const struct nb_neighbour_set *set;
    const struct nb_sources *s;
    struct nb_neighbours *w;
    double eps2, mean; /* mean: of the masses other than 0, */
    uint64_t massive;  /* so many */
    double now;
    bool ended;
    struct nb_near_body *body;
    struct nb_near_place *place; /* n + 1 */
    struct nb_own_regular *far;
    double *regular_step, *regular_begun, *weight;
    struct nb_near_rows rows;
    double **mass;    /* NB_NEAR_TARGETS of each thread: all masses, in which those of neighbours are 0 for a while */
    uint32_t **found; /* NB_NEAR_TARGETS of each thread: a list */
    int scratch;      /* of these, in all */
    /* Bodies on irregular rung k: first[k], next[that] ...; and how many are on a regular one. */
    uint32_t first[NB_OWN_PARTS + 1], *next;
    uint64_t regular_on[NB_OWN_PARTS + 1];
    uint32_t due_count, *due;
    uint32_t regular_count, *regular_due, *regular_at; /* regular_at[f]: place in `regular`, or UINT32_MAX */
    struct nb_near_sum *irregular;                     /* of each due body */
    struct near_regular *regular;
};

/* Allocates the memory, and fills it from the rows; and stores what has changed there. nb_near_end: also after a
 * failure. */
int nb_near_begin(struct near_run *r, const struct nb_sources *s, struct nb_neighbours *w);
void nb_near_store(const struct near_run *r);
void nb_near_end(struct near_run *r);

/* Computes r->regular of regular-due bodies [k0, k1), NB_NEAR_TARGETS at most, where all bodies are predicted, in rows
 * too. Renews their lists. */
void nb_near_regular(struct near_run *r, uint32_t k0, uint32_t k1);

/* As nb_force_neighbours.start. */
int nb_near_start(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);

extern const struct nb_force_neighbours nb_direct_neighbours;
