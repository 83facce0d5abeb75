/* The walk: a warp takes a node A and the sources that A's parent left open, divides them until each is far from A or
 * is A's children's (a leaf's: its near pairs') business, and adds the far ones' moments to A's local expansion, 32
 * at a time. Nodes are taken in the order of their numbers, so that parents are on their way before children wait for
 * them. Which sources come in which order follows from the tree alone: equal bits in every run. */
#include "tree_cuda.cuh"

#define WARPS 4
/* Nodes to look at, last come first. 32 are taken and at most 64 put back, one division deeper: 32 a depth, and there
 * are fewer than TREE_DEPTHS + 1 depths. */
#define STACK (32 * (TREE_DEPTHS + 2))

template <typename real> struct walk_state {
    uint32_t stack[STACK];
    uint32_t far[64];
    uint32_t out[TREE_CHUNK];
};

struct walk_writer { /* of one warp; chunk: of the pool, ~0 none */
    uint32_t first, chunk, count;
};

static __device__ __forceinline__ uint32_t lanes_before(uint32_t mask)
{
    return __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
}

/* ---- lists ---- */

/* Writes the `held` entries in out[] as the list's next chunk. A pool that is used up loses them, and is found to be.
 */
static __device__ void write_chunk(const tree_pool &pool, tree_counters *counters, const uint32_t *out, uint32_t held,
                                   walk_writer *writer)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t chunk = 0;
    if (lane == 0)
        chunk = atomicAdd(&counters->chunks, 1);
    chunk = __shfl_sync(~0u, chunk, 0);
    if (chunk < pool.chunks) {
        for (uint32_t k = lane; k < held; k += 32)
            pool.entries[(uint64_t)chunk * TREE_CHUNK + k] = out[k];
        if (lane == 0 && writer->chunk != ~0u)
            pool.next[writer->chunk] = chunk;
        if (writer->chunk == ~0u)
            writer->first = chunk;
        writer->chunk = chunk;
        writer->count += held;
    }
    __syncwarp();
}

/* Entries of the lanes that keep theirs go into out[], which is written when it is full. */
static __device__ void append(const tree_pool &pool, tree_counters *counters, uint32_t *out, uint32_t *held, bool keep,
                              uint32_t entry, walk_writer *writer)
{
    const uint32_t mask = __ballot_sync(~0u, keep), count = __popc(mask);
    if (*held + count > TREE_CHUNK) { /* fill up, write, and the rest goes first into the next */
        const uint32_t room = TREE_CHUNK - *held, place = lanes_before(mask);
        if (keep && place < room)
            out[*held + place] = entry;
        __syncwarp();
        write_chunk(pool, counters, out, TREE_CHUNK, writer);
        if (keep && place >= room)
            out[place - room] = entry;
        *held = count - room;
    } else {
        if (keep)
            out[*held + lanes_before(mask)] = entry;
        *held += count;
    }
    __syncwarp();
}

struct walk_reader {
    tree_list list;
    uint32_t chunk, at;
};

/* The next entries of a list, one a lane, at most 32; how many. */
static __device__ uint32_t read_list(const tree_pool &pool, walk_reader *r, uint32_t *entry)
{
    const uint32_t left = r->list.count - r->at, count = left < 32 ? left : 32;
    if (r->at > 0 && r->at % TREE_CHUNK == 0)
        r->chunk = __ldcg(&pool.next[r->chunk]);
    if (threadIdx.x % 32 < count)
        *entry = __ldcg(&pool.entries[(uint64_t)r->chunk * TREE_CHUNK + r->at % TREE_CHUNK + threadIdx.x % 32]);
    r->at += count;
    return count;
}

/* ---- far sources ---- */

/* The lanes' sources' moments, each at its own distance, into the lanes' sums. */
template <typename real>
static __device__ __forceinline__ void add_far(const tree_view<real> &t, const tree_centre &c, bool there,
                                               uint32_t source, real eps2, bool want_value, real *l)
{
    alignas(16) real q[NB_MOMENTS];
    real x = 1, y = 0, z = 0;
#pragma unroll
    for (int k = 0; k < NB_MOMENTS; k++)
        q[k] = 0;
    if (there) {
        typedef typename std::conditional<sizeof(real) == 4, float4, double2>::type wide;
        const wide *from = (const wide *)(t.moments + (uint64_t)source * NB_MOMENTS);
        const tree_centre s = t.centre[source];
        x = (real)(c.x - s.x), y = (real)(c.y - s.y), z = (real)(c.z - s.z);
#pragma unroll
        for (int k = 0; k < (int)(NB_MOMENTS * sizeof(real) / sizeof(wide)); k++)
            ((wide *)q)[k] = from[k];
    }
    expansion_local_add(l, q, x, y, z, eps2, want_value);
}

/* Sums over the lanes; lane L is left with coefficients 2 L and 2 L + 1 in l[0], l[1], of 64. Every step halves what a
 * lane is in charge of. */
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

/* ---- the walk ---- */

template <typename real, bool VALUE>
static __global__ void __launch_bounds__(32 * WARPS, sizeof(real) == 4 ? 3 : 2)
    walk(tree_view<real> t, tree_counters *counters, uint32_t *ready, float apart2, float target2, double eps)
{
    const real eps2 = (real)(eps * t.frame->scale * (eps * t.frame->scale));
    extern __shared__ char shared[];
    walk_state<real> *state = (walk_state<real> *)shared + threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    for (;;) {
        uint32_t me = 0;
        if (lane == 0)
            me = atomicAdd(&counters->ticket, 1);
        me = __shfl_sync(~0u, me, 0);
        if (me >= t.nodes)
            return;
        const bool leaf = me >= t.inner;
        const tree_ball ball = t.ball[me];
        const tree_centre centre = t.centre[me];
        const tree_gauge gauge = t.gauge[me];
        real l[NB_LOCALS];
#pragma unroll
        for (int k = 0; k < NB_LOCALS; k++)
            l[k] = 0;
        walk_reader in = {};
        uint32_t depth = 0; /* of the stack */
        if (me == 0) {
            state->stack[0] = 0;
            depth = 1;
        } else {
            const uint32_t parent = t.parent[me];
            volatile uint32_t *flag = &ready[parent];
            while (*flag < 3)
                __nanosleep(20);
            __threadfence();
            in.list.first = __ldcg(&t.list[parent].first);
            in.list.count = __ldcg(&t.list[parent].count);
            in.chunk = in.list.first;
            const tree_centre from = t.centre[parent];
            real above[NB_LOCALS];
#pragma unroll
            for (int k = 0; k < NB_LOCALS; k++)
                above[k] = lane == 0 ? __ldcg(&t.local[(uint64_t)parent * NB_LOCALS + k]) : 0;
            expansion_local_shift(l, above, (real)(centre.x - from.x), (real)(centre.y - from.y),
                                  (real)(centre.z - from.z));
        }
        walk_writer writer = {0, ~0u, 0};
        uint32_t far = 0, held = 0;
        __syncwarp();
        for (bool more = true; more || far > 0;) {
            if (more && far < 32) {
                uint32_t source = 0, count;
                if (depth >= 32 || in.at == in.list.count) {
                    count = depth < 32 ? depth : 32;
                    depth -= count;
                    if (lane < count)
                        source = state->stack[depth + lane];
                } else
                    count = read_list(t.pool, &in, &source);
                __syncwarp();
                bool is_far = false, keep = false, open = false;
                if (lane < count) {
                    const tree_ball other = t.ball[source];
                    const float dx = ball.x - other.x, dy = ball.y - other.y, dz = ball.z - other.z,
                                r = ball.r + other.r;
                    const float d2 = dx * dx + dy * dy + dz * dz;
                    const float x = __fdividef(r * r, d2);
                    is_far = x < apart2 && ball.r * ball.r < target2 * d2 &&
                             x * x * x * t.gauge[source].mass <= gauge.share * d2 &&
                             d2 > TREE_LEAST_DISTANCE * TREE_LEAST_DISTANCE;
                    open = !is_far && source < t.inner && (leaf || other.r >= ball.r);
                    keep = !is_far && !open && source != me;
                }
                const uint32_t far_mask = __ballot_sync(~0u, is_far), open_mask = __ballot_sync(~0u, open);
                if (is_far)
                    state->far[far + lanes_before(far_mask)] = source;
                far += __popc(far_mask);
                if (depth + 64 > STACK) {
                    if (lane == 0)
                        counters->stack_full = 1;
                } else if (open) {
                    const uint2 children = t.children[source];
                    state->stack[depth + 2 * lanes_before(open_mask)] = children.x;
                    state->stack[depth + 2 * lanes_before(open_mask) + 1] = children.y;
                }
                if (depth + 64 <= STACK)
                    depth += 2 * __popc(open_mask);
                append(t.pool, counters, state->out, &held, keep, source, &writer);
                more = depth > 0 || in.at < in.list.count;
            }
            if (far >= 32 || (!more && far > 0)) {
                const uint32_t count = far < 32 ? far : 32;
                far -= count;
                const uint32_t source = lane < count ? state->far[far + lane] : 0;
                __syncwarp();
                add_far(t, centre, lane < count, source, eps2, VALUE, l);
            }
        }
        if (held > 0)
            write_chunk(t.pool, counters, state->out, held, &writer);
        add_lanes<32>(l);
        if (2 * lane < NB_LOCALS) {
            t.local[(uint64_t)me * NB_LOCALS + 2 * lane] = l[0];
            t.local[(uint64_t)me * NB_LOCALS + 2 * lane + 1] = l[1];
        }
        if (lane == 0)
            t.list[me] = {writer.first, writer.count};
        __threadfence();
        __syncwarp();
        if (lane == 0 && !leaf) {
            __threadfence();
            *(volatile uint32_t *)&ready[me] = 3;
        }
    }
}

template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t, double eps, bool want_value)
{
    const size_t shared = WARPS * sizeof(walk_state<real>);
    auto kernel = want_value ? walk<real, true> : walk<real, false>;
    int blocks = 0;
    const struct nb_tree_opening opening = nb_tree_opening(w->theta);
    if (NB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)) ||
        NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * WARPS, shared)))
        return -1;
    kernel<<<blocks * w->processors, 32 * WARPS, shared, nb_cuda_stream()>>>(
        t, (tree_counters *)w->counters.d, (uint32_t *)w->ready.d, (float)(opening.apart * opening.apart),
        (float)(opening.target * opening.target), eps);
    return NB_CUDA(cudaGetLastError());
}

template int tree_walk<float>(tree_work *, const tree_view<float> &, double, bool);
template int tree_walk<double>(tree_work *, const tree_view<double> &, double, bool);
