/* direct_cuda.cuh - what the parts of the direct sum on the GPU share.
 *
 *   direct_plain.cu    any targets, all precisions, acceleration and potential: FP32 or FP64 pipe
 *   direct_jerk.cu     the same with the jerk
 *   direct_order.cu    bodies along a space-filling curve, boxes of tiles and groups, which tiles are far
 *   direct_tensor.cu   all bodies on all, single and mixed, tile by tile (direct_tiles.cuh):
 *                      direct_far.cuh takes far pairs through the tensor cores,
 *                      direct_near.cuh near ones through the FP32 pipe
 *
 * force_direct_cuda.cu, the row of the table, chooses between them. */
#ifndef NB_DIRECT_CUDA_CUH
#define NB_DIRECT_CUDA_CUH

#include "cuda.cuh"
#include "force.h"
#include "morton.cuh"

/* Sources of a tile and targets of a group in the ordered part. */
#define NB_DIRECT_TILE  64
#define NB_DIRECT_GROUP 256

/* ---- a body as kernels read it: 16-byte loads ---- */

struct alignas(16) direct_single {
    typedef float state;
    typedef float real;
    float x, y, z, m;
};

/* The position is x + xl: a double in two floats, 48 bits. Differences of both parts are taken in single, which leaves
 * each component of the distance with a relative error of a few 2^-24 however close the pair is. */
struct alignas(16) direct_mixed {
    typedef double state;
    typedef float real;
    float x, y, z, m;
    float xl, yl, zl, unused;
};

struct alignas(16) direct_double {
    typedef double state;
    typedef double real;
    double x, y, z, m;
};

static __device__ __forceinline__ void direct_set(direct_single &b, float x, float y, float z, float m)
{
    b = {x, y, z, m};
}

static __device__ __forceinline__ void direct_set(direct_mixed &b, double x, double y, double z, double m)
{
    float xh = (float)x, yh = (float)y, zh = (float)z;
    b = {xh, yh, zh, (float)m, (float)(x - xh), (float)(y - yh), (float)(z - zh), 0};
}

static __device__ __forceinline__ void direct_set(direct_double &b, double x, double y, double z, double m)
{
    b = {x, y, z, m};
}

/* Body i of rows x y z (and m, where it is not NULL) of a state. */
template <typename B>
static __device__ __forceinline__ void direct_read(B &b, const void *x_rows, const void *m_row, uint64_t stride,
                                                   uint64_t i)
{
    const typename B::state *x = (const typename B::state *)x_rows, *m = (const typename B::state *)m_row;
    direct_set(b, x[i], x[i + stride], x[i + 2 * stride], m ? m[i] : 0);
}

/* ---- one pair ---- */

template <typename R> struct direct_vector {
    R x, y, z;
};

static __device__ __forceinline__ direct_vector<float> direct_offset(const direct_single &s, const direct_single &t)
{
    return {s.x - t.x, s.y - t.y, s.z - t.z};
}

static __device__ __forceinline__ direct_vector<float> direct_offset(const direct_mixed &s, const direct_mixed &t)
{
    return {(s.x - t.x) + (s.xl - t.xl), (s.y - t.y) + (s.yl - t.yl), (s.z - t.z) + (s.zl - t.zl)};
}

static __device__ __forceinline__ direct_vector<double> direct_offset(const direct_double &s, const direct_double &t)
{
    return {s.x - t.x, s.y - t.y, s.z - t.z};
}

/* w = m / r^3 and, where `inverse` is asked for, p = m / r. */
static __device__ __forceinline__ void direct_weight(float r2, float m, float &w, float &p, bool)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    p = m * y;
    w = p * (y * y); /* r^6 would overflow */
}

/* The hardware's estimate y of 1/sqrt(r2) has 20 bits or more; with e = 1 - r2 y^2 the factors (1 - e)^(-3/2) and
 * (1 - e)^(-1/2) to second order in e leave 2^-60. */
static __device__ __forceinline__ void direct_weight(double r2, double m, double &w, double &p, bool inverse)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(r2));
    double y2 = y * y, e = fma(-r2, y2, 1.0), my = m * y;
    w = my * (y2 * fma(fma(e, 1.875, 1.5), e, 1.0));
    p = inverse ? my * fma(fma(e, 0.375, 0.5), e, 1.0) : 0;
}

template <typename R> struct direct_sums {
    R ax, ay, az, phi;
};

template <bool PHI, bool SELF, typename B>
static __device__ __forceinline__ void direct_add(direct_sums<typename B::real> &sum, const B &s, const B &t,
                                                  typename B::real eps2, bool is_self)
{
    typedef typename B::real real;
    direct_vector<real> d = direct_offset(s, t);
    real r2 = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, eps2))), w, p;
    direct_weight(r2, (real)s.m, w, p, PHI);
    if (SELF && is_self)
        w = p = 0;
    if (PHI)
        sum.phi -= p;
    sum.ax = fma(w, d.x, sum.ax);
    sum.ay = fma(w, d.y, sum.ay);
    sum.az = fma(w, d.z, sum.az);
}

/* Block sums run in the pair's type; from block to block they are added in double. */
template <typename R>
static __device__ __forceinline__ void direct_flush(direct_sums<double> &total, const direct_sums<R> &sum)
{
    total.ax += (double)sum.ax;
    total.ay += (double)sum.ay;
    total.az += (double)sum.az;
    total.phi += (double)sum.phi;
}

template <typename T>
static __device__ __forceinline__ void direct_store(const nb_field &out, const direct_sums<double> &sum, double G,
                                                    uint64_t i)
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

/* ---- working memory ---- */

struct direct_box {
    double low[3], high[3];
};

struct direct_work {
    nb_cuda_buffer partial; /* sums of parts of the sources, to be added in order */
    nb_cuda_buffer bodies;  /* packed, in order */
    struct morton_sorted sort;
    nb_cuda_buffer tile_boxes, group_boxes;
    nb_cuda_buffer far_bits; /* for each group a bit a tile, in words of 32 */
    nb_cuda_buffer count;    /* of far pairs (tile, group) */
    uint64_t ordered_n;      /* bodies in `order`, 0: none yet */
    int calls_until_order;   /* evaluations that the order still serves */
    bool worth_it;           /* enough pairs are far */
    bool has_tensor_cores;   /* that take TF32 */
};

/* ---- the ways ---- */

int direct_plain(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                 const nb_field *out);

/* With the jerk; s->v and t->v are given. */
int direct_jerk(enum nb_precision precision, const nb_sources *s, const nb_targets *t, const nb_field *out);

/* Puts the sources in order, if the last order has served long enough, packs them, and finds boxes and far tiles.
 * Afterwards work->worth_it says whether direct_tensor should follow; otherwise direct_plain. */
int direct_order(direct_work *work, enum nb_precision precision, const nb_sources *s);
/* Acceleration of all sources on each other, after direct_order. */
int direct_tensor(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_field *out);

#endif
