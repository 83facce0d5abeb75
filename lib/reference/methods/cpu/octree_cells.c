/* octree_cells.c - lists the cells of the octree. Declared in octree_cpu.h. */
#include "reference/methods/cpu/octree_cpu.h"

#include "base/error.h"
#include "force/cells.h"

struct listing {
    const struct nb_octree *t;
    struct nb_cells *cells;
    uint64_t of;
    int level; /* deepest level that is listed */
};

static int add(struct listing *l, const struct nb_octree_cell *cube, const struct nb_octree_body *mass, uint64_t bodies,
               int level)
{
    struct nb_cell *cell = nb_cells_add(l->cells);
    if (!cell)
        return -1;
    *cell = (struct nb_cell){.m = mass->m, .bodies = bodies, .level = level};
    for (int k = 0; k < 3; k++) {
        cell->x[k] = mass->x[k];
        cell->low[k] = cube->x[k] - cube->half;
        cell->high[k] = cube->x[k] + cube->half;
    }
    return 0;
}

/* Adds the bodies of a chain as one cell. A chain is a list of bodies at the same position, or in the same cell of the
 * smallest size (octree.h). */
static int add_chain(struct listing *l, const struct nb_octree_cell *cube, uint32_t first, int level)
{
    struct nb_octree_body sum = l->t->body[first];
    uint64_t bodies = 1;
    for (uint32_t i = l->t->next[first]; i != NB_OCTREE_NONE; i = l->t->next[i], bodies++)
        sum.m += l->t->body[i].m;
    return add(l, cube, &sum, bodies, level);
}

static int list_all(struct listing *l, const struct nb_octree_node *node, int level)
{
    int status = add(l, &node->cell, &node->mass, node->count, level);
    for (unsigned c = 0; c < 8 && level < l->level && status == 0; c++) {
        const uint32_t child = node->child[c];
        const struct nb_octree_cell cube = nb_octree_child(&node->cell, c);
        if (child != NB_OCTREE_NONE)
            status = child < l->t->n ? add_chain(l, &cube, child, level + 1)
                                     : list_all(l, &l->t->node[child - l->t->n], level + 1);
    }
    return status;
}

static bool acts_as_one(const struct listing *l, const struct nb_octree_node *node)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        const double d = node->mass.x[k] - l->t->body[l->of].x[k];
        r2 += d * d;
    }
    return r2 > node->reach2;
}

/* Lists the cells and single bodies that act on body l->of. Visits the same cells as the force, add_node() in
 * force_octree_cpu.c. */
static int list_accepted(struct listing *l, const struct nb_octree_node *node, int level)
{
    int status = 0;
    for (unsigned c = 0; c < 8 && status == 0; c++) {
        const uint32_t child = node->child[c];
        const struct nb_octree_cell cube = nb_octree_child(&node->cell, c);
        if (child != NB_OCTREE_NONE && child >= l->t->n) {
            const struct nb_octree_node *part = &l->t->node[child - l->t->n];
            status = acts_as_one(l, part) ? add(l, &part->cell, &part->mass, part->count, level + 1)
                                          : list_accepted(l, part, level + 1);
        } else
            for (uint32_t i = child; i != NB_OCTREE_NONE && status == 0; i = l->t->next[i])
                status = i != l->of ? add(l, &cube, &l->t->body[i], 1, level + 1) : 0;
    }
    return status;
}

static int fill(struct nb_octree *t, const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    if (nb_octree_reserve(t, b->n))
        return -1;
    for (uint64_t i = 0; i < b->n; i++) {
        t->body[i].m = nb_column_get(mass, i, 0);
        for (int k = 0; k < 3; k++)
            t->body[i].x[k] = nb_column_get(pos, i, k);
    }
    return 0;
}

int nb_octree_cells(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                    struct nb_cells *cells)
{
    struct nb_octree t = {0};
    struct listing l = {&t, cells, of, level};
    int status = fill(&t, b) || nb_octree_insert(&t) ? -1 : 0;
    if (status == 0) {
        nb_octree_summarise(&t, spec->value[NB_OCTREE_THETA], (int)spec->value[NB_OCTREE_OPENING]);
        status = of == NB_CELLS_OF_ALL ? list_all(&l, &t.node[0], 0) : list_accepted(&l, &t.node[0], 0);
    }
    nb_octree_free(&t);
    return status;
}
