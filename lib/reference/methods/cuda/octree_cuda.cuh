/* octree_cuda.cuh - the octree of octree.h in GPU memory: shared by its sources. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/octree.h"

/* Additional value of an element of `child`: a thread is changing this element. */
#define OCTREE_LOCKED      0xfffffffeu
#define OCTREE_NUMBERS_MAX 0xfffffff0u /* maximum number of bodies plus cells */

struct alignas(16) octree_moment { /* middle of a cell and half its side; after summarising, centre of mass and mass */
    double x, y, z, m;
};

/* data of a cell that the walk reads. body: its mass at its centre of mass; reach2: square of its reach (octree.h) */
template <typename B> struct octree_mass {
    B body;
    typename B::real reach2;
};

struct octree_counters { /* zeros at the start of an evaluation */
    uint32_t nodes;      /* number of cells requested; may exceed the capacity */
    uint32_t full;       /* 1: the tree must be rebuilt with more memory */
    uint32_t not_finite; /* 1: a position or a mass is not finite; every result is then NaN, as on the CPU */
};

template <typename B> struct octree_view { /* device pointers */
    uint32_t n, capacity;    /* n: number of bodies; capacity: number of cells for which there is memory */
    B *bodies;               /* n elements */
    uint32_t *next, *order;  /* n elements each; next: next body of the chain; order: bodies in the order of the tree */
    uint32_t *child;         /* 8 elements per cell, by octant; after summarising, the existing children in order */
    octree_moment *moment;   /* one for each cell */
    octree_mass<B> *mass;    /* one for each cell */
    uint32_t *count, *place; /* count: number of bodies of each cell, 0 until known; place: position of its first body
                                in `order` */
    morton_bounds *bounds;
    octree_counters *counters;
};

struct octree_work : block_work { /* block_work: number of threads of a block in the walk */
    double theta;
    int opening;
    bool sort;
    int processors;
    uint32_t capacity; /* number of cells for which the buffers have memory */
    nb_cuda_buffer bodies, next, order, child, moment, mass, count, place, bounds, counters;
};

/* Stages of an evaluation, in this order. Each enqueues work on the device's stream and returns 0, or -1 after nb_fail.
 * The walk needs a complete tree, unless a position or a mass is not finite (all results are then NaN). */
template <typename B> int octree_build(octree_work *w, const octree_view<B> &t, const nb_sources *s);
template <typename B>
int octree_walk(octree_work *w, const octree_view<B> &t, const nb_sources *s, const nb_field *out, int threads);
