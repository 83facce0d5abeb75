/* force_cells.c - a growing list of a tree's cells, for tools that show the tree. Declared in cells.h. */
#include "force/cells.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* Returns the method's entry for the CPU, which lists the cells for every device. Returns NULL if this entry cannot
 * list cells. */
static const struct nb_force *row_of(const struct nb_force_spec *spec)
{
    const struct nb_force *row = nb_force_find(spec->method, "cpu");
    return row && row->cells ? row : NULL;
}

bool nb_force_has_cells(const struct nb_force_spec *spec)
{
    return row_of(spec) != NULL;
}

int nb_force_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                   struct nb_cells *cells)
{
    const struct nb_force *row = row_of(spec);
    cells->count = 0;
    return row ? row->cells(spec, b, of, level, cells)
               : nb_fail("force %s has no tree cells to list (use octree or kdtree)", spec->method);
}

struct nb_cell *nb_cells_add(struct nb_cells *c)
{
    if ((c->count & (c->count - 1)) == 0) {
        struct nb_cell *more = realloc(c->cell, (size_t)(c->count ? 2 * c->count : 1) * sizeof *more);
        if (!more) {
            nb_fail("no memory for the cells of a tree");
            return NULL;
        }
        c->cell = more;
    }
    return &c->cell[c->count++];
}

void nb_cells_free(struct nb_cells *c)
{
    free(c->cell);
    *c = (struct nb_cells){0};
}
