/* force_kdtree_cpu.c - the force kdtree on the CPU. */
#include "base/error.h"
#include "base/memory.h"
#include "device/timing.h"
#include "force/put.h"
#include "reference/methods/cpu/kdtree_cpu.h"
#include "reference/methods/methods.h"

#include <stdlib.h>

struct kdtree_work {
    double lambda;
    int traverse;
    bool in_leaf_order, linked;
    struct nb_kdtree tree;
    uint32_t *leaf_of; /* leaf of each body; used if bodies are visited in the order of the input */
    uint64_t leaf_of_capacity;
};

static int note_leaves(struct kdtree_work *w)
{
    const uint32_t n = w->tree.n;
    if (w->leaf_of_capacity < n) {
        free(w->leaf_of);
        w->leaf_of = malloc(n * sizeof *w->leaf_of);
        w->leaf_of_capacity = w->leaf_of ? n : 0;
    }
    if (!w->leaf_of)
        return nb_fail("no memory");
    for (uint32_t k = 0; k < n; k++)
        w->leaf_of[w->tree.body[k]] = n + k;
    return 0;
}

static void walk_all(const struct kdtree_work *w, const struct nb_kdtree_walk *walk, bool single, double G,
                     const struct nb_field *out)
{
    const uint32_t n = w->tree.n;
#pragma omp parallel for schedule(dynamic, 64) if (n > 256)
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t leaf = w->in_leaf_order ? n + k : w->leaf_of[k];
        const struct nb_kdtree_sum sum = nb_kdtree_field(walk, leaf);
        nb_field_put_sums(out, single, G, w->tree.body[leaf - n], sum.a, sum.phi);
    }
}

static int kdtree_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    struct kdtree_work *w = work;
    const bool single = precision == NB_SINGLE;
    struct nb_kdtree_linked *nodes = NULL;
    nb_timing_stage(device, "build");
    const int built = nb_kdtree_build(&w->tree, single, s->n, s->stride, s->m, s->x);
    if (built == 0)
        nb_field_put_nan(out, single, t->n);
    if (built <= 0)
        return built;
    if ((!w->in_leaf_order && note_leaves(w)) || (w->linked && !(nodes = nb_kdtree_link(&w->tree))))
        return -1;
    nb_timing_stage(device, "walk");
    const struct nb_kdtree_walk walk = {&w->tree, nodes, w->traverse, w->lambda, s->softening * s->softening};
    walk_all(w, &walk, single, s->G, out);
    free(nodes);
    return 0;
}

static void *kdtree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct kdtree_work *w = nb_memory_new(sizeof *w);
    (void)device, (void)meta;
    if (w)
        *w = (struct kdtree_work){.lambda = spec->value[NB_KDTREE_LAMBDA],
                                  .traverse = (int)spec->value[NB_KDTREE_TRAVERSE],
                                  .in_leaf_order = (int)spec->value[NB_KDTREE_VISIT] == NB_KDTREE_LEAF,
                                  .linked = (int)spec->value[NB_KDTREE_LAYOUT] == NB_KDTREE_NODES};
    return w;
}

static void kdtree_close(struct nb_device *device, void *work)
{
    struct kdtree_work *w = work;
    (void)device;
    nb_kdtree_free(&w->tree);
    free(w->leaf_of);
    free(w);
}

static double kdtree_work_bytes(enum nb_precision precision, uint64_t n)
{
    (void)precision;
    return (double)n * (2 * sizeof(struct nb_kdtree_node) + 5 * sizeof(double) + 2 * sizeof(uint32_t));
}

extern const struct nb_force nb_force_kdtree_cpu;
const struct nb_force nb_force_kdtree_cpu = {
    .method = "kdtree",
    .device = "cpu",
    .about = "textbook: k-d tree of single bodies, monopoles, in double",
    .flags = NB_ALL_BODIES | NB_ONE_SIDED,
    .kinds = nb_kdtree_kinds,
    .tolerance = {[NB_SINGLE] = 1e-2, [NB_DOUBLE] = 1e-2},
    .refuse = nb_methods_refuse,
    .field = kdtree_field,
    .open = kdtree_open,
    .close = kdtree_close,
    .work_bytes = kdtree_work_bytes,
    .cells = nb_kdtree_cells,
};
