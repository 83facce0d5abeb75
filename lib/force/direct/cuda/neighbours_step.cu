/* neighbours_step.cu - computes a base step of the neighbour scheme on the GPU (force/neighbours.h) with one persistent
 * kernel, as in direct_own.cu. At each time at which the steps of some bodies (the due bodies) end:
 * - all bodies are predicted, and the due bodies are listed;
 * - the forces of neighbours on the due bodies are summed, one warp per body;
 * - for each batch of bodies whose regular steps end: the forces of all bodies that are not their neighbours are
 *   summed, then their neighbour lists are renewed, one warp per body;
 * - the due bodies are corrected and get new step sizes.
 * All blocks synchronise after each of these tasks. The indices in a list ascend, and the order of all sums depends
 * only on the numbers of bodies, due bodies and neighbours. Repeated runs are therefore bitwise identical. */
#include "force/direct/cuda/neighbours_lists.cuh"

/* Called by a block: chooses the first step sizes of the bodies of its chunk from their time scales. Returns the
 * maximum of 1 / (step size). */
static __device__ double open_chunk(const near_run &r)
{
    const uint64_t end = min((blockIdx.x + 1) * r.chunk, r.s.n);
    nb_own_hermite own = r.w.own;
    own.task = NB_OWN_OPEN, own.longest = 1, own.ends = false;
    nb_own_hermite regular = own;
    regular.eta = r.w.regular_eta;
    double *step = (double *)own.d_step, *regular_step = (double *)r.w.d_regular_step, most = 0;
    for (uint64_t i = blockIdx.x * r.chunk + threadIdx.x; i < end; i += THREADS) {
        regular_step[i] = nb_own_next(&regular, 1, regular_step[i]);
        step[i] = fmin(regular_step[i], nb_own_next(&own, 1, step[i]));
        ((double *)own.d_begun)[i] = r.regular_begun[i] = 0;
        most = fmax(most, 1 / step[i]);
    }
    return most;
}

static __device__ void predict(const near_run &r, const nb_own_hermite &own, uint64_t i)
{
    const nb_own_body b = own_body(own, i);
    const double h = own.base * (own.now - ((const double *)own.d_begun)[i]);
    near_place &to = r.place[i];
    double x[3], v[3];
    for (int k = 0; k < 3; k++) {
        x[k] = nb_own_place(h, b.x[k], b.v[k], b.a[k], b.j[k]);
        v[k] = nb_own_speed(h, b.v[k], b.a[k], b.j[k]);
    }
    write_triple(own.d_px, own.stride, i, x);
    write_triple(own.d_pv, own.stride, i, v);
    to.x = x[0], to.y = x[1], to.z = x[2];
    to.u = v[0], to.v = v[1], to.w = v[2];
}

/* Called by all threads of a block: predicts the bodies of its chunk. Lists the due bodies in `due`. In `regular_due`,
 * lists only the due bodies whose regular steps also end. Both lists are in ascending order. */
static __device__ void predict_chunk(const near_run &r, const nb_own_hermite &own)
{
    /* One element per warp. Lower 16 bits: number of due bodies of the warp. Upper 16 bits: number of these bodies
     * whose regular steps also end. */
    __shared__ uint32_t of_warp[WARPS];
    const double *step = (const double *)own.d_step, *regular_step = (const double *)r.w.d_regular_step;
    const uint64_t first = blockIdx.x * r.chunk, end = min(first + r.chunk, r.s.n);
    const unsigned below = (1u << lane_of()) - 1, warp = threadIdx.x / 32;
    uint32_t due_count = 0, regular_count = 0;
    for (uint64_t i0 = first; i0 < end; i0 += THREADS) {
        const uint64_t i = i0 + threadIdx.x;
        const bool is_due = i < end && (own.ends || step[i] <= own.longest);
        const bool is_regular = is_due && (own.ends || regular_step[i] <= own.longest);
        const unsigned dues = __ballot_sync(ALL, is_due), regulars = __ballot_sync(ALL, is_regular);
        if (lane_of() == 0)
            of_warp[warp] = (uint32_t)(__popc(dues) | __popc(regulars) << 16);
        __syncthreads();
        uint32_t before = 0, all = 0;
        for (unsigned k = 0; k < WARPS; k++) {
            before += k < warp ? of_warp[k] : 0;
            all += of_warp[k];
        }
        __syncthreads();
        if (is_due)
            r.due[first + due_count + (before & 0xffff) + (uint32_t)__popc(dues & below)] = (uint32_t)i;
        if (is_regular)
            r.regular_due[first + regular_count + (before >> 16) + (uint32_t)__popc(regulars & below)] = (uint32_t)i;
        due_count += all & 0xffff;
        regular_count += all >> 16;
        if (i < end)
            predict(r, own, i);
    }
    if (threadIdx.x == 0) {
        r.due_counts[blockIdx.x] = due_count;
        r.regular_counts[blockIdx.x] = regular_count;
    }
}

/* Ends the irregular step of body i (the step for the force of its neighbours). If is_regular is true, also ends its
 * regular step (the step for the force of all other bodies). Chooses the next step sizes. irregular: acceleration and
 * jerk that the neighbours cause. Returns 1 / (next irregular step). */
static __device__ double end_one(const near_run &r, const nb_own_hermite &own, uint32_t i, const near_sum &irregular,
                                 bool is_regular)
{
    double *step = (double *)own.d_step + i, *regular_step = (double *)r.w.d_regular_step + i;
    const double h = own.base * (own.now - ((const double *)own.d_begun)[i]);
    const double far_h = own.base * (own.now - r.regular_begun[i]);
    nb_own_body b = own_body(own, i);
    nb_own_regular far;
    double *const derivative[] = {far.a, far.j, far.s, far.c};
    for (int k = 0; k < 4; k++)
        read_triple(derivative[k], r.w.d_regular[k], own.stride, i);
    near_sum whole = irregular;
    nb_regular_add(&far, far_h, whole.a, whole.j);
    const double scale = nb_own_correct(&b, h, whole.a, whole.j, own.least);
    if (is_regular) {
        const near_regular &now = r.regular[i];
        nb_own_hermite regular = own;
        regular.eta = r.w.regular_eta;
        const double far_scale = nb_regular_correct(&far, far_h, now.sum.a, now.sum.j, own.least, b.x, b.v);
        for (int k = 0; k < 3; k++) {
            b.a[k] = irregular.a[k] + now.sum.a[k];
            b.j[k] = irregular.j[k] + now.sum.j[k];
            far.a[k] += now.change.a[k];
            far.j[k] += now.change.j[k];
            far.s[k] += now.change.s[k];
        }
        for (int k = 0; k < 4; k++)
            write_triple(r.w.d_regular[k], own.stride, i, derivative[k]);
        *regular_step = nb_own_next(&regular, *regular_step, far_scale);
        r.regular_begun[i] = own.now;
    }
    write_triple(own.d_x, own.stride, i, b.x);
    write_triple(own.d_v, own.stride, i, b.v);
    write_triple(own.d_a, own.stride, i, b.a);
    write_triple(own.d_j, own.stride, i, b.j);
    *step = nb_own_next(&own, *step, scale);
    if (!own.ends)
        *step = fmin(*step, *regular_step);
    ((double *)own.d_begun)[i] = own.now;
    return 1 / *step;
}

/* For each due body, sums the accelerations and jerks that its neighbours cause, one warp per body. Adds the number of
 * pairs to `pairs`. If `at_once` is true, ends the steps of the due bodies and returns the maximum of 1 / (next step).
 * If not, writes the sums to r.irregular. */
static __device__ double pull_due(const near_run &r, const nb_own_hermite &own, const uint32_t *before, uint32_t due,
                                  bool at_once, uint64_t &pairs)
{
    double most = 0;
    for (uint32_t f = blockIdx.x * WARPS + threadIdx.x / 32; f < due; f += gridDim.x * WARPS) {
        const uint32_t i = due_body(r.due, r.chunk, before, f), count = r.w.d_count[i];
        const near_sum sum = pull(r, i, count);
        pairs += count;
        if (lane_of() > 0)
            continue;
        if (at_once)
            most = fmax(most, end_one(r, own, i, sum, false));
        else
            r.irregular[i] = sum;
    }
    return most;
}

/* Processes a batch of the bodies whose regular steps end: elements [b0, b0 + count) of their list. Sums the forces of
 * all bodies that are not their neighbours, and finds their new neighbours. The sources are divided into `parts` parts.
 * A warp owns TARGETS bodies of the batch, and one part of the sources. Writes r.partial[parts][count],
 * r.found_count[parts][count] and the lists in r.found. */
template <int TARGETS>
static __device__ void sum_batch(const near_run &r, const uint32_t *before, uint32_t b0, uint32_t count, uint32_t parts,
                                 uint32_t *skip)
{
    const uint32_t groups = (count + TARGETS - 1) / TARGETS, n = (uint32_t)r.s.n;
    const uint32_t length = ((n + parts - 1) / parts + 31) / 32 * 32;
    for (uint32_t item = blockIdx.x * WARPS + threadIdx.x / 32; item < groups * parts; item += gridDim.x * WARPS) {
        const uint32_t part = item / groups, first = item % groups * TARGETS;
        near_targets<TARGETS> t = {};
        /* a warp with fewer than TARGETS bodies processes the last body repeatedly */
        for (uint32_t k = 0; k < TARGETS; k++) {
            const uint32_t at = min(first + k, count - 1);
            t.own[k] = due_body(r.regular_due, r.chunk, before, b0 + at);
            t.found[k] = r.found + ((uint64_t)part * count + at) * r.w.most;
        }
        if (part * length < n)
            pull_rest<TARGETS, true>(r, t, part * length, min(n, (part + 1) * length), skip);
        for (uint32_t k = 0; k < TARGETS; k++) {
            const near_sum sum = total_of(t.sum[k], r.s.G);
            const uint64_t to = (uint64_t)part * count + first + k;
            if (lane_of() > 0 || first + k >= count)
                continue;
            r.partial[to] = sum;
            r.found_count[to] = t.count[k];
        }
    }
}

/* For all bodies whose regular steps end, in batches: sums the forces of the bodies that are not their neighbours, and
 * renews their neighbour lists. `regular`: number of these bodies. Synchronises the grid. */
static __device__ void sum_regular(const near_run &r, const nb_own_hermite &own, const uint32_t *before,
                                   uint32_t regular, uint32_t *skip)
{
    auto grid = cooperative_groups::this_grid();
    const uint32_t warps = gridDim.x * WARPS;
    for (uint32_t b0 = 0; b0 < regular; b0 += r.batch) {
        const uint32_t count = min(r.batch, regular - b0);
        const bool many = count >= MANY;
        const uint32_t parts = parts_of((uint32_t)r.s.n, warps, many ? (count + 1) / 2 : count);
        if (b0 > 0)
            grid.sync(); /* waits until no warp reads the memory of the previous batch any more */
        if (many)
            sum_batch<2>(r, before, b0, count, parts, skip);
        else
            sum_batch<1>(r, before, b0, count, parts, skip);
        grid.sync();
        for (uint32_t t = blockIdx.x * WARPS + threadIdx.x / 32; t < count; t += warps)
            renew(r, own, due_body(r.regular_due, r.chunk, before, b0 + t), t, count, parts);
    }
}

/* Ends the steps of the due bodies, one thread per body. Returns the maximum of 1 / (next step size). */
static __device__ double end_steps(const near_run &r, const nb_own_hermite &own, const uint32_t *before, uint32_t due)
{
    const double *regular_step = (const double *)r.w.d_regular_step;
    double most = 0;
    for (uint32_t f = blockIdx.x * THREADS + threadIdx.x; f < due; f += gridDim.x * THREADS) {
        const uint32_t i = due_body(r.due, r.chunk, before, f);
        most = fmax(most, end_one(r, own, i, r.irregular[i], own.ends || regular_step[i] <= own.longest));
    }
    return most;
}

static __device__ __forceinline__ uint64_t shortest_of(unsigned long long inverse)
{
    return (uint64_t)ldexp(1 / __longlong_as_double((long long)inverse), NB_OWN_PARTS);
}

/* Advances the bodies through the times at which steps end, one time after the other. Returns at the end of the base
 * step. Returns earlier after r.most of these times, or after LONG_NS nanoseconds. Cooperative launch with one block
 * per multiprocessor. A block owns a chunk of the bodies and predicts them; the sums for due bodies are distributed
 * over all warps of the grid. Reads and writes the bodies, steps, lists and reaches in r.w, and *r.state. */
static __global__ void __launch_bounds__(THREADS, 1) step_kernel(const near_run r)
{
    __shared__ uint32_t before[BLOCKS_MOST + 1], regular_before[BLOCKS_MOST + 1];
    __shared__ uint32_t skip[WARPS][2 * RUN];
    __shared__ own_rung rung[NB_RUNGS_MAX + 1]; /* used by the first block only */
    near_state *state = r.state;
    auto grid = cooperative_groups::this_grid();
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const uint32_t warps = gridDim.x * WARPS;
    uint64_t done = state->done, shortest = state->shortest, times = state->times, steps = 0, pairs = 0;
    unsigned long long began = clock_ns(), last = began;
    nb_own_hermite own = r.w.own;
    own.task = NB_OWN_CORRECT;
    if (threadIdx.x <= NB_RUNGS_MAX)
        rung[threadIdx.x] = state->rung[threadIdx.x];
    if (times == 0) {
        raise_by_warps(&state->opened, open_chunk(r));
        grid.sync();
        shortest = shortest_of(state->opened);
    }
    for (bool stop = false; !stop;) {
        const uint64_t now = done + shortest, longest = now & -now;
        own.now = ldexp((double)now, -NB_OWN_PARTS);
        own.longest = ldexp((double)longest, -NB_OWN_PARTS);
        own.ends = times + 1 >= r.most || now == r.whole;
        predict_chunk(r, own);
        grid.sync();
        const uint32_t due = count_due(r.due_counts, before), regular = count_due(r.regular_counts, regular_before);
        const bool at_once = regular == 0 && due <= 2 * warps;
        if (first)
            state->inverse[(times + 2) % 3] = 0;
        double most = pull_due(r, own, before, due, at_once, pairs);
        sum_regular(r, own, regular_before, regular, skip[threadIdx.x / 32]);
        if (!at_once) {
            grid.sync();
            most = end_steps(r, own, before, due);
        }
        raise_by_warps(&state->inverse[times % 3], most);
        if (first) {
            const unsigned long long ns = clock_ns();
            own_rung *to = &rung[own.ends ? 0 : r.log2_whole - (63 - __clzll((long long)longest))];
            to->times++, to->steps += due, to->ns += ns - last;
            last = ns;
            pairs += (uint64_t)regular * r.s.n;
            state->stop = ns - began > LONG_NS;
        }
        grid.sync();
        shortest = shortest_of(state->inverse[times % 3]);
        steps += due;
        times++;
        done = now;
        stop = state->stop || own.ends;
    }
    if (lane_of() == 0)
        atomicAdd(&state->pairs, (unsigned long long)pairs);
    if (!first)
        return;
    state->done = done, state->shortest = shortest, state->times = times, state->ended = own.ends;
    state->steps += steps;
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        state->rung[k] = rung[k];
}

/* Computes r.state->range (see near_state) from the time scales of the n bodies. With T threads in the grid, each
 * thread processes every T-th body. */
static __global__ void __launch_bounds__(THREADS) range_kernel(const near_run r)
{
    const double *scale = (const double *)r.w.own.d_step, *regular_scale = (const double *)r.w.d_regular_step;
    double inverse = 0, most = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < r.s.n; i += (uint64_t)gridDim.x * THREADS) {
        inverse = fmax(inverse, 1 / fmin(r.w.own.eta * scale[i], r.w.regular_eta * regular_scale[i]));
        most = fmax(most, scale[i]);
    }
    raise_by_warps(&r.state->range[0], inverse);
    __syncthreads();
    raise_by_warps(&r.state->range[1], most);
}

/* ---- the host's side ---- */

static void report(const near_state &state, struct nb_neighbours *w, struct nb_own_run *run, double range[2])
{
    run->done = state.done, run->shortest = state.shortest, run->moved = false;
    run->times = state.times, run->steps = state.steps;
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        run->rung[k] = {state.rung[k].times, state.rung[k].steps, 1e-9 * (double)state.rung[k].ns};
    w->pairs += state.pairs;
    memcpy(range, state.range, sizeof state.range);
    range[0] = 1 / range[0];
}

static int near_step(struct nb_device *device, void *opened, const struct nb_sources *s, struct nb_neighbours *w,
                     struct nb_own_run *run, double range[2])
{
    direct_work *work = (direct_work *)opened;
    near_state state = {};
    near_run r = {};
    void *arguments[] = {&r};
    unsigned blocks = 0;
    if (near_begin(work, s, w, r, &blocks))
        return -1;
    r.most = run->most, r.whole = run->whole;
    while ((uint64_t)1 << r.log2_whole < run->whole)
        r.log2_whole++;
    while (!state.ended)
        if (NB_CUDA(cudaLaunchCooperativeKernel((const void *)step_kernel, dim3(blocks), dim3(THREADS), arguments, 0,
                                                work->stream)) ||
            nb_device_from(device, &state, r.state, sizeof state))
            return -1;
    range_kernel<<<blocks, THREADS, 0, work->stream>>>(r);
    if (NB_CUDA(cudaGetLastError()) || nb_device_from(device, &state, r.state, sizeof state))
        return -1;
    report(state, w, run, range);
    return 0;
}

const struct nb_force_neighbours direct_neighbours = {near_start, near_step};
