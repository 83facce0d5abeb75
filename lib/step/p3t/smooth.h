/* smooth.h - a few bodies under the near parts of their forces (changeover.h) that pass one another slowly, beside
 * their distances: most components of a step. Steps of Gauss's method with eight nodes (order 16), whose equations are
 * iterated; a pair takes a fiftieth of the time of Hermite's steps. */
#pragma once

#include "force/changeover.h"
#include "simd/simd.h"

#include <stdint.h>

#define NB_SMOOTH_MOST  32 /* bodies */
#define NB_SMOOTH_NODES 8

typedef double nb_smooth_nodes[3][NB_SMOOTH_NODES]; /* a vector at each node of a step */

struct nb_smooth_table {
    double node[NB_SMOOTH_NODES];                 /* from 0 to 1 */
    double way[NB_SMOOTH_NODES][NB_SMOOTH_NODES]; /* [j][i]: to node i, by the acceleration at node j */
};

struct nb_smooth {
    uint32_t n;
    double gm[NB_SMOOTH_MOST], x[NB_SMOOTH_MOST][3], v[NB_SMOOTH_MOST][3];
    double radius[NB_SMOOTH_MOST]; /* two that come nearly as near as the sum are too near; 0: nobody asks */
};

void nb_smooth_table_make(struct nb_smooth_table *o);
/* Moves the bodies on by h, of either sign. False: some come too near; what is in s then says nothing. */
bool nb_smooth_drift(struct nb_smooth *s, const struct nb_smooth_table *table, struct nb_changeover split, double h);

/* ---- smooth_simd.c: for the instruction sets ---- */

struct nb_smooth_pairs {
    uint32_t count;
    uint8_t pair[NB_SMOOTH_MOST * (NB_SMOOTH_MOST - 1) / 2][2];
};

struct nb_smooth_set {
    /* Places at the nodes of a step of h, from accelerations there. */
    void (*place)(const struct nb_smooth *s, const struct nb_smooth_table *table, double h, const nb_smooth_nodes *a,
                  nb_smooth_nodes *x);
    /* Near parts of accelerations by these pairs, at the nodes. */
    void (*pull)(const struct nb_smooth *s, const struct nb_smooth_pairs *p, struct nb_changeover split,
                 const nb_smooth_nodes *x, nb_smooth_nodes *a);
};
