/* tree_build.cu - builds all nodes in parallel from sorted keys (Karras 2012). Declared in tree_cuda.cuh. A position is
 * an index of the sorted bodies. The tree of Karras is divided down to single bodies: it has an inner node for each
 * pair of adjacent positions i, i + 1. This file keeps only the inner nodes that the rules in tree.h divide. */
#include "force/tree/cuda/tree_cuda.cuh"

/* flag in an element of `children`: the child has no node number yet. The rest of the element is the child's index in
 * nodes_out.rank, a position at which the child begins or ends */
#define INNER 0x80000000u

struct karras_node {
    int64_t first, last; /* the bodies at positions first to last */
    int depth;           /* number of bits shared by all keys of the node */
};

/* Returns whether a cell is dense. The cell contains all bodies whose keys share the upper `bits` bits with the key at
 * position i. To save time, the bodies are not counted: only every (NB_TREE_DENSE / 2)-th position is tested, and the
 * cell is dense if it contains two successive tested positions. A larger cell around a dense cell is then dense too, so
 * that the parent of a divided node is always divided. */
static __device__ bool is_dense(const morton_keys &keys, int64_t i, int bits)
{
    const int64_t spacing = NB_TREE_DENSE / 2, at = i / spacing * spacing;
    bool in[4];
    for (int k = 0; k < 4; k++)
        in[k] = morton_shared_bits(keys, i, at + (k - 1) * spacing) >= max(bits, 0);
    return (in[0] && in[1]) || (in[1] && in[2]) || (in[2] && in[3]);
}

struct rules {
    int leaf; /* maximum number of bodies in a leaf, a power of two */
    /* A node of two or more bodies is divided if its keys share fewer than `coarse_bits` upper bits. The cell of all
     * keys with these upper bits is then so large that, at the mean density, it would contain NB_TREE_DENSE bodies or
     * more. */
    int coarse_bits;
};

static __device__ bool is_divided(const morton_keys &keys, rules rule, int64_t first, int64_t last)
{
    if (last - first + 1 > rule.leaf || last == first)
        return last != first;
    const int bits = morton_shared_bits(keys, first, last);
    return bits < rule.coarse_bits || is_dense(keys, first, bits - NB_TREE_DENSE_BITS);
}

static __device__ karras_node node_between(const morton_keys &keys, int64_t i, int64_t other)
{
    return {i < other ? i : other, i < other ? other : i, morton_shared_bits(keys, i, other)};
}

/* An inner node of the tree of Karras that begins or ends at position i. `outside` is the number of bits that the key
 * at position i shares with the key at the adjacent position outside the node. */
struct karras_end {
    int64_t i;
    int d; /* 1: the node begins at i; -1: it ends at i */
    int outside;
};

/* Finds the node that begins or ends at position i, and sets *end. Returns false if this node is certainly not divided;
 * otherwise true, and is_divided decides later (find_node). The other end of the node is not yet known, but its keys
 * share at least end->outside + 1 bits. Returns true in three cases:
 * - the node has more than rule.leaf bodies;
 * - its keys may share fewer than rule.coarse_bits bits, so its cell could be large;
 * - it could be in a dense cell (is_dense). */
static __device__ bool find_end(const morton_keys &keys, rules rule, int64_t i, karras_end *end)
{
    const int after = morton_shared_bits(keys, i, i + 1), before = morton_shared_bits(keys, i, i - 1);
    *end = {i, after > before ? 1 : -1, min(after, before)};
    return morton_shared_bits(keys, i, i + end->d * rule.leaf) > end->outside || end->outside + 1 < rule.coarse_bits ||
           is_dense(keys, i, end->outside + 1 - NB_TREE_DENSE_BITS);
}

/* Finds the other end of the node that has the end `end`. If the node is divided, sets *node and returns true. */
static __device__ bool find_node(const morton_keys &keys, rules rule, const karras_end &end, karras_node *node)
{
    const int64_t i = end.i;
    const int d = end.d, outside = end.outside;
    int64_t reach = rule.leaf, length = 0;
    while (morton_shared_bits(keys, i, i + d * reach) > outside)
        reach *= 4;
    for (int64_t step = reach / 2; step > 0; step /= 2)
        if (morton_shared_bits(keys, i, i + d * (length + step)) > outside)
            length += step;
    const int64_t other = i + d * length;
    if (!is_divided(keys, rule, i < other ? i : other, i < other ? other : i))
        return false;
    *node = node_between(keys, i, other);
    return true;
}

/* Returns the position s at which a node is divided: its children are the bodies at positions first to s, and s + 1 to
 * last. */
static __device__ int64_t find_split(const morton_keys &keys, const karras_node &node)
{
    const int64_t length = node.last - node.first;
    int64_t split = 0;
    for (int64_t step = length, done = 0; !done;) {
        done = step == 1;
        step = (step + 1) / 2;
        if (split + step < length && morton_shared_bits(keys, node.first, node.first + split + step) > node.depth)
            split += step;
    }
    return node.first + split;
}

/* Own positions: the positions [first, end), which belong to this device. n: number of positions of all devices. */
struct own_places {
    int64_t first, end, n;
};

/* Finds the divided nodes of this device: the nodes that contain own positions only. One thread per own position. A
 * block first collects the few ends of nodes that may be divided. Only these nodes are then searched. Results:
 *     counts[d]                for d < TREE_DEPTHS: increased by the number of nodes found at depth d
 *     counts[TREE_DEPTHS]      increased by the number of all nodes found
 *     counts[TREE_UNSORTED]    1 if a key is smaller than its predecessor; the other results are then invalid
 *     found                    for each node found, the position i of one of its two ends, roughly in order
 *     other[i]                 position of the other end of this node */
static __global__ void find_nodes(morton_keys keys, own_places own, rules rule, uint32_t *counts, uint32_t *found,
                                  uint32_t *other)
{
    __shared__ uint32_t here[TREE_DEPTHS], end_count;
    __shared__ karras_end ends[NB_BLOCK];
    if (threadIdx.x < TREE_DEPTHS)
        here[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        end_count = 0;
    __syncthreads();
    const int64_t i = own.first + (int64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    karras_end end;
    const bool is_end = i < own.end && i < own.n - 1 && find_end(keys, rule, i, &end);
    if (i < own.end && i > own.first && keys.key[i - 1] > keys.key[i])
        counts[TREE_UNSORTED] = 1;
    const uint32_t place = tree_take_places(is_end, &end_count);
    if (is_end)
        ends[place] = end;
    __syncthreads();
    karras_node node;
    const bool divided = threadIdx.x < end_count && find_node(keys, rule, ends[threadIdx.x], &node) &&
                         node.first >= own.first && node.last < own.end;
    const uint32_t to = tree_take_places(divided, &counts[TREE_DEPTHS]);
    if (divided) {
        const int64_t at = ends[threadIdx.x].i;
        found[to] = (uint32_t)at;
        other[at] = (uint32_t)(node.first == at ? node.last : node.first);
        atomicAdd(&here[node.depth], 1);
    }
    __syncthreads();
    if (threadIdx.x < TREE_DEPTHS && here[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}

struct nodes_out {
    uint2 *range, *children;
    uint32_t *parent;
    /* rank[i] belongs to the node that was found from its end at position i (find_nodes). It is first the position of
     * the node's other end, and later the node's number */
    uint32_t *rank;
    /* places[d], d < TREE_DEPTHS: next free node number for inner nodes of depth d. places[TREE_DEPTHS]: next free node
     * number for leaves */
    uint32_t *places;
    uint32_t first, inner; /* the inner nodes of this device have the numbers [first, inner) */
};

/* Returns the element of `children` for the child with the bodies first to last.
 * - If the child is a leaf, creates it with the number *leaves, increases *leaves, and returns the number.
 * - If the child is divided, another thread creates it. Returns `karras`, the child's index in out.rank, with the flag
 *   INNER. join_nodes later replaces this index by the child's number. */
static __device__ uint32_t make_child(const nodes_out &out, bool divided, int64_t first, int64_t last, int64_t karras,
                                      uint32_t parent, uint32_t *leaves)
{
    if (divided)
        return INNER | (uint32_t)karras;
    const uint32_t number = (*leaves)++;
    out.range[number] = make_uint2((uint32_t)first, (uint32_t)last + 1);
    out.parent[number] = parent;
    return number;
}

/* Creates nodes. One thread per inner node, which begins or ends at position found[k]. A block reserves the numbers of
 * its inner nodes of each depth, and of its leaves, with one atomic operation each. Writes range, children and rank of
 * inner nodes, and range and parent of leaves. Node numbers may differ from run to run, but results do not depend on
 * them. */
static __global__ void make_nodes(morton_keys keys, rules rule, const uint32_t *found, nodes_out out)
{
    __shared__ uint32_t here[TREE_DEPTHS + 1];
    if (threadIdx.x <= TREE_DEPTHS)
        here[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    const bool there = k < out.inner - out.first;
    const int64_t i = there ? found[k] : 0;
    const karras_node node = there ? node_between(keys, i, out.rank[i]) : karras_node{};
    const int64_t split = there ? find_split(keys, node) : 0;
    const bool left = there && is_divided(keys, rule, node.first, split);
    const bool right = there && is_divided(keys, rule, split + 1, node.last);
    const uint32_t leaves = there ? !left + !right : 0;
    uint32_t before = leaves;
    for (int distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(~0u, before, distance);
        if (threadIdx.x % 32 >= distance)
            before += other;
    }
    uint32_t base = 0;
    if (threadIdx.x % 32 == 31 && before > 0)
        base = atomicAdd(&here[TREE_DEPTHS], before);
    const uint32_t place = there ? atomicAdd(&here[node.depth], 1) : 0;
    __syncthreads();
    if (threadIdx.x <= TREE_DEPTHS && here[threadIdx.x] > 0)
        here[threadIdx.x] = atomicAdd(&out.places[threadIdx.x], here[threadIdx.x]);
    __syncthreads();
    base = here[TREE_DEPTHS] + __shfl_sync(~0u, base, 31) + before - leaves;
    if (!there)
        return;
    const uint32_t me = here[node.depth] + place;
    out.rank[i] = me;
    out.range[me] = make_uint2((uint32_t)node.first, (uint32_t)node.last + 1);
    uint2 children;
    children.x = make_child(out, left, node.first, split, split, me, &base);
    children.y = make_child(out, right, split + 1, node.last, split + 1, me, &base);
    out.children[me] = children;
}

static __device__ uint32_t resolve(const nodes_out &out, uint32_t child, uint32_t parent)
{
    if (child & INNER) {
        child = out.rank[child & ~INNER];
        out.parent[child] = parent;
    }
    return child;
}

/* Replaces children's positions by numbers, and sets the children's parents. One thread per inner node. */
static __global__ void join_nodes(nodes_out out)
{
    const uint32_t i = out.first + blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= out.inner)
        return;
    uint2 children = out.children[i];
    children.x = resolve(out, children.x, i);
    children.y = resolve(out, children.y, i);
    out.children[i] = children;
}

/* ---- roots ---- */

/* Returns whether the bodies at positions [first, end) are a divided node. If so, sets *place to the index of this node
 * in out.rank: `first` or end - 1. */
static __device__ bool is_inner(const morton_keys &keys, rules rule, int64_t first, int64_t end, int64_t *place)
{
    karras_end at;
    karras_node node;
    if (!is_divided(keys, rule, first, end - 1))
        return false;
    const bool begins = find_end(keys, rule, first, &at) && find_node(keys, rule, at, &node) && node.first == first &&
                        node.last == end - 1;
    *place = begins ? first : end - 1;
    return true;
}

/* Completes the roots. Root k is the node with the bodies at positions root[k]. Its parent has bodies on several
 * devices, and make_top (tree_top.cu) creates it later. One thread per root:
 * - If the root is a leaf, creates it. Other roots exist already.
 * - Writes the node number of the root to number[k].
 * - Sets the parent of the root to parent[k], the node number of this parent, or to 0 if `parent` is NULL. */
static __global__ void make_roots(morton_keys keys, rules rule, const uint2 *root, const uint32_t *parent,
                                  uint32_t count, uint32_t *number, nodes_out out)
{
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    int64_t place;
    if (k >= count)
        return;
    if (is_inner(keys, rule, root[k].x, root[k].y, &place))
        number[k] = out.rank[place];
    else {
        number[k] = atomicAdd(&out.places[TREE_DEPTHS], 1);
        out.range[number[k]] = root[k];
    }
    out.parent[number[k]] = parent ? parent[k] : 0;
}

static rules rules_of(const tree_work *w)
{
    return {(int)w->leaf, w->n < NB_TREE_DENSE ? 0 : 63 - __builtin_clzll(w->n / NB_TREE_DENSE) + 1};
}

/* Returns the memory for the list of the positions of divided nodes. This is the first half of the working space of the
 * sort, which has 8 bytes for each position of this device. */
static uint32_t *found_places(const tree_work *w)
{
    return (uint32_t *)(w->window.key + w->window.high);
}

/* Returns the memory for the array nodes_out.rank: the second half of the working space of the sort (found_places
 * returns the first half). */
static uint32_t *ranks(const tree_work *w)
{
    return found_places(w) + w->own_n;
}

int tree_find(tree_work *w)
{
    const size_t counts = TREE_TALLY * sizeof(uint32_t);
    const own_places own = {(int64_t)w->first, (int64_t)(w->first + w->own_n), (int64_t)w->n};
    if (nb_cuda_reserve(&w->depth_counts, counts) || NB_CUDA(cudaMemsetAsync(w->depth_counts.d, 0, counts, w->stream)))
        return -1;
    w->leaf = w->n < TREE_LARGE ? NB_TREE_LEAF : TREE_LEAF_LARGE;
    if (w->n > w->leaf)
        find_nodes<<<nb_blocks_for(w->own_n), NB_BLOCK, 0, w->stream>>>(
            w->window, own, rules_of(w), (uint32_t *)w->depth_counts.d, found_places(w), ranks(w) - w->first);
    return NB_CUDA(cudaGetLastError());
}

void tree_count(tree_work *w, uint32_t first_node, uint32_t roots, uint32_t *counts)
{
    uint32_t next = first_node;
    for (int k = 0; k < TREE_DEPTHS; k++) {
        const uint32_t count = counts[k];
        counts[k] = next;
        next += count;
    }
    counts[TREE_DEPTHS] = next;
    w->first_node = first_node;
    w->inner = next;
    w->nodes = first_node + 2 * (next - first_node) + roots;
}

int tree_make(tree_work *w, const uint32_t *counts, const uint2 *d_root, const uint32_t *d_parent, uint32_t roots,
              uint32_t *d_number)
{
    const rules rule = rules_of(w);
    const uint32_t inner = w->inner - w->first_node;
    const nodes_out out = {(uint2 *)w->range.d,
                           (uint2 *)w->children.d,
                           (uint32_t *)w->parent.d,
                           ranks(w) - w->first,
                           (uint32_t *)w->depth_counts.d,
                           w->first_node,
                           w->inner};
    if (NB_CUDA(cudaMemcpyAsync(w->depth_counts.d, counts, (TREE_DEPTHS + 1) * sizeof *counts, cudaMemcpyHostToDevice,
                                w->stream)))
        return -1;
    if (inner > 0) {
        make_nodes<<<nb_blocks_for(inner), NB_BLOCK, 0, w->stream>>>(w->window, rule, found_places(w), out);
        join_nodes<<<nb_blocks_for(inner), NB_BLOCK, 0, w->stream>>>(out);
    }
    if (roots > 0)
        make_roots<<<nb_blocks_for(roots), NB_BLOCK, 0, w->stream>>>(w->window, rule, d_root, d_parent, roots, d_number,
                                                                     out);
    return NB_CUDA(cudaGetLastError());
}

int tree_reserve_shape(tree_work *w, uint64_t total)
{
    return nb_status(nb_cuda_reserve(&w->range, total * sizeof(uint2)) ||
                     nb_cuda_reserve(&w->children, total * sizeof(uint2)) ||
                     nb_cuda_reserve(&w->parent, total * sizeof(uint32_t)));
}

/* Creates a root that is a leaf with all n bodies. One thread. */
static __global__ void make_root_leaf(uint2 *range, uint32_t n)
{
    range[0] = make_uint2(0, n);
}

int tree_build_begin(tree_work *w)
{
    w->window = {(const uint64_t *)w->sort.keys.d, 0, (int64_t)w->n};
    w->first = 0;
    w->own_n = w->n;
    w->top = 0;
    return nb_status(tree_find(w) ||
                     NB_CUDA(cudaMemcpyAsync(w->host->counts, w->depth_counts.d, sizeof w->host->counts,
                                             cudaMemcpyDeviceToHost, w->stream)) ||
                     NB_CUDA(cudaEventRecord(w->copied, w->stream)));
}

int tree_build(tree_work *w, bool *in_order)
{
    uint32_t *counts = w->host->counts;
    if (NB_CUDA(cudaEventSynchronize(w->copied)))
        return -1;
    *in_order = !counts[TREE_UNSORTED];
    if (!*in_order)
        return 0;
    tree_count(w, 0, 1, counts);
    w->total = w->nodes;
    if (tree_reserve_shape(w, w->total))
        return -1;
    if (w->inner > 0)
        return tree_make(w, counts, nullptr, nullptr, 0, nullptr);
    make_root_leaf<<<1, 1, 0, w->stream>>>((uint2 *)w->range.d, (uint32_t)w->n);
    return NB_CUDA(cudaGetLastError());
}
