/* chain.h - a few bodies that meet as closely as they like, without softening, by algorithmic regularisation.
 *
 * The logarithmic Hamiltonian (Mikkola & Tanikawa 1999, Mon. Not. R. Astron. Soc. 310, 745; Preto & Tremaine 1999)
 * gives a leapfrog whose steps shorten with the potential energy, and which follows two bodies on their exact orbit,
 * through collisions too. Extrapolation to steps of length 0 (Gragg, Bulirsch & Stoer; Hairer, Norsett & Wanner 1993,
 * II.9) makes it as accurate as double precision allows. Positions are vectors from one body to the next along a chain
 * of the shortest distances (Mikkola & Aarseth 1993, Celest. Mech. Dyn. Astron. 57, 439), so that close pairs lose no
 * digits.
 *
 * Pairs with a black hole may have post-Newtonian terms. These depend on the velocity: the leapfrog then has a second
 * velocity, which keeps it symmetric in time (Hellstrom & Mikkola 2010, Celest. Mech. Dyn. Astron. 106, 143). Their sum
 * over the bodies is not 0 and moves the centre of mass. */
#pragma once

#include "force/pn/pn.h"

#include <stdbool.h>

#define NB_CHAIN_MAX 12 /* bodies */

struct nb_chain {
    int n;                   /* bodies, 2 or more */
    double gm[NB_CHAIN_MAX]; /* G times the mass of each, > 0, in the caller's order */
    int order[NB_CHAIN_MAX]; /* the chain: numbers of bodies */
    double x[NB_CHAIN_MAX][3],
        v[NB_CHAIN_MAX][3]; /* of the next body relative to the one before; the last one, with
                               post-Newtonian terms: of the centre of mass relative to the origin */
    double step;            /* next step in the chain's own time, > 0; 0: not known */
    unsigned long steps;    /* so far */
    /* Post-Newtonian terms, set after nb_chain_make: */
    struct nb_pn pn;         /* for masses times G, so that its G is 1; order 0: there are none */
    bool hole[NB_CHAIN_MAX]; /* whose pairs have them, in the caller's order */
    double frame[3];         /* velocity of the origin */
};

/* Returns the acceleration of each body by everything outside, at time t after the beginning of nb_chain_advance, in
 * the caller's order and relative to any uniform acceleration. x: positions relative to the centre of mass. */
typedef void nb_chain_pull(void *data, double t, const double x[][3], double a[][3]);

/* Makes a chain of n bodies with positions and velocities relative to any common origin. */
void nb_chain_make(struct nb_chain *c, int n, const double *gm, const double x[][3], const double v[][3]);
/* Positions and velocities relative to the origin, which is the centre of mass unless that has moved by post-Newtonian
 * terms; in the caller's order. */
void nb_chain_places(const struct nb_chain *c, double x[][3], double v[][3]);
/* Is told of each step as it ends: of dt, `t` after the beginning of nb_chain_advance. */
typedef void nb_chain_see(void *data, const struct nb_chain *begin, const struct nb_chain *end, double t, double dt);

/* Advances by a time dt of either sign. Local relative errors stay below `tolerance`. pull NULL: an isolated group;
 * see NULL: nobody is told; both get `data`.
 * Returns false if the steps become too short to get there (bodies at one place, values that are not numbers), or if,
 * with post-Newtonian terms, two are closer than 2 G (m1 + m2) / c^2. */
bool nb_chain_advance(struct nb_chain *c, double dt, double tolerance, nb_chain_pull *pull, nb_chain_see *see,
                      void *data);
/* Body j as seen from body i, numbers of the caller, without the loss of digits of differences. */
void nb_chain_between(const struct nb_chain *c, int i, int j, double x[3], double v[3]);
