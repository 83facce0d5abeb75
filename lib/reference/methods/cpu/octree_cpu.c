/* octree_cpu.c - builds the octree on the CPU: insertion, sums of cells, and the order of the bodies. Declared in
 * octree_cpu.h. */
#include "reference/methods/cpu/octree_cpu.h"

#include "base/error.h"

#include <stdlib.h>

/* Maximum of (number of bodies) + (number of cells). In 32-bit indices, i < n is body i and n + k is cell k. The
 * highest values are not used, because one of them is NB_OCTREE_NONE. */
#define NUMBERS_MAX 0xfffffff0u

int nb_octree_reserve(struct nb_octree *t, uint64_t n)
{
    if (n >= NUMBERS_MAX / 2)
        return nb_fail("force octree supports fewer than 2^31 bodies");
    t->n = n;
    if (t->body_capacity >= n)
        return 0;
    t->body_capacity = 0;
    free(t->body);
    free(t->next);
    free(t->order);
    t->body = malloc(n * sizeof *t->body);
    t->next = malloc(n * sizeof *t->next);
    t->order = malloc(n * sizeof *t->order);
    if (!t->body || !t->next || !t->order)
        return nb_fail("no memory");
    t->body_capacity = n;
    return 0;
}

void nb_octree_free(struct nb_octree *t)
{
    free(t->body);
    free(t->node);
    free(t->next);
    free(t->order);
}

/* ---- insertion ---- */

/* Adds a cell without children. Returns its index, or NB_OCTREE_NONE after nb_fail. The array of cells may move. */
static uint32_t add_node(struct nb_octree *t, const struct nb_octree_cell *cell)
{
    if (t->nodes == t->capacity) {
        const uint64_t more = t->capacity + t->capacity / 2 + t->n / 2 + 64;
        struct nb_octree_node *node = t->n + more < NUMBERS_MAX ? realloc(t->node, more * sizeof *node) : NULL;
        if (!node) {
            nb_fail("force octree: no memory for the cells of %.0f bodies", (double)t->n);
            return NB_OCTREE_NONE;
        }
        t->node = node;
        t->capacity = more;
    }
    struct nb_octree_node *new = &t->node[t->nodes];
    *new = (struct nb_octree_node){.cell = *cell};
    for (int k = 0; k < 8; k++)
        new->child[k] = NB_OCTREE_NONE;
    return (uint32_t)t->nodes++;
}

static bool at_one_place(const struct nb_octree_body *a, const struct nb_octree_body *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Creates a new cell that fills an octant of the cell `parent`. The body in this octant, or the chain of bodies at the
 * same position (octree.h), becomes a child of the new cell. Returns -1 on error. */
static int divide(struct nb_octree *t, uint32_t parent, unsigned octant)
{
    const struct nb_octree_cell cell = nb_octree_child(&t->node[parent].cell, octant);
    const uint32_t there = t->node[parent].child[octant], node = add_node(t, &cell);
    if (node == NB_OCTREE_NONE)
        return -1;
    t->node[node].child[nb_octree_octant(&cell, t->body[there].x)] = there;
    t->node[parent].child[octant] = (uint32_t)(t->n + node);
    return 0;
}

static int insert(struct nb_octree *t, uint32_t i)
{
    const struct nb_octree_body *body = &t->body[i];
    uint32_t node = 0;
    for (int depth = 1;;) {
        const unsigned octant = nb_octree_octant(&t->node[node].cell, body->x);
        uint32_t *child = &t->node[node].child[octant];
        if (*child != NB_OCTREE_NONE && *child >= t->n) {
            node = (uint32_t)(*child - t->n);
            depth++;
        } else if (*child == NB_OCTREE_NONE || depth == NB_OCTREE_DEPTH || at_one_place(&t->body[*child], body)) {
            t->next[i] = *child;
            *child = i;
            return 0;
        } else if (divide(t, node, octant))
            return -1;
    }
}

static struct nb_octree_cell root_of(const struct nb_octree *t)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++)
        low[k] = high[k] = t->body[0].x[k];
    for (uint64_t i = 1; i < t->n; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], t->body[i].x[k]);
            high[k] = fmax(high[k], t->body[i].x[k]);
        }
    return nb_octree_root(low, high);
}

/* Inserts the bodies from the last to the first. Bodies that no cell separates form a chain (octree.h). A body is
 * inserted at the beginning of its chain, so that the indices in a chain ascend. */
int nb_octree_insert(struct nb_octree *t)
{
    const struct nb_octree_cell root = root_of(t);
    t->nodes = 0;
    if (add_node(t, &root) == NB_OCTREE_NONE)
        return -1;
    for (uint64_t i = t->n; i-- > 0;)
        if (insert(t, (uint32_t)i))
            return -1;
    return 0;
}

/* ---- sums of cells ---- */

static void add_mass(const struct nb_octree_cell *cell, const struct nb_octree_body *b, struct nb_octree_body *sum)
{
    for (int k = 0; k < 3; k++)
        sum->x[k] += b->m * (b->x[k] - cell->x[k]);
    sum->m += b->m;
}

/* Computes mass, centre of mass, number of bodies, and reach2 of a cell: the squared distance within which the cell is
 * opened (octree.h). Positions are summed relative to the middle of the cell. If the mass is 0, the middle is used as
 * the centre of mass. */
static void summarise(struct nb_octree *t, struct nb_octree_node *node, double theta, int opening)
{
    struct nb_octree_body sum = {{0}, 0};
    node->count = 0;
    for (int c = 0; c < 8; c++) {
        const uint32_t child = node->child[c];
        if (child != NB_OCTREE_NONE && child >= t->n) {
            const struct nb_octree_node *part = &t->node[child - t->n];
            add_mass(&node->cell, &part->mass, &sum);
            node->count += part->count;
        } else
            for (uint32_t i = child; i != NB_OCTREE_NONE; i = t->next[i], node->count++)
                add_mass(&node->cell, &t->body[i], &sum);
    }
    for (int k = 0; k < 3; k++) {
        sum.x[k] = sum.m > 0 ? sum.x[k] / sum.m : 0;
        node->mass.x[k] = node->cell.x[k] + sum.x[k];
    }
    node->mass.m = sum.m;
    node->reach2 = nb_octree_reach2(theta, opening, node->cell.half, sum.x);
}

void nb_octree_summarise(struct nb_octree *t, double theta, int opening)
{
    for (uint64_t k = t->nodes; k-- > 0;)
        summarise(t, &t->node[k], theta, opening);
}

void nb_octree_sort(struct nb_octree *t)
{
    t->node[0].place = 0;
    for (uint64_t k = 0; k < t->nodes; k++) {
        uint32_t place = t->node[k].place;
        for (int c = 0; c < 8; c++) {
            const uint32_t child = t->node[k].child[c];
            if (child != NB_OCTREE_NONE && child >= t->n) {
                t->node[child - t->n].place = place;
                place += t->node[child - t->n].count;
            } else
                for (uint32_t i = child; i != NB_OCTREE_NONE; i = t->next[i])
                    t->order[place++] = i;
        }
    }
}
