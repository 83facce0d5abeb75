/* morton.cuh - the box around bodies and their keys along a Morton curve (Morton 1966), for CUDA sources. */
#pragma once

#include "base/pack.h"
#include "device/cuda/cuda.cuh"
#include "device/device.h"

#include <cstdint>

/* Bits of a key along each axis, in space and in the plane. */
#define MORTON_BITS(axes) ((axes) == 3 ? 21 : 20)

/* Order-preserving map of doubles to unsigned integers, for atomicMin and atomicMax. */
static __device__ __forceinline__ unsigned long long morton_ordered(double v)
{
    unsigned long long bits = (unsigned long long)__double_as_longlong(v);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static __device__ __forceinline__ double morton_unordered(unsigned long long bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & ~(1ull << 63) : ~bits));
}

struct morton_bounds { /* morton_ordered() values along the axes of the keys; begins as ~0 low, 0 high */
    unsigned long long low[3], high[3];
};

/* The longest edge. */
static __device__ __forceinline__ double morton_size(const morton_bounds *b, int axes = 3)
{
    double size = 0;
    for (int k = 0; k < axes; k++)
        size = fmax(size, morton_unordered(b->high[k]) - morton_unordered(b->low[k]));
    return size;
}

/* Sorted keys of places [low, high), all of them or those around what a device has: key[i] of place i. */
struct morton_keys {
    const uint64_t *key;
    int64_t low, high;
};

/* Bits that the keys of two places share; equal keys differ in their places. -1 outside. */
static __device__ __forceinline__ int morton_shared_bits(const morton_keys &keys, int64_t i, int64_t j)
{
    if (j < keys.low || j >= keys.high)
        return -1;
    uint64_t a = keys.key[i], b = keys.key[j];
    return a != b ? __clzll((long long)(a ^ b)) : 64 + __clz((int)((uint32_t)i ^ (uint32_t)j));
}

static __device__ __forceinline__ int morton_shared_bits(const uint64_t *keys, int64_t n, int64_t i, int64_t j)
{
    return morton_shared_bits({keys, 0, n}, i, j);
}

/* ---- bodies in the order of their keys ---- */

struct morton_points { /* device: rows x y z of stride */
    const void *x;
    uint64_t stride, n;
};

struct morton_sorted {     /* begins as zeros */
    int upper;             /* so many upper bits of keys in space are sorted by, see morton_sort; 0: all */
    nb_cuda_buffer keys;   /* axes * MORTON_BITS bits each, rising; once more as much behind them is working space */
    nb_cuda_buffer order;  /* uint32_t: the point at each place; equal keys keep the points' order */
    nb_cuda_buffer bounds; /* one morton_bounds, of all points */
    nb_cuda_buffer scratch;
    bool turns; /* the last sort ended in the other one of its two rooms for keys and numbers than it began in */
};

/* Sorts the points of `count` sets, numbered through, at least one point; axes: 3, or 2, which leaves z alone. Puts the
 * work on the stream and does not wait; where the memory is there already, for as many points, a graph can record it.
 * With s->upper bits, keys that share them are put in order only where they are at most MORTON_RUN: whoever sets it
 * looks whether all are. 0, or -1 after nb_fail. */
#define MORTON_RUN 16
int morton_sort(cudaStream_t stream, enum nb_precision precision, const morton_points *sets, int count, int axes,
                morton_sorted *s);
/* The keys alone of points in space, within the bounds `all`: keys[i] of point i. Puts the work on the stream. */
int morton_make_keys(cudaStream_t stream, enum nb_precision precision, const morton_points *points,
                     const morton_bounds *all, uint64_t *keys);
/* Sorts n keys of points in space, and with them the numbers `from` into `to`; `scratch`: working space. Puts the work
 * on the stream. */
int morton_sort_keys(cudaStream_t stream, uint64_t n, const uint64_t *keys, uint64_t *sorted, const uint32_t *from,
                     uint32_t *to, nb_cuda_buffer *scratch);
/* The order of n points and their bounds, saved or loaded (pack.h). */
int morton_pack(struct nb_device *device, morton_sorted *s, uint64_t n, struct nb_pack *k);
void morton_release(morton_sorted *s);
