/* tree_cpu_memory.c - memory estimates of a tree on the CPU, and growing lists. Declared in tree_cpu.h and tree_simd.h.
 */
#include "force/tree/cpu/tree_simd.h"

#include <stdlib.h>

/* Returns the memory of the tree's arrays, in bytes per body. nodes: number of nodes per body; near: size of the copies
 * of near bodies that the threads store, bytes per body. */
static double body_bytes(enum nb_precision precision, double nodes, double near)
{
    const double number = precision == NB_DOUBLE ? sizeof(double) : sizeof(float);
    const double row = precision == NB_SINGLE ? sizeof(float) : sizeof(double);
    const double keys = 2 * sizeof(uint64_t) + sizeof(uint32_t), work = keys > 4 * row ? keys : 4 * row;
    const double rows = sizeof(uint32_t) + 4 * row + work;
    const double node =
        sizeof(struct nb_tree_node) + sizeof(struct nb_tree_ball) + (NB_TREE_MULTIPOLE + NB_TREE_CRITERION) * number;
    return rows + nodes * node + near;
}

double nb_tree_bytes(enum nb_precision precision, uint64_t n, struct nb_force_shape shape)
{
    return (double)n * body_bytes(precision, shape.nodes, shape.lists);
}

bool nb_tree_list_grow(struct nb_tree_list *list, size_t more)
{
    const size_t capacity = 2 * (list->count + more) + 1000;
    uint32_t *id = realloc(list->id, capacity * sizeof *id);
    if (!id)
        return false;
    list->id = id;
    list->capacity = capacity;
    return true;
}
