/* direct_jerk.cu - direct summation with the jerk, and optionally the snap, on the GPU. Declared in direct_cuda.cuh. */
#include "force/direct/cuda/direct_jerk.cuh"

/* Number of threads per block, and number of sources per tile. If there are too few targets to occupy the whole GPU,
 * several threads share the sources of each tile, and several blocks share the tiles. */
#define THREADS 128

/* Stores the vector G * (x, y, z) for target i in `rows` (three rows of out.stride elements). If out.add is set, adds
 * the vector to the stored one instead of replacing it. Does nothing if `rows` is NULL. */
template <typename T>
static __device__ __forceinline__ void store(const nb_field &out, void *rows, double x, double y, double z, double G,
                                             uint64_t i)
{
    nb_field one = {};
    one.stride = out.stride, one.a = rows, one.add = out.add;
    pair_store<T>(one, {x, y, z, 0}, G, i);
}

template <typename T>
static __device__ __forceinline__ void store(const nb_field &out, const jerk_sums<double> &sum, double G, uint64_t i)
{
    pair_store<T>(out, {sum.ax, sum.ay, sum.az, sum.phi}, G, i);
    store<T>(out, out.jerk, sum.jx, sum.jy, sum.jz, G, i);
}

template <typename T>
static __device__ __forceinline__ void store(const nb_field &out, const snap_sums<double> &sum, double G, uint64_t i)
{
    store<T>(out, (const jerk_sums<double> &)sum, G, i);
    store<T>(out, out.snap, sum.sx, sum.sy, sum.sz, G, i);
}

/* Adds the sums `total` of all threads that have the same target, in the order of their slices of the sources. These
 * threads have the same threadIdx.x % COLUMNS. The first of them gets the result in its `total`. */
template <int COLUMNS, typename S> static __device__ void add_slices(S &total)
{
    __shared__ S shared[THREADS];
    shared[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < COLUMNS)
        for (int other = threadIdx.x + COLUMNS; other < THREADS; other += COLUMNS)
            flush(total, shared[other]);
}

/* Computes acceleration, potential and jerk. Computes the snap if S has a member for it.
 * - A thread owns one target, and one of SLICES slices of each tile.
 * - A block owns THREADS / SLICES targets, and has one tile of THREADS sources at a time in shared memory.
 * - blockIdx.x selects the targets. blockIdx.y = p selects a part of the s.n sources: the tiles p, p + parts, ...
 * - Reads positions and velocities. Reads accelerations if B has accelerations.
 * - If there is one part, writes the results of t.n targets to `out`. If there are several, writes their sums to
 *   partial[parts][t.n].
 * T: type of the state, R: type in which a pair is computed, B<T>: type of a body, S<R>: type of the sums. */
template <typename T, typename R, template <typename> class B, template <typename> class S, int SLICES>
static __global__ void __launch_bounds__(THREADS)
    jerk_kernel(nb_sources s, nb_targets t, nb_field out, S<double> *partial)
{
    constexpr int COLUMNS = THREADS / SLICES, SHARE = THREADS / SLICES;
    __shared__ B<T> tile[THREADS];
    const int slice = threadIdx.x / COLUMNS;
    const uint64_t i = (uint64_t)blockIdx.x * COLUMNS + threadIdx.x % COLUMNS;
    const uint64_t last = i < t.n ? i : t.n - 1, from = t.index ? t.index[last] : last;
    const R eps2 = (R)(s.softening * s.softening);
    const int64_t own = t.index ? (int64_t)from : t.self < 0 ? -1 : t.self + (int64_t)i;
    B<T> target;
    S<double> total = {};
    read(target, t.x, t.v, t.a, nullptr, t.stride, from);
    for (uint64_t j0 = (uint64_t)blockIdx.y * THREADS; j0 < s.n; j0 += (uint64_t)gridDim.y * THREADS) {
        const int count = s.n - j0 < THREADS ? (int)(s.n - j0) : THREADS;
        const int end = SHARE * (slice + 1) < count ? SHARE * (slice + 1) : count;
        __syncthreads();
        if (threadIdx.x < count)
            read(tile[threadIdx.x], s.x, s.v, s.a, s.m, s.stride, j0 + threadIdx.x);
        __syncthreads();
        S<R> sum = {};
        for (int q = SHARE * slice; q < end; q++)
            add(sum, tile[q], target, eps2, own == (int64_t)j0 + q);
        flush(total, sum);
    }
    if (SLICES > 1)
        add_slices<COLUMNS>(total);
    if (slice == 0 && i < t.n) {
        if (partial)
            partial[blockIdx.y * t.n + i] = total;
        else
            store<T>(out, total, s.G, i);
    }
}

/* Adds the sums of all parts, partial[parts][n], in order, and writes the results of n targets to `out`. One thread per
 * target. */
template <typename T, typename S>
static __global__ void add_parts(const S *partial, int parts, uint64_t n, double G, nb_field out)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    S total = partial[i];
    for (int p = 1; p < parts; p++)
        flush(total, partial[p * n + i]);
    store<T>(out, total, G, i);
}

#define SLICES_FEW 16   /* number of threads per target if there are at most FEW targets */
#define FEW        2048 /* maximum number of targets for SLICES_FEW threads per target */
#define BLOCKS     1056 /* desired number of blocks, 8 for each of 132 multiprocessors */
#define PARTS_MOST 32

template <typename T, typename R, template <typename> class B, template <typename> class S, int SLICES>
static int launch_sliced(direct_work *work, const nb_sources *s, const nb_targets *t, const nb_field *out)
{
    const uint64_t columns = THREADS / SLICES, blocks = (t->n + columns - 1) / columns;
    const uint64_t tiles = (s->n + THREADS - 1) / THREADS, wanted = BLOCKS / blocks;
    const uint64_t most = tiles < PARTS_MOST ? tiles : PARTS_MOST, parts = wanted < most ? wanted : most;
    S<double> *partial = nullptr;
    if (parts > 1) {
        if (nb_cuda_reserve(&work->partial, parts * t->n * sizeof *partial))
            return -1;
        partial = (S<double> *)work->partial.d;
    }
    const dim3 grid((unsigned)blocks, parts > 1 ? (unsigned)parts : 1);
    jerk_kernel<T, R, B, S, SLICES><<<grid, THREADS, 0, work->stream>>>(*s, *t, *out, partial);
    if (partial)
        add_parts<T><<<(unsigned)((t->n + THREADS - 1) / THREADS), THREADS, 0, work->stream>>>(partial, (int)parts,
                                                                                               t->n, s->G, *out);
    return NB_CUDA(cudaGetLastError());
}

template <typename T, typename R, template <typename> class B, template <typename> class S>
static int launch_for(direct_work *work, const nb_sources *s, const nb_targets *t, const nb_field *out)
{
    return t->n <= FEW ? launch_sliced<T, R, B, S, SLICES_FEW>(work, s, t, out)
                       : launch_sliced<T, R, B, S, 1>(work, s, t, out);
}

template <typename T, typename R>
static int launch(direct_work *work, const nb_sources *s, const nb_targets *t, const nb_field *out)
{
    return out->snap ? launch_for<T, R, snap_body, snap_sums>(work, s, t, out)
                     : launch_for<T, R, moving_body, jerk_sums>(work, s, t, out);
}

int direct_jerk(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                const nb_field *out)
{
    return precision == NB_SINGLE  ? launch<float, float>(work, s, t, out)
           : precision == NB_MIXED ? launch<double, float>(work, s, t, out)
                                   : launch<double, double>(work, s, t, out);
}
