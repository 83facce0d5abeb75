/* force_pairs_matrix_cuda.cu - the matrix of pairs on a GPU, `--force pairs-matrix`. One kernel computes the forces of
 * all pairs and stores them in the matrix. The force on a body is the sum of the elements in its row minus the sum of
 * the elements in its column; other kernels compute these sums. Memory is proportional to n^2. The potential uses the
 * same memory in a second pass. TERMS elements of a row, or PART elements of a column, are summed in the precision of
 * the matrix. These partial sums are added in double, in a fixed order. */
#include "device/timing.h"
#include "force/cuda/pair.cuh"
#include "force/pairs.h"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/methods.h"

#define THREADS 1024 /* maximum number of threads per block */
#define SHARE   8    /* number of pairs per thread */
#define TERMS   64   /* rows_kernel: number of terms that a thread sums before it adds the sum to a double */
#define PART    512  /* columns_kernel: number of rows of the matrix that a thread sums */

/* Computes the values of all pairs (i, j), j < i. A thread owns SHARE pairs. Their indices k in the list of pairs
 * differ by blockDim.x, so that the threads of a warp store consecutive values. Reads the positions s.x.
 * - WIDTH 3: the value is the force on i by a unit mass at j; component c is written to value[c * pairs + k].
 * - WIDTH 1: the value is 1/r; it is written to value[k].
 * r^-3 is never computed, because it may exceed the range of single precision. */
template <typename B, int WIDTH>
static __global__ void __launch_bounds__(THREADS) fill_kernel(nb_sources s, typename B::real *value)
{
    typedef typename B::real real;
    const uint64_t pairs = pairs_before(s.n);
    const real eps2 = (real)(s.softening * s.softening);
    uint64_t k = (uint64_t)blockIdx.x * blockDim.x * SHARE + threadIdx.x;
    if (k >= pairs)
        return;
    uint64_t i = pairs_body(k), j = k - pairs_before(i);
    for (int turn = 0; turn < SHARE && k < pairs; turn++) {
        B target, source;
        real rinv, unused;
        body_read(target, s.x, nullptr, s.stride, i);
        body_read(source, s.x, nullptr, s.stride, j);
        const pair_vector<real> d = pair_offset(source, target);
        pair_weight(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, eps2))), (real)1, unused, rinv, true);
        if (WIDTH == 1)
            value[k] = rinv;
        else {
            value[k] = d.x * rinv * (rinv * rinv);
            value[k + pairs] = d.y * rinv * (rinv * rinv);
            value[k + 2 * pairs] = d.z * rinv * (rinv * rinv);
        }
        k += blockDim.x;
        for (j += blockDim.x; j >= i; i++)
            j -= i;
    }
}

/* s.n warps; a warp owns body i, and its lanes share the pairs (i, j), j < i. Writes the sum of m_j * value over these
 * pairs to row[c * n + i], for each component c < WIDTH. */
template <typename B, int WIDTH>
static __global__ void __launch_bounds__(THREADS) rows_kernel(nb_sources s, const typename B::real *value, double *row)
{
    typedef typename B::real real;
    const typename B::state *m = (const typename B::state *)s.m;
    const uint64_t pairs = pairs_before(s.n), i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    double total[WIDTH] = {};
    if (i >= s.n)
        return;
    value += pairs_before(i);
    for (uint64_t j0 = 0; j0 < i; j0 += 32 * TERMS) {
        real sum[WIDTH] = {};
        for (uint64_t j = j0 + lane; j < i && j < j0 + 32 * TERMS; j += 32)
            for (int c = 0; c < WIDTH; c++)
                sum[c] = fma((real)m[j], value[j + c * pairs], sum[c]);
        for (int c = 0; c < WIDTH; c++)
            total[c] += (double)sum[c];
    }
    for (int c = 0; c < WIDTH; c++) {
        for (int step = 16; step > 0; step /= 2)
            total[c] += __shfl_down_sync(~0u, total[c], step);
        if (lane == 0)
            row[c * s.n + i] = total[c];
    }
}

/* The rows of the matrix are divided into parts of PART rows. A thread owns a column i and a part (part = blockIdx.y).
 * For each component c, it sums m_j * value over the rows j > i of this part, and writes the sum to partial[(part *
 * WIDTH + c) * n + i]. Writes nothing if the part has no rows j > i. Consecutive threads read consecutive values. */
template <typename B, int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    columns_kernel(nb_sources s, const typename B::real *value, double *partial)
{
    typedef typename B::real real;
    const typename B::state *m = (const typename B::state *)s.m;
    const uint64_t pairs = pairs_before(s.n), i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t begin = (uint64_t)blockIdx.y * PART, end = begin + PART < s.n ? begin + PART : s.n;
    if (i >= s.n || i + 1 >= end)
        return;
    real sum[WIDTH] = {};
    for (uint64_t j = begin > i ? begin : i + 1; j < end; j++)
        for (int c = 0; c < WIDTH; c++)
            sum[c] = fma((real)m[j], value[pairs_before(j) + i + c * pairs], sum[c]);
    for (int c = 0; c < WIDTH; c++)
        partial[(blockIdx.y * WIDTH + c) * s.n + i] = (double)sum[c];
}

/* s.n threads; a thread owns body i. Adds the partial sums of column i in a fixed order, and combines the result with
 * the sum of row i. Writes the acceleration (WIDTH 3) or the potential (WIDTH 1) to out. */
template <typename B, int WIDTH>
static __global__ void join_kernel(nb_sources s, const double *row, const double *partial, nb_field out)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double total[WIDTH];
    if (i >= s.n)
        return;
    for (int c = 0; c < WIDTH; c++) {
        double column = 0;
        /* the last body, i = n - 1, has no pairs (j, i) with j > i */
        for (uint64_t part = (i + 1) / PART; i + 1 < s.n && part * PART < s.n; part++)
            column += partial[(part * WIDTH + c) * s.n + i];
        total[c] = WIDTH == 1 ? -(row[i] + column) : row[c * s.n + i] - column;
    }
    if (WIDTH == 1)
        pair_store<typename B::state>(out, {0, 0, 0, total[0]}, s.G, i);
    else
        pair_store<typename B::state>(out, {total[0], total[WIDTH / 2], total[WIDTH - 1], 0}, s.G, i);
}

struct matrix_work : block_work {
    /* value: the matrix, an array of all pairs for each of WIDTH components
     * sums: sum of each row, [WIDTH][n]; then the sum of each column over each part of PART rows, [parts][WIDTH][n] */
    nb_cuda_buffer value, sums;
};

struct matrix_call {
    matrix_work *work;
    enum nb_precision precision;
    const nb_sources *s;
    bool phi;
};

static uint64_t parts_of(uint64_t n)
{
    return (n + PART - 1) / PART;
}

/* Fills the matrix and sums its rows and columns with `threads` threads in a block. */
template <typename B, int WIDTH> static int sum(const matrix_call *c, int threads)
{
    typedef typename B::real real;
    const nb_sources *s = c->s;
    const uint64_t pairs = pairs_before(s->n), a_block = (uint64_t)threads * SHARE, warps = (uint64_t)threads / 32;
    real *value = (real *)c->work->value.d;
    double *row = (double *)c->work->sums.d, *partial = row + WIDTH * s->n;
    const dim3 grid((unsigned)((s->n + (uint64_t)threads - 1) / (uint64_t)threads), (unsigned)parts_of(s->n));
    nb_timing_stage(c->work->device, "pairs");
    if (pairs)
        fill_kernel<B, WIDTH><<<(unsigned)((pairs + a_block - 1) / a_block), threads, 0, c->work->stream>>>(*s, value);
    nb_timing_stage(c->work->device, "rows");
    rows_kernel<B, WIDTH><<<(unsigned)((s->n + warps - 1) / warps), threads, 0, c->work->stream>>>(*s, value, row);
    nb_timing_stage(c->work->device, "columns");
    columns_kernel<B, WIDTH><<<grid, threads, 0, c->work->stream>>>(*s, value, partial);
    return NB_CUDA(cudaGetLastError());
}

static int sum_any(void *context, int threads)
{
    const matrix_call *c = (const matrix_call *)context;
    return for_body(c->precision, [&]<typename B>() { return c->phi ? sum<B, 1>(c, threads) : sum<B, 3>(c, threads); });
}

template <typename B> static int join(const matrix_call *c, const nb_field *field)
{
    const uint64_t n = c->s->n;
    const double *row = (const double *)c->work->sums.d;
    nb_field out = {};
    out.stride = field->stride, out.add = field->add;
    if (c->phi) {
        out.phi = field->phi;
        join_kernel<B, 1><<<nb_blocks_for(n), NB_BLOCK, 0, c->work->stream>>>(*c->s, row, row + n, out);
    } else {
        out.a = field->a;
        join_kernel<B, 3><<<nb_blocks_for(n), NB_BLOCK, 0, c->work->stream>>>(*c->s, row, row + 3 * n, out);
    }
    return NB_CUDA(cudaGetLastError());
}

static double value_bytes(enum nb_precision precision, uint64_t n)
{
    return 0.5 * (double)n * ((double)n - 1) * 3 * (double)(precision == NB_DOUBLE ? sizeof(double) : sizeof(float));
}

static double sums_bytes(uint64_t n)
{
    return (double)n * (double)(1 + parts_of(n)) * 3 * (double)sizeof(double);
}

static double matrix_bytes(enum nb_precision precision, uint64_t n)
{
    return value_bytes(precision, n) + sums_bytes(n);
}

static int matrix_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *, const struct nb_field *out)
{
    matrix_work *w = (matrix_work *)work;
    matrix_call call = {w, precision, s, false};
    if (matrix_bytes(precision, s->n) > 1e13)
        return nb_fail("force pairs-matrix: the pairs of %llu bodies need %.4g GB; the maximum is 1e4 GB (use fewer "
                       "bodies or another --force)",
                       (unsigned long long)s->n, 1e-9 * matrix_bytes(precision, s->n));
    if (nb_cuda_enter(device) || nb_cuda_reserve(&w->value, (size_t)value_bytes(precision, s->n) + 1) ||
        nb_cuda_reserve(&w->sums, (size_t)sums_bytes(s->n)) || block_choose(w, s->n, sum_any, &call))
        return -1;
    for (int phi = 0; phi < 2; phi++) {
        call.phi = phi;
        if (!(phi ? out->phi : out->a))
            continue;
        if (sum_any(&call, w->choice.taken) || for_body(precision, [&]<typename B>() { return join<B>(&call, out); }))
            return -1;
    }
    return 0;
}

static void *matrix_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    return block_work_open(sizeof(matrix_work), device, spec);
}

static void matrix_close(struct nb_device *, void *work)
{
    matrix_work *w = (matrix_work *)work;
    block_work_close(w, {&w->value, &w->sums});
}

extern "C" const struct nb_force nb_force_pairs_matrix_cuda;
const struct nb_force nb_force_pairs_matrix_cuda = {
    .method = "pairs-matrix",
    .device = "cuda",
    .about = "textbook: the forces of all pairs are stored, then summed; memory grows as n^2",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_pairs_matrix_kinds,
    .tolerance = {1e-6, 1e-6, 1e-14, 0},
    .refuse = nb_methods_refuse,
    .field = matrix_field,
    .recordable = block_recordable,
    .open = matrix_open,
    .close = matrix_close,
    .work_bytes = matrix_bytes,
    .notes = block_notes,
};
