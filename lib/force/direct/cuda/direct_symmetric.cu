/* direct_symmetric.cu - direct summation on the GPU with Newton's third law. Bodies are divided into groups of 32 *
 * ROWS. A tile (i, j) with j <= i consists of the pairs of groups i and j, so the tiles contain each pair once.
 * - One warp computes one tile. The warps of a block are independent.
 * - A lane holds ROWS bodies of group i and their sums in registers. It iterates over the bodies of group j in shared
 *   memory. Each lane begins at a different body, so two lanes never update the sum of the same body at once.
 * - The warp stores the sums of its tile. For each body, a second kernel adds the sums of its tiles in double, in a
 *   fixed order. Results therefore do not depend on the order of the tiles or on the number of threads per block.
 * - The memory for the sums of all tiles would grow as n^2. Therefore the tiles are processed in bands, one band after
 *   the other, and all bands use the same memory. A band contains the tiles (i, j) of successive groups i. After each
 *   band, the second kernel adds the sums of the band to the total of each body. */
#include "force/direct/cuda/direct_symmetric.cuh"

#include "device/timing.h"
#include "force/direct/cuda/direct_squares.cuh"

#define ROWS       4 /* number of bodies per lane */
#define GROUP      (32ull * ROWS)
#define BAND_BYTES 2147483648.0 /* maximum size in bytes of a band's sums; a band of SQUARE rows may need more */

template <typename R> struct alignas(16) tile_sums {
    R x, y, z, phi;
};

template <typename R> static __device__ __forceinline__ tile_sums<R> times(const tile_sums<R> &sums, R factor)
{
    return {sums.x * factor, sums.y * factor, sums.z * factor, sums.phi * factor};
}

/* The kernel is compiled twice, for at most FEW and for at most MANY threads per block. With FEW, all values of a
 * thread fit into registers. With MANY, some values are in memory. */
enum { FEW = 256, MANY = 1024 };

/* ---- a tile ---- */

/* Computes the weights of a pair. Body i gets wi = mj / r^3 and pi = mj / r, body j gets wj = mi / r^3 and pj = mi / r.
 * r2 = r^2 includes eps^2. */
static __device__ __forceinline__ void both_weights(float r2, float mi, float mj, float *wi, float *wj, float *pi,
                                                    float *pj)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    const float y2 = y * y;
    /* __fmul_rn is never contracted into an FMA: results are then bitwise identical for all values of THREADS */
    *pi = __fmul_rn(mj, y), *pj = __fmul_rn(mi, y);
    *wi = *pi * y2, *wj = *pj * y2;
}

/* Computes the weights in double. y is the GPU's approximation of 1 / r. The weights are corrected to second order in
 * e = 1 - r2 * y^2 (see pair_weight in force/cuda/pair.cuh). */
static __device__ __forceinline__ void both_weights(double r2, double mi, double mj, double *wi, double *wj, double *pi,
                                                    double *pj)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(r2));
    const double y2 = y * y, e = fma(-r2, y2, 1.0), ui = mj * y, uj = mi * y;
    const double f = y2 * fma(fma(e, 1.875, 1.5), e, 1.0), g = fma(fma(e, 0.375, 0.5), e, 1.0);
    *wi = ui * f, *wj = uj * f;
    *pi = __dmul_rn(ui, g), *pj = __dmul_rn(uj, g);
}

/* Masses for the pairs of a tile. In most models all bodies of a group have the same mass. If this is true for both
 * groups of a tile, a pair takes 16 instructions instead of 18:
 * - All pairs are computed as if both masses were `factor`, the larger of the two masses.
 * - Afterwards the sums of row bodies are multiplied by `row` = (mass of a column body) / factor.
 * - The sums of column bodies are multiplied by `column` = (mass of a row body) / factor. */
template <typename R> struct tile_masses {
    bool equal; /* false: the masses of the bodies are used, and the other members are 1 */
    R factor, row, column;
};

/* Returns the tile_masses of a tile whose two groups are full (GROUP bodies). Called by all lanes of a warp. row[ROWS]:
 * the lane's bodies of the row group. masses[GROUP]: masses of the bodies of the column group. */
template <typename B>
static __device__ tile_masses<typename B::real> find_masses(const B *row, const typename B::state *masses)
{
    typedef typename B::real real;
    const real of_row = __shfl_sync(~0u, (real)row[0].m, 0), of_column = (real)masses[0];
    bool equal = of_row != 0 || of_column != 0;
    for (int k = 0; k < ROWS; k++)
        equal = equal && (real)row[k].m == of_row && (real)masses[32 * k + threadIdx.x % 32] == of_column;
    if (!__all_sync(~0u, equal))
        return {false, 1, 1, 1};
    const real factor = fabs(of_row) > fabs(of_column) ? of_row : of_column;
    return {true, factor, of_column / factor, of_row / factor};
}

/* Adds the force of `column` on `row` to of_row, and the force of `row` on `column` to of_column. With MASK, adds 0 if
 * is_pair is false. With EQUAL, `factor` replaces both masses, and the caller scales the sums later (tile_masses). */
template <bool PHI, bool MASK, bool EQUAL, typename B>
static __device__ __forceinline__ void
add_pair(const B &row, const B &column, typename B::real factor, typename B::real eps2, bool is_pair,
         tile_sums<typename B::real> &of_row, tile_sums<typename B::real> &of_column)
{
    typedef typename B::real real;
    const pair_vector<real> d = pair_offset(column, row);
    real wi, wj, pi, pj;
    both_weights(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, eps2))), EQUAL ? factor : (real)row.m,
                 EQUAL ? factor : (real)column.m, &wi, &wj, &pi, &pj);
    if (MASK && !is_pair)
        wi = wj = pi = pj = 0;
    of_row.x = fma(wi, d.x, of_row.x);
    of_row.y = fma(wi, d.y, of_row.y);
    of_row.z = fma(wi, d.z, of_row.z);
    of_column.x = fma(-wj, d.x, of_column.x);
    of_column.y = fma(-wj, d.y, of_column.y);
    of_column.z = fma(-wj, d.z, of_column.z);
    if (PHI) {
        of_row.phi -= pi;
        of_column.phi -= pj;
    }
}

/* Adds the forces between the warp's row bodies and 32 column bodies to row_sum and column_sum. row[k] of a lane is
 * body i = i0 + 32 k + lane, column[q] is body j = j0 + q. `column` and `column_sum` are in shared memory. With MASK
 * only pairs with j < i < n are added. MASK is required on the diagonal and in the last row of tiles. */
template <typename B, bool PHI, bool MASK, bool EQUAL>
static __device__ __forceinline__ void add_columns(const B *row, tile_sums<typename B::real> *row_sum, const B *column,
                                                   tile_sums<typename B::real> *column_sum, typename B::real factor,
                                                   typename B::real eps2, uint64_t i0, uint64_t j0, uint64_t n)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned step = 0; step < 32; step++) {
        const unsigned q = (lane + step) % 32;
        const B other = column[q];
        tile_sums<typename B::real> sum = column_sum[q];
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const uint64_t i = i0 + 32 * k + lane, j = j0 + q;
            add_pair<PHI, MASK, EQUAL>(row[k], other, factor, eps2, MASK && i < n && j < i, row_sum[k], sum);
        }
        column_sum[q] = sum;
        __syncwarp(); /* before the next lane updates this column */
    }
}

/* Computes the tiles of a band, one warp per tile. Tile (i, j) contains the pairs of groups i and j. Writes:
 * - of_rows[j][body - b.begin * GROUP], for each body of group i: the force of group j. of_rows has rows of `width`
 *   elements.
 * - of_columns[i - b.begin][body], for each body of group j: the force of group i. of_columns has rows of s.n elements.
 * Shared memory: one body and one sum per thread. */
template <typename B, bool PHI, int THREADS>
static __global__ void __launch_bounds__(THREADS)
    tiles_kernel(nb_sources s, tile_band b, uint64_t width, tile_sums<typename B::real> *of_rows,
                 tile_sums<typename B::real> *of_columns)
{
    typedef typename B::real real;
    extern __shared__ __align__(16) char shared[];
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x - lane;
    B *column = (B *)shared + first;
    tile_sums<real> *column_sum = (tile_sums<real> *)((B *)shared + blockDim.x) + first;
    const real eps2 = (real)(s.softening * s.softening);
    tile_place tile;
    if (!band_place(b, ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, &tile))
        return;
    const uint64_t i0 = tile.i * GROUP;
    const bool masked = tile.i == tile.j || tile.i + 1 == b.groups;
    B row[ROWS];
    tile_sums<real> row_sum[ROWS] = {};
    for (int k = 0; k < ROWS; k++) {
        const uint64_t i = i0 + 32 * k + lane;
        row[k] = {};
        if (i < s.n)
            body_read(row[k], s.x, s.m, s.stride, i);
    }
    const tile_masses<real> masses = masked || !s.m
                                         ? tile_masses<real>{false, 1, 1, 1}
                                         : find_masses<B>(row, (const typename B::state *)s.m + tile.j * GROUP);
    for (uint64_t j0 = tile.j * GROUP; j0 < (tile.j + 1) * GROUP; j0 += 32) {
        B other = {};
        if (j0 + lane < s.n)
            body_read(other, s.x, s.m, s.stride, j0 + lane);
        column[lane] = other;
        column_sum[lane] = {};
        __syncwarp();
        if (masked)
            add_columns<B, PHI, true, false>(row, row_sum, column, column_sum, 1, eps2, i0, j0, s.n);
        else if (masses.equal)
            add_columns<B, PHI, false, true>(row, row_sum, column, column_sum, masses.factor, eps2, i0, j0, s.n);
        else
            add_columns<B, PHI, false, false>(row, row_sum, column, column_sum, 1, eps2, i0, j0, s.n);
        if (j0 + lane < s.n)
            of_columns[(tile.i - b.begin) * s.n + j0 + lane] = times(column_sum[lane], masses.column);
    }
    for (int k = 0; k < ROWS; k++) {
        const uint64_t i = i0 + 32 * k + lane;
        if (i < s.n)
            of_rows[tile.j * width + i - b.begin * GROUP] = times(row_sum[k], masses.row);
    }
}

/* ---- a body's sum ---- */

template <typename R> static __device__ __forceinline__ void add(pair_sums<double> &total, const tile_sums<R> &sum)
{
    pair_flush(total, pair_sums<R>{sum.x, sum.y, sum.z, sum.phi});
}

#define SLICES 8 /* number of threads that add the sums of one body */

/* For each body i, adds the sums that tiles_kernel stored in this band to total[i], in the order of the groups.
 * - If this is the first band, or the band with the group of body i, total[i] is not set yet: the sum begins at 0.
 * - Does nothing for bodies whose group is in a later band.
 * - In the last band, writes the results to `out` instead of total[i].
 * A block owns 32 bodies of one group. Each of its SLICES warps adds a range of the sums of these bodies, and a lane
 * owns one body. The first warp then adds the values of all warps, in their order. */
template <typename B>
static __global__ void __launch_bounds__(32 * SLICES)
    bodies_kernel(nb_sources s, tile_band b, uint64_t width, const tile_sums<typename B::real> *of_rows,
                  const tile_sums<typename B::real> *of_columns, pair_sums<double> *total, nb_field out)
{
    __shared__ pair_sums<double> of_warp[SLICES][32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t i = (uint64_t)blockIdx.x * 32 + lane, own = i / GROUP;
    const bool in_band = own >= b.begin, there = i < s.n && own < b.end;
    /* sums 0 to rows - 1 are in of_rows; sums rows to rows + columns - 1 are in of_columns */
    const uint64_t rows = in_band ? own + 1 : 0, first = in_band ? own : b.begin, columns = there ? b.end - first : 0;
    const uint64_t begin = (rows + columns) * warp / SLICES, end = (rows + columns) * (warp + 1) / SLICES;
    pair_sums<double> sum = {};
#pragma unroll 8
    for (uint64_t j = begin; j < end && j < rows && there; j++)
        add(sum, of_rows[j * width + i - b.begin * GROUP]);
#pragma unroll 8
    for (uint64_t j = begin > rows ? begin : rows; j < end && there; j++)
        add(sum, of_columns[(j - rows + first - b.begin) * s.n + i]);
    of_warp[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || !there)
        return;
    sum = {};
    if (!in_band && b.begin > b.first)
        sum = total[i];
    for (int k = 0; k < SLICES; k++)
        pair_flush(sum, of_warp[k][lane]);
    if (b.end == b.last)
        pair_store<typename B::state>(out, sum, s.G, i);
    else
        total[i] = sum;
}

/* ---- all bands ---- */

struct symmetric_call {
    direct_symmetric *work;
    cudaStream_t stream;
    enum nb_precision precision;
    const nb_sources *s;
    bool phi;
    tile_band band;
};

static double sums_size(enum nb_precision precision)
{
    return precision == NB_DOUBLE ? sizeof(tile_sums<double>) : sizeof(tile_sums<float>);
}

static uint64_t up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit;
}

/* Returns the number of rows of tiles in a band: the largest multiple of SQUARE whose sums fit into BAND_BYTES, but at
 * least SQUARE. */
static uint64_t band_groups(enum nb_precision precision, uint64_t n)
{
    const uint64_t all = up(up(n, GROUP), SQUARE);
    const double a_square = 2 * sums_size(precision) * SQUARE * (double)n, allowed = BAND_BYTES / a_square;
    return (allowed >= (double)all ? all : allowed < 1 ? 1 : (uint64_t)allowed) * SQUARE;
}

double direct_symmetric_bytes(enum nb_precision precision, uint64_t n)
{
    const double a_square = 2 * sums_size(precision) * SQUARE * (double)n;
    const double all = a_square * (double)up(up(n, GROUP), SQUARE);
    return (all < BAND_BYTES        ? all
            : a_square > BAND_BYTES ? a_square
                                    : BAND_BYTES) +
           (double)n * sizeof(pair_sums<double>);
}

template <typename B, bool PHI, int THREADS> static int tiles(const symmetric_call *c, int threads)
{
    typedef tile_sums<typename B::real> sums;
    const uint64_t blocks = up(band_work(&c->band), (uint64_t)threads / 32);
    const uint64_t width = (c->band.end - c->band.begin) * GROUP;
    const size_t shared_bytes = (size_t)threads * (sizeof(B) + sizeof(sums));
    const auto kernel = tiles_kernel<B, PHI, THREADS>;
    if (blocks >> 31)
        return nb_fail("%llu bodies are too many for a kernel that computes each pair once",
                       (unsigned long long)c->s->n);
    if (shared_bytes > 48 * 1024 &&
        NB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes)))
        return -1;
    kernel<<<(unsigned)blocks, threads, shared_bytes, c->stream>>>(*c->s, c->band, width, (sums *)c->work->of_rows.d,
                                                                   (sums *)c->work->of_columns.d);
    return NB_CUDA(cudaGetLastError());
}

template <typename B> static int tiles_either(const symmetric_call *c, int threads)
{
    if (threads <= FEW)
        return c->phi ? tiles<B, true, FEW>(c, threads) : tiles<B, false, FEW>(c, threads);
    return c->phi ? tiles<B, true, MANY>(c, threads) : tiles<B, false, MANY>(c, threads);
}

static int tiles_any(const symmetric_call *c, int threads)
{
    return for_body(c->precision, [&]<typename B>() { return tiles_either<B>(c, threads); });
}

template <typename B> static int add_bodies(const symmetric_call *c, const nb_field *out)
{
    typedef tile_sums<typename B::real> sums;
    const uint64_t width = (c->band.end - c->band.begin) * GROUP, all = c->band.end * GROUP;
    bodies_kernel<B><<<(unsigned)up(all < c->s->n ? all : c->s->n, 32), 32 * SLICES, 0, c->stream>>>(
        *c->s, c->band, width, (const sums *)c->work->of_rows.d, (const sums *)c->work->of_columns.d,
        (pair_sums<double> *)c->work->total.d, *out);
    return NB_CUDA(cudaGetLastError());
}

/* Returns the number of rows of tiles, counted from the first row, that together contain the fraction `share` of all
 * tiles. */
static uint64_t row_of_share(uint64_t groups, double share)
{
    return (uint64_t)round(sqrt(share) * (double)groups);
}

/* Returns one band that contains all rows of tiles of the share. */
static tile_band rows_of_share(uint64_t n, const double share[2], enum nb_pair_order order)
{
    const uint64_t groups = up(n, GROUP);
    const uint64_t first = row_of_share(groups, share[0]), last = row_of_share(groups, share[1]);
    return {first, last, groups, first, last, order};
}

uint64_t direct_symmetric_end(uint64_t n, const double share[2])
{
    const tile_band b = rows_of_share(n, share, NB_PAIR_ROWS);
    return b.first == b.last ? 0 : b.last * GROUP < n ? b.last * GROUP : n;
}

int direct_symmetric_reserve(direct_symmetric *w, enum nb_precision precision, uint64_t n, const double share[2])
{
    const tile_band b = rows_of_share(n, share, NB_PAIR_ROWS);
    const uint64_t most = band_groups(precision, n), rows = b.last - b.first < most ? b.last - b.first : most;
    const double bytes = sums_size(precision) * (double)rows;
    return nb_status(nb_cuda_reserve(&w->of_rows, (size_t)(bytes * (double)(b.last * GROUP))) ||
                     nb_cuda_reserve(&w->of_columns, (size_t)(bytes * (double)n)) ||
                     nb_cuda_reserve(&w->total, n * sizeof(pair_sums<double>)));
}

int direct_symmetric_try(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         bool phi, enum nb_pair_order order, int threads)
{
    static const double all[2] = {0, 1};
    symmetric_call call = {w, nb_cuda_stream(device), precision, s, phi, rows_of_share(s->n, all, order)};
    const uint64_t rows = band_groups(precision, s->n);
    call.band.begin = (call.band.last - 1) / rows * rows;
    return direct_symmetric_reserve(w, precision, s->n, all) ? -1 : tiles_any(&call, threads);
}

int direct_symmetric_sum(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         const double share[2], const nb_field *out, enum nb_pair_order order, int threads)
{
    symmetric_call call = {w, nb_cuda_stream(device), precision,
                           s, out->phi != nullptr,    rows_of_share(s->n, share, order)};
    tile_band *b = &call.band;
    const uint64_t rows = band_groups(precision, s->n);
    if (direct_symmetric_reserve(w, precision, s->n, share))
        return -1;
    for (b->begin = b->first; b->begin < b->last; b->begin = b->end) {
        b->end = b->begin + rows < b->last ? b->begin + rows : b->last;
        nb_timing_stage(device, "pairs");
        if (tiles_any(&call, threads))
            return -1;
        nb_timing_stage(device, "sums");
        if (for_body(precision, [&]<typename B>() { return add_bodies<B>(&call, out); }))
            return -1;
    }
    return 0;
}

void direct_symmetric_release(direct_symmetric *w, nb_device *device)
{
    nb_cuda_release_all(device, {&w->of_rows, &w->of_columns, &w->total});
}
