/* tree_far.cu - local expansions: multipole-to-local (M2L) from a node's list, and local-to-local (L2L) from the parent
 * to an inner node. Declared in tree_cuda.cuh. There is no L2L to leaves: the bodies of a leaf evaluate the expansions
 * of both the leaf and its parent (tree_near.cu). */
#include "force/tree/cuda/tree_cuda.cuh"

#define WARPS 4

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
static __device__ __forceinline__ void add_parent(const tree_view<real> &t, const tree_centre &c, uint32_t me,
                                                  const uint32_t *ready, real *l)
{
    const uint32_t parent = t.parent[me];
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

/* Computes local expansions. A warp takes one node after the other from the work queue, and processes 32 sources of the
 * node at a time, one per lane. The WARPS warps of a block are independent; as many blocks are launched as can be
 * resident. Reads NB_MOMENTS elements of t.moments per source; writes NB_LOCALS elements of t.local per node, two per
 * lane. */
template <typename real, bool VALUE>
static __global__ void __launch_bounds__(32 * WARPS, sizeof(real) == 4 ? 3 : 2)
    expand(tree_view<real> t, tree_counters *counters, uint32_t *ready, double eps)
{
    const real eps2 = (real)(eps * t.frame->length * (eps * t.frame->length));
    const uint32_t lane = threadIdx.x % 32;
    for (;;) {
        uint32_t me = 0;
        if (lane == 0)
            me = tree_queued(t, atomicAdd(&counters->next_node[1], 1));
        me = __shfl_sync(~0u, me, 0);
        if (me >= t.nodes)
            return;
        const tree_zone zone = tree_zone_of(t, me);
        if (zone == TREE_ABOVE || !tree_is_shared(t, me))
            continue;
        const tree_centre centre = t.centre[me];
        tree_reader in = {t.m2l[me], 0, 0};
        real l[NB_LOCALS];
#pragma unroll
        for (int k = 0; k < NB_LOCALS; k++)
            l[k] = 0;
        in.chunk = in.list.first;
        uint32_t next = 0, count = tree_read(t.pool, &in, &next);
        while (count > 0) {
            const uint32_t source = next, here = count;
            count = tree_read(t.pool, &in, &next); /* loads the next entries while the current ones are added */
            add_m2l(t, centre, lane < here, source, eps2, VALUE, l);
        }
        if (zone == TREE_BELOW && me < t.inner)
            add_parent(t, centre, me, ready, l);
        add_lanes<32>(l);
        if (2 * lane < NB_LOCALS) {
            t.local[(uint64_t)me * NB_LOCALS + 2 * lane] = l[0];
            t.local[(uint64_t)me * NB_LOCALS + 2 * lane + 1] = l[1];
        }
        if (me >= t.inner)
            continue;
        __threadfence();
        __syncwarp();
        if (lane == 0)
            *(volatile uint32_t *)&ready[me] = TREE_LOCAL_READY;
    }
}

template <typename real> int tree_far(tree_work *w, const tree_view<real> &t, double eps, bool want_value)
{
    auto kernel = want_value ? expand<real, true> : expand<real, false>;
    int blocks = 0;
    if (NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * WARPS, 0)))
        return -1;
    kernel<<<blocks * w->processors, 32 * WARPS, 0, w->stream>>>(t, (tree_counters *)w->counters.d, tree_ready_of(w),
                                                                 eps);
    return NB_CUDA(cudaGetLastError());
}

template int tree_far<float>(tree_work *, const tree_view<float> &, double, bool);
template int tree_far<double>(tree_work *, const tree_view<double> &, double, bool);
