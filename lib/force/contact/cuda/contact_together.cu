/* contact_together.cu - contact-grid on several GPUs that can access each other's memory (nb_force_shares.together).
 *
 * On each device, grid_view.now has an element for the position of every disk. Only the positions of own disks and of
 * ghosts are up to date. Ghosts are disks of other devices that are in the lists of own disks. An evaluation:
 *
 *   prepare   stores the positions of own disks. If one of them has moved so far that lists are not valid any more,
 *             sets this device's flag
 *   take      reads the flags of all devices. If at least one flag is set, copies the positions of all disks of other
 *             devices, otherwise only the positions of this device's ghosts
 *   build     if a device asked for new lists: cells of all disks, lists and ghosts of own disks
 *   contacts  forces on own disks
 *
 * The host does not wait for the devices. */
#include "device/group.h"
#include "device/timing.h"
#include "force/contact/cuda/contact_grid_work.cuh"
#include "force/contact/cuda/contact_together.cuh"
#include "force/force_group.h"

/* The flag of a device, in its memory. All devices read the flags of all devices. */
struct contact_flags {
    unsigned int build; /* not 0: this device asks for new lists */
};

/* The disks of all devices: part k has the disks [begin[k], begin[k + 1]), in rows x, y with stride[k] elements. */
struct contact_parts {
    int count, own;
    uint64_t begin[NB_GROUP_MAX + 1], stride[NB_GROUP_MAX];
    const void *x[NB_GROUP_MAX];
    const contact_flags *flags[NB_GROUP_MAX];
};

/* ---- kernels ---- */

/* Sets this device's flag to counters->build, in one thread. All devices have already read the old flag: end_part, at
 * the end of the previous evaluation, makes all later work of this device wait until then. */
static __global__ void ask(const contact_counters *counters, contact_flags *flags)
{
    flags->build = counters->build;
}

/* Copies positions from other devices. If a device asks for new lists, copies the positions of all their disks.
 * Otherwise copies only the positions of ghosts, their disks that are in the lists of this device. Threads iterate over
 * the disks in strides of the grid. A thread loads several disks at the same time, because a load from another device
 * takes microseconds. Sets counters->build if there will be new lists. */
#define TAKE 4
template <typename P>
static __global__ void take_others(const __grid_constant__ grid_view<P> g, const __grid_constant__ contact_parts all,
                                   contact_counters *counters)
{
    typedef typename P::state T;
    const uint64_t begin = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x, step = (uint64_t)gridDim.x * NB_BLOCK;
    const bool asks = (int)threadIdx.x < all.count && *(volatile const unsigned int *)&all.flags[threadIdx.x]->build;
    const bool build = __syncthreads_or(asks);
    if (build && begin == 0)
        counters->build = 1;
    for (int k = 0; k < all.count; k++)
        for (uint64_t at = begin; at < all.begin[k + 1] - all.begin[k] && k != all.own; at += TAKE * step) {
            const T *x = (const T *)all.x[k];
            T place[TAKE][2];
            bool wanted[TAKE];
#pragma unroll
            for (int q = 0; q < TAKE; q++) {
                const uint64_t i = all.begin[k] + at + q * step;
                wanted[q] = i < all.begin[k + 1] && (build || g.ghosts[i / 32] >> (i % 32) & 1);
            }
#pragma unroll
            for (int q = 0; q < TAKE; q++)
                for (int axis = 0; axis < 2 && wanted[q]; axis++)
                    place[q][axis] = x[at + q * step + axis * all.stride[k]];
#pragma unroll
            for (int q = 0; q < TAKE; q++)
                if (wanted[q])
                    g.now[all.begin[k] + at + q * step] = {place[q][0], place[q][1]};
        }
}

/* ---- stages of an evaluation ---- */

struct plan {
    struct nb_device *group;
    grid_work *const *work; /* one for each part (device) */
    enum nb_precision precision;
    const nb_sources *s;
    const nb_field *out;
    contact_parts parts;
};

static nb_targets targets_of(const nb_sources &own, uint64_t begin)
{
    nb_targets t = {};
    t.n = own.n, t.stride = own.stride, t.x = own.x;
    t.self = (int64_t)begin;
    t.share = true;
    return t;
}

/* Returns the view of part k (one device). In the view, m[i] is the mass of the disk with global index i: the pointer m
 * is moved back by the index of the part's first disk. Radii and velocities are never read, because the function
 * `serves` excludes forces that need them. */
template <typename P> static grid_view<P> view_of(const plan *p, int k)
{
    const grid_work *w = p->work[k];
    const uint64_t begin = p->parts.begin[k];
    const nb_sources own = nb_group_own_sources(p->group, p->s, k);
    const nb_targets t = targets_of(own, begin);
    grid_view<P> g = grid_view_of<P>(w, &own, &t);
    g.contact.m -= begin;
    g.first_own = begin;
    g.end = p->parts.begin[k + 1];
    g.ghosts = (uint32_t *)w->ghosts.d;
    return g;
}

template <typename P> static int reserve_all(grid_work *w, enum nb_precision precision, uint64_t n)
{
    const bool fresh = w->n != n || w->precision != precision;
    if (fresh)
        w->prepared = w->apart = false;
    if ((fresh && grid_reserve<P>(w, precision, n)) || nb_cuda_reserve(&w->flags, sizeof(contact_flags)) ||
        nb_cuda_reserve(&w->ghosts, (n + 31) / 32 * sizeof(uint32_t)))
        return -1;
    for (cudaEvent_t *event : {&w->prepared_event, &w->taken_event})
        if (!*event && NB_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming)))
            return -1;
    if (w->apart)
        return 0;
    w->apart = true; /* the lists may have been built for all disks, without ghosts: they must be rebuilt */
    return grid_forget_lists(w);
}

template <typename P> static int prepare(plan *p, int k)
{
    grid_work *w = p->work[k];
    const nb_sources own = nb_group_own_sources(p->group, p->s, k);
    const uint64_t begin = p->parts.begin[k];
    contact_counters *counters = contact_counters_of(&w->base);
    nb_timing_stage(w->base.device, "prepare");
    if (reserve_all<P>(w, p->precision, p->s->n))
        return -1;
    grid_next<P> next = grid_next_of(view_of<P>(p, k));
    next.now += begin;
    next.built += begin;
    const nb_targets t = targets_of(own, begin);
    const bool counts = contact_is_counted(&own, &t, p->out);
    /* If w->prepared is true, the kernel apply_boundary has already prepared the evaluation and called
     * contact_begin. */
    if (!(w->prepared && counts))
        grid_prepare<<<nb_blocks_for(own.n), NB_BLOCK, 0, w->base.stream>>>(
            next, own.n, (const typename P::state *)own.x, own.stride, counters, counts);
    w->prepared = false;
    ask<<<1, 1, 0, w->base.stream>>>(counters, (contact_flags *)w->flags.d);
    return nb_status(NB_CUDA(cudaGetLastError()) || NB_CUDA(cudaEventRecord(w->prepared_event, w->base.stream)));
}

static int prepare_part(void *context, int k)
{
    plan *p = (plan *)context;
    return nb_cuda_enter(p->work[k]->base.device)
               ? -1
               : contact_for_precision<contact_same>(p->precision, [&]<typename P>() { return prepare<P>(p, k); });
}

template <typename P> static int sum(const plan *p, int k)
{
    const grid_work *w = p->work[k];
    const cudaStream_t stream = w->base.stream;
    const nb_sources own = nb_group_own_sources(p->group, p->s, k);
    const nb_targets t = targets_of(own, p->parts.begin[k]);
    const nb_field out = nb_group_own_field(p->group, p->out, p->s->n, k);
    const grid_view<P> g = view_of<P>(p, k);
    contact_counters *counters = contact_counters_of(&w->base);
    contact_parts parts = p->parts;
    parts.own = k;
    nb_timing_stage(w->base.device, "exchange positions");
    if (nb_cuda_await_others(stream, p->work, p->parts.count, k, &grid_work::prepared_event))
        return -1;
    take_others<<<w->blocks, NB_BLOCK, 0, stream>>>(g, parts, counters);
    if (NB_CUDA(cudaGetLastError()) || NB_CUDA(cudaEventRecord(w->taken_event, stream)))
        return -1;
    nb_timing_stage(w->base.device, "build");
    if (grid_launch_build(w, g))
        return -1;
    nb_timing_stage(w->base.device, "contacts");
    grid_forces<<<nb_blocks_for(t.n), NB_BLOCK, 0, stream>>>(g, t, out,
                                                             contact_is_counted(&own, &t, &out) ? counters : nullptr);
    return NB_CUDA(cudaGetLastError());
}

static int sum_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    return nb_cuda_enter(p->work[k]->base.device)
               ? -1
               : contact_for_precision<contact_same>(p->precision, [&]<typename P>() { return sum<P>(p, k); });
}

/* Makes later work of part k wait until all other parts have copied the positions that they need. Such work may change
 * the positions of part k's disks. */
static int end_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    const contact_base *w = &p->work[k]->base;
    return nb_cuda_enter(w->device)
               ? -1
               : nb_cuda_await_others(w->stream, p->work, p->parts.count, k, &grid_work::taken_event);
}

/* ---- entry ---- */

/* Returns whether several devices can compute the forces together. They exchange positions only, which is not enough
 * for damping and for disks with own radii. */
static bool serves(const contact_base *w, uint64_t n, const nb_field *out)
{
    return !(w->contact.scene.damping > 0) && !w->contact.own_radii && !out->pressure && !out->jerk && !out->snap &&
           n < (uint64_t)1 << 31;
}

int contact_together(struct nb_device *group, void *const *work, const double *, enum nb_precision precision,
                     const nb_sources *s, const nb_targets *t, const nb_field *out, double *)
{
    plan p = {};
    p.group = group;
    p.work = (grid_work *const *)work;
    p.precision = precision;
    p.s = s;
    p.out = out;
    p.parts.count = nb_group_count(group);
    if (!serves(&p.work[0]->base, s->n, out) || !nb_cuda_reach_each_other(group))
        return 1;
    for (int k = 0; k < p.parts.count; k++) {
        const nb_sources own = nb_group_own_sources(group, s, k);
        if (t || own.n == 0)
            return 1;
        p.parts.begin[k] = nb_group_begin(group, s->n, k);
        p.parts.stride[k] = own.stride;
        p.parts.x[k] = own.x;
    }
    p.parts.begin[p.parts.count] = s->n;
    if (nb_group_run(group, prepare_part, &p))
        return -1;
    for (int k = 0; k < p.parts.count; k++)
        p.parts.flags[k] = (const contact_flags *)p.work[k]->flags.d;
    return nb_status(nb_group_run(group, sum_part, &p) || nb_group_run(group, end_part, &p));
}
