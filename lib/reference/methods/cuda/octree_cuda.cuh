/* octree_cuda.cuh - the octree of octree.h in GPU memory: shared by its sources. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/octree.h"

/* Value of an element of `child` while a thread is changing it. Other values: see NB_OCTREE_NONE. */
#define OCTREE_LOCKED      0xfffffffeu
#define OCTREE_NUMBERS_MAX 0xfffffff0u /* maximum number of bodies plus cells */

/* Centre of mass and mass of a cell. Until the kernel `summarise` has computed them, x, y and z are the middle of the
 * cell, and m is half of the cell's side. */
struct alignas(16) octree_moment {
    double x, y, z, m;
};

/* properties of a cell for the walk. body: centre of mass and mass; reach2: the cell is opened for targets whose
 * squared distance from the centre of mass is at most reach2 */
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
    uint32_t n, capacity;   /* n: number of bodies; capacity: number of cells for which there is memory */
    B *bodies;              /* n elements */
    uint32_t *next, *order; /* n elements each; next: next body in a chain (octree.h); order: bodies in tree order */
    /* 8 elements per cell, one for each octant. The kernel `summarise` sorts them: first the children, then
     * NB_OCTREE_NONE */
    uint32_t *child;
    octree_moment *moment; /* one for each cell */
    octree_mass<B> *mass;  /* one for each cell */
    uint32_t *count,       /* for each cell: number of bodies; 0: not known yet */
        *place;            /* for each cell: index of its first body in `order` */
    morton_bounds *bounds;
    octree_counters *counters;
};

struct octree_work : block_work { /* block_work chooses the number of threads per block of the walk */
    double theta;
    int opening;
    bool sort;
    int processors;
    uint32_t capacity; /* number of cells for which the buffers have memory */
    nb_cuda_buffer bodies, next, order, child, moment, mass, count, place, bounds, counters;
};

/* The two stages of an evaluation. Each enqueues work on the device's stream and returns 0, or -1 after nb_fail. Before
 * octree_walk, the tree must be complete (counters.full is 0). If a position or a mass is not finite, octree_build
 * builds no tree, and octree_walk writes NaN. */
template <typename B> int octree_build(octree_work *w, const octree_view<B> &t, const nb_sources *s);
template <typename B>
int octree_walk(octree_work *w, const octree_view<B> &t, const nb_sources *s, const nb_field *out, int threads);
