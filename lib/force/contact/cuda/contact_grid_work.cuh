/* contact_grid_work.cuh - contact-grid on the GPU: working memory, and functions that are used with one device and with
 * several devices (shape of the grid, allocation, launch of grid_build, kernel of the forces). */
#pragma once

#include "force/contact/cuda/contact_grid.cuh"

struct grid_work {
    contact_base base; /* first member: the functions of contact_base.cu receive a pointer to it */
    double skin;       /* maximum gap between a disk and its listed partners, divided by the radius in the header */
    uint64_t n;        /* number of disks for which memory is allocated; 0: none */
    enum nb_precision precision;
    grid_shape shape;
    unsigned blocks; /* number of blocks of grid_build */
    bool prepared;   /* true: apply_boundary has done the work of grid_prepare for the next evaluation */
    /* The following members are used with several devices (contact_together.cu). apart: only this device's own disks
     * have lists. Events: after prepared_event, other devices can read this device's positions and flag; after
     * taken_event, this device has copied the positions of other devices. */
    bool apart;
    cudaEvent_t prepared_event, taken_event;
    nb_cuda_buffer flags, ghosts;
    nb_cuda_buffer now, built, count, start, sorted, number, rank, first, partner, about, sums;
};

/* ---- the field ---- */

/* Returns a mask: bit k is 1 if partner j[k] touches the disk at position `me`, for k from 0 to count - 1. Writes the
 * positions of all GRID_FIRST partners to `other`. First loads all positions, so that these loads overlap in time. */
template <typename P>
static __device__ __forceinline__ uint32_t touching(const grid_view<P> &g, const typename P::point &me, uint32_t count,
                                                    const uint32_t (&j)[GRID_FIRST],
                                                    typename P::point (&other)[GRID_FIRST])
{
    const typename P::real reach2 = g.contact.law.reach * g.contact.law.reach;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < GRID_FIRST; k++)
        other[k] = g.now[j[k]];
    for (uint32_t k = 0; k < GRID_FIRST; k++)
        if (k < count && contact_near(g.contact, me, other[k], reach2))
            bits |= 1u << k;
    return bits;
}

/* Adds the forces of at most GRID_FIRST partners on disk i. Loops only over the partners that touch the disk. The
 * number of iterations of a warp is therefore the largest number of touching partners of its lanes. */
template <typename P>
static __device__ __forceinline__ void add_some(const grid_view<P> &g, uint64_t i, const typename P::point &me,
                                                uint32_t count, const uint32_t (&j)[GRID_FIRST], typename P::sum *sum)
{
    typename P::point other[GRID_FIRST];
    for (uint32_t bits = touching(g, me, count, j, other); bits; bits &= bits - 1) {
        uint32_t number = j[0];
        typename P::point place = other[0];
        /* The loop is unrolled: the indices are then constant, and the arrays stay in registers. */
        for (uint32_t k = 1; k < GRID_FIRST; k++)
            if (bits >> k << k == bits) {
                number = j[k];
                place = other[k];
            }
        contact_add_disk(g.contact, i, number, me, place, sum);
    }
}

/* Adds the forces of partners GRID_FIRST to count - 1 in the list of disk i. */
template <typename P>
static __device__ __forceinline__ void add_others(const grid_view<P> &g, uint64_t i, const typename P::point &me,
                                                  uint32_t count, typename P::sum *sum)
{
    for (uint32_t n = GRID_FIRST; n < count; n += GRID_FIRST) {
        uint32_t j[GRID_FIRST];
        for (uint32_t k = 0; k < GRID_FIRST; k++)
            j[k] = n + k < count ? g.partner[(n + k - GRID_FIRST) * g.stride + i] : (uint32_t)i;
        add_some(g, i, me, count - n, j, sum);
    }
}

/* Adds the forces of all partners of disk i, which has too many partners for a list. Searches the cells several times,
 * for CONTACT_PARTNERS partners each time. */
template <typename P>
static __device__ __forceinline__ void add_many(const grid_view<P> &g, uint32_t i, const typename P::point &me,
                                                typename P::sum *sum)
{
    const typename P::real reach2 = g.contact.law.reach * g.contact.law.reach;
    const int2 cell = grid_cell(g.shape, g.built[i]);
    contact_found found;
    int64_t after = -1;
    do {
        grid_collect(
            g, cell, me, i, after, reach2, 0, [&](uint32_t slot) { return g.now[g.number[slot]]; }, &found);
        for (uint32_t k = 0; k < contact_held(found.count); k++) {
            after = found.number[k];
            contact_add_disk(g.contact, i, (uint64_t)after, me, g.now[after], sum);
        }
    } while (found.count > CONTACT_PARTNERS);
}

/* Returns `sum` plus the remaining forces on disk i: those of walls, and those of partners after the first GRID_FIRST.
 * Few disks have such forces. `sum` is passed by value, because a variable whose address is taken does not stay in
 * registers. */
template <typename P>
static __device__ __noinline__ typename P::sum sum_rest(const grid_view<P> &g, uint32_t i, typename P::point me,
                                                        uint32_t about, typename P::sum sum, contact_counters *counters)
{
    if (about & GRID_MANY)
        add_many(g, i, me, &sum);
    else
        add_others(g, i, me, about & GRID_COUNT, &sum);
    return about & GRID_WALL ? contact_add_walls(g.contact, i, me, sum, counters) : sum;
}

/* Computes contact forces. One thread per target, t.n targets. Blocks process the targets in reverse order, because the
 * positions of the last disks were written last and are still in the cache. Reads the walls and the arrays `now`,
 * `first`, `partner` and `about` of g. Writes the outputs in `out`, and the forces on walls to `counters` (may be
 * NULL). */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK, sizeof(typename P::state) == sizeof(float) ? 6 : 4)
    grid_forces(const __grid_constant__ grid_view<P> g, const __grid_constant__ nb_targets t,
                const __grid_constant__ nb_field out, contact_counters *counters)
{
    const uint64_t k = (uint64_t)(gridDim.x - 1 - blockIdx.x) * NB_BLOCK + threadIdx.x;
    if (k >= t.n)
        return;
    const uint64_t i = contact_disk(t, k);
    const uint4 first = g.first[i];
    const typename P::point me = g.now[i];
    const uint32_t about = *g.contact.crowded ? 0 : g.about[i], count = about & GRID_COUNT;
    typename P::sum sum = {};
    if (!(about & GRID_MANY))
        add_some(g, i, me, count, {first.x, first.y, first.z, first.w}, &sum);
    if (about & (GRID_MANY | GRID_WALL) || count > GRID_FIRST)
        sum = sum_rest(g, (uint32_t)i, me, about, sum, counters);
    contact_put(g.contact, i, k, sum, out);
}

/* ---- memory and shape ---- */

/* Computes the number of cells along an axis, and the number of cells per unit of length. Along a periodic axis,
 * `cells` cells fill the box exactly. Otherwise the width of a cell is `edge`, and positions outside the grid are
 * possible. They also have a cell, because the grid is repeated periodically (grid_cell). */
static inline void grid_cover(const nb_scene *s, int axis, double edge, double cells, int *count, double *per_length)
{
    *count = (int)cells;
    *per_length = s->periodic[axis] ? cells / (s->high[axis] - s->low[axis]) : 1 / edge;
}

/* Chooses the number and width of the cells. A cell is at least as wide as `reach`, the largest distance of two disks
 * that are in each other's list. Such disks are then in the same cell or in adjacent cells. If there is a box, the area
 * of a cell is also at least half of the area per disk, which limits the number of cells. */
static inline grid_shape grid_shape_for(const nb_scene *s, double reach, uint64_t n)
{
    grid_shape shape = {};
    const double most = fmin(2e9, 4.0 * (double)n + 1024);
    const double length[2] = {s->high[0] - s->low[0], s->high[1] - s->low[1]};
    double edge = reach * (1 + 1e-6), cells[2];
    if (s->boxed)
        edge = fmax(edge, sqrt(length[0] * length[1] / (2.0 * (double)n)));
    for (int k = 0; k < 2; k++) {
        cells[k] = !s->boxed ? sqrt(most) : s->periodic[k] ? length[k] / edge : ceil(length[k] / edge);
        cells[k] = floor(fmax(1, fmin(cells[k], most)));
    }
    const int larger = cells[1] > cells[0];
    cells[larger] = fmin(cells[larger], fmax(1, floor(most / cells[!larger])));
    shape.x0 = s->boxed ? s->low[0] : 0;
    shape.y0 = s->boxed ? s->low[1] : 0;
    grid_cover(s, 0, edge, cells[0], &shape.nx, &shape.per_x);
    grid_cover(s, 1, edge, cells[1], &shape.ny, &shape.per_y);
    return shape;
}

/* Returns the maximum gap between a disk and its listed partners, as a length. (w->skin is the gap divided by the
 * radius.) */
static inline double grid_skin(const grid_work *w)
{
    return w->skin * w->base.contact.scene.radius;
}

static inline double grid_reach(const grid_work *w)
{
    return 2 * w->base.contact.scene.radius + grid_skin(w);
}

/* Returns the distance by which a disk may move before the lists become invalid: half of the skin, reduced by the
 * rounding error of distances across a periodic box. */
static inline double grid_way(const grid_work *w)
{
    const nb_scene *s = &w->base.contact.scene;
    const double last_bit = w->precision == NB_SINGLE ? 0x1p-23 : 0x1p-52;
    double longest = 0;
    for (int k = 0; k < 2; k++)
        if (s->periodic[k])
            longest = fmax(longest, s->high[k] - s->low[k]);
    return 0.999 * grid_skin(w) / 2 - 2 * last_bit * longest;
}

/* Allocates memory for n disks and marks the lists as not built. */
template <typename P> static int grid_reserve(grid_work *w, enum nb_precision precision, uint64_t n)
{
    const uint64_t stride = (n + 63) / 64 * 64;
    int blocks = 0, processors = 0;
    w->n = 0;
    w->shape = grid_shape_for(&w->base.contact.scene, grid_reach(w), n);
    const size_t cells = (size_t)w->shape.nx * w->shape.ny, point = sizeof(typename P::point);
    if (NB_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, w->base.device->index)) ||
        NB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_build<P>, NB_BLOCK, 0)))
        return -1;
    w->blocks = (unsigned)(blocks * processors);
    if (nb_cuda_reserve(&w->now, n * point) || nb_cuda_reserve(&w->built, n * point) ||
        nb_cuda_reserve(&w->sorted, n * point) || nb_cuda_reserve(&w->count, cells * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->start, (cells + 1) * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->number, n * sizeof(uint32_t)) || nb_cuda_reserve(&w->rank, n * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->first, n * sizeof(uint4)) ||
        nb_cuda_reserve(&w->partner, (CONTACT_PARTNERS - GRID_FIRST) * stride * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->about, n) || nb_cuda_reserve(&w->sums, w->blocks * sizeof(uint32_t)) ||
        /* A kernel reads the partners' positions even if a list is empty. The lists must therefore contain valid
         * indices before the first build. */
        NB_CUDA(cudaMemsetAsync(w->first.d, 0, n * sizeof(uint4), w->base.stream)) ||
        NB_CUDA(cudaMemsetAsync(w->built.d, 0xff, n * point, w->base.stream)) ||
        NB_CUDA(cudaMemsetAsync(w->count.d, 0, cells * sizeof(uint32_t), w->base.stream)))
        return -1;
    w->n = n;
    w->precision = precision;
    return 0;
}

/* Makes the next evaluation rebuild the lists. */
static inline int grid_forget_lists(const grid_work *w)
{
    unsigned int *build = &contact_counters_of(&w->base)->build;
    return NB_CUDA(cudaMemsetAsync(build, 1, sizeof *build, w->base.stream));
}

template <typename P> static grid_view<P> grid_view_of(const grid_work *w, const nb_sources *s, const nb_targets *t)
{
    typedef typename P::point point;
    const double way = grid_way(w), reach = grid_reach(w);
    grid_view<P> g = {};
    g.shape = w->shape;
    g.contact = contact_view_of<P>(&w->base, s, t);
    g.way = fmax(way, 0);
    g.way2 = (typename P::state)(way > 0 ? way * way : -1);
    g.reach2 = (typename P::real)(reach * reach * (1 + 1e-6));
    g.margin = (typename P::real)grid_skin(w);
    g.n = g.end = w->n;
    g.stride = (w->n + 63) / 64 * 64;
    g.now = (point *)w->now.d;
    g.built = (point *)w->built.d;
    g.sorted = (point *)w->sorted.d;
    g.count = (uint32_t *)w->count.d;
    g.start = (uint32_t *)w->start.d;
    g.number = (uint32_t *)w->number.d;
    g.rank = (uint32_t *)w->rank.d;
    g.first = (uint4 *)w->first.d;
    g.partner = (uint32_t *)w->partner.d;
    g.about = (uint8_t *)w->about.d;
    g.sums = (uint32_t *)w->sums.d;
    return g;
}

/* ---- launches ---- */

/* Launches grid_build as a cooperative kernel: all blocks are resident. */
template <typename P> static int grid_launch_build(const grid_work *w, const grid_view<P> &g)
{
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(w->blocks);
    config.blockDim = dim3(NB_BLOCK);
    config.stream = w->base.stream;
    config.attrs = &together;
    config.numAttrs = 1;
    return NB_CUDA(cudaLaunchKernelEx(&config, grid_build<P>, g, contact_counters_of(&w->base)));
}

template <typename P> static grid_next<P> grid_next_of(const grid_view<P> &g)
{
    return {g.now, g.built, g.contact.space, g.way2};
}
