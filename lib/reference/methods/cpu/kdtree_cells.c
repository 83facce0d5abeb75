/* kdtree_cells.c - lists the nodes of the k-d tree, each with the bounding box of its bodies. Declared in
 * kdtree_cpu.h. */
#include "reference/methods/cpu/kdtree_cpu.h"

#include "base/error.h"
#include "force/cells.h"

#include <math.h>
#include <stdlib.h>

static int add(struct nb_cells *cells, const struct nb_kdtree *t, uint32_t i)
{
    const struct nb_kdtree_node *node = &t->node[i];
    const uint32_t begin = nb_kdtree_begin(t->n, i), end = nb_kdtree_end(t->n, i);
    struct nb_cell *cell = nb_cells_add(cells);
    if (!cell)
        return -1;
    *cell = (struct nb_cell){.m = node->m, .bodies = end - begin, .level = nb_kdtree_level(i)};
    for (int k = 0; k < 3; k++) {
        cell->x[k] = node->x[k];
        cell->low[k] = cell->high[k] = t->node[nb_kdtree_leaf(t->n, begin)].x[k];
        for (uint32_t leaf = begin + 1; leaf < end; leaf++) {
            const double x = t->node[nb_kdtree_leaf(t->n, leaf)].x[k];
            cell->low[k] = fmin(cell->low[k], x);
            cell->high[k] = fmax(cell->high[k], x);
        }
    }
    return 0;
}

static int list_all(struct nb_cells *cells, const struct nb_kdtree *t, int level)
{
    int status = 0;
    for (uint32_t i = 1; i < 2 * t->n && nb_kdtree_level(i) <= level && status == 0; i++)
        status = add(cells, t, i);
    return status;
}

/* Lists the nodes that act on the body of leaf number `leaf` as one mass: the nodes that the walk of the force
 * (kdtree_cpu_walk.c) accepts. */
static int list_accepted(struct nb_cells *cells, const struct nb_kdtree *t, double lambda, uint32_t leaf)
{
    int status = 0;
    uint32_t i = 1;
    do {
        const struct nb_kdtree_node *node = &t->node[i];
        const bool is_one =
            i >= t->n ||
            (nb_kdtree_distance2(node, t->node[leaf].x) > lambda * lambda * node->radius2 && !nb_kdtree_holds(i, leaf));
        if (is_one && i != leaf)
            status = add(cells, t, i);
        i = is_one ? nb_kdtree_next(i) : 2 * i;
    } while (i != 1 && status == 0);
    return status;
}

static int build(struct nb_kdtree *t, const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    double *rows = malloc(4 * (size_t)b->n * sizeof *rows);
    if (!rows)
        return nb_fail("no memory for %llu bodies", (unsigned long long)b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        rows[i] = nb_column_get(mass, i, 0);
        for (int k = 0; k < 3; k++)
            rows[(uint64_t)(k + 1) * b->n + i] = nb_column_get(pos, i, k);
    }
    const int built = nb_kdtree_build(t, false, b->n, b->n, rows, rows + b->n);
    free(rows);
    return built > 0 ? 0 : built < 0 ? -1 : nb_fail("positions of bodies are not finite");
}

int nb_kdtree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells)
{
    struct nb_kdtree t = {0};
    int status = build(&t, b);
    if (status == 0 && of == NB_CELLS_OF_ALL)
        status = list_all(cells, &t, level);
    else if (status == 0) {
        uint32_t leaf = t.n;
        while (t.body[leaf - t.n] != of)
            leaf++;
        status = list_accepted(cells, &t, spec->value[NB_KDTREE_LAMBDA], leaf);
    }
    nb_kdtree_free(&t);
    return status;
}
