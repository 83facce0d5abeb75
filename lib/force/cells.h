/* cells.h - the cells of a force's tree, for people to look at. */
#pragma once

#include "force/force.h"

NB_C_BEGIN

struct nb_cell {
    double low[3], high[3]; /* the cube of an octree, the box of the bodies in a node of a k-d tree */
    double x[3], m;         /* mass, at its centre */
    uint64_t bodies;
    int level; /* the root's is 0 */
};

struct nb_cells { /* begins as zeros */
    struct nb_cell *cell;
    uint64_t count;
};

#define NB_CELLS_OF_ALL UINT64_MAX

/* Lists cells of the tree that the force of a spec builds of n >= 1 bodies in host memory. With `of` NB_CELLS_OF_ALL
 * those that hold a body, down to `level`, parents before their children. With a body's place those that act on it as
 * one mass, single bodies among them: all the mass but the body's own. What was listed before is forgotten. -1 after
 * nb_fail: the force has no tree that can be shown, or there is no memory. */
int nb_force_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                   struct nb_cells *cells);
void nb_cells_free(struct nb_cells *c);

/* Returns whether the force of a spec has a tree that can be shown. */
bool nb_force_has_cells(const struct nb_force_spec *spec);

/* For the forces: a place for one cell more, NULL after nb_fail. */
struct nb_cell *nb_cells_add(struct nb_cells *c);

NB_C_END
