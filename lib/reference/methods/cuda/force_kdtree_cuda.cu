/* The k-d tree on the GPU as an entry of the table of forces. */
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

/* Threads of a block, by walks whose results nobody reads. */
static int choose_block(walk_arguments a)
{
    const size_t row = a.out.stride * nb_precision_size(a.precision);
    if (a.w->block.asked)
        return 0;
    if (nb_cuda_reserve(&a.w->trial, 4 * row))
        return -1;
    a.out.a = a.out.a ? a.w->trial.d : nullptr;
    a.out.phi = a.out.phi ? (char *)a.w->trial.d + 3 * row : nullptr;
    a.out.add = false;
    return nb_block_choose(a.w->device, &a.w->block, a.s->n, walk, &a);
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
        status = choose_block(arguments);
    nb_timing_stage(device, "walk");
    if (status == 0)
        status = walk(&arguments, w->block.taken);
    nb_timing_stage(device, nullptr);
    return status;
}

/* All is decided by n alone, and memory is there after the first call. */
static bool kdtree_recordable(const void *, enum nb_precision, uint64_t)
{
    return true;
}

static void *kdtree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    const int traverse = (int)spec->value[NB_KDTREE_TRAVERSE];
    if (traverse == NB_KDTREE_RECURSIVE || (int)spec->value[NB_KDTREE_LAYOUT] == NB_KDTREE_NODES) {
        nb_fail("force kdtree: traverse=recursive and layout=nodes are on the CPU alone (--device cpu)");
        return nullptr;
    }
    kdtree_work *w = (kdtree_work *)calloc(1, sizeof *w);
    if (!w) {
        nb_fail("no memory");
        return nullptr;
    }
    w->device = device;
    w->stream = nb_cuda_stream(device);
    w->lambda = spec->value[NB_KDTREE_LAMBDA];
    w->traverse = traverse;
    w->visit = (int)spec->value[NB_KDTREE_VISIT];
    w->block = block_choice_of(spec);
    return w;
}

static void kdtree_close(struct nb_device *device, void *work)
{
    kdtree_work *w = (kdtree_work *)work;
    nb_cuda_buffer *const buffers[] = {&w->node,  &w->open2, &w->body,    &w->leaf_of, &w->keys,
                                       &w->order, &w->boxes, &w->scratch, &w->trial};
    if (nb_cuda_enter(device) == 0)
        for (nb_cuda_buffer *b : buffers)
            nb_cuda_release(b);
    free(w);
}

static const char *kdtree_notes(const void *work)
{
    const kdtree_work *w = (const kdtree_work *)work;
    return *w->block.tried ? w->block.tried : nullptr;
}

/* Two nodes a body, and what is sorted three times, of which CUB takes the third: keys with a coordinate and a segment,
 * and the order. */
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
    .recordable = kdtree_recordable,
    .open = kdtree_open,
    .close = kdtree_close,
    .work_bytes = kdtree_work_bytes,
    .notes = kdtree_notes,
};
