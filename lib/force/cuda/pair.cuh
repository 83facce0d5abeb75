/* pair.cuh - forces between pairs of bodies on the GPU: body types, the force of one pair, and sums over pairs. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "force/force.h"

/* ---- a body as kernels read it, in 16-byte loads ---- */

struct alignas(16) body_single {
    typedef float state;
    typedef float real;
    float x, y, z, m;
};

/* Each coordinate is a double split into two floats, x + xl, with 48 bits together. For the distance of two bodies, x
 * and xl are subtracted separately in single precision, and the two differences are added. The relative error of each
 * component is a few times 2^-24, however close the bodies are. */
struct alignas(16) body_mixed {
    typedef double state;
    typedef float real;
    float x, y, z, m;
    float xl, yl, zl, unused;
};

struct alignas(16) body_double {
    typedef double state;
    typedef double real;
    double x, y, z, m;
};

/* Calls the template lambda f with the body type B that belongs to the precision. Returns the result of f. The caller
 * declares f as []<typename B>(). */
template <typename F> static inline auto for_body(enum nb_precision precision, const F &f)
{
    switch (precision) {
    case NB_SINGLE: return f.template operator()<body_single>();
    case NB_MIXED: return f.template operator()<body_mixed>();
    default: return f.template operator()<body_double>();
    }
}

static __device__ __forceinline__ void body_set(body_single &b, float x, float y, float z, float m)
{
    b = {x, y, z, m};
}

static __device__ __forceinline__ void body_set(body_mixed &b, double x, double y, double z, double m)
{
    float xh = (float)x, yh = (float)y, zh = (float)z;
    b = {xh, yh, zh, (float)m, (float)(x - xh), (float)(y - yh), (float)(z - zh), 0};
}

static __device__ __forceinline__ void body_set(body_double &b, double x, double y, double z, double m)
{
    b = {x, y, z, m};
}

/* Reads body i: its position from x_rows, whose rows are `stride` elements apart, and its mass from m_row (NULL: 0). */
template <typename B>
static __device__ __forceinline__ void body_read(B &b, const void *x_rows, const void *m_row, uint64_t stride,
                                                 uint64_t i)
{
    const typename B::state *x = (const typename B::state *)x_rows, *m = (const typename B::state *)m_row;
    body_set(b, x[i], x[i + stride], x[i + 2 * stride], m ? m[i] : 0);
}

static __device__ __forceinline__ void body_position(const body_single &b, double *x)
{
    x[0] = b.x, x[1] = b.y, x[2] = b.z;
}

static __device__ __forceinline__ void body_position(const body_mixed &b, double *x)
{
    x[0] = (double)b.x + b.xl, x[1] = (double)b.y + b.yl, x[2] = (double)b.z + b.zl;
}

static __device__ __forceinline__ void body_position(const body_double &b, double *x)
{
    x[0] = b.x, x[1] = b.y, x[2] = b.z;
}

/* ---- one pair ---- */

template <typename R> struct pair_vector {
    R x, y, z;
};

static __device__ __forceinline__ pair_vector<float> pair_offset(const body_single &s, const body_single &t)
{
    return {s.x - t.x, s.y - t.y, s.z - t.z};
}

static __device__ __forceinline__ pair_vector<float> pair_offset(const body_mixed &s, const body_mixed &t)
{
    return {(s.x - t.x) + (s.xl - t.xl), (s.y - t.y) + (s.yl - t.yl), (s.z - t.z) + (s.zl - t.zl)};
}

static __device__ __forceinline__ pair_vector<double> pair_offset(const body_double &s, const body_double &t)
{
    return {s.x - t.x, s.y - t.y, s.z - t.z};
}

/* Computes w = m / r^3 and p = m / r, where r2 = r^2 is the squared distance plus the squared softening length. The
 * version for double computes p only if `inverse` is true. */
static __device__ __forceinline__ void pair_weight(float r2, float m, float &w, float &p, bool)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    p = m * y;
    w = p * (y * y); /* this order of multiplications avoids y^3 and r^6, which would underflow or overflow */
}

/* The hardware's estimate y of 1/sqrt(r2) is accurate to at least 20 bits. With e = 1 - r2 * y^2, the exact values are
 * r^-1 = y (1 - e)^(-1/2) and r^-3 = y^3 (1 - e)^(-3/2). The code expands these powers to second order in e. The
 * relative error of the expansion is below 2^-55. */
static __device__ __forceinline__ void pair_weight(double r2, double m, double &w, double &p, bool inverse)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(r2));
    double y2 = y * y, e = fma(-r2, y2, 1.0), my = m * y;
    w = my * (y2 * fma(fma(e, 1.875, 1.5), e, 1.0));
    p = inverse ? my * fma(fma(e, 0.375, 0.5), e, 1.0) : 0;
}

/* Returns 1 / r2, the square of an estimate of 1 / sqrt(r2). */
static __device__ __forceinline__ float pair_inverse(float r2)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    return y * y;
}

static __device__ __forceinline__ double pair_inverse(double r2)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(r2));
    const double y2 = y * y, e = fma(-r2, y2, 1.0);
    return fma(y2, fma(e, e, e), y2);
}

template <typename R> struct pair_sums { /* acceleration and potential of one target, without the factor G */
    R ax, ay, az, phi;
};

/* Adds source s to the sums of target t. eps2: squared softening length. With SELF: adds nothing if is_self. */
template <bool PHI, bool SELF, typename B>
static __device__ __forceinline__ void pair_add(pair_sums<typename B::real> &sum, const B &s, const B &t,
                                                typename B::real eps2, bool is_self)
{
    typedef typename B::real real;
    pair_vector<real> d = pair_offset(s, t);
    real r2 = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, eps2))), w, p;
    pair_weight(r2, (real)s.m, w, p, PHI);
    if (SELF && is_self)
        w = p = 0;
    if (PHI)
        sum.phi -= p;
    sum.ax = fma(w, d.x, sum.ax);
    sum.ay = fma(w, d.y, sum.ay);
    sum.az = fma(w, d.z, sum.az);
}

/* Adds `sum` to `total`. `sum`, in precision R, is the result for a few sources; `total` is in double precision. */
template <typename R>
static __device__ __forceinline__ void pair_flush(pair_sums<double> &total, const pair_sums<R> &sum)
{
    total.ax += (double)sum.ax;
    total.ay += (double)sum.ay;
    total.az += (double)sum.az;
    total.phi += (double)sum.phi;
}

/* Multiplies the sums by G. If out.add and MAY_ADD are true, adds them to element i of the rows of `out`. Otherwise
 * writes them there. */
template <typename T, bool MAY_ADD = true>
static __device__ __forceinline__ void pair_store(const nb_field &out, const pair_sums<double> &sum, double G,
                                                  uint64_t i)
{
    const bool add = MAY_ADD && out.add;
    T *a = (T *)out.a, *phi = (T *)out.phi;
    if (a) {
        T *y = a + out.stride, *z = y + out.stride;
        a[i] = (T)((add ? (double)a[i] : 0) + G * sum.ax);
        y[i] = (T)((add ? (double)y[i] : 0) + G * sum.ay);
        z[i] = (T)((add ? (double)z[i] : 0) + G * sum.az);
    }
    if (phi)
        phi[i] = (T)((add ? (double)phi[i] : 0) + G * sum.phi);
}
