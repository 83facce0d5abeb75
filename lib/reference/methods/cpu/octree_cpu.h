/* octree_cpu.h - the octree of octree.h in host memory, built by one thread. */
#pragma once

#include "reference/methods/octree.h"

struct nb_octree_body {
    double x[3], m;
};

struct nb_octree_node {
    /* for each octant: index of a body (the first of a chain), n + index of a cell, or NB_OCTREE_NONE (empty) */
    uint32_t child[8];
    struct nb_octree_body mass; /* mass and centre of mass of the cell; set by nb_octree_summarise */
    struct nb_octree_cell cell;
    /* square of the reach (octree.h). The cell is opened for bodies that are nearer to its centre of mass than the
     * reach */
    double reach2;
    uint32_t count, place; /* count: number of bodies in the cell; place: index in `order` of the cell's first body */
};

struct nb_octree { /* initialise with zeros */
    uint64_t n, nodes, capacity, body_capacity;
    struct nb_octree_body *body; /* n elements */
    struct nb_octree_node *node; /* cells: the root first, parents before their children */
    uint32_t *next;              /* n elements: next body of the same chain (octree.h), or NB_OCTREE_NONE */
    uint32_t *order;             /* n elements: bodies in depth-first order of the tree */
};

/* Allocates memory for n bodies. Returns 0, or -1 after nb_fail. */
int nb_octree_reserve(struct nb_octree *t, uint64_t n);
/* Builds the tree of the bodies t->body. All positions and masses must be finite. Returns 0, or -1 after nb_fail. */
int nb_octree_insert(struct nb_octree *t);
/* Computes mass, centre of mass, number of bodies and reach2 of each cell. */
void nb_octree_summarise(struct nb_octree *t, double theta, int opening);
/* Writes to t->order the indices of all bodies, in depth-first order of the tree. Sets `place` of each cell to the
 * index in t->order at which the cell's bodies begin. Call nb_octree_summarise before. */
void nb_octree_sort(struct nb_octree *t);
void nb_octree_free(struct nb_octree *t);

/* Lists cells of the octree: implements nb_force_cells (force/cells.h). Defined in octree_cells.c. */
int nb_octree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells);
