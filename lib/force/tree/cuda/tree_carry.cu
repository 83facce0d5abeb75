/* tree_carry.cu - saves the tree to a checkpoint and loads it again (nb_force.carry). This is necessary only if several
 * evaluations use the same sorted order of the bodies. Declared in tree_cuda.cuh. */
#include "force/tree/cuda/tree_cuda.cuh"

/* Returns whether the data are a valid tree: the bodies of each parent are divided between its children, and a parent
 * has a smaller number than its children. */
static bool is_tree(const tree_work *w, uint64_t n, const uint2 *range, const uint2 *children, const uint32_t *parent)
{
    bool good = range[0].x == 0 && range[0].y == n;
    for (uint32_t v = 0; good && v < w->inner; v++) {
        const uint2 c = children[v];
        good = c.x > v && c.y > v && c.x < w->nodes && c.y < w->nodes && parent[c.x] == v && parent[c.y] == v &&
               range[c.x].x == range[v].x && range[c.x].y == range[c.y].x && range[c.y].y == range[v].y &&
               range[c.x].x < range[c.x].y && range[c.y].x < range[c.y].y;
    }
    return good;
}

static int pack_tree(tree_work *w, uint64_t n, struct nb_pack *k)
{
    const bool load = k->way == NB_PACK_LOAD;
    int leaf = (int)w->leaf;
    uint64_t inner = w->inner;
    if (nb_pack_int(k, &leaf, 1, TREE_LEAF_LARGE) || nb_pack_unsigned(k, &inner, n - 1) ||
        morton_pack(w->device, &w->sort, n, k))
        return -1;
    w->leaf = (uint32_t)leaf;
    w->inner = (uint32_t)inner;
    w->nodes = 2 * w->inner + 1;
    const size_t pairs = w->nodes * sizeof(uint2), numbers = w->nodes * sizeof(uint32_t);
    if (load && (pairs > k->size_bytes || nb_cuda_reserve(&w->range, pairs) || nb_cuda_reserve(&w->children, pairs) ||
                 nb_cuda_reserve(&w->parent, numbers)))
        return -1;
    size_t at[3];
    if ((at[0] = k->at, nb_device_pack(w->device, k, w->range.d, pairs)) ||
        (at[1] = k->at, nb_device_pack(w->device, k, w->children.d, pairs)) ||
        (at[2] = k->at, nb_device_pack(w->device, k, w->parent.d, numbers)))
        return -1;
    if (load && !is_tree(w, n, (const uint2 *)(k->data + at[0]), (const uint2 *)(k->data + at[1]),
                         (const uint32_t *)(k->data + at[2])))
        return nb_tree_fail_loaded();
    if (load) {
        w->n = w->sources = w->own_n = n;
        w->first = 0;
        w->top = w->first_node = 0;
        w->total = w->nodes;
    }
    return 0;
}

/* Implements nb_force.carry. Saves the order and the nodes only if more than one evaluation uses them. The loaded tree
 * may have other node numbers than the saved tree. Always saves two settings that earlier evaluations may have changed:
 * whether w->limit is TREE_LONG, and whether the stack of the walk was enlarged. */
int tree_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k)
{
    tree_work *w = (tree_work *)work;
    bool kept = w->rebuild > 1 && w->n == n && w->sources == n, no_limit = w->limit != TREE_LONG;
    bool enough = w->stack != TREE_STACK_USUAL;
    uint64_t served = w->served;
    if (nb_cuda_enter(device) || nb_pack_flag(k, &no_limit) || nb_pack_flag(k, &enough) || nb_pack_flag(k, &kept) ||
        nb_pack_unsigned(k, &served, UINT32_MAX))
        return -1;
    if (k->way == NB_PACK_LOAD) {
        w->limit = no_limit ? TREE_IS_LONG : TREE_LONG;
        w->stack = enough ? TREE_STACK_ENOUGH : TREE_STACK_USUAL;
        w->served = (unsigned)served;
        w->n = 0;
    }
    return kept ? pack_tree(w, n, k) : 0;
}
