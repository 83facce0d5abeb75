/* tree_moments.cu - copies the bodies in sorted order. Computes box, centre of mass, radius and multipole moments of
 * each leaf (P2M); tree_inner.cu then computes the inner nodes (M2M). At the end, estimates the accelerations f for the
 * opening criterion (tree.h). Declared in tree_cuda.cuh. */
#include "force/tree/cuda/tree_inner.cuh"

#include <cfloat>

/* ---- the frame ---- */

/* Sets *largest (converted by morton_ordered) to the largest of the n masses, if this mass is larger than *largest.
 * Threads iterate over the masses in strides of the grid; a warp reduces the values of its lanes. */
template <typename T> static __global__ void find_largest_mass(const T *m, uint64_t n, unsigned long long *largest)
{
    __shared__ unsigned long long block;
    double most = 0;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK)
        most = fmax(most, fabs((double)m[i]));
    for (int distance = 16; distance > 0; distance /= 2)
        most = fmax(most, __shfl_xor_sync(~0u, most, distance));
    if (threadIdx.x % 32 == 0)
        atomicMax(&block, morton_ordered(most));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(largest, block);
}

/* Computes the frame (units and origin) for n sources. Lengths and masses are multiplied by powers of two, so that the
 * products have no rounding errors. */
static __device__ __forceinline__ tree_frame frame_of(const morton_bounds *bounds, const unsigned long long *largest,
                                                      uint64_t n)
{
    tree_frame frame;
    int exponent = 0;
    for (int k = 0; k < 3; k++)
        frame.middle[k] = (morton_unordered(bounds->low[k]) + morton_unordered(bounds->high[k])) / 2;
    frexp(morton_size(bounds), &exponent);
    frame.length = morton_size(bounds) > 0 ? ldexp(1.0, TREE_BOX_LOG2 - exponent) : 1;
    const double most = morton_unordered(*largest) * (double)n;
    frexp(most, &exponent);
    frame.mass = most > 0 ? ldexp(1.0, -exponent) : 1;
    return frame;
}

/* One thread. */
static __global__ void make_frame(const morton_bounds *bounds, const unsigned long long *largest, uint64_t n,
                                  tree_frame *frame)
{
    *frame = frame_of(bounds, largest, n);
}

/* ---- bodies ---- */

/* Sets bodies[i] = list[order[i]] for i < n; `order` NULL: bodies[i] = list[i]. The list contains the s.n sources, then
 * the target points `more`, with mass 0. One thread per i. Sets counters->not_finite if a position or mass is not
 * finite. Thread 0 also computes the frame, which saves a kernel. */
template <typename B>
static __global__ void pack(nb_sources s, nb_targets more, uint64_t n, const uint32_t *order, B *bodies,
                            tree_counters *counters, const morton_bounds *bounds, tree_frame *frame)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i == 0)
        *frame = frame_of(bounds, &counters->largest_mass, s.n);
    if (i >= n)
        return;
    const uint64_t from = order ? order[i] : i;
    if (from < s.n)
        body_read(bodies[i], s.x, s.m, s.stride, from);
    else
        body_read(bodies[i], more.x, nullptr, more.stride, from - s.n);
    if (!tree_is_finite(bodies[i]))
        counters->not_finite = 1;
}

/* Sets bodies[i] = in[order[i]]. One thread per sorted position. */
template <typename B> static __global__ void put_in_order(uint64_t n, const uint32_t *order, const B *in, B *bodies)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < n)
        bodies[i] = in[order[i]];
}

template <typename B> int tree_put_in_order(tree_work *w, const B *records)
{
    put_in_order<<<nb_blocks_for(w->own_n), NB_BLOCK, 0, w->stream>>>(w->own_n, (const uint32_t *)w->sort.order.d,
                                                                      records, (B *)w->bodies.d + w->first);
    return NB_CUDA(cudaGetLastError());
}

/* From this number of bodies on, each body is first copied to a record (in the memory of the sort keys), then the
 * records are put in order. This takes one random access per body instead of four. It is faster if the cache cannot
 * hold all bodies. */
#define PACK_FIRST 2000000

template <typename B> bool tree_gathers_late(const tree_work *w)
{
    return w->n >= PACK_FIRST && !w->domain && w->n * sizeof(B) <= w->sort.keys.size_bytes;
}

template <typename B> int tree_gather(tree_work *w, const nb_sources *s, const nb_targets *more)
{
    const bool late = tree_gathers_late<B>(w);
    if (tree_reserve_bodies(w, sizeof(B)) || tree_clear_counters(w))
        return -1;
    tree_counters *counters = (tree_counters *)w->counters.d;
    B *to = (B *)(late ? w->sort.keys.d : w->bodies.d);
    const unsigned blocks = nb_blocks_for(s->n) < 512 ? nb_blocks_for(s->n) : 512;
    if (s->n > 0)
        nb_for_state(tree_state_precision<B>, [&]<typename T>() {
            find_largest_mass<<<blocks, NB_BLOCK, 0, w->stream>>>((const T *)s->m, s->n, &counters->largest_mass);
        });
    pack<<<nb_blocks_for(w->n), NB_BLOCK, 0, w->stream>>>(
        *s, *more, w->n, late ? nullptr : (const uint32_t *)w->sort.order.d, to, counters,
        (const morton_bounds *)w->sort.bounds.d, (tree_frame *)w->frame.d);
    return NB_CUDA(cudaGetLastError()) ? -1 : late ? tree_put_in_order<B>(w, to) : 0;
}

/* ---- nodes ---- */

#define LANES 16 /* number of lanes of a leaf */

/* leaf_max returns the maximum of v over the lanes of a leaf; leaf_sum returns the sum. Each lane gets the result. */
static __device__ __forceinline__ float leaf_max(float v)
{
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, distance));
    return v;
}

static __device__ __forceinline__ double leaf_sum(double v)
{
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        v += __shfl_xor_sync(~0u, v, distance);
    return v;
}

/* Sums the moments q[] over the lanes of a leaf. At the end, q[0] and q[1] of lane k contain the sums of moments 2 k
 * and 2 k + 1. */
template <int N, typename real> static __device__ __forceinline__ void add_lanes(real *q)
{
    const bool upper = threadIdx.x & N / 2;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const real kept = upper ? q[k + N] : q[k], sent = upper ? q[k] : q[k + N];
        q[k] = kept + __shfl_xor_sync(~0u, sent, N / 2);
    }
    if constexpr (N > 2)
        add_lanes<N / 2>(q);
}

template <typename real> static __device__ void reset(const tree_view<real> &t, uint32_t *ready, uint32_t node)
{
    ready[node] = 0;
    t.remaining[node] = {~0u, TREE_UNKNOWN};
}

/* Called by LANES lanes: sets all bits of a node's summary (tree_inner.cu). */
template <typename real> static __device__ void erase_summary(const tree_view<real> &t, uint32_t node, uint32_t lane)
{
    uint32_t *const part[3] = {(uint32_t *)(t.moments + (uint64_t)node * NB_MOMENTS), (uint32_t *)&t.centre[node],
                               (uint32_t *)&t.box[node]};
    const uint32_t words[3] = {NB_MOMENTS * sizeof(real) / 4, sizeof(tree_centre) / 4, sizeof(tree_box) / 4};
    for (int j = 0; j < 3; j++)
        for (uint32_t k = lane; k < words[j]; k += LANES)
            part[j][k] = ~0u;
}

static_assert(NB_MOMENTS == 2 * LANES && NB_TREE_LEAF == LANES && TREE_LEAF_LARGE == 2 * LANES, "see below");

/* Computes box, ball, centre and moments of the leaves. Resets ready[] and t.remaining[] of all nodes, as
 * tree_clear does. erase: also erases the summaries of inner nodes. LANES lanes (half a warp) process one leaf. Each
 * lane reads PER bodies of the leaf, and writes two of its moments. Lane 0 writes box, ball and centre. bodies[]: t.n
 * bodies in sorted order. */
template <int PER, typename B>
static __global__ void make_leaves(tree_view<typename B::real> t, const B *bodies, uint32_t *ready, bool erase)
{
    typedef typename B::real real;
    const uint32_t lane = threadIdx.x % LANES;
    const uint32_t number = (uint32_t)(((uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x) / LANES),
                   leaf = t.inner + number;
    const bool is_leaf = leaf < t.nodes;
    const uint2 range = is_leaf ? t.range[leaf] : make_uint2(0, 1);
    const double *middle = t.frame->middle, length = t.frame->length;
    double x[PER][3], m[PER], c[3], origin[3], mass = 0, far2 = 0;
    bool there[PER];
    tree_box box;
    for (int j = 0; j < PER; j++) { /* a lane without a body uses the leaf's first body, but with mass 0 */
        there[j] = lane + j * LANES < range.y - range.x;
        const B body = bodies[range.x + (there[j] ? lane + j * LANES : 0)];
        m[j] = there[j] ? (double)body.m : 0;
        mass += m[j];
        body_position(body, x[j]);
    }
    body_position(bodies[range.x], origin);
    mass = leaf_sum(mass);
    for (int k = 0; k < 3; k++) {
        float low = FLT_MAX, high = -FLT_MAX;
        double sum = 0;
        for (int j = 0; j < PER; j++) {
            const float here = (float)((x[j][k] - middle[k]) * length);
            low = fminf(low, here);
            high = fmaxf(high, here);
            sum += m[j] * (x[j][k] - origin[k]);
        }
        box.high[k] = leaf_max(high);
        box.low[k] = -leaf_max(-low);
        sum = leaf_sum(sum);
        c[k] = mass > 0 ? origin[k] + sum / mass : middle[k] + (box.low[k] + box.high[k]) / 2 / length;
    }
    real q[NB_MOMENTS] = {};
    for (int j = 0; j < PER; j++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = (c[k] - x[j][k]) * length;
        far2 = fmax(far2, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (there[j])
            expansion_moments_add(q, (real)(m[j] * t.frame->mass), (real)d[0], (real)d[1], (real)d[2]);
    }
    add_lanes<LANES>(q);
    const double r = leaf_max(__double2float_ru(sqrt(far2)));
    const uint32_t inner = t.first_node + number; /* there are at least as many leaves as inner nodes */
    if (inner < t.inner && erase)
        erase_summary(t, inner, lane);
    if (inner < t.inner && lane == 0)
        reset(t, ready, inner);
    if (!is_leaf)
        return;
    for (int k = 0; k < 2; k++)
        t.moments[(uint64_t)leaf * NB_MOMENTS + 2 * lane + k] = q[k];
    if (lane == 0) {
        const tree_centre centre = {c[0] * length, c[1] * length, c[2] * length, r};
        reset(t, ready, leaf);
        t.box[leaf] = box;
        t.centre[leaf] = centre;
        store_ball(t, leaf, *t.frame, centre);
    }
}

/* ---- estimate of the acceleration ---- */

/* Fills t.opening[].data for the nodes [first, end). One thread per node. The thread climbs from its node to the root.
 * It sums the forces of the node's sibling and of its ancestors' siblings, and computes f (tree.h) from the sums. If
 * *not_finite is set, does not compute f, and makes the interaction lists of the nodes empty. */
template <typename real>
static __global__ void make_opening_data(tree_view<real> t, uint32_t first, uint32_t end, const uint32_t *not_finite,
                                         float tolerance, double eps, uint64_t sources)
{
    const uint32_t me = first + blockIdx.x * NB_BLOCK + threadIdx.x;
    if (me >= end)
        return;
    if (*not_finite) {
        t.m2l[me] = t.remaining[me] = t.m2p[me] = {0, 0};
        return;
    }
    const float eps2 = (float)(eps * t.frame->length * (eps * t.frame->length));
    const tree_ball ball = t.opening[me].ball;
    const float mass = (float)t.moments[(uint64_t)me * NB_MOMENTS];
    const float own2 = 0.3f * ball.r * ball.r, own_rinv = rsqrtf(own2 + eps2);
    float sum = mass * sqrtf(own2) * own_rinv * own_rinv * own_rinv / 2, ax = 0, ay = 0, az = 0;
    /* `above` is the parent of `parent`. Each iteration already loads the children and the parent of `above`, which the
     * next iterations need. An iteration then waits for one load, not for three loads one after another. */
    uint32_t parent = me > 0 ? t.parent[me] : 0, above = parent > 0 ? t.parent[parent] : 0;
    uint2 pair = t.inner > 0 ? t.children[parent] : make_uint2(0, 0);
    for (uint32_t node = me; node > 0;) {
        const uint32_t sibling = pair.x == node ? pair.y : pair.x;
        const uint2 next_pair = t.children[above];
        const uint32_t next_above = above > 0 ? t.parent[above] : 0;
        const tree_ball other = t.opening[sibling].ball;
        const float m = (float)t.moments[(uint64_t)sibling * NB_MOMENTS];
        const float dx = other.x - ball.x, dy = other.y - ball.y, dz = other.z - ball.z;
        const float q2 = dx * dx + dy * dy + dz * dz + 0.3f * other.r * other.r;
        const float rinv = rsqrtf(q2 + eps2), f = m * rinv * rinv * rinv;
        sum += f * sqrtf(q2);
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
        node = parent;
        parent = above;
        above = next_above;
        pair = next_pair;
    }
    const uint2 children = me < t.inner ? t.children[me] : make_uint2(0, 0), range = t.range[me];
    const float light = (float)(NB_TREE_HEAVY * (double)t.moments[0] / (double)sources) * (float)(range.y - range.x);
    const float f = fmaxf(sqrtf(ax * ax + ay * ay + az * az), 0.2f * sum) * (mass > light ? light / mass : 1);
    t.opening[me].data = {mass, tolerance * f, children.x, children.y};
}

template <typename B> int tree_nodes(tree_work *w, const tree_view<typename B::real> &t)
{
    uint32_t *ready = tree_ready_of(w);
    const B *bodies = (const B *)w->bodies.d;
    const uint64_t leaves = w->nodes - w->inner;
    const unsigned blocks = nb_blocks_for(LANES * leaves);
    auto *kernel = w->leaf == LANES ? make_leaves<1, B> : make_leaves<2, B>;
    kernel<<<blocks, NB_BLOCK, 0, w->stream>>>(t, bodies, ready, tree_erases(w));
    return NB_CUDA(cudaGetLastError()) ? -1 : tree_make_inners(w, t);
}

template <typename real> int tree_open(tree_work *w, const tree_view<real> &t, const nb_sources *s)
{
    const uint32_t *not_finite = &((const tree_counters *)w->counters.d)->not_finite;
    const float tolerance = (float)nb_tree_opening(w->theta).tolerance;
    const double eps = fmax(s->softening, s->far.outer);
    make_opening_data<<<nb_blocks_for(w->nodes - w->first_node), NB_BLOCK, 0, w->stream>>>(
        t, w->first_node, w->nodes, not_finite, tolerance, eps, s->n);
    if (w->top > 0)
        make_opening_data<<<nb_blocks_for(w->top), NB_BLOCK, 0, w->stream>>>(t, 0, w->top, not_finite, tolerance, eps,
                                                                             s->n);
    return NB_CUDA(cudaGetLastError());
}

int tree_begin(tree_work *w, unsigned long long largest, uint64_t n)
{
    tree_counters *counters = (tree_counters *)w->counters.d;
    if (tree_clear_counters(w) ||
        NB_CUDA(cudaMemcpyAsync(&counters->largest_mass, &largest, sizeof largest, cudaMemcpyHostToDevice, w->stream)))
        return -1;
    make_frame<<<1, 1, 0, w->stream>>>((const morton_bounds *)w->sort.bounds.d, &counters->largest_mass, n,
                                       (tree_frame *)w->frame.d);
    return NB_CUDA(cudaGetLastError());
}

template bool tree_gathers_late<body_single>(const tree_work *);
template bool tree_gathers_late<body_mixed>(const tree_work *);
template bool tree_gathers_late<body_double>(const tree_work *);
template int tree_gather<body_single>(tree_work *, const nb_sources *, const nb_targets *);
template int tree_gather<body_mixed>(tree_work *, const nb_sources *, const nb_targets *);
template int tree_gather<body_double>(tree_work *, const nb_sources *, const nb_targets *);
template int tree_put_in_order<body_single>(tree_work *, const body_single *);
template int tree_put_in_order<body_mixed>(tree_work *, const body_mixed *);
template int tree_put_in_order<body_double>(tree_work *, const body_double *);
template int tree_nodes<body_single>(tree_work *, const tree_view<float> &);
template int tree_nodes<body_mixed>(tree_work *, const tree_view<float> &);
template int tree_nodes<body_double>(tree_work *, const tree_view<double> &);
template int tree_open<float>(tree_work *, const tree_view<float> &, const nb_sources *);
template int tree_open<double>(tree_work *, const tree_view<double> &, const nb_sources *);
