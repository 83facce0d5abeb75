/* chain_parts.h - functions that chain.c and chain_advance.c share. Arguments, in the chain's order of the bodies:
 * - at[k]: position (or velocity) of body k relative to the centre of mass
 * - link[k]: at[k + 1] - at[k] */
#pragma once

#include "step/groups/chain.h"

typedef const double (*vectors)[3];

/* Computes the vectors at[] of the bodies from the differences link[]. */
void nb_chain_sum(const struct nb_chain *c, const double link[][3], double at[][3]);
/* Copies vectors from the chain's order to the caller's order. */
void nb_chain_by_caller(const struct nb_chain *c, const double at[][3], double out[][3]);
/* Returns -G times the potential energy. Unless `a` is NULL, sets a[] to the mutual accelerations of the bodies, in the
 * chain's order. Unless `shortest` is NULL, reduces *shortest to the smallest squared dynamical time of a pair, if this
 * is less than *shortest. */
double nb_chain_potential(const struct nb_chain *c, const double link[][3], const double at[][3], double a[][3],
                          double *shortest);
/* Computes the post-Newtonian accelerations f of the n bodies, in the chain's order. v: velocities of the n - 1 links,
 * followed by the velocity of the centre of mass. */
void nb_chain_pn(const struct nb_chain *c, const double link[][3], const double at[][3], const double v[][3],
                 double f[][3]);
/* Returns G times the kinetic energy relative to the centre of mass, from the velocities of the links. */
double nb_chain_kinetic(const struct nb_chain *c, const double link[][3]);
/* Chooses a new order of the bodies in the chain. Computes the new links as sums of old links. */
void nb_chain_choose_again(struct nb_chain *c);
