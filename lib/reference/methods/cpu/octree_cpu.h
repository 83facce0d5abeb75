/* octree_cpu.h - the octree of octree.h in host memory, built on one thread. */
#pragma once

#include "reference/methods/octree.h"

struct nb_octree_body {
    double x[3], m;
};

struct nb_octree_node {
    uint32_t child[8];          /* by octant; bodies, chains' first bodies, cells (octree.h) */
    struct nb_octree_body mass; /* once it is summarised: the cell's mass at its centre */
    struct nb_octree_cell cell;
    double reach2;         /* the square of its reach */
    uint32_t count, place; /* bodies in it, and the place of the first of them */
};

struct nb_octree { /* begins as zeros */
    uint64_t n, nodes, capacity, body_capacity;
    struct nb_octree_body *body; /* n */
    struct nb_octree_node *node; /* the root first, parents before their children */
    uint32_t *next;              /* of n bodies, the next one of its chain or NB_OCTREE_NONE */
    uint32_t *order;             /* the body at each of n places */
};

/* Room for n bodies. 0, or -1 after nb_fail. */
int nb_octree_reserve(struct nb_octree *t, uint64_t n);
/* The tree of t->body, which are finite. 0, or -1 after nb_fail. */
int nb_octree_insert(struct nb_octree *t);
void nb_octree_summarise(struct nb_octree *t, double theta, int opening);
void nb_octree_sort(struct nb_octree *t);
void nb_octree_free(struct nb_octree *t);

/* octree_cells.c: as nb_force_cells (force/cells.h). */
int nb_octree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells);
