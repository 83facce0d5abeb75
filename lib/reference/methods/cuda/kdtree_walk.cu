/* Walks of the tree. A body by itself walks as in kdtree_cpu_walk.c. Where bodies walk in the order of the leaves the
 * 32 of a warp are neighbours and go together, through all nodes that one of them comes to: a node is then one load for
 * all, and one that has taken a node sleeps until the others have left it. A body adds the same nodes in the same order
 * in either way, with a stack or without. */
#include "reference/methods/cuda/kdtree_cuda.cuh"

/* Targets of a thread, where a warp goes together: a node's load, the vote and the next node's number serve all of
 * them, but 64 neighbours come to 5 % more nodes than 32. On an H200 with 10^6 bodies and lambda 4 a walk compiled for
 * blocks of up to 256 takes 18.2, 15.8, 16.1 and 18.3 ms with 1 to 4, and 34.3 ms where each goes by itself (for blocks
 * of up to 1024, as here, 16.4 ms with 2); it is the instructions that take the time. */
#define SIDE_BY_SIDE 2
#define FLUSH        256 /* sums go into those in double where a node of the levels above this number is come to */

template <typename B> struct kdtree_target {
    B at;
    uint32_t leaf;
    uint32_t wake; /* where it sleeps: the node at which it goes on; else 0 */
    pair_sums<double> total;
    pair_sums<typename B::real> part;
};

/* Does node i at squared distance d2 have to be opened for the target? A leaf never, whose limit is negative; nor what
 * is not finite, so that a walk ends at the leaves whatever the numbers. SMALL: lambda is below 1. */
template <bool SMALL, typename B>
static __device__ __forceinline__ bool is_opened(const kdtree_view<B> &v, uint32_t i, typename B::real d2,
                                                 typename B::real limit, const kdtree_target<B> &t)
{
    return d2 <= limit || (SMALL && i < v.n && nb_kdtree_holds(i, t.leaf));
}

/* Adds node s at offset d and squared distance d2 where `takes`, and nothing else. */
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

/* At a node of the first levels, come to from another branch: a 256th of all bodies at most is summed in the pairs' own
 * precision. */
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

/* Of a warp, or of the thread by itself. */
template <bool TOGETHER> static __device__ __forceinline__ bool any_of(bool mine)
{
    return TOGETHER ? __any_sync(~0u, mine) : mine;
}

/* A node as the targets of a thread see it. */
template <int TARGETS, typename B> struct kdtree_view_of_node {
    B node;
    pair_vector<typename B::real> d[TARGETS];
    typename B::real d2[TARGETS];
    bool opened[TARGETS], takes[TARGETS]; /* by those that are awake; one of them each */
};

/* Those that are awake look at node i. Does one of them open it? And *takes: does one not? */
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

/* Adds node i to those that take it: not a leaf to itself. */
template <bool PHI, int TARGETS, typename B>
static __device__ __forceinline__ void add_to(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v, uint32_t i,
                                              const kdtree_view_of_node<TARGETS, B> &n)
{
#pragma unroll
    for (int k = 0; k < TARGETS; k++)
        add_node<PHI>(t[k], v, n.node, n.d[k], n.d2[k], n.takes[k] && i != t[k].leaf);
}

/* A walk without a stack. */
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

/* A walk that keeps the right children of what it opened, and for whom. */
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

/* Results where a position or a mass is not finite. */
template <typename B> static __device__ bool is_finite(const B &root)
{
    return isfinite(root.x) && isfinite(root.y) && isfinite(root.z) && isfinite(root.m);
}

/* A thread TARGETS targets, all of a warp to the end: each 32 of them side by side. */
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

/* A thread a leaf. */
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
