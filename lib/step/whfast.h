/* whfast.h - planets about a heavy body in democratic heliocentric coordinates, and the kernels that advance them, one
 * source compiled for several instruction sets (whfast_simd.c).
 *
 * Q_i are positions relative to the centre, whose mass is m_0, and P_i momenta relative to the centre of mass (Duncan,
 * Levison & Lee 1998, AJ 116, 2067). The Hamiltonian is the sum of
 *     Kepler motions:  sum_i P_i^2 / (2 mu_i) - G m_0 m_i / |Q_i|,   mu_i = m_0 m_i / (m_0 + m_i),
 *     interactions:    - sum_i<j G m_i m_j / |Q_i - Q_j|,
 *     jumps:           sum_i<j P_i P_j / m_0;
 * each planet's own part of |sum_i P_i|^2 / (2 m_0) is in its Kepler motion, so that two bodies of any masses move as
 * they should (Hernandez & Dehnen 2017, MNRAS 468, 2614). Here V_i = P_i / mu_i stands for the momentum: Kepler motion
 * is that about a mass of m_0 + m_i. A kick is half of the jumps, the interactions, and the other half. */
#pragma once

#include "device/state.h"

/* So few planets act on one another in the kernel's own loop, which takes less time than to call a force. */
#define NB_WHFAST_FEW 64

/* Rows of lanes; those from n up to a whole vector are the kernels' own, and are left with what they leave there. */
struct nb_planets {
    uint64_t n, stride;    /* n >= 1; stride a multiple of NB_STRIDE_UNIT_FEW */
    double G, centre;      /* the mass of the centre */
    const double *m;       /* stride masses, 0 from n on */
    double *q, *v;         /* vectors (device.h) */
    double *q_low, *v_low; /* what is to be added to them, Kahan's carries: q + q_low is the position */
};

struct nb_whfast_set {
    /* Kepler motion for a time h of planets [i0, i1), i0 a multiple of NB_STRIDE_UNIT, i1 too or n. */
    void (*drift)(const struct nb_planets *p, double h, uint64_t i0, uint64_t i1);
    /* `count` times a drift and a kick of `kick` after it; the first drift is `first`, the others are `drift`. In one
     * thread, of at most NB_WHFAST_FEW planets. */
    void (*steps)(const struct nb_planets *p, double first, double drift, double kick, uint64_t count);
    /* The same in Jacobi's coordinates (step_jacobi.c): p->m are the masses of all planets up to each, `own` those of
     * the centre and of each planet. */
    void (*jacobi_steps)(const struct nb_planets *p, const double *own, double first, double drift, double kick,
                         uint64_t count);
};
