/* The direct sum on the GPU: a block's threads hold TARGETS targets each in registers and go through the sources in
 * tiles of shared memory. */
#include "cuda.cuh"
#include "force.h"

/* Threads of a block and sources of a tile; also the length of the sums that run in single precision before they are
 * added in double, which keeps their rounding below that of one term. */
#define TILE 128
/* Targets of a thread: each source read from shared memory serves them all. */
#define TARGETS 2

template <typename T> struct source {
    T x, y, z;
    T m;
};

/* Position differences are taken in T, the type of the state, everything else of a pair in P. */
template <typename P> struct sums {
    P ax, ay, az, phi;
};

static __device__ float inverse_sqrt(float r2)
{
    return rsqrtf(r2);
}

static __device__ double inverse_sqrt(double r2)
{
    return rsqrt(r2);
}

template <typename T, typename P, bool SELF>
static __device__ void add_pair(sums<P> &sum, const source<T> &s, T x, T y, T z, P eps2, bool is_self)
{
    P dx = (P)(s.x - x), dy = (P)(s.y - y), dz = (P)(s.z - z);
    P r2 = dx * dx + (dy * dy + (dz * dz + eps2));
    P rinv = inverse_sqrt(r2);
    if (SELF && is_self)
        rinv = 0;
    P w = (P)s.m * rinv;
    sum.phi -= w;
    w *= rinv * rinv; /* cubing rinv instead of taking r2^3, which overflows in float */
    sum.ax += w * dx;
    sum.ay += w * dy;
    sum.az += w * dz;
}

template <typename T, typename P, bool SELF>
static __device__ void add_tile(sums<double> *total, const source<T> *tile, int count, const T *x, const T *y,
                                const T *z, P eps2, const int64_t *self)
{
    sums<P> sum[TARGETS] = {};
#pragma unroll 4
    for (int j = 0; j < count; j++)
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            add_pair<T, P, SELF>(sum[k], tile[j], x[k], y[k], z[k], eps2, SELF && self[k] == j);
#pragma unroll
    for (int k = 0; k < TARGETS; k++) {
        total[k].ax += (double)sum[k].ax;
        total[k].ay += (double)sum[k].ay;
        total[k].az += (double)sum[k].az;
        total[k].phi += (double)sum[k].phi;
    }
}

template <typename T> static __device__ void load_tile(source<T> *tile, const nb_sources &s, uint64_t j0)
{
    const T *x = (const T *)s.x, *m = (const T *)s.m;
    uint64_t j = j0 + threadIdx.x;
    if (j < s.n)
        tile[threadIdx.x] = {x[j], x[j + s.stride], x[j + 2 * s.stride], m[j]};
}

template <typename T> static __device__ void store(const nb_field &out, const sums<double> &sum, double G, uint64_t i)
{
    T *a = (T *)out.a, *phi = (T *)out.phi;
    if (a) {
        a[i] = (T)(G * sum.ax);
        a[i + out.stride] = (T)(G * sum.ay);
        a[i + 2 * out.stride] = (T)(G * sum.az);
    }
    if (phi)
        phi[i] = (T)(G * sum.phi);
}

template <typename T, typename P>
static __global__ void __launch_bounds__(TILE) direct_kernel(nb_sources s, nb_targets t, nb_field out)
{
    __shared__ source<T> tile[TILE];
    const uint64_t first = (uint64_t)blockIdx.x * TILE * TARGETS;
    const T *px = (const T *)t.x;
    const P eps2 = (P)(s.softening * s.softening);
    T x[TARGETS], y[TARGETS], z[TARGETS];
    sums<double> total[TARGETS] = {};
    for (int k = 0; k < TARGETS; k++) {
        uint64_t i = first + threadIdx.x + k * TILE;
        i = i < t.n ? i : t.n - 1; /* a thread too many repeats the last target and does not store it */
        x[k] = px[i], y[k] = px[i + t.stride], z[k] = px[i + 2 * t.stride];
    }
    const int64_t own0 = t.self + (int64_t)first, own1 = own0 + TILE * TARGETS;
    for (uint64_t j0 = 0; j0 < s.n; j0 += TILE) {
        load_tile(tile, s, j0);
        __syncthreads();
        int count = s.n - j0 < TILE ? (int)(s.n - j0) : TILE;
        bool with_self = t.self >= 0 && (int64_t)j0 < own1 && (int64_t)j0 + TILE > own0;
        if (with_self) {
            int64_t self[TARGETS];
            for (int k = 0; k < TARGETS; k++)
                self[k] = own0 + threadIdx.x + k * TILE - (int64_t)j0;
            add_tile<T, P, true>(total, tile, count, x, y, z, eps2, self);
        } else if (count == TILE)
            add_tile<T, P, false>(total, tile, TILE, x, y, z, eps2, nullptr);
        else
            add_tile<T, P, false>(total, tile, count, x, y, z, eps2, nullptr);
        __syncthreads();
    }
    for (int k = 0; k < TARGETS; k++) {
        uint64_t i = first + threadIdx.x + k * TILE;
        if (i < t.n)
            store<T>(out, total[k], s.G, i);
    }
}

static int direct_field(void *work, enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                        const struct nb_field *out)
{
    (void)work;
    const uint64_t per_block = TILE * TARGETS;
    if (t->n == 0)
        return 0;
    if (t->n / per_block >= INT32_MAX)
        return nb_fail("direct sum on cuda: %llu targets are too many", (unsigned long long)t->n);
    unsigned blocks = (unsigned)((t->n + per_block - 1) / per_block);
    if (precision == NB_SINGLE)
        direct_kernel<float, float><<<blocks, TILE>>>(*s, *t, *out);
    else if (precision == NB_MIXED)
        direct_kernel<double, float><<<blocks, TILE>>>(*s, *t, *out);
    else
        direct_kernel<double, double><<<blocks, TILE>>>(*s, *t, *out);
    return NB_CUDA(cudaGetLastError());
}

extern "C" const struct nb_force nb_force_direct_cuda;
const struct nb_force nb_force_direct_cuda = {
    "direct", "cuda", "all pairs, tiles in shared memory", {1e-6, 1e-6, 1e-14}, nullptr, direct_field, nullptr, nullptr, nullptr,
};
