/* own.cuh - individual time steps on the GPU: the operations on one body (see device.h). */
#pragma once

#include "device/cuda/cuda.cuh"
#define OWN_STEP_CALL static __device__ __forceinline__
#include "device/own_hermite.h"
#include "device/own_steps.h"

/* Kicks the body at element i with its new acceleration. `now` is this acceleration, and the function stores it in d_a.
 * If `now` is NULL, d_a contains it already. Returns w.longest divided by the size of the body's next step. */
template <typename T> static __device__ double kick_one(const nb_own_kick &w, uint64_t i, const T *now)
{
    T *a = (T *)w.d_a + i, *v = (T *)w.d_v + i, *step = (T *)w.d_step + i;
    const T sign = w.backwards ? -1 : 1, ended = *step;
    T pull[3];
    double a2 = 0, change2 = 0, limit = (double)ended;
    for (int k = 0; k < 3; k++) {
        const T before = a[k * w.stride];
        pull[k] = now ? now[k] : before;
        if (now)
            a[k * w.stride] = pull[k];
        const double change = (double)pull[k] - (double)before;
        a2 += (double)pull[k] * (double)pull[k];
        change2 += change * change;
    }
    if (w.close || ended == 0) {
        const double j2 = w.close ? change2 / ((double)ended * (double)ended) : 0;
        limit = nb_own_limit(&w, a2, j2, (double)((const T *)w.d_m)[i]);
    }
    const T begun = (T)nb_own_step(w.longest, w.shortest, limit);
    *step = begun;
    for (int k = 0; k < 3; k++) {
        T speed = v[k * w.stride];
        if (w.close)
            speed = nb_add_scaled(sign * ended / 2, pull[k], speed);
        if (w.open)
            speed = nb_add_scaled(sign * begun / 2, pull[k], speed);
        v[k * w.stride] = speed;
    }
    return w.longest / (double)begun;
}

/* ---- individual Hermite steps, always in double precision ---- */

static __device__ void read_triple(double to[3], const void *rows, uint64_t stride, uint64_t i)
{
    for (int k = 0; k < 3; k++)
        to[k] = ((const double *)rows)[i + k * stride];
}

static __device__ void write_triple(void *rows, uint64_t stride, uint64_t i, const double from[3])
{
    for (int k = 0; k < 3; k++)
        ((double *)rows)[i + k * stride] = from[k];
}

static __device__ nb_own_body own_body(const nb_own_hermite &w, uint64_t i)
{
    nb_own_body b;
    read_triple(b.x, w.d_x, w.stride, i);
    read_triple(b.v, w.d_v, w.stride, i);
    read_triple(b.a, w.d_a, w.stride, i);
    read_triple(b.j, w.d_j, w.stride, i);
    return b;
}

static __device__ void predict_one(const nb_own_hermite &w, uint64_t i)
{
    const nb_own_body b = own_body(w, i);
    const double h = w.base * (w.now - ((const double *)w.d_begun)[i]);
    for (int k = 0; k < 3; k++) {
        ((double *)w.d_px)[i + k * w.stride] = nb_own_place(h, b.x[k], b.v[k], b.a[k], b.j[k]);
        ((double *)w.d_pv)[i + k * w.stride] = nb_own_speed(h, b.v[k], b.a[k], b.j[k]);
    }
}

/* Ends the step of the body at element i. a, j: acceleration and jerk at the end of the step. Returns the body's time
 * scale. */
static __device__ double correct_one(const nb_own_hermite &w, uint64_t i, const double a[3], const double j[3])
{
    nb_own_body b = own_body(w, i);
    const double scale = nb_own_correct(&b, w.base * (w.now - ((const double *)w.d_begun)[i]), a, j, w.least);
    write_triple(w.d_x, w.stride, i, b.x);
    write_triple(w.d_v, w.stride, i, b.v);
    write_triple(w.d_a, w.stride, i, a);
    write_triple(w.d_j, w.stride, i, j);
    return scale;
}

/* Writes to element i of d_step the size of the body's next step, computed from its time scale `scale`. Writes a time
 * scale instead if the task is NB_OWN_START, or if no step follows (w.ends). Returns the value written. */
static __device__ double next_one(const nb_own_hermite &w, uint64_t i, double scale)
{
    double *step = (double *)w.d_step + i;
    *step = nb_own_next(&w, *step, scale);
    ((double *)w.d_begun)[i] = w.ends ? 0 : w.now;
    return *step;
}
