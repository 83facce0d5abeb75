/* tree_cpu_pack.c - saves and loads a tree that is used for several evaluations before it is built again. Declared in
 * tree_cpu.h. Only the order of the bodies and the nodes are saved. When the tree is loaded, boxes, multipole moments
 * and internal units are computed from the bodies. Keys are needed only while the tree is built. */
#include "force/tree/cpu/tree_cpu.h"

#include "base/error.h"
#include "base/pack.h"
#include "force/tree/tree.h"

/* Returns whether node v is valid: the indices of its children are larger than v, and each body of v belongs to one of
 * the children. */
static bool is_node(const struct nb_tree *t, uint32_t v)
{
    const struct nb_tree_node *node = &t->node[v];
    const uint32_t child = node->first_child;
    if (node->body_begin >= node->body_end || node->body_end > t->bodies || (v > 0 && node->parent >= v))
        return false;
    if (child == 0)
        return true;
    if (child <= v || t->nodes - child < 2 || child >= t->nodes)
        return false;
    const struct nb_tree_node *left = &t->node[child], *right = left + 1;
    return left->parent == v && right->parent == v && left->body_begin == node->body_begin &&
           left->body_end == right->body_begin && right->body_end == node->body_end;
}

static bool is_tree(const struct nb_tree *t)
{
    bool good = nb_pack_is_order(t->order, t->bodies) && t->node[0].body_begin == 0 &&
                t->node[0].body_end == t->bodies && t->level[0] == 0 && t->level[t->levels] == t->nodes;
    for (uint32_t k = 0; good && k < t->levels; k++)
        good = t->level[k] < t->level[k + 1];
    for (uint32_t k = 0; good && k < t->levels; k++)
        for (uint32_t v = t->level[k]; good && v < t->level[k + 1]; v++)
            good = is_node(t, v) && (t->node[v].first_child == 0 || t->node[v].first_child >= t->level[k + 1]);
    return good;
}

/* Allocates memory for a tree with these numbers of bodies, nodes and levels. */
static int reserve(struct nb_tree *t, uint64_t bodies, uint32_t nodes, uint32_t levels)
{
    if (nb_tree_reserve_order(t, bodies))
        return -1;
    t->bodies = t->sources = bodies;
    return nb_status(nb_tree_reserve_nodes(t, nodes) || nb_tree_reserve_levels(t, levels + 1));
}

int nb_tree_pack(struct nb_tree *t, uint64_t bodies, struct nb_pack *k)
{
    const bool load = k->way == NB_PACK_LOAD;
    uint64_t nodes = t->nodes, levels = t->levels;
    bool divided_on = t->divided_on;
    if (nb_pack_unsigned(k, &nodes, 2 * bodies) || nb_pack_unsigned(k, &levels, nodes) || nb_pack_flag(k, &divided_on))
        return -1;
    if (load && (levels == 0 || nodes * sizeof *t->node > k->size_bytes))
        return nb_tree_fail_loaded();
    if (load && reserve(t, bodies, (uint32_t)nodes, (uint32_t)levels))
        return -1;
    t->nodes = (uint32_t)nodes;
    t->levels = (uint32_t)levels;
    t->divided_on = divided_on;
    if (nb_pack_bytes(k, t->order, bodies * sizeof *t->order) || nb_pack_bytes(k, t->node, nodes * sizeof *t->node) ||
        nb_pack_bytes(k, t->level, (levels + 1) * sizeof *t->level))
        return -1;
    return !load || is_tree(t) ? 0 : nb_tree_fail_loaded();
}
