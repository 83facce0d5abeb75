/* tree_simd.h - the kernels of the tree on the CPU, as one source compiled for several instruction sets.
 *
 * Lanes are sources, nodes or bodies, LANES of them at once: 2 to 16 by instruction set and precision. The lanes are
 * added up at the end of a node's or body's sum. Expansions and the opening criterion come in single and double, near
 * pairs in every precision: mixed takes positions from the near leaf's centre of mass as sums of two floats, which hold
 * what a difference in double does. */
#pragma once

#include "force/tree/cpu/tree_cpu.h"
#include "force/tree/tree.h"
#include "simd/simd.h"

struct nb_tree_list { /* an interaction list, which grows: ids of nodes */
    uint32_t *id;
    size_t count, capacity;
};

/* What the kernels of one evaluation know. Lengths in the evaluation's units. */
struct nb_tree_walk {
    struct nb_tree *t;
    struct nb_tree_opening opening;
    double softening;
    struct nb_changeover far; /* outer > 0: the far part alone (changeover.h), without softening and phi */
    double close;             /* > 0: bodies nearer to each other than this are noted, in the threads' lists `close` */
    bool want_phi;
    /* bodies + 1 prefix sums: how many of the sorted bodies before each are targets; NULL: all are. */
    const uint32_t *targets_before;
};

/* The first target of sorted bodies [i, end); end: there is none. */
static inline uint32_t nb_tree_next_target(const struct nb_tree_walk *w, uint32_t i, uint32_t end)
{
    while (i < end && w->targets_before && w->targets_before[i + 1] == w->targets_before[i])
        i++;
    return i;
}

/* A thread's lists: sources left open by the target nodes above, the work queue of opened nodes, M2L, near leaves; and
 * close pairs: a target and a source each, sorted bodies; the source may be NB_TREE_NO_BODY. */
struct nb_tree_scratch {
    struct nb_tree_list open, queue, m2l, near, close;
    void *bodies; /* gathered sources of the near pairs, body_bytes */
    size_t body_bytes;
};

#define NB_TREE_NO_BODY UINT32_MAX

#define NB_TREE_LOCAL 64 /* numbers of a local expansion, NB_LOCALS and padding */

/* Expansions in one precision: float or double. */
struct nb_tree_expansion_kernels {
    /* P2M and M2M: box, ball, multipole and criterion of nodes [v0, v1); their children have theirs. */
    void (*moments)(struct nb_tree *t, uint32_t v0, uint32_t v1);
    /* Completes the criterion of nodes [v0, v1) by the error that a source may make: tolerance f (tree.h), f from the
     * siblings' criteria. Lanes are siblings. */
    void (*estimate)(struct nb_tree *t, double softening, double tolerance, uint32_t v0, uint32_t v1);
    /* L2L: the local expansion of a node from its parent's. */
    void (*shift)(const struct nb_tree *t, uint32_t node, const void *parent_local, void *local);
    /* Applies the opening criterion to the sources s->open[begin, end) of a target node: well-separated ones are added
     * to its local expansion (M2L); those that are left to its children are put behind `end`; if it is a leaf the near
     * ones are put into s->near. False: no memory. */
    bool (*visit)(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t node, size_t begin, size_t end,
                  void *local);
    /* L2P: sets t->a and t->phi of a leaf's bodies to its local expansion. Lanes are bodies. */
    void (*leaf)(const struct nb_tree_walk *w, uint32_t node, const void *local);
};

/* P2P: adds the pairs of a leaf with the leaves in s->near to t->a and t->phi. False: no memory. */
typedef bool nb_tree_near_kernel(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t leaf);

struct nb_tree_set {
    struct nb_tree_expansion_kernels expansion[2]; /* in float, in double */
    nb_tree_near_kernel *near[NB_PRECISIONS];
};

extern const struct nb_tree_set *const nb_tree_sets[NB_SIMD_SETS];

/* Grows the list's capacity by `more` ids at least. False: no memory. */
bool nb_tree_list_grow(struct nb_tree_list *list, size_t more);

static inline bool nb_tree_list_reserve(struct nb_tree_list *list, size_t more)
{
    return list->count + more <= list->capacity || nb_tree_list_grow(list, more);
}

/* ---- an evaluation: moments, walk and near pairs, with the memory that the threads keep ---- */

struct nb_tree_thread;

struct nb_tree_team { /* a thread's memory each; starts as zeros */
    struct nb_tree_thread *thread;
    int threads;
};

/* Balls and moments of all nodes, and how large errors may be there. -1: no memory. */
int nb_tree_moments(const struct nb_tree_walk *w, const struct nb_tree_set *set, bool in_double);
/* Walks from the root: a and phi of the targets, expansions in double or float, near pairs in `pairs`. -1: no memory.
 */
int nb_tree_visit(struct nb_tree_walk *w, struct nb_tree_team *team, const struct nb_tree_set *set, bool in_double,
                  enum nb_precision pairs);
/* The share of the threads' time in the last walk that the near pairs took. */
double nb_tree_near_share(const struct nb_tree_team *team);
/* The close pairs that a thread has noted there. */
struct nb_tree_list *nb_tree_noted(struct nb_tree_team *team, int thread);
/* Makes the list of close pairs of those, where all bodies were targets: tree_cpu_close.c. -1: no memory. */
int nb_tree_close(const struct nb_tree_walk *w, struct nb_tree_team *team, bool single, const struct nb_field *out);
void nb_tree_team_free(struct nb_tree_team *team);
/* Memory of the bodies that threads gather, at most: for the longest list of near leaves. */
double nb_tree_team_bytes(const struct nb_tree_team *team);
/* Bytes for n bodies, their tree and its lists: tree_cpu_memory.c. A shape's lists are bytes a body; the default is an
 * upper estimate of that of a Plummer sphere or a uniform cube at theta 0.75. */
#define NB_TREE_USUAL_SHAPE ((struct nb_force_shape){.nodes = 0.25, .lists = 0})
double nb_tree_bytes(enum nb_precision precision, uint64_t n, struct nb_force_shape shape);
