/* tree_near.cu - P2P and L2P: computes the fields at the targets. Declared in tree_cuda.cuh.
 * - A warp computes the targets in one leaf. It sums the forces of bodies in near leaves and in the leaf itself (P2P),
 *   and adds the leaf's local expansion (L2P).
 * - The targets of a leaf are processed in two parts, so that fewer lanes are idle. The number of targets in the first
 *   part is the largest possible power of two.
 * - For a part with k targets, the lanes of the warp form 32 / k groups (rounded down) of k lanes. Each lane of a group
 *   has one target. Each group processes a different share of the sources. */
#include "device/timing.h"
#include "force/tree/cuda/tree_domains.cuh"
#include "force/tree/cuda/tree_near.cuh"

/* Adds the field of a node's local expansion at the position of a body to `total` (L2P). */
template <bool PHI, typename B>
static __device__ void add_local(const tree_view<typename B::real> &t, uint32_t node, const B &body,
                                 pair_sums<double> &total)
{
    typedef typename B::real real;
    typedef typename tree_vector16<real>::type vector16;
    const double length = t.frame->length, mass = t.frame->mass;
    const tree_centre c = t.centre[node];
    double at[3];
    body_position(body, at);
    const real x = (real)(at[0] * length - c.x), y = (real)(at[1] * length - c.y), z = (real)(at[2] * length - c.z);
    const vector16 *from = (const vector16 *)(t.local + (uint64_t)node * NB_LOCALS);
    alignas(16) real l[NB_LOCALS];
    real g[3] = {};
#pragma unroll
    for (int k = 0; k < (int)(NB_LOCALS * sizeof(real) / sizeof(vector16)); k++)
        ((vector16 *)l)[k] = from[k];
    expansion_local_gradient(l, x, y, z, g);
    total.ax += g[0] * (length * length / mass);
    total.ay += g[1] * (length * length / mass);
    total.az += g[2] * (length * length / mass);
    if (PHI)
        total.phi -= expansion_local_value(l, x, y, z) * (length / mass);
}

/* Returns the leaf whose near pairs this warp computes, or t.nodes if the warp has no leaf. Leaves with many near
 * leaves take longest, so the first warps compute them. */
template <typename real>
static __device__ __forceinline__ uint32_t leaf_of_warp(const tree_view<real> &t, const tree_counters *counters)
{
    const uint32_t warp = blockIdx.x * WARPS + threadIdx.x / 32, wides = counters->wides;
    const bool listed = wides <= TREE_WIDE_MOST;
    if (warp < TREE_WIDE_MOST)
        return listed && warp < wides ? counters->wide_leaves[warp] : t.nodes;
    const uint32_t leaf = t.inner + warp - TREE_WIDE_MOST, count = leaf < t.nodes ? t.remaining[leaf].count : 0;
    return count == TREE_IS_LONG || (listed && count > TREE_WIDE) ? t.nodes : leaf;
}

/* Minimum number of resident blocks of near_pairs per multiprocessor. The compiler limits the number of registers
 * accordingly. Without this limit, fewer blocks are resident in single precision, which is slower. */
template <near_kind KIND, typename B> constexpr int near_blocks = KIND == NEAR_PHI ? 4 : KIND == NEAR_FAR ? 6 : 7;
template <near_kind KIND> constexpr int near_blocks<KIND, body_mixed> = KIND == NEAR_PHI ? 3 : KIND == NEAR_FAR ? 5 : 6;
template <near_kind KIND>
constexpr int near_blocks<KIND, body_double> = KIND == NEAR_PHI   ? 2
                                               : KIND == NEAR_FAR ? 4
                                                                  : 5;

/* Computes the forces of near pairs, and evaluates the local expansions at the targets (L2P). Skips long leaves, which
 * long_pairs computes.
 * - A block owns WARPS leaves, and a warp owns one leaf. Each warp has a batch of sources in shared memory.
 * - A lane owns a target of the leaf, and processes the sources of its group of lanes.
 * - Reads t.remaining (near leaves), bodies[t.n], order[t.n] and t.local. Writes the results of the targets to `out`,
 *   at the elements that tree_place gives. */
template <near_kind KIND, typename B>
static __global__ void __launch_bounds__(32 * WARPS, near_blocks<KIND, B>)
    near_pairs(tree_view<typename B::real> t, const tree_counters *counters, const B *bodies, const uint32_t *order,
               double eps, double G, const __grid_constant__ near_law<B> law, tree_targets to, nb_field out)
{
    typedef typename near_pair<B>::body P;
    __shared__ near_batch<KIND, P> batches[WARPS];
    const uint32_t lane = threadIdx.x % 32, leaf = leaf_of_warp(t, counters);
    near_batch<KIND, P> &batch = batches[threadIdx.x / 32];
    /* This return and the next one (count == 0) are safe before warp operations: either all lanes of a warp take them,
     * or none. The kernel has no block barrier, so other warps do not wait for a warp that has returned. */
    if (leaf >= t.nodes || (t.due && !t.due[leaf]) || !tree_is_own(t, leaf))
        return;
    const uint2 range = t.range[leaf];
    const uint32_t targets = find_targets(t, range, order, to), count = __popc(targets);
    if (count == 0) /* no body of this leaf is a target */
        return;
    const uint32_t power = 1u << (31 - __clz((int)count));
    const B origin = bodies[range.x];
    near_targets<P> parts[2] = {begin_part<B, P>(bodies, origin, range, targets, 0, power),
                                begin_part<B, P>(bodies, origin, range, targets, power, count - power)};
    const typename P::real eps2 = (typename P::real)(eps * eps);
    const near_far<B> far = near_far_of<KIND>(t, law, leaf);
    end_batch(batch);
    tree_reader in = {t.remaining[leaf], t.remaining[leaf].first, 0};
    while (in.at < in.list.count) {
        uint32_t near = 0;
        const uint32_t here = tree_read(t.pool, &in, &near);
        add_leaves(bodies, origin, lane < here ? t.range[near] : make_uint2(0, 0), batch, parts, eps2, far);
    }
    for (int k = 0; k < 2; k++) {
        add_own<KIND>(bodies, origin, range, parts[k], eps2, far);
        add_groups(parts[k].lanes, parts[k].total);
    }
    pair_sums<double> total = join_parts(parts[0].lanes, parts[0].total, parts[1].total);
    if (lane >= count)
        return;
    const uint32_t me = range.x + find_target(targets, lane);
    const uint64_t place = tree_place(to, order[me]);
    if (place >= to.count)
        return;
    const B body = bodies[me];
    add_local<KIND == NEAR_PHI>(t, leaf, body, total);
    if (leaf > 0 && !tree_is_above(t, t.range[t.parent[leaf]]))
        add_local<KIND == NEAR_PHI>(t, t.parent[leaf], body, total);
    out.add = t.m2p[leaf].count > 0;
    pair_store<typename B::state>(out, total, G, place);
}

/* ---- long leaves ---- */

#define SEGMENTS 256 /* number of segments into which all bodies, the sources of a long leaf, are divided */

/* Computes the forces on the bodies of long leaves from all bodies outside the leaf. A warp processes one task after
 * the other: the forces of one segment of the sources on one long leaf. The lanes of a warp form groups, which process
 * different sources. In each group, each lane holds one body of the leaf. Writes partial[TREE_LONG_MOST][SEGMENTS][32]:
 * the sum for each long leaf, segment and body of the leaf. */
template <near_kind KIND, typename B>
static __global__ void __launch_bounds__(32 * WARPS)
    long_pairs(tree_view<typename B::real> t, const tree_counters *counters, const B *bodies, double eps,
               const __grid_constant__ near_law<B> law, pair_sums<double> *partial)
{
    typedef typename near_pair<B>::body P;
    __shared__ near_batch<KIND, P> batches[WARPS];
    const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * WARPS;
    const uint32_t items = min(counters->longs, TREE_LONG_MOST) * SEGMENTS, length = (t.n + SEGMENTS - 1) / SEGMENTS;
    const typename P::real eps2 = (typename P::real)(eps * eps);
    near_batch<KIND, P> &batch = batches[threadIdx.x / 32];
    end_batch(batch);
    for (uint32_t item = blockIdx.x * WARPS + threadIdx.x / 32; item < items; item += warps) {
        const uint32_t leaf = counters->long_leaves[item / SEGMENTS];
        const uint2 range = t.range[leaf];
        const uint32_t count = range.y - range.x, power = 1u << (31 - __clz((int)count));
        const uint32_t begin = item % SEGMENTS * length, end = min(begin + length, t.n);
        const B origin = bodies[range.x];
        const near_far<B> far = near_far_of<KIND>(t, law, leaf);
        near_targets<P> parts[2] = {begin_part<B, P>(bodies, origin, range, ~0u, 0, power),
                                    begin_part<B, P>(bodies, origin, range, ~0u, power, count - power)};
        for (uint32_t base = begin; base < end; base += BATCH) {
            pair_sums<typename P::real> first = {}, second = {};
            __syncwarp();
            for (uint32_t k = lane; k < BATCH; k += 32)
                if (base + k < end && (base + k < range.x || base + k >= range.y))
                    set_source(batch, k, bodies, origin, base + k);
                else
                    set_massless(batch.body[k]);
            __syncwarp();
            add_batch(batch, end - base, parts[0], eps2, far, first);
            add_batch(batch, end - base, parts[1], eps2, far, second);
            pair_flush(parts[0].total, first);
            pair_flush(parts[1].total, second);
        }
        for (int k = 0; k < 2; k++)
            add_groups(parts[k].lanes, parts[k].total);
        partial[(uint64_t)item * 32 + lane] = join_parts(parts[0].lanes, parts[0].total, parts[1].total);
    }
}

/* Computes the results of long leaves. A block is one warp and owns one long leaf; each lane owns one body of the leaf.
 * Adds the sums over all segments in `partial`, in order, and the pairs within the leaf. Writes the results of the
 * targets to `out`. */
template <near_kind KIND, typename B>
static __global__ void finish_long(tree_view<typename B::real> t, const tree_counters *counters, const B *bodies,
                                   const uint32_t *order, double eps, double G, const __grid_constant__ near_law<B> law,
                                   tree_targets to, const pair_sums<double> *partial, nb_field out)
{
    typedef typename near_pair<B>::body P;
    if (blockIdx.x >= counters->longs || blockIdx.x >= TREE_LONG_MOST ||
        !tree_is_own(t, counters->long_leaves[blockIdx.x]))
        return;
    const uint32_t leaf = counters->long_leaves[blockIdx.x];
    const uint2 range = t.range[leaf];
    const uint32_t me = range.x + threadIdx.x;
    if (me >= range.y)
        return;
    const typename P::real eps2 = (typename P::real)(eps * eps);
    const near_far<B> far = near_far_of<KIND>(t, law, leaf);
    const P target = about(bodies[me], bodies[range.x]);
    pair_sums<typename P::real> own = {};
    pair_sums<double> total = {};
#pragma unroll 16 /* 16 parts are loaded before they are added */
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        const pair_sums<double> part = partial[((uint64_t)blockIdx.x * SEGMENTS + k) * 32 + threadIdx.x];
        total.ax += part.ax, total.ay += part.ay, total.az += part.az, total.phi += part.phi;
    }
    for (uint32_t j = range.x; j < range.y; j++)
        add_own_pair<KIND>(bodies, bodies[range.x], j, me, target, j == me, true, eps2, far, own);
    pair_flush(total, own);
    const uint64_t place = tree_place(to, order[me]);
    if (place < to.count)
        pair_store<typename B::state, false>(out, total, G, place);
}

/* Returns the parameters of the long-range part of the force, for kernels that compute only this part (NEAR_FAR).
 * Returns zeros if the entire force is wanted. */
template <typename B> static near_law<B> make_law(const tree_work *w, const nb_sources *s, const nb_field *out)
{
    typedef typename B::real real;
    const double inner2 = s->far.inner * s->far.inner;
    near_law<B> law = {};
    if (!(s->far.outer > 0))
        return law;
    law.inner2 = (real)inner2;
    law.per = (real)(1 / (s->far.outer * s->far.outer - inner2));
    law.plain = nb_tree_reach(s, out);
    if (const nb_close_pairs *close = out->close) {
        law.near2 = close->near * close->near;
        law.reach2 = close->reach * close->reach;
        law.outer = s->far.outer;
        law.time = close->time;
        law.v = (const typename B::state *)close->v;
        law.stride = out->stride;
    }
    law.bodies = (const B *)w->bodies.d;
    law.order = tree_order_of(w);
    law.list = tree_close_of(w);
    return law;
}

/* Queues the kernels for long leaves on w->side, where they run in parallel with the stages "far" and "near": a few
 * warps compute for a long time. */
template <near_kind KIND, typename B>
static int put_long(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
                    const nb_field *out, const near_law<B> &law)
{
    if ((!w->side && NB_CUDA(cudaStreamCreateWithFlags(&w->side, cudaStreamNonBlocking))) ||
        (!w->side_done && NB_CUDA(cudaEventCreateWithFlags(&w->side_done, cudaEventDisableTiming))))
        return -1;
    if (nb_cuda_reserve(&w->partial, (size_t)TREE_LONG_MOST * SEGMENTS * 32 * sizeof(pair_sums<double>)) ||
        NB_CUDA(cudaStreamWaitEvent(w->side, w->copied, 0)) ||
        (w->has_others && NB_CUDA(cudaStreamWaitEvent(w->side, w->domain->arrived, 0))))
        return -1;
    const tree_counters *counters = (const tree_counters *)w->counters.d;
    const B *bodies = (const B *)w->bodies.d;
    pair_sums<double> *partial = (pair_sums<double> *)w->partial.d;
    long_pairs<KIND, B><<<4 * w->processors, 32 * WARPS, 0, w->side>>>(t, counters, bodies, s->softening, law, partial);
    finish_long<KIND, B><<<TREE_LONG_MOST, 32, 0, w->side>>>(t, counters, bodies, tree_order_of(w), s->softening, s->G,
                                                             law, to, partial, *out);
    return NB_CUDA(cudaEventRecord(w->side_done, w->side));
}

template <near_kind KIND, typename B>
static int put_pairs(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
                     const nb_field *out, bool has_longs)
{
    const unsigned blocks = (t.nodes - t.inner + WARPS - 1) / WARPS;
    const near_law<B> law = make_law<B>(w, s, out);
    if (has_longs && put_long<KIND, B>(w, t, s, to, out, law))
        return -1;
    near_pairs<KIND, B><<<TREE_WIDE_MOST / WARPS + blocks, 32 * WARPS, 0, w->stream>>>(
        t, (const tree_counters *)w->counters.d, (const B *)w->bodies.d, tree_order_of(w), s->softening, s->G, law, to,
        *out);
    return nb_status((has_longs && NB_CUDA(cudaStreamWaitEvent(w->stream, w->side_done, 0))) ||
                     NB_CUDA(cudaGetLastError()));
}

template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
              const nb_field *out, bool has_longs)
{
    if (s->far.outer > 0)
        return put_pairs<NEAR_FAR, B>(w, t, s, to, out, has_longs);
    if (out->phi)
        return put_pairs<NEAR_PHI, B>(w, t, s, to, out, has_longs);
    return put_pairs<NEAR_ACC, B>(w, t, s, to, out, has_longs);
}

template int tree_near<body_single>(tree_work *, const tree_view<float> &, const nb_sources *, const tree_targets &,
                                    const nb_field *, bool);
template int tree_near<body_mixed>(tree_work *, const tree_view<float> &, const nb_sources *, const tree_targets &,
                                   const nb_field *, bool);
template int tree_near<body_double>(tree_work *, const tree_view<double> &, const nb_sources *, const tree_targets &,
                                    const nb_field *, bool);
