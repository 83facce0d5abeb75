/* tree_top.cu - connects the domains of several devices. Finds the roots of a domain: the largest nodes whose bodies
 * are all in the domain. Computes the nodes above all roots, identically on each device. Declared in
 * tree_domains.cuh. */
#include "force/tree/cuda/tree_domains.cuh"
#include "force/tree/cuda/tree_inner.cuh"

/* ---- roots ---- */

/* Returns the first position in [first, end) whose key is at least `key`, or `end` if there is none. */
static __device__ int64_t first_place(const morton_keys &keys, int64_t first, int64_t end, uint64_t key)
{
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (keys.key[middle] < key)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Returns the range of sorted positions of those bodies of the domain [first, end) that are in one cell. A cell
 * contains all keys with the same upper bits. The keys of this cell agree with the key `neighbour` in the first
 * (bits - 1) bits, and differ in the next bit. `neighbour` is the key of the last body before the domain if `above` is
 * true, or of the first body after it if `above` is false. Returns an empty range if the cell is on the other side of
 * `neighbour` than the domain. */
static __device__ uint2 cell_beside(const morton_keys &keys, int64_t first, int64_t end, uint64_t neighbour, int bits,
                                    bool above)
{
    const uint64_t bit = 1ull << (64 - bits);
    if (((neighbour & bit) == 0) != above)
        return make_uint2(0, 0);
    const uint64_t low = (neighbour ^ bit) & ~(bit - 1);
    return make_uint2((uint32_t)first_place(keys, first, end, low),
                      (uint32_t)first_place(keys, first, end, low + (bit - 1) + 1));
}

/* Finds the roots of the domain with sorted positions [first, end): the largest nodes whose bodies are all in the
 * domain. One block of TREE_ROOTS threads. Each thread examines one cell (cell_beside), and the cell is a root if it
 * has bodies. In the first NB_DOMAINS_BITS threads, `neighbour` is the last key before the domain; in the other
 * threads, it is the first key after the domain. Writes the roots to root[], in the order of their keys, and their
 * number to *count. has_below, has_above: whether there are bodies before and after the domain, in the order of
 * keys. */
static __global__ void find_roots(morton_keys keys, int64_t first, int64_t end, bool has_below, bool has_above,
                                  tree_root *root, uint32_t *count)
{
    __shared__ uint2 cell[TREE_ROOTS];
    const int k = (int)threadIdx.x, bits = k < NB_DOMAINS_BITS ? NB_DOMAINS_BITS - k : k - NB_DOMAINS_BITS + 1;
    const uint64_t below = has_below ? keys.key[first - 1] : 0, above = has_above ? keys.key[end] : 0;
    const int shared = has_below && has_above ? __clzll((long long)(below ^ above)) + 1 : 0;
    const bool upper = k >= NB_DOMAINS_BITS, has = upper ? has_above : has_below;
    cell[k] =
        has && bits > shared ? cell_beside(keys, first, end, upper ? above : below, bits, !upper) : make_uint2(0, 0);
    __syncthreads();
    uint32_t place = 0;
    for (int j = 0; j < k; j++)
        place += cell[j].x < cell[j].y;
    const uint2 mine = cell[k];
    if (mine.x < mine.y)
        root[place] = {mine, {keys.key[mine.x], keys.key[mine.y - 1]}};
    if (k == TREE_ROOTS - 1)
        *count = place + (mine.x < mine.y);
}

int tree_find_roots(tree_work *w, tree_root *d_root, uint32_t *d_count)
{
    const int64_t first = (int64_t)w->first, end = (int64_t)(w->first + w->own_n);
    find_roots<<<1, TREE_ROOTS, 0, w->stream>>>(w->window, first, end, first > 0, end < (int64_t)w->n, d_root, d_count);
    return NB_CUDA(cudaGetLastError());
}

/* ---- nodes above the roots ---- */

/* Called by a warp: copies a structure. Its 32-bit words are distributed over the lanes. */
template <typename thing> static __device__ __forceinline__ void copy_words(thing *to, const thing *from)
{
    for (uint32_t k = threadIdx.x % 32; k < sizeof(thing) / sizeof(uint32_t); k += 32)
        ((uint32_t *)to)[k] = ((const uint32_t *)from)[k];
}

/* Copies the data of the roots of other domains from the memory of other devices. A node has the same number on all
 * devices. One warp per root. Writes the node numbers of the roots of all domains to number[top.roots]. */
template <typename real> static __global__ void take_roots(tree_view<real> t, tree_top top, uint32_t *number)
{
    const uint32_t root = blockIdx.x * (NB_BLOCK / 32) + threadIdx.x / 32;
    if (root >= top.roots)
        return;
    int k = 0;
    while (root >= top.end[k])
        k++;
    const tree_there &there = top.there[k];
    const uint32_t node = there.number[root - (k > 0 ? top.end[k - 1] : 0)];
    if (threadIdx.x % 32 == 0)
        number[root] = node;
    if (k == top.own)
        return;
    copy_words(&t.opening[node].ball, &((const tree_opening_record *)there.opening)[node].ball);
    copy_words(&t.centre[node], &((const tree_centre *)there.centre)[node]);
    copy_words(&t.box[node], &((const tree_box *)there.box)[node]);
    for (uint32_t q = threadIdx.x % 32; q < NB_MOMENTS; q += 32)
        t.moments[(uint64_t)node * NB_MOMENTS + q] = ((const real *)there.moments)[(uint64_t)node * NB_MOMENTS + q];
}

/* Computes the `nodes` nodes with bodies on several devices, from the lowest up to the root of the tree. One block.
 * Thread t computes the nodes t, t + blockDim.x, ... The children of node[v] are such nodes too, or roots of domains
 * (domains.h). */
template <typename real>
static __global__ void make_top(tree_view<real> t, const nb_domains_node *node, uint32_t nodes, int heights,
                                const uint32_t *number, uint2 *range, uint2 *children, uint32_t *parent)
{
    for (uint32_t v = threadIdx.x; v < nodes; v += blockDim.x) {
        const int32_t side[2] = {node[v].left, node[v].right};
        uint32_t child[2];
        for (int k = 0; k < 2; k++) {
            child[k] = side[k] < 0 ? number[~side[k]] : (uint32_t)side[k];
            parent[child[k]] = v;
        }
        children[v] = make_uint2(child[0], child[1]);
        /* not the exact range, but tree_is_above() is true for it, as it must be for these nodes */
        range[v] = make_uint2(0, t.n);
    }
    for (int height = 1; height <= heights; height++) {
        __syncthreads();
        for (uint32_t v = threadIdx.x; v < nodes; v += blockDim.x)
            if (node[v].height == height)
                store_summary(
                    t, v, *t.frame,
                    join_summaries(*t.frame, load_summary(t, t.children[v].x), load_summary(t, t.children[v].y)));
    }
}

template <typename real>
int tree_make_top(tree_work *w, const tree_view<real> &t, const tree_top &top, uint32_t *d_number,
                  const nb_domains_node *d_node, int heights)
{
    take_roots<<<(top.roots + NB_BLOCK / 32 - 1) / (NB_BLOCK / 32), NB_BLOCK, 0, w->stream>>>(t, top, d_number);
    make_top<<<1, 128, 0, w->stream>>>(t, d_node, w->top, heights, d_number, (uint2 *)w->range.d,
                                       (uint2 *)w->children.d, (uint32_t *)w->parent.d);
    return NB_CUDA(cudaGetLastError());
}

template int tree_make_top<float>(tree_work *, const tree_view<float> &, const tree_top &, uint32_t *,
                                  const nb_domains_node *, int);
template int tree_make_top<double>(tree_work *, const tree_view<double> &, const tree_top &, uint32_t *,
                                   const nb_domains_node *, int);
