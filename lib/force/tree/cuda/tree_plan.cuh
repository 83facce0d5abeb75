/* tree_plan.cuh - data shared by the stages of one evaluation of the tree on several devices. A stage is a function
 * that nb_group_run calls once for each part (device), with the plan and the number of the part. Between stages, the
 * host computes the values that the next stage needs. */
#pragma once

#include "force/force_group.h"
#include "force/tree/cuda/tree_domains.cuh"

struct tree_plan { /* data of one evaluation, filled stage by stage; in pinned memory, for copies from devices */
    struct nb_device *group;
    tree_work *const *work; /* one for each part */
    int parts;
    enum nb_precision precision;
    const nb_sources *s;
    const nb_targets *t; /* the list of targets; NULL: all bodies are targets */
    const nb_field *out;
    double *seconds;
    tree_survey survey[NB_GROUP_MAX], all;
    uint32_t samples[NB_GROUP_MAX + 1]; /* part k adds the keys sample[samples[k]] to sample[samples[k + 1] - 1] */
    tree_splitters splitters;
    tree_routes routes[NB_GROUP_MAX];
    uint64_t first[NB_GROUP_MAX + 1]; /* position of each domain's first body in the order of all keys */
    tree_inboxes inboxes;
    tree_outboxes outboxes;
    tree_top top; /* the member `own` is not set here; each part sets it in a copy */
    int heights;
    int sorts; /* how many times the bodies have been sorted in this evaluation */
    double sum[NB_GROUP_MAX][4];
    /* All members above are set to zero at the beginning of an evaluation. The members below keep their values. */
    struct { /* the last choice of splitters (the first keys of the domains) */
        uint64_t n;
        tree_splitters splitters;
        /* fractions of bodies before splitter s: wanted bound[s], counted below[s] */
        double bound[NB_GROUP_MAX], below[NB_GROUP_MAX];
    } chosen;
    uint64_t sample[TREE_SAMPLES];
    tree_counters counters[NB_GROUP_MAX];
    nb_domains_counts counts[NB_GROUP_MAX * NB_GROUP_MAX]; /* one for each part and splitter */
    uint32_t depth_counts[NB_GROUP_MAX][TREE_TALLY];
    struct {
        tree_root root[TREE_ROOTS];
        uint32_t count;
    } found[NB_GROUP_MAX];
    nb_domains_root root[NB_GROUP_MAX * TREE_ROOTS]; /* roots of all domains */
    nb_domains_node node[NB_GROUP_MAX * TREE_ROOTS];
    uint32_t parent[NB_GROUP_MAX * TREE_ROOTS];
};

/* ---- tree_divide.cu, in the order in which the functions are called ---- */

nb_group_work tree_survey_stage;
void tree_join_surveys(tree_plan *p);
/* Chooses splitters, such that about the fraction bound[k] of the bodies is before domain k, and counts the keys on
 * both sides of each splitter. Returns -1 after nb_fail. */
int tree_choose_splitters(tree_plan *p, const double *bound);
/* Rounds each splitter (the first key of a domain) to the first key of a cell (domains.h). Then computes p->routes:
 * which bodies each part sends to each domain. Returns 0, or -1 if a domain has fewer than TREE_DOMAIN_LEAST bodies. */
int tree_route(tree_plan *p);
nb_group_work tree_room_stage, tree_send_stage;

/* ---- tree_join.cu, in the order in which the functions are called ---- */

/* If tree_is_sorted is false after these two stages, the keys of a part were not sorted by enough bits. The caller then
 * increases p->sorts and calls both stages again. */
nb_group_work tree_sort_stage, tree_find_stage;
bool tree_is_sorted(const tree_plan *p);
/* Assigns numbers to all nodes: first the nodes with bodies on several devices, then the nodes of each device. */
void tree_number_nodes(tree_plan *p);
nb_group_work tree_make_stage;
void tree_know_each_other(tree_plan *p);
nb_group_work tree_top_stage;
/* Copies the data of the other domains to part k: first data for the walk, then moments, then bodies. An evaluation has
 * three steps (walk, far and near; see tree.h). Each step waits only for the data that it reads. */
int tree_take_trees(const tree_plan *p, int k);

/* ---- shared by the stages ---- */

static inline void *tree_buffer(const tree_work *w, int which)
{
    return w->domain->buffer[which].d;
}

static inline size_t tree_body_size(enum nb_precision precision)
{
    return for_body(precision, [&]<typename B>() { return sizeof(B); });
}

static inline int tree_room(tree_work *w, int which, size_t size_bytes)
{
    return nb_cuda_reserve(&w->domain->buffer[which], size_bytes);
}

/* Returns the bodies that the caller stored on part k. They may belong to any domain. */
static inline nb_sources tree_own_sources(const tree_plan *p, int k)
{
    return nb_group_own_sources(p->group, p->s, k);
}

/* Returns whether the devices send keys with the bodies: in mixed precision only. In single and double precision, the
 * device that receives bodies computes the keys from their records, which takes less time. In mixed precision this
 * would give other keys, because positions in the records have only 48 bits. */
static inline bool tree_sends_keys(const tree_plan *p)
{
    return p->precision == NB_MIXED;
}

/* Returns the memory in which a part sorts the keys of its domain. There is room for TREE_MARGIN keys before and after
 * the sorted keys. */
static inline morton_pairs tree_pairs_of(const tree_work *w)
{
    uint64_t *keys = (uint64_t *)w->sort.keys.d + TREE_MARGIN;
    return morton_pairs_of(&w->sort, keys, keys + TREE_MARGIN + w->own_n);
}

/* Copies from device to host memory, and waits until the copy is complete. */
static inline int tree_fetch(const tree_work *w, void *to, const void *d_from, size_t size_bytes)
{
    return nb_status(NB_CUDA(cudaMemcpyAsync(to, d_from, size_bytes, cudaMemcpyDeviceToHost, w->stream)) ||
                     NB_CUDA(cudaStreamSynchronize(w->stream)));
}

/* Makes part k's stream wait for `event` of all other parts. If `neighbours` is true, waits only for the parts before
 * and after part k. */
static inline int tree_await(const tree_plan *p, int k, cudaEvent_t tree_domain::*event, bool neighbours)
{
    for (int h = 0; h < p->parts; h++)
        if (h != k && (!neighbours || h == k - 1 || h == k + 1) &&
            NB_CUDA(cudaStreamWaitEvent(p->work[k]->stream, p->work[h]->domain->*event, 0)))
            return -1;
    return 0;
}
