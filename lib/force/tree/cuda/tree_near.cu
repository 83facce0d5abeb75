/* A warp sums for the targets in one leaf, all of its bodies or some: pairs with the bodies of near leaves and with one
 * another (P2P), and the local expansion. The targets take lanes 0, 1, ..., then once more for the next source, and
 * again while lanes are left: that many groups of lanes divide the sources among them. A leaf is taken in two parts,
 * the largest power of two of its targets and the others, which leaves fewer lanes idle. */
#include "device/timing.h"
#include "force/tree/cuda/tree_cuda.cuh"

#define WARPS       4
#define BATCH       64          /* sources that a warp holds in shared memory at a time */
#define BATCH_SPACE (BATCH + 8) /* groups of lanes may run over the end by less than a group */

/* ---- a body for pairs of one leaf: positions in mixed precision about the leaf's first body ---- */

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

template <typename B> struct near_pair { /* the type of a body after about() */
    typedef body_single body;
};

template <> struct near_pair<body_double> {
    typedef body_double body;
};

/* Padding: no mass, and far enough that no distance is zero. */
static __device__ __forceinline__ void set_massless(body_single &b)
{
    b = {1e18f, 0, 0, 0};
}

static __device__ __forceinline__ void set_massless(body_double &b)
{
    b = {1e100, 0, 0, 0};
}

/* ---- one leaf ---- */

/* A warp's call: a bit for each body of the leaf that is a target. */
template <typename real>
static __device__ uint32_t find_targets(const tree_view<real> &t, uint2 range, const uint32_t *order,
                                        const tree_targets &to)
{
    const uint32_t lane = threadIdx.x % 32;
    return __ballot_sync(~0u, lane < range.y - range.x && (!t.due || tree_place(to, order[range.x + lane]) < to.count));
}

/* The body of the leaf that is target k. */
static __device__ uint32_t find_target(uint32_t targets, uint32_t k)
{
    if ((targets & (targets + 1)) == 0)
        return k; /* all bodies are */
    for (; k > 0; k--)
        targets &= targets - 1;
    return __ffs((int)targets) - 1;
}

struct near_lanes { /* targets [first, first + bodies) of the leaf: the body and the group of sources of a lane,
                     * and the rounds that a batch takes */
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

template <typename P> struct near_targets { /* of a part of the leaf: this lane's target and its sums */
    near_lanes lanes;
    P target;
    pair_sums<double> total;
};

template <typename B, typename P>
static __device__ near_targets<P> begin_part(const B *bodies, const B &origin, uint2 range, uint32_t targets,
                                             uint32_t first, uint32_t count)
{
    const near_lanes lanes = divide_lanes(targets, first, count);
    return {lanes, about(bodies[range.x + lanes.body], origin), {}};
}

/* A warp's call: the body that is source k of 32 leaves, whose bodies begin at `begin` and end before place `until` of
 * all; a lane's own leaf in its own registers. */
static __device__ uint32_t find_source(uint32_t k, uint32_t begin, uint32_t until, uint32_t count)
{
    uint32_t leaf = 0;
    for (uint32_t step = 16; step > 0; step /= 2) {
        const uint32_t end = __shfl_sync(~0u, until, leaf + step - 1);
        if (end <= k)
            leaf += step;
    }
    const uint32_t first = __shfl_sync(~0u, begin, leaf);
    return first + k - (__shfl_sync(~0u, until, leaf) - __shfl_sync(~0u, count, leaf));
}

template <bool PHI, typename P>
static __device__ __forceinline__ void add_batch(const P *batch, const near_targets<P> &part, typename P::real eps2,
                                                 pair_sums<typename P::real> &sum)
{
    for (uint32_t k = 0, at = part.lanes.group; k < part.lanes.rounds; k++, at += part.lanes.groups)
        pair_add<PHI, false>(sum, batch[at], part.target, eps2, false);
}

/* A warp's call: pairs of the bodies of up to 32 leaves of the list, one a lane, with the targets. */
template <bool PHI, typename B, typename P>
static __device__ void add_leaves(const B *bodies, const B &origin, uint2 range, P *batch, near_targets<P> parts[2],
                                  typename P::real eps2)
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
        for (uint32_t k = lane; k < BATCH; k += 32) {
            const uint32_t source = find_source(base + k, range.x, until, count);
            if (base + k < all)
                batch[k] = about(bodies[source], origin);
            else
                set_massless(batch[k]);
        }
        __syncwarp();
        add_batch<PHI>(batch, parts[0], eps2, first);
        add_batch<PHI>(batch, parts[1], eps2, second);
    }
    pair_flush(parts[0].total, first);
    pair_flush(parts[1].total, second);
}

/* The leaf's own pairs: each body leaves itself out. */
template <bool PHI, typename B, typename P>
static __device__ void add_own(const B *bodies, const B &origin, uint2 range, near_targets<P> &part,
                               typename P::real eps2)
{
    pair_sums<typename P::real> sum = {};
    for (uint32_t k = part.lanes.group; part.lanes.groups > 0 && k < range.y - range.x; k += part.lanes.groups) {
        const P source = about(bodies[range.x + k], origin);
        pair_add<PHI, true>(sum, source, part.target, eps2, k == part.lanes.body);
    }
    pair_flush(part.total, sum);
}

/* The groups' sums, in their order; the first group's lanes have them then. */
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

/* Lane k has what target k of the leaf has got: the second part's behind the first's. */
static __device__ pair_sums<double> join_parts(const near_lanes &first, const pair_sums<double> &a,
                                               const pair_sums<double> &b)
{
    const uint32_t lane = threadIdx.x % 32, from = lane - first.bodies;
    const pair_sums<double> moved = {__shfl_sync(~0u, b.ax, from), __shfl_sync(~0u, b.ay, from),
                                     __shfl_sync(~0u, b.az, from), __shfl_sync(~0u, b.phi, from)};
    return lane < first.bodies ? a : moved;
}

/* Adds the local expansion of a node at a body (L2P). */
template <bool PHI, typename B>
static __device__ void add_local(const tree_view<typename B::real> &t, uint32_t node, const B &body,
                                 pair_sums<double> &total)
{
    typedef typename B::real real;
    const double length = t.frame->length, mass = t.frame->mass;
    const tree_centre c = t.centre[node];
    double at[3];
    body_position(body, at);
    const real x = (real)(at[0] * length - c.x), y = (real)(at[1] * length - c.y), z = (real)(at[2] * length - c.z);
    real l[NB_LOCALS], g[3] = {};
    for (int k = 0; k < NB_LOCALS; k++)
        l[k] = t.local[(uint64_t)node * NB_LOCALS + k];
    expansion_local_gradient(l, x, y, z, g);
    total.ax += g[0] * (length * length / mass);
    total.ay += g[1] * (length * length / mass);
    total.az += g[2] * (length * length / mass);
    if (PHI)
        total.phi -= expansion_local_value(l, x, y, z) * (length / mass);
}

/* ---- multipole to particle ---- */

template <typename T> static __device__ void add_to(T *to, double v)
{
    *to = (T)(*to + v);
}

/* A warp owns a leaf, a block WARPS of them; lanes as in near_pairs, a source a group of lanes. Reads t.m2p and the
 * moments of its sources; adds to the targets of out, after near_pairs. */
template <bool PHI, typename B>
static __global__ void __launch_bounds__(32 * WARPS)
    m2p_sums(tree_view<typename B::real> t, const B *bodies, const uint32_t *order, double eps, double G,
             tree_targets to, nb_field out)
{
    typedef typename B::real real;
    typedef typename B::state state;
    typedef typename tree_vector16<real>::type vector16;
    const uint32_t leaf = t.inner + blockIdx.x * WARPS + threadIdx.x / 32;
    if (leaf >= t.nodes || (t.due && !t.due[leaf]) || !tree_is_own(t, leaf) || t.m2p[leaf].count == 0)
        return; /* a whole warp */
    const uint2 range = t.range[leaf];
    const uint32_t targets = find_targets(t, range, order, to);
    const near_lanes lanes = divide_lanes(targets, 0, __popc(targets));
    const B body = bodies[range.x + lanes.body];
    const double length = t.frame->length, mass = t.frame->mass;
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
    const uint64_t place = tree_place(to, order[range.x + lanes.body]);
    if (lanes.group > 0 || place >= to.count)
        return;
    if (out.a) {
        add_to((state *)out.a + place, G * total.ax * (length * length / mass));
        add_to((state *)out.a + place + out.stride, G * total.ay * (length * length / mass));
        add_to((state *)out.a + place + 2 * out.stride, G * total.az * (length * length / mass));
    }
    if (PHI)
        add_to((state *)out.phi + place, G * total.phi * (length / mass));
}

/* Blocks of near_pairs on a multiprocessor: what its registers leave room for. Left alone, the compiler does with fewer
 * in single precision, and is slower. */
template <bool PHI, typename B> constexpr int near_blocks = PHI ? 4 : 7;
template <bool PHI> constexpr int near_blocks<PHI, body_mixed> = PHI ? 3 : 6;
template <bool PHI> constexpr int near_blocks<PHI, body_double> = PHI ? 2 : 5;

/* A warp owns a leaf, a block WARPS of them, each with a batch in shared memory; a lane owns a body of the leaf and a
 * group of the sources. Reads t.remaining (near leaves), bodies and order (t.n each), t.local; writes the leaf's
 * targets in out (tree_place). */
template <bool PHI, typename B>
static __global__ void __launch_bounds__(32 * WARPS, near_blocks<PHI, B>)
    near_pairs(tree_view<typename B::real> t, const B *bodies, const uint32_t *order, double eps, double G,
               tree_targets to, nb_field out)
{
    typedef typename near_pair<B>::body P;
    __shared__ P batches[WARPS][BATCH_SPACE];
    const uint32_t lane = threadIdx.x % 32, leaf = t.inner + blockIdx.x * WARPS + threadIdx.x / 32;
    P *batch = batches[threadIdx.x / 32];
    if (leaf >= t.nodes || (t.due && !t.due[leaf]) || !tree_is_own(t, leaf))
        return; /* a whole warp, here and below; no barrier of the block follows */
    const uint2 range = t.range[leaf];
    if (t.remaining[leaf].count == TREE_IS_LONG)
        return;
    const uint32_t targets = find_targets(t, range, order, to), count = __popc(targets);
    if (count == 0) /* a leaf that is due has one */
        return;
    const uint32_t power = 1u << (31 - __clz((int)count));
    const B origin = bodies[range.x];
    near_targets<P> parts[2] = {begin_part<B, P>(bodies, origin, range, targets, 0, power),
                                begin_part<B, P>(bodies, origin, range, targets, power, count - power)};
    const typename P::real eps2 = (typename P::real)(eps * eps);
    if (lane < BATCH_SPACE - BATCH)
        set_massless(batch[BATCH + lane]);
    tree_reader in = {t.remaining[leaf], t.remaining[leaf].first, 0};
    while (in.at < in.list.count) {
        uint32_t near = 0;
        const uint32_t here = tree_read(t.pool, &in, &near);
        add_leaves<PHI>(bodies, origin, lane < here ? t.range[near] : make_uint2(0, 0), batch, parts, eps2);
    }
    for (int k = 0; k < 2; k++) {
        add_own<PHI>(bodies, origin, range, parts[k], eps2);
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
    add_local<PHI>(t, leaf, body, total);
    if (tree_zone_of(t, leaf) == TREE_BELOW)
        add_local<PHI>(t, t.parent[leaf], body, total);
    pair_store<typename B::state, false>(out, total, G, place);
}

/* ---- long leaves ---- */

#define SEGMENTS 256 /* of all bodies */

/* A warp takes pairs (long leaf, segment of all bodies), one after the other; lanes as in near_pairs. Writes
 * partial[TREE_LONG_MOST][SEGMENTS][32]: the sums of each of the leaf's bodies over a segment. */
template <bool PHI, typename B>
static __global__ void __launch_bounds__(32 * WARPS)
    long_pairs(tree_view<typename B::real> t, const tree_counters *counters, const B *bodies, double eps,
               pair_sums<double> *partial)
{
    typedef typename near_pair<B>::body P;
    __shared__ P batches[WARPS][BATCH_SPACE];
    const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * WARPS;
    const uint32_t items = min(counters->longs, TREE_LONG_MOST) * SEGMENTS, length = (t.n + SEGMENTS - 1) / SEGMENTS;
    const typename P::real eps2 = (typename P::real)(eps * eps);
    P *batch = batches[threadIdx.x / 32];
    if (lane < BATCH_SPACE - BATCH)
        set_massless(batch[BATCH + lane]);
    for (uint32_t item = blockIdx.x * WARPS + threadIdx.x / 32; item < items; item += warps) {
        const uint2 range = t.range[counters->long_leaves[item / SEGMENTS]];
        const uint32_t count = range.y - range.x, power = 1u << (31 - __clz((int)count));
        const uint32_t begin = item % SEGMENTS * length, end = min(begin + length, t.n);
        const B origin = bodies[range.x];
        near_targets<P> parts[2] = {begin_part<B, P>(bodies, origin, range, ~0u, 0, power),
                                    begin_part<B, P>(bodies, origin, range, ~0u, power, count - power)};
        for (uint32_t base = begin; base < end; base += BATCH) {
            pair_sums<typename P::real> first = {}, second = {};
            __syncwarp();
            for (uint32_t k = lane; k < BATCH; k += 32)
                if (base + k < end && (base + k < range.x || base + k >= range.y))
                    batch[k] = about(bodies[base + k], origin);
                else
                    set_massless(batch[k]);
            __syncwarp();
            add_batch<PHI>(batch, parts[0], eps2, first);
            add_batch<PHI>(batch, parts[1], eps2, second);
            pair_flush(parts[0].total, first);
            pair_flush(parts[1].total, second);
        }
        for (int k = 0; k < 2; k++)
            add_groups(parts[k].lanes, parts[k].total);
        partial[(uint64_t)item * 32 + lane] = join_parts(parts[0].lanes, parts[0].total, parts[1].total);
    }
}

/* A block is a warp and owns a long leaf, a lane one of its bodies: adds the segments of `partial` in their order and
 * the leaf's own pairs, and writes the targets in out. */
template <bool PHI, typename B>
static __global__ void finish_long(tree_view<typename B::real> t, const tree_counters *counters, const B *bodies,
                                   const uint32_t *order, double eps, double G, tree_targets to,
                                   const pair_sums<double> *partial, nb_field out)
{
    typedef typename near_pair<B>::body P;
    if (blockIdx.x >= counters->longs || blockIdx.x >= TREE_LONG_MOST ||
        !tree_is_own(t, counters->long_leaves[blockIdx.x]))
        return;
    const uint2 range = t.range[counters->long_leaves[blockIdx.x]];
    const uint32_t me = range.x + threadIdx.x;
    if (me >= range.y)
        return;
    const typename P::real eps2 = (typename P::real)(eps * eps);
    const P target = about(bodies[me], bodies[range.x]);
    pair_sums<typename P::real> own = {};
    pair_sums<double> total = {};
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        const pair_sums<double> part = partial[((uint64_t)blockIdx.x * SEGMENTS + k) * 32 + threadIdx.x];
        total.ax += part.ax, total.ay += part.ay, total.az += part.az, total.phi += part.phi;
    }
    for (uint32_t j = range.x; j < range.y; j++)
        pair_add<PHI, true>(own, about(bodies[j], bodies[range.x]), target, eps2, j == me);
    pair_flush(total, own);
    const uint64_t place = tree_place(to, order[me]);
    if (place < to.count)
        pair_store<typename B::state, false>(out, total, G, place);
}

template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
              const nb_field *out)
{
    const unsigned blocks = (t.nodes - t.inner + WARPS - 1) / WARPS;
    const tree_counters *counters = (const tree_counters *)w->counters.d;
    const B *bodies = (const B *)w->bodies.d;
    const uint32_t *order = tree_order_of(w);
    auto near = out->phi ? near_pairs<true, B> : near_pairs<false, B>;
    auto pairs = out->phi ? long_pairs<true, B> : long_pairs<false, B>;
    auto finish = out->phi ? finish_long<true, B> : finish_long<false, B>;
    auto m2p = out->phi ? m2p_sums<true, B> : m2p_sums<false, B>;
    if (nb_cuda_reserve(&w->partial, (size_t)TREE_LONG_MOST * SEGMENTS * 32 * sizeof(pair_sums<double>)))
        return -1;
    pair_sums<double> *partial = (pair_sums<double> *)w->partial.d;
    near<<<blocks, 32 * WARPS, 0, w->stream>>>(t, bodies, order, s->softening, s->G, to, *out);
    pairs<<<4 * w->processors, 32 * WARPS, 0, w->stream>>>(t, counters, bodies, s->softening, partial);
    finish<<<TREE_LONG_MOST, 32, 0, w->stream>>>(t, counters, bodies, order, s->softening, s->G, to, partial, *out);
    nb_timing_stage(w->device, "m2p");
    m2p<<<blocks, 32 * WARPS, 0, w->stream>>>(t, bodies, order, s->softening, s->G, to, *out);
    return NB_CUDA(cudaGetLastError());
}

template int tree_near<body_single>(tree_work *, const tree_view<float> &, const nb_sources *, const tree_targets &,
                                    const nb_field *);
template int tree_near<body_mixed>(tree_work *, const tree_view<float> &, const nb_sources *, const tree_targets &,
                                   const nb_field *);
template int tree_near<body_double>(tree_work *, const tree_view<double> &, const nb_sources *, const tree_targets &,
                                    const nb_field *);
