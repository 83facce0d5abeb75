/* force_shared_tiles_cuda.cu - textbook direct summation on a GPU (Nyland, Harris & Prins 2007, GPU Gems 3, chapter
 * 31), `--force shared-tiles`. A thread owns a body. The threads of a block together copy a tile of sources to shared
 * memory, and then the next tile. The size of a tile is fixed, so the number of threads does not change results. The
 * sum over a tile is in the precision of the pairs. Unlike in the textbook, the sum over all tiles is in double. */
#include "device/timing.h"
#include "force/cuda/pair.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/methods.h"

/* number of sources per tile; a multiple of 32, so that one tile contains all 32 targets of a warp as sources */
#define TILE    256
#define THREADS 1024 /* maximum number of threads per block */

/* s.n threads; a thread owns target i. A block reads tile after tile of TILE sources (positions, masses) to shared
 * memory. Each thread adds the forces of all sources on its target, and writes element i of out. */
template <typename B, bool PHI>
static __global__ void __launch_bounds__(THREADS) tiles_kernel(nb_sources s, nb_field out)
{
    typedef typename B::real real;
    __shared__ B tile[TILE];
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, own = i / TILE * TILE;
    const real eps2 = (real)(s.softening * s.softening);
    B target;
    pair_sums<double> total = {};
    body_read(target, s.x, nullptr, s.stride, i < s.n ? i : s.n - 1);
    for (uint64_t j0 = 0; j0 < s.n; j0 += TILE) {
        const int count = s.n - j0 < TILE ? (int)(s.n - j0) : TILE;
        __syncthreads();
        for (int q = (int)threadIdx.x; q < count; q += (int)blockDim.x)
            body_read(tile[q], s.x, s.m, s.stride, j0 + q);
        __syncthreads();
        pair_sums<real> sum = {};
        /* The first loop is for the tile that contains the target, and leaves out the pair of the target with itself.
         * Which loop is used depends only on the tile, so the number of threads does not change results. */
        if (j0 == own)
            for (int q = 0; q < count; q++)
                pair_add<PHI, true>(sum, tile[q], target, eps2, (uint64_t)q == i - j0);
        else if (count == TILE)
#pragma unroll 16
            for (int q = 0; q < TILE; q++)
                pair_add<PHI, false>(sum, tile[q], target, eps2, false);
        else
            for (int q = 0; q < count; q++)
                pair_add<PHI, false>(sum, tile[q], target, eps2, false);
        pair_flush(total, sum);
    }
    if (i < s.n)
        pair_store<typename B::state>(out, total, s.G, i);
}

struct tiles_call {
    cudaStream_t stream;
    enum nb_precision precision;
    const nb_sources *s;
    nb_field out;
};

template <typename B> static int launch(const tiles_call *c, int threads)
{
    const unsigned blocks = (unsigned)((c->s->n + (uint64_t)threads - 1) / (uint64_t)threads);
    if (c->out.phi)
        tiles_kernel<B, true><<<blocks, threads, 0, c->stream>>>(*c->s, c->out);
    else
        tiles_kernel<B, false><<<blocks, threads, 0, c->stream>>>(*c->s, c->out);
    return NB_CUDA(cudaGetLastError());
}

static int launch_any(void *context, int threads)
{
    const tiles_call *c = (const tiles_call *)context;
    return for_body(c->precision, [&]<typename B>() { return launch<B>(c, threads); });
}

static int tiles_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const struct nb_targets *, const struct nb_field *out)
{
    block_work *w = (block_work *)work;
    tiles_call call = {w->stream, precision, s, *out};
    if (s->n >> 32)
        return nb_fail("force shared-tiles: %llu bodies are too many", (unsigned long long)s->n);
    if (nb_cuda_enter(device) || block_choose_beside(w, precision, s->n, &call.out, launch_any, &call))
        return -1;
    nb_timing_stage(device, "pairs");
    return launch_any(&call, w->choice.taken);
}

static void *tiles_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    return block_work_open(sizeof(block_work), device, spec);
}

static void tiles_close(struct nb_device *, void *work)
{
    block_work_close(work, {});
}

extern "C" const struct nb_force nb_force_shared_tiles_cuda;
const struct nb_force nb_force_shared_tiles_cuda = {
    .method = "shared-tiles",
    .device = "cuda",
    .about = "textbook: a thread a body, sources in tiles of shared memory",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_shared_tiles_kinds,
    .tolerance = {1e-6, 1e-6, 1e-14, 0},
    .refuse = nb_methods_refuse,
    .field = tiles_field,
    .recordable = block_recordable,
    .open = tiles_open,
    .close = tiles_close,
    .notes = block_notes,
};
