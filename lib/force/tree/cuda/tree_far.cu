/* tree_far.cu - local expansions: multipole-to-local (M2L) from a node's list, and local-to-local (L2L) from the parent
 * to an inner node. Declared in tree_cuda.cuh. There is no L2L to leaves: tree_near.cu evaluates the expansions of both
 * the leaf and its parent at the bodies of the leaf. */
#include "force/tree/cuda/tree_m2p.cuh"

/* M2L, called by a warp: each lane adds the contribution of one source node to its own copy l[] of the local expansion
 * about `c`. `there` is false if the lane has no source. */
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

/* Sums each of the 64 coefficients over the LANES lanes that compute a node, and distributes the sums over these lanes.
 * With p = 64 / LANES, l[q] of lane k is at the end the sum of coefficient k * p + q, for q < p. The function is
 * recursive: a call leaves N coefficients per lane (32 in the first call), the next call N / 2. */
template <int LANES, int N, typename real> static __device__ __forceinline__ void add_lanes(real *l)
{
    constexpr int distance = N * LANES / 64;
    const bool upper = threadIdx.x & distance;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const real low = l[k], high = k + N < NB_LOCALS ? l[k + N] : 0;
        const real kept = upper ? high : low, sent = upper ? low : high;
        l[k] = kept + __shfl_xor_sync(~0u, sent, distance);
    }
    if constexpr (distance > 1)
        add_lanes<LANES, N / 2>(l);
}

/* L2L, called by the lanes of a node. Waits until the expansion of the parent is complete, and shifts it to the centre
 * `c` of the node. The first lane adds the shifted expansion to its copy of l[]; the other lanes add zeros. */
template <int LANES, typename real>
static __device__ __forceinline__ void add_parent(const tree_view<real> &t, const tree_centre &c, uint32_t parent,
                                                  uint32_t *ready, real *l)
{
    typedef typename tree_vector16<real>::type vector16;
    const tree_centre from = t.centre[parent];
    alignas(16) real above[NB_LOCALS] = {};
    tree_await(&ready[parent], [](uint32_t progress) { return progress == TREE_LOCAL_READY; });
    if (threadIdx.x % LANES == 0)
#pragma unroll
        for (int k = 0; k < (int)(NB_LOCALS * sizeof(real) / sizeof(vector16)); k++)
            ((vector16 *)above)[k] = __ldcg((const vector16 *)(t.local + (uint64_t)parent * NB_LOCALS) + k);
    expansion_local_shift(l, above, (real)(c.x - from.x), (real)(c.y - from.y), (real)(c.z - from.z));
}

/* ---- the work queue ---- */

/* Indices of the 32-bit words that node_words loads: the first word of the centre, the list, the range and the parent
 * of a node. WORDS: number of words. */
enum { CENTRE = 0, LIST = 6, RANGE = 8, PARENT = 10, WORDS = 11 };

/* Called by the lanes of a node: loads 32-bit words that describe the node: centre (three doubles, 6 words), list m2l,
 * range and parent. Each lane loads one word, so the data of a node occupy only one register per lane. If no node has
 * the number `node`, all words are 0. */
template <int LANES, typename real>
static __device__ __forceinline__ uint32_t node_words(const tree_view<real> &t, uint32_t node)
{
    const uint32_t lane = threadIdx.x % LANES;
    if (node >= t.nodes || lane >= WORDS)
        return 0;
    const uint32_t *from = lane < LIST    ? (const uint32_t *)&t.centre[node] + lane
                           : lane < RANGE ? (const uint32_t *)&t.m2l[node] + (lane - LIST)
                                          : (const uint32_t *)&t.range[node] + (lane - RANGE);
    return lane == PARENT ? t.parent[node] : *from;
}

template <int LANES> static __device__ __forceinline__ uint32_t word(uint32_t words, int lane)
{
    return __shfl_sync(~0u, words, lane, LANES);
}

template <int LANES> static __device__ __forceinline__ double double_of(uint32_t words, int lane)
{
    return __hiloint2double((int)word<LANES>(words, lane + 1), (int)word<LANES>(words, lane));
}

/* A node whose expansion is computed by LANES lanes: the current node, or the next one, whose data are loaded early. */
struct far_node {
    uint32_t number, words; /* words: result of node_words */
    bool wanted;            /* false: the node has no expansion, and its list is not valid */
    tree_reader list;
    uint32_t source, count; /* source: the lane's next entry of the list; count: number of lanes that have an entry */
};

template <int LANES> static __device__ __forceinline__ void read_sources(const tree_pool &pool, far_node *node)
{
    tree_reader *r = &node->list;
    const uint32_t left = r->list.count - r->at, lane = threadIdx.x % LANES;
    node->count = left < LANES ? left : LANES;
    if (r->at > 0 && r->at % TREE_CHUNK == 0 && left > 0)
        r->chunk = __ldcg(&pool.next[r->chunk]);
    if (lane < node->count)
        node->source = __ldcg(&pool.entries[(uint64_t)r->chunk * TREE_CHUNK + r->at % TREE_CHUNK + lane]);
    r->at += node->count;
}

template <int LANES, typename real>
static __device__ __forceinline__ far_node begin_node(const tree_view<real> &t, uint32_t number, uint32_t words)
{
    const uint2 range = make_uint2(word<LANES>(words, RANGE), word<LANES>(words, RANGE + 1));
    const bool above = tree_is_above(t, range) && number < t.inner;
    const bool wanted = number < t.nodes && !above && tree_overlap(range, t.share);
    /* lanes with wanted = false also call word(), because all lanes must take part in its shuffle */
    const uint32_t first = word<LANES>(words, LIST), count = word<LANES>(words, LIST + 1);
    const tree_list list = {first, wanted ? count : 0};
    far_node node = {number, words, wanted, {list, list.first, 0}, 0, 0};
    read_sources<LANES>(t.pool, &node);
    return node;
}

/* Called by a warp: returns the number of the node that this lane processes. `taken` of lane 0 is the position of the
 * warp's first node in the work queue. If LANES is 16, the warp has a second node, at the next position. */
template <int LANES, typename real>
static __device__ __forceinline__ uint32_t queued_node(const tree_view<real> &t, uint32_t taken)
{
    return tree_queued(t, __shfl_sync(~0u, taken, 0) + threadIdx.x % 32 / LANES);
}

/* Computes local expansions, and M2P (multipole to particle).
 * - A warp repeatedly takes 32 / LANES nodes from the work queue, and processes LANES sources of a node at a time, one
 *   per lane. At the same time it loads the first data of its next nodes. Without this, the kernel would take twice as
 *   long, because each load needs the result of the load before.
 * - The first warp of each block begins with M2P, and the other warps end with M2P, so that both kinds of work overlap.
 * - The WARPS warps of a block are independent. As many blocks are launched as can be resident.
 * Reads NB_MOMENTS elements of t.moments per source; writes NB_LOCALS elements of t.local per node, 64 / LANES per
 * lane. */
template <int LANES, bool VALUE, typename B>
static __global__ void __launch_bounds__(32 * WARPS, sizeof(typename B::real) == 4 ? 3 : 2)
    expand(tree_view<typename B::real> t, tree_counters *counters, uint32_t *ready, m2p_lists lists, const B *bodies,
           m2p_call call)
{
    typedef typename B::real real;
    constexpr int PER = 64 / LANES; /* coefficients per lane after add_lanes */
    if (threadIdx.x < 32)
        take_m2p<VALUE>(t, lists, bodies, call);
    const real eps2 = (real)(call.eps * t.frame->length * (call.eps * t.frame->length));
    const uint32_t lane = threadIdx.x % LANES;
    const bool leader = threadIdx.x % 32 == 0, is_second = threadIdx.x % 32 >= LANES;
    uint32_t taken = leader ? atomicAdd(&counters->next_node[1], 32 / LANES) : 0;
    uint32_t number = queued_node<LANES>(t, taken);
    far_node node = begin_node<LANES>(t, number, node_words<LANES>(t, number));
    while (__any_sync(~0u, node.number < t.nodes)) {
        const uint32_t me = node.number, words = node.words, parent = word<LANES>(words, PARENT);
        /* The warp's second node has to wait if its parent is the warp's first node. Any other parent has a smaller
         * number than both nodes, so a warp has already taken it from the work queue. */
        const uint32_t first = __shfl_sync(~0u, me, 0);
        const bool waits = __any_sync(~0u, is_second && node.wanted && parent == first);
        const bool now = node.wanted && !(waits && is_second);
        if (leader && !waits)
            taken = atomicAdd(&counters->next_node[1], 32 / LANES);
        const uint2 parents = me > 0 ? t.range[parent] : make_uint2(0, ~0u);
        const tree_centre centre = {double_of<LANES>(words, CENTRE), double_of<LANES>(words, CENTRE + 2),
                                    double_of<LANES>(words, CENTRE + 4), 0};
        real l[NB_LOCALS];
#pragma unroll
        for (int k = 0; k < NB_LOCALS; k++)
            l[k] = 0;
        while (__any_sync(~0u, now && node.count > 0)) {
            const uint32_t source = node.source;
            const bool there = now && lane < node.count;
            read_sources<LANES>(t.pool, &node); /* loads the next sources while add_m2l adds the current sources */
            add_m2l(t, centre, there, source, eps2, VALUE, l);
        }
        number = queued_node<LANES>(t, taken);
        if (waits) /* the warp computes only the second node in the next round */
            number = is_second ? me : t.nodes;
        const uint32_t next_words = node_words<LANES>(t, number);
        if (now && !tree_is_above(t, parents) && me < t.inner)
            add_parent<LANES>(t, centre, parent, ready, l);
        __syncwarp();
        add_lanes<LANES, 32>(l);
        node = begin_node<LANES>(t, number, next_words);
        if (now && PER * lane < NB_LOCALS)
#pragma unroll
            for (int k = 0; k < PER; k++)
                t.local[(uint64_t)me * NB_LOCALS + PER * lane + k] = l[k];
        const bool has_children = now && me < t.inner;
        __syncwarp();
        if (has_children && lane == 0)
            tree_report(&ready[me], (uint32_t)TREE_LOCAL_READY);
    }
    take_m2p<VALUE>(t, lists, bodies, call);
}

template <typename B>
int tree_far(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
             const nb_field *out)
{
    /* In large systems, a warp computes two nodes at a time, with 16 lanes each. The lists are short (on average 46
     * sources in a sphere of a million bodies), so with 32 lanes per node, many lanes would be idle. In small systems,
     * a warp computes one node, because there are too few nodes to fill the GPU. */
    const auto kernel = w->n < TREE_LARGE ? (out->phi ? expand<32, true, B> : expand<32, false, B>)
                                          : (out->phi ? expand<16, true, B> : expand<16, false, B>);
    int blocks = 0;
    const uint32_t leaves = t.nodes - t.inner;
    /* The progress of leaves is not used. The lists for M2P are stored in these elements of the progress array. */
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
