/* force_contact_grid.cu - contact-grid on the GPU: the entry of the table of forces, with cells and lists of
 * contact_grid.cuh. */
#include "device/timing.h"
#include "force/contact/cuda/contact_boundary.cuh"
#include "force/contact/cuda/contact_grid_work.cuh"
#include "force/contact/cuda/contact_together.cuh"

#include <cstdlib>

template <typename P>
static int evaluate(grid_work *w, enum nb_precision precision, const nb_sources *s, const nb_targets *t,
                    const nb_field *out)
{
    typedef typename P::state T;
    contact_counters *counters = contact_counters_of(&w->base);
    const bool counts = contact_is_counted(s, t, out);
    if ((w->n != s->n || w->precision != precision) && grid_reserve<P>(w, precision, s->n))
        return -1;
    /* After an evaluation on several devices (w->apart), only this device's own disks have lists. The lists of all
     * disks must then be built. */
    if (w->apart && grid_forget_lists(w))
        return -1;
    const bool begun = w->prepared; /* apply_boundary has already called contact_begin for this evaluation */
    w->prepared &= !w->apart;
    w->apart = false;
    const grid_view<P> g = grid_view_of<P>(w, s, t);
    nb_timing_stage(w->base.device, "prepare");
    if (!(w->prepared && counts))
        grid_prepare<<<nb_blocks_for(s->n), NB_BLOCK, 0, w->base.stream>>>(grid_next_of(g), s->n, (const T *)s->x,
                                                                           s->stride, counters, counts && !begun);
    w->prepared = false;
    nb_timing_stage(w->base.device, "build");
    if (NB_CUDA(cudaGetLastError()) || grid_launch_build(w, g))
        return -1;
    nb_timing_stage(w->base.device, "contacts");
    grid_forces<<<nb_blocks_for(t->n), NB_BLOCK, 0, w->base.stream>>>(g, *t, *out, counts ? counters : nullptr);
    return NB_CUDA(cudaGetLastError());
}

static int grid_field(struct nb_device *device, void *work, enum nb_precision precision, const nb_sources *s,
                      const nb_targets *t, const nb_field *out)
{
    grid_work *w = (grid_work *)work;
    if (contact_check(&w->base, s, t) || nb_cuda_enter(device))
        return -1;
    return contact_for(w->base.contact, precision, [&]<typename P>() { return evaluate<P>(w, precision, s, t, out); });
}

template <typename P> static int bound(grid_work *w, struct nb_state *s, uint64_t first)
{
    const nb_targets none = {};
    nb_sources all = {};
    all.n = s->n, all.stride = s->stride, all.m = s->m, all.x = s->x;
    grid_next<P> next = grid_next_of(grid_view_of<P>(w, &all, &none));
    next.now += first;
    next.built += first;
    w->prepared = true;
    return contact_bound<typename P::state>(&w->base, s, first, next, true);
}

static int grid_boundary(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    grid_work *w = (grid_work *)work;
    const bool holds = w->apart ? first + s->n <= w->n : first == 0 && w->n == s->n;
    w->prepared = false;
    if (!asked || !holds || w->precision != s->precision || s->n == 0)
        return contact_boundary(device, work, s, first, asked);
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "boundary");
    return contact_for_precision<contact_same>(s->precision, [&]<typename P>() { return bound<P>(w, s, first); });
}

/* Returns whether an evaluation can be recorded in a CUDA graph: true if memory for n disks is allocated. The kernels
 * of a recorded evaluation decide themselves whether the lists must be rebuilt. */
static bool grid_recordable(const void *work, enum nb_precision precision, uint64_t n)
{
    const grid_work *w = (const grid_work *)work;
    return w->n == n && w->precision == precision;
}

static void *grid_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    grid_work *w = (grid_work *)nb_memory_new(sizeof *w);
    if (!w || contact_base_open(&w->base, device, spec, meta)) {
        free(w);
        return nullptr;
    }
    w->skin = nb_force_value(spec, "skin");
    return w;
}

static void grid_close(struct nb_device *device, void *work)
{
    grid_work *w = (grid_work *)work;
    nb_cuda_release_all(device, {&w->now, &w->built, &w->count, &w->start, &w->sorted, &w->number, &w->rank, &w->first,
                                 &w->partner, &w->about, &w->sums, &w->flags, &w->ghosts});
    for (cudaEvent_t event : {w->prepared_event, w->taken_event})
        if (event)
            cudaEventDestroy(event);
    contact_base_close(&w->base);
    free(w);
}

/* Returns an estimate of the memory in bytes for n disks. Assumes three cells per disk, which is about the maximum. */
static double grid_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double point = precision == NB_SINGLE ? sizeof(float2) : sizeof(double2);
    return (double)n * (3 * point + (CONTACT_PARTNERS + 2 + 2 * 3) * sizeof(uint32_t) + 1);
}

static const struct nb_force_shares grid_shares = {nullptr, nullptr, nullptr, nullptr, contact_together};

static const struct nb_force_steps grid_steps = {nb_contact_flags, contact_longest_step, grid_boundary, contact_report,
                                                 &nb_contact_counts_cuda};

extern "C" const struct nb_force nb_force_contact_grid_cuda;
const struct nb_force nb_force_contact_grid_cuda = {
    .method = "contact-grid",
    .device = "cuda",
    .about = "disks that touch, by cells and lists with a skin",
    .flags = NB_EXACT | NB_CONTACT | NB_BOUNDS_STEP | NB_PLANAR | NB_CARRIES_RUN,
    .kinds = nb_contact_grid_kinds,
    .tolerance = {1e-3, 1e-3, 1e-12, 0}, /* single, mixed, double, quad */
    .refuse = nb_contact_refuse,
    .field = grid_field,
    .recordable = grid_recordable,
    .open = grid_open,
    .close = grid_close,
    .carry = contact_carry,
    .work_bytes = grid_work_bytes,
    .steps = &grid_steps,
    .shares = &grid_shares,
};
