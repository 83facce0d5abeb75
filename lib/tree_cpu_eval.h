/* tree_cpu_eval.h - an evaluation of a tree: moments, walk and near pairs, with the memory that the threads keep. */
#ifndef NB_TREE_CPU_EVAL_H
#define NB_TREE_CPU_EVAL_H

#include "tree_simd.h"

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
