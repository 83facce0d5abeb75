/* kdtree_cuda.cuh - the k-d tree (kdtree.h) on the GPU: what its sources share. */
#pragma once

#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/kdtree.h"

struct kdtree_work : block_work { /* blocks of the walk */
    double lambda;
    int traverse, visit;
    uint32_t n;
    nb_cuda_buffer node;    /* B[2n]: centres of mass and masses, from 1 on; leaves are the bodies */
    nb_cuda_buffer open2;   /* real[2n]: a node is opened at this squared distance and below; a leaf's is negative */
    nb_cuda_buffer body;    /* uint32_t[n]: the body at leaf n + k */
    nb_cuda_buffer leaf_of; /* uint32_t[n]: the leaf of body k; for visit=input alone */
    nb_cuda_buffer keys, order, boxes, scratch; /* while it is built */
};

/* What the kernels of the walk read. */
template <typename B> struct kdtree_view {
    const B *node;
    const typename B::real *open2;
    const uint32_t *body;
    const uint32_t *leaf_of; /* NULL: bodies walk in the order of the leaves */
    uint32_t n;
    typename B::real eps2;
    double G;
};

/* Without softening; of equal bits wherever it is taken, so that a body within a node's radius is found to be. */
template <typename R> static __device__ __forceinline__ R kdtree_squared(const pair_vector<R> &d)
{
    return fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
}

/* Fills node, open2 and body from s->n >= 1 sources. Puts the work on the stream and does not wait. 0 or -1. */
int kdtree_build(kdtree_work *w, enum nb_precision precision, const nb_sources *s);
/* The field at all bodies, by blocks of so many threads; likewise. */
int kdtree_walk(kdtree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out, int threads);
