/* direct_own.cu - a kernel for individual time steps with direct summation on the GPU. A body is due at the time at
 * which its step ends. This persistent kernel processes many such times, one after the other. At each of these times:
 * - all bodies are moved to this time, and lists of the due bodies are written;
 * - for each part of the sources, the forces of this part on the due bodies are summed;
 * - for each due body, the sums of all parts are added, its step ends, and its next step begins.
 * All blocks synchronise after each of these three tasks. A synchronisation takes 1 to 2 microseconds. Without this
 * kernel, the host must read the due bodies and start other kernels, which takes 60 to 100 microseconds at each time.
 *
 * The order of all sums depends only on n and the number of due bodies. */
#include "force/direct/cuda/direct_own.cuh"

/* If the number of due bodies (bodies whose steps end now) times the number of sources exceeds this number, the kernel
 * returns, because separate force calls by the host are then faster. */
#define HOST_PAIRS 150000000ull

/* ---- operations on one body: leapfrog kicks, and Hermite steps ---- */

/* Kicks of leapfrog (step/step_block.c). B: type of a body in the sums over pairs. SELF: whether the sums must skip the
 * pair of a body with itself. This is not necessary with softening, because the weight m / r^3 of this pair is then
 * finite. The pair adds 0 to the acceleration, because its distance is 0. */
template <typename B, bool SELF> struct kicks {
    typedef B body;
    typedef typename B::real real;
    typedef typename B::state state;
    template <typename R> using sums = pair_sums<R>;
    static constexpr int TARGETS = sizeof(real) == 8 ? 2 : 4; /* number of targets that a warp processes together */

    nb_own_kick w;
    nb_sources s;
    double part;

    __device__ void move(uint64_t i, uint64_t, uint64_t step)
    {
        const state h = (state)(part * (double)step);
        state *x = (state *)s.x + i, *v = (state *)w.d_v + i;
        for (int k = 0; k < 3; k++)
            x[k * s.stride] = nb_add_scaled(h, v[k * s.stride], x[k * s.stride]);
    }

    __device__ bool is_due(uint64_t i, uint64_t longest) const
    {
        return ((const state *)w.d_step)[i] <= (state)(fabs(part) * (double)longest);
    }

    __device__ void read_body(B &b, const void *m, uint64_t i) const
    {
        body_read(b, s.x, m, s.stride, i);
    }

    __device__ static void add(sums<real> &sum, const B &source, const B &target, real eps2, bool is_self)
    {
        pair_add<false, SELF>(sum, source, target, eps2, is_self);
    }

    template <typename R> __device__ static void flush(sums<double> &total, const sums<R> &sum)
    {
        pair_flush(total, sum);
    }

    /* Ends the step of body i. `longest`: the longest step size that is allowed at this time. Returns the ratio of
     * `longest` to the body's next step size. */
    __device__ double end(uint64_t i, const sums<double> &sum, uint64_t, uint64_t longest)
    {
        const state a[3] = {(state)(s.G * sum.ax), (state)(s.G * sum.ay), (state)(s.G * sum.az)};
        w.longest = fabs(part) * (double)longest;
        return kick_one<state>(w, i, a);
    }

    /* Returns the smallest step size of all bodies, in the same unit as `longest`. `ratio`: the maximum of all ratios
     * that `end` returned at this time. */
    __device__ uint64_t shortest(double ratio, uint64_t longest) const
    {
        return longest / (uint64_t)llrint(ratio); /* rounded, because steps in single precision are not exact */
    }
};

/* Hermite steps (step/step_hermite_block.c); has the same functions as `kicks`. */
struct hermite {
    typedef moving_body<double> body;
    typedef double real;
    template <typename R> using sums = jerk_sums<R>;
    static constexpr int TARGETS = 2;

    nb_own_hermite w;
    nb_sources s;

    __device__ void move(uint64_t i, uint64_t now, uint64_t)
    {
        w.now = ldexp((double)now, -NB_OWN_PARTS);
        predict_one(w, i);
    }

    __device__ bool is_due(uint64_t i, uint64_t longest) const
    {
        return ((const double *)w.d_step)[i] <= ldexp((double)longest, -NB_OWN_PARTS);
    }

    __device__ void read_body(body &b, const void *m, uint64_t i) const
    {
        read(b, s.x, s.v, nullptr, m, s.stride, i);
    }

    __device__ static void add(sums<double> &sum, const body &source, const body &target, double eps2, bool is_self)
    {
        ::add(sum, source, target, eps2, is_self);
    }

    __device__ static void flush(sums<double> &total, const sums<double> &sum)
    {
        ::flush(total, sum);
    }

    __device__ double end(uint64_t i, const sums<double> &sum, uint64_t now, uint64_t longest)
    {
        const double a[3] = {s.G * sum.ax, s.G * sum.ay, s.G * sum.az};
        const double j[3] = {s.G * sum.jx, s.G * sum.jy, s.G * sum.jz};
        w.now = ldexp((double)now, -NB_OWN_PARTS);
        w.longest = ldexp((double)longest, -NB_OWN_PARTS);
        return 1 / next_one(w, i, correct_one(w, i, a, j));
    }

    __device__ uint64_t shortest(double inverse, uint64_t) const
    {
        return (uint64_t)ldexp(1 / inverse, NB_OWN_PARTS);
    }
};

/* ---- data shared by blocks, and with the host ---- */

struct own_state { /* in device memory; the host sets `done` and `shortest`, and clears all other members */
    /* The times at which steps end are numbered 0, 1, ... inverse[t % 3] is the maximum of the values that `end`
     * returned at time number t, as the bits of a double. These values are proportional to 1 / (size of the next step).
     * At time t, the element of time t - 1 is reset to 0 for time t + 2. */
    unsigned long long inverse[3];
    unsigned stop; /* 1: the kernel returns to the host when the steps of this time are complete */
    /* 1: the kernel stopped at the time `done`, and the host must end the steps of this time */
    unsigned host;
    unsigned long long done, shortest, times, steps;
    own_rung rung[NB_RUNGS_MAX + 1];
};

struct own_lists {
    own_state *state;
    /* Indices of due bodies, whose steps end at this time. Each block has its own list: the list of block b begins at
     * element b * chunk. */
    uint32_t *due;
    uint32_t *counts; /* number of indices in the list of each block */
    void *partial;    /* partial[part][due body]: sum of the forces of this part of the sources on the due body */
    uint64_t chunk;   /* bodies per block */
    uint64_t most;
    int log2_whole;
};

/* Called by a block: moves the bodies of its chunk to the time `now`. Writes the indices of the due bodies (whose steps
 * end at this time) to l.due in ascending order, and their number to l.counts[blockIdx.x]. */
template <typename S>
static __device__ void move_chunk(S &scheme, const own_lists &l, uint64_t now, uint64_t step, uint64_t longest)
{
    __shared__ uint32_t of_warp[WARPS];
    const uint64_t first = blockIdx.x * l.chunk, end = min(first + l.chunk, scheme.s.n);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t count = 0;
    for (uint64_t i0 = first; i0 < end; i0 += THREADS) {
        const uint64_t i = i0 + threadIdx.x;
        bool due = false;
        if (i < end) {
            scheme.move(i, now, step);
            due = scheme.is_due(i, longest);
        }
        const unsigned ballot = __ballot_sync(ALL, due);
        if (lane == 0)
            of_warp[warp] = (uint32_t)__popc(ballot);
        __syncthreads();
        uint32_t before = 0, all = 0;
        for (unsigned k = 0; k < WARPS; k++) {
            before += k < warp ? of_warp[k] : 0;
            all += of_warp[k];
        }
        if (due)
            l.due[first + count + before + (uint32_t)__popc(ballot & ((1u << lane) - 1))] = (uint32_t)i;
        count += all;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        l.counts[blockIdx.x] = count;
}

/* ---- sums ---- */

/* For each target k, adds the forces of this lane's sources to sum[k]. The sources are j0 + lane, j0 + lane + 32, ...,
 * up to RUN sources with indices below `end`. FULL: every lane has RUN sources. own[]: indices of the targets. */
template <int TARGETS, bool FULL, typename S>
static __device__ __forceinline__ void add_run(const S &scheme, typename S::template sums<typename S::real> *sum,
                                               const typename S::body *target, const uint32_t *own,
                                               typename S::real eps2, uint32_t j0, uint32_t end)
{
#pragma unroll 4
    for (int r = 0; r < RUN; r++) {
        const uint32_t j = j0 + threadIdx.x % 32 + 32 * r;
        if (!FULL && j >= end)
            break;
        typename S::body source;
        scheme.read_body(source, scheme.s.m, j);
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            S::add(sum[k], source, target[k], eps2, own[k] == j);
    }
}

/* For each due body, sums the forces of each part of the sources. Writes partial[parts][count]. A warp owns TARGETS due
 * bodies and a part of the sources; each lane processes every 32nd source of this part. */
template <int TARGETS, typename S>
static __device__ void sum_pairs(const S &scheme, const own_lists &l, const uint32_t *before, uint32_t count,
                                 uint32_t parts)
{
    typedef typename S::template sums<typename S::real> block_sums;
    typedef typename S::template sums<double> total_sums;
    const uint32_t groups = (count + TARGETS - 1) / TARGETS, n = (uint32_t)scheme.s.n;
    const uint32_t length = ((n + parts - 1) / parts + 31) / 32 * 32;
    const typename S::real eps2 = (typename S::real)(scheme.s.softening * scheme.s.softening);
    for (uint32_t item = blockIdx.x * WARPS + threadIdx.x / 32; item < groups * parts; item += gridDim.x * WARPS) {
        const uint32_t part = item / groups, first = item % groups * TARGETS;
        const uint32_t end = min(n, (part + 1) * length);
        typename S::body target[TARGETS];
        uint32_t own[TARGETS];
        total_sums total[TARGETS] = {};
        /* if fewer than TARGETS targets are left, the warp computes the last one repeatedly, but stores it once */
        for (int k = 0; k < TARGETS; k++) {
            own[k] = due_body(l.due, l.chunk, before, min(first + k, count - 1));
            scheme.read_body(target[k], nullptr, own[k]);
        }
        for (uint32_t j0 = part * length; j0 < end; j0 += 32 * RUN) {
            block_sums sum[TARGETS] = {};
            if (end - j0 >= 32 * RUN)
                add_run<TARGETS, true>(scheme, sum, target, own, eps2, j0, end);
            else
                add_run<TARGETS, false>(scheme, sum, target, own, eps2, j0, end);
            for (int k = 0; k < TARGETS; k++)
                S::flush(total[k], sum[k]);
        }
        for (int k = 0; k < TARGETS; k++) {
            sum_lanes(total[k]);
            if (threadIdx.x % 32 == 0 && first + k < count)
                ((total_sums *)l.partial)[(uint64_t)part * count + first + k] = total[k];
        }
    }
}

/* For each due body, adds the sums over all parts of the sources, and ends the body's step. A body is processed by one
 * thread if there are at most 4 parts, otherwise by one warp. Returns the maximum of the values that scheme.end
 * returned to this thread. These values are proportional to 1 / (size of the next step). */
template <typename S>
static __device__ double end_steps(S &scheme, const own_lists &l, const uint32_t *before, uint32_t count,
                                   uint32_t parts, uint64_t now, uint64_t longest)
{
    typedef typename S::template sums<double> total_sums;
    const unsigned lanes = parts > 4 ? 32 : 1, lane = threadIdx.x % lanes;
    const uint32_t threads = gridDim.x * THREADS;
    double most = 0;
    for (uint32_t t = (blockIdx.x * THREADS + threadIdx.x) / lanes; t < count; t += threads / lanes) {
        total_sums total = {};
        for (uint32_t p = lane; p < parts; p += lanes)
            S::flush(total, ((const total_sums *)l.partial)[(uint64_t)p * count + t]);
        if (lanes > 1)
            sum_lanes(total);
        if (lane == 0)
            most = fmax(most, scheme.end(due_body(l.due, l.chunk, before, t), total, now, longest));
    }
    return most;
}

/* ---- the kernel ---- */

/* Advances the bodies through the times at which steps end, one time after the other. The kernel returns
 * - after l.most of these times, or after LONG_NS;
 * - if no body, all bodies, or more than HOST_PAIRS / n bodies are due. The host then ends the steps (state.host).
 * Cooperative launch with one block per multiprocessor. Each block moves the bodies of its own chunk to the next time.
 * All warps of the grid share the sums over pairs. Reads and writes the bodies of `scheme`, *l.state, l.due[n],
 * l.counts[blocks] and l.partial. */
template <typename S> static __global__ void __launch_bounds__(THREADS, 1) own_kernel(S scheme, const own_lists l)
{
    __shared__ uint32_t before[BLOCKS_MOST + 1];
    __shared__ own_rung rung[NB_RUNGS_MAX + 1]; /* used by the first block only */
    own_state *state = l.state;
    auto grid = cooperative_groups::this_grid();
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const uint32_t n = (uint32_t)scheme.s.n, warps = gridDim.x * WARPS;
    uint64_t done = state->done, shortest = state->shortest, steps = 0, times = 0;
    unsigned long long began = clock_ns(), last = began;
    bool stop = false, host = false;
    if (threadIdx.x <= NB_RUNGS_MAX)
        rung[threadIdx.x] = {};
    while (!stop) {
        const uint64_t now = done + shortest, longest = now & -now;
        move_chunk(scheme, l, now, shortest, longest);
        grid.sync();
        const uint32_t count = count_due(l.counts, before);
        done = now;
        host = count == n || count == 0 || (uint64_t)count * n > HOST_PAIRS;
        if (host)
            break;
        const bool many = count >= MANY;
        const uint32_t groups = many ? (count + S::TARGETS - 1) / S::TARGETS : count;
        const uint32_t parts = parts_of(n, warps, groups);
        if (first)
            state->inverse[(times + 2) % 3] = 0;
        if (many)
            sum_pairs<S::TARGETS>(scheme, l, before, count, parts);
        else
            sum_pairs<1>(scheme, l, before, count, parts);
        grid.sync();
        raise_by_warps(&state->inverse[times % 3], end_steps(scheme, l, before, count, parts, now, longest));
        if (first) {
            const unsigned long long ns = clock_ns();
            own_rung *r = &rung[l.log2_whole - (63 - __clzll((long long)longest))];
            r->times++, r->steps += count, r->ns += ns - last;
            last = ns;
            state->stop = ns - began > LONG_NS;
        }
        grid.sync();
        shortest = scheme.shortest(__longlong_as_double((long long)state->inverse[times % 3]), longest);
        steps += count;
        times++;
        stop = state->stop || times == l.most;
    }
    if (!first)
        return;
    state->done = done, state->shortest = shortest, state->times = times, state->steps = steps, state->host = host;
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        state->rung[k] = rung[k];
}

/* ---- the host's side ---- */

static bool own_serves(struct nb_device *device, enum nb_precision precision, uint64_t n)
{
    return precision != NB_QUAD && n < UINT32_MAX && own_cooperates(device);
}

template <typename S> static int go_through(direct_work *work, S scheme, struct nb_own_run *run)
{
    struct nb_device *device = work->device;
    const uint64_t n = scheme.s.n;
    unsigned blocks;
    own_lists l = {};
    own_state state = {};
    if (nb_cuda_enter(device) || own_blocks(device, &blocks))
        return -1;
    const size_t partial =
        (2 * S::TARGETS * (size_t)blocks * WARPS + n + S::TARGETS) * sizeof(typename S::template sums<double>);
    if (nb_cuda_reserve(&work->own, sizeof state + (n + blocks) * sizeof *l.due) ||
        nb_cuda_reserve(&work->partial, partial))
        return -1;
    l.state = (own_state *)work->own.d;
    l.counts = (uint32_t *)(l.state + 1);
    l.due = l.counts + blocks;
    l.partial = work->partial.d;
    l.chunk = (n + blocks - 1) / blocks;
    l.most = run->most;
    while ((uint64_t)1 << l.log2_whole < run->whole)
        l.log2_whole++;
    state.done = run->done, state.shortest = run->shortest;
    void *arguments[] = {&scheme, &l};
    if (nb_device_to(device, l.state, &state, sizeof state) ||
        NB_CUDA(cudaLaunchCooperativeKernel((const void *)own_kernel<S>, dim3(blocks), dim3(THREADS), arguments, 0,
                                            work->stream)) ||
        nb_device_from(device, &state, l.state, sizeof state))
        return -1;
    run->done = state.done, run->shortest = state.shortest, run->moved = state.host;
    run->times = state.times, run->steps = state.steps;
    for (int k = 0; k <= NB_RUNGS_MAX; k++)
        run->rung[k] = {state.rung[k].times, state.rung[k].steps, 1e-9 * (double)state.rung[k].ns};
    return 0;
}

static int own_kicks(struct nb_device *, void *work, enum nb_precision precision, const struct nb_sources *s,
                     const struct nb_own_kick *kick, double part, struct nb_own_run *run)
{
    direct_work *w = (direct_work *)work;
    /* with a softening length above 1e-10, the weight m / r^3 of a body with itself (distance 0) is finite in single
     * precision */
    const bool apart = s->softening > 1e-10;
    return for_body(precision, [&]<typename B>() {
        return apart ? go_through(w, kicks<B, false>{*kick, *s, part}, run)
                     : go_through(w, kicks<B, true>{*kick, *s, part}, run);
    });
}

static int own_hermite(struct nb_device *, void *work, const struct nb_sources *s, const struct nb_own_hermite *own,
                       struct nb_own_run *run)
{
    return go_through((direct_work *)work, hermite{*own, *s}, run);
}

const struct nb_force_own direct_own = {own_serves, own_kicks, own_hermite};
