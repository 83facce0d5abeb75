/* smooth.h - integrates a few bodies that attract each other with near forces (the near parts of forces, changeover.h).
 * Within a step, the bodies must move little compared with their distances from each other. The integrator is Gauss's
 * implicit method with eight nodes (order 16), solved by iteration. For two bodies it is 50 times as fast as Hermite
 * steps. */
#pragma once

#include "force/changeover.h"
#include "simd/simd.h"

#include <stdint.h>

#define NB_SMOOTH_MOST  32 /* maximum number of bodies */
#define NB_SMOOTH_NODES 8

typedef double nb_smooth_nodes[3][NB_SMOOTH_NODES]; /* a vector at each node of a step */

struct nb_smooth_table {
    double node[NB_SMOOTH_NODES]; /* times of the nodes in units of the step, between 0 and 1 */
    /* position at node i of a step of size h, which begins at position x with velocity v:
     * x + h * node[i] * v + h^2 * (sum over j of way[j][i] * acceleration at node j) */
    double way[NB_SMOOTH_NODES][NB_SMOOTH_NODES];
};

struct nb_smooth {
    uint32_t n;
    double gm[NB_SMOOTH_MOST], x[NB_SMOOTH_MOST][3], v[NB_SMOOTH_MOST][3];
    double radius[NB_SMOOTH_MOST]; /* nb_smooth_drift returns false if the distance between two bodies falls to about
                                      the sum of their radii; all 0: contacts are ignored */
};

/* Sets all members of the table, which is the same for all calls of nb_smooth_drift. */
void nb_smooth_table_make(struct nb_smooth_table *o);
/* Moves the bodies in s by the time h, of either sign. Returns false if two bodies come too close to each other for
 * this method; the contents of s are then undefined. */
bool nb_smooth_drift(struct nb_smooth *s, const struct nb_smooth_table *table, struct nb_changeover split, double h);

/* ---- smooth_simd.c, for each instruction set ---- */

/* The pairs of bodies that attract each other with a near force during the step. */
struct nb_smooth_pairs {
    uint32_t count;
    uint8_t pair[NB_SMOOTH_MOST * (NB_SMOOTH_MOST - 1) / 2][2];
};

struct nb_smooth_set {
    /* Computes the positions x at the nodes (times) of a step. Input: the accelerations a at the nodes; h, the step
     * size. */
    void (*place)(const struct nb_smooth *s, const struct nb_smooth_table *table, double h, const nb_smooth_nodes *a,
                  nb_smooth_nodes *x);
    /* Computes the accelerations a at the nodes (times) of a step, from the near forces of the pairs p at the
     * positions x. */
    void (*pull)(const struct nb_smooth *s, const struct nb_smooth_pairs *p, struct nb_changeover split,
                 const nb_smooth_nodes *x, nb_smooth_nodes *a);
};
