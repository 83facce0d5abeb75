/* tree_together.cu - evaluates the tree on several devices with domains (tree_domains.cuh). Each stage is executed by
 * all devices, one host thread per device, before the next stage begins. */
#include "device/timing.h"
#include "force/tree/cuda/tree_plan.cuh"

#include <cmath>
#include <cstddef>
#include <cstring>

/* Maximum number of bodies for which no domains are used: copies and synchronisations would take more time than domains
 * save. */
#define TREE_DOMAINS_BODIES (1u << 20)

/* ---- fields ---- */

/* Returns the rows in which domain k stores its results. Element i belongs to the i-th body received by the domain. */
static nb_field domain_field(const tree_plan *p, int k)
{
    const tree_outbox &box = p->outboxes.of[k];
    char *rows = (char *)tree_buffer(p->work[k], TREE_OUTBOX);
    nb_field f = {};
    f.stride = box.stride;
    f.a = p->out->a ? rows : nullptr;
    f.phi = p->out->phi ? rows + 3 * box.stride * nb_precision_size(p->precision) : nullptr;
    return f;
}

/* Returns part k's output rows for the accelerations, one element for each target of the list. */
static nb_field list_field(const tree_plan *p, int k)
{
    nb_field f = {};
    f.stride = p->out->stride;
    f.a = nb_group_at(p->group, p->out->a, k);
    return f;
}

static int sum(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const nb_field out = p->t ? list_field(p, k) : domain_field(p, k);
    const tree_targets to = {0, p->t ? p->t->n : w->own_n, p->inboxes.of[k].place};
    float order_ms = 0, walk_ms = 0;
    w->few = p->t != nullptr;
    /* tree_clear() sets the counters to zero; this stage may run a second time, see has_too_many_long() */
    if (nb_cuda_enter(w->device) || tree_clear(w))
        return -1;
    nb_timing_stage(w->device, "exchange trees");
    auto sum_of = [&]<typename B>() { return tree_sum<B>(w, p->s, to, &out, false, &p->counters[k]); };
    if (tree_take_trees(p, k) || (w->few && tree_find_due(w, to)) || for_body(p->precision, sum_of) ||
        NB_CUDA(cudaEventSynchronize(w->walked[1])) ||
        NB_CUDA(cudaEventElapsedTime(&order_ms, w->domain->begun, w->domain->ordered)) ||
        NB_CUDA(cudaEventElapsedTime(&walk_ms, w->walked[0], w->walked[1])))
        return -1;
    p->seconds[k] = 1e-3 * (order_ms + walk_ms);
    return 0;
}

/* A long leaf is a leaf with more than TREE_LONG near leaves. If there are more than TREE_LONG_MOST long leaves,
 * removes the limit TREE_LONG on all devices and returns true: the stage sum() must then be repeated. */
static bool has_too_many_long(tree_plan *p)
{
    uint32_t longs = 0;
    bool limited = false;
    for (int k = 0; k < p->parts; k++) {
        longs += p->counters[k].longs;
        limited |= p->work[k]->limit != TREE_IS_LONG;
    }
    for (int k = 0; k < p->parts; k++)
        if (p->work[k]->limit == TREE_IS_LONG)
            longs = TREE_LONG_MOST + 1;
    for (int k = 0; k < p->parts && longs > TREE_LONG_MOST; k++)
        p->work[k]->limit = TREE_IS_LONG;
    return limited && longs > TREE_LONG_MOST;
}

static int give(void *context, int k)
{
    const tree_plan *p = (const tree_plan *)context;
    tree_work *w = p->work[k];
    tree_lists lists = {p->parts, {}, p->out->stride};
    for (int h = 0; h < p->parts; h++)
        lists.a[h] = list_field(p, h).a;
    if (nb_cuda_enter(w->device))
        return -1;
    nb_timing_stage(w->device, "return fields");
    if (tree_give(w, p->precision, w->own_n, p->inboxes.of[k].place, lists, k))
        return -1;
    nb_timing_stage(w->device, nullptr);
    /* the next stage of every device reads what this device has written */
    return NB_CUDA(cudaStreamSynchronize(w->stream));
}

static int take_back(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const nb_sources own = tree_own_sources(p, k);
    const nb_field out = nb_group_own_field(p->group, p->out, p->s->n, k);
    if (nb_cuda_enter(w->device))
        return -1;
    nb_timing_stage(w->device, "return fields");
    void *back = p->out->a ? tree_buffer(w, TREE_BACK) : nullptr;
    if (tree_take_back(w, p->precision, own.n, own.stride, p->routes[k], p->outboxes, back, &out))
        return -1;
    memset(p->sum[k], 0, sizeof p->sum[k]);
    return back ? tree_momentum_sum(w, p->precision, own.n, own.stride, own.m, back, p->sum[k])
                : NB_CUDA(cudaStreamSynchronize(w->stream));
}

static int subtract(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const nb_sources own = tree_own_sources(p, k);
    const nb_field out = nb_group_own_field(p->group, p->out, p->s->n, k);
    double total[4] = {};
    for (int h = 0; h < p->parts; h++)
        for (int c = 0; c < 4; c++)
            total[c] += p->sum[h][c];
    nb_timing_stage(w->device, "momentum");
    if (out.a && tree_momentum_subtract(w, p->precision, own.n, own.stride, tree_buffer(w, TREE_BACK), total, &out))
        return -1;
    nb_timing_stage(w->device, nullptr);
    return 0;
}

static int store_nan(void *context, int k)
{
    const tree_plan *p = (const tree_plan *)context;
    const nb_sources own = tree_own_sources(p, k);
    const nb_field out = p->t ? list_field(p, k) : nb_group_own_field(p->group, p->out, p->s->n, k);
    return nb_cuda_enter(p->work[k]->device) ? -1
                                             : tree_store_nan(p->work[k], p->precision, p->t ? p->t->n : own.n, &out);
}

/* ---- all stages ---- */

static bool serves(struct nb_device *group, tree_work *const *work, uint64_t n, const nb_field *out)
{
    const int parts = nb_group_count(group);
    if (n <= TREE_DOMAINS_BODIES || n >= 1u << 31 || parts < 2 || out->jerk || out->snap || out->pressure)
        return false;
    for (int k = 0; k < parts; k++)
        /* domains are not used if the order of the bodies must be kept for later evaluations */
        if (work[k]->rebuild > 1)
            return false;
    return nb_cuda_reach_each_other(group);
}

/* If the times of all devices are nearly equal, sets them to 0, so that the bounds do not move. */
static void ignore_small_differences(tree_plan *p)
{
    double mean = 0, most = 0;
    for (int k = 0; k < p->parts; k++) {
        mean += p->seconds[k] / p->parts;
        most = fmax(most, p->seconds[k]);
    }
    for (int k = 0; k < p->parts && most <= mean * (1 + TREE_TIME_SLACK); k++)
        p->seconds[k] = 0;
}

static int run(tree_plan *p, const double *bound)
{
    if (nb_group_run(p->group, tree_survey_stage, p))
        return -1;
    tree_join_surveys(p);
    if (p->all.not_finite)
        return nb_group_run(p->group, store_nan, p);
    if (tree_choose_splitters(p, bound))
        return -1;
    if (tree_route(p)) {
        p->chosen.n = 0;
        return 1;
    }
    if (nb_group_run(p->group, tree_room_stage, p) || nb_group_run(p->group, tree_send_stage, p))
        return -1;
    do
        if (nb_group_run(p->group, tree_sort_stage, p) || nb_group_run(p->group, tree_find_stage, p))
            return -1;
    while (p->sorts++, !tree_is_sorted(p));
    tree_number_nodes(p);
    if (nb_group_run(p->group, tree_make_stage, p))
        return -1;
    tree_know_each_other(p);
    if (nb_group_run(p->group, tree_top_stage, p))
        return -1;
    do
        if (nb_group_run(p->group, sum, p))
            return -1;
    while (has_too_many_long(p));
    ignore_small_differences(p);
    if (p->t)
        return nb_group_run(p->group, give, p);
    return nb_status(nb_group_run(p->group, take_back, p) || nb_group_run(p->group, subtract, p));
}

int tree_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                  const nb_sources *s, const nb_targets *t, const nb_field *out, double *seconds)
{
    tree_work *first = (tree_work *)work[0];
    if (!serves(group, (tree_work *const *)work, s->n, out))
        return 1;
    if (!first->plan) {
        if (nb_cuda_enter(first->device) ||
            NB_CUDA(cudaHostAlloc((void **)&first->plan, sizeof(tree_plan), cudaHostAllocPortable)))
            return -1;
        first->plan->chosen.n = 0;
    }
    tree_plan *p = first->plan;
    memset(p, 0, offsetof(tree_plan, chosen));
    p->group = group;
    p->work = (tree_work *const *)work;
    p->parts = nb_group_count(group);
    p->precision = precision;
    p->s = s;
    p->t = t;
    p->out = out;
    p->seconds = seconds;
    const int status = run(p, bound);
    /* The sorted order in each part's memory is the order of its domain only. It is marked as invalid, so that a later
     * evaluation does not use it as an order of all bodies. */
    for (int k = 0; k < p->parts && status <= 0; k++) {
        p->work[k]->n = 0;
        p->work[k]->first_node = p->work[k]->top = 0;
        p->work[k]->has_others = false;
    }
    return status;
}

void tree_domain_close(tree_work *w)
{
    tree_domain *d = w->domain;
    cudaFreeHost(w->plan);
    if (!d)
        return;
    cudaEvent_t const events[] = {d->sent,  d->sorted,  d->made,  d->opened, d->seen,
                                  d->moved, d->arrived, d->begun, d->ordered};
    for (cudaEvent_t e : events)
        if (e)
            cudaEventDestroy(e);
    if (d->copies)
        cudaStreamDestroy(d->copies);
    for (nb_cuda_buffer &b : d->buffer)
        nb_cuda_release(&b);
    free(d);
}
