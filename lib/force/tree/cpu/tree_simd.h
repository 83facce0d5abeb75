/* tree_simd.h - kernels of the tree on the CPU. tree_simd.c is compiled once for each instruction set.
 *
 * A vector has LANES lanes: 2 to 16, depending on instruction set and precision. The lanes process different sources
 * (nodes or bodies) for the same target. Each lane has its own sum, and at the end the sums of all lanes are added.
 * Expansions and the opening criterion are computed in single or double precision, near pairs also in mixed precision.
 * In mixed precision, a position is relative to the target leaf's centre of mass and stored as the sum of two floats.
 * Differences of positions are then as accurate as in double. */
#pragma once

#include "force/tree/cpu/tree_cpu.h"
#include "force/tree/tree.h"
#include "simd/simd.h"

struct nb_tree_list { /* a growing list of indices: of nodes for interactions, or of bodies for close pairs */
    uint32_t *id;
    size_t count, capacity;
};

/* Arguments of one evaluation for all kernels. Lengths are in internal units. */
struct nb_tree_walk {
    struct nb_tree *t;
    struct nb_tree_opening opening;
    double softening;
    /* far.outer > 0: compute only the far parts of forces (changeover.h). softening is then 0, want_phi is false */
    struct nb_changeover far;
    /* > 0: pairs of bodies closer than this distance are added to the list nb_tree_scratch.close */
    double close;
    bool want_phi;
    /* (number of bodies + 1) elements: element i is the number of targets among the first i sorted bodies; NULL: all
     * bodies are targets */
    const uint32_t *targets_before;
};

/* Returns the first target among sorted bodies [i, end), or `end` if none of them is a target. */
static inline uint32_t nb_tree_next_target(const struct nb_tree_walk *w, uint32_t i, uint32_t end)
{
    while (i < end && w->targets_before && w->targets_before[i + 1] == w->targets_before[i])
        i++;
    return i;
}

/* Lists of a thread, for one target node:
 * - open: source nodes that were tested for an ancestor of the target node, and neither accepted nor opened. They are
 *   tested first.
 * - queue: children of opened source nodes. They are tested after `open`.
 * - m2l: accepted source nodes, for M2L.
 * - near: leaves whose bodies are summed directly.
 * - close: candidates for close pairs. A pair has two elements: the indices of target and source in the order of the
 *   tree. The source may be NB_TREE_NO_BODY (padding). */
struct nb_tree_scratch {
    struct nb_tree_list open, queue, m2l, near, close;
    void *bodies; /* copies of the bodies of all near leaves, the sources of near pairs */
    size_t body_bytes;
};

#define NB_TREE_NO_BODY UINT32_MAX

#define NB_TREE_LOCAL 64 /* number of elements of a local expansion: NB_LOCALS and padding */

/* Kernels for expansions in one precision: float or double. */
struct nb_tree_expansion_kernels {
    /* P2M and M2M (moments from bodies or from children): computes the bounding balls, and the multipole and criterion
     * data of nodes [v0, v1). The children of these nodes must be complete. */
    void (*moments)(struct nb_tree *t, uint32_t v0, uint32_t v1);
    /* Completes the criterion data of nodes [v0, v1): writes the largest error of the acceleration that the opening
     * criterion allows for one source of the node. This error is tolerance * f (tree.h). f is an estimate of the
     * acceleration at the node: the attraction by the node's sibling and by the siblings of its ancestors. Each lane of
     * a vector processes another sibling. */
    void (*estimate)(struct nb_tree *t, double softening, double tolerance, uint32_t v0, uint32_t v1);
    /* L2L: computes a node's local expansion `local` from its parent's local expansion. */
    void (*shift)(const struct nb_tree *t, uint32_t node, const void *parent_local, void *local);
    /* Applies the opening criterion for a target node to the sources s->open[begin, end) and to the children of opened
     * sources.
     * - Adds accepted sources to the target node's local expansion `local` (M2L).
     * - If the target node is a leaf, appends the sources that are neither accepted nor opened to s->near. If it is not
     *   a leaf, appends them to s->open after `end`: they are tested again for the children of the target node.
     * Returns false if there is no memory. */
    bool (*visit)(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t node, size_t begin, size_t end,
                  void *local);
    /* L2P: evaluates a leaf's local expansion at the leaf's bodies, and writes the results to t->a and t->phi. Each
     * lane holds a body. */
    void (*leaf)(const struct nb_tree_walk *w, uint32_t node, const void *local);
};

/* P2P (sums over pairs of bodies): computes the field at the bodies of a target leaf, and adds it to t->a and t->phi.
 * Sources: the bodies in the leaves s->near. Returns false if there is no memory. */
typedef bool nb_tree_near_kernel(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t leaf);

struct nb_tree_set {
    struct nb_tree_expansion_kernels expansion[2]; /* [0]: kernels in float; [1]: kernels in double */
    nb_tree_near_kernel *near[NB_PRECISIONS];
};

extern const struct nb_tree_set *const nb_tree_sets[NB_SIMD_SETS];

/* Grows the list's capacity by at least `more` indices. Returns false if there is no memory. */
bool nb_tree_list_grow(struct nb_tree_list *list, size_t more);

static inline bool nb_tree_list_reserve(struct nb_tree_list *list, size_t more)
{
    return list->count + more <= list->capacity || nb_tree_list_grow(list, more);
}

/* ---- an evaluation: moments, walk and near pairs, with the threads' memory ---- */

struct nb_tree_thread;

struct nb_tree_team { /* memory of the threads; must be zeros before the first use */
    struct nb_tree_thread *thread;
    int threads;
};

/* Computes the data of all nodes: bounding balls, multipole data, and the data for the opening criterion with the
 * largest error allowed at each node. in_double: true if expansions are computed in double, false if in float. Returns
 * -1 if there is no memory. */
int nb_tree_moments(const struct nb_tree_walk *w, const struct nb_tree_set *set, bool in_double);
/* Walks the tree from the root and computes t->a and t->phi of the targets. Computes expansions in double or float, and
 * near pairs in precision `pairs`. Returns -1 if there is no memory. */
int nb_tree_visit(struct nb_tree_walk *w, struct nb_tree_team *team, const struct nb_tree_set *set, bool in_double,
                  enum nb_precision pairs);
/* Returns the fraction of the threads' time in the last walk that was spent on near pairs. */
double nb_tree_near_share(const struct nb_tree_team *team);
/* Returns the candidates for close pairs that a thread found (nb_tree_scratch.close). */
struct nb_tree_list *nb_tree_noted(struct nb_tree_team *team, int thread);
/* Builds the list of close pairs (out->close) from the candidates of all threads. All bodies must be targets. `single`:
 * true if the velocities out->close->v are floats, false if they are doubles. Returns -1 if there is no memory. */
int nb_tree_close(const struct nb_tree_walk *w, struct nb_tree_team *team, bool single, const struct nb_field *out);
void nb_tree_team_free(struct nb_tree_team *team);
/* Returns the memory in bytes for copies of near bodies (nb_tree_scratch.bodies). Assumes that every thread needs as
 * much memory as the thread that has needed most so far. */
double nb_tree_team_bytes(const struct nb_tree_team *team);
/* Returns the memory in bytes for n bodies, their tree and the copies of near bodies. shape.nodes: number of nodes per
 * body; shape.lists: bytes per body for the copies. If the shape is not known, the caller passes NB_TREE_USUAL_SHAPE.
 * This shape is large enough for a Plummer sphere and for a uniform cube at theta 0.75. */
#define NB_TREE_USUAL_SHAPE ((struct nb_force_shape){.nodes = 0.25, .lists = 0})
double nb_tree_bytes(enum nb_precision precision, uint64_t n, struct nb_force_shape shape);
