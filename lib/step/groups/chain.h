/* chain.h - algorithmic regularisation of a few bodies with close encounters, without softening.
 *
 * - The logarithmic Hamiltonian (Mikkola & Tanikawa 1999, Mon. Not. R. Astron. Soc. 310, 745; Preto & Tremaine 1999)
 *   gives a leapfrog whose time steps become shorter when bodies approach each other. The orbit of two bodies is exact,
 *   even through collisions.
 * - Extrapolation to steps of length 0 (Gragg, Bulirsch & Stoer; Hairer, Norsett & Wanner 1993, II.9) makes the
 *   result accurate to double precision.
 * - Close bodies are neighbours in a chain. The position of each body is stored relative to the previous body in the
 *   chain (Mikkola & Aarseth 1993, Celest. Mech. Dyn. Astron. 57, 439). Distances of close pairs thus lose no digits.
 * - Pairs with a black hole may have post-Newtonian terms, which depend on the velocity. With such terms the leapfrog
 *   has an auxiliary velocity, which keeps it symmetric in time (Hellstrom & Mikkola 2010, Celest. Mech. Dyn. Astron.
 *   106, 143). The post-Newtonian forces of the bodies do not add up to 0, so the centre of mass moves. */
#pragma once

#include "force/pn/pn.h"

#include <stdbool.h>

#define NB_CHAIN_MAX 12 /* maximum number of bodies of a chain */

struct nb_chain {
    int n; /* number of bodies, >= 2 */
    /* G times the mass of each body, > 0, in the order in which the caller passed the bodies ("caller's order") */
    double gm[NB_CHAIN_MAX];
    int order[NB_CHAIN_MAX]; /* order[k]: index, in the caller's order, of body k of the chain */
    /* Entry k < n - 1: position and velocity of body k + 1 of the chain relative to body k. Entry n - 1, used only
     * with post-Newtonian terms: position and velocity of the centre of mass relative to the chain's origin, which
     * was the centre of mass at first */
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
    double step;         /* size of the next step in the chain's own time variable, > 0; 0: not known */
    unsigned long steps; /* number of steps so far */
    /* Post-Newtonian terms, set after nb_chain_make: */
    struct nb_pn pn; /* order 0: no terms. pn.G is 1, because masses are already multiplied by G */
    /* true for a black hole; in the caller's order. Only pairs with a black hole have post-Newtonian terms */
    bool hole[NB_CHAIN_MAX];
    double frame[3]; /* velocity of the chain's origin in the coordinates of the run */
};

/* A function that sets a[] to the external acceleration of each body, in the caller's order. t: time since the
 * beginning of nb_chain_advance. x: positions relative to the centre of mass. An acceleration that is the same for all
 * bodies may be left out, because nb_chain_advance subtracts the acceleration of the centre of mass. */
typedef void nb_chain_pull(void *data, double t, const double x[][3], double a[][3]);

/* Makes a chain of n bodies with positions x and velocities v relative to any common origin. */
void nb_chain_make(struct nb_chain *c, int n, const double *gm, const double x[][3], const double v[][3]);
/* Sets x and v to the positions and velocities in the caller's order, relative to the origin. The origin is the centre
 * of mass at first; post-Newtonian terms can move the centre of mass away from it. */
void nb_chain_places(const struct nb_chain *c, double x[][3], double v[][3]);
/* A function that nb_chain_advance calls after each step. dt: size of the step. t: time from the beginning of
 * nb_chain_advance to the beginning of the step. `begin` and `end` are the chain before and after the step. */
typedef void nb_chain_see(void *data, const struct nb_chain *begin, const struct nb_chain *end, double t, double dt);

/* Advances the chain by a time dt of either sign with local relative errors below `tolerance`. pull: external forces,
 * or NULL. see: called after each step, unless NULL. Both functions get `data`. Returns false if the steps become too
 * short, because bodies are at the same position or values are NaN. With post-Newtonian terms, also returns false if a
 * pair with a black hole is closer than 2 G (m1 + m2) / c^2. */
bool nb_chain_advance(struct nb_chain *c, double dt, double tolerance, nb_chain_pull *pull, nb_chain_see *see,
                      void *data);
/* Computes position x and velocity v of body j relative to body i, without loss of digits. i, j: indices in the
 * caller's order. */
void nb_chain_between(const struct nb_chain *c, int i, int j, double x[3], double v[3]);
