/* tree_cpu.h - the tree of tree.h in host memory: construction, and evaluation with the kernels of tree_simd.h. Bodies
 * are sorted and converted to internal units. The conversion factors are powers of two. In internal units:
 * - the largest mass is about 1;
 * - the longest edge of the box of all bodies, or the softening length if it is larger, is about NB_TREE_BOX;
 * - at distances of at least NB_TREE_TINY, the derivatives of a softened potential up to order 5 are in the range of
 *   single precision.
 * Results do not depend on the number of threads. */
#pragma once

#include "device/device.h"
#include "force/put.h"

#define NB_TREE_BOX 0x1p10
/* minimum of sqrt(d^2 + eps^2) for two nodes at distance d that interact by expansions; eps: softening length, all in
 * internal units. The largest derivative of the potential is then about 945 * NB_TREE_TINY^-11 = 2^120, which a float
 * can hold */
#define NB_TREE_TINY      0x1p-10
#define NB_TREE_MULTIPOLE 48 /* number of elements of nb_tree.multipole per node */
#define NB_TREE_CRITERION 8  /* number of elements of nb_tree.criterion per node */
/* The acceleration at a node is estimated from the masses of its sibling and of the siblings of its ancestors. At most
 * NB_TREE_DEPTH siblings are used, beginning with the node's own sibling. */
#define NB_TREE_DEPTH 160
/* number of extra elements at the end of each row. They are 0, and are read by vector loads that go past the last
 * body */
#define NB_TREE_PAD 16

struct nb_tree_node {
    uint32_t body_begin, body_end; /* range of sorted bodies */
    uint32_t first_child;          /* the children are first_child and first_child + 1; 0: the node is a leaf */
    uint32_t parent;
    /* Range of sorted bodies that includes the node's bodies. Keys may be compared only within this range: bodies
     * outside it may have keys that are relative to another box (nb_tree_build). */
    uint32_t keys_begin, keys_end;
};

struct nb_tree_box {
    double lo[3], hi[3];
};

struct nb_tree_ball { /* bounding ball of a node: centre of mass c, radius r, and total mass m */
    double c[3], r, m;
};

/* The bodies of an evaluation in the caller's memory. */
struct nb_tree_input {
    bool single; /* rows are float (true) or double */
    /* sources: number of sources; bodies: number of sources plus number of target points. Target points have no mass */
    uint64_t sources, bodies;
    const void *m, *x[3]; /* masses and positions of the sources */
    const void *point[3]; /* positions of the target points */
};

/* nb_tree_input_x returns a coordinate of body i, and nb_tree_input_m its mass. Bodies from in->sources on are target
 * points, with mass 0. */
static inline double nb_tree_input_x(const struct nb_tree_input *in, int axis, uint64_t i)
{
    return i < in->sources ? nb_field_get(in->x[axis], in->single, i)
                           : nb_field_get(in->point[axis], in->single, i - in->sources);
}

static inline double nb_tree_input_m(const struct nb_tree_input *in, uint64_t i)
{
    return i < in->sources ? nb_field_get(in->m, in->single, i) : 0;
}

/* Returns the longest edge of the box. */
static inline double nb_tree_size(const struct nb_tree_box *box)
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = box->hi[k] - box->lo[k] > size ? box->hi[k] - box->lo[k] : size;
    return size;
}

struct nb_tree {
    uint64_t bodies, sources, capacity; /* capacity: number of bodies that the arrays can hold */
    uint32_t *order;                    /* sorted body k is the input's body order[k] */
    /* Sorted bodies in internal units. If the input is in single precision (`single`), they are in xs and ms, otherwise
     * in x and m. The conversion to internal units has no rounding errors, only underflow. If `single` is true but
     * kernels in double are needed, x and m contain a copy in double. */
    bool single;
    float *xs[3], *ms;
    double *x[3], *m;

    /* One block of memory with two uses. While the tree is built, keys, spare_order and spare_keys lie in it. During an
     * evaluation, a and phi lie in it. */
    void *work;
    size_t work_bytes;
    /* Sorted keys of the bodies. If many bodies have the same key, they get new keys relative to their own bounding box
     * (nb_tree_build). */
    uint64_t *keys;
    uint32_t *spare_order;
    uint64_t *spare_keys;
    /* Sums of accelerations and potentials, in sorted order, as floats or doubles (nb_tree_sum_*). */
    void *a[3], *phi;
    bool sums_in_double;

    double length, mass; /* factors that convert the input's lengths and masses to internal units */
    double origin[3];    /* centre of the box; centres in `multipole` and `criterion` are relative to it */
    /* true: bodies with equal keys were divided by new keys (nb_tree_build). Nodes can then be smaller than 2^-21 times
     * the box, and kernels in double are needed */
    bool divided_on;
    /* true: the box is smaller than 2^-10 times the softening length, and the kernels in double are needed */
    bool small;

    uint32_t nodes, node_capacity;
    struct nb_tree_node *node; /* parents before their children, level by level */
    struct nb_tree_ball *ball;
    uint32_t *level; /* level k contains the nodes [level[k], level[k + 1]) */
    uint32_t levels, level_capacity;

    /* Data of each node for expansions, as floats or doubles:
     *     32 moments (tree_expansion.h);
     *     3 components of centre of mass minus origin;
     *     3 rounding errors of these components;
     *     3 distances from the centre of mass to the lower faces of the node's box, rounded up;
     *     3 distances to the upper faces of this box, rounded up. */
    void *multipole; /* NB_TREE_MULTIPOLE elements per node */
    /* Data of each node for the opening criterion, of the same type as `multipole`:
     *     3 components of centre of mass minus origin;
     *     radius r, with its sign bit set if the node is a leaf;
     *     mass;
     *     maximum error of the acceleration that is accepted for each source: tolerance * f, where f is an estimate
     *     of the acceleration at the node (tree.h);
     *     two 32-bit integers: index of the first child, number of bodies. */
    void *criterion;        /* NB_TREE_CRITERION elements per node */
    size_t node_data_bytes; /* bytes of multipole and criterion together */
};

void nb_tree_free(struct nb_tree *t);

/* nb_tree_x returns a coordinate of sorted body k, and nb_tree_m its mass, in internal units. */
static inline double nb_tree_x(const struct nb_tree *t, int axis, uint64_t k)
{
    return t->single ? (double)t->xs[axis][k] : t->x[axis][k];
}

static inline double nb_tree_m(const struct nb_tree *t, uint64_t k)
{
    return t->single ? (double)t->ms[k] : t->m[k];
}

/* nb_tree_sum_get returns element k of `row`, nb_tree_sum_set sets it. `row` is t->a[axis] or t->phi. */
static inline double nb_tree_sum_get(const struct nb_tree *t, const void *row, uint64_t k)
{
    return t->sums_in_double ? ((const double *)row)[k] : (double)((const float *)row)[k];
}

static inline void nb_tree_sum_set(const struct nb_tree *t, void *row, uint64_t k, double value)
{
    if (t->sums_in_double)
        ((double *)row)[k] = value;
    else
        ((float *)row)[k] = (float)value;
}

/* Allocates arrays for the input's bodies, which must be fewer than 2^31. Returns -1 after nb_fail. */
int nb_tree_reserve(struct nb_tree *t, const struct nb_tree_input *in);
/* Allocates only t->order, for fewer than 2^31 bodies. Returns -1 after nb_fail. */
int nb_tree_reserve_order(struct nb_tree *t, uint64_t bodies);
/* Prepares t->work for sums of accelerations and potentials. The keys in t->work are lost. With in_double, also makes a
 * copy in double of bodies that are in single precision. Returns -1 if there is no memory. */
int nb_tree_reserve_sums(struct nb_tree *t, bool in_double);
/* Prepares t->work for keys. The sums in t->work are lost. Returns -1 if there is no memory. */
int nb_tree_reserve_keys(struct nb_tree *t);
/* Computes the box of all bodies and the largest mass. Returns false if a number is not finite. */
bool nb_tree_extent(const struct nb_tree_input *in, struct nb_tree_box *box, double *largest_mass);
/* Chooses the internal units (t->length, t->mass) and the origin. */
void nb_tree_units(struct nb_tree *t, const struct nb_tree_box *box, double largest_mass, double softening);
/* Fills elements [begin, end) of the rows of sorted bodies. Element k gets the input's body t->order[k], in internal
 * units. */
void nb_tree_gather(struct nb_tree *t, const struct nb_tree_input *in, uint64_t begin, uint64_t end);

/* ---- tree_cpu_build.c ---- */

/* Sets t->keys to the keys of the input's bodies, unsorted, and t->order to 0, 1, 2 ... Returns -1 if there is no
 * memory. */
int nb_tree_keys(struct nb_tree *t, const struct nb_tree_input *in, const struct nb_tree_box *box);
/* Builds the nodes from sorted keys and gathered bodies. If more than NB_TREE_LEAF bodies of a node all have the same
 * key, they get new keys relative to their own bounding box. They are sorted by these keys and divided further. If the
 * bodies are all at the same point, the node is divided in the middle of its range of bodies. Returns -1 if there is no
 * memory. */
int nb_tree_build(struct nb_tree *t, const struct nb_tree_input *in);
/* Allocate memory for this number of nodes or levels. Returns -1 if there is no memory. */
int nb_tree_reserve_nodes(struct nb_tree *t, uint32_t nodes);
int nb_tree_reserve_levels(struct nb_tree *t, uint32_t levels);

/* ---- tree_cpu_pack.c ---- */

/* Saves or loads the order of the bodies and the nodes of the tree (pack.h). All bodies of the tree must be sources. */
int nb_tree_pack(struct nb_tree *t, uint64_t bodies, struct nb_pack *k);

/* ---- tree_cpu_sort.c ---- */

/* Sorts n keys, and moves the elements of `order` together with them. The sort is stable. spare_keys and spare_order
 * are working space for n elements. Returns -1 if there is no memory. */
int nb_tree_sort(uint64_t n, uint64_t *keys, uint32_t *order, uint64_t *spare_keys, uint32_t *spare_order);
