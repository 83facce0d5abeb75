/* chain_parts.h - what a chain's places, energies and steps share. Links are vectors from one body of the chain to the
 * next; `at` are vectors of the bodies in the chain's order, relative to the centre of mass. */
#pragma once

#include "step/groups/chain.h"

typedef const double (*vectors)[3];

/* Sums of the chain's vectors, relative to the centre of mass, in the order of the chain. */
void nb_chain_sum(const struct nb_chain *c, const double link[][3], double at[][3]);
void nb_chain_by_caller(const struct nb_chain *c, const double at[][3], double out[][3]);
/* G^2 times the potential energy without its sign; accelerations by each other, where a is not NULL; in the chain's
 * order. *shortest: the shortest dynamical time of a pair, squared, where it is not NULL. */
double nb_chain_potential(const struct nb_chain *c, const double link[][3], const double at[][3], double a[][3],
                          double *shortest);
/* Post-Newtonian accelerations f of the bodies at these velocities, a link each and that of the centre of mass. */
void nb_chain_pn(const struct nb_chain *c, const double link[][3], const double at[][3], const double v[][3],
                 double f[][3]);
double nb_chain_kinetic(const struct nb_chain *c, const double link[][3]);
/* Chooses the chain anew; links are sums of the old ones. */
void nb_chain_choose_again(struct nb_chain *c);
