/* octree_cuda.cuh - the octree of octree.h in the GPU's memory, shared by its sources. */
#pragma once

#include "force/cuda/morton.cuh"
#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/octree.h"

/* Of a place for a child, beside what octree.h says: a thread is dividing what is there. */
#define OCTREE_LOCKED      0xfffffffeu
#define OCTREE_NUMBERS_MAX 0xfffffff0u /* bodies and cells, together */

struct alignas(16) octree_moment { /* a cell's middle and half its side; once it is summarised, centre and mass */
    double x, y, z, m;
};

template <typename B> struct octree_mass { /* a cell as the walk reads it */
    B body;
    typename B::real reach2;
};

struct octree_counters { /* zeros at the start of an evaluation */
    uint32_t nodes;      /* asked for; more than there is memory for: */
    uint32_t full;       /* the tree has to be built again, with more */
    uint32_t not_finite; /* a position or a mass is not: every result is NaN, as on the CPU */
};

template <typename B> struct octree_view { /* device pointers */
    uint32_t n, capacity;                  /* bodies; cells that there is memory for */
    B *bodies;                             /* n */
    uint32_t *next, *order;                /* n: the next one of a body's chain; the body at each place */
    uint32_t *child;                       /* 8 a cell: by octant; once it is summarised, those that are, in order */
    octree_moment *moment;                 /* of each cell */
    octree_mass<B> *mass;                  /* of each cell */
    uint32_t *count, *place; /* of each cell: its bodies, 0 before they are known; and their first place */
    morton_bounds *bounds;
    octree_counters *counters;
};

struct octree_work : block_work { /* blocks of the walk */
    double theta;
    int opening;
    bool sort;
    int processors;
    uint32_t capacity; /* cells in the buffers */
    nb_cuda_buffer bodies, next, order, child, moment, mass, count, place, bounds, counters;
};

/* The stages of an evaluation, in this order. Each puts its work on the device's stream: 0, or -1 after nb_fail. The
 * walk is of a tree that is whole, or of bodies that are not finite. */
template <typename B> int octree_build(octree_work *w, const octree_view<B> &t, const nb_sources *s);
template <typename B>
int octree_walk(octree_work *w, const octree_view<B> &t, const nb_sources *s, const nb_field *out, int threads);
