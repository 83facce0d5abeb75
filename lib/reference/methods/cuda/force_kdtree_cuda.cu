/* force_kdtree_cuda.cu - the force `kdtree` on the GPU. The kernels are in other files (kdtree_cuda.cuh). */
#include "device/timing.h"
#include "reference/methods/cuda/kdtree_cuda.cuh"
#include "reference/methods/methods.h"

struct walk_arguments {
    kdtree_work *w;
    enum nb_precision precision;
    const nb_sources *s;
    nb_field out;
};

static int walk(void *context, int threads)
{
    const walk_arguments *a = (const walk_arguments *)context;
    return kdtree_walk(a->w, a->precision, a->s, &a->out, threads);
}

static int kdtree_field(struct nb_device *device, void *work, enum nb_precision precision, const nb_sources *s,
                        const nb_targets *, const nb_field *out)
{
    kdtree_work *w = (kdtree_work *)work;
    if (nb_cuda_enter(device) || nb_kdtree_check(s->n))
        return -1;
    nb_timing_stage(device, "build");
    walk_arguments arguments = {w, precision, s, *out};
    int status = kdtree_build(w, precision, s);
    if (status == 0)
        status = block_choose_beside(w, precision, s->n, &arguments.out, walk, &arguments);
    nb_timing_stage(device, "walk");
    return status == 0 ? walk(&arguments, w->choice.taken) : -1;
}

static void *kdtree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    kdtree_work *w = nb_kdtree_check_spec(spec) ? nullptr : (kdtree_work *)block_work_open(sizeof *w, device, spec);
    if (!w)
        return nullptr;
    w->lambda = spec->value[NB_KDTREE_LAMBDA];
    w->traverse = (int)spec->value[NB_KDTREE_TRAVERSE];
    w->visit = (int)spec->value[NB_KDTREE_VISIT];
    return w;
}

static void kdtree_close(struct nb_device *, void *work)
{
    kdtree_work *w = (kdtree_work *)work;
    block_work_close(w, {&w->node, &w->open2, &w->body, &w->leaf_of, &w->keys, &w->order, &w->boxes, &w->scratch});
}

/* Returns the working memory in bytes. Each body needs two nodes of five numbers, two indices, and one element in each
 * of the three buffers of the sort (input, output, and work space of CUB). An element has a key, with the size of two
 * numbers, and an index. */
static double kdtree_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double real = precision == NB_SINGLE ? 4 : 8;
    return (double)n * (2 * 5 * real + 2 * sizeof(uint32_t) + 3 * (2 * real + sizeof(uint32_t)));
}

extern "C" const struct nb_force nb_force_kdtree_cuda;
const struct nb_force nb_force_kdtree_cuda = {
    .method = "kdtree",
    .device = "cuda",
    .about = "textbook: k-d tree of single bodies, monopoles; neighbours walk together",
    .flags = NB_ALL_BODIES | NB_ONE_SIDED,
    .kinds = nb_kdtree_kinds,
    .tolerance = {1e-2, 0, 1e-2, 0}, /* single, mixed, double, quad */
    .refuse = nb_methods_refuse,
    .field = kdtree_field,
    .recordable = block_recordable,
    .open = kdtree_open,
    .close = kdtree_close,
    .work_bytes = kdtree_work_bytes,
    .notes = block_notes,
};
