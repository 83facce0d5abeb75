/* tree_cpu_walk.c - the walk over target nodes (tree.h) from the root down, and the loops over levels and leaves, which
 * call kernels. Declared in tree_simd.h. Each node of the upper levels is visited by its own OpenMP task.
 *
 * The result of a node depends only on its parent's local expansion and list of sources, and not on the thread that
 * visits the node or the time of the visit. The near pairs of a leaf are summed during the visit of the leaf, so that
 * the next leaf can reuse the memory of the list of near leaves. */
#include "force/tree/cpu/tree_simd.h"

#include "base/error.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define TASK_BODIES 2048 /* maximum number of bodies of a subtree that is one task */
#define SERIAL      256  /* maximum number of nodes of a level that a single thread computes */

/* Each thread often changes the lengths of its lists. The alignment prevents two threads from writing to the same cache
 * line. */
struct nb_tree_thread {
    _Alignas(128) struct nb_tree_scratch scratch;
    /* walk_s: duration of the last walk, seconds; near_s: duration of the near pairs in this walk, seconds */
    double walk_s, near_s;
};

struct local { /* memory for one local expansion of floats or doubles */
    _Alignas(64) double value[NB_TREE_LOCAL];
};

struct walk { /* arguments of one evaluation */
    struct nb_tree_walk *w;
    struct nb_tree_team *team;
    const struct nb_tree_expansion_kernels *kernels;
    nb_tree_near_kernel *near;
    bool failed; /* true: there is no memory, and all threads stop the walk */
};

static void thread_free(struct nb_tree_thread *thread)
{
    free(thread->scratch.open.id);
    free(thread->scratch.queue.id);
    free(thread->scratch.m2l.id);
    free(thread->scratch.near.id);
    free(thread->scratch.close.id);
    free(thread->scratch.bodies);
}

void nb_tree_team_free(struct nb_tree_team *team)
{
    for (int k = 0; k < team->threads; k++)
        thread_free(&team->thread[k]);
    free(team->thread);
    *team = (struct nb_tree_team){0};
}

double nb_tree_team_bytes(const struct nb_tree_team *team)
{
    double gathered = 0;
    /* use half of the buffer sizes, because buffers are allocated with twice the needed size */
    for (int k = 0; k < team->threads; k++)
        gathered = fmax(gathered, 0.5 * (double)team->thread[k].scratch.body_bytes);
    return team->threads * gathered; /* each thread may have to process the longest list */
}

static int reserve_team(struct nb_tree_team *team)
{
    const int threads = omp_get_max_threads();
    if (team->threads < threads) {
        nb_tree_team_free(team);
        team->thread = aligned_alloc(128, (size_t)threads * sizeof *team->thread);
        if (!team->thread)
            return nb_fail("no memory");
        memset(team->thread, 0, (size_t)threads * sizeof *team->thread);
        team->threads = threads;
    }
    for (int k = 0; k < team->threads; k++) {
        team->thread[k].scratch.close.count = 0;
        team->thread[k].walk_s = team->thread[k].near_s = 0;
    }
    return 0;
}

static int reserve_node_data(struct nb_tree *t, size_t size)
{
    const size_t multipole = t->node_capacity * NB_TREE_MULTIPOLE * size,
                 criterion = (t->node_capacity + NB_ALIGN) * NB_TREE_CRITERION * size;
    if (multipole + criterion <= t->node_data_bytes)
        return 0;
    free(t->multipole);
    free(t->criterion);
    t->multipole = aligned_alloc(NB_ALIGN, (multipole + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN);
    t->criterion = aligned_alloc(NB_ALIGN, (criterion + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN);
    t->node_data_bytes = t->multipole && t->criterion ? multipole + criterion : 0;
    return t->node_data_bytes ? 0 : nb_fail("no memory for the nodes of a tree");
}

int nb_tree_moments(const struct nb_tree_walk *w, const struct nb_tree_set *set, bool in_double)
{
    struct nb_tree *t = w->t;
    if (reserve_node_data(t, in_double ? sizeof(double) : sizeof(float)))
        return -1;
    for (uint32_t k = t->levels; k-- > 0;) {
        const uint32_t v0 = t->level[k], v1 = t->level[k + 1];
#pragma omp parallel for schedule(dynamic, 32) if (v1 - v0 > SERIAL)
        for (uint32_t v = v0; v < v1; v++)
            set->expansion[in_double].moments(t, v, v + 1);
    }
#pragma omp parallel for schedule(static) if (t->nodes > SERIAL)
    for (uint32_t v = 0; v < t->nodes; v++)
        set->expansion[in_double].estimate(t, fmax(w->softening, w->far.outer), w->opening.tolerance, v, v + 1);
    return 0;
}

static bool failed(const struct walk *k)
{
    bool is;
#pragma omp atomic read
    is = k->failed;
    return is;
}

static void fail(struct walk *k)
{
#pragma omp atomic write
    k->failed = true;
}

static uint32_t bodies_of(const struct walk *k, uint32_t node)
{
    return k->w->t->node[node].body_end - k->w->t->node[node].body_begin;
}

static bool has_targets(const struct nb_tree_walk *w, uint32_t node)
{
    return !w->targets_before ||
           w->targets_before[w->t->node[node].body_end] > w->targets_before[w->t->node[node].body_begin];
}

static void finish_leaf(struct walk *k, struct nb_tree_thread *thread, uint32_t node, const struct local *local)
{
    k->kernels->leaf(k->w, node, local);
    const double begin_s = omp_get_wtime();
    if (!k->near(k->w, &thread->scratch, node))
        fail(k);
    thread->near_s += omp_get_wtime() - begin_s;
}

/* Computes the local expansion `own` of a target node from its parent's expansion (NULL for the root), then applies the
 * opening criterion to the sources s->open[begin, end). */
static bool visit(struct walk *k, struct nb_tree_scratch *s, uint32_t node, size_t begin, size_t end,
                  const struct local *parent, struct local *own)
{
    if (parent)
        k->kernels->shift(k->w->t, node, parent, own);
    else
        memset(own, 0, sizeof *own);
    if (failed(k) || !k->kernels->visit(k->w, s, node, begin, end, own) || !nb_tree_list_reserve(&s->open, 1)) {
        fail(k);
        return false;
    }
    return true;
}

/* Processes a target node with the sources scratch.open[begin, end), and then its two children. Sources that are
 * neither accepted nor opened for the node are passed on to both children. In addition, each child gets its sibling as
 * a source. */
static void descend(struct walk *k, struct nb_tree_thread *thread, uint32_t node, size_t begin, size_t end,
                    const struct local *parent)
{
    struct nb_tree_scratch *s = &thread->scratch;
    const uint32_t child = k->w->t->node[node].first_child;
    struct local own;
    if (!visit(k, s, node, begin, end, parent, &own))
        return;
    if (!child) {
        finish_leaf(k, thread, node, &own);
        return;
    }
    const size_t left = s->open.count;
    for (uint32_t which = 0; which < 2; which++)
        if (has_targets(k->w, child + which)) {
            s->open.id[left] = child + 1 - which;
            descend(k, thread, child + which, end, left + 1, &own);
        }
}

static void descend_as_tasks(struct walk *k, uint32_t node, const uint32_t *open, size_t count,
                             const struct local *parent);

struct job { /* data for the task of a child; a copy, because the parent does not wait for its children */
    struct local parent;
    size_t count;
    uint32_t open[];
};

/* Starts tasks for both children of a visited node, without waiting for them. */
static void send_children(struct walk *k, const struct nb_tree_list *open, size_t end, uint32_t child,
                          const struct local *own)
{
    const size_t left = open->count - end, size = sizeof(struct job) + (left + 1) * sizeof(uint32_t);
    struct job *jobs[2];
    /* Makes both jobs, with their copies of the open list, before starting a task: a task may run immediately in this
     * thread and overwrite the thread's lists. */
    for (uint32_t which = 0; which < 2; which++) {
        jobs[which] = aligned_alloc(_Alignof(struct job), (size + 63) / 64 * 64);
        if (!jobs[which]) {
            if (which > 0)
                free(jobs[0]);
            fail(k);
            return;
        }
        jobs[which]->parent = *own;
        jobs[which]->count = left + 1;
        memcpy(jobs[which]->open, open->id + end, left * sizeof(uint32_t));
        jobs[which]->open[left] = child + 1 - which;
    }
    for (uint32_t which = 0; which < 2; which++) {
        struct job *job = jobs[which];
        const uint32_t node = child + which;
#pragma omp task default(none) firstprivate(k, job, node)
        {
            if (has_targets(k->w, node))
                descend_as_tasks(k, node, job->open, job->count, &job->parent);
            free(job);
        }
    }
}

static void descend_as_tasks(struct walk *k, uint32_t node, const uint32_t *open, size_t count,
                             const struct local *parent)
{
    struct nb_tree_thread *thread = &k->team->thread[omp_get_thread_num()];
    struct nb_tree_scratch *s = &thread->scratch;
    struct local own;
    s->open.count = 0;
    if (!nb_tree_list_reserve(&s->open, count)) {
        fail(k);
        return;
    }
    if (count > 0)
        memcpy(s->open.id, open, count * sizeof *open);
    const double begin_s = omp_get_wtime();
    const bool whole = bodies_of(k, node) <= TASK_BODIES;
    bool good = false;
    if (whole)
        descend(k, thread, node, 0, count, parent);
    else
        good = visit(k, s, node, 0, count, parent, &own);
    /* stops the clock before the children are started, because their tasks may run immediately */
    thread->walk_s += omp_get_wtime() - begin_s;
    if (good)
        send_children(k, &s->open, count, k->w->t->node[node].first_child, &own);
}

int nb_tree_visit(struct nb_tree_walk *w, struct nb_tree_team *team, const struct nb_tree_set *set, bool in_double,
                  enum nb_precision pairs)
{
    struct walk k = {w, team, &set->expansion[in_double], set->near[pairs], false};
    if (reserve_team(team))
        return -1;
#pragma omp parallel if (w->t->bodies > TASK_BODIES)
#pragma omp single
    descend_as_tasks(&k, 0, NULL, 0, NULL);
    return k.failed ? nb_fail("no memory for the walk of a tree") : 0;
}

double nb_tree_near_share(const struct nb_tree_team *team)
{
    double walk_s = 0, near_s = 0;
    for (int k = 0; k < team->threads; k++) {
        walk_s += team->thread[k].walk_s;
        near_s += team->thread[k].near_s;
    }
    return walk_s > 0 ? near_s / walk_s : 0;
}

struct nb_tree_list *nb_tree_noted(struct nb_tree_team *team, int thread)
{
    return &team->thread[thread].scratch.close;
}
