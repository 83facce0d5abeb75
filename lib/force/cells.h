/* cells.h - lists the cells (nodes) of a force's tree, so that tools can draw or print them. */
#pragma once

#include "force/force.h"

NB_C_BEGIN

struct nb_cell {
    /* low and high corner of the node's cube (octree), or of the bounding box of its bodies (k-d tree) */
    double low[3], high[3];
    double x[3], m; /* x: centre of mass; m: mass */
    uint64_t bodies;
    int level; /* depth in the tree; the root has level 0 */
};

struct nb_cells { /* a list of cells; initialise with zeros, free with nb_cells_free */
    struct nb_cell *cell;
    uint64_t count;
};

#define NB_CELLS_OF_ALL UINT64_MAX

/* Builds the tree of the force `spec` for the n >= 1 bodies b and lists cells of this tree. Replaces the former
 * contents of `cells`. Returns -1 after nb_fail if the force has no tree that can be listed, or if there is no memory.
 * - If `of` is NB_CELLS_OF_ALL, lists all nodes with bodies down to `level`, each node before its children.
 * - If `of` is the index of a body, lists the nodes and single bodies that act on this body as point masses. The sum of
 *   their masses is the mass of all other bodies. */
int nb_force_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                   struct nb_cells *cells);
void nb_cells_free(struct nb_cells *c);

/* Returns whether the spec's force has a tree that nb_force_cells can list. */
bool nb_force_has_cells(const struct nb_force_spec *spec);

/* For implementations of nb_force.cells: appends one cell and returns its address, valid until the next call. If there
 * is no memory, returns NULL after nb_fail. */
struct nb_cell *nb_cells_add(struct nb_cells *c);

NB_C_END
