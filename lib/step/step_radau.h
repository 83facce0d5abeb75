/* step_radau.h - integrals and derivatives of the polynomial through values at the eight Gauss-Radau nodes of a step.
 */
#pragma once

#include "device/quad.h"

#define NB_RADAU_NODES 8

/* With p(t) the polynomial of degree 7 through values a_j at the nodes, times in steps from its beginning: */
struct nb_radau {
    nb_quad node[NB_RADAU_NODES + 1];                     /* rising, from 0; and 1, the end */
    nb_quad velocity[NB_RADAU_NODES + 1][NB_RADAU_NODES]; /* row s: the integral of p to node s */
    nb_quad position[NB_RADAU_NODES + 1][NB_RADAU_NODES]; /* row s: the integral of that integral */
    nb_quad derivative[4][NB_RADAU_NODES];                /* row k: its k-th derivative at the end */
    nb_quad weight[NB_RADAU_NODES];                       /* 1 / prod_k (node_j - node_k), k not j */
};

/* Computes them all, within some 1e-33 (Hildebrand 1974, Introduction to Numerical Analysis, 8.11). */
void nb_radau_make(struct nb_radau *r);
