/* Walks of the tree. A body by itself walks as in kdtree_cpu_walk.c. Where bodies walk in the order of the leaves the
 * 32 of a warp are neighbours and go together, through all nodes that one of them comes to: a node is then one load for
 * all, and one that has taken a node sleeps until the others have left it. A body adds the same nodes in the same order
 * in either way, with a stack or without. */
#include "force/methods/cuda/kdtree_cuda.cuh"

#define SIDE_BY_SIDE 2   /* targets of a thread, where a warp goes together */
#define FLUSH        256 /* sums go into those in double where a node of the levels above this number is come to */

template <typename B> struct kdtree_target {
    B at;
    uint32_t leaf;
    uint32_t wake; /* where it sleeps: the node at which it goes on; else 0 */
    pair_sums<double> total;
    pair_sums<typename B::real> part;
};

/* Does node i at squared distance d2 have to be opened for the target? A leaf never, whose limit is negative; nor what
 * is not finite, so that a walk ends at the leaves whatever the numbers. */
template <typename B>
static __device__ __forceinline__ bool is_opened(const kdtree_view<B> &v, uint32_t i, typename B::real d2,
                                                 typename B::real limit, const kdtree_target<B> &t)
{
    return d2 <= limit || (v.small_lambda && i < v.n && nb_kdtree_holds(i, t.leaf));
}

template <bool PHI, typename B>
static __device__ __forceinline__ void add_node(kdtree_target<B> &t, const kdtree_view<B> &v, const B &s,
                                                typename B::real d2)
{
    typedef typename B::real real;
    const pair_vector<real> d = pair_offset(s, t.at);
    real w, p;
    pair_weight(d2 + v.eps2, (real)s.m, w, p, PHI);
    if (PHI)
        t.part.phi -= p;
    t.part.ax = fma(w, d.x, t.part.ax);
    t.part.ay = fma(w, d.y, t.part.ay);
    t.part.az = fma(w, d.z, t.part.az);
}

/* A 256th of all bodies at most is summed in the pairs' own precision. */
template <typename B> static __device__ __forceinline__ void flush_above(kdtree_target<B> &t, uint32_t i)
{
    if (sizeof(typename B::real) < sizeof(double) && i < FLUSH) {
        pair_flush(t.total, t.part);
        t.part = {};
    }
}

/* The target at node i, where it is awake: adds it, or is told to open it. */
template <bool PHI, typename B>
static __device__ __forceinline__ bool come_to(kdtree_target<B> &t, const kdtree_view<B> &v, uint32_t i, const B &s,
                                               typename B::real limit, bool awake)
{
    const typename B::real d2 = kdtree_distance2(s, t.at);
    const bool opened = awake && is_opened(v, i, d2, limit, t);
    flush_above(t, i);
    if (awake && !opened && i != t.leaf)
        add_node<PHI>(t, v, s, d2);
    return opened;
}

/* A walk without a stack. */
template <bool PHI, bool TOGETHER, int TARGETS, typename B>
static __device__ void walk_stackless(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v)
{
    uint32_t i = 1;
    do {
        const B s = v.node[i];
        const typename B::real limit = v.open2[i];
        bool awake[TARGETS], opened[TARGETS], any = false;
#pragma unroll
        for (int k = 0; k < TARGETS; k++) {
            if (TOGETHER && i == t[k].wake)
                t[k].wake = 0;
            awake[k] = !TOGETHER || t[k].wake == 0;
            opened[k] = come_to<PHI>(t[k], v, i, s, limit, awake[k]);
            any = any || opened[k];
        }
        const uint32_t next = nb_kdtree_next(i);
        if (TOGETHER ? __any_sync(~0u, any) : any) {
#pragma unroll
            for (int k = 0; k < TARGETS; k++)
                if (TOGETHER && awake[k] && !opened[k])
                    t[k].wake = next;
            i = 2 * i;
        } else
            i = next;
    } while (i != 1);
}

/* A walk that keeps the right children of what it opened, and for whom. */
template <bool PHI, bool TOGETHER, int TARGETS, typename B>
static __device__ void walk_stack(kdtree_target<B> (&t)[TARGETS], const kdtree_view<B> &v)
{
    uint32_t stack[NB_KDTREE_DEPTH_MAX], who[NB_KDTREE_DEPTH_MAX], i = 1, awake = 0;
#pragma unroll
    for (int k = 0; k < TARGETS; k++)
        awake |= (uint32_t)(t[k].wake == 0) << k;
    for (int count = 0;;) {
        const B s = v.node[i];
        const typename B::real limit = v.open2[i];
        uint32_t opened = 0;
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            opened |= (uint32_t)come_to<PHI>(t[k], v, i, s, limit, awake >> k & 1) << k;
        if (TOGETHER ? __any_sync(~0u, opened) : opened) {
            stack[count] = 2 * i + 1;
            if (TOGETHER)
                who[count] = awake = opened;
            count++;
            i = 2 * i;
        } else {
            if (count == 0)
                return;
            i = stack[--count];
            if (TOGETHER)
                awake = who[count];
        }
    }
}

/* Results where a position or a mass is not finite. */
template <typename B> static __device__ bool is_finite(const B &root)
{
    return isfinite(root.x) && isfinite(root.y) && isfinite(root.z) && isfinite(root.m);
}

/* A thread TARGETS targets, all of a warp to the end: each 32 of them side by side. */
template <typename B, bool PHI, bool STACK, bool TOGETHER, int TARGETS>
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
        walk_stack<PHI, TOGETHER>(t, v);
    else
        walk_stackless<PHI, TOGETHER>(t, v);
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

template <typename B, bool STACK, bool TOGETHER, int TARGETS>
static void launch(kdtree_work *w, const kdtree_view<B> &v, const nb_field *out, int threads)
{
    const uint32_t per_block = (uint32_t)threads * TARGETS;
    auto kernel =
        out->phi ? walk_kernel<B, true, STACK, TOGETHER, TARGETS> : walk_kernel<B, false, STACK, TOGETHER, TARGETS>;
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
                        w->lambda < 1,
                        s->G};
    const bool stack = w->traverse == NB_KDTREE_STACK;
    if (w->visit == NB_KDTREE_LEAF) {
        stack ? launch<B, true, true, SIDE_BY_SIDE>(w, v, out, threads)
              : launch<B, false, true, SIDE_BY_SIDE>(w, v, out, threads);
        return NB_CUDA(cudaGetLastError());
    }
    if (nb_cuda_reserve(&w->leaf_of, w->n * sizeof(uint32_t)))
        return -1;
    v.leaf_of = (const uint32_t *)w->leaf_of.d;
    note_leaves<<<nb_blocks_for(w->n), NB_BLOCK, 0, w->stream>>>(w->n, v.body, (uint32_t *)w->leaf_of.d);
    stack ? launch<B, true, false, 1>(w, v, out, threads) : launch<B, false, false, 1>(w, v, out, threads);
    return NB_CUDA(cudaGetLastError());
}

int kdtree_walk(kdtree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out, int threads)
{
    return precision == NB_SINGLE ? walk<body_single>(w, s, out, threads) : walk<body_double>(w, s, out, threads);
}
