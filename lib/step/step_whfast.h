/* step_whfast.h - state of a whfast run, shared by step_whfast.c and, for Jacobi coordinates, step_jacobi.c. */
#pragma once

#include "step/scheme.h"
#include "step/whfast.h"

enum { /* indices of p->vectors: the planets (saved in checkpoints), a copy of them, and work space */
       PLANETS,
       COPY = PLANETS + 4,
       MASSES = COPY + 4, /* one row; two rows with Jacobi coordinates (step_jacobi.c) */
       POSITIONS,         /* positions and accelerations for the mutual forces */
       ACCELERATIONS,
       VECTORS
};

struct whfast {
    /* In heliocentric coordinates, planet i is body i. But planet number `centre` is the last body, because body number
     * `centre` is the central body. In Jacobi coordinates, planet i is body order[i + 1]. */
    struct nb_planets planets, copy;
    uint64_t centre; /* index of the central body */
    /* in Jacobi coordinates: indices of the bodies, first the central body, then planets 0, 1, ...; otherwise NULL */
    uint32_t *order;
    nb_quad mass;              /* total mass */
    nb_quad place[3], rate[3]; /* position and velocity of the centre of mass when the first step of size h began */
    nb_quad h;                 /* step size; 0: no step yet */
    uint64_t steps;            /* number of steps of size h so far */
};

/* Sets planet `at` to position q and velocity v, as sums of two doubles. */
static inline void nb_whfast_take_planet(const struct nb_planets *planets, uint64_t at, nb_quad q, nb_quad v)
{
    planets->q[at] = (double)q;
    planets->q_low[at] = (double)(q - planets->q[at]);
    planets->v[at] = (double)v;
    planets->v_low[at] = (double)(v - planets->v[at]);
}

/* ---- step_jacobi.c ---- */

/* Chooses the order of the bodies (w->order), and computes the planets' Jacobi coordinates from the state. Returns 0,
 * or -1 after nb_fail. */
int nb_jacobi_take(struct nb_stepper *p);
/* Computes the positions and velocities of all bodies from the Jacobi coordinates in `planets`, and writes them to the
 * state. time: time since the centre of mass was at whfast.place. */
void nb_jacobi_give(struct nb_stepper *p, const struct nb_planets *planets, nb_quad time);
/* Returns an array of masses: first of the central body, then of the planets in the order of w->order. */
static inline const double *nb_jacobi_masses(const struct nb_stepper *p)
{
    return (const double *)p->vectors[MASSES] + p->state->stride;
}

/* Kicks the planets by all forces that are not part of the Kepler motions. Returns 0, or -1 after nb_fail. */
int nb_jacobi_kick(struct nb_stepper *p, const struct nb_planets *planets, double h);
/* Saves or loads the order of the bodies. For nb_family.carry. */
int nb_jacobi_carry(struct nb_stepper *p, struct nb_pack *k);
