/* tree_divide.cu - the stages of an evaluation that send bodies to the devices of their domains
 * (tree_domains.cuh). Declared in tree_plan.cuh. */
#include "device/timing.h"
#include "force/tree/cuda/tree_plan.cuh"

#include <cmath>
#include <cstring>

/* ---- survey, keys, splitters ---- */

static int open_domain(tree_work *w)
{
    tree_domain *d = w->domain ? w->domain : (tree_domain *)nb_memory_new(sizeof *d);
    if (w->domain || !d)
        return d ? 0 : -1;
    cudaEvent_t *const events[] = {&d->sent, &d->sorted, &d->made, &d->opened, &d->seen, &d->moved, &d->arrived};
    cudaEvent_t *const timers[] = {&d->begun, &d->ordered, &w->walked[0], &w->walked[1]};
    w->domain = d;
    for (cudaEvent_t *e : events)
        if (NB_CUDA(cudaEventCreateWithFlags(e, cudaEventDisableTiming)))
            return -1;
    for (cudaEvent_t *e : timers)
        if (!*e && NB_CUDA(cudaEventCreate(e)))
            return -1;
    return NB_CUDA(cudaStreamCreateWithFlags(&d->copies, cudaStreamNonBlocking));
}

int tree_survey_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const nb_sources own = tree_own_sources(p, k);
    if (nb_cuda_enter(w->device))
        return -1;
    nb_timing_stage(w->device, "survey");
    const size_t row = own.stride * nb_precision_size(p->precision);
    return nb_status(open_domain(w) || tree_room(w, TREE_SURVEY, sizeof(tree_survey)) ||
                     tree_room(w, TREE_BACK, 3 * row) || tree_survey_bodies(w, p->precision, &own) ||
                     tree_fetch(w, &p->survey[k], tree_buffer(w, TREE_SURVEY), sizeof p->survey[k]));
}

void tree_join_surveys(tree_plan *p)
{
    p->all = p->survey[0];
    for (int k = 1; k < p->parts; k++) {
        const tree_survey &s = p->survey[k];
        for (int axis = 0; axis < 3; axis++) {
            p->all.bounds.low[axis] = min(p->all.bounds.low[axis], s.bounds.low[axis]);
            p->all.bounds.high[axis] = max(p->all.bounds.high[axis], s.bounds.high[axis]);
        }
        p->all.largest_mass = max(p->all.largest_mass, s.largest_mass);
        p->all.not_finite |= s.not_finite;
    }
    for (int k = 0; k <= p->parts; k++) {
        const double share = (double)nb_group_begin(p->group, p->s->n, k) / (double)p->s->n;
        p->samples[k] = (uint32_t)(share * TREE_SAMPLES);
    }
}

static int count_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const size_t bytes = p->splitters.count * sizeof(nb_domains_counts);
    if (nb_cuda_enter(w->device) || tree_room(w, TREE_COUNTS, bytes))
        return -1;
    return nb_status(tree_count_keys(w, (const uint64_t *)tree_buffer(w, TREE_OWN_KEYS), tree_own_sources(p, k).n,
                                     p->splitters, (nb_domains_counts *)tree_buffer(w, TREE_COUNTS)) ||
                     tree_fetch(w, p->counts + k * p->splitters.count, tree_buffer(w, TREE_COUNTS), bytes));
}

/* Computes the keys. If there are splitters, also counts the keys. */
static int keys_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const nb_sources own = tree_own_sources(p, k);
    const morton_points points = {own.x, own.stride, own.n};
    if (nb_cuda_enter(w->device))
        return -1;
    nb_timing_stage(w->device, "keys");
    if (tree_room(w, TREE_OWN_KEYS, own.n * sizeof(uint64_t)) ||
        nb_cuda_reserve(&w->sort.bounds, sizeof(morton_bounds)) ||
        NB_CUDA(
            cudaMemcpyAsync(w->sort.bounds.d, &p->all.bounds, sizeof p->all.bounds, cudaMemcpyHostToDevice, w->stream)))
        return -1;
    return nb_status(morton_make_keys(w->stream, p->precision, &points, (const morton_bounds *)w->sort.bounds.d,
                                      (uint64_t *)tree_buffer(w, TREE_OWN_KEYS), nullptr) ||
                     (p->splitters.count > 0 && count_stage(p, k)));
}

static int sample_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const uint32_t count = p->samples[k + 1] - p->samples[k];
    if (nb_cuda_enter(w->device) || tree_room(w, TREE_SAMPLE, count * sizeof(uint64_t)))
        return -1;
    return nb_status(tree_sample_keys(w, (const uint64_t *)tree_buffer(w, TREE_OWN_KEYS), tree_own_sources(p, k).n,
                                      (uint64_t *)tree_buffer(w, TREE_SAMPLE), count) ||
                     tree_fetch(w, p->sample + p->samples[k], tree_buffer(w, TREE_SAMPLE), count * sizeof(uint64_t)));
}

/* Returns the fraction of all bodies whose keys are below splitter s. */
static double share_below(const tree_plan *p, int s)
{
    uint64_t below = 0;
    for (int k = 0; k < p->parts; k++)
        below += nb_domains_below(&p->counts[k * p->splitters.count + s], NB_DOMAINS_BITS);
    return (double)below / (double)p->s->n;
}

/* Returns whether the splitters were chosen for these bounds and for n bodies. */
static bool are_chosen(const tree_plan *p, const double *bound)
{
    bool same = p->chosen.n == p->s->n && p->chosen.splitters.count == p->parts - 1;
    for (int s = 0; s < p->parts - 1 && same; s++)
        same = p->chosen.bound[s] == bound[s + 1];
    return same;
}

/* Returns whether the chosen splitters divide the bodies as they did when they were chosen. */
static bool still_fit(const tree_plan *p)
{
    bool fit = true;
    for (int s = 0; s < p->splitters.count; s++)
        fit &= fabs(share_below(p, s) - p->chosen.below[s]) <= TREE_BODIES_SLACK / p->parts;
    return fit;
}

int tree_choose_splitters(tree_plan *p, const double *bound)
{
    uint64_t first[NB_GROUP_MAX + 1];
    const bool chosen = are_chosen(p, bound);
    if (chosen)
        p->splitters = p->chosen.splitters;
    if (nb_group_run(p->group, keys_stage, p))
        return -1;
    if (chosen && still_fit(p))
        return 0;
    p->chosen.n = 0;
    if (nb_group_run(p->group, sample_stage, p))
        return -1;
    nb_domains_split(p->sample, p->samples[p->parts], bound, p->parts, first);
    p->splitters.count = p->parts - 1;
    memcpy(p->splitters.first, first + 1, p->splitters.count * sizeof *first);
    if (nb_group_run(p->group, count_stage, p))
        return -1;
    p->chosen.n = p->s->n;
    p->chosen.splitters = p->splitters;
    for (int s = 0; s < p->splitters.count; s++) {
        p->chosen.bound[s] = bound[s + 1];
        p->chosen.below[s] = share_below(p, s);
    }
    return 0;
}

int tree_route(tree_plan *p)
{
    const int splitters = p->splitters.count;
    int bits[NB_GROUP_MAX];
    for (int s = 0; s < splitters; s++) {
        nb_domains_counts total = p->counts[s];
        for (int k = 1; k < p->parts; k++)
            for (int b = 0; b <= NB_DOMAINS_BITS; b++) {
                total.below[b] += p->counts[k * splitters + s].below[b];
                total.above[b] += p->counts[k * splitters + s].above[b];
            }
        bits[s] = nb_domains_bits(&total, p->s->n / TREE_START_NODES);
        p->splitters.first[s] = nb_domains_first(p->splitters.first[s], bits[s]);
    }
    for (int k = 0; k < p->parts; k++) {
        tree_routes &r = p->routes[k];
        r.parts = p->parts;
        for (int h = 1; h < p->parts; h++)
            r.begin[h] = (uint32_t)nb_domains_below(&p->counts[k * splitters + h - 1], bits[h - 1]);
        r.begin[p->parts] = (uint32_t)tree_own_sources(p, k).n;
    }
    for (int h = 0; h < p->parts; h++) {
        uint32_t at = 0;
        for (int k = 0; k < p->parts; k++) {
            p->routes[k].at[h] = at;
            if (p->routes[k].begin[h + 1] < p->routes[k].begin[h])
                return -1;
            at += p->routes[k].begin[h + 1] - p->routes[k].begin[h];
        }
        p->first[h + 1] = p->first[h] + at;
        if (at < TREE_DOMAIN_LEAST)
            return -1;
    }
    return 0;
}

/* ---- exchange of bodies ---- */

int tree_room_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const size_t real = nb_precision_size(p->precision);
    w->n = p->s->n;
    w->sources = 0; /* prevents that a later evaluation reuses this order of the bodies */
    w->first = p->first[k];
    w->own_n = p->first[k + 1] - p->first[k];
    w->share[0] = 0, w->share[1] = 1; /* the entire domain; an earlier evaluation may have used shares */
    w->in_pieces = false;
    const uint64_t stride = (w->own_n + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
    const uint64_t room = tree_domain_room(&w->domain->bodies, stride);
    if (w->sort.upper == 0)
        w->sort.upper = tree_first_upper(w->n);
    if (nb_cuda_enter(w->device) || tree_room(w, TREE_INBOX, room * tree_body_size(p->precision)) ||
        tree_room(w, TREE_OUTBOX, 4 * room * real) ||
        morton_reserve(&w->sort, room, 3, (2 * room + 2 * TREE_MARGIN) * sizeof(uint64_t)) ||
        (p->t && tree_room(w, TREE_PLACE, room * sizeof(uint32_t))))
        return -1;
    uint64_t *keys = (uint64_t *)w->sort.keys.d;
    p->inboxes.of[k] = {tree_buffer(w, TREE_INBOX), tree_sends_keys(p) ? tree_pairs_of(w).keys[w->sort.turns] : nullptr,
                        p->t ? (uint32_t *)tree_buffer(w, TREE_PLACE) : nullptr};
    p->outboxes.of[k] = {tree_buffer(w, TREE_OUTBOX), stride};
    w->window = {keys + TREE_MARGIN - w->first, (int64_t)w->first - (k > 0 ? TREE_MARGIN : 0),
                 (int64_t)(w->first + w->own_n) + (k + 1 < p->parts ? TREE_MARGIN : 0)};
    nb_timing_stage(w->device, "exchange bodies");
    if (p->t && tree_place_own(w, (const uint32_t *)nb_group_at(p->group, p->t->index, k), p->t->n,
                               nb_group_begin(p->group, p->s->n, k), tree_own_sources(p, k).n))
        return -1;
    return tree_divide(w, (const uint64_t *)tree_buffer(w, TREE_OWN_KEYS), tree_own_sources(p, k).n, p->splitters);
}

int tree_send_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const uint64_t *keys = (const uint64_t *)tree_buffer(w, TREE_OWN_KEYS);
    const nb_sources own = tree_own_sources(p, k);
    return nb_status(nb_cuda_enter(w->device) ||
                     tree_send(w, p->precision, &own, keys, p->splitters, p->routes[k], p->inboxes) ||
                     NB_CUDA(cudaEventRecord(w->domain->sent, w->stream)));
}
