/* whfast.h - advances planets about a heavy central body in democratic heliocentric coordinates (Duncan, Levison & Lee
 * 1998, AJ 116, 2067). whfast_simd.c contains the kernels and is compiled once for each instruction set.
 *
 * Q_i is the position of planet i relative to the central body, whose mass is m_0. P_i is the momentum of planet i
 * relative to the centre of mass. The Hamiltonian is the sum of
 *     Kepler motions:  sum_i P_i^2 / (2 mu_i) - G m_0 m_i / |Q_i|,   mu_i = m_0 m_i / (m_0 + m_i),
 *     interactions:    - sum_i<j G m_i m_j / |Q_i - Q_j|,
 *     jumps:           sum_i<j P_i . P_j / m_0.
 * The Kepler motions include the terms P_i^2 / (2 m_0) of the central body's kinetic energy. The motion of a single
 * planet is therefore exact for any masses (Hernandez & Dehnen 2017, MNRAS 468, 2614). The code stores V_i = P_i / mu_i
 * as the velocity: Q_i and V_i then follow a Kepler orbit about the mass m_0 + m_i. A kick of duration h consists of
 * the jumps for a time h / 2, the interactions for h, and the jumps again for h / 2. */
#pragma once

#include "device/state.h"

/* Up to this number of planets the kernel computes the mutual forces itself, which is faster than calling a force. */
#define NB_WHFAST_FEW 64

/* Data of n planets, in rows of `stride` elements. The kernels process entire SIMD vectors, so they may also write
 * elements after the last planet. */
struct nb_planets {
    uint64_t n, stride; /* n >= 1; stride is a multiple of NB_STRIDE_UNIT_FEW */
    double G, centre;   /* G: gravitational constant; centre: mass of the central body */
    /* `stride` elements: the masses of the n planets, then zeros. For jacobi_steps, m[i] is instead the sum of the
     * masses of planets 0 to i */
    const double *m;
    double *q, *v;         /* vectors (device.h) of positions and velocities */
    double *q_low, *v_low; /* Kahan compensations: q + q_low is the position */
};

struct nb_whfast_set {
    /* Advances planets i0 to i1 - 1 by the time h on Kepler orbits. i0 is a multiple of NB_STRIDE_UNIT; i1 is a
     * multiple of NB_STRIDE_UNIT or n. */
    void (*drift)(const struct nb_planets *p, double h, uint64_t i0, uint64_t i1);
    /* Repeats a drift and a kick `count` times, in one thread. n is at most NB_WHFAST_FEW. first: duration of the first
     * drift; drift: duration of each later drift; kick: duration of each kick. */
    void (*steps)(const struct nb_planets *p, double first, double drift, double kick, uint64_t count);
    /* Does the same as `steps`, but in Jacobi coordinates (step_jacobi.c). p->m[i] is the total mass of planets 0 to i;
     * `own` contains the mass of the central body and then the mass of each planet. */
    void (*jacobi_steps)(const struct nb_planets *p, const double *own, double first, double drift, double kick,
                         uint64_t count);
};
