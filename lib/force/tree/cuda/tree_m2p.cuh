/* tree_m2p.cuh - M2P (multipole to particle) for tree_far.cu: computes the force of a source node on each body of a
 * leaf from the node's moments. Used if the source node is well separated from each body of the leaf, but not from the
 * leaf as a node. */
#pragma once

#include "force/tree/cuda/tree_near.cuh"

#define M2P_FEW 16 /* leaves with more than M2P_FEW sources are computed first, because they take longest */

/* Two lists of leaves in one array. list_leaves fills `leaf` from the beginning with leaves that have few M2P sources,
 * and from the end with leaves that have many. */
struct m2p_lists {
    uint32_t *leaf, room;
    tree_counters *counters; /* its members few and many: numbers of leaves in the two lists */
};

/* One thread per leaf. Writes the leaves that have M2P sources to `lists`, and the leaves that have many near leaves to
 * counters->wide_leaves. The order in a list differs from run to run, but results do not depend on this order. */
template <typename real> static __global__ void list_leaves(tree_view<real> t, m2p_lists lists)
{
    const uint32_t leaf = t.inner + blockIdx.x * NB_BLOCK + threadIdx.x;
    const bool wanted = leaf < t.nodes && (!t.due || t.due[leaf]) && tree_is_own(t, leaf);
    const uint32_t near = wanted ? t.remaining[leaf].count : 0, count = wanted ? t.m2p[leaf].count : 0;
    if (near > TREE_WIDE && near != TREE_IS_LONG) {
        const uint32_t place = atomicAdd(&lists.counters->wides, 1);
        if (place < TREE_WIDE_MOST)
            lists.counters->wide_leaves[place] = leaf;
    }
    if (count > M2P_FEW)
        lists.leaf[lists.room - 1 - atomicAdd(&lists.counters->many, 1)] = leaf;
    const bool few = count > 0 && count <= M2P_FEW;
    const uint32_t place = tree_take_places(few, &lists.counters->few);
    if (few)
        lists.leaf[place] = leaf;
}

/* Called by a warp. Returns the sum of the forces of a leaf's M2P sources on `body`, the target of the calling lane.
 * Each group of lanes processes one source at a time. */
template <bool PHI, typename B>
static __device__ pair_sums<double> m2p_sum(const tree_view<typename B::real> &t, uint32_t leaf,
                                            const near_lanes &lanes, const B &body, double eps)
{
    typedef typename B::real real;
    typedef typename tree_vector16<real>::type vector16;
    const double length = t.frame->length;
    const real eps2 = (real)(eps * length * (eps * length));
    pair_sums<double> total = {};
    double at[3];
    body_position(body, at);
    tree_reader in = {t.m2p[leaf], t.m2p[leaf].first, 0};
    while (in.at < in.list.count) {
        uint32_t entry = 0;
        const uint32_t here = tree_read(t.pool, &in, &entry);
        real l[NB_LOCALS] = {};
        for (uint32_t k = 0; k < here; k += lanes.groups) {
            const uint32_t source = __shfl_sync(~0u, entry, (k + lanes.group) % 32);
            if (k + lanes.group >= here || lanes.group >= lanes.groups)
                continue;
            const tree_centre c = t.centre[source];
            const vector16 *from = (const vector16 *)(t.moments + (uint64_t)source * NB_MOMENTS);
            alignas(16) real q[NB_MOMENTS];
#pragma unroll
            for (int j = 0; j < (int)(NB_MOMENTS * sizeof(real) / sizeof(vector16)); j++)
                ((vector16 *)q)[j] = from[j];
            expansion_local_add(l, q, (real)(at[0] * length - c.x), (real)(at[1] * length - c.y),
                                (real)(at[2] * length - c.z), eps2, PHI);
        }
        pair_flush(total, pair_sums<real>{l[1], l[2], l[3], -l[0]});
    }
    add_groups(lanes, total);
    return total;
}

struct m2p_call { /* arguments for take_m2p, from nb_sources, nb_field and tree_work */
    const uint32_t *order;
    double eps, G;
    tree_targets to;
    nb_field out;
};

/* Called by a warp. Writes `total`, the sum for the target of the calling lane, to call.out. */
template <typename B>
static __device__ void m2p_store(const tree_view<typename B::real> &t, uint32_t leaf, const near_lanes &lanes,
                                 const m2p_call &call, const pair_sums<double> &total)
{
    const uint64_t place = tree_place(call.to, call.order[t.range[leaf].x + lanes.body]);
    if (lanes.group > 0 || place >= call.to.count)
        return;
    const double length = t.frame->length, mass = t.frame->mass, to_a = length * length / mass;
    pair_store<typename B::state, false>(
        call.out, {total.ax * to_a, total.ay * to_a, total.az * to_a, total.phi * (length / mass)}, call.G, place);
}

/* Called by a warp. Takes leaves from `lists` until none is left, and computes the forces of a leaf's M2P sources on
 * its targets. Leaves with many sources are taken first. Reads t.m2p and the moments of the sources. Writes the results
 * to call.out; near_pairs later adds to these results. */
template <bool PHI, typename B>
static __device__ void take_m2p(const tree_view<typename B::real> &t, const m2p_lists &lists, const B *bodies,
                                const m2p_call &call)
{
    const uint32_t many = lists.counters->many, all = many + lists.counters->few;
    for (;;) {
        uint32_t at = 0;
        if (threadIdx.x % 32 == 0)
            at = atomicAdd(&lists.counters->next_m2p, 1);
        at = __shfl_sync(~0u, at, 0);
        if (at >= all)
            return;
        const uint32_t leaf = lists.leaf[at < many ? lists.room - 1 - at : at - many];
        const uint32_t targets = find_targets(t, t.range[leaf], call.order, call.to);
        const near_lanes lanes = divide_lanes(targets, 0, __popc(targets));
        const B body = bodies[t.range[leaf].x + lanes.body];
        const pair_sums<double> total = m2p_sum<PHI, B>(t, leaf, lanes, body, call.eps);
        m2p_store<B>(t, leaf, lanes, call, total);
    }
}
