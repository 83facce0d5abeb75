/* tree_walk.cu - the walk: computes the interaction lists of each target node A. Declared in tree_cuda.cuh.
 * - The walk of A begins with the root of the tree, or with the list `remaining` of A's parent.
 * - A source that does not meet the opening criterion is replaced by its children, or is put on A's list `remaining`.
 * - Walks begin in the order of the node numbers, parents before children. A child thus never waits for a parent whose
 *   walk has not begun.
 * - The order of a list depends only on the tree, so that results are bitwise identical in every run. */
#include "force/tree/cuda/tree_cuda.cuh"

#define WARPS 4
#define ARENA 16 /* number of chunks that a warp reserves from the pool at a time */

#define BUFFER (TREE_CHUNK + 32)

struct walk_buffers {
    uint32_t m2l[BUFFER], remaining[BUFFER], m2p[BUFFER];
};

struct walk_arena { /* chunks [at, end) of the pool that this warp has reserved but not used */
    uint32_t at, end;
};

/* A list that is being written. Its first `count` entries are in the pool, in a linked list of chunks from chunk
 * `first` to chunk `chunk` (~0: none yet). The next `held` entries are still in the buffer `out`. */
struct walk_writer {
    uint32_t *out;
    uint32_t held, first, chunk, count;
};

static __device__ __forceinline__ walk_writer begin_list(uint32_t *out)
{
    return {out, 0, 0, ~0u, 0};
}

/* Called by a warp: writes the first `held` entries of the buffer w->out to the next chunk of the list. If the pool has
 * no more chunks, discards these entries. The host then finds counters->chunks above the size of the pool, and repeats
 * the walk. */
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

/* Called by a warp: appends to the list `w` the `entry` of each lane whose `keep` is true. */
static __device__ __forceinline__ void append(const tree_pool &pool, tree_counters *counters, walk_arena *arena,
                                              bool keep, uint32_t entry, walk_writer *w)
{
    const uint32_t mask = __ballot_sync(~0u, keep);
    if (keep)
        w->out[w->held + tree_lanes_before(mask)] = entry;
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

/* Called by one lane: publishes the list `remaining` of an inner node. Warps that compute its children may wait for
 * it. */
static __device__ __forceinline__ void report_list(tree_list *list, uint32_t first, uint32_t count)
{
    tree_report((unsigned long long *)list, (unsigned long long)count << 32 | first);
}

/* Waits until the list `remaining` of an inner node is complete, and returns it. */
static __device__ __forceinline__ tree_list await_list(tree_list *list)
{
    const unsigned long long found =
        tree_await((unsigned long long *)list, [](unsigned long long v) { return v >> 32 != TREE_UNKNOWN; });
    return {(uint32_t)found, (uint32_t)(found >> 32)};
}

/* Constants of the opening criterion (struct nb_tree_opening, tree.h). Members whose names end in 2 are squares of the
 * constants. `separation`, `source` and `reach` are used only if reach > 0 (FAR = true). */
struct walk_criteria {
    float separation2, target2, source2;
    float separation, source, reach; /* `reach` is nb_tree_opening.reach times tree_frame.length */
    bool small;                      /* the system has at most TREE_SMALL bodies */
    uint32_t limit;                  /* a leaf with more than `limit` near leaves is a long leaf */
};

enum walk_action { IDLE, M2L, M2P, OPEN, REMAIN };

/* Applies the opening criterion (tree.h) to source B and target A. IDLE is for lanes without a source. */
template <bool LEAF, bool FAR>
static __device__ __forceinline__ walk_action classify(const walk_criteria &criteria, const tree_ball &a,
                                                       float max_error, const tree_ball &b,
                                                       const tree_opening_data &data, bool inner)
{
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r = a.r + b.r;
    const float d2 = dx * dx + dy * dy + dz * dz, x = __fdividef(r * r, d2);
    const bool distant = d2 > TREE_LEAST_DISTANCE * TREE_LEAST_DISTANCE;
    if (distant && !(LEAF && criteria.small && !inner) && x < criteria.separation2 &&
        a.r * a.r < criteria.target2 * d2 && x * x * x * data.mass <= max_error * d2 &&
        (!FAR || r + criteria.reach < criteria.separation * sqrtf(d2)))
        return M2L;
    if (LEAF && distant && inner) {
        const float gap = sqrtf(d2) - a.r, y = __fdividef(b.r * b.r, gap * gap);
        if (gap > TREE_LEAST_DISTANCE && y < criteria.source2 && y * y * y * data.mass <= max_error * gap * gap &&
            (!FAR || b.r + criteria.reach < criteria.source * gap))
            return M2P;
    }
    return inner && (LEAF || b.r >= a.r) ? OPEN : REMAIN;
}

/* Called by a warp: adds a leaf to counters->long_leaves, empties its lists, and marks it by TREE_IS_LONG. */
template <typename real>
static __device__ void note_long(const tree_view<real> &t, tree_counters *counters, uint32_t leaf)
{
    if (threadIdx.x % 32 > 0)
        return;
    const uint32_t place = atomicAdd(&counters->longs, 1);
    if (place < TREE_LONG_MOST)
        counters->long_leaves[place] = leaf;
    t.m2l[leaf] = t.m2p[leaf] = {0, 0};
    t.remaining[leaf] = {0, TREE_IS_LONG};
}

/* A target node of the walk, and the data that are loaded before its walk begins. */
struct walk_target {
    uint32_t number, parent;
    uint2 range;
};

/* Called by a warp: takes the next position of the work queue, and returns it in lane 0. */
static __device__ __forceinline__ uint32_t take_node(tree_counters *counters)
{
    return threadIdx.x % 32 == 0 ? atomicAdd(&counters->next_node[0], 1) : 0;
}

/* Called by a warp: returns the node at position `taken` (valid in lane 0) of the work queue. */
template <typename real>
static __device__ __forceinline__ walk_target find_target(const tree_view<real> &t, uint32_t taken)
{
    const uint32_t number = tree_queued(t, __shfl_sync(~0u, taken, 0));
    if (number >= t.nodes)
        return {t.nodes, 0, {0, 0}};
    return {number, t.parent[number], t.range[number]};
}

/* Called by a warp: computes the interaction lists of the target node `me`. The warp takes up to 32 sources at a time,
 * one for each lane, and classifies them.
 * - The sources are on the stack (children of opened sources) and in the list `remaining` of the parent of `me`. The
 *   warp reads the list while the stack has fewer than 32 entries. Otherwise, and after the end of the list, it takes
 *   sources from the stack.
 * - If there is no such list, the walk begins with the root of the tree.
 * - The function also takes the warp's next target from the work queue (take_node), and returns the result. It does so
 *   after all sources are classified, so that the atomic operation runs while the ends of the lists are written. */
template <bool LEAF, bool FAR, typename real>
static __device__ __forceinline__ uint32_t walk_node(const tree_view<real> &t, tree_counters *counters,
                                                     const walk_criteria &criteria, walk_arena *arena,
                                                     walk_buffers *buffers, uint32_t *stack, uint32_t stack_capacity,
                                                     uint32_t me, uint32_t parent)
{
    const uint32_t lane = threadIdx.x % 32;
    const tree_ball ball = t.opening[me].ball;
    const float max_error = t.opening[me].data.max_error;
    walk_writer m2l = begin_list(buffers->m2l), remaining = begin_list(buffers->remaining),
                m2p = begin_list(buffers->m2p);
    tree_reader in = {};
    uint32_t depth = 0; /* number of entries of the stack */
    in.list.count = TREE_FROM_ROOT;
    if (me > 0 && parent >= t.first_node)
        in.list = await_list(&t.remaining[parent]);
    in.chunk = in.list.first;
    if (in.list.count == TREE_FROM_ROOT) {
        in.list.count = 0;
        depth = 1;
        stack[0] = 0;
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
        walk_action action = IDLE;
        tree_opening_data data;
        if (lane < count) {
            const tree_ball other = t.opening[source].ball;
            data = t.opening[source].data;
            action = classify<LEAF, FAR>(criteria, ball, max_error, other, data, data.left != data.right);
        }
        append(t.pool, counters, arena, action == M2L, source, &m2l);
        append(t.pool, counters, arena, action == REMAIN && source != me, source, &remaining);
        if (LEAF)
            append(t.pool, counters, arena, action == M2P, source, &m2p);
        const uint32_t opened = __ballot_sync(~0u, action == OPEN);
        if (LEAF && remaining.count + remaining.held > criteria.limit)
            break;
        if (depth + 64 > stack_capacity) {
            counters->stack_full = 1;
            break;
        }
        if (action == OPEN)
            *(uint2 *)&stack[depth + 2 * tree_lanes_before(opened)] = make_uint2(data.left, data.right);
        depth += 2 * __popc(opened);
        __syncwarp();
    }
    const uint32_t taken = take_node(counters);
    if (LEAF && remaining.count + remaining.held > criteria.limit) {
        note_long(t, counters, me);
        return taken;
    }
    if (!LEAF) { /* write `remaining` before the other lists: warps that compute the children of `me` may wait for it */
        if (remaining.held > 0)
            write_chunk(t.pool, counters, arena, remaining.held, &remaining);
        if (lane == 0)
            report_list(&t.remaining[me], remaining.first, remaining.count);
    }
    end_list(t.pool, counters, arena, &m2l, &t.m2l[me]);
    if (LEAF) {
        end_list(t.pool, counters, arena, &remaining, &t.remaining[me]);
        end_list(t.pool, counters, arena, &m2p, &t.m2p[me]);
    }
    return taken;
}

/* Computes interaction lists. A block is WARPS independent warps; each warp takes target nodes from the work queue, one
 * after the other. All blocks run at the same time. Reads t.opening, one record per node. Writes one list per node to
 * t.m2l and t.remaining, and one list per leaf to t.m2p. Shared memory for each warp: list buffers, and a stack of
 * stack_capacity entries. */
template <bool FAR, typename real>
static __global__ void __launch_bounds__(32 * WARPS)
    walk(tree_view<real> t, tree_counters *counters, walk_criteria criteria, double reach, uint32_t stack_capacity)
{
    __shared__ walk_buffers buffers[WARPS];
    extern __shared__ uint2 stacks[];
    const uint32_t warp = threadIdx.x / 32;
    walk_arena arena = {0, 0};
    uint32_t *stack = (uint32_t *)stacks + warp * stack_capacity;
    if (FAR)
        criteria.reach = (float)(reach * t.frame->length) * 1.000001f;
    if (counters->not_finite) /* make_opening_data has made the lists empty */
        return;
    uint32_t taken = take_node(counters);
    walk_target target = find_target(t, taken);
    while (target.number < t.nodes) {
        const uint32_t me = target.number;
        if (!tree_overlap(target.range, t.share))
            taken = take_node(counters);
        else if (me >= t.inner)
            taken = walk_node<true, FAR>(t, counters, criteria, &arena, &buffers[warp], stack, stack_capacity, me,
                                         target.parent);
        else if (!tree_is_above(t, target.range))
            taken = walk_node<false, FAR>(t, counters, criteria, &arena, &buffers[warp], stack, stack_capacity, me,
                                          target.parent);
        else {
            taken = take_node(counters);
            if (threadIdx.x % 32 == 0)
                report_list(&t.remaining[me], 0, TREE_FROM_ROOT);
        }
        target = find_target(t, taken);
    }
}

template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t, double reach)
{
    const size_t shared = WARPS * w->stack * sizeof(uint32_t);
    const struct nb_tree_opening opening = nb_tree_opening(w->theta);
    const walk_criteria criteria = {(float)(opening.separation * opening.separation),
                                    (float)(opening.target * opening.target),
                                    (float)(opening.source * opening.source),
                                    (float)opening.separation,
                                    (float)opening.source,
                                    0,
                                    w->n <= TREE_SMALL,
                                    w->limit};
    auto kernel = reach > 0 ? walk<true, real> : walk<false, real>;
    int blocks = 0;
    if (NB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)) ||
        NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * WARPS, shared)))
        return -1;
    w->walkers = (uint32_t)(blocks * w->processors * WARPS);
    kernel<<<blocks * w->processors, 32 * WARPS, shared, w->stream>>>(t, (tree_counters *)w->counters.d, criteria,
                                                                      reach, w->stack);
    return NB_CUDA(cudaGetLastError());
}

double tree_walk_chunks_reserved(const tree_work *w)
{
    return (double)w->walkers * ARENA;
}

template int tree_walk<float>(tree_work *, const tree_view<float> &, double);
template int tree_walk<double>(tree_work *, const tree_view<double> &, double);
