/* tree_inner.cuh - computes an inner node from its two children (M2M). Used by tree_moments.cu for the nodes of one
 * device, and by tree_top.cu for the nodes with bodies on several devices. */
#pragma once

#include "force/tree/cuda/tree_cuda.cuh"

template <typename real>
static __device__ void store_ball(const tree_view<real> &t, uint32_t node, const double *c, double r)
{
    const double *middle = t.frame->middle, length = t.frame->length;
    t.centre[node] = {c[0], c[1], c[2], r};
    t.opening[node].ball = {(float)(c[0] - middle[0] * length), (float)(c[1] - middle[1] * length),
                            (float)(c[2] - middle[2] * length), (float)r * 1.000001f + TREE_ROUNDING};
}

template <typename real> static __device__ void store_moments(const tree_view<real> &t, uint32_t node, const real *q)
{
    typedef typename tree_vector16<real>::type vector16;
    vector16 *to = (vector16 *)(t.moments + (uint64_t)node * NB_MOMENTS);
#pragma unroll
    for (int k = 0; k < (int)(NB_MOMENTS * sizeof(real) / sizeof(vector16)); k++)
        to[k] = ((const vector16 *)q)[k];
}

/* Returns the distance from c to the farthest corner of the box. */
template <typename real>
static __device__ double corner_distance(const tree_view<real> &t, const tree_box &box, const double *c)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        const double here = c[k] - t.frame->middle[k] * t.frame->length;
        const double reach = fmax(box.high[k] - here, here - box.low[k]);
        r2 += reach * reach;
    }
    return sqrt(r2);
}

/* M2M: one thread computes an inner node from its two children. */
template <typename real> static __device__ void make_inner(const tree_view<real> &t, uint32_t node, uint2 children)
{
    typedef typename tree_vector16<real>::type vector16;
    const uint32_t child[2] = {children.x, children.y};
    double c[3], mass[2], weight, r = 0;
    tree_centre part[2];
    tree_box box = t.box[child[0]];
    const tree_box other = t.box[child[1]];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        part[k] = t.centre[child[k]];
        mass[k] = t.moments[(uint64_t)child[k] * NB_MOMENTS];
    }
    weight = mass[0] + mass[1] > 0 ? mass[1] / (mass[0] + mass[1]) : 0.5;
    c[0] = part[0].x + weight * (part[1].x - part[0].x);
    c[1] = part[0].y + weight * (part[1].y - part[0].y);
    c[2] = part[0].z + weight * (part[1].z - part[0].z);
    for (int k = 0; k < 3; k++) {
        box.low[k] = fminf(box.low[k], other.low[k]);
        box.high[k] = fmaxf(box.high[k], other.high[k]);
    }
    alignas(16) real q[NB_MOMENTS] = {};
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const double d[3] = {c[0] - part[k].x, c[1] - part[k].y, c[2] - part[k].z};
        alignas(16) real from[NB_MOMENTS];
        const vector16 *stored = (const vector16 *)(t.moments + (uint64_t)child[k] * NB_MOMENTS);
#pragma unroll
        for (int j = 0; j < (int)(NB_MOMENTS * sizeof(real) / sizeof(vector16)); j++)
            ((vector16 *)from)[j] = stored[j];
        expansion_moments_shift(q, from, (real)d[0], (real)d[1], (real)d[2]);
        r = fmax(r, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + part[k].r);
    }
    t.box[node] = box;
    store_ball(t, node, c, fmin(r, corner_distance(t, box, c)));
    store_moments(t, node, q);
}
