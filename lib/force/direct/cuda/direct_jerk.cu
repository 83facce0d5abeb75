/* The direct sum on the GPU with the jerk. */
#include "force/direct/cuda/direct_cuda.cuh"

/* Targets of a block, sources of a tile, and so the length of a block sum. */
#define THREADS 128

template <typename T> struct moving_body {
    T x, y, z, u, v, w, m;
};

template <typename R> struct jerk_sums {
    R ax, ay, az, jx, jy, jz, phi;
};

template <typename T>
static __device__ __forceinline__ moving_body<T> read(const void *x_rows, const void *v_rows, const void *m_row,
                                                      uint64_t stride, uint64_t i)
{
    const T *x = (const T *)x_rows, *v = (const T *)v_rows, *m = (const T *)m_row;
    return {x[i], x[i + stride], x[i + 2 * stride], v[i], v[i + stride], v[i + 2 * stride], m ? m[i] : (T)0};
}

/* Differences in the state's type T, the rest of the pair in R. */
template <typename T, typename R>
static __device__ __forceinline__ void add(jerk_sums<R> &sum, const moving_body<T> &s, const moving_body<T> &t, R eps2,
                                           bool is_self)
{
    const R dx = (R)(s.x - t.x), dy = (R)(s.y - t.y), dz = (R)(s.z - t.z);
    const R du = (R)(s.u - t.u), dv = (R)(s.v - t.v), dw = (R)(s.w - t.w);
    const R r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
    R weight, p;
    pair_weight(r2, (R)s.m, weight, p, true);
    if (is_self)
        weight = p = 0;
    const R closing = is_self ? 0 : 3 * fma(dx, du, fma(dy, dv, dz * dw)) / r2;
    sum.phi -= p;
    sum.ax = fma(weight, dx, sum.ax);
    sum.ay = fma(weight, dy, sum.ay);
    sum.az = fma(weight, dz, sum.az);
    sum.jx = fma(weight, fma(-closing, dx, du), sum.jx);
    sum.jy = fma(weight, fma(-closing, dy, dv), sum.jy);
    sum.jz = fma(weight, fma(-closing, dz, dw), sum.jz);
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

/* A thread owns a target, a block THREADS of them and a tile of as many sources in shared memory. Reads s.n sources and
 * t.n targets with velocities; writes t.n places of out->a, out->phi and out->jerk. */
template <typename T, typename R>
static __global__ void __launch_bounds__(THREADS) jerk_kernel(nb_sources s, nb_targets t, nb_field out)
{
    __shared__ moving_body<T> tile[THREADS];
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t last = i < t.n ? i : t.n - 1, from = t.index ? t.index[last] : last;
    const moving_body<T> target = read<T>(t.x, t.v, nullptr, t.stride, from);
    const R eps2 = (R)(s.softening * s.softening);
    const int64_t own = t.index ? (int64_t)from : t.self < 0 ? -1 : t.self + (int64_t)i;
    jerk_sums<double> total = {};
    for (uint64_t j0 = 0; j0 < s.n; j0 += THREADS) {
        const int count = s.n - j0 < THREADS ? (int)(s.n - j0) : THREADS;
        __syncthreads();
        if (threadIdx.x < count)
            tile[threadIdx.x] = read<T>(s.x, s.v, s.m, s.stride, j0 + threadIdx.x);
        __syncthreads();
        jerk_sums<R> sum = {};
        for (int q = 0; q < count; q++)
            add<T, R>(sum, tile[q], target, eps2, own == (int64_t)j0 + q);
        flush(total, sum);
    }
    if (i >= t.n)
        return;
    pair_store<T>(out, {total.ax, total.ay, total.az, total.phi}, s.G, i);
    const nb_field jerk = {.stride = out.stride, .a = out.jerk, .phi = nullptr, .jerk = nullptr, .add = out.add};
    pair_store<T>(jerk, {total.jx, total.jy, total.jz, 0}, s.G, i);
}

int direct_jerk(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                const nb_field *out)
{
    const unsigned blocks = (unsigned)((t->n + THREADS - 1) / THREADS);
    if (t->n == 0)
        return 0;
    if (t->n >> 36)
        return nb_fail("force direct on device cuda: %llu targets are too many", (unsigned long long)t->n);
    if (precision == NB_SINGLE)
        jerk_kernel<float, float><<<blocks, THREADS, 0, work->stream>>>(*s, *t, *out);
    else if (precision == NB_MIXED)
        jerk_kernel<double, float><<<blocks, THREADS, 0, work->stream>>>(*s, *t, *out);
    else
        jerk_kernel<double, double><<<blocks, THREADS, 0, work->stream>>>(*s, *t, *out);
    return NB_CUDA(cudaGetLastError());
}
