/* kdtree_cpu.h - the k-d tree (kdtree.h) on the CPU. Nodes are in heap order. Values are doubles in every precision. */
#pragma once

#include "reference/methods/kdtree.h"

struct nb_kdtree_node {
    double x[3], m; /* x: centre of mass; m: mass */
    double radius2; /* squared distance from x to the farthest body of the node; 0 for a leaf */
};

struct nb_kdtree { /* initialise with zeros */
    uint32_t n;
    struct nb_kdtree_node *node; /* node[1 ... 2n - 1] */
    uint32_t *body;              /* body[k]: body at leaf n + k */
    struct nb_kdtree_point *point;
    uint64_t capacity; /* number of bodies for which there is memory */
};

/* Returns the squared distance of a position from a node's centre of mass. */
static inline double nb_kdtree_distance2(const struct nb_kdtree_node *node, const double x[3])
{
    const double dx = node->x[0] - x[0], dy = node->x[1] - x[1], dz = node->x[2] - x[2];
    return dx * dx + dy * dy + dz * dz;
}

/* Builds the tree of n >= 1 bodies in host memory. m: masses; x: positions in three rows, `stride` elements apart. m
 * and x are floats if `single` is true, else doubles. The tree is identical for any number of threads. Returns 1 if the
 * tree was built, 0 if a position or a mass is not finite, or -1 after nb_fail. */
int nb_kdtree_build(struct nb_kdtree *t, bool single, uint64_t n, uint64_t stride, const void *m, const void *x);
void nb_kdtree_free(struct nb_kdtree *t);

/* Lists nodes of the k-d tree: implements nb_force_cells (force/cells.h). Defined in kdtree_cells.c. */
int nb_kdtree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells);

/* ---- walks ---- */

/* A copy of the tree whose nodes contain pointers. */
struct nb_kdtree_linked {
    struct nb_kdtree_node node;
    struct nb_kdtree_linked *left, *right; /* NULL for a leaf */
    struct nb_kdtree_linked *next;         /* next node after this one and its descendants; NULL after the last */
    uint32_t number;                       /* number in heap order */
};

/* Returns a linked copy of the 2n - 1 nodes of the tree, in depth-first order. The root is element 0. The caller frees
 * the array. Returns NULL after nb_fail. */
struct nb_kdtree_linked *nb_kdtree_link(const struct nb_kdtree *t);

struct nb_kdtree_walk {
    const struct nb_kdtree *tree;
    const struct nb_kdtree_linked *root; /* NULL: the walk reads tree->node, in heap order */
    int traverse;
    double lambda, eps2;
};

struct nb_kdtree_sum { /* field without the factor G */
    double a[3], phi;
};

/* Returns the field at the body of leaf number `leaf`. */
struct nb_kdtree_sum nb_kdtree_field(const struct nb_kdtree_walk *w, uint32_t leaf);
