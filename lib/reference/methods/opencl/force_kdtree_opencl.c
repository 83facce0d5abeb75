/* force_kdtree_opencl.c - the force kdtree on a device of OpenCL: the CPU builds the tree, the device walks it
 * (kdtree.cl). */
#include "base/error.h"
#include "base/memory.h"
#include "device/timing.h"
#include "reference/methods/cpu/kdtree_cpu.h"
#include "reference/methods/methods.h"
#include "reference/opencl/opencl.h"

#include <math.h>
#include <stdlib.h>

extern const char nb_opencl_source_kdtree[];

struct kdtree_work {
    double lambda;
    bool with_stack, in_leaf_order;
    struct nb_kdtree tree; /* host memory */
    uint64_t capacity;     /* number of bodies for which the arrays below are allocated */
    /* host memory for copies from and to the device. During an evaluation it contains, one after another, the masses
     * and positions of the bodies, the values for d_node, the values for d_limit, and the values for d_leaf_of */
    void *bodies;
    /* device memory. d_node: x, y, z and mass of each node. d_limit: a node is opened for a body if their squared
     * distance is at most this limit. d_body: body of each leaf. d_leaf_of: leaf of each body. */
    void *d_node, *d_limit, *d_body, *d_leaf_of;
};

static void release(struct nb_device *device, struct kdtree_work *w)
{
    void *const buffers[] = {w->d_node, w->d_limit, w->d_body, w->d_leaf_of};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        nb_device_free(device, buffers[k]);
    free(w->bodies);
    w->bodies = w->d_node = w->d_limit = w->d_body = w->d_leaf_of = NULL;
    w->capacity = 0;
}

/* The nodes of a tree of n bodies have indices below 2 n, and a node has 4 numbers: x, y, z and mass. The arrays
 * w->bodies and w->d_node therefore have 8 n numbers. */
#define NUMBERS 8

static int reserve(struct nb_device *device, struct kdtree_work *w, uint64_t n, size_t size)
{
    if (nb_kdtree_check(n))
        return -1;
    if (w->capacity >= n)
        return 0;
    release(device, w);
    if (!(w->bodies = malloc(n * NUMBERS * sizeof(double))))
        return nb_fail("no memory for a k-d tree of %llu bodies", (unsigned long long)n);
    if (!(w->d_node = nb_device_alloc(device, n * NUMBERS * size)) ||
        !(w->d_limit = nb_device_alloc(device, n * size)) ||
        !(w->d_body = nb_device_alloc(device, n * sizeof(uint32_t))) ||
        !(w->d_leaf_of = nb_device_alloc(device, n * sizeof(uint32_t)))) {
        release(device, w);
        return -1;
    }
    w->capacity = n;
    return 0;
}

/* ---- transfers ---- */

static int fetch_bodies(struct nb_device *device, struct kdtree_work *w, size_t size, const struct nb_sources *s)
{
    char *host = w->bodies;
    int status = nb_device_from(device, host, s->m, s->n * size);
    for (uint64_t k = 0; k < 3 && status == 0; k++)
        status = nb_device_from(device, host + (k + 1) * s->n * size, (const char *)s->x + k * s->stride * size,
                                s->n * size);
    return status;
}

static void set(void *numbers, bool single, uint64_t i, double value)
{
    if (single)
        ((float *)numbers)[i] = (float)value;
    else
        ((double *)numbers)[i] = value;
}

static int send_nodes(struct nb_device *device, struct kdtree_work *w, bool single)
{
    const size_t size = single ? sizeof(float) : sizeof(double);
    const uint64_t n = w->tree.n;
    const struct nb_kdtree_node *node = w->tree.node;
    for (uint64_t k = 0; k < 4; k++)
        set(w->bodies, single, k, 0); /* there is no node 0 */
    for (uint64_t i = 1; i < 2 * n; i++) {
        for (uint64_t k = 0; k < 3; k++)
            set(w->bodies, single, 4 * i + k, node[i].x[k]);
        set(w->bodies, single, 4 * i + 3, node[i].m);
    }
    if (nb_device_to(device, w->d_node, w->bodies, 2 * n * 4 * size))
        return -1;
    set(w->bodies, single, 0, 0);
    for (uint64_t i = 1; i < n; i++)
        set(w->bodies, single, i, w->lambda * w->lambda * node[i].radius2);
    return nb_device_to(device, w->d_limit, w->bodies, n * size);
}

static int send_order(struct nb_device *device, struct kdtree_work *w)
{
    const uint32_t n = w->tree.n;
    uint32_t *leaf_of = w->bodies;
    if (nb_device_to(device, w->d_body, w->tree.body, n * sizeof *leaf_of))
        return -1;
    if (w->in_leaf_order)
        return 0;
    for (uint32_t k = 0; k < n; k++)
        leaf_of[w->tree.body[k]] = n + k;
    return nb_device_to(device, w->d_leaf_of, leaf_of, n * sizeof *leaf_of);
}

/* Sets all results to NaN. Called if a position or a mass is not finite. Returns -1 on error. */
static int put_nan(struct nb_device *device, struct kdtree_work *w, bool single, uint64_t n, const struct nb_field *out)
{
    const size_t size = single ? sizeof(float) : sizeof(double);
    int status = 0;
    for (uint64_t i = 0; i < n; i++)
        set(w->bodies, single, i, NAN);
    for (uint64_t k = 0; k < 3 && out->a && status == 0; k++)
        status = nb_device_to(device, (char *)out->a + k * out->stride * size, w->bodies, n * size);
    return status ? -1 : out->phi ? nb_device_to(device, out->phi, w->bodies, n * size) : 0;
}

static int walk(struct nb_device *device, struct kdtree_work *w, enum nb_precision precision,
                const struct nb_sources *s, const struct nb_field *out)
{
    struct nb_opencl_call c = nb_opencl_begin(device, nb_opencl_source_kdtree, precision, "kdtree");
    nb_opencl_ulong(&c, s->n);
    nb_opencl_rows(&c, w->d_node);
    nb_opencl_rows(&c, w->d_limit);
    nb_opencl_place(&c, w->d_body, sizeof(uint32_t));
    nb_opencl_place(&c, w->in_leaf_order ? NULL : w->d_leaf_of, sizeof(uint32_t));
    nb_opencl_int(&c, w->with_stack);
    nb_opencl_pair_number(&c, s->softening * s->softening);
    nb_opencl_number(&c, s->G);
    nb_opencl_ulong(&c, out->stride);
    nb_opencl_rows(&c, out->a);
    nb_opencl_rows(&c, out->phi);
    nb_opencl_int(&c, out->add);
    return nb_opencl_run(&c, s->n);
}

/* ---- the entry in the table of forces ---- */

static int kdtree_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                        const struct nb_targets *t, const struct nb_field *out)
{
    struct kdtree_work *w = work;
    const bool single = precision == NB_SINGLE;
    const size_t size = nb_precision_size(precision);
    (void)t;
    if (s->n == 0)
        return 0;
    nb_timing_stage(device, "build");
    if (reserve(device, w, s->n, size) || fetch_bodies(device, w, size, s))
        return -1;
    const int built = nb_kdtree_build(&w->tree, single, s->n, s->n, w->bodies, (char *)w->bodies + s->n * size);
    if (built < 0)
        return -1;
    if (built == 0)
        return put_nan(device, w, single, s->n, out);
    nb_timing_stage(device, "send");
    if (send_nodes(device, w, single) || send_order(device, w))
        return -1;
    nb_timing_stage(device, "walk");
    return walk(device, w, precision, s, out);
}

static void *kdtree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    struct kdtree_work *w = nb_kdtree_check_spec(spec) ? NULL : nb_memory_new(sizeof *w);
    (void)device, (void)meta;
    if (!w)
        return NULL;
    w->lambda = spec->value[NB_KDTREE_LAMBDA];
    w->with_stack = (int)spec->value[NB_KDTREE_TRAVERSE] == NB_KDTREE_STACK;
    w->in_leaf_order = (int)spec->value[NB_KDTREE_VISIT] == NB_KDTREE_LEAF;
    return w;
}

static void kdtree_close(struct nb_device *device, void *work)
{
    struct kdtree_work *w = work;
    release(device, w);
    nb_kdtree_free(&w->tree);
    free(w);
}

static double kdtree_work_bytes(enum nb_precision precision, uint64_t n)
{
    return (double)n * (double)((NUMBERS + 1) * nb_precision_size(precision) + 2 * sizeof(uint32_t));
}

extern const struct nb_force nb_force_kdtree_opencl;
const struct nb_force nb_force_kdtree_opencl = {
    .method = "kdtree",
    .device = "opencl",
    .about = "textbook: k-d tree of single bodies, monopoles; built on the CPU, walked on the device",
    .flags = NB_ALL_BODIES | NB_ONE_SIDED,
    .kinds = nb_kdtree_kinds,
    .tolerance = {[NB_SINGLE] = 1e-2, [NB_DOUBLE] = 1e-2},
    .refuse = nb_methods_refuse,
    .field = kdtree_field,
    .open = kdtree_open,
    .close = kdtree_close,
    .work_bytes = kdtree_work_bytes,
};
