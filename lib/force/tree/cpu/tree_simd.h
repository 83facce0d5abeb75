/* tree_simd.h - the kernels of the tree on the CPU, as one source compiled for several instruction sets.
 *
 * Lanes are sources: 4 to 16 of them are taken at once, whether nodes or bodies, and the lanes are added up at the end
 * of a node's or body's sum. Expansions and the opening criterion come in single and double, near pairs in every
 * precision: mixed takes positions from the near leaf's middle as sums of two floats, which hold what a difference in
 * double does. */
#ifndef NB_TREE_SIMD_H
#define NB_TREE_SIMD_H

#include "force/tree/cpu/tree_cpu.h"
#include "force/tree/tree.h"
#include "simd/simd.h"

struct nb_tree_list { /* grows; ids of nodes */
    uint32_t *id;
    size_t count, room;
};

struct nb_tree_near { /* of a leaf */
    const uint32_t *leaf;
    size_t count;
};

/* What the kernels of one evaluation know. Lengths in the evaluation's units. */
struct nb_tree_walk {
    struct nb_tree *t;
    struct nb_tree_opening opening;
    double softening;
    bool want_phi;
    const uint32_t
        *wanted; /* how many of the sorted bodies before each are targets, bodies + 1 of them; NULL: all are */
    struct nb_tree_near *near;
};

struct nb_tree_scratch { /* of a thread */
    struct nb_tree_list open, queue, far, near;
    void *bodies; /* of the near pairs */
    size_t body_room;
};

#define NB_TREE_LOCAL 64 /* numbers of a local expansion, with a gap */

/* Expansions in one precision: float or double. */
struct nb_tree_far_kernels {
    /* Box, ball, record and sphere of nodes [v0, v1); their children have theirs. */
    void (*moments)(struct nb_tree *t, uint32_t v0, uint32_t v1);
    /* The estimate of the acceleration at them, times the share of it that an error may be; all spheres are there. */
    void (*estimate)(struct nb_tree *t, double softening, double share, uint32_t v0, uint32_t v1);
    /* Local expansion of a node from its parent's. */
    void (*shift)(const struct nb_tree *t, uint32_t node, const void *parent_local, void *local);
    /* What a target node has to do with the open sources s->open[begin, end): far ones are added to its local
     * expansion; those that its children have to look at are put behind `end`; if it is a leaf the near ones are put
     * into s->near. False: no memory. */
    bool (*visit)(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t node, size_t begin, size_t end,
                  void *local);
    /* Sets t->a and t->phi of a leaf's bodies to its local expansion. */
    void (*leaf)(const struct nb_tree_walk *w, uint32_t node, const void *local);
};

/* Adds the near pairs of a leaf to t->a and t->phi. False: no memory. */
typedef bool nb_tree_near_kernel(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t leaf);

struct nb_tree_set {
    struct nb_tree_far_kernels far[2]; /* in float, in double */
    nb_tree_near_kernel *near[NB_PRECISIONS];
};

extern const struct nb_tree_set *const nb_tree_sets[NB_SIMD_SETS];

/* Makes room for `more` ids behind the list's count. False: no memory. */
bool nb_tree_list_grow(struct nb_tree_list *list, size_t more);

static inline bool nb_tree_list_reserve(struct nb_tree_list *list, size_t more)
{
    return list->count + more <= list->room || nb_tree_list_grow(list, more);
}

/* ---- an evaluation: moments, walk and near pairs, with the memory that the threads keep ---- */

struct nb_tree_thread;

struct nb_tree_team { /* a thread's memory each; starts as zeros */
    struct nb_tree_thread *thread;
    int threads;
    struct nb_tree_near *near; /* of each node */
    size_t near_room;
};

/* Boxes, balls and moments of all nodes, and how large errors may be there. -1: no memory. */
int nb_tree_moments(const struct nb_tree_walk *w, const struct nb_tree_set *set, bool in_double);
/* Walks from the root: a and phi of the wanted bodies become what far nodes do; notes the near leaves. -1: no memory.
 */
int nb_tree_far(struct nb_tree_walk *w, struct nb_tree_team *team, const struct nb_tree_set *set, bool in_double);
/* Adds the pairs that the walk has noted. -1: no memory. */
int nb_tree_pairs(struct nb_tree_walk *w, struct nb_tree_team *team, const struct nb_tree_set *set,
                  enum nb_precision precision);
void nb_tree_team_free(struct nb_tree_team *team);

#endif
