/* octree_build.cu - builds the octree on the GPU, with the first four of the six kernels of Burtscher & Pingali (2011):
 * box, insertion, sums, order.
 *
 * In three kernels a thread needs results of other threads. It must not wait for a result in a loop: if the result came
 * from a thread of the same warp, both could wait forever. Instead, each thread tries one step. If a result is missing,
 * the thread does nothing, and tries again after all threads of its warp have tried. Shared data are stored with
 * release and loaded with acquire. */
#include "device/timing.h"
#include "reference/methods/cuda/octree_cuda.cuh"

#include <cuda/atomic>

typedef cuda::atomic_ref<uint32_t, cuda::thread_scope_device> shared_number;

/* Loads `number` with acquire ordering. */
static __device__ __forceinline__ uint32_t taken(uint32_t &number)
{
    return shared_number(number).load(cuda::memory_order_acquire);
}

/* Stores value in `number` with release ordering. */
static __device__ __forceinline__ void handed_over(uint32_t &number, uint32_t value)
{
    shared_number(number).store(value, cuda::memory_order_release);
}

/* ---- box ---- */

/* One thread: resets the bounding box of the bodies and the counters. */
static __global__ void begin(morton_bounds *bounds, octree_counters *counters)
{
    for (int k = 0; k < 3; k++)
        bounds->low[k] = ~0ull, bounds->high[k] = 0;
    *counters = {};
}

/* Copies the n bodies from s.x and s.m to t.bodies. The bodies are distributed over all threads of the grid. Each warp
 * extends the bounding box t.bounds so that it contains the warp's bodies. Sets t.counters->not_finite if a position or
 * a mass is not finite. */
template <typename B> static __global__ void read_bodies(octree_view<B> t, nb_sources s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool finite = true;
    for (uint32_t i = blockIdx.x * NB_BLOCK + threadIdx.x; i < t.n; i += gridDim.x * NB_BLOCK) {
        B body;
        double x[3];
        body_read(body, s.x, s.m, s.stride, i);
        body_position(body, x);
        finite = finite && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite((double)body.m);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
        t.bodies[i] = body;
    }
    if (!__all_sync(~0u, finite) && threadIdx.x % 32 == 0)
        atomicExch(&t.counters->not_finite, 1u);
    for (int k = 0; k < 3; k++) {
        for (int distance = 16; distance > 0; distance /= 2) {
            low[k] = fmin(low[k], __shfl_xor_sync(~0u, low[k], distance));
            high[k] = fmax(high[k], __shfl_xor_sync(~0u, high[k], distance));
        }
        if (threadIdx.x % 32 == 0) {
            atomicMin(&t.bounds->low[k], morton_ordered(low[k]));
            atomicMax(&t.bounds->high[k], morton_ordered(high[k]));
        }
    }
}

/* Initialises a cell without children. Ordinary stores suffice, because other threads cannot reach the cell yet. */
template <typename B>
static __device__ void make_node(const octree_view<B> &t, uint32_t node, const nb_octree_cell &cell)
{
    uint4 *child = (uint4 *)(t.child + 8 * (uint64_t)node);
    child[0] = child[1] = make_uint4(NB_OCTREE_NONE, NB_OCTREE_NONE, NB_OCTREE_NONE, NB_OCTREE_NONE);
    t.moment[node] = {cell.x[0], cell.x[1], cell.x[2], cell.half};
    t.count[node] = 0;
    t.place[node] = NB_OCTREE_NONE;
}

static __device__ nb_octree_cell cell_of(const octree_moment &m)
{
    return {{m.x, m.y, m.z}, m.m};
}

/* One thread: makes cell 0, the root, from the bounds. */
template <typename B> static __global__ void make_root(octree_view<B> t)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = morton_unordered(t.bounds->low[k]);
        high[k] = morton_unordered(t.bounds->high[k]);
    }
    make_node(t, 0, nb_octree_root(low, high));
    t.place[0] = 0;
    t.counters->nodes = 1;
}

/* ---- insertion ---- */

struct octree_descent { /* body i at position x descends from the root and has reached `node`, whose cell is `cell` */
    uint32_t i, node;
    int depth; /* depth of the node, 1 for the root */
    double x[3];
    nb_octree_cell cell;
};

template <typename B> static __device__ void start(const octree_view<B> &t, uint32_t i, octree_descent *d)
{
    d->i = i;
    d->node = 0;
    d->depth = 1;
    d->cell = cell_of(t.moment[0]);
    body_position(t.bodies[i], d->x);
}

/* Separates body d.i from the bodies of `chain`, a linked list of bodies at position q in the same octant of d.cell.
 * Makes nested cells in the octant until body and chain are in different octants or the maximum depth is reached.
 * Returns the largest new cell, which the caller stores in place of `chain`. Returns `chain` if there is no memory for
 * cells. */
template <typename B>
static __device__ uint32_t divide(const octree_view<B> &t, const octree_descent &d, unsigned octant, uint32_t chain,
                                  const double q[3])
{
    nb_octree_cell cell = nb_octree_child(&d.cell, octant);
    uint32_t top = chain, *above = &top;
    for (int depth = d.depth + 1;; depth++) {
        const uint32_t node = atomicAdd(&t.counters->nodes, 1);
        if (node >= t.capacity) {
            atomicExch(&t.counters->full, 1u);
            return chain;
        }
        make_node(t, node, cell);
        *above = t.n + node;
        const unsigned of_chain = nb_octree_octant(&cell, q), own = nb_octree_octant(&cell, d.x);
        uint32_t *child = t.child + 8 * (uint64_t)node;
        if (of_chain != own || depth == NB_OCTREE_DEPTH) {
            t.next[d.i] = of_chain == own ? chain : NB_OCTREE_NONE;
            child[of_chain] = chain;
            child[own] = d.i;
            return top;
        }
        above = &child[own];
        cell = nb_octree_child(&cell, own);
    }
}

/* Inserts body d.i into an octant that already contains `chain`, one or more bodies. The calling thread must have
 * locked the octant's element of t.child. Returns the new value of this element. */
template <typename B>
static __device__ uint32_t put_beside(const octree_view<B> &t, const octree_descent &d, unsigned octant, uint32_t chain)
{
    double q[3];
    body_position(t.bodies[chain], q);
    const bool at_one_place = q[0] == d.x[0] && q[1] == d.x[1] && q[2] == d.x[2];
    if (!at_one_place && d.depth < NB_OCTREE_DEPTH)
        return divide(t, d, octant, chain, q);
    t.next[d.i] = chain;
    return d.i;
}

/* Tries to move body d->i one step down the tree: into the child cell in the body's octant. If there is no child cell,
 * tries to insert the body into the octant. Does nothing if another thread has locked the octant's element of t.child.
 * Returns whether the body is inserted. */
template <typename B> static __device__ bool go_down(const octree_view<B> &t, octree_descent *d)
{
    const unsigned octant = nb_octree_octant(&d->cell, d->x);
    uint32_t &place = t.child[8 * (uint64_t)d->node + octant];
    uint32_t child = taken(place);
    if (child == OCTREE_LOCKED)
        return false;
    if (child == NB_OCTREE_NONE) {
        t.next[d->i] = NB_OCTREE_NONE;
        return shared_number(place).compare_exchange_strong(child, d->i, cuda::memory_order_acq_rel);
    }
    if (child >= t.n) {
        d->node = child - t.n;
        d->cell = nb_octree_child(&d->cell, octant);
        d->depth++;
        return false;
    }
    if (!shared_number(place).compare_exchange_strong(child, OCTREE_LOCKED, cuda::memory_order_acq_rel))
        return false;
    handed_over(place, put_beside(t, *d, octant, child));
    return true;
}

/* Inserts the n bodies, which are distributed over all threads of the grid. Writes child, next, and new cells. */
template <typename B> static __global__ void __launch_bounds__(NB_BLOCK) insert(octree_view<B> t)
{
    uint32_t i = blockIdx.x * NB_BLOCK + threadIdx.x;
    octree_descent d;
    bool busy = i < t.n && !t.counters->not_finite;
    if (busy)
        start(t, i, &d);
    while (__any_sync(~0u, busy))
        if (busy && go_down(t, &d)) {
            i += gridDim.x * NB_BLOCK;
            busy = i < t.n;
            if (busy)
                start(t, i, &d);
        }
}

/* ---- sums ---- */

/* Sorts a chain by the indices of its bodies: merge sort with runs of 1, 2, 4 ... Returns the first body. */
static __device__ uint32_t sort_chain(uint32_t *next, uint32_t first)
{
    for (uint32_t run = 1, merges = 2; merges > 1; run *= 2) {
        uint32_t rest = first, *end = &first;
        for (merges = 0; rest != NB_OCTREE_NONE; merges++) {
            uint32_t a = rest, b = rest, of_a = 0, of_b = run;
            for (; of_a < run && b != NB_OCTREE_NONE; of_a++)
                b = next[b];
            while (of_a > 0 || (of_b > 0 && b != NB_OCTREE_NONE)) {
                const bool is_a = of_a > 0 && (of_b == 0 || b == NB_OCTREE_NONE || a < b);
                uint32_t &from = is_a ? a : b;
                is_a ? of_a-- : of_b--;
                *end = from;
                end = &next[from];
                from = next[from];
            }
            rest = b;
        }
        *end = NB_OCTREE_NONE;
    }
    return first;
}

/* sums over the children of cell `node` that were added so far. octant: octant of the next child; kept: number of
 * children added; count: number of bodies in these children; m: sum of masses; x, y, z: sums of mass times position,
 * relative to the middle of the cell */
struct octree_sum {
    uint32_t node, octant, kept, count;
    double x, y, z, m;
};

static __device__ void add_mass(octree_sum *sum, const octree_moment &cell, double x, double y, double z, double m)
{
    sum->x += m * (x - cell.x);
    sum->y += m * (y - cell.y);
    sum->z += m * (z - cell.z);
    sum->m += m;
}

template <typename B>
static __device__ uint32_t add_chain(const octree_view<B> &t, octree_sum *sum, const octree_moment &cell,
                                     uint32_t first)
{
    if (t.next[first] != NB_OCTREE_NONE)
        first = sort_chain(t.next, first);
    for (uint32_t j = first; j != NB_OCTREE_NONE; j = t.next[j], sum->count++) {
        double x[3];
        body_position(t.bodies[j], x);
        add_mass(sum, cell, x[0], x[1], x[2], (double)t.bodies[j].m);
    }
    return first;
}

/* Stores the results of a cell. Stores t.count last: a count above 0 tells other threads that the results are stored.
 */
template <typename B>
static __device__ void put_sum(const octree_view<B> &t, const octree_sum &sum, const octree_moment &cell, double theta,
                               int opening)
{
    const double factor = sum.m > 0 ? 1 / sum.m : 0;
    const double delta[3] = {factor * sum.x, factor * sum.y, factor * sum.z};
    const octree_moment all = {cell.x + delta[0], cell.y + delta[1], cell.z + delta[2], sum.m};
    octree_mass<B> mass;
    body_set(mass.body, (typename B::state)all.x, (typename B::state)all.y, (typename B::state)all.z,
             (typename B::state)all.m);
    mass.reach2 = (typename B::real)nb_octree_reach2(theta, opening, cell.m, delta);
    t.moment[sum.node] = all;
    t.mass[sum.node] = mass;
    for (uint32_t k = sum.kept; k < 8; k++)
        t.child[8 * (uint64_t)sum.node + k] = NB_OCTREE_NONE;
    handed_over(t.count[sum.node], sum.count);
}

/* Adds the children of sum->node in the order of the octants. Stops at a child cell whose results are not stored yet,
 * and then returns false. When all children are added, stores the results of the node and returns true. */
template <typename B>
static __device__ bool add_children(const octree_view<B> &t, octree_sum *sum, double theta, int opening)
{
    uint32_t *child = t.child + 8 * (uint64_t)sum->node;
    const octree_moment cell = t.moment[sum->node];
    for (; sum->octant < 8; sum->octant++) {
        uint32_t here = child[sum->octant];
        if (here == NB_OCTREE_NONE)
            continue;
        if (here < t.n)
            here = add_chain(t, sum, cell, here);
        else {
            const uint32_t count = taken(t.count[here - t.n]);
            if (count == 0)
                return false;
            const octree_moment part = t.moment[here - t.n];
            add_mass(sum, cell, part.x, part.y, part.z, part.m);
            sum->count += count;
        }
        child[sum->kept++] = here;
    }
    put_sum(t, *sum, cell, theta, opening);
    return true;
}

static __device__ __forceinline__ bool is_whole(const octree_counters *c)
{
    return !c->full && !c->not_finite;
}

/* Computes t.moment, t.mass and t.count of each cell from t.child and t.bodies. Moves the empty octants of a cell to
 * the end of its 8 elements of t.child. The cells are distributed over all threads of the grid, from the last to the
 * first. A cell waits for its children, which have larger numbers, so all blocks must run at the same time. */
template <typename B>
static __global__ void __launch_bounds__(NB_BLOCK, 2) summarise(octree_view<B> t, double theta, int opening)
{
    const uint32_t step = gridDim.x * NB_BLOCK, nodes = t.counters->nodes;
    uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    bool busy = is_whole(t.counters) && k < nodes;
    octree_sum sum = {nodes - 1 - k};
    while (__any_sync(~0u, busy))
        if (busy && add_children(t, &sum, theta, opening)) {
            k += step;
            busy = k < nodes;
            sum = {nodes - 1 - k};
        }
}

/* ---- order ---- */

/* Writes the bodies that are children of cell `node` to t.order, and sets t.place of the child cells (the position of
 * their first body in t.order). Returns false if t.place of the cell is not set yet. */
template <typename B> static __device__ bool give_places(const octree_view<B> &t, uint32_t node)
{
    const uint32_t *child = t.child + 8 * (uint64_t)node;
    uint32_t place = taken(t.place[node]);
    if (place == NB_OCTREE_NONE)
        return false;
    for (int c = 0; c < 8 && child[c] != NB_OCTREE_NONE; c++)
        if (child[c] >= t.n) {
            handed_over(t.place[child[c] - t.n], place);
            place += t.count[child[c] - t.n];
        } else
            for (uint32_t j = child[c]; j != NB_OCTREE_NONE; j = t.next[j])
                t.order[place++] = j;
    return true;
}

/* Writes the indices of the bodies to `order`, in the order of the tree. The cells are distributed over all threads of
 * the grid, from the root on. A cell waits until its parent has set its `place`, so all blocks must run at the same
 * time. Reads child, count and next; writes place and order. */
template <typename B> static __global__ void __launch_bounds__(NB_BLOCK, 2) sort(octree_view<B> t)
{
    const uint32_t nodes = t.counters->nodes;
    uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    bool busy = is_whole(t.counters) && k < nodes;
    while (__any_sync(~0u, busy))
        if (busy && give_places(t, k)) {
            k += gridDim.x * NB_BLOCK;
            busy = k < nodes;
        }
}

template <typename B> int octree_build(octree_work *w, const octree_view<B> &t, const nb_sources *s)
{
    const unsigned all = nb_blocks_for(t.n), at_once = 2 * (unsigned)w->processors;
    const unsigned resident = all < at_once ? all : at_once, many = all < 8 * at_once ? all : 8 * at_once;
    nb_timing_stage(w->device, "box");
    begin<<<1, 1, 0, w->stream>>>(t.bounds, t.counters);
    read_bodies<<<many, NB_BLOCK, 0, w->stream>>>(t, *s);
    make_root<<<1, 1, 0, w->stream>>>(t);
    nb_timing_stage(w->device, "insert");
    insert<<<many, NB_BLOCK, 0, w->stream>>>(t);
    nb_timing_stage(w->device, "summarise");
    summarise<<<resident, NB_BLOCK, 0, w->stream>>>(t, w->theta, w->opening);
    nb_timing_stage(w->device, "sort");
    if (w->sort)
        sort<<<resident, NB_BLOCK, 0, w->stream>>>(t);
    return NB_CUDA(cudaGetLastError());
}

template int octree_build(octree_work *, const octree_view<body_single> &, const nb_sources *);
template int octree_build(octree_work *, const octree_view<body_mixed> &, const nb_sources *);
template int octree_build(octree_work *, const octree_view<body_double> &, const nb_sources *);
