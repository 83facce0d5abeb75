/* direct_jerk.cuh - computes acceleration, jerk and snap of one pair of bodies; types of the bodies and of the sums. */
#pragma once

#include "force/direct/cuda/direct_cuda.cuh"

template <typename T> struct moving_body {
    T x, y, z, u, v, w, m;
};

template <typename T> struct snap_body : moving_body<T> {
    T a, b, c; /* acceleration */
};

template <typename R> struct jerk_sums {
    R ax, ay, az, jx, jy, jz, phi;
};

template <typename R> struct snap_sums : jerk_sums<R> {
    R sx, sy, sz;
};

template <typename T>
static __device__ __forceinline__ void read(moving_body<T> &b, const void *x_rows, const void *v_rows, const void *,
                                            const void *m_row, uint64_t stride, uint64_t i)
{
    const T *x = (const T *)x_rows, *v = (const T *)v_rows, *m = (const T *)m_row;
    b.x = x[i], b.y = x[i + stride], b.z = x[i + 2 * stride];
    b.u = v[i], b.v = v[i + stride], b.w = v[i + 2 * stride];
    b.m = m ? m[i] : (T)0;
}

template <typename T>
static __device__ __forceinline__ void read(snap_body<T> &b, const void *x_rows, const void *v_rows, const void *a_rows,
                                            const void *m_row, uint64_t stride, uint64_t i)
{
    const T *a = (const T *)a_rows;
    read((moving_body<T> &)b, x_rows, v_rows, a_rows, m_row, stride, i);
    b.a = a[i], b.b = a[i + stride], b.c = a[i + 2 * stride];
}

/* intermediate results of add() for a pair, used to compute the snap; R: type of the sums */
template <typename R> struct jerk_pair {
    R dx, dy, dz, du, dv, dw, rinv2, weight, closing, ju, jv, jw;
};

/* Computes acceleration, jerk and potential of target t due to source s, and adds them to `sum`. Returns intermediate
 * results that the snap needs. Differences of coordinates are computed in the state's type T, everything else in R. */
template <typename T, typename R>
static __device__ __forceinline__ jerk_pair<R> add(jerk_sums<R> &sum, const moving_body<T> &s, const moving_body<T> &t,
                                                   R eps2, bool is_self)
{
    const R dx = (R)(s.x - t.x), dy = (R)(s.y - t.y), dz = (R)(s.z - t.z);
    const R du = (R)(s.u - t.u), dv = (R)(s.v - t.v), dw = (R)(s.w - t.w);
    const R r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
    R weight, p;
    pair_weight(r2, (R)s.m, weight, p, true);
    if (is_self)
        weight = p = 0;
    const R rinv2 = is_self ? 0 : pair_inverse(r2), closing = 3 * fma(dx, du, fma(dy, dv, dz * dw)) * rinv2;
    const R ju = fma(-closing, dx, du), jv = fma(-closing, dy, dv), jw = fma(-closing, dz, dw);
    sum.phi -= p;
    sum.ax = fma(weight, dx, sum.ax);
    sum.ay = fma(weight, dy, sum.ay);
    sum.az = fma(weight, dz, sum.az);
    sum.jx = fma(weight, ju, sum.jx);
    sum.jy = fma(weight, jv, sum.jy);
    sum.jz = fma(weight, jw, sum.jz);
    return {dx, dy, dz, du, dv, dw, rinv2, weight, closing, ju, jv, jw};
}

template <typename T, typename R>
static __device__ __forceinline__ void add(snap_sums<R> &sum, const snap_body<T> &s, const snap_body<T> &t, R eps2,
                                           bool is_self)
{
    const jerk_pair<R> q =
        add((jerk_sums<R> &)sum, (const moving_body<T> &)s, (const moving_body<T> &)t, eps2, is_self);
    const R da = (R)(s.a - t.a), db = (R)(s.b - t.b), dc = (R)(s.c - t.c);
    const R w2 = fma(q.du, q.du, fma(q.dv, q.dv, q.dw * q.dw)), to = fma(q.dx, da, fma(q.dy, db, q.dz * dc));
    const R bend = fma(3 * q.rinv2, w2 + to, q.closing * q.closing * (R)(1.0 / 3)), twice = 2 * q.closing;
    sum.sx = fma(q.weight, fma(-bend, q.dx, fma(-twice, q.ju, da)), sum.sx);
    sum.sy = fma(q.weight, fma(-bend, q.dy, fma(-twice, q.jv, db)), sum.sy);
    sum.sz = fma(q.weight, fma(-bend, q.dz, fma(-twice, q.jw, dc)), sum.sz);
}

template <typename R> static __device__ __forceinline__ void flush(jerk_sums<double> &total, const jerk_sums<R> &sum)
{
    total.ax += (double)sum.ax;
    total.ay += (double)sum.ay;
    total.az += (double)sum.az;
    total.jx += (double)sum.jx;
    total.jy += (double)sum.jy;
    total.jz += (double)sum.jz;
    total.phi += (double)sum.phi;
}

template <typename R> static __device__ __forceinline__ void flush(snap_sums<double> &total, const snap_sums<R> &sum)
{
    flush((jerk_sums<double> &)total, (const jerk_sums<R> &)sum);
    total.sx += (double)sum.sx;
    total.sy += (double)sum.sy;
    total.sz += (double)sum.sz;
}
