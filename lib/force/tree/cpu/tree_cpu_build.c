/* tree_cpu_build.c - computes the keys and the nodes of a tree, level by level. Declared in tree_cpu.h. Three passes
 * over the nodes of a level find where each node is divided, count the divided nodes, and write their children. Only
 * the first pass is parallel. The order of the nodes therefore does not depend on the number of threads. */
#include "force/tree/cpu/tree_cpu.h"
#include "force/tree/tree.h"

#include "base/error.h"

#include <stdlib.h>

#define SERIAL 2000
#define CELLS  (1u << 21) /* number of cells along each axis of the cube around the bodies */
/* result of division(): the node must be divided, but its bodies all have the same key */
#define NOT_BY_KEY   UINT32_MAX
#define FIRST_NODES  64
#define FIRST_LEVELS 32

/* Moves bit k of a 21-bit number to bit 3 k. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x001f00000000ffffu;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
}

/* Returns the index (0 to CELLS - 1) of the cell that contains coordinate x of one axis. Divides before multiplying,
 * because CELLS / size would overflow for very small sizes. */
static uint64_t cell_of(double x, double lo, double size)
{
    const double cell = size > 0 ? (x - lo) / size * CELLS : 0;
    return cell < CELLS - 1 ? (uint64_t)cell : CELLS - 1;
}

static uint64_t key_of(const double *x, const struct nb_tree_box *box, double size)
{
    return spread(cell_of(x[0], box->lo[0], size)) << 2 | spread(cell_of(x[1], box->lo[1], size)) << 1 |
           spread(cell_of(x[2], box->lo[2], size));
}

int nb_tree_keys(struct nb_tree *t, const struct nb_tree_input *in, const struct nb_tree_box *box)
{
    const double size = nb_tree_size(box);
    if (nb_tree_reserve_keys(t))
        return -1;
#pragma omp parallel for schedule(static) if (in->bodies > SERIAL)
    for (uint64_t i = 0; i < in->bodies; i++) {
        const double x[3] = {nb_tree_input_x(in, 0, i), nb_tree_input_x(in, 1, i), nb_tree_input_x(in, 2, i)};
        t->keys[i] = key_of(x, box, size);
        t->order[i] = (uint32_t)i;
    }
    return 0;
}

/* ---- division of a node ---- */

/* Finds the highest bit in which the sorted keys [begin, end) differ. Returns the first body whose key has this bit
 * set. */
static uint32_t first_beyond(const uint64_t *keys, uint32_t begin, uint32_t end)
{
    const uint64_t bit = 1ull << (63 - __builtin_clzll(keys[begin] ^ keys[end - 1]));
    uint32_t lo = begin, hi = end - 1; /* the key at lo lacks this bit, the key at hi has it */
    while (hi - lo > 1) {
        const uint32_t middle = lo + (hi - lo) / 2;
        *(keys[middle] & bit ? &hi : &lo) = middle;
    }
    return hi;
}

/* Returns whether the cell around a node is dense. bits: number of leading bits that are equal in all keys of the node.
 * The cell contains all bodies whose keys agree with the node's keys in the first (bits - NB_TREE_DENSE_BITS) bits. To
 * save time, these bodies are not counted: only every (NB_TREE_DENSE / 2)-th sorted body is tested, and the cell is
 * dense if it contains two successive tested bodies. */
static bool beside_dense(const struct nb_tree *t, const struct nb_tree_node *node, int bits)
{
    const int64_t spacing = NB_TREE_DENSE / 2, at = node->body_begin / spacing * spacing;
    const uint64_t key = t->keys[node->body_begin];
    bool in = false;
    bits = bits > NB_TREE_DENSE_BITS ? bits - NB_TREE_DENSE_BITS : 0;
    for (int64_t k = at - spacing; k <= at + 2 * spacing; k += spacing) {
        const bool before = in;
        in = k >= node->keys_begin && k < node->keys_end && (bits == 0 || (t->keys[k] ^ key) >> (64 - bits) == 0);
        if (before && in)
            return true;
    }
    return false;
}

/* Returns the index of the first body of the node's second child. Returns 0 if the node is a leaf, or NOT_BY_KEY if the
 * node must be divided but its bodies all have the same key. */
static uint32_t division(const struct nb_tree *t, const struct nb_tree_node *node)
{
    const bool few = node->body_end - node->body_begin <= NB_TREE_LEAF;
    const uint64_t differ = t->keys[node->body_begin] ^ t->keys[node->body_end - 1];
    if (differ == 0)
        return few ? 0 : NOT_BY_KEY;
    if (few && !beside_dense(t, node, __builtin_clzll(differ)))
        return 0;
    return first_beyond(t->keys, node->body_begin, node->body_end);
}

static struct nb_tree_box box_of(const struct nb_tree *t, uint32_t begin, uint32_t end)
{
    struct nb_tree_box box;
    for (int k = 0; k < 3; k++) {
        double lo = nb_tree_x(t, k, begin), hi = lo;
#pragma omp parallel for simd schedule(static) if (parallel                                              \
                                                   : end - begin > 100000) reduction(min                 \
                                                                                     : lo) reduction(max \
                                                                                                     : hi)
        for (uint32_t i = begin; i < end; i++) {
            const double x = nb_tree_x(t, k, i);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        box.lo[k] = lo;
        box.hi[k] = hi;
    }
    return box;
}

/* Divides a node whose bodies all have the same key. Sorts its bodies by new keys, which are computed from the
 * positions in the bounding box of these bodies. If all bodies are at the same point, each child gets half of them.
 * Sets first_child to the index of the first body of the second child. */
static int divide_on(struct nb_tree *t, const struct nb_tree_input *in, struct nb_tree_node *node)
{
    const uint32_t begin = node->body_begin, end = node->body_end;
    const struct nb_tree_box box = box_of(t, begin, end);
    const double size = nb_tree_size(&box);
    node->first_child = begin + (end - begin) / 2;
    if (!(size > 0))
        return 0;
#pragma omp parallel for schedule(static) if (end - begin > SERIAL)
    for (uint32_t i = begin; i < end; i++)
        t->keys[i] = key_of((double[3]){nb_tree_x(t, 0, i), nb_tree_x(t, 1, i), nb_tree_x(t, 2, i)}, &box, size);
    if (nb_tree_sort(end - begin, t->keys + begin, t->order + begin, t->spare_keys, t->spare_order))
        return -1;
    nb_tree_gather(t, in, begin, end);
    t->divided_on = true;
    node->keys_begin = begin;
    node->keys_end = end;
    node->first_child = first_beyond(t->keys, begin, end);
    return 0;
}

static int grow(void **p, size_t count, size_t size)
{
    void *larger = realloc(*p, count * size);
    *p = larger ? larger : *p;
    return larger ? 0 : nb_fail("no memory for the nodes of a tree");
}

int nb_tree_reserve_nodes(struct nb_tree *t, uint32_t nodes)
{
    if (nodes <= t->node_capacity)
        return 0;
    const uint32_t capacity = nodes > 2 * t->node_capacity ? nodes : 2 * t->node_capacity;
    if (grow((void **)&t->node, capacity, sizeof *t->node) || grow((void **)&t->ball, capacity, sizeof *t->ball))
        return -1;
    t->node_capacity = capacity;
    return 0;
}

int nb_tree_reserve_levels(struct nb_tree *t, uint32_t levels)
{
    if (levels <= t->level_capacity)
        return 0;
    if (grow((void **)&t->level, 2 * levels, sizeof *t->level))
        return -1;
    t->level_capacity = 2 * levels;
    return 0;
}

/* Sets first_child of each of the nodes [v0, v1) to the index of the first body of its second child, or to 0 if the
 * node is a leaf. write_children later replaces this index by a node number. */
static int divisions(struct nb_tree *t, const struct nb_tree_input *in, uint32_t v0, uint32_t v1)
{
#pragma omp parallel for schedule(static) if (v1 - v0 > SERIAL)
    for (uint32_t v = v0; v < v1; v++)
        t->node[v].first_child = division(t, &t->node[v]);
    for (uint32_t v = v0; v < v1; v++)
        if (t->node[v].first_child == NOT_BY_KEY && divide_on(t, in, &t->node[v]))
            return -1;
    return 0;
}

static void write_children(struct nb_tree *t, uint32_t v, uint32_t child)
{
    struct nb_tree_node *node = &t->node[v];
    t->node[child] = t->node[child + 1] = *node;
    t->node[child].body_end = t->node[child + 1].body_begin = node->first_child;
    t->node[child].parent = t->node[child + 1].parent = v;
    node->first_child = child;
}

/* Adds a level to the tree. The nodes [v0, v1) are the level above. */
static int next_level(struct nb_tree *t, const struct nb_tree_input *in, uint32_t v0, uint32_t v1)
{
    uint32_t next = v1, divided = 0;
    if (divisions(t, in, v0, v1))
        return -1;
    for (uint32_t v = v0; v < v1; v++)
        divided += t->node[v].first_child != 0;
    if (nb_tree_reserve_nodes(t, v1 + 2 * divided))
        return -1;
    for (uint32_t v = v0; v < v1; v++)
        if (t->node[v].first_child != 0) {
            write_children(t, v, next);
            next += 2;
        }
    t->nodes = next;
    return 0;
}

int nb_tree_build(struct nb_tree *t, const struct nb_tree_input *in)
{
    uint32_t v0 = 0;
    t->divided_on = false;
    t->levels = 0;
    if (nb_tree_reserve_nodes(t, FIRST_NODES) || nb_tree_reserve_levels(t, FIRST_LEVELS))
        return -1;
    t->node[0] = (struct nb_tree_node){0, (uint32_t)t->bodies, 0, 0, 0, (uint32_t)t->bodies};
    t->nodes = 1;
    t->level[0] = 0;
    while (v0 < t->nodes) {
        const uint32_t v1 = t->nodes;
        if (nb_tree_reserve_levels(t, t->levels + 2) || next_level(t, in, v0, v1))
            return -1;
        t->level[++t->levels] = v1;
        v0 = v1;
    }
    return 0;
}
