/* tree_inner.cuh - computes an inner node from its two children (M2M). Used by tree_inner.cu for the nodes of one
 * device, and by tree_top.cu for the nodes with bodies on several devices. */
#pragma once

#include "force/tree/cuda/tree_cuda.cuh"

/* What a node's parent is computed from. */
template <typename real> struct tree_summary {
    tree_centre centre;
    tree_box box;
    alignas(16) real q[NB_MOMENTS];
};

/* Load and store a value of 8 or 16 bytes that threads of other multiprocessors access at the same time (relaxed). */
static __device__ __forceinline__ void load_shared(float4 *v, const void *from)
{
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v->x), "=f"(v->y), "=f"(v->z), "=f"(v->w)
                 : "l"(from)
                 : "memory");
}

static __device__ __forceinline__ void load_shared(double2 *v, const void *from)
{
    asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];" : "=d"(v->x), "=d"(v->y) : "l"(from) : "memory");
}

static __device__ __forceinline__ void load_shared(float2 *v, const void *from)
{
    asm volatile("ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2];" : "=f"(v->x), "=f"(v->y) : "l"(from) : "memory");
}

static __device__ __forceinline__ void store_shared(void *to, const float4 &v)
{
    asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z),
                 "f"(v.w)
                 : "memory");
}

static __device__ __forceinline__ void store_shared(void *to, const double2 &v)
{
    asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(v.x), "d"(v.y) : "memory");
}

static __device__ __forceinline__ void store_shared(void *to, const float2 &v)
{
    asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(v.x), "f"(v.y) : "memory");
}

/* Loads or stores an array or a structure in parts of the type `part`. */
template <typename part, typename thing> static __device__ __forceinline__ void load_parts(thing *to, const void *from)
{
    static_assert(sizeof(thing) % sizeof(part) == 0);
    part v[sizeof(thing) / sizeof(part)];
#pragma unroll
    for (int k = 0; k < (int)(sizeof(thing) / sizeof(part)); k++)
        load_shared(&v[k], (const part *)from + k);
    memcpy(to, v, sizeof(thing));
}

template <typename part, typename thing> static __device__ __forceinline__ void store_parts(void *to, const thing &from)
{
    part v[sizeof(thing) / sizeof(part)];
    memcpy(v, &from, sizeof(thing));
#pragma unroll
    for (int k = 0; k < (int)(sizeof(thing) / sizeof(part)); k++)
        store_shared((part *)to + k, v[k]);
}

/* Writes a node's ball, which the opening criterion uses. */
template <typename real>
static __device__ __forceinline__ void store_ball(const tree_view<real> &t, uint32_t node, const tree_frame &frame,
                                                  const tree_centre &c)
{
    t.opening[node].ball = {(float)(c.x - frame.middle[0] * frame.length),
                            (float)(c.y - frame.middle[1] * frame.length),
                            (float)(c.z - frame.middle[2] * frame.length), (float)c.r * 1.000001f + TREE_ROUNDING};
}

template <typename real>
static __device__ __forceinline__ tree_summary<real> load_summary(const tree_view<real> &t, uint32_t node)
{
    tree_summary<real> s;
    load_parts<double2>(&s.centre, &t.centre[node]);
    load_parts<float2>(&s.box, &t.box[node]);
    load_parts<typename tree_vector16<real>::type>(&s.q, t.moments + (uint64_t)node * NB_MOMENTS);
    return s;
}

template <typename real>
static __device__ __forceinline__ void store_summary(const tree_view<real> &t, uint32_t node, const tree_frame &frame,
                                                     const tree_summary<real> &s)
{
    store_parts<typename tree_vector16<real>::type>(t.moments + (uint64_t)node * NB_MOMENTS, s.q);
    store_parts<double2>(&t.centre[node], s.centre);
    store_parts<float2>(&t.box[node], s.box);
    store_ball(t, node, frame, s.centre);
}

/* Returns the distance from c to the farthest corner of the box. */
static __device__ __forceinline__ double corner_distance(const tree_frame &frame, const tree_box &box, const double *c)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        const double here = c[k] - frame.middle[k] * frame.length;
        const double reach = fmax(box.high[k] - here, here - box.low[k]);
        r2 += reach * reach;
    }
    return sqrt(r2);
}

/* M2M: returns the summary of a node from the summaries of its two children. */
template <typename real>
static __device__ __forceinline__ tree_summary<real>
join_summaries(const tree_frame &frame, const tree_summary<real> &left, const tree_summary<real> &right)
{
    const tree_centre &a = left.centre, &b = right.centre;
    const double mass[2] = {left.q[0], right.q[0]};
    const double weight = mass[0] + mass[1] > 0 ? mass[1] / (mass[0] + mass[1]) : 0.5;
    const double c[3] = {a.x + weight * (b.x - a.x), a.y + weight * (b.y - a.y), a.z + weight * (b.z - a.z)};
    tree_summary<real> s = {};
    double r = 0;
    for (int k = 0; k < 3; k++) {
        s.box.low[k] = fminf(left.box.low[k], right.box.low[k]);
        s.box.high[k] = fmaxf(left.box.high[k], right.box.high[k]);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const tree_centre &part = k == 0 ? a : b;
        const double d[3] = {c[0] - part.x, c[1] - part.y, c[2] - part.z};
        expansion_moments_shift(s.q, k == 0 ? left.q : right.q, (real)d[0], (real)d[1], (real)d[2]);
        r = fmax(r, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + part.r);
    }
    s.centre = {c[0], c[1], c[2], fmin(r, corner_distance(frame, s.box, c))};
    return s;
}
