/* force_pairs_symmetric_cuda.cu - the force pairs-symmetric on a GPU: direct summation that computes each pair once
 * (Newton's third law), with options for the order of tiles and the number of threads of a block. The kernels are those
 * of `direct` (force/direct/cuda/direct_symmetric.cu). */
#include "force/direct/cuda/direct_symmetric.cuh"
#include "reference/methods/cuda/autotune.cuh"
#include "reference/methods/methods.h"

struct symmetric_work : block_work {
    enum nb_pair_order order;
    direct_symmetric sum;
};

struct symmetric_call {
    symmetric_work *work;
    enum nb_precision precision;
    const nb_sources *s;
    bool phi;
};

static int try_threads(void *context, int threads)
{
    const symmetric_call *c = (const symmetric_call *)context;
    return direct_symmetric_try(&c->work->sum, c->work->device, c->precision, c->s, c->phi, c->work->order, threads);
}

static int symmetric_field(struct nb_device *device, void *work, enum nb_precision precision,
                           const struct nb_sources *s, const struct nb_targets *, const struct nb_field *out)
{
    static const double all[2] = {0, 1};
    symmetric_work *w = (symmetric_work *)work;
    symmetric_call call = {w, precision, s, out->phi != nullptr};
    if (nb_cuda_enter(device) || block_choose(w, s->n, try_threads, &call))
        return -1;
    return direct_symmetric_sum(&w->sum, device, precision, s, all, out, w->order, w->choice.taken);
}

static void *symmetric_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    symmetric_work *w = (symmetric_work *)block_work_open(sizeof *w, device, spec);
    if (w)
        w->order = (enum nb_pair_order)(int)nb_force_value(spec, "order");
    return w;
}

static void symmetric_close(struct nb_device *, void *work)
{
    symmetric_work *w = (symmetric_work *)work;
    block_work_close(w, {&w->sum.of_rows, &w->sum.of_columns, &w->sum.total});
}

extern "C" const struct nb_force nb_force_pairs_symmetric_cuda;
const struct nb_force nb_force_pairs_symmetric_cuda = {
    .method = "pairs-symmetric",
    .device = "cuda",
    .about = "textbook: each pair once for both bodies, tiles of the triangle by warps",
    .flags = NB_EXACT | NB_ALL_PAIRS | NB_ALL_BODIES,
    .kinds = nb_pairs_symmetric_kinds,
    .tolerance = {1e-6, 1e-6, 1e-14, 0},
    .refuse = nb_methods_refuse,
    .field = symmetric_field,
    .recordable = block_recordable,
    .open = symmetric_open,
    .close = symmetric_close,
    .work_bytes = direct_symmetric_bytes,
    .notes = block_notes,
};
