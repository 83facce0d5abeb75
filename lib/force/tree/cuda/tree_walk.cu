/* The walk: a warp takes a node A and the sources that A's parent left (or the root), divides them until each is far
 * from A or is A's children's (a leaf's: its near pairs') business, and writes lists. Nodes are taken in the order of
 * their numbers, so that parents are on their way before children wait for them. Which sources come in which order
 * follows from the tree alone: equal bits in every run. */
#include "force/tree/cuda/tree_cuda.cuh"

#define WARPS 4
#define ARENA 16 /* chunks that a warp takes from the pool at a time */

#define BUFFER (TREE_CHUNK + 32)

struct walk_buffers {
    uint32_t far[BUFFER], rest[BUFFER], apart[BUFFER];
};

struct walk_arena { /* chunks of the pool that this warp may still use */
    uint32_t at, end;
};

/* A list that is being written: `held` entries wait in out[]; chunk: the last one written, ~0 none. */
struct walk_writer {
    uint32_t *out;
    uint32_t held, first, chunk, count;
};

static __device__ __forceinline__ walk_writer begin_list(uint32_t *out)
{
    return {out, 0, 0, ~0u, 0};
}

static __device__ __forceinline__ uint32_t lanes_before(uint32_t mask)
{
    return __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
}

/* Writes the first `held` entries as the list's next chunk. A pool that is used up loses them, and is found to be. */
static __device__ void write_chunk(const tree_pool &pool, tree_counters *counters, walk_arena *arena, uint32_t held,
                                   walk_writer *w)
{
    const uint32_t lane = threadIdx.x % 32;
    if (arena->at == arena->end) {
        uint32_t at = 0;
        if (lane == 0)
            at = atomicAdd(&counters->chunks, ARENA);
        arena->at = __shfl_sync(~0u, at, 0);
        arena->end = arena->at + ARENA;
    }
    const uint32_t chunk = arena->at++;
    if (chunk < pool.chunks) {
        for (uint32_t k = lane; k < held; k += 32)
            pool.entries[(uint64_t)chunk * TREE_CHUNK + k] = w->out[k];
        if (w->chunk == ~0u)
            w->first = chunk;
        else if (lane == 0)
            pool.next[w->chunk] = chunk;
        w->chunk = chunk;
        w->count += held;
    }
    __syncwarp();
}

/* Adds the entries of the lanes that keep theirs. */
static __device__ __forceinline__ void append(const tree_pool &pool, tree_counters *counters, walk_arena *arena,
                                              bool keep, uint32_t entry, walk_writer *w)
{
    const uint32_t mask = __ballot_sync(~0u, keep);
    if (keep)
        w->out[w->held + lanes_before(mask)] = entry;
    w->held += __popc(mask);
    __syncwarp();
    if (w->held >= TREE_CHUNK) {
        write_chunk(pool, counters, arena, TREE_CHUNK, w);
        w->held -= TREE_CHUNK;
        const uint32_t moved = w->out[TREE_CHUNK + threadIdx.x % 32];
        __syncwarp();
        w->out[threadIdx.x % 32] = moved;
        __syncwarp();
    }
}

static __device__ void end_list(const tree_pool &pool, tree_counters *counters, walk_arena *arena, walk_writer *w,
                                tree_list *list)
{
    if (w->held > 0)
        write_chunk(pool, counters, arena, w->held, w);
    if (threadIdx.x % 32 == 0)
        *list = {w->first, w->count};
}

struct walk_bounds { /* squares of nb_tree_opening's */
    float apart2, target2, each2;
    bool few; /* bodies: leaves are near one another */
    uint32_t limit;
};

enum walk_verdict { NOTHING, FAR, FAR_FROM_EACH, DIVIDE, LEAVE };

/* What B is for A. From each body of a leaf it can be far where it is not from the leaf as a whole. */
template <bool LEAF>
static __device__ __forceinline__ walk_verdict judge(const walk_bounds &bounds, const tree_ball &a, float share,
                                                     const tree_ball &b, const tree_gauge &gauge, bool inner)
{
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r = a.r + b.r;
    const float d2 = dx * dx + dy * dy + dz * dz, x = __fdividef(r * r, d2);
    const bool distant = d2 > TREE_LEAST_DISTANCE * TREE_LEAST_DISTANCE;
    if (distant && !(LEAF && bounds.few && !inner) && x < bounds.apart2 && a.r * a.r < bounds.target2 * d2 &&
        x * x * x * gauge.mass <= share * d2)
        return FAR;
    if (LEAF && distant && inner) {
        const float gap = sqrtf(d2) - a.r, y = __fdividef(b.r * b.r, gap * gap);
        if (gap > TREE_LEAST_DISTANCE && y < bounds.each2 && y * y * y * gauge.mass <= share * gap * gap)
            return FAR_FROM_EACH;
    }
    return inner && (LEAF || b.r >= a.r) ? DIVIDE : LEAVE;
}

/* A leaf that has no lists, since it is near too much. */
template <typename real>
static __device__ void note_long(const tree_view<real> &t, tree_counters *counters, uint32_t leaf)
{
    if (threadIdx.x % 32 > 0)
        return;
    const uint32_t place = atomicAdd(&counters->longs, 1);
    if (place < TREE_LONG_MOST)
        counters->long_leaves[place] = leaf;
    t.far[leaf] = t.apart[leaf] = {0, 0};
    t.rest[leaf] = {0, TREE_IS_LONG};
}

/* The lists of one node. */
template <bool LEAF, typename real>
static __device__ __forceinline__ void
walk_node(const tree_view<real> &t, tree_counters *counters, const walk_bounds &bounds, walk_arena *arena,
          walk_buffers *buffers, uint32_t *stack, uint32_t room, uint32_t *ready, uint32_t me, bool begin)
{
    const uint32_t lane = threadIdx.x % 32;
    const tree_ball ball = t.mark[me].ball;
    const float share = t.mark[me].gauge.share;
    walk_writer far = begin_list(buffers->far), rest = begin_list(buffers->rest), apart = begin_list(buffers->apart);
    tree_reader in = {};
    uint32_t depth = 0; /* of the stack */
    if (begin) {
        depth = 1;
        stack[0] = 0;
    } else {
        const uint32_t parent = t.parent[me];
        while (*(volatile uint32_t *)&ready[parent] < 3)
            __nanosleep(20);
        __threadfence();
        in.list.first = __ldcg(&t.rest[parent].first);
        in.list.count = __ldcg(&t.rest[parent].count);
        in.chunk = in.list.first;
    }
    __syncwarp();
    while (depth > 0 || in.at < in.list.count) {
        uint32_t source = 0, count;
        if (depth >= 32 || in.at == in.list.count) {
            count = depth < 32 ? depth : 32;
            depth -= count;
            if (lane < count)
                source = stack[depth + lane];
        } else
            count = tree_read(t.pool, &in, &source);
        __syncwarp();
        walk_verdict verdict = NOTHING;
        tree_gauge gauge;
        if (lane < count) {
            const tree_ball other = t.mark[source].ball;
            gauge = t.mark[source].gauge;
            verdict = judge<LEAF>(bounds, ball, share, other, gauge, source < t.inner);
        }
        append(t.pool, counters, arena, verdict == FAR, source, &far);
        append(t.pool, counters, arena, verdict == LEAVE && source != me, source, &rest);
        if (LEAF)
            append(t.pool, counters, arena, verdict == FAR_FROM_EACH, source, &apart);
        const uint32_t divided = __ballot_sync(~0u, verdict == DIVIDE);
        if (LEAF && rest.count + rest.held > bounds.limit)
            break;
        if (depth + 64 > room) {
            counters->stack_full = 1;
            break;
        }
        if (verdict == DIVIDE)
            *(uint2 *)&stack[depth + 2 * lanes_before(divided)] = make_uint2(gauge.left, gauge.right);
        depth += 2 * __popc(divided);
        __syncwarp();
    }
    if (LEAF && rest.count + rest.held > bounds.limit) {
        note_long(t, counters, me);
        return;
    }
    end_list(t.pool, counters, arena, &far, &t.far[me]);
    end_list(t.pool, counters, arena, &rest, &t.rest[me]);
    if (LEAF) {
        end_list(t.pool, counters, arena, &apart, &t.apart[me]);
        return;
    }
    __threadfence();
    __syncwarp();
    if (lane == 0)
        *(volatile uint32_t *)&ready[me] = 3;
}

template <typename real>
static __global__ void __launch_bounds__(32 * WARPS)
    walk(tree_view<real> t, tree_counters *counters, uint32_t *ready, walk_bounds bounds, uint32_t room)
{
    __shared__ walk_buffers buffers[WARPS];
    extern __shared__ uint2 stacks[];
    const uint32_t warp = threadIdx.x / 32;
    walk_arena arena = {0, 0};
    uint32_t *stack = (uint32_t *)stacks + warp * room;
    if (counters->not_finite) /* the lists are empty: make_gauges */
        return;
    for (;;) { /* one node at a time: those taken together would be waited for together */
        uint32_t me = 0;
        if (threadIdx.x % 32 == 0)
            me = atomicAdd(&counters->ticket[0], 1);
        me = __shfl_sync(~0u, me, 0);
        if (me >= t.nodes)
            return;
        const tree_part part = tree_part_of(t, me);
        if (part == TREE_ABOVE)
            continue;
        if (me < t.inner)
            walk_node<false>(t, counters, bounds, &arena, &buffers[warp], stack, room, ready, me, part == TREE_BEGIN);
        else
            walk_node<true>(t, counters, bounds, &arena, &buffers[warp], stack, room, ready, me, part == TREE_BEGIN);
    }
}

template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t)
{
    const size_t shared = WARPS * w->stack * sizeof(uint32_t);
    const struct nb_tree_opening opening = nb_tree_opening(w->theta);
    const walk_bounds bounds = {(float)(opening.apart * opening.apart), (float)(opening.target * opening.target),
                                (float)(opening.each * opening.each), w->n <= TREE_FEW, w->limit};
    int blocks = 0;
    if (NB_CUDA(cudaFuncSetAttribute(walk<real>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)) ||
        NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk<real>, 32 * WARPS, shared)))
        return -1;
    walk<<<blocks * w->processors, 32 * WARPS, shared, w->stream>>>(t, (tree_counters *)w->counters.d,
                                                                    (uint32_t *)w->ready.d, bounds, w->stack);
    return NB_CUDA(cudaGetLastError());
}

template int tree_walk<float>(tree_work *, const tree_view<float> &);
template int tree_walk<double>(tree_work *, const tree_view<double> &);
