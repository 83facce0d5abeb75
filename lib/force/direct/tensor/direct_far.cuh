/* direct_far.cuh - forces between far groups of bodies, computed with the tensor cores.
 *
 * Of two groups that are far from each other, one owns the pair (direct_order.cu). The block of this group computes
 * the forces on both groups. Below, "targets" are the bodies of this group, and "sources" those of the other group. A
 * step of a warp computes the pairs of 16 sources and 32 targets.
 *
 * First product: squared distances. Positions are relative to the centre of the targets' box, to avoid cancellation of
 * large numbers. A 16 x 16 matrix (16 sources, 16 terms) times a 16 x 8 matrix (16 terms, 8 targets) gives
 *     r2 + eps2 = (-2 x_i) . x_j + (|x_j|^2 + eps2) + |x_i|^2
 * for 16 x 8 pairs in single precision. 15 of the 16 terms are used:
 * - Each coordinate is the sum of two half-precision numbers of 11 bits. The products high * high, high * low and low *
 *   high of three coordinates are nine terms.
 * - The two norms, |x_j|^2 + eps2 and |x_i|^2, are sums of three half-precision numbers each. These are six terms.
 * Factors that are powers of two keep all numbers within the range of half precision.
 *
 * Weights: w = (r2 + eps2)^(-3/2), in FP32.
 *
 * Forces on the targets: a thread has the weights of 2 sources and 8 targets. It adds w_ij m_j [x_j y_j z_j 1]
 * to four sums for each target. From the sums over all sources follows a_i = sum_j w_ij m_j x_j - x_i sum_j w_ij m_j.
 * Eight threads have sums of the same target. Every GROUPS_TO_DOUBLE groups they add them up, and add the result to a
 * sum in double.
 *
 * Second product: forces on the sources. The weights are split into two TF32 numbers, and multiplied by a matrix with a
 * row for each target i. The row has the four numbers m_i [x_i y_i z_i 1], each as a high and a low part. No data move
 * between threads: each thread already has the elements that it needs for the second product, if columns 2t and 2t + 1
 * of the first product are used as columns t and t + 4. This changes only the order of the targets. The tensor cores
 * truncate when they add, so a sum has 16 targets only. The sums of all targets of the group are then added to the
 * sources' sums of all groups, which are 64-bit integers: integers give the same sum in any order.
 *
 * Cost: a pair gives two forces and takes 11 issue slots. One of the 11 is a reciprocal root. Without tensor cores, two
 * forces take 26 slots, or 16 to 18 with Newton's third law. The tensor cores compute three matrix products for 128
 * pairs, with 1024 or 2048 multiplications each. */
#pragma once

#include "force/direct/tensor/direct_groups.cuh"

#include <cuda_fp16.h>

/* A thread block has a thread for each target. A warp owns EIGHTS times 8 targets. */
#define THREADS GROUP
#define WARPS   (THREADS / 32)
#define EIGHTS  4
#define STEPS   (GROUP / 16) /* number of steps for a group of sources */
/* Number of groups of sources after which the sums in single precision are added to the sums in double. */
#define GROUPS_TO_DOUBLE 8

/* ---- TF32 numbers and products ---- */

/* Returns v rounded to TF32: 11 bits of the mantissa, all lower bits 0. */
static __device__ __forceinline__ float tf32_high(float v)
{
    return __uint_as_float((__float_as_uint(v) + 0x1000u) & 0xffffe000u);
}

[[maybe_unused]] static __device__ __forceinline__ unsigned bits(float v)
{
    return __float_as_uint(v);
}

/* Computes c += a b for the matrix fragments of the instruction m16n8k8. The tensor cores ignore the low 13 bits of a
 * and b. Not called on GPUs before compute capability 8, which do not have the instruction (tensor_serves). */
static __device__ __forceinline__ void multiply_add(float *c, const float *a, float b0, float b1)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(bits(a[0])), "r"(bits(a[1])), "r"(bits(a[2])), "r"(bits(a[3])), "r"(bits(b0)), "r"(bits(b1)));
#endif
}

/* Computes c = a b for the matrix fragments of the instruction m16n8k16: products of half-precision numbers, summed in
 * single precision. */
static __device__ __forceinline__ void multiply(float *c, const unsigned *a, unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.f));
#endif
}

static __device__ __forceinline__ float inverse_sqrt(float r2)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    return y;
}

/* ---- positions relative to a group's centre ---- */

struct centre {
    float x, y, z;    /* centre, rounded to single precision */
    float xl, yl, zl; /* rounding error: exact centre minus (x, y, z) */
};

static __device__ centre centre_of(const direct_box &box)
{
    double x = (box.low[0] + box.high[0]) / 2, y = (box.low[1] + box.high[1]) / 2, z = (box.low[2] + box.high[2]) / 2;
    float xh = (float)x, yh = (float)y, zh = (float)z;
    return {xh, yh, zh, (float)(x - xh), (float)(y - yh), (float)(z - zh)};
}

static __device__ __forceinline__ pair_vector<float> relative(const body_single &b, const centre &c)
{
    return {b.x - c.x, b.y - c.y, b.z - c.z};
}

static __device__ __forceinline__ pair_vector<float> relative(const body_mixed &b, const centre &c)
{
    return {(b.x - c.x) + (b.xl - c.xl), (b.y - c.y) + (b.yl - c.yl), (b.z - c.z) + (b.zl - c.zl)};
}

/* ---- fragments ---- */

/* The range of half precision is 2^-24 to 65504. Therefore all numbers are scaled:
 * - The coordinates of targets are divided by a power of two, so that they are at most 1.
 * - The 16 terms of source j are multiplied by c_j. This is the power of four for which c_j * (|x_j|^2 + eps2) is in
 *   [2^7, 2^9). The first product is then c_j * (r2 + eps2), and the weight w_ij gets the factor c_j^(-3/2).
 * - m_j [x_j y_j z_j 1] and the forces on source j are multiplied by c_j^(3/2), which cancels this factor. c_j^(3/2)
 *   is a power of two, so this causes no rounding error.
 * Terms too small for half precision become 0. They are smaller than 2^-30 times the first product. */

struct centre_scale {
    float target;  /* power of two by which coordinates of targets are multiplied, so that they are at most 1 */
    float inverse; /* 1 / target */
};

static __device__ centre_scale scale_of(const direct_box &box)
{
    double half = 0;
    for (int k = 0; k < 3; k++)
        half = fmax(half, (box.high[k] - box.low[k]) / 2);
    int exponent = half > 0 ? ilogb(half) + 1 : 0;
    return {ldexpf(1, -exponent), ldexpf(1, exponent)};
}

/* Returns the even exponent k for which v * 2^k is in [2^7, 2^9). */
static __device__ __forceinline__ int even_exponent(float v)
{
    return (8 + 127 - (int)(__float_as_uint(v) >> 23)) & ~1;
}

static __device__ __forceinline__ float power_of_two(int exponent)
{
    return __uint_as_float((unsigned)(exponent + 127) << 23);
}

static __device__ __forceinline__ float half_of(float v)
{
    return __half2float(__float2half_rn(v));
}

static __device__ __forceinline__ unsigned pack(float low, float high)
{
    __half2 pair = __floats2half2_rn(low, high);
    return *(unsigned *)&pair;
}

/* The squared distance of a target and a source is the sum over k of (term k of the target) * (term k of the source).
 * Four threads share the 16 terms of a target. Computes the four terms of thread t (0 to 3), and packs two of them into
 * *first and two into *second. The terms of sources are written by put_source. */
static __device__ void target_terms(const pair_vector<float> &p, float scale, int t, unsigned *first, unsigned *second)
{
    const float x = p.x * scale, y = p.y * scale, z = p.z * scale, norm = x * x + y * y + z * z;
    const float xh = half_of(x), yh = half_of(y), zh = half_of(z), nh = half_of(norm), nm = half_of(norm - nh);
    const float term[16] = {-2 * xh, -2 * xh, -2 * (x - xh),  -2 * yh, -2 * yh, -2 * (y - yh),
                            -2 * zh, -2 * zh, -2 * (z - zh),  1,       1,       1,
                            nh,      nm,      norm - nh - nm, 0};
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (k == t) {
            *first = pack(term[2 * k], term[2 * k + 1]);
            *second = pack(term[2 * k + 8], term[2 * k + 9]);
        }
}

/* A group of sources in shared memory. Lane 4 g + t of a warp (g = 0 to 7, t = 0 to 3) uses the sources g and g + 8 of
 * a step. */
struct staged_group {
    /* element 32 * step + lane: of both sources the terms 2t and 2t + 1, then of both 2t + 8 and 2t + 9 */
    uint4 terms[STEPS * 32];
    float4 moments[GROUP]; /* c_j^(3/2) m_j [x_j y_j z_j 1] */
};

struct placed { /* a source, relative to the targets */
    pair_vector<float> p;
    float norm, square, cube; /* |x_j|^2 + eps2, c_j and c_j^(3/2) */
};

template <typename B> static __device__ __forceinline__ placed place(const B &b, const centre &c, float eps2)
{
    const pair_vector<float> p = relative(b, c);
    const float norm = p.x * p.x + p.y * p.y + (p.z * p.z + eps2);
    const int exponent = even_exponent(norm);
    return {p, norm, power_of_two(exponent), power_of_two(exponent / 2 * 3)};
}

/* Writes source number threadIdx.x, which has the mass `mass`, to shared memory. */
static __device__ __forceinline__ void put_source(staged_group &st, const placed &s, float mass,
                                                  const centre_scale &scale)
{
    const int source = threadIdx.x;
    const float one = s.square * scale.inverse, of_target = one * scale.inverse, m = mass * s.cube;
    const float x = s.p.x * one, y = s.p.y * one, z = s.p.z * one, norm = s.norm * s.square;
    const float xh = half_of(x), yh = half_of(y), zh = half_of(z), nh = half_of(norm), nm = half_of(norm - nh);
    unsigned *to = (unsigned *)(st.terms + source / 16 * 32 + source % 8 * 4) + source / 8 % 2;
    to[0] = pack(xh, x - xh);
    to[4] = pack(xh, yh);
    to[8] = pack(y - yh, yh);
    to[12] = pack(zh, z - zh);
    to[2] = pack(zh, nh);
    to[6] = pack(nm, norm - nh - nm);
    to[10] = pack(of_target, of_target);
    to[14] = pack(of_target, 0);
    st.moments[source] = make_float4(m * s.p.x, m * s.p.y, m * s.p.z, m);
}

/* ---- far pairs ---- */

/* Returns body i. If there is no such body, returns a copy of the last body with mass 0. A copy adds no force. It is as
 * far from the other group as the last body, so it does not cause overflow. */
template <typename B> static __device__ __forceinline__ B body_or_copy(const B *bodies, uint64_t n, uint64_t i)
{
    B b = bodies[i < n ? i : n - 1];
    if (i >= n)
        b.m = 0;
    return b;
}

struct warp_targets {          /* of each eight targets: */
    unsigned terms[EIGHTS][2]; /* of target g, the terms 2t and 2t + 1, and 2t + 8 and 2t + 9 */
    float moments[EIGHTS][2];  /* moment number g of the targets 2t and 2t + 1; moments 4 to 7 are the low parts */
};

/* Reads the targets first, first + 1, ... of a warp. */
template <typename B>
static __device__ warp_targets read_targets(const B *bodies, uint64_t n, uint64_t first, const centre &c,
                                            const centre_scale &scale)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    warp_targets result;
#pragma unroll
    for (int e = 0; e < EIGHTS; e++) {
        target_terms(relative(body_or_copy(bodies, n, first + 8 * e + g), c), scale.target, t, &result.terms[e][0],
                     &result.terms[e][1]);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const B b = body_or_copy(bodies, n, first + 8 * e + 2 * t + k);
            const pair_vector<float> p = relative(b, c);
            const float v = b.m * (g % 4 == 0 ? p.x : g % 4 == 1 ? p.y : g % 4 == 2 ? p.z : 1), high = tf32_high(v);
            result.moments[e][k] = g < 4 ? high : v - high;
        }
    }
    return result;
}

/* A thread's sums of forces on targets: element 2 e + k is for target 2t + k of eight targets, number e. */
typedef float4 target_sums[EIGHTS * 2];

static __device__ __forceinline__ void add_moments(float4 &sum, float w, const float4 &moments)
{
    sum.x = fmaf(w, moments.x, sum.x);
    sum.y = fmaf(w, moments.y, sum.y);
    sum.z = fmaf(w, moments.z, sum.z);
    sum.w = fmaf(w, moments.w, sum.w);
}

/* Computes the pairs of eight targets and the 16 sources of a step. r2: squared distances. m0 and m1: moments of the
 * thread's two sources. moments: of the targets. Adds the forces on the targets to sum[2], and the forces on the
 * sources to reaction[4]. */
static __device__ __forceinline__ void add_eight(const float r2[4], const float4 &m0, const float4 &m1,
                                                 const float moments[2], float4 *sum, float *reaction)
{
    float w[4], high[4], low[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float y = inverse_sqrt(r2[k]);
        w[k] = y * y * y;
    }
    add_moments(sum[0], w[0], m0), add_moments(sum[0], w[2], m1);
    add_moments(sum[1], w[1], m0), add_moments(sum[1], w[3], m1);
#pragma unroll
    for (int k = 0; k < 4; k++) { /* the second product needs the weights in the order 0, 2, 1, 3 */
        const float v = w[k == 1 ? 2 : k == 2 ? 1 : k];
        high[k] = __uint_as_float(__float_as_uint(v) & 0xffffe000u);
        low[k] = v - high[k];
    }
    multiply_add(reaction, high, moments[0], moments[1]);
    multiply_add(reaction, low, moments[0], moments[1]);
}

/* Computes the pairs of the warp's targets and a group of sources. Adds the forces on the targets to `sums`. Writes the
 * forces on each source to reactions[source]: four high and four low parts. */
static __device__ __forceinline__ void add_far(target_sums &sums, const warp_targets &targets, const staged_group &st,
                                               float (*reactions)[8])
{
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll 2
    for (int step = 0; step < STEPS; step++) {
        const uint4 read = st.terms[step * 32 + lane];
        const unsigned terms[4] = {read.x, read.y, read.z, read.w};
        const float4 m0 = st.moments[step * 16 + g], m1 = st.moments[step * 16 + g + 8];
        float r2[EIGHTS][4], reaction[2][4] = {};
#pragma unroll
        for (int e = 0; e < EIGHTS; e++)
            multiply(r2[e], terms, targets.terms[e][0], targets.terms[e][1]);
#pragma unroll
        for (int e = 0; e < EIGHTS; e++)
            add_eight(r2[e], m0, m1, targets.moments[e], sums + 2 * e, reaction[e / 2]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            reaction[0][k] += reaction[1][k];
        *(float2 *)(reactions[step * 16 + g] + 2 * t) = make_float2(reaction[0][0], reaction[0][1]);
        *(float2 *)(reactions[step * 16 + g + 8] + 2 * t) = make_float2(reaction[0][2], reaction[0][3]);
    }
}

/* Adds up the forces of all warps on source number threadIdx.x, which is body j, and adds the result to
 * sums[0..2][j] in units of 1 / scale. */
static __device__ __forceinline__ void add_reactions(const float (*reactions)[GROUP][8], const placed &s, float scale,
                                                     uint64_t n, uint64_t j, unsigned long long *sums)
{
    float4 total = {};
#pragma unroll
    for (int warp = 0; warp < WARPS; warp++)
#pragma unroll
        for (int part = 0; part < 2; part++) /* half of the threads read the low part first: no bank conflicts */
            add_moments(total, 1, ((const float4 *)reactions[warp][threadIdx.x])[part ^ threadIdx.x / 4 % 2]);
    const float a[3] = {total.x - s.p.x * total.w, total.y - s.p.y * total.w, total.z - s.p.z * total.w};
#pragma unroll
    for (int k = 0; k < 3 && j < n; k++)
        atomicAdd(sums + k * n + j, (unsigned long long)__float2ll_rn(a[k] * s.cube * scale));
}

/* ---- sums in double ---- */

static __device__ __forceinline__ float pass_on(float low, float high, bool upper, int distance)
{
    const float keep = upper ? high : low;
    return keep + __shfl_xor_sync(~0u, upper ? low : high, distance);
}

/* Halves the number of sums of each lane, from 2 COUNT to COUNT. A lane and the lane at `distance` (which differs from
 * it in one bit) add up their sums. The lane with bit 0 keeps the first half, the other one the second half. */
template <int COUNT> static __device__ __forceinline__ void halve(float4 *sums, int distance)
{
    const bool upper = threadIdx.x & distance;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        float4 &v = sums[k], w = sums[COUNT + k];
        v = make_float4(pass_on(v.x, w.x, upper, distance), pass_on(v.y, w.y, upper, distance),
                        pass_on(v.z, w.z, upper, distance), pass_on(v.w, w.w, upper, distance));
    }
}

/* Adds the sums of the warp's lanes to `total`, and resets them to 0. Each lane gets one target: target 2t + g % 2 of
 * the eight targets number g / 2. */
static __device__ __forceinline__ void to_double(double total[4], target_sums &sums)
{
    halve<4>(sums, 16);
    halve<2>(sums, 8);
    halve<1>(sums, 4);
    total[0] += (double)sums[0].x, total[1] += (double)sums[0].y;
    total[2] += (double)sums[0].z, total[3] += (double)sums[0].w;
#pragma unroll
    for (int k = 0; k < 2 * EIGHTS; k++)
        sums[k] = {};
}

/* Computes the forces between a group of targets and the groups of sources that it owns. blockIdx.x selects the group
 * of targets, blockIdx.y a part of the groups of sources.
 * - Reads bodies[n] in sorted order, `groups` (the box of each group), `owned` and `scales`. Writes the accelerations
 * of targets to out[parts][n], and adds the accelerations of sources to reactions[3][n] (direct_cuda.cuh). Only groups
 * of targets in `share` are computed.
 * - Four blocks fit on a multiprocessor, with 128 registers per thread. Five blocks with 96 registers are slower. */
template <typename B>
static __global__ void __launch_bounds__(THREADS, 4)
    far_kernel(const B *bodies, uint64_t n, const direct_box *groups, const uint32_t *owned, const float *scales,
               float eps2, uint2 share, pair_vector<double> *out, unsigned long long *reactions)
{
    __shared__ staged_group staged;
    __shared__ __align__(16) float of_warps[WARPS][GROUP][8];
    if (!is_in_share(share))
        return; /* all threads of the block return */
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, warp = threadIdx.x / 32;
    const uint64_t first = (uint64_t)blockIdx.x * GROUP + warp * 8 * EIGHTS;
    const centre c = centre_of(groups[blockIdx.x]);
    const centre_scale scale = scale_of(groups[blockIdx.x]);
    const warp_targets targets = read_targets(bodies, n, first, c, scale);
    target_sums sums = {};
    double total[4] = {};
    group_walk walk = walk_begin(owned, n);
    int since = 0;
    for (int group = walk_next(walk); group >= 0; group = walk_next(walk)) {
        const uint64_t j = (uint64_t)group * GROUP + threadIdx.x;
        const B source = body_or_copy(bodies, n, j);
        put_source(staged, place(source, c, eps2), source.m, scale);
        __syncthreads();
        add_far(sums, targets, staged, of_warps[warp]);
        if (++since % GROUPS_TO_DOUBLE == 0)
            to_double(total, sums);
        __syncthreads();
        /* read again: kept in registers, the source would leave too few of them for add_far */
        add_reactions(of_warps, place(body_or_copy(bodies, n, j), c, eps2), scales[group], n, j, reactions);
    }
    to_double(total, sums);
    const uint64_t i = first + 8 * (g / 2) + 2 * t + g % 2;
    if (i < n) {
        const pair_vector<float> p = relative(bodies[i], c);
        out[blockIdx.y * n + i] = {total[0] - p.x * total[3], total[1] - p.y * total[3], total[2] - p.z * total[3]};
    }
}
