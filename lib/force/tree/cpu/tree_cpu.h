/* tree_cpu.h - the tree of tree.h in host memory: built here, evaluated by the kernels of tree_simd.h.
 *
 * Bodies are kept sorted and in units of the evaluation's own: lengths such that the bodies' box (or the softening,
 * where that is larger) is about NB_TREE_BOX, masses such that the largest is about 1, both by powers of two. With that
 * the derivatives of a softened potential to order 5 stay inside the range of single precision for pairs of nodes more
 * than NB_TREE_TINY apart. Nothing here depends on the number of threads. */
#pragma once

#include "device/device.h"
#include "force/put.h"

#define NB_TREE_BOX       0x1p10
#define NB_TREE_TINY      0x1p-10 /* r^-11 of it, times 945, is 2^120 */
#define NB_TREE_MULTIPOLE 48      /* numbers of nb_tree.multipole a node */
#define NB_TREE_CRITERION 8       /* numbers of nb_tree.criterion a node */
#define NB_TREE_DEPTH     160     /* ancestors that an estimate of the acceleration looks at */
#define NB_TREE_PAD       16 /* further elements of every row of bodies, 0: vectors may read beyond the last body */

struct nb_tree_node {
    uint32_t body_begin, body_end; /* of the sorted bodies */
    uint32_t first_child;          /* the other one follows; 0: a leaf */
    uint32_t parent;
    uint32_t keys_begin, keys_end; /* the bodies whose keys can be compared with this node's */
};

struct nb_tree_box {
    double lo[3], hi[3];
};

struct nb_tree_ball { /* bounding ball: all bodies are within r of the centre of mass c; m is their mass */
    double c[3], r, m;
};

/* The bodies of an evaluation as the caller has them. */
struct nb_tree_input {
    bool single;              /* type of the rows: float, or double */
    uint64_t sources, bodies; /* bodies [sources, bodies) are points without mass */
    const void *m, *x[3];     /* of the sources */
    const void *point[3];     /* of the points */
};

/* One body of the input, as a double. */
static inline double nb_tree_input_x(const struct nb_tree_input *in, int axis, uint64_t i)
{
    return i < in->sources ? nb_field_get(in->x[axis], in->single, i)
                           : nb_field_get(in->point[axis], in->single, i - in->sources);
}

static inline double nb_tree_input_m(const struct nb_tree_input *in, uint64_t i)
{
    return i < in->sources ? nb_field_get(in->m, in->single, i) : 0;
}

/* The longest edge. */
static inline double nb_tree_size(const struct nb_tree_box *box)
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = box->hi[k] - box->lo[k] > size ? box->hi[k] - box->lo[k] : size;
    return size;
}

struct nb_tree {
    uint64_t bodies, sources, capacity; /* capacity: bodies that the arrays are for */
    uint32_t *order;                    /* sorted body k is the input's body order[k] */
    /* The bodies in the evaluation's units, sorted: floats where the input is in single, which are exact but where they
     * underflow, else doubles. A tree in single that takes the kernels in double has both. */
    bool single;
    float *xs[3], *ms;
    double *x[3], *m;

    /* One memory: keys and what sorts them, while the tree is built; */
    void *work;
    size_t work_bytes;
    uint64_t *keys; /* sorted, but for parts that were given keys of their own (nb_tree_build) */
    uint32_t *spare_order;
    uint64_t *spare_keys;
    /* then what the walk and the near pairs have added up, sorted: a float or a double each (nb_tree_sum_*). */
    void *a[3], *phi;
    bool sums_in_double;

    double length, mass; /* an input's length or mass times this is the evaluation's */
    double origin[3];    /* middle of the box: centres in multipole and criterion count from here */
    bool divided_on;     /* some nodes are smaller than 2^-21 of the box; */
    bool small;          /* the box is smaller than 2^-10 of the softening: either takes the kernels in double */

    uint32_t nodes, node_capacity;
    struct nb_tree_node *node; /* parents before their children, level by level */
    struct nb_tree_ball *ball;
    uint32_t *level; /* level k is nodes [level[k], level[k + 1]) */
    uint32_t levels, level_capacity;

    /* Of each node, float or double: 32 moments (tree_expansion.h); the centre of mass less origin, 3; what rounding to
     * this type left of the centre, 3; how far the bodies' box reaches from the centre, rounded up: down and up, 6. */
    void *multipole; /* nodes x NB_TREE_MULTIPOLE */
    /* What the opening criterion reads of each node, of the same type: centre less origin, 3; r (negative or -0: a
     * leaf); mass; error that a source may make, tolerance f (tree.h); and two integers of 32 bits: the first child,
     * the number of bodies. */
    void *criterion;        /* nodes x NB_TREE_CRITERION */
    size_t node_data_bytes; /* bytes of both */
};

void nb_tree_free(struct nb_tree *t);

/* Sorted body k's position and mass. */
static inline double nb_tree_x(const struct nb_tree *t, int axis, uint64_t k)
{
    return t->single ? (double)t->xs[axis][k] : t->x[axis][k];
}

static inline double nb_tree_m(const struct nb_tree *t, uint64_t k)
{
    return t->single ? (double)t->ms[k] : t->m[k];
}

/* Numbers of t->a[axis] or t->phi. */
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

/* ---- tree_cpu_bodies.c ---- */

/* Allocates the arrays of the input's bodies. -1 after nb_fail: no memory, or 2^31 bodies or more. */
int nb_tree_reserve(struct nb_tree *t, const struct nb_tree_input *in);
/* Allocates t->order, and no rows. -1 as above. */
int nb_tree_reserve_order(struct nb_tree *t, uint64_t bodies);
/* Makes the keys' memory that of sums; `in_double`: a tree in single gets its bodies in double, too. -1: no memory. */
int nb_tree_reserve_sums(struct nb_tree *t, bool in_double);
/* Makes the sums' memory that of keys. -1: no memory. */
int nb_tree_reserve_keys(struct nb_tree *t);
/* The box of all bodies and the largest mass; false where a number is not finite. */
bool nb_tree_extent(const struct nb_tree_input *in, struct nb_tree_box *box, double *largest_mass);
/* Sets units and origin. */
void nb_tree_units(struct nb_tree *t, const struct nb_tree_box *box, double largest_mass, double softening);
/* Fills the sorted rows [begin, end) by t->order. */
void nb_tree_gather(struct nb_tree *t, const struct nb_tree_input *in, uint64_t begin, uint64_t end);

/* ---- tree_cpu_build.c ---- */

/* Keys of all bodies, unsorted, and the order 0, 1, 2 ... -1: no memory. */
int nb_tree_keys(struct nb_tree *t, const struct nb_tree_input *in, const struct nb_tree_box *box);
/* The nodes over sorted keys and gathered bodies. Where more than NB_TREE_LEAF bodies share a key they get keys of
 * their own box, are sorted by these and divided on; those at one place are divided in the middle. -1: no memory. */
int nb_tree_build(struct nb_tree *t, const struct nb_tree_input *in);
/* Memory for so many nodes and levels. -1: no memory. */
int nb_tree_reserve_nodes(struct nb_tree *t, uint32_t nodes);
int nb_tree_reserve_levels(struct nb_tree *t, uint32_t levels);

/* ---- tree_cpu_pack.c ---- */

/* The order of the bodies and the nodes' shape, of a tree of as many bodies as sources (pack.h). */
int nb_tree_pack(struct nb_tree *t, uint64_t bodies, struct nb_pack *k);

/* ---- tree_cpu_sort.c ---- */

/* Sorts keys and with them the order, stably; the spare arrays are as long. -1: no memory. */
int nb_tree_sort(uint64_t n, uint64_t *keys, uint32_t *order, uint64_t *spare_keys, uint32_t *spare_order);
