/* kdtree_cpu.h - the k-d tree (kdtree.h) on the CPU, in double in every precision, its nodes in the order of a heap. */
#pragma once

#include "reference/methods/kdtree.h"

struct nb_kdtree_node {
    double x[3], m; /* centre of mass */
    double radius2; /* the radius squared; of a leaf 0 */
};

struct nb_kdtree { /* begins as zeros */
    uint32_t n;
    struct nb_kdtree_node *node; /* node[1 ... 2n - 1] */
    uint32_t *body;              /* body[k]: the one at leaf n + k */
    struct nb_kdtree_point *point;
    uint64_t capacity; /* bodies for which there is memory */
};

/* Squared distance of a place from a node's centre. */
static inline double nb_kdtree_distance2(const struct nb_kdtree_node *node, const double x[3])
{
    const double dx = node->x[0] - x[0], dy = node->x[1] - x[1], dz = node->x[2] - x[2];
    return dx * dx + dy * dy + dz * dz;
}

/* The tree of n >= 1 bodies, host memory: masses m, positions in three rows x of `stride`, floats where `single`. The
 * same for any number of threads. 1, or 0 where a position or a mass is not finite and there is no tree, or -1 after
 * nb_fail. */
int nb_kdtree_build(struct nb_kdtree *t, bool single, uint64_t n, uint64_t stride, const void *m, const void *x);
void nb_kdtree_free(struct nb_kdtree *t);

/* kdtree_cells.c: as nb_force_cells (force/cells.h). */
int nb_kdtree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells);

/* ---- walks ---- */

/* The tree once more, of nodes that point to one another. */
struct nb_kdtree_linked {
    struct nb_kdtree_node node;
    struct nb_kdtree_linked *left, *right; /* NULL: a leaf */
    struct nb_kdtree_linked *next;         /* after it and all below it; NULL behind the last */
    uint32_t number;                       /* in the heap */
};

/* 2n - 1 nodes, the root first, a node before those below it, left before right; the caller's, to be freed. NULL after
 * nb_fail. */
struct nb_kdtree_linked *nb_kdtree_link(const struct nb_kdtree *t);

struct nb_kdtree_walk {
    const struct nb_kdtree *tree;
    const struct nb_kdtree_linked *root; /* NULL: the heap is walked */
    int traverse;
    double lambda, eps2;
};

struct nb_kdtree_sum { /* without G */
    double a[3], phi;
};

/* The field at the body of leaf number `leaf`. */
struct nb_kdtree_sum nb_kdtree_field(const struct nb_kdtree_walk *w, uint32_t leaf);
