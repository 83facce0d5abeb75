/* kdtree_cuda.cuh - the k-d tree (kdtree.h) on the GPU: shared by kdtree_build.cu, kdtree_walk.cu and the force. */
#pragma once

#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/kdtree.h"

struct kdtree_work : block_work { /* block_work: number of threads of a block in the walk */
    double lambda;
    int traverse, visit;
    uint32_t n;
    nb_cuda_buffer node; /* B[2n]: centre of mass and mass of each node; element 0 is unused; a leaf is one body */
    /* real[2n]: the node is opened if its squared distance from the target is at most this value; negative for a
     * leaf */
    nb_cuda_buffer open2;
    nb_cuda_buffer body;                        /* uint32_t[n]: element k is the index of the body in leaf n + k */
    nb_cuda_buffer leaf_of;                     /* uint32_t[n]: element k is the leaf of body k; only for visit=input */
    nb_cuda_buffer keys, order, boxes, scratch; /* used during the build */
};

/* Input of the kernels of the walk. */
template <typename B> struct kdtree_view {
    const B *node;
    const typename B::real *open2;
    const uint32_t *body;
    const uint32_t *leaf_of; /* NULL: bodies are processed in the order of the leaves */
    uint32_t n;
    typename B::real eps2;
    double G;
};

/* Returns the squared length of d, without softening. The build and the walk call this function and therefore have the
 * same rounding errors. So a body in a node is never farther from the node's centre of mass than the node's radius. */
template <typename R> static __device__ __forceinline__ R kdtree_squared(const pair_vector<R> &d)
{
    return fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
}

/* Fills node, open2 and body from s->n >= 1 sources. Enqueues the work on the stream and does not wait. Returns 0 or
 * -1. */
int kdtree_build(kdtree_work *w, enum nb_precision precision, const nb_sources *s);
/* Computes the field at all bodies with blocks of `threads` threads. Enqueues the work on the stream. Returns 0 or -1.
 */
int kdtree_walk(kdtree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out, int threads);
