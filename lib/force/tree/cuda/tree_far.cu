/* tree_far.cu - local expansions: multipole-to-local (M2L) from a node's list, and local-to-local (L2L) from the parent
 * to an inner node. Declared in tree_cuda.cuh. There is no L2L to leaves: the bodies of a leaf evaluate the expansions
 * of both the leaf and its parent (tree_near.cu). */
#include "force/tree/cuda/tree_m2p.cuh"

/* M2L, called by a warp: each lane adds the contribution of one source node to its own copy l[] of the local expansion
 * about c. there: whether the lane has a source. */
template <typename real>
static __device__ __forceinline__ void add_m2l(const tree_view<real> &t, const tree_centre &c, bool there,
                                               uint32_t source, real eps2, bool want_value, real *l)
{
    alignas(16) real q[NB_MOMENTS];
    real x = 1, y = 0, z = 0;
#pragma unroll
    for (int k = 0; k < NB_MOMENTS; k++)
        q[k] = 0;
    if (there) {
        typedef typename tree_vector16<real>::type vector16;
        const vector16 *from = (const vector16 *)(t.moments + (uint64_t)source * NB_MOMENTS);
        const tree_centre s = t.centre[source];
#pragma unroll
        for (int k = 0; k < (int)(NB_MOMENTS * sizeof(real) / sizeof(vector16)); k++)
            ((vector16 *)q)[k] = from[k];
        x = (real)(c.x - s.x), y = (real)(c.y - s.y), z = (real)(c.z - s.z);
    }
    expansion_local_add(l, q, x, y, z, eps2, want_value);
}

/* Called by a warp: sums 64 coefficients l[] over the lanes, in steps with N = 32, 16, ... Each step halves the number
 * of coefficients per lane. At the end l[0] and l[1] of lane L are coefficients 2 L and 2 L + 1. */
template <int N, typename real> static __device__ __forceinline__ void add_lanes(real *l)
{
    const bool upper = threadIdx.x & N / 2;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const real low = l[k], high = k + N < NB_LOCALS ? l[k + N] : 0;
        const real kept = upper ? high : low, sent = upper ? low : high;
        l[k] = kept + __shfl_xor_sync(~0u, sent, N / 2);
    }
    if constexpr (N > 2)
        add_lanes<N / 2>(l);
}

/* L2L, called by a warp: waits until the parent's expansion is complete, shifts it to the centre c of this node, and
 * adds it to l[] of lane 0. The other lanes do the same with zeros. */
template <typename real>
static __device__ __forceinline__ void add_parent(const tree_view<real> &t, const tree_centre &c, uint32_t parent,
                                                  const uint32_t *ready, real *l)
{
    const tree_centre from = t.centre[parent];
    real above[NB_LOCALS];
    while (*(const volatile uint32_t *)&ready[parent] < TREE_LOCAL_READY)
        __nanosleep(20);
    __threadfence();
#pragma unroll
    for (int k = 0; k < NB_LOCALS; k++)
        above[k] = threadIdx.x % 32 == 0 ? __ldcg(&t.local[(uint64_t)parent * NB_LOCALS + k]) : 0;
    expansion_local_shift(l, above, (real)(c.x - from.x), (real)(c.y - from.y), (real)(c.z - from.z));
}

/* ---- the work queue ---- */

/* Lanes in which node_words places the members of a node. */
enum { CENTRE = 0, LIST = 6, RANGE = 8, PARENT = 10, WORDS = 11 };

/* Called by a warp: loads 32-bit words that describe a node, one per lane, so that they take one register: centre
 * (three doubles, 6 words), list m2l, range and parent. A number `node` that is not in the tree gives zeros. */
template <typename real> static __device__ __forceinline__ uint32_t node_words(const tree_view<real> &t, uint32_t node)
{
    const uint32_t lane = threadIdx.x % 32;
    if (node >= t.nodes || lane >= WORDS)
        return 0;
    const uint32_t *from = lane < LIST    ? (const uint32_t *)&t.centre[node] + lane
                           : lane < RANGE ? (const uint32_t *)&t.m2l[node] + (lane - LIST)
                                          : (const uint32_t *)&t.range[node] + (lane - RANGE);
    return lane == PARENT ? t.parent[node] : *from;
}

static __device__ __forceinline__ uint32_t word(uint32_t words, int lane)
{
    return __shfl_sync(~0u, words, lane);
}

static __device__ __forceinline__ double double_of(uint32_t words, int lane)
{
    return __hiloint2double((int)word(words, lane + 1), (int)word(words, lane));
}

/* A node whose expansion a warp computes, or will compute next. */
struct far_node {
    uint32_t number, words; /* words: of node_words */
    bool wanted;            /* false: the node has no expansion, and its list is not valid */
    tree_reader list;
    uint32_t source, count; /* the first entries of the list, one per lane, and their number */
};

/* Sets `wanted`, and begins to read the list. Needs number and words. */
template <typename real> static __device__ __forceinline__ void begin_list(const tree_view<real> &t, far_node *node)
{
    const uint2 range = make_uint2(word(node->words, RANGE), word(node->words, RANGE + 1));
    const bool above = range.y - range.x > t.start_bodies && node->number < t.inner;
    node->wanted = node->number < t.nodes && !above && tree_overlap(range, t.share);
    node->list = {{word(node->words, LIST), node->wanted ? word(node->words, LIST + 1) : 0}, 0, 0};
    node->list.chunk = node->list.list.first;
    node->source = 0;
    node->count = tree_read(t.pool, &node->list, &node->source);
}

/* Computes local expansions, and M2P. A warp takes one node after the other from the work queue, and processes 32
 * sources of the node at a time, one per lane. While it computes a node, it loads what it needs to begin the next node:
 * these loads follow one another, and would otherwise take as long as the sums. The first warp of each block begins
 * with M2P, the others end with it, so that both kinds of work overlap. The WARPS warps of a block are independent; as
 * many blocks are launched as can be resident. Reads NB_MOMENTS elements of t.moments per source; writes NB_LOCALS
 * elements of t.local per node, two per lane. */
template <bool VALUE, typename B>
static __global__ void __launch_bounds__(32 * WARPS, sizeof(typename B::real) == 4 ? 3 : 2)
    expand(tree_view<typename B::real> t, tree_counters *counters, uint32_t *ready, m2p_lists lists, const B *bodies,
           m2p_call call)
{
    typedef typename B::real real;
    if (threadIdx.x < 32)
        take_m2p<VALUE>(t, lists, bodies, call);
    const real eps2 = (real)(call.eps * t.frame->length * (call.eps * t.frame->length));
    const uint32_t lane = threadIdx.x % 32;
    far_node node;
    node.number = word(lane == 0 ? tree_queued(t, atomicAdd(&counters->next_node[1], 1)) : 0, 0);
    node.words = node_words(t, node.number);
    begin_list(t, &node);
    while (node.number < t.nodes) {
        const uint32_t taken = lane == 0 ? tree_queued(t, atomicAdd(&counters->next_node[1], 1)) : 0;
        const uint32_t me = node.number, parent = word(node.words, PARENT);
        const uint2 above = me > 0 ? t.range[parent] : make_uint2(0, ~0u);
        const tree_centre centre = {double_of(node.words, CENTRE), double_of(node.words, CENTRE + 2),
                                    double_of(node.words, CENTRE + 4), 0};
        real l[NB_LOCALS];
#pragma unroll
        for (int k = 0; k < NB_LOCALS; k++)
            l[k] = 0;
        uint32_t next_source = node.source, count = node.count;
        while (count > 0) {
            const uint32_t source = next_source, here = count;
            count = tree_read(t.pool, &node.list, &next_source); /* loads the next entries while these are added */
            add_m2l(t, centre, lane < here, source, eps2, VALUE, l);
        }
        far_node next;
        next.number = word(taken, 0);
        next.words = node_words(t, next.number);
        if (node.wanted) {
            if (above.y - above.x <= t.start_bodies && me < t.inner)
                add_parent(t, centre, parent, ready, l);
            add_lanes<32>(l);
        }
        begin_list(t, &next);
        if (node.wanted) {
            if (2 * lane < NB_LOCALS) {
                t.local[(uint64_t)me * NB_LOCALS + 2 * lane] = l[0];
                t.local[(uint64_t)me * NB_LOCALS + 2 * lane + 1] = l[1];
            }
            if (me < t.inner) {
                __threadfence();
                __syncwarp();
                if (lane == 0)
                    *(volatile uint32_t *)&ready[me] = TREE_LOCAL_READY;
            }
        }
        node = next;
    }
    take_m2p<VALUE>(t, lists, bodies, call);
}

template <typename B>
int tree_far(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
             const nb_field *out)
{
    auto kernel = out->phi ? expand<true, B> : expand<false, B>;
    int blocks = 0;
    const uint32_t leaves = t.nodes - t.inner;
    /* Only inner nodes have a progress. The elements of the leaves are free. */
    const m2p_lists lists = {tree_ready_of(w) + t.inner, leaves, (tree_counters *)w->counters.d};
    const m2p_call call = {tree_order_of(w), s->softening, s->G, to, *out};
    list_leaves<<<nb_blocks_for(leaves), NB_BLOCK, 0, w->stream>>>(t, lists);
    if (NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * WARPS, 0)))
        return -1;
    kernel<<<blocks * w->processors, 32 * WARPS, 0, w->stream>>>(t, lists.counters, tree_ready_of(w), lists,
                                                                 (const B *)w->bodies.d, call);
    return NB_CUDA(cudaGetLastError());
}

template int tree_far<body_single>(tree_work *, const tree_view<body_single::real> &, const nb_sources *,
                                   const tree_targets &, const nb_field *);
template int tree_far<body_mixed>(tree_work *, const tree_view<body_mixed::real> &, const nb_sources *,
                                  const tree_targets &, const nb_field *);
template int tree_far<body_double>(tree_work *, const tree_view<body_double::real> &, const nb_sources *,
                                   const tree_targets &, const nb_field *);
