/* octree_cuda.cuh - the octree of octree.h in GPU memory: shared by its sources. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/octree.h"

/* Further value of a place for a child: a thread is dividing it. */
#define OCTREE_LOCKED      0xfffffffeu
#define OCTREE_NUMBERS_MAX 0xfffffff0u /* maximum number of bodies plus cells */

struct alignas(16) octree_moment { /* middle of a cell and half its side; after summarising, centre of mass and mass */
    double x, y, z, m;
};

template <typename B> struct octree_mass { /* a cell as read by the walk */
    B body;
    typename B::real reach2;
};

struct octree_counters { /* zeros at the start of an evaluation */
    uint32_t nodes;      /* cells requested; may exceed the capacity */
    uint32_t full;       /* the tree must be rebuilt with more memory */
    uint32_t not_finite; /* a position or a mass is not finite: every result is NaN, as on the CPU */
};

template <typename B> struct octree_view { /* device pointers */
    uint32_t n, capacity;                  /* number of bodies; number of cells for which there is memory */
    B *bodies;                             /* n */
    uint32_t *next, *order;                /* n: next body of the chain; body at each place */
    uint32_t *child;                       /* 8 a cell: by octant; after summarising, the existing children in order */
    octree_moment *moment;                 /* of each cell */
    octree_mass<B> *mass;                  /* of each cell */
    uint32_t *count, *place;               /* of each cell: number of bodies, 0 until known; place of the first */
    morton_bounds *bounds;
    octree_counters *counters;
};

struct octree_work : block_work { /* block_work: number of threads of a block in the walk */
    double theta;
    int opening;
    bool sort;
    int processors;
    uint32_t capacity; /* cells in the buffers */
    nb_cuda_buffer bodies, next, order, child, moment, mass, count, place, bounds, counters;
};

/* Stages of an evaluation, in this order. Each enqueues work on the device's stream and returns 0, or -1 after nb_fail.
 * The walk needs a complete tree, or bodies that are not finite. */
template <typename B> int octree_build(octree_work *w, const octree_view<B> &t, const nb_sources *s);
template <typename B>
int octree_walk(octree_work *w, const octree_view<B> &t, const nb_sources *s, const nb_field *out, int threads);
