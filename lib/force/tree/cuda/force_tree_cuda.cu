/* force_tree_cuda.cu - the tree force on the GPU: the entry of the table of forces, which runs the stages of
 * tree_cuda.cuh. */
#include "device/timing.h"
#include "force/tree/cuda/tree_domains.cuh"

int tree_clear_counters(tree_work *w)
{
    return NB_CUDA(cudaMemsetAsync(w->counters.d, 0, sizeof(tree_counters), w->stream));
}

int tree_clear(tree_work *w)
{
    const size_t nodes = w->nodes - w->first_node;
    return nb_status(NB_CUDA(cudaMemsetAsync(w->ready.d, 0, nodes * sizeof(uint32_t), w->stream)) ||
                     NB_CUDA(cudaMemsetAsync(w->remaining.d, 0xff, nodes * sizeof(tree_list), w->stream)) ||
                     tree_clear_counters(w));
}

/* The keys are first sorted by their upper w->sort.upper bits only. Keys with equal upper bits form a cell. The keys of
 * each cell are then sorted by insertion. There are at least a thousand times as many possible cells as bodies, so most
 * cells contain few bodies. If a cell contains too many bodies, as for a small cluster in a large box, w->sort.upper is
 * increased by TREE_SORT_BITS, and the sort is repeated. Later sorts use the increased number. */
int tree_first_upper(uint64_t n)
{
    return (64 - __builtin_clzll(n) + 10 + TREE_SORT_BITS - 1) / TREE_SORT_BITS * TREE_SORT_BITS;
}

/* Returns whether the order and the nodes of an earlier evaluation are kept. `counts` is true if this evaluation
 * computes accelerations, and false if it computes only potentials, for outputs.
 *
 * w->served is the number of evaluations with `counts` true that have used the present order. The order is kept if all
 * of these conditions are met:
 * - w->rebuild is above 1;
 * - there is an order of n bodies from an earlier evaluation;
 * - all targets of that evaluation and of this evaluation are bodies, not free points;
 * - w->served is below w->rebuild, or `counts` is false.
 * Evaluations of potentials are not counted, so that the results of a run do not depend on how often it writes
 * outputs. */
static bool keeps_order(const tree_work *w, const morton_points *sets, uint64_t n, bool counts)
{
    const bool serves = w->rebuild > 1 && (w->served < w->rebuild || !counts);
    /* Target points that are not bodies are sorted together with the bodies, and can be at other positions in each
     * call. The order of an earlier call is therefore used again only if there are no such points (sets[0].n == n). */
    return serves && w->n == n && w->sources == n && sets[0].n == n;
}

/* Sorts the bodies, copies them in sorted order, and builds the nodes. The bodies are copied while the host waits for
 * the number of nodes, unless the copy overwrites the keys (tree_gathers_late). */
template <typename B>
static int sort_and_build(tree_work *w, const morton_points *sets, const nb_sources *s, const nb_targets *more)
{
    bool in_order = false, late = false;
    if (w->sort.upper == 0)
        w->sort.upper = tree_first_upper(w->n);
    while (!in_order) {
        nb_timing_stage(w->device, "sort");
        if (morton_sort(w->stream, tree_state_precision<B>, sets, 2, 3, &w->sort))
            return -1;
        late = tree_gathers_late<B>(w);
        nb_timing_stage(w->device, "build");
        if (tree_build_begin(w) || (!late && tree_gather<B>(w, s, more)) || tree_build(w, &in_order))
            return -1;
        if (!in_order && !morton_drop_buckets(&w->sort))
            w->sort.upper += TREE_SORT_BITS;
    }
    nb_timing_stage(w->device, "moments");
    return late ? tree_gather<B>(w, s, more) : 0;
}

/* Sets w->bodies to the bodies in sorted order, which is new or that of an earlier evaluation. If it is new, builds
 * nodes. */
static int order(tree_work *w, enum nb_precision precision, const morton_points *sets, uint64_t n, bool counts,
                 const nb_sources *s, const nb_targets *more)
{
    const bool keeps = keeps_order(w, sets, n, counts);
    w->served = keeps ? w->served + counts : counts;
    w->n = n;
    w->sources = sets[0].n;
    if (keeps)
        nb_timing_stage(w->device, "moments");
    const int status = for_body(precision, [&]<typename B>() {
        return keeps ? tree_gather<B>(w, s, more) : sort_and_build<B>(w, sets, s, more);
    });
    if (status) {
        w->n = 0; /* there is no valid order */
        morton_drop_buckets(&w->sort);
    }
    return status;
}

/* Writes NaN to all outputs of `count` targets. Called if a position or mass is not finite. One thread per target. */
template <typename T> static __global__ void store_nan(uint64_t count, nb_field out)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < count)
        pair_store<T>(out, {NAN, NAN, NAN, NAN}, 1, i);
}

int tree_store_nan(tree_work *w, enum nb_precision precision, uint64_t count, const nb_field *out)
{
    if (count > 0)
        nb_for_state(precision, [&]<typename T>() {
            store_nan<T><<<nb_blocks_for(count), NB_BLOCK, 0, w->stream>>>(count, *out);
        });
    return NB_CUDA(cudaGetLastError());
}

/* Queues a copy of the counters to host memory. */
static int fetch_counters(tree_work *w)
{
    return nb_status(NB_CUDA(cudaMemcpyAsync(&w->host->counters, w->counters.d, offsetof(tree_counters, long_leaves),
                                             cudaMemcpyDeviceToHost, w->stream)) ||
                     NB_CUDA(cudaEventRecord(w->copied, w->stream)));
}

/* Waits for the counters. */
static int take_counters(tree_work *w, tree_counters *counters)
{
    if (NB_CUDA(cudaEventSynchronize(w->copied)))
        return -1;
    *counters = w->host->counters;
    w->chunks = counters->chunks;
    return 0;
}

/* Queues the stages "walk" and "far", and waits for the stage "walk" and its counters. If there are nodes of other
 * devices, "far" waits for the moments of these nodes. */
template <typename B>
static int put_walk(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out,
                    tree_counters *counters)
{
    const tree_view<typename B::real> t = tree_view_of<typename B::real>(w);
    nb_timing_stage(w->device, "walk");
    if ((w->walked[0] && NB_CUDA(cudaEventRecord(w->walked[0], w->stream))) || tree_walk(w, t, nb_tree_reach(s, out)) ||
        fetch_counters(w) || (w->has_others && NB_CUDA(cudaStreamWaitEvent(w->stream, w->domain->moved, 0))))
        return -1;
    nb_timing_stage(w->device, "far");
    return nb_status(tree_far<B>(w, t, s, to, out) || take_counters(w, counters));
}

/* Queues the stage "near". If it finds close pairs, waits for it and its counters. If there are bodies of other
 * devices, the stage waits for them. */
template <typename B>
static int put_near(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out,
                    tree_counters *counters)
{
    const tree_view<typename B::real> t = tree_view_of<typename B::real>(w);
    if (w->has_others && NB_CUDA(cudaStreamWaitEvent(w->stream, w->domain->arrived, 0)))
        return -1;
    nb_timing_stage(w->device, "near");
    if (tree_near<B>(w, t, s, to, out, counters->longs > 0))
        return -1;
    return nb_status(out->close && (fetch_counters(w) || take_counters(w, counters)));
}

static bool lists_fit(const tree_work *w, const tree_counters &counters)
{
    return !counters.stack_full && counters.chunks <= tree_pool_chunks(w) && counters.longs <= TREE_LONG_MOST;
}

/* Allocates the memory that was missing, and resets what the stages have written. */
static int make_room(tree_work *w, const tree_counters &counters)
{
    if (counters.longs > TREE_LONG_MOST)
        w->limit = TREE_IS_LONG;
    if (counters.stack_full)
        w->stack = TREE_STACK_ENOUGH;
    return nb_status(
        NB_CUDA(cudaStreamSynchronize(w->stream)) ||
        (counters.chunks > tree_pool_chunks(w) &&
         tree_reserve_pool(w, counters.chunks + (size_t)counters.chunks / 4)) ||
        (counters.close > tree_close_of(w).room && tree_close_reserve(w, counters.close + counters.close / 4)) ||
        tree_clear(w));
}

template <typename B>
int tree_sum(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out, bool balance,
             tree_counters *counters)
{
    if (out->close && tree_close_reserve(w, w->n / 4 + 1))
        return -1;
    /* The host waits for the stage "walk" only. While the device computes the stages "far" and "near", the host can
     * already queue the next step. */
    for (bool done = false; !done;) {
        if (put_walk<B>(w, s, to, out, counters))
            return -1;
        const bool fit = lists_fit(w, *counters);
        if (fit && !counters->not_finite && put_near<B>(w, s, to, out, counters))
            return -1;
        done = counters->not_finite || (fit && counters->close <= tree_close_of(w).room);
        if (!done && make_room(w, *counters))
            return -1;
    }
    nb_timing_stage(w->device, nullptr);
    if (w->walked[1] && NB_CUDA(cudaEventRecord(w->walked[1], w->stream)))
        return -1;
    if (balance && !counters->not_finite) {
        nb_timing_stage(w->device, "momentum");
        return tree_momentum(w, tree_state_precision<B>, s, out);
    }
    return 0;
}

template int tree_sum<body_single>(tree_work *, const nb_sources *, const tree_targets &, const nb_field *, bool,
                                   tree_counters *);
template int tree_sum<body_mixed>(tree_work *, const nb_sources *, const tree_targets &, const nb_field *, bool,
                                  tree_counters *);
template int tree_sum<body_double>(tree_work *, const nb_sources *, const tree_targets &, const nb_field *, bool,
                                   tree_counters *);

/* Computes the fields of the sorted bodies in several pieces. All pieces use the same memory for their lists, one after
 * the other. */
template <typename B>
static int sum_pieces(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out,
                      tree_counters *counters)
{
    const uint32_t pieces = (uint32_t)((w->n + TREE_PIECE - 1) / TREE_PIECE);
    uint32_t most = 0, limit = w->limit;
    int status = 0;
    bool again = false;
    counters->not_finite = 0;
    for (uint32_t k = 0; k < pieces && status == 0 && !counters->not_finite; k++) {
        w->share[0] = (double)k / pieces, w->share[1] = (double)(k + 1) / pieces;
        nb_timing_stage(w->device, "piece");
        if ((again && tree_clear(w)) || tree_find_shared(w) || tree_sum<B>(w, s, to, out, false, counters))
            status = -1;
        most = w->chunks > most ? w->chunks : most;
        again = true;
        /* w->limit, the maximum number of near leaves of a leaf, must be the same for all pieces. If it has changed,
         * begins again with the first piece. */
        if (w->limit != limit) {
            limit = w->limit;
            k = ~0u;
        }
    }
    w->chunks = most;
    w->share[0] = 0, w->share[1] = 1;
    return status;
}

/* Computes the field. If `balance` is true, corrects the accelerations so that the total momentum is conserved. */
template <typename B>
static int evaluate(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out, bool balance)
{
    typedef typename B::real real;
    const enum nb_precision precision = tree_state_precision<B>;
    tree_counters counters;
    w->in_pieces = w->n > TREE_PIECE && !w->few && w->share[0] == 0 && w->share[1] == 1 && !out->close;
    if (tree_reserve(w, sizeof(B), sizeof(real)) || tree_nodes<B>(w, tree_view_of<real>(w)) ||
        tree_open(w, tree_view_of<real>(w), s) ||
        (w->in_pieces ? sum_pieces<B>(w, s, to, out, &counters) || (balance && tree_momentum(w, precision, s, out))
                      : tree_sum<B>(w, s, to, out, balance, &counters)) ||
        (out->close && tree_close_take(w, counters.not_finite ? 0 : counters.close, out->close)))
        return -1;
    return counters.not_finite ? tree_store_nan(w, precision, to.count, out) : 0;
}

static int evaluate(tree_work *w, enum nb_precision precision, const nb_sources *s, const tree_targets &to,
                    const nb_field *out, bool balance)
{
    return for_body(precision, [&]<typename B>() { return evaluate<B>(w, s, to, out, balance); });
}

/* Adds the first n elements of each row of `own` to `to`. Both have `rows` rows with stride `stride`. */
static int add_rows(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t stride, int rows, const void *own,
                    void *to)
{
    const size_t row_bytes = stride * nb_precision_size(precision);
    for (int k = 0; to && k < rows; k++)
        if (nb_device_axpy(w->device, precision, n, 1, (const char *)own + k * row_bytes, (char *)to + k * row_bytes))
            return -1;
    return 0;
}

/* Computes the tree's field as `evaluate` does. If out->add is true, computes it in separate memory, and then adds it
 * to the outputs. */
static int evaluate_and_add(tree_work *w, enum nb_precision precision, const nb_sources *s, const tree_targets &to,
                            bool balance, const nb_field *out)
{
    const size_t size = nb_precision_size(precision), vector = 3 * out->stride * size;
    nb_field own = *out;
    if (out->add) {
        if (nb_cuda_reserve(&w->own, vector + out->stride * size) ||
            NB_CUDA(cudaMemsetAsync(w->own.d, 0, vector + out->stride * size, w->stream)))
            return -1;
        own.a = out->a ? w->own.d : nullptr;
        own.phi = out->phi ? (char *)w->own.d + vector : nullptr;
        own.add = false;
    }
    if (evaluate(w, precision, s, to, &own, balance))
        return -1;
    return nb_status(out->add && (add_rows(w, precision, to.count, out->stride, 3, own.a, out->a) ||
                                  add_rows(w, precision, to.count, out->stride, 1, own.phi, out->phi)));
}

/* Implements nb_force.field. Targets that are sources are already in the tree. Other points are added to the tree as
 * bodies without mass. */
static int tree_field(struct nb_device *device, void *work, enum nb_precision precision, const nb_sources *s,
                      const nb_targets *t, const nb_field *out)
{
    tree_work *w = (tree_work *)work;
    nb_targets more = *t;
    const bool of_sources = t->index || t->self >= 0;
    if (of_sources)
        more.n = 0;
    const uint64_t n = s->n + more.n;
    tree_targets to = {of_sources ? (uint64_t)t->self : s->n, t->n, nullptr};
    const morton_points sets[2] = {{s->x, s->stride, s->n}, {more.x, more.stride, more.n}};
    if (t->n == 0)
        return 0;
    if (n >= 1u << 31)
        return nb_fail("the tree supports fewer than 2^31 bodies");
    w->share[0] = 0, w->share[1] = 1; /* share_field may have changed the share */
    if (nb_cuda_enter(device) || order(w, precision, sets, n, out->a != nullptr, s, &more))
        return -1;
    if (t->index) {
        if (tree_find_places(w, t))
            return -1;
        to.place = (const uint32_t *)w->places.d;
    }
    w->few = to.count < n;
    if (w->few && tree_find_due(w, to))
        return -1;
    /* true: all bodies act on all bodies, so that the total momentum must be conserved */
    const bool balance = out->a && nb_targets_are_all(t, s);
    return evaluate_and_add(w, precision, s, to, balance, out);
}

static void tree_close(struct nb_device *device, void *work)
{
    tree_work *w = (tree_work *)work;
    nb_cuda_release_all(device, {&w->bodies, &w->frame,    &w->counters,  &w->depth_counts, &w->range,   &w->children,
                                 &w->parent, &w->ready,    &w->opening,   &w->centre,       &w->box,     &w->moments,
                                 &w->local,  &w->m2l,      &w->remaining, &w->m2p,          &w->partial, &w->pool,
                                 &w->next,   &w->places,   &w->due,       &w->before,       &w->queue,   &w->scan,
                                 &w->own,    &w->momentum, &w->close});
    if (nb_cuda_enter(device) == 0) {
        morton_release(&w->sort);
        tree_domain_close(w);
        for (cudaEvent_t event : {w->walked[0], w->walked[1], w->copied, w->side_done})
            if (event)
                cudaEventDestroy(event);
        if (w->side)
            cudaStreamDestroy(w->side);
        cudaFreeHost(w->host);
    }
    free(w);
}

static void *tree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    const double theta = spec->value[NB_TREE_THETA], rebuild = spec->value[NB_TREE_REBUILD];
    if (nb_tree_check(theta, rebuild))
        return NULL;
    tree_work *w = (tree_work *)nb_memory_new(sizeof *w);
    if (!w)
        return NULL;
    w->device = device;
    w->stream = nb_cuda_stream(device);
    w->theta = theta;
    w->rebuild = (unsigned)rebuild;
    w->stack = TREE_STACK_USUAL;
    w->limit = TREE_LONG;
    w->share[1] = 1;
    if (nb_cuda_enter(device) ||
        NB_CUDA(cudaDeviceGetAttribute(&w->processors, cudaDevAttrMultiProcessorCount, device->index)) ||
        NB_CUDA(cudaMallocHost((void **)&w->host, sizeof *w->host)) ||
        NB_CUDA(cudaEventCreateWithFlags(&w->copied, cudaEventDisableTiming))) {
        tree_close(device, w);
        return NULL;
    }
    return w;
}

static int share_field(struct nb_device *device, void *work, enum nb_precision precision, const nb_sources *s,
                       const double share[2], const nb_field *out, double *seconds)
{
    tree_work *w = (tree_work *)work;
    const nb_targets none = {.n = 0, .stride = s->stride, .x = s->x, .self = -1};
    const morton_points sets[2] = {{s->x, s->stride, s->n}, {s->x, s->stride, 0}};
    float ms = 0;
    if (s->n >= 1u << 31)
        return nb_fail("the tree supports fewer than 2^31 bodies");
    if (nb_cuda_enter(device))
        return -1;
    for (cudaEvent_t &event : w->walked)
        if (!event && NB_CUDA(cudaEventCreate(&event)))
            return -1;
    w->share[0] = share[0], w->share[1] = share[1];
    w->few = false;
    if (order(w, precision, sets, s->n, out->a != nullptr, s, &none) ||
        evaluate(w, precision, s, {0, s->n, nullptr}, out, false) || NB_CUDA(cudaEventSynchronize(w->walked[1])) ||
        NB_CUDA(cudaEventElapsedTime(&ms, w->walked[0], w->walked[1])))
        return -1;
    *seconds = 1e-3 * ms;
    return 0;
}

static int share_sum(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                     const void *d_m, const void *d_own, double sum[4])
{
    (void)device;
    return tree_momentum_sum((tree_work *)work, precision, n, own_stride, d_m, d_own, sum);
}

static int share_finish(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n,
                        uint64_t own_stride, const void *d_own, const double sum[4], const nb_field *out)
{
    (void)device;
    return tree_momentum_subtract((tree_work *)work, precision, n, own_stride, d_own, sum, out);
}

static const struct nb_force_shares shares = {nullptr, share_field, share_sum, share_finish, tree_together};

extern "C" const struct nb_force nb_force_tree_cuda;
const struct nb_force nb_force_tree_cuda = {
    .method = "tree",
    .device = "cuda",
    .about = "fast multipole method of order 5 on a binary tree",
    .flags = NB_FAR_PART,
    .kinds = nb_tree_kinds,
    .tolerance = {1e-3, 1e-3, 1e-3, 0}, /* single, mixed, double, quad */
    .refuse = nb_tree_refuse,
    .field = tree_field,
    .open = tree_open,
    .close = tree_close,
    .carry = tree_carry,
    .work_bytes = tree_work_bytes,
    .piece = TREE_PIECE,
    .shaping = &tree_shaping,
    .shares = &shares,
};
