/* direct_plain.cu - direct summation in the FP32 or FP64 units. Declared in direct_cuda.cuh. A thread holds TARGETS
 * targets in registers and processes the sources in tiles in shared memory. It reads each source only once for its
 * TARGETS targets.
 *
 * A pair takes 13 issue slots in single precision (3 subtractions, 3 FMA, rsqrt, 3 multiplications, 3 FMA), 19 issue
 * slots in mixed precision, and 16 FP64 operations in double precision.
 *
 * If there are too few targets to occupy the entire GPU, several threads share the work for a target:
 * - In a block, SLICES threads process different sources and add their sums at the end.
 * - Different blocks process different parts of the sources. A second kernel adds their partial sums in order. */
#include "force/direct/cuda/direct_cuda.cuh"

/* Number of sources per tile. A thread sums the forces of at most TILE pairs in the precision of the pairs. It then
 * adds this sum to a total in double. */
#define TILE 128

template <typename B> static __device__ __forceinline__ B tile_source(const nb_sources &s, uint64_t j)
{
    B b = {};
    if (j < s.n)
        body_read(b, s.x, s.m, s.stride, j);
    return b;
}

/* Adds the forces of sources [q0, q1) of the tile to the sums of the thread's targets. With SELF, target k is the same
 * body as source own[k] of the tile, and this pair is skipped. */
template <typename B, int TARGETS, bool PHI, bool SELF>
static __device__ __forceinline__ void add_tile(pair_sums<double> *total, const B *tile, int q0, int q1,
                                                const B *target, typename B::real eps2, const int64_t *own)
{
    pair_sums<typename B::real> sum[TARGETS] = {};
#pragma unroll 16
    for (int q = q0; q < q1; q++) {
        B source = tile[q];
#pragma unroll
        for (int k = 0; k < TARGETS; k++)
            pair_add<PHI, SELF>(sum[k], source, target[k], eps2, SELF && own[k] == q);
    }
#pragma unroll
    for (int k = 0; k < TARGETS; k++)
        pair_flush(total[k], sum[k]);
}

/* The threads with the same threadIdx.x % COLUMNS have the same target and different slices of the sources. Adds the
 * sums of these threads in the order of the slices. The first of the threads gets the result in `total`. */
template <int THREADS, int COLUMNS> static __device__ void add_slices(pair_sums<double> &total)
{
    __shared__ pair_sums<double> shared[THREADS];
    __syncthreads();
    shared[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < COLUMNS)
        for (int other = threadIdx.x + COLUMNS; other < THREADS; other += COLUMNS)
            pair_flush(total, shared[other]);
}

/* Computes acceleration and potential.
 * - A block owns COLUMNS * TARGETS targets, and has two tiles of sources in shared memory.
 * - A thread computes TARGETS targets. SLICES threads have the same targets; each uses its slice of every tile.
 * - blockIdx.x selects the targets. blockIdx.y = p selects a part of the s.n sources: the tiles p, p + parts, ...
 * - Reads x and m. If there is one part, writes the results of t.n targets to `out`. If there are several parts, writes
 *   the sums of each part to partial[parts][t.n]. */
template <typename B, int THREADS, int SLICES, int TARGETS, bool PHI, bool LIST>
static __global__ void __launch_bounds__(THREADS)
    plain_kernel(nb_sources s, nb_targets t, nb_field out, pair_sums<double> *partial)
{
    constexpr int COLUMNS = THREADS / SLICES, SHARE = TILE / SLICES;
    __shared__ B tile[2][TILE];
    const int column = threadIdx.x % COLUMNS, slice = threadIdx.x / COLUMNS;
    const uint64_t first = (uint64_t)blockIdx.x * COLUMNS * TARGETS;
    const typename B::real eps2 = (typename B::real)(s.softening * s.softening);
    B target[TARGETS];
    pair_sums<double> total[TARGETS] = {};
    for (int k = 0; k < TARGETS; k++) {
        /* a thread without a target computes the last target again, and does not store the result */
        uint64_t i = first + column + k * COLUMNS;
        i = i < t.n ? i : t.n - 1;
        body_read(target[k], t.x, nullptr, t.stride, LIST ? t.index[i] : i);
    }
    /* Targets of this block can be sources in a tile only if the tile overlaps the range [own0, own1) of source
     * indices:
     * - with LIST, the range contains all sources;
     * - if target i is source self + i (self >= 0), the range contains the targets of this block;
     * - if no target is a source (self < 0), the range contains no source. */
    const int64_t own0 = LIST ? 0 : t.self < 0 ? INT64_MAX / 2 : t.self + (int64_t)first;
    const int64_t own1 = LIST ? INT64_MAX : own0 + COLUMNS * TARGETS;
    const uint64_t step = (uint64_t)gridDim.y * TILE;
    uint64_t j0 = (uint64_t)blockIdx.y * TILE;
    int now = 0;
    if (threadIdx.x < TILE)
        tile[0][threadIdx.x] = tile_source<B>(s, j0 + threadIdx.x);
    __syncthreads();
    for (; j0 < s.n; j0 += step, now ^= 1) {
        B next = {}; /* loaded now, used for the next tile */
        if (threadIdx.x < TILE)
            next = tile_source<B>(s, j0 + step + threadIdx.x);
        const int q0 = slice * SHARE, count = s.n - j0 < TILE ? (int)(s.n - j0) : TILE;
        const int q1 = q0 + SHARE < count ? q0 + SHARE : count;
        if ((int64_t)j0 < own1 && (int64_t)j0 + TILE > own0) {
            int64_t own[TARGETS];
            for (int k = 0; k < TARGETS; k++) {
                const uint64_t i = first + column + k * COLUMNS;
                own[k] = (LIST ? (int64_t)t.index[i < t.n ? i : t.n - 1] : own0 + column + k * COLUMNS) - (int64_t)j0;
            }
            add_tile<B, TARGETS, PHI, true>(total, tile[now], q0, q1, target, eps2, own);
        } else if (count == TILE)
            add_tile<B, TARGETS, PHI, false>(total, tile[now], q0, q0 + SHARE, target, eps2, nullptr);
        else
            add_tile<B, TARGETS, PHI, false>(total, tile[now], q0, q1, target, eps2, nullptr);
        if (threadIdx.x < TILE)
            tile[now ^ 1][threadIdx.x] = next;
        __syncthreads();
    }
    for (int k = 0; k < TARGETS; k++) {
        if (SLICES > 1)
            add_slices<THREADS, COLUMNS>(total[k]);
        uint64_t i = first + column + k * COLUMNS;
        if (slice == 0 && i < t.n) {
            if (partial)
                partial[blockIdx.y * t.n + i] = total[k];
            else
                pair_store<typename B::state>(out, total[k], s.G, i);
        }
    }
}

/* Adds the sums of all parts, partial[parts][n], in order, and writes the results of n targets to `out`. One thread per
 * target. */
template <typename T>
static __global__ void add_parts(const pair_sums<double> *partial, int parts, uint64_t n, double G, nb_field out)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    pair_sums<double> total = partial[i];
    for (int p = 1; p < parts; p++)
        pair_flush(total, partial[p * n + i]);
    pair_store<T>(out, total, G, i);
}

template <typename B, int THREADS, int SLICES, int TARGETS>
static int launch(direct_work *work, const nb_sources *s, const nb_targets *t, const nb_field *out, int parts)
{
    const uint64_t per_block = THREADS / SLICES * TARGETS;
    dim3 grid((unsigned)((t->n + per_block - 1) / per_block), (unsigned)parts);
    pair_sums<double> *partial = nullptr;
    if (parts > 1) {
        if (nb_cuda_reserve(&work->partial, parts * t->n * sizeof *partial))
            return -1;
        partial = (pair_sums<double> *)work->partial.d;
    }
    auto kernel = t->index ? (out->phi ? plain_kernel<B, THREADS, SLICES, TARGETS, true, true>
                                       : plain_kernel<B, THREADS, SLICES, TARGETS, false, true>)
                           : (out->phi ? plain_kernel<B, THREADS, SLICES, TARGETS, true, false>
                                       : plain_kernel<B, THREADS, SLICES, TARGETS, false, false>);
    kernel<<<grid, THREADS, 0, work->stream>>>(*s, *t, *out, partial);
    if (partial)
        add_parts<typename B::state>
            <<<(unsigned)((t->n + 255) / 256), 256, 0, work->stream>>>(partial, parts, t->n, s->G, *out);
    return NB_CUDA(cudaGetLastError());
}

/* Divides the sources into parts and launches the kernel. The number of parts is chosen for about 1056 blocks (8 for
 * each of 132 multiprocessors). If there are several parts, a second kernel adds their sums.
 * - Up to 4096 targets: 16 threads of a block share the sources of a target. Up to 4096 sources are not divided;
 *   otherwise a part has at least 2048 sources.
 * - More than 4096 targets: a thread has TARGETS targets. The sources are divided into at most 32 parts of at least two
 *   tiles. */
template <typename B>
static int choose(direct_work *work, const nb_sources *s, const nb_targets *t, const nb_field *out)
{
    const uint64_t tiles = (s->n + TILE - 1) / TILE;
    if (t->n <= 4096) {
        const uint64_t wanted = s->n <= 4096 ? 1 : 1056 / ((t->n + 15) / 16), most = s->n / 2048;
        return launch<B, 256, 16, 1>(work, s, t, out,
                                     wanted <= 1 || most <= 1 ? 1 : (int)(wanted < most ? wanted : most));
    }
    constexpr int TARGETS = sizeof(typename B::real) == 8 ? 2 : 4;
    const uint64_t blocks = (t->n + 128 * TARGETS - 1) / (128 * TARGETS);
    uint64_t parts = (1056 + blocks - 1) / blocks;
    parts = parts < 32 ? parts : 32;
    parts = parts < tiles / 2 ? parts : tiles / 2;
    return launch<B, 128, 1, TARGETS>(work, s, t, out, parts > 1 ? (int)parts : 1);
}

int direct_plain(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                 const nb_field *out)
{
    return for_body(precision, [&]<typename B>() { return choose<B>(work, s, t, out); });
}
