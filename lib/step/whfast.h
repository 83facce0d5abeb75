/* whfast.h - planets about a heavy body in democratic heliocentric coordinates, and the kernels that advance them, one
 * source compiled for several instruction sets (whfast_simd.c).
 *
 * Q are positions relative to the centre, V velocities relative to the centre of mass (Duncan, Levison & Lee 1998, AJ
 * 116, 2067). With mu = G times the mass of the centre, m_0, the Hamiltonian is the sum of
 *     Kepler motions:  sum_i m_i V_i^2 / 2 - mu m_i / |Q_i|         exact as a drift,
 *     interactions:    - sum_i<j G m_i m_j / |Q_i - Q_j|            change V alone,
 *     jumps:           |sum_i m_i V_i|^2 / (2 m_0)                  move all Q alike,
 * of which the last two commute and are a kick together. */
#ifndef NB_WHFAST_H
#define NB_WHFAST_H

#include "device/state.h"

/* Rows of lanes; those from n up to a whole vector are the kernels' own, and are left with what they leave there. */
struct nb_planets {
    uint64_t n, stride;    /* n >= 1; stride a multiple of NB_STRIDE_UNIT */
    double G, centre;      /* the mass of the centre */
    const double *m;       /* stride masses, 0 from n on */
    double *q, *v;         /* vectors (device.h), as */
    double *q_low, *v_low; /* what is to be added to them, Kahan's carries: q + q_low is the position */
};

struct nb_whfast_set {
    /* Kepler motion for a time h of planets [i0, i1), i0 a multiple of NB_STRIDE_UNIT, i1 too or n. */
    void (*drift)(const struct nb_planets *p, double h, uint64_t i0, uint64_t i1);
    /* `count` times a drift and a kick of `kick` after it; the first drift is `first`, the others are `drift`. In one
     * thread: for few planets. */
    void (*steps)(const struct nb_planets *p, double first, double drift, double kick, uint64_t count);
};

#endif
