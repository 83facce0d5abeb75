/* force_contact_bvh.cu - contact-bvh on the GPU as an entry of the table of forces. It builds the hierarchy of
 * contact_bvh.cuh for each evaluation. */
#include "device/timing.h"
#include "reference/contact_bvh/contact_bvh_kinds.h"
#include "reference/contact_bvh/cuda/contact_bvh.cuh"

#include <cfloat>
#include <cstdlib>

#define THREADS 64 /* threads per block of a traversal; the stacks of more threads would not fit in shared memory */

/* ---- traversal ---- */

/* Returns entry k of this thread's stack in shared memory. */
static __device__ __forceinline__ uint32_t &shared_stack(uint32_t k)
{
    extern __shared__ uint32_t stacks[]; /* uint32_t[BVH_DEPTH][THREADS] */
    return stacks[k * THREADS + threadIdx.x];
}

/* Makes a function that returns entry k of a thread's stack. If SHARED, the stack is in shared memory, otherwise in
 * `local`. */
#define STACK(SHARED, local)        \
    [&](uint32_t k) -> uint32_t & { \
        if constexpr (SHARED)       \
            return shared_stack(k); \
        else                        \
            return local[k];        \
    }

/* t.n threads; each computes the force on one disk.
 * - all = true: all disks are targets. Thread q computes the force on disk number q in Morton order, and writes it to
 *   the element of this disk in `out`. Neighbouring threads then visit the same nodes.
 * - all = false: thread q computes the force on target q, and writes it to element q of `out`.
 * Partners are summed in ascending order of their index. One traversal finds the next CONTACT_PARTNERS partners.
 * counters: NULL if forces on walls are not counted. */
template <typename P, bool SHARED>
static __global__ void __launch_bounds__(THREADS)
    sum_each(const __grid_constant__ bvh_view<P> b, const __grid_constant__ nb_targets t, bool all,
             const __grid_constant__ nb_field out, contact_counters *counters)
{
    const uint64_t q = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t local[SHARED ? 1 : BVH_DEPTH];
    if (q >= t.n)
        return;
    const uint64_t i = all ? b.order[q] : contact_disk(t, q);
    const typename P::point me = {b.x[i], b.x[i + b.stride]};
    typename P::sum sum = {};
    contact_found found;
    int64_t after = -1;
    uint32_t nodes = bvh_budget(b);
    do {
        found.count = 0;
        bvh_visit(b, me, -1, STACK(SHARED, local), &nodes, [&](uint32_t place) {
            const uint32_t j = b.order[place];
            const typename P::real reach = contact_reach(b.contact, i, j);
            if (j != i && (int64_t)j > after && contact_near(b.contact, me, bvh_place(b, place), reach * reach))
                contact_note(&found, j);
        });
        for (uint32_t k = 0; k < contact_held(found.count); k++) {
            const uint32_t j = found.number[k];
            contact_add_disk(b.contact, i, j, me, {b.x[j], b.x[j + b.stride]}, &sum);
        }
        after = found.number[CONTACT_PARTNERS - 1];
    } while (found.count > CONTACT_PARTNERS);
    if (nodes == 0)
        sum = {};
    else
        sum = contact_add_walls(b.contact, i, me, sum, counters);
    contact_put(b.contact, i, all ? i : q, sum, out);
}

/* ---- each pair once ---- */

template <typename R> struct sum_rows { /* arrays with the sums of n disks, device memory */
    R *force[2];
    R *energy, *push; /* NULL: not computed */
};

/* Adds sum.energy, sum.push and sign * sum.force to element j of the arrays in `rows`, by atomic additions. */
template <typename R, typename S>
static __device__ __forceinline__ void give(const sum_rows<R> &rows, uint32_t j, R sign, const S &sum)
{
    atomicAdd(&rows.force[0][j], sign * sum.force[0]);
    atomicAdd(&rows.force[1][j], sign * sum.force[1]);
    if (rows.energy)
        atomicAdd(&rows.energy[j], sum.energy);
    if (rows.push)
        atomicAdd(&rows.push[j], sum.push);
}

/* Called by all active lanes of a warp, instead of give(). Sums the values of lanes with the same disk j. One of these
 * lanes then calls give() with the total. */
template <typename R, typename S>
static __device__ __forceinline__ void give_together(const sum_rows<R> &rows, uint32_t j, R sign, const S &sum)
{
    const uint32_t mask = __match_any_sync(__activemask(), j);
    S total = {};
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __ffs((int)left) - 1;
        total.force[0] += __shfl_sync(mask, sum.force[0], lane);
        total.force[1] += __shfl_sync(mask, sum.force[1], lane);
        total.energy += __shfl_sync(mask, sum.energy, lane);
        total.push += __shfl_sync(mask, sum.push, lane);
    }
    if ((int)(threadIdx.x % 32) == __ffs((int)mask) - 1)
        give(rows, j, sign, total);
}

/* b.n threads; thread k owns disk number k in Morton order. Computes the forces between this disk and the disks that
 * come after it in this order, and adds each force to the sums of both disks in `rows`. */
template <typename P, bool SHARED, bool AGGREGATE>
static __global__ void __launch_bounds__(THREADS)
    sum_pairs(const __grid_constant__ bvh_view<P> b, sum_rows<typename P::state> rows)
{
    typedef typename P::state T;
    const uint64_t place = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t local[SHARED ? 1 : BVH_DEPTH];
    if (place >= b.n)
        return;
    const uint32_t i = b.order[place];
    const typename P::point me = bvh_place(b, (uint32_t)place);
    typename P::sum sum = {};
    /* maximum number of nodes to visit. bvh_budget() is for a kernel that traverses the tree once for every
     * CONTACT_PARTNERS partners; this kernel traverses it only once */
    uint32_t nodes = bvh_budget(b) / CONTACT_PARTNERS;
    bvh_visit(b, me, (int64_t)place, STACK(SHARED, local), &nodes, [&](uint32_t other) {
        const typename P::point at = bvh_place(b, other);
        const uint32_t j = b.order[other];
        const typename P::real reach = contact_reach(b.contact, i, j);
        if (!contact_near(b.contact, me, at, reach * reach))
            return;
        typename P::sum one = {};
        contact_add_disk(b.contact, i, j, me, at, &one);
        sum.force[0] += one.force[0], sum.force[1] += one.force[1], sum.energy += one.energy, sum.push += one.push;
        if (AGGREGATE)
            give_together(rows, j, (T)-1, one);
        else
            give(rows, j, (T)-1, one);
    });
    give(rows, i, (T)1, sum);
}

/* t.n threads; thread k owns target k, which is a disk. Reads the sums of this disk from `rows`, adds the forces of
 * walls, and writes the result to element k of `out`. */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK)
    finish(const __grid_constant__ bvh_view<P> b, sum_rows<typename P::state> rows,
           const __grid_constant__ nb_targets t, const __grid_constant__ nb_field out, contact_counters *counters)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k >= t.n)
        return;
    const uint64_t i = contact_disk(t, k);
    typename P::sum sum = {
        {rows.force[0][i], rows.force[1][i]}, rows.energy ? rows.energy[i] : 0, rows.push ? rows.push[i] : 0};
    sum = contact_add_walls(b.contact, i, {b.x[i], b.x[i + b.stride]}, sum, counters);
    contact_put(b.contact, i, k, sum, out);
}

template <typename P, bool SHARED>
static int sum_reflexive(bvh_work *w, const bvh_view<P> &b, const nb_targets *t, const nb_field *out,
                         contact_counters *counters)
{
    typedef typename P::state T;
    cudaStream_t stream = w->base.stream;
    const unsigned blocks = (unsigned)((b.n + THREADS - 1) / THREADS);
    const size_t row_bytes = (b.n * sizeof(T) + 255) / 256 * 256;
    const size_t stacks = SHARED ? BVH_DEPTH * THREADS * sizeof(uint32_t) : 0;
    if (nb_cuda_reserve(&w->sums, 4 * row_bytes) || NB_CUDA(cudaMemsetAsync(w->sums.d, 0, 4 * row_bytes, stream)))
        return -1;
    char *d = (char *)w->sums.d;
    const sum_rows<T> rows = {{(T *)d, (T *)(d + row_bytes)},
                              out->phi ? (T *)(d + 2 * row_bytes) : nullptr,
                              out->pressure ? (T *)(d + 3 * row_bytes) : nullptr};
    if (w->aggregate)
        sum_pairs<P, SHARED, true><<<blocks, THREADS, stacks, stream>>>(b, rows);
    else
        sum_pairs<P, SHARED, false><<<blocks, THREADS, stacks, stream>>>(b, rows);
    finish<<<nb_blocks_for(t->n), NB_BLOCK, 0, stream>>>(b, rows, *t, *out, counters);
    return NB_CUDA(cudaGetLastError());
}

template <typename P, bool SHARED>
static int sum(bvh_work *w, const bvh_view<P> &b, const nb_targets *t, bool all, const nb_field *out,
               contact_counters *counters)
{
    const unsigned blocks = (unsigned)((t->n + THREADS - 1) / THREADS);
    const size_t stacks = SHARED ? BVH_DEPTH * THREADS * sizeof(uint32_t) : 0;
    if (w->reflexive)
        return sum_reflexive<P, SHARED>(w, b, t, out, counters);
    sum_each<P, SHARED><<<blocks, THREADS, stacks, w->base.stream>>>(b, *t, all, *out, counters);
    return NB_CUDA(cudaGetLastError());
}

/* ---- build ---- */

/* b.n threads; thread k writes the position of disk number k in Morton order to sorted[k]. */
template <typename P> static __global__ void __launch_bounds__(NB_BLOCK) gather(const __grid_constant__ bvh_view<P> b)
{
    const uint64_t place = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (place >= b.n)
        return;
    const uint32_t i = b.order[place];
    b.sorted[place] = {b.x[i], b.x[i + b.stride]};
}

template <typename P> static int reserve(bvh_work *w, uint64_t n)
{
    const struct {
        nb_cuda_buffer *buffer;
        size_t size_bytes;
    } all[] = {{&w->children, sizeof(uint2)},
               {&w->last, sizeof(uint32_t)},
               {&w->inner_parent, sizeof(uint32_t)},
               {&w->leaf_parent, sizeof(uint32_t)},
               {&w->met, sizeof(uint32_t)},
               {&w->box, sizeof(bvh_box<typename P::state>)},
               {&w->sorted, w->reorder ? sizeof(typename P::point) : 0}};
    for (auto &a : all)
        if (nb_cuda_reserve(a.buffer, n * a.size_bytes))
            return -1;
    return 0;
}

template <typename P> static bvh_view<P> view(const bvh_work *w, const nb_sources *s, const nb_targets *t)
{
    typedef typename P::state T;
    const double epsilon = sizeof(T) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    bvh_view<P> b = {};
    b.contact = contact_view_of<P>(&w->base, s, t);
    b.x = (const T *)s->x;
    b.stride = s->stride;
    b.n = s->n;
    b.keys = (const uint64_t *)w->sort.keys.d;
    b.order = (const uint32_t *)w->sort.order.d;
    b.sorted = w->reorder ? (typename P::point *)w->sorted.d : nullptr;
    b.children = (uint2 *)w->children.d;
    b.last = (uint32_t *)w->last.d;
    b.inner_parent = (uint32_t *)w->inner_parent.d;
    b.leaf_parent = (uint32_t *)w->leaf_parent.d;
    b.met = (uint32_t *)w->met.d;
    b.box = (bvh_box<T> *)w->box.d;
    b.epsilon = (T)(4 * epsilon);
    b.slack = (T)(8 * epsilon * fmax(b.contact.space.length[0], b.contact.space.length[1]));
    return b;
}

/* Resets the counters. One block. */
static __global__ void __launch_bounds__(NB_BLOCK) begin(contact_counters *counters)
{
    contact_begin(counters);
}

template <typename P>
static int evaluate(bvh_work *w, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                    const nb_field *out)
{
    cudaStream_t stream = w->base.stream;
    const bool all = nb_targets_are_all(t, s), counts = contact_is_counted(s, t, out);
    const morton_points points = {s->x, s->stride, s->n};
    contact_counters *counters = contact_counters_of(&w->base);
    const unsigned blocks = nb_blocks_for(s->n);
    nb_timing_stage(w->base.device, "sort");
    if (reserve<P>(w, s->n) || morton_sort(stream, precision, &points, 1, 2, &w->sort))
        return -1;
    const bvh_view<P> b = view<P>(w, s, t);
    w->n = s->n;
    w->precision = precision;
    nb_timing_stage(w->base.device, "build");
    if (w->reorder)
        gather<<<blocks, NB_BLOCK, 0, stream>>>(b);
    bvh_nodes<<<blocks, NB_BLOCK, 0, stream>>>(b);
    bvh_boxes<<<blocks, NB_BLOCK, 0, stream>>>(b);
    nb_timing_stage(w->base.device, "contacts");
    if (counts)
        begin<<<1, NB_BLOCK, 0, stream>>>(counters);
    if (NB_CUDA(cudaGetLastError()))
        return -1;
    counters = counts ? counters : nullptr;
    return w->shared ? sum<P, true>(w, b, t, all, out, counters) : sum<P, false>(w, b, t, all, out, counters);
}

/* ---- entry of the table ---- */

static int bvh_field(struct nb_device *device, void *work, enum nb_precision precision, const nb_sources *s,
                     const nb_targets *t, const nb_field *out)
{
    bvh_work *w = (bvh_work *)work;
    if (contact_check(&w->base, s, t) || nb_cuda_enter(device))
        return -1;
    return contact_for(w->base.contact, precision, [&]<typename P>() { return evaluate<P>(w, precision, s, t, out); });
}

/* Returns whether evaluations can be recorded as a CUDA graph. This requires an earlier evaluation of n disks, which
 * allocated the memory. */
static bool bvh_recordable(const void *work, enum nb_precision precision, uint64_t n)
{
    const bvh_work *w = (const bvh_work *)work;
    return w->n == n && w->precision == precision;
}

static void *bvh_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    bvh_work *w = (bvh_work *)nb_memory_new(sizeof *w);
    if (!w || contact_base_open(&w->base, device, spec, meta)) {
        free(w);
        return nullptr;
    }
    w->reflexive = nb_force_value(spec, "reflexive") > 0;
    w->shared = nb_force_value(spec, "stack") > 0;
    w->reorder = nb_force_value(spec, "reorder") > 0;
    w->aggregate = nb_force_value(spec, "aggregate") > 0;
    return w;
}

static void bvh_close(struct nb_device *device, void *work)
{
    bvh_work *w = (bvh_work *)work;
    nb_cuda_release_all(
        device, {&w->sorted, &w->children, &w->last, &w->inner_parent, &w->leaf_parent, &w->met, &w->box, &w->sums});
    if (nb_cuda_enter(device) == 0)
        morton_release(&w->sort);
    contact_base_close(&w->base);
    free(w);
}

static double bvh_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double point = precision == NB_SINGLE ? sizeof(float2) : sizeof(double2);
    const double sort = 3 * (sizeof(uint64_t) + sizeof(uint32_t)), node = sizeof(uint2) + 4 * sizeof(uint32_t);
    return (double)n * (sort + node + 3 * point + 2 * point);
}

static const struct nb_force_steps bvh_steps = {nb_contact_flags, contact_longest_step, contact_boundary,
                                                contact_report, &nb_contact_counts_cuda};

extern "C" const struct nb_force nb_force_contact_bvh_cuda;
const struct nb_force nb_force_contact_bvh_cuda = {
    .method = "contact-bvh",
    .device = "cuda",
    .about = "disks that touch, by a hierarchy of boxes",
    .flags = NB_EXACT | NB_CONTACT | NB_BOUNDS_STEP | NB_PLANAR | NB_CARRIES_RUN,
    .kinds = nb_contact_bvh_kinds,
    .tolerance = {1e-3, 1e-3, 1e-12, 0}, /* single, mixed, double, quad */
    .refuse = nb_contact_refuse,
    .field = bvh_field,
    .recordable = bvh_recordable,
    .open = bvh_open,
    .close = bvh_close,
    .carry = contact_carry,
    .work_bytes = bvh_work_bytes,
    .steps = &bvh_steps,
};
