/* force_octree_cuda.cu - entry of the table of forces: the octree (octree.h) on the GPU. */
#include "device/timing.h"
#include "reference/methods/cuda/octree_cuda.cuh"
#include "reference/methods/methods.h"

/* Memory is first allocated for this number of cells per body, slightly more than spheres and galaxies need. If a tree
 * has more cells, the memory is doubled. */
#define NODES_A_BODY 0.7

template <typename B> static constexpr double node_bytes()
{
    return 10 * sizeof(uint32_t) + sizeof(octree_moment) + sizeof(octree_mass<B>);
}

template <typename B> static int reserve_nodes(octree_work *w, uint64_t n, double count)
{
    if (count > (double)(OCTREE_NUMBERS_MAX - n))
        return nb_fail("force octree: %.0f bodies need too many cells", (double)n);
    const uint32_t nodes = (uint32_t)count;
    w->capacity = 0;
    if (nb_cuda_reserve(&w->child, 8 * sizeof(uint32_t) * (uint64_t)nodes) ||
        nb_cuda_reserve(&w->moment, sizeof(octree_moment) * (uint64_t)nodes) ||
        nb_cuda_reserve(&w->mass, sizeof(octree_mass<B>) * (uint64_t)nodes) ||
        nb_cuda_reserve(&w->count, sizeof(uint32_t) * (uint64_t)nodes) ||
        nb_cuda_reserve(&w->place, sizeof(uint32_t) * (uint64_t)nodes))
        return nb_fail("force octree: the GPU has no memory for the cells of %.0f bodies: %.3g GB", (double)n,
                       1e-9 * node_bytes<B>() * nodes);
    w->capacity = nodes;
    return 0;
}

template <typename B> static int reserve(octree_work *w, uint64_t n)
{
    const double nodes = NODES_A_BODY * (double)n + 1024;
    if (nb_cuda_reserve(&w->bodies, n * sizeof(B)) || nb_cuda_reserve(&w->next, n * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->order, n * sizeof(uint32_t)) || nb_cuda_reserve(&w->bounds, sizeof(morton_bounds)) ||
        nb_cuda_reserve(&w->counters, sizeof(octree_counters)))
        return -1;
    return reserve_nodes<B>(w, n, nodes > w->capacity ? nodes : w->capacity);
}

template <typename B> static octree_view<B> view(const octree_work *w, uint64_t n)
{
    return {(uint32_t)n,
            w->capacity,
            (B *)w->bodies.d,
            (uint32_t *)w->next.d,
            (uint32_t *)w->order.d,
            (uint32_t *)w->child.d,
            (octree_moment *)w->moment.d,
            (octree_mass<B> *)w->mass.d,
            (uint32_t *)w->count.d,
            (uint32_t *)w->place.d,
            (morton_bounds *)w->bounds.d,
            (octree_counters *)w->counters.d};
}

template <typename B> struct octree_launch {
    octree_work *w;
    octree_view<B> t;
    const nb_sources *s;
    nb_field out;
};

template <typename B> static int launch(void *context, int threads)
{
    const octree_launch<B> *l = (const octree_launch<B> *)context;
    return octree_walk(l->w, l->t, l->s, &l->out, threads);
}

/* Builds the tree. If the memory is too small for the tree's cells, doubles it and builds the tree again. */
template <typename B> static int build(octree_work *w, const nb_sources *s, octree_view<B> *t)
{
    octree_counters counters = {};
    if (reserve<B>(w, s->n))
        return -1;
    for (;;) {
        *t = view<B>(w, s->n);
        if (octree_build(w, *t, s) ||
            NB_CUDA(cudaMemcpyAsync(&counters, w->counters.d, sizeof counters, cudaMemcpyDeviceToHost, w->stream)) ||
            NB_CUDA(cudaStreamSynchronize(w->stream)))
            return -1;
        if (!counters.full)
            return 0;
        if (reserve_nodes<B>(w, s->n, 2.0 * w->capacity))
            return -1;
    }
}

template <typename B> static int evaluate(octree_work *w, const nb_sources *s, const nb_field *out)
{
    const enum nb_precision precision = sizeof(typename B::state) == sizeof(float) ? NB_SINGLE : NB_DOUBLE;
    octree_launch<B> l = {w, {}, s, *out};
    if (build(w, s, &l.t) || block_choose_beside(w, precision, s->n, &l.out, launch<B>, &l))
        return -1;
    nb_timing_stage(w->device, "force");
    return launch<B>(&l, w->choice.taken);
}

static int octree_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    octree_work *w = (octree_work *)work;
    if (t->n == 0)
        return 0;
    if (s->n >= OCTREE_NUMBERS_MAX / 2)
        return nb_fail("force octree supports fewer than 2^31 bodies");
    if (nb_cuda_enter(device))
        return -1;
    return for_body(precision, [&]<typename B>() { return evaluate<B>(w, s, out); });
}

static double octree_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double body = precision == NB_SINGLE ? sizeof(body_single) : sizeof(body_double);
    const double node = for_body(precision, [&]<typename B>() { return node_bytes<B>(); });
    return (double)n * (body + 2 * sizeof(uint32_t) + NODES_A_BODY * node);
}

static void *octree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *)
{
    octree_work *w = (octree_work *)block_work_open(sizeof *w, device, spec);
    if (!w)
        return nullptr;
    w->theta = spec->value[NB_OCTREE_THETA];
    w->opening = (int)spec->value[NB_OCTREE_OPENING];
    w->sort = spec->value[NB_OCTREE_SORT] != 0;
    if (NB_CUDA(cudaDeviceGetAttribute(&w->processors, cudaDevAttrMultiProcessorCount, device->index))) {
        free(w);
        return nullptr;
    }
    return w;
}

static void octree_close(struct nb_device *, void *work)
{
    octree_work *w = (octree_work *)work;
    block_work_close(w, {&w->bodies, &w->next, &w->order, &w->child, &w->moment, &w->mass, &w->count, &w->place,
                         &w->bounds, &w->counters});
}

extern "C" const struct nb_force nb_force_octree_cuda;
const struct nb_force nb_force_octree_cuda = {
    .method = "octree",
    .device = "cuda",
    .about = "textbook: octree of monopoles by insertion with atomics (Burtscher & Pingali)",
    .flags = NB_ALL_BODIES | NB_ONE_SIDED,
    .kinds = nb_octree_kinds,
    .tolerance = {5e-3, 5e-3, 5e-3, 0}, /* single, mixed, double, quad */
    .refuse = nb_methods_refuse,
    .field = octree_field,
    .open = octree_open,
    .close = octree_close,
    .work_bytes = octree_work_bytes,
    .notes = block_notes,
};
