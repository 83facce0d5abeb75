/* morton.cuh - bounding boxes of bodies and keys along a Morton curve (Morton 1966) or a Hilbert curve, for CUDA
 * sources. */
#pragma once

#include "base/pack.h"
#include "device/cuda/cuda.cuh"
#include "device/device.h"

#include <cstdint>

/* Number of bits of a key per axis: 21 in three dimensions, 20 in two. */
#define MORTON_BITS(axes) ((axes) == 3 ? 21 : 20)

/* Maps doubles to unsigned integers that have the same order, because atomicMin and atomicMax do not support
 * doubles. */
static __device__ __forceinline__ unsigned long long morton_ordered(double v)
{
    unsigned long long bits = (unsigned long long)__double_as_longlong(v);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static __device__ __forceinline__ double morton_unordered(unsigned long long bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & ~(1ull << 63) : ~bits));
}

/* Bounding box of points, as morton_ordered() values. In an empty box, all bits of `low` are 1 and all bits of `high`
 * are 0. */
struct morton_bounds {
    unsigned long long low[3], high[3];
};

/* Returns the longest edge of the box. */
static __device__ __forceinline__ double morton_size(const morton_bounds *b, int axes = 3)
{
    double size = 0;
    for (int k = 0; k < axes; k++)
        size = fmax(size, morton_unordered(b->high[k]) - morton_unordered(b->low[k]));
    return size;
}

/* Sorted keys. A device has key[i] for low <= i < high only. If there is one device, it has all keys. */
struct morton_keys {
    const uint64_t *key;
    int64_t low, high;
};

/* Returns the number of leading bits shared by the keys at i and j. If the keys are equal, adds the number of leading
 * bits shared by the indices i and j. Returns -1 if j is outside the range of `keys`. */
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

/* ---- sorting bodies by keys ---- */

/* Coordinate k of point i, for i < n, is element i * step + k * stride of x, in device memory. Rows x, y, z have step
 * 1, and points in an array of structs have stride 1. */
struct morton_points {
    const void *x;
    uint64_t stride, n, step = 1;
};

/* Data of a previous sort, with which nearly the same points are sorted again (morton_buckets.cuh). */
struct morton_buckets {
    nb_cuda_buffer splitter, entry;
    uint64_t n; /* number of points of the previous sort; 0: there was none */
    int pause;  /* number of sorts that must not use buckets, because a bucket was full */
    bool used;  /* true: the last sort used buckets */
    bool turns; /* which half of `splitter` the next sort uses */
};

struct morton_sorted { /* sorted points and working space; initialise with zeros */
    int upper;         /* number of upper bits by which 3-D keys are sorted first (see morton_sort); 0: all bits */
    /* true: morton_sort makes 3-D keys along a Hilbert curve, whose successive cells are neighbours. Not together with
     * `upper` */
    bool hilbert;
    /* keys of axes * MORTON_BITS(axes) bits, ascending; followed by working space of the same size */
    nb_cuda_buffer keys;
    /* uint32_t: indices of the points in the order of their keys; points with equal keys stay in the order of their
     * indices */
    nb_cuda_buffer order;
    nb_cuda_buffer bounds; /* one morton_bounds of all points, followed by working space */
    nb_cuda_buffer scratch;
    morton_buckets buckets;
    bool turns; /* true: the next sort begins in the working space and ends in `keys` and `order`, without a copy */
};

/* Sorts the points of `count` sets with step 1 by their keys. Points are numbered consecutively through all
 * sets; there must be at least one point. axes: 3, or 2 to ignore z. Queues the work on the stream and does not wait.
 * The work can be recorded in a CUDA graph if s already has memory for this number of points. Returns 0, or -1 after
 * nb_fail.
 *
 * If s->upper is set, the caller must check that all keys are in order, because the sort is faster but can fail:
 * - The keys are first sorted by their upper bits only. Then each run of keys with equal upper bits is sorted. Runs of
 *   more than MORTON_RUN keys stay unsorted.
 * - If there are two sets, and the last sort had the same number of points, the keys are sorted in buckets, as if the
 *   points had hardly moved (morton_buckets.cuh).
 * If some keys are not in order, the caller calls morton_drop_buckets, which returns whether the last sort used
 * buckets. The next sort does not use them. If they were not used, the caller also increases s->upper. */
#define MORTON_RUN 16
int morton_sort(cudaStream_t stream, enum nb_precision precision, const morton_points *sets, int count, int axes,
                morton_sorted *s);
bool morton_drop_buckets(morton_sorted *s);
/* Returns the bytes that buckets for n points need. */
double morton_buckets_bytes(uint64_t n);
/* Computes the 3-D keys of points within the bounds `all` without sorting: keys[i] belongs to point i. Unless `numbers`
 * is NULL, sets numbers[i] = i. Queues the work on the stream. */
int morton_make_keys(cudaStream_t stream, enum nb_precision precision, const morton_points *points,
                     const morton_bounds *all, uint64_t *keys, uint32_t *numbers);
/* Two buffers, [0] and [1], for n keys each, and for the indices of their points. The sort moves keys and indices
 * between the two buffers. */
struct morton_pairs {
    uint64_t *keys[2];
    uint32_t *numbers[2];
};
/* The steps of morton_sort, for callers that make the keys themselves.
 * - morton_reserve allocates memory for n points. keys_bytes: size of s->keys.
 * - morton_pairs_of returns the buffers of s. The caller chooses two parts of s->keys as buffers for n keys: `keys` and
 *   `other`.
 * - The caller writes keys and indices to keys[s->turns] and numbers[s->turns].
 * - morton_sort_pairs sorts them. The results are in keys[0] and numbers[0]. */
int morton_reserve(morton_sorted *s, uint64_t n, int axes, size_t keys_bytes);
morton_pairs morton_pairs_of(const morton_sorted *s, uint64_t *keys, uint64_t *other);
int morton_sort_pairs(cudaStream_t stream, uint64_t n, int axes, const morton_pairs &pairs, morton_sorted *s);
/* Saves or loads the sorted order of n points and their bounding box for a checkpoint (pack.h). */
int morton_pack(struct nb_device *device, morton_sorted *s, uint64_t n, struct nb_pack *k);
void morton_release(morton_sorted *s);
