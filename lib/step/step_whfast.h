/* step_whfast.h - a run of whfast: what step_whfast.c and, of Jacobi's coordinates, step_jacobi.c share. */
#pragma once

#include "step/scheme.h"
#include "step/whfast.h"

enum { /* of p->vectors: the planets, what is carried; a copy of them; and what both share */
       PLANETS,
       COPY = PLANETS + 4,
       MASSES = COPY + 4, /* a row; with Jacobi's coordinates two (step_jacobi.c) */
       POSITIONS,         /* where bodies act on one another, and what they do */
       ACCELERATIONS,
       VECTORS
};

struct whfast {
    struct nb_planets planets, copy; /* in the bodies' order, but for the last body in the place of the centre */
    uint64_t centre;
    uint32_t *order;           /* of Jacobi's coordinates: the centre and the bodies of the planets; else NULL */
    nb_quad mass;              /* of all */
    nb_quad place[3], rate[3]; /* the centre of mass when the step became h, and its velocity */
    nb_quad h;                 /* of the steps; 0: none was made yet */
    uint64_t steps;            /* of h */
};

static inline void nb_whfast_take_planet(const struct nb_planets *planets, uint64_t at, nb_quad q, nb_quad v)
{
    planets->q[at] = (double)q;
    planets->q_low[at] = (double)(q - planets->q[at]);
    planets->v[at] = (double)v;
    planets->v_low[at] = (double)(v - planets->v[at]);
}

/* ---- step_jacobi.c ---- */

/* Chooses the order, and the planets from the bodies. -1 after nb_fail. */
int nb_jacobi_take(struct nb_stepper *p);
/* The state of planets that are synchronised, `time` after the centre of mass was at w->place. */
void nb_jacobi_give(struct nb_stepper *p, const struct nb_planets *planets, nb_quad time);
/* The masses of the centre and of the planets, in their order. */
static inline const double *nb_jacobi_masses(const struct nb_stepper *p)
{
    return (const double *)p->vectors[MASSES] + p->state->stride;
}

/* Adds what all bodies but for the Kepler motions do to the velocities. -1 after nb_fail. */
int nb_jacobi_kick(struct nb_stepper *p, const struct nb_planets *planets, double h);
/* What later steps take from the order, as nb_family.carry. */
int nb_jacobi_carry(struct nb_stepper *p, struct nb_pack *k);
