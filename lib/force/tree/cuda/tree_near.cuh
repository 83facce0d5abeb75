/* tree_near.cuh - forces on the targets of one leaf, computed by one warp: assigns targets to lanes, collects sources
 * in batches, and adds the forces of pairs (entire forces, or far parts with a changeover). */
#pragma once

#include "force/tree/cuda/tree_cuda.cuh"

#define WARPS 4
#define BATCH 64 /* number of sources that a warp holds in shared memory at a time */
/* number of sources with padding: the lanes may read up to 8 sources past the end of the batch */
#define BATCH_SPACE (BATCH + 8)

/* ---- conversion of bodies for the pairs of one leaf. In mixed precision, positions become relative to the leaf's
 * first body ---- */

static __device__ __forceinline__ body_single about(const body_single &b, const body_single &)
{
    return b;
}

static __device__ __forceinline__ body_single about(const body_mixed &b, const body_mixed &origin)
{
    return {(b.x - origin.x) + (b.xl - origin.xl), (b.y - origin.y) + (b.yl - origin.yl),
            (b.z - origin.z) + (b.zl - origin.zl), b.m};
}

static __device__ __forceinline__ body_double about(const body_double &b, const body_double &)
{
    return b;
}

/* type of a body from the function about(): its position is relative to the first body of a leaf (in mixed
 * precision) */
template <typename B> struct near_pair {
    typedef body_single body;
};

template <> struct near_pair<body_double> {
    typedef body_double body;
};

/* Makes b a padding body, with mass 0 and a position far from all bodies, so that no distance is 0. */
static __device__ __forceinline__ void set_massless(body_single &b)
{
    b = {1e18f, 0, 0, 0};
}

static __device__ __forceinline__ void set_massless(body_double &b)
{
    b = {1e100, 0, 0, 0};
}

/* ---- the far part of gravity, and close pairs ---- */

/* The quantity that a kernel sums: accelerations (NEAR_ACC), accelerations and potentials (NEAR_PHI), or the far part
 * of accelerations (NEAR_FAR). */
enum near_kind { NEAR_ACC, NEAR_PHI, NEAR_FAR };

template <typename B> struct near_law { /* arguments for kernels that sum far parts of forces (NEAR_FAR) */
    typename B::real inner2, per;       /* y = (r^2 - inner2) * per is the argument of the changeover function */
    /* pairs at this distance or more get the full force, without the changeover, and are not close pairs */
    double plain;
    /* near2, reach2: squares of the members `near` and `reach` of nb_close_pairs; time: its member `time`; outer: outer
     * distance of the changeover. All four are 0 if close pairs are not listed */
    double near2, reach2, outer, time;
    const typename B::state *v;
    uint64_t stride;
    const B *bodies;
    const uint32_t *order;
    tree_close list;
};

template <typename B> struct near_far { /* data of one leaf for the far parts of forces (NEAR_FAR) */
    const near_law<B> *law;             /* pointer to an argument of the kernel */
    /* (law->plain + a margin for rounding errors)^2, see near_far_of */
    typename B::real plain2;
};

/* Returns the data of a leaf for NEAR_FAR. Positions relative to the leaf's first body have rounding errors: about
 * 2^-22 times the distance from this body. Therefore law.plain is increased before it is squared. */
template <near_kind KIND, typename B>
static __device__ near_far<B> near_far_of(const tree_view<typename B::real> &t, const near_law<B> &law, uint32_t leaf)
{
    if (KIND != NEAR_FAR)
        return {};
    const double plain = law.plain + 1e-6 * (t.opening[leaf].ball.r / t.frame->length + law.plain);
    return {&law, (typename B::real)(plain * plain)};
}

/* If a pair of bodies is close, adds it to the list of close pairs. target, source: sorted positions of the two bodies.
 * Adds the pair only if the target's index is smaller than the source's index, so that each pair is listed once. */
template <typename B>
static __device__ __noinline__ void note_close(const near_law<B> &law, uint32_t target, uint32_t source)
{
    const uint32_t i = law.order[target], j = law.order[source];
    double x[3], d[3], move[3], r2 = 0;
    body_position(law.bodies[target], x);
    body_position(law.bodies[source], d);
    for (int k = 0; k < 3; k++) {
        d[k] -= x[k];
        r2 += d[k] * d[k];
    }
    if (i >= j || !(r2 < law.reach2))
        return;
    for (int k = 0; k < 3 && !(r2 < law.near2); k++)
        move[k] = law.time * ((double)law.v[k * law.stride + j] - law.v[k * law.stride + i]);
    if (!(r2 < law.near2) && !nb_comes_within(d, move, law.outer))
        return;
    const unsigned long long at = atomicAdd(law.list.count, 1ull);
    if (at < law.list.room)
        law.list.key[at] = (uint64_t)i << law.list.bits | j;
}

template <typename P> static __device__ __forceinline__ typename P::real square(const pair_vector<typename P::real> &d)
{
    return fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
}

/* Adds the force of a source to the target's sum. If PLAIN is false, multiplies the force by the changeover function,
 * which is 0 at distances up to the inner radius of the changeover. */
template <bool PLAIN, typename B, typename real>
static __device__ __forceinline__ void add_pair(const near_far<B> &far, real m, const pair_vector<real> &d, real r2,
                                                pair_sums<real> &sum)
{
    real w, p;
    pair_weight(r2, m, w, p, false);
    if (!PLAIN) {
        const real place = (r2 - far.law->inner2) * far.law->per, y = place < 1 ? place : 1;
        w = y > 0 ? w * NB_CHANGEOVER(y) : 0;
    }
    sum.ax = fma(w, d.x, sum.ax);
    sum.ay = fma(w, d.y, sum.ay);
    sum.az = fma(w, d.z, sum.az);
}

/* ---- one leaf ---- */

/* Called by a warp: returns the targets of a leaf as bits. Bit k is 1 if body k of the leaf is a target. */
template <typename real>
static __device__ uint32_t find_targets(const tree_view<real> &t, uint2 range, const uint32_t *order,
                                        const tree_targets &to)
{
    const uint32_t lane = threadIdx.x % 32;
    return __ballot_sync(~0u, lane < range.y - range.x && (!t.due || tree_place(to, order[range.x + lane]) < to.count));
}

/* Returns the index within the leaf of target number k. targets: the bits from find_targets. */
static __device__ uint32_t find_target(uint32_t targets, uint32_t k)
{
    if ((targets & (targets + 1)) == 0)
        return k; /* all bodies are targets */
    for (; k > 0; k--)
        targets &= targets - 1;
    return __ffs((int)targets) - 1;
}

/* Division of a warp into groups of lanes. Each group has one lane per target, and processes different sources.
 * - first: number of the first target among the leaf's targets; bodies: number of targets;
 * - groups: number of groups; group: number of this lane's group; body: index of this lane's target in the leaf;
 * - rounds: number of sources of a full batch that each group processes. */
struct near_lanes {
    uint32_t first, bodies, groups, body, group, rounds;
};

static __device__ near_lanes divide_lanes(uint32_t targets, uint32_t first, uint32_t bodies)
{
    const uint32_t lane = threadIdx.x % 32, groups = bodies ? 32 / bodies : 0;
    if (bodies == 0)
        return {0, 0, 0, 0, 0, 0};
    return {first,         bodies,
            groups,        find_target(targets, first + lane % bodies),
            lane / bodies, (BATCH + groups - 1) / groups};
}

/* The targets of a leaf are divided into two parts. Each lane has one target of each part. This structure describes
 * such a target and its sums. */
template <typename P> struct near_targets {
    near_lanes lanes;
    uint32_t place; /* sorted position of the target */
    P target;
    pair_sums<double> total;
};

template <typename B, typename P>
static __device__ near_targets<P> begin_part(const B *bodies, const B &origin, uint2 range, uint32_t targets,
                                             uint32_t first, uint32_t count)
{
    const near_lanes lanes = divide_lanes(targets, first, count);
    return {lanes, range.x + lanes.body, about(bodies[range.x + lanes.body], origin), {}};
}

/* Called by a warp: returns the bitwise or of v over the lanes. */
static __device__ __forceinline__ uint32_t or_of_lanes(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0u, v);
#else
    for (int distance = 16; distance > 0; distance /= 2)
        v |= __shfl_xor_sync(~0u, v, distance);
    return v;
#endif
}

/* Called by a warp. Each lane has a leaf. The bodies of these 32 leaves get numbers from 0, one leaf after the other.
 * `first` is the number of the first body in this lane's leaf, and `begin` is the sorted position of this body. Returns
 * the sorted position of body number base + lane. If there is no such body, the result is not valid. */
static __device__ __forceinline__ uint32_t find_source(uint32_t base, uint32_t first, uint32_t begin)
{
    const uint32_t place = first - base;
    /* bit k: body number base + k is the first body of a leaf */
    const uint32_t begins = or_of_lanes(place < 32 ? 1u << place : 0);
    const uint32_t before = __popc(__ballot_sync(~0u, first < base));
    const uint32_t leaf = before + __popc(begins & (~0u >> (31 - threadIdx.x % 32))) - 1;
    return __shfl_sync(~0u, begin - first, leaf) + base + threadIdx.x % 32;
}

template <near_kind KIND, typename P> struct near_batch { /* sources in shared memory */
    P body[BATCH_SPACE];
};

template <typename P> struct near_batch<NEAR_FAR, P> {
    P body[BATCH_SPACE];
    uint32_t place[BATCH_SPACE];
};

/* Called by a warp: fills the elements after the end of the batch with bodies of mass 0. */
template <near_kind KIND, typename P> static __device__ void end_batch(near_batch<KIND, P> &batch)
{
    const uint32_t lane = threadIdx.x % 32;
    if (lane < BATCH_SPACE - BATCH)
        set_massless(batch.body[BATCH + lane]);
}

template <near_kind KIND, typename B, typename P>
static __device__ __forceinline__ void set_source(near_batch<KIND, P> &batch, uint32_t k, const B *bodies,
                                                  const B &origin, uint32_t source)
{
    batch.body[k] = about(bodies[source], origin);
    if constexpr (KIND == NEAR_FAR)
        batch.place[k] = source;
}

/* Called by a warp: adds the forces of COUNT sources of the batch on this lane's target. The sources have the indices
 * at, at + groups, at + 2 groups, ... in the batch. If no pair in the warp has a squared distance below far.plain2, as
 * in most calls, the changeover is not computed. The warp decides this by one vote for all COUNT sources. */
template <int COUNT, typename B, typename P>
static __device__ __forceinline__ void add_far(const near_batch<NEAR_FAR, P> &batch, uint32_t at,
                                               const near_targets<P> &part, const near_far<B> &far,
                                               pair_sums<typename P::real> &sum)
{
    typedef typename P::real real;
    const uint32_t groups = part.lanes.groups;
    pair_vector<real> d[COUNT];
    real m[COUNT], r2[COUNT], least = far.plain2;
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        const P source = batch.body[at + q * groups];
        m[q] = source.m;
        d[q] = pair_offset(source, part.target);
        r2[q] = square<P>(d[q]);
        least = fmin(least, r2[q]);
    }
    if (!__any_sync(~0u, least < far.plain2)) {
#pragma unroll
        for (int q = 0; q < COUNT; q++)
            add_pair<true>(far, m[q], d[q], r2[q], sum);
        return;
    }
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        add_pair<false>(far, m[q], d[q], r2[q], sum);
        if (r2[q] < far.plain2 && part.lanes.group < groups)
            note_close(*far.law, part.place, batch.place[at + q * groups]);
    }
}

/* maximum number of sources per lane for which one vote of the warp decides whether changeovers are computed
 * (add_far) */
#define FAR_ROUNDS 4

/* Adds the forces of the first `count` sources of the batch on this lane's target. May also read some of the following
 * elements of the batch, which have mass 0. */
template <near_kind KIND, typename B, typename P>
static __device__ __forceinline__ void add_batch(const near_batch<KIND, P> &batch, uint32_t count,
                                                 const near_targets<P> &part, typename P::real eps2,
                                                 const near_far<B> &far, pair_sums<typename P::real> &sum)
{
    const uint32_t groups = part.lanes.groups;
    const uint32_t rounds = count < BATCH && groups > 0 ? (count + groups - 1) / groups : part.lanes.rounds;
    uint32_t k = 0, at = part.lanes.group;
    if constexpr (KIND == NEAR_FAR) {
        for (; k + FAR_ROUNDS <= rounds; k += FAR_ROUNDS, at += FAR_ROUNDS * groups)
            add_far<FAR_ROUNDS>(batch, at, part, far, sum);
        for (; k < rounds; k++, at += groups)
            add_far<1>(batch, at, part, far, sum);
    } else
        for (; k < rounds; k++, at += groups)
            pair_add<KIND == NEAR_PHI, false>(sum, batch.body[at], part.target, eps2, false);
}

/* Called by a warp: adds the forces of the bodies of up to 32 near leaves on the targets. Each lane has one of these
 * leaves. range: range of the bodies of this lane's leaf. */
template <near_kind KIND, typename B, typename P>
static __device__ void add_leaves(const B *bodies, const B &origin, uint2 range, near_batch<KIND, P> &batch,
                                  near_targets<P> parts[2], typename P::real eps2, const near_far<B> &far)
{
    const uint32_t lane = threadIdx.x % 32, count = range.y - range.x;
    uint32_t until = count;
    for (int distance = 1; distance < 32; distance *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, until, distance);
        if (lane >= distance)
            until += other;
    }
    const uint32_t all = __shfl_sync(~0u, until, 31);
    pair_sums<typename P::real> first = {}, second = {};
    for (uint32_t base = 0; base < all; base += BATCH) {
        __syncwarp();
        for (uint32_t k = 0; k < BATCH; k += 32) {
            const uint32_t source = find_source(base + k, until - count, range.x);
            if (base + k + lane < all)
                set_source(batch, k + lane, bodies, origin, source);
            else
                set_massless(batch.body[k + lane]);
        }
        __syncwarp();
        add_batch(batch, all - base, parts[0], eps2, far, first);
        add_batch(batch, all - base, parts[1], eps2, far, second);
    }
    pair_flush(parts[0].total, first);
    pair_flush(parts[1].total, second);
}

/* Adds the force of a body of the leaf on a target in the same leaf. Adds nothing if both are the same body. If `lists`
 * is true and the pair is close, adds the pair to the list of close pairs. */
template <near_kind KIND, typename B, typename P>
static __device__ __forceinline__ void add_own_pair(const B *bodies, const B &origin, uint32_t source, uint32_t place,
                                                    const P &target, bool is_self, bool lists, typename P::real eps2,
                                                    const near_far<B> &far, pair_sums<typename P::real> &sum)
{
    const P from = about(bodies[source], origin);
    if constexpr (KIND == NEAR_FAR) {
        const pair_vector<typename P::real> d = pair_offset(from, target);
        const typename P::real r2 = square<P>(d);
        add_pair<false>(far, from.m, d, r2, sum);
        if (lists && r2 < far.plain2)
            note_close(*far.law, place, source);
    } else
        pair_add<KIND == NEAR_PHI, true>(sum, from, target, eps2, is_self);
}

/* Adds the forces of the leaf's bodies on its targets, except of each body on itself. */
template <near_kind KIND, typename B, typename P>
static __device__ void add_own(const B *bodies, const B &origin, uint2 range, near_targets<P> &part,
                               typename P::real eps2, const near_far<B> &far)
{
    pair_sums<typename P::real> sum = {};
    for (uint32_t k = part.lanes.group; part.lanes.groups > 0 && k < range.y - range.x; k += part.lanes.groups)
        add_own_pair<KIND>(bodies, origin, range.x + k, part.place, part.target, k == part.lanes.body,
                           part.lanes.group < part.lanes.groups, eps2, far, sum);
    pair_flush(part.total, sum);
}

/* Adds the sums of all groups of lanes, in ascending order of the groups. The first group's lanes get the result. */
static __device__ void add_groups(const near_lanes &lanes, pair_sums<double> &total)
{
    for (uint32_t g = 1; g < lanes.groups; g++) {
        const uint32_t from = threadIdx.x % 32 + g * lanes.bodies;
        const double ax = __shfl_sync(~0u, total.ax, from), ay = __shfl_sync(~0u, total.ay, from);
        const double az = __shfl_sync(~0u, total.az, from), phi = __shfl_sync(~0u, total.phi, from);
        if (lanes.group == 0)
            total.ax += ax, total.ay += ay, total.az += az, total.phi += phi;
    }
}

/* Joins the sums of the two parts of a leaf's targets: returns the sums of target k in lane k. The targets of the
 * second part follow the targets of the first part. a, b: sums of the first and of the second part; in both, lane 0 has
 * the sums of the part's first target. */
static __device__ pair_sums<double> join_parts(const near_lanes &first, const pair_sums<double> &a,
                                               const pair_sums<double> &b)
{
    const uint32_t lane = threadIdx.x % 32, from = lane - first.bodies;
    const pair_sums<double> moved = {__shfl_sync(~0u, b.ax, from), __shfl_sync(~0u, b.ay, from),
                                     __shfl_sync(~0u, b.az, from), __shfl_sync(~0u, b.phi, from)};
    return lane < first.bodies ? a : moved;
}
