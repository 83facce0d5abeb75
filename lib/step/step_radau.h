/* step_radau.h - integrals and derivatives of the polynomial through values at the eight Gauss-Radau nodes of a
 * step. */
#pragma once

#include "device/quad.h"

#define NB_RADAU_NODES 8

/* p(t) is the polynomial of degree 7 with values a_j at the nodes j. The rows below contain coefficients: the sum over
 * j of a_j * row[j] is an integral or a derivative of p. Time is in units of the step. */
struct nb_radau {
    nb_quad node[NB_RADAU_NODES + 1]; /* times of the nodes, ascending from 0; the last is 1, the end of the step */
    nb_quad velocity[NB_RADAU_NODES + 1][NB_RADAU_NODES]; /* row s: for the integral of polynomial p from 0 to node s */
    nb_quad position[NB_RADAU_NODES + 1][NB_RADAU_NODES]; /* row s: for the double integral of polynomial p to node s */
    nb_quad derivative[4][NB_RADAU_NODES];                /* row k: for the k-th derivative of polynomial p at t = 1 */
    nb_quad weight[NB_RADAU_NODES];                       /* [j]: 1 / (product of (node j - node k) for k != j) */
};

/* Computes all members, with an error of about 1e-33 (Hildebrand 1974, Introduction to Numerical Analysis, 8.11). */
void nb_radau_make(struct nb_radau *r);
