/* direct_far.cuh - pairs of a group with far tiles, computed with the tensor cores.
 *
 * First product: squared distances. Positions are relative to the centre of the group's box, to avoid cancellation of
 * large numbers. A 16 x 16 matrix (16 targets, 16 terms) times a 16 x 8 matrix (16 terms, 8 sources) gives
 *     r2 + eps2 = (-2 x_i) . x_j + (|x_j|^2 + eps2) + |x_i|^2
 * for 16 x 8 pairs in single precision. 15 of the 16 terms are used:
 * - Each coordinate is the sum of two half-precision numbers of 11 bits. The products high * high, high * low and low *
 *   high of three coordinates are nine terms.
 * - The two norms, |x_j|^2 + eps2 and |x_i|^2, are sums of three half-precision numbers each. These are six terms.
 * Factors that are powers of two keep all numbers within the range of half precision.
 *
 * Second product: accelerations. The weight of a pair, w = (r2 + eps2)^(-3/2), is computed in FP32 and split into two
 * TF32 numbers. The weights are multiplied by a matrix with a row for each source j. The row has the four numbers
 * m_j [x_j y_j z_j 1], each as a high and a low part. The result is sum_j w_ij m_j [x_j y_j z_j 1], from which follows
 * a_i = sum_j w_ij m_j x_j - x_i sum_j w_ij m_j. No data move between threads: each thread already has the elements
 * that it needs for the second product, if columns 2t and 2t + 1 of the first product are used as columns t and t + 4.
 * This changes only the order of the sources.
 *
 * Precision: the products are exact, but the tensor cores truncate sums. The sums are therefore short, over blocks of
 * 32 sources, so that the bias is 4e-7 of a force. The sums of the blocks are added in FP32, and these sums in double.
 *
 * Cost: a pair takes 6 issue slots of the FP32 pipe instead of 13. One of the 6 is an rsqrt, whose unit (4 lanes per
 * cycle and scheduler) is the bottleneck. 128 pairs take three matrix products on the tensor cores, each with 1024 or
 * 2048 multiplications. */
#pragma once

#include "force/direct/tensor/direct_tiles.cuh"

#include <cuda_fp16.h>

#define STEPS (TILE / 8) /* number of products per tile, each with eight sources */

/* A warp owns ROWS matrices of 16 targets each. A thread block owns one group of targets. */
#define ROWS    4
#define THREADS (GROUP / (16 * ROWS) * 32)
/* Number of tiles after which the sums in single precision are added to the sums in double. */
#define TILES_TO_DOUBLE 32

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
 * - m_j [x_j y_j z_j 1] is multiplied by c_j^(3/2), which cancels this factor. c_j^(3/2) is a power of two, so this
 *   causes no rounding error.
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
 * *first and two into *second. The terms of sources are written by put_coordinates and put_norms. */
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

/* A tile of sources in shared memory. The first product uses `terms`. The second product uses `moments`, the high and
 * low parts of m [x y z 1]. A step processes eight sources. In each step, lane 4 g + t of a warp (g = 0 to 7, t = 0 to
 * 3) reads element 32 * step + 4 g + t of each array. */
struct staged_tile {
    uint2 terms[STEPS * 32];    /* element 4 g + t of a step: of source g, the terms 2t, 2t + 1, 2t + 8 and 2t + 9 */
    float2 moments[STEPS * 32]; /* element 4 g + t of a step: moment number g (0 to 7) of the sources 2t and 2t + 1 */
};

static __device__ __forceinline__ void put_coordinates(staged_tile &st, int source, const pair_vector<float> &p,
                                                       float scale)
{
    const float x = p.x * scale, y = p.y * scale, z = p.z * scale;
    const float xh = half_of(x), yh = half_of(y), zh = half_of(z);
    unsigned *to = (unsigned *)(st.terms + source / 8 * 32 + source % 8 * 4);
    to[0] = pack(xh, x - xh);
    to[2] = pack(xh, yh);
    to[4] = pack(y - yh, yh);
    to[6] = pack(zh, z - zh);
}

static __device__ __forceinline__ void put_norms(staged_tile &st, int source, float z, float norm, float of_target)
{
    const float nh = half_of(norm), nm = half_of(norm - nh);
    unsigned *to = (unsigned *)(st.terms + source / 8 * 32 + source % 8 * 4) + 1;
    to[0] = pack(z, nh);
    to[2] = pack(nm, norm - nh - nm);
    to[4] = pack(of_target, of_target);
    to[6] = pack(of_target, 0);
}

/* Writes two elements of a source's vector m [x y z 1] to st.moments: v0 is element c, and v1 is element c + 1. Their
 * high parts are the moments c and c + 1. Their low parts are the moments c + 4 and c + 5. */
static __device__ __forceinline__ void put_moments(staged_tile &st, int source, int c, float v0, float v1)
{
    const float h0 = tf32_high(v0), h1 = tf32_high(v1);
    float *to = (float *)(st.moments + source / 8 * 32 + c * 4 + source % 8 / 2) + source % 2;
    to[0] = h0, to[8] = h1, to[32] = v0 - h0, to[40] = v1 - h1;
}

/* Writes the sources of a tile to shared memory. Called by 128 threads: threads k and k + 64 each write half of the
 * data of source k. */
template <typename B>
static __device__ __forceinline__ void put_source(staged_tile &st, const B &b, const centre &c,
                                                  const centre_scale &scale, float eps2)
{
    const pair_vector<float> p = relative(b, c);
    const float norm = p.x * p.x + p.y * p.y + (p.z * p.z + eps2);
    const int source = threadIdx.x % TILE, exponent = even_exponent(norm);
    const float square = power_of_two(exponent), m = b.m * power_of_two(exponent / 2 * 3);
    if (threadIdx.x < TILE) {
        put_coordinates(st, source, p, square * scale.inverse);
        put_moments(st, source, 0, m * p.x, m * p.y);
    } else {
        put_norms(st, source, p.z * (square * scale.inverse), norm * square, square * scale.inverse * scale.inverse);
        put_moments(st, source, 2, m * p.z, m);
    }
}

/* ---- far pairs ---- */

/* Returns the source of a tile that this thread stages. If the last tile is incomplete, the missing sources are copies
 * of the last body with mass 0. A copy adds no force. It is as far from the targets as the last body, so it does not
 * cause overflow. If there is no tile (tile is -1), returns any body; the caller does not use it. */
template <typename B> static __device__ __forceinline__ B far_source(const B *bodies, uint64_t n, int tile)
{
    uint64_t j = (uint64_t)(tile < 0 ? 0 : tile) * TILE + threadIdx.x % TILE;
    B b = bodies[j < n ? j : n - 1];
    if (j >= n)
        b.m = 0;
    return b;
}

/* Adds the contributions of eight sources to the sums of the warp's targets. */
static __device__ __forceinline__ void far_step(float sum[ROWS][4], const unsigned target[ROWS][4], uint2 terms,
                                                float2 moments)
{
    float r2[ROWS][4];
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        multiply(r2[row], target[row], terms.x, terms.y);
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        float high[4], low[4];
#pragma unroll
        for (int k = 0; k < 4; k++) { /* the second product needs a thread's elements of r2 in the order 0, 2, 1, 3 */
            float y = inverse_sqrt(r2[row][k == 1 ? 2 : k == 2 ? 1 : k]), w = y * y * y;
            high[k] = __uint_as_float(__float_as_uint(w) & 0xffffe000u);
            low[k] = w - high[k];
        }
        multiply_add(sum[row], high, moments.x, moments.y);
        multiply_add(sum[row], low, moments.x, moments.y);
    }
}

/* Adds the contributions of a tile's 64 sources to run[], the sums of the warp's targets. Each half of the sources is
 * summed separately, to keep the sums short. */
static __device__ __forceinline__ void far_tile(float run[ROWS][4], const unsigned target[ROWS][4],
                                                const staged_tile &st)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum[ROWS][4] = {};
#pragma unroll
        for (int step = half * STEPS / 2; step < (half + 1) * STEPS / 2; step++)
            far_step(sum, target, st.terms[step * 32 + lane], st.moments[step * 32 + lane]);
#pragma unroll
        for (int row = 0; row < ROWS; row++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                run[row][k] += sum[row][k];
    }
}

/* Adds the FP32 sums run[] to the thread's sums in double, and resets run[] to 0. */
static __device__ __forceinline__ void to_double(double (*total)[THREADS], float run[ROWS][4])
{
#pragma unroll
    for (int row = 0; row < ROWS; row++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            total[row * 4 + k][threadIdx.x] += (double)run[row][k];
            run[row][k] = 0;
        }
}

/* Computes the accelerations from the sums, and writes them to out[blockIdx.y][n]. The sums of a target are distributed
 * over four threads. The first of these threads collects them and writes the acceleration. */
template <typename B>
static __device__ void far_store(double (*total)[THREADS], const B *bodies, uint64_t n, const centre &c,
                                 pair_vector<double> *out)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int row = 0; row < ROWS; row++)
        /* Each target has 8 sums (columns). A row has 16 targets. Lane 4 g + t (g = 0 to 7, t = 0 to 3) has the columns
         * 2t and 2t + 1 of the targets g and g + 8: for half, k = 0, 1, total[row * 4 + 2 half + k] is column 2t + k of
         * target g + 8 half. */
        for (int half = 0; half < 2; half++) {
            double v0 = total[row * 4 + 2 * half][threadIdx.x], v1 = total[row * 4 + 2 * half + 1][threadIdx.x];
            v0 += __shfl_xor_sync(~0u, v0, 2); /* adds the low parts (columns 4 to 7) */
            v1 += __shfl_xor_sync(~0u, v1, 2);
            double v2 = __shfl_xor_sync(~0u, v0, 1), v3 = __shfl_xor_sync(~0u, v1, 1);
            uint64_t i = (uint64_t)blockIdx.x * GROUP + warp * 16 * ROWS + row * 16 + half * 8 + lane / 4;
            if (lane % 4 == 0 && i < n) {
                pair_vector<float> p = relative(bodies[i], c);
                out[blockIdx.y * n + i] = {v0 - p.x * v3, v1 - p.y * v3, v2 - p.z * v3};
            }
        }
}

/* Computes the accelerations that far tiles cause.
 * - blockIdx.x selects a group of 256 targets, blockIdx.y a part of the far tiles of this group.
 * - A warp owns 64 of the targets and processes all sources of a tile. A thread owns 16 elements of the result, and
 *   sums them in double.
 * - While one tile is processed, the next tile is staged in shared memory, and the tile after that is being loaded.
 * Reads bodies[n] in sorted order, groups[] (the box of each group) and far_bits. Writes out[parts][n]. Only the groups
 * in `share` are computed. Five blocks fit on a multiprocessor, with 96 registers per thread; this number of blocks is
 * the fastest. */
template <typename B>
static __global__ void __launch_bounds__(THREADS, 5)
    far_kernel(const B *bodies, uint64_t n, const direct_box *groups, const uint32_t *far_bits, float eps2, uint2 share,
               pair_vector<double> *out)
{
    __shared__ staged_tile staged[2];
    __shared__ double total[ROWS * 4][THREADS];
    if (!is_in_share(share))
        return; /* all threads of the block return */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const centre c = centre_of(groups[blockIdx.x]);
    const centre_scale scale = scale_of(groups[blockIdx.x]);
    unsigned target[ROWS][4];
    float run[ROWS][4] = {};
#pragma unroll
    for (int row = 0; row < ROWS; row++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            uint64_t i = (uint64_t)blockIdx.x * GROUP + warp * 16 * ROWS + row * 16 + half * 8 + lane / 4;
            target_terms(relative(bodies[i < n ? i : n - 1], c), scale.target, lane % 4, &target[row][half],
                         &target[row][half + 2]);
        }
#pragma unroll
    for (int k = 0; k < ROWS * 4; k++)
        total[k][threadIdx.x] = 0;
    tile_walk walk = walk_begin(far_bits, n, true);
    int tile = walk_next(walk), next = tile < 0 ? -1 : walk_next(walk), now = 0, since = 0;
    put_source(staged[0], far_source(bodies, n, tile), c, scale, eps2);
    B coming = far_source(bodies, n, next);
    __syncthreads();
    while (tile >= 0) {
        put_source(staged[now ^ 1], coming, c, scale, eps2);
        int after = next < 0 ? -1 : walk_next(walk);
        coming = far_source(bodies, n, after);
        far_tile(run, target, staged[now]);
        if (++since % TILES_TO_DOUBLE == 0)
            to_double(total, run);
        __syncthreads();
        tile = next, next = after, now ^= 1;
    }
    to_double(total, run);
    far_store(total, bodies, n, c, out);
}
