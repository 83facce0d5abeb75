/* tree_inner.cu - computes all inner nodes from the leaves up. Declared in tree_cuda.cuh. */
#include "force/tree/cuda/tree_inner.cuh"

/* From this number of bodies on, erasing all summaries takes longer than it saves. */
#define ERASE_MOST 3000000
#define THREADS    64 /* threads per block */

static __device__ __forceinline__ bool is_erased(float v)
{
    return __float_as_uint(v) == ~0u;
}

static __device__ __forceinline__ bool is_erased(double v)
{
    return __double_as_longlong(v) == ~0ll;
}

/* Returns whether every number of a summary that erase_summary has erased was stored again since. No stored number has
 * all bits set: each is the result of an addition, a minimum or a maximum, and their NaN is 0x7fffffff (or a double
 * with zeros). It must not be negated after that. */
template <typename real> static __device__ __forceinline__ bool is_complete(const tree_summary<real> &s)
{
    bool erased = is_erased(s.centre.x) | is_erased(s.centre.y) | is_erased(s.centre.z) | is_erased(s.centre.r);
    for (int k = 0; k < 3; k++)
        erased |= is_erased(s.box.low[k]) | is_erased(s.box.high[k]);
    for (int k = 0; k < NB_MOMENTS; k++)
        erased |= is_erased(s.q[k]);
    return !erased;
}

/* Exchanges a and b if `yes` is true. */
template <typename T> static __device__ __forceinline__ void swap_if(bool yes, T *a, T *b)
{
    const T first = yes ? *b : *a, second = yes ? *a : *b;
    *a = first, *b = second;
}

template <typename real>
static __device__ __forceinline__ void swap_if(bool yes, tree_summary<real> *a, tree_summary<real> *b)
{
    swap_if(yes, &a->centre.x, &b->centre.x);
    swap_if(yes, &a->centre.y, &b->centre.y);
    swap_if(yes, &a->centre.z, &b->centre.z);
    swap_if(yes, &a->centre.r, &b->centre.r);
    for (int k = 0; k < 3; k++) {
        swap_if(yes, &a->box.low[k], &b->box.low[k]);
        swap_if(yes, &a->box.high[k], &b->box.high[k]);
    }
#pragma unroll
    for (int k = 0; k < NB_MOMENTS; k++)
        swap_if(yes, &a->q[k], &b->q[k]);
}

/* Computes inner nodes. One thread per leaf, which climbs towards the root. Of the two threads that arrive at a parent
 * from its children, the first thread ends and the second thread computes the parent. ready[]: number of children of
 * each node of this device at which a thread has arrived, initially 0.
 *
 * ERASED false: the atomic operation makes the first thread's writes visible to the second. This takes longer than the
 * other work. ERASED true, which is faster unless there are very many nodes: nothing orders the atomic operation and
 * the writes. The summaries of inner nodes were erased before. The second thread loads the summary of the first
 * thread's node, at the same time as it waits for the atomic operation, and again until no number is erased. These are
 * relaxed accesses to single numbers. */
template <bool ERASED, typename real>
static __global__ void make_inners(tree_view<real> t, uint32_t *ready, const uint32_t *not_finite)
{
    uint32_t node = t.inner + blockIdx.x * THREADS + threadIdx.x;
    if (node >= t.nodes || *not_finite)
        return;
    const tree_frame frame = *t.frame;
    /* `above` is the parent of `parent`, and `children` are those of `parent`. Each iteration already loads what the
     * next iterations need. */
    uint32_t parent = node > 0 ? t.parent[node] : 0, above = parent > 0 ? t.parent[parent] : 0;
    uint2 children = node > 0 ? t.children[parent] : make_uint2(0, 0);
    tree_summary<real> own = load_summary(t, node);
    while (node > 0 && parent >= t.first_node) { /* nodes with bodies on several devices are computed in tree_top.cu */
        const bool is_left = node == children.x;
        const uint32_t sibling = is_left ? children.y : children.x;
        tree_summary<real> other;
        if (ERASED)
            other = load_summary(t, sibling);
        const uint32_t before = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>(ready[parent])
                                    .fetch_add(1, ERASED ? cuda::memory_order_relaxed : cuda::memory_order_acq_rel);
        const uint32_t next_above = above > 0 ? t.parent[above] : 0;
        children = t.children[above];
        if (before == 0)
            return;
        if (!ERASED)
            other = load_summary(t, sibling);
        while (ERASED && !is_complete(other))
            other = load_summary(t, sibling);
        swap_if(!is_left, &own, &other);
        own = join_summaries(frame, own, other);
        store_summary(t, parent, frame, own);
        node = parent;
        parent = above;
        above = next_above;
    }
}

bool tree_erases(const tree_work *w)
{
    return w->n < ERASE_MOST;
}

template <typename real> int tree_make_inners(tree_work *w, const tree_view<real> &t)
{
    const unsigned blocks = (unsigned)((w->nodes - w->inner + THREADS - 1) / THREADS);
    const uint32_t *not_finite = &((const tree_counters *)w->counters.d)->not_finite;
    auto *kernel = tree_erases(w) ? make_inners<true, real> : make_inners<false, real>;
    kernel<<<blocks, THREADS, 0, w->stream>>>(t, tree_ready_of(w), not_finite);
    return NB_CUDA(cudaGetLastError());
}

template int tree_make_inners<float>(tree_work *, const tree_view<float> &);
template int tree_make_inners<double>(tree_work *, const tree_view<double> &);
