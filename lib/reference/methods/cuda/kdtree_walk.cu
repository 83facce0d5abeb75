/* kdtree_walk.cu - traversals of the k-d tree on the GPU.
 * - With visit=input, each thread walks independently for one body, as in kdtree_cpu_walk.c.
 * - With visit=leaf, bodies are processed in the order of the leaves. The bodies of a warp are then close to each
 *   other. The warp walks once for all of them, through all nodes that at least one of them visits. A body that has
 *   accepted a node ignores the nodes below it.
 * - With or without a stack, and for both values of `visit`, each body adds the same nodes in the same order. */
#include "reference/methods/cuda/kdtree_cuda.cuh"

/* Number of targets per thread if a warp walks together. A thread loads a node once for all its targets. But the more
 * targets a warp has, the more nodes it visits: with 64 targets 5 % more than with 32. Times measured on an H200 for
 * 10^6 bodies and lambda 4, with the kernel compiled for blocks of up to 256 threads:
 *     targets per thread    1      2      3      4      separate walks
 *     ms                    18.2   15.8   16.1   18.3   34.3
 * Compiled for up to 1024 threads, as here, the kernel needs 16.4 ms with 2 targets. */
#define SIDE_BY_SIDE 2
/* Nodes with an index below FLUSH are in the first 8 levels of the tree. When a walk arrives at such a node, the
 * partial sums are added to the totals, which are doubles. A partial sum thus has few terms and a small rounding
 * error. */
#define FLUSH 256

template <typename B> struct kdtree_target {
    B at;
    uint32_t leaf;
    uint32_t wake; /* 0: the target takes part in the walk (is awake); otherwise: node from which it takes part again */
    pair_sums<double> total;
    pair_sums<typename B::real> part;
};

/* Returns whether node i at squared distance d2 is opened for the target. limit: v.open2[i], the largest d2 at which
 * the node is opened. For a leaf, `limit` is negative: a leaf is never opened. A node is not opened if d2 is NaN, so
 * that a walk always ends. SMALL: lambda < 1, so d2 can exceed the limit for a node that contains the target; such a
 * node is always opened. */
template <bool SMALL, typename B>
static __device__ __forceinline__ bool is_opened(const kdtree_view<B> &v, uint32_t i, typename B::real d2,
                                                 typename B::real limit, const kdtree_target<B> &t)
{
    return d2 <= limit || (SMALL && i < v.n && nb_kdtree_holds(i, t.leaf));
}

/* Adds node s to the target's sums if `takes` is true. d, d2: offset and squared distance of the node from the
 * target. */
template <bool PHI, typename B>
static __device__ __forceinline__ void add_node(kdtree_target<B> &t, const kdtree_view<B> &v, const B &s,
                                                const pair_vector<typename B::real> &d, typename B::real d2, bool takes)
{
    typedef typename B::real real;
    real w, p;
    pair_weight(d2 + v.eps2, (real)s.m, w, p, PHI);
    w = takes ? w : 0;
    if (PHI)
        t.part.phi -= takes ? p : 0;
    t.part.ax = fma(w, d.x, t.part.ax);
    t.part.ay = fma(w, d.y, t.part.ay);
    t.part.az = fma(w, d.z, t.part.az);
}

/* Called when the walk arrives at node i. If i is below FLUSH, adds the partial sums to the totals, which are doubles.
 * A partial sum (in the precision of the pairs) thus contains at most the forces of one node of the eighth level, which
 * has about 1/128 of all bodies. */
template <int TARGETS, typename B>
static __device__ __forceinline__ void flush_above(kdtree_target<B> (&t)[TARGETS], uint32_t i)
{
    if constexpr (sizeof(typename B::real) < sizeof(double))
        if (i < FLUSH)
            for (int k = 0; k < TARGETS; k++) {
                pair_flush(t[k].total, t[k].part);
                t[k].part = {};
            }
}

/* With TOGETHER, returns whether `mine` is true in any thread of the warp. Otherwise returns `mine`. */
template <bool TOGETHER> static __device__ __forceinline__ bool any_of(bool mine)
{
    return TOGETHER ? __any_sync(~0u, mine) : mine;
}

/* A node, its offset and squared distance from each target of a thread, and whether each target opens or accepts it. */
template <int TARGETS, typename B> struct kdtree_view_of_node {
    B node;
    pair_vector<typename B::real> d[TARGETS];
    typename B::real d2[TARGETS];
    bool opened[TARGETS], takes[TARGETS]; /* exactly one of the two is true for each target that is awake */
};

/* Decides for each awake target of a thread whether it opens or accepts node i, and stores the decisions in n. Returns
 * whether at least one target opens the node. Sets *takes to whether at least one target accepts it. */
template <bool SMALL, int TARGETS, typename B>
static __device__ __forceinline__ bool look_at(kdtree_view_of_node<TARGETS, B> &n, const kdtree_target<B> (&t)[TARGETS],
                                               const kdtree_view<B> &v, uint32_t i, const bool (&awake)[TARGETS],
                                               bool *takes)
{
    n.node = v.node[i];
    const typename B::real limit = v.open2[i];
    bool opened = false;
    *takes = false;
#pragma unroll
    for (int k = 0; k < TARGETS; k++) {
        n.d[k] = pair_offset(n.node, t[k].at);
        n.d2[k] = kdtree_squared(n.d[k]);
        n.opened[k] = awake[k] && is_opened<SMALL>(v, i, n.d2[k], limit, t[k]);
        n.takes[k] = awake[k] && !n.opened[k];
        opened = opened || n.opened[k];
        *takes = *takes || n.takes[k];
    }
    return opened;
}

/* Adds node i to the sums of the targets that accept it. A target's own leaf is not added. */
template <bool PHI, int TARGETS, typename B>
static __device__ __forceinline__ void add_to(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v, uint32_t i,
                                              const kdtree_view_of_node<TARGETS, B> &n)
{
#pragma unroll
    for (int k = 0; k < TARGETS; k++)
        add_node<PHI>(t[k], v, n.node, n.d[k], n.d2[k], n.takes[k] && i != t[k].leaf);
}

template <bool PHI, bool SMALL, bool TOGETHER, int TARGETS, typename B>
static __device__ __forceinline__ void walk_stackless(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v)
{
    uint32_t i = 1;
    do {
        kdtree_view_of_node<TARGETS, B> n;
        bool awake[TARGETS], takes;
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            awake[k] = !TOGETHER || t[k].wake == 0;
        if (any_of<TOGETHER>(look_at<SMALL>(n, t, v, i, awake, &takes))) {
            if (TOGETHER && any_of<TOGETHER>(takes)) {
                add_to<PHI>(t, v, i, n);
#pragma unroll
                for (int k = 0; k < TARGETS; k++)
                    t[k].wake = n.takes[k] ? nb_kdtree_next(i) : t[k].wake;
            }
            i = 2 * i;
        } else {
            add_to<PHI>(t, v, i, n);
            i = nb_kdtree_next(i);
#pragma unroll
            for (int k = 0; k < TARGETS; k++)
                t[k].wake = t[k].wake == i ? 0 : t[k].wake;
            flush_above(t, i);
        }
    } while (i != 1);
}

/* Walks with a stack. stack[]: right children of opened nodes, which are visited later. who[k]: bit t is 1 if target t
 * of this thread opened the parent of stack[k]. */
template <bool PHI, bool SMALL, bool TOGETHER, int TARGETS, typename B>
static __device__ __forceinline__ void walk_stack(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v)
{
    uint32_t stack[NB_KDTREE_DEPTH_MAX], who[NB_KDTREE_DEPTH_MAX], i = 1;
    bool awake[TARGETS];
#pragma unroll
    for (int k = 0; k < TARGETS; k++)
        awake[k] = !TOGETHER || t[k].wake == 0;
    for (int count = 0;;) {
        kdtree_view_of_node<TARGETS, B> n;
        bool takes;
        uint32_t bits = 0;
        if (any_of<TOGETHER>(look_at<SMALL>(n, t, v, i, awake, &takes))) {
            if (TOGETHER && any_of<TOGETHER>(takes))
                add_to<PHI>(t, v, i, n);
#pragma unroll
            for (int k = 0; k < TARGETS; k++)
                bits |= (uint32_t)n.opened[k] << k;
            stack[count] = 2 * i + 1;
            if (TOGETHER)
                who[count] = bits;
            count++;
            i = 2 * i;
        } else {
            add_to<PHI>(t, v, i, n);
            if (count == 0)
                return;
            i = stack[--count];
            bits = TOGETHER ? who[count] : 1;
            flush_above(t, i);
        }
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            awake[k] = bits >> k & 1;
    }
}

/* Returns whether the positions and masses of all bodies are finite. Reads only the root: if the position or mass of
 * one body is not finite, the root's centre of mass or mass is not finite either. */
template <typename B> static __device__ bool is_finite(const B &root)
{
    return isfinite(root.x) && isfinite(root.y) && isfinite(root.z) && isfinite(root.m);
}

/* A thread owns TARGETS targets; a warp owns TARGETS times 32 consecutive targets. Threads without a target take part
 * in the walk of their warp. Reads v.node, v.open2 and v.body, and writes the results of the targets to `out`. */
template <typename B, bool PHI, bool STACK, bool SMALL, bool TOGETHER, int TARGETS>
static __global__ void __launch_bounds__(1024) walk_kernel(kdtree_view<B> v, nb_field out)
{
    const uint32_t lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x - lane) * TARGETS + lane;
    kdtree_target<B> t[TARGETS] = {};
#pragma unroll
    for (int k = 0; k < TARGETS; k++) {
        const uint32_t target = first + 32 * k;
        const bool live = target < v.n;
        t[k].leaf = !live ? v.n : v.leaf_of ? v.leaf_of[target] : v.n + target;
        t[k].wake = live ? 0 : ~0u;
        t[k].at = v.node[t[k].leaf];
    }
    if (!is_finite(v.node[1]))
        for (int k = 0; k < TARGETS; k++)
            t[k].total = {NAN, NAN, NAN, NAN};
    else if (STACK)
        walk_stack<PHI, SMALL, TOGETHER>(t, v);
    else
        walk_stackless<PHI, SMALL, TOGETHER>(t, v);
#pragma unroll
    for (int k = 0; k < TARGETS; k++) {
        pair_flush(t[k].total, t[k].part);
        if (first + 32 * k < v.n)
            pair_store<typename B::state>(out, t[k].total, v.G, v.body[t[k].leaf - v.n]);
    }
}

/* n threads; thread k writes n + k, the leaf of body[k], to leaf_of[body[k]]. */
static __global__ void note_leaves(uint32_t n, const uint32_t *body, uint32_t *leaf_of)
{
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < n)
        leaf_of[body[k]] = n + k;
}

template <typename B, bool SMALL, bool TOGETHER, int TARGETS>
static void launch(kdtree_work *w, const kdtree_view<B> &v, const nb_field *out, int threads)
{
    const uint32_t per_block = (uint32_t)threads * TARGETS;
    const bool stack = w->traverse == NB_KDTREE_STACK;
    auto kernel = out->phi ? (stack ? walk_kernel<B, true, true, SMALL, TOGETHER, TARGETS>
                                    : walk_kernel<B, true, false, SMALL, TOGETHER, TARGETS>)
                           : (stack ? walk_kernel<B, false, true, SMALL, TOGETHER, TARGETS>
                                    : walk_kernel<B, false, false, SMALL, TOGETHER, TARGETS>);
    kernel<<<(v.n + per_block - 1) / per_block, threads, 0, w->stream>>>(v, *out);
}

template <typename B> static int walk(kdtree_work *w, const nb_sources *s, const nb_field *out, int threads)
{
    typedef typename B::real real;
    kdtree_view<B> v = {(const B *)w->node.d,
                        (const real *)w->open2.d,
                        (const uint32_t *)w->body.d,
                        nullptr,
                        w->n,
                        (real)(s->softening * s->softening),
                        s->G};
    const bool small = w->lambda < 1;
    if (w->visit == NB_KDTREE_LEAF) {
        small ? launch<B, true, true, SIDE_BY_SIDE>(w, v, out, threads)
              : launch<B, false, true, SIDE_BY_SIDE>(w, v, out, threads);
        return NB_CUDA(cudaGetLastError());
    }
    if (nb_cuda_reserve(&w->leaf_of, w->n * sizeof(uint32_t)))
        return -1;
    v.leaf_of = (const uint32_t *)w->leaf_of.d;
    note_leaves<<<nb_blocks_for(w->n), NB_BLOCK, 0, w->stream>>>(w->n, v.body, (uint32_t *)w->leaf_of.d);
    small ? launch<B, true, false, 1>(w, v, out, threads) : launch<B, false, false, 1>(w, v, out, threads);
    return NB_CUDA(cudaGetLastError());
}

int kdtree_walk(kdtree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out, int threads)
{
    return precision == NB_SINGLE ? walk<body_single>(w, s, out, threads) : walk<body_double>(w, s, out, threads);
}
