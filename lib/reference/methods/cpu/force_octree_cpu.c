/* force_octree_cpu.c - the force octree on the CPU. One thread builds the tree of octree.h, and all threads walk it,
 * each for different bodies. */
#include "base/error.h"
#include "base/memory.h"
#include "device/timing.h"
#include "force/put.h"
#include "reference/methods/cpu/octree_cpu.h"
#include "reference/methods/methods.h"

#include <stdlib.h>

struct octree_work {
    double theta;
    int opening;
    bool sort;
    struct nb_octree tree;
};

/* Copies the sources into the tree. Returns false if a position or a mass is not finite. */
static bool read_bodies(struct nb_octree *t, bool single, const struct nb_sources *s)
{
    bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite) if (s->n > 10000)
    for (uint64_t i = 0; i < s->n; i++) {
        double v[4];
        for (uint64_t k = 0; k < 3; k++)
            v[k] = nb_field_get(s->x, single, k * s->stride + i);
        v[3] = nb_field_get(s->m, single, i);
        t->body[i] = (struct nb_octree_body){{v[0], v[1], v[2]}, v[3]};
        finite = finite && isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]) && isfinite(v[3]);
    }
    return finite;
}

/* ---- the force on one body ---- */

struct octree_sum { /* sums for target i */
    const struct nb_octree *t;
    double eps2;
    uint32_t i;
    double a[3], phi;
};

static double distance2(const struct nb_octree_body *from, const struct nb_octree_body *to, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = to->x[k] - from->x[k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static void add(struct octree_sum *sum, const double d[3], double r2, double m)
{
    const double rinv = 1 / sqrt(r2 + sum->eps2), phi = m * rinv, f = phi * rinv * rinv;
    for (int k = 0; k < 3; k++)
        sum->a[k] += f * d[k];
    sum->phi -= phi;
}

static void add_chain(struct octree_sum *sum, uint32_t first)
{
    const struct nb_octree *t = sum->t;
    double d[3];
    for (uint32_t j = first; j != NB_OCTREE_NONE; j = t->next[j])
        if (j != sum->i) {
            const double r2 = distance2(&t->body[sum->i], &t->body[j], d);
            add(sum, d, r2, t->body[j].m);
        }
}

static void add_node(struct octree_sum *sum, const struct nb_octree_node *node)
{
    const struct nb_octree *t = sum->t;
    double d[3];
    for (int c = 0; c < 8; c++) {
        const uint32_t child = node->child[c];
        if (child == NB_OCTREE_NONE)
            continue;
        if (child < t->n) {
            add_chain(sum, child);
            continue;
        }
        const struct nb_octree_node *part = &t->node[child - t->n];
        const double r2 = distance2(&t->body[sum->i], &part->mass, d);
        if (r2 > part->reach2)
            add(sum, d, r2, part->mass.m);
        else
            add_node(sum, part);
    }
}

/* Computes the field at all bodies. The walk begins with the children of the root. The root itself never acts as one
 * mass, because it contains every body (octree.h). */
static void add_all(const struct octree_work *w, bool single, const struct nb_sources *s, const struct nb_field *out)
{
    const struct nb_octree *t = &w->tree;
#pragma omp parallel for schedule(dynamic, 64)
    for (uint64_t k = 0; k < t->n; k++) {
        const uint32_t i = w->sort ? t->order[k] : (uint32_t)k;
        struct octree_sum sum = {t, s->softening * s->softening, i, {0}, 0};
        add_node(&sum, &t->node[0]);
        nb_field_put_sums(out, single, s->G, i, sum.a, sum.phi);
    }
}

/* ---- the entry in the table of forces ---- */

static int octree_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    struct octree_work *w = work;
    const bool single = precision == NB_SINGLE;
    if (t->n == 0)
        return 0;
    nb_timing_stage(device, "insert");
    if (nb_octree_reserve(&w->tree, s->n))
        return -1;
    if (!read_bodies(&w->tree, single, s)) {
        nb_field_put_nan(out, single, t->n);
        return 0;
    }
    if (nb_octree_insert(&w->tree))
        return -1;
    nb_timing_stage(device, "summarise");
    nb_octree_summarise(&w->tree, w->theta, w->opening);
    nb_timing_stage(device, "sort");
    if (w->sort)
        nb_octree_sort(&w->tree);
    nb_timing_stage(device, "force");
    add_all(w, single, s, out);
    return 0;
}

static void *octree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    const double *value = spec->value;
    struct octree_work *w = nb_memory_new(sizeof *w);
    (void)device, (void)meta;
    if (w)
        *w = (struct octree_work){.theta = value[NB_OCTREE_THETA],
                                  .opening = (int)value[NB_OCTREE_OPENING],
                                  .sort = value[NB_OCTREE_SORT] != 0};
    return w;
}

static void octree_close(struct nb_device *device, void *work)
{
    struct octree_work *w = work;
    (void)device;
    nb_octree_free(&w->tree);
    free(w);
}

/* Returns an estimate of the working memory in bytes if there are about as many cells as bodies. When the array of
 * cells is enlarged by the factor 1.5, the old and the new array exist at the same time. */
static double octree_work_bytes(enum nb_precision precision, uint64_t n)
{
    (void)precision;
    return (double)n *
           (sizeof(struct nb_octree_body) + 2 * sizeof(uint32_t) + (1 + 1 / 1.5) * sizeof(struct nb_octree_node));
}

extern const struct nb_force nb_force_octree_cpu;
const struct nb_force nb_force_octree_cpu = {
    .method = "octree",
    .device = "cpu",
    .about = "textbook: octree of monopoles by insertion (Barnes & Hut), bodies on all threads",
    .flags = NB_ALL_BODIES | NB_ONE_SIDED,
    .kinds = nb_octree_kinds,
    .tolerance = {[NB_SINGLE] = 5e-3, [NB_MIXED] = 5e-3, [NB_DOUBLE] = 5e-3},
    .refuse = nb_methods_refuse,
    .field = octree_field,
    .open = octree_open,
    .close = octree_close,
    .work_bytes = octree_work_bytes,
    .cells = nb_octree_cells,
};
