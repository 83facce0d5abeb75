/* contact_boundary.cuh - the boundary conditions of contact.h on the GPU. The kernel also prepares the following force
 * evaluation, because both read all positions. */
#pragma once

#include "force/contact/cuda/contact_cuda.cuh"

#include <cmath>
#include <Random123/philox.h>

template <typename T> struct edges { /* parameters of the boundary conditions: the box and the inlet */
    double low[2], high[2];
    /* a coordinate of type T is in the box along axis k if from[k] <= coordinate < to[k]. from[k] and to[k] are
     * infinite if the axis is not periodic */
    T from[2], to[2];
    T fringe; /* x at which the inlet's fringe ends (contact_inlet.h); -infinity without a flow */
    struct nb_contact_inlet inlet;
    double speed, sound, density, radius, stiffness;
    uint64_t seed;
};

/* Returns the first two numbers of nb_rng_uniforms. */
static __device__ double2 uniforms(uint64_t seed, uint64_t stream, uint64_t body, uint64_t draw)
{
    const philox4x64_key_t key = {{seed, stream}};
    const philox4x64_ctr_t counter = {{body, draw, 0, 0}}, random = philox4x64(counter, key);
    return make_double2(((double)(random.v[0] >> 12) + 0.5) * 0x1p-52, ((double)(random.v[1] >> 12) + 0.5) * 0x1p-52);
}

/* Returns the first two numbers of nb_rng_normals, except for differences by rounding. */
static __device__ double2 normals(uint64_t seed, uint64_t body, uint64_t draw)
{
    const double2 u = uniforms(seed, NB_CONTACT_STREAM, body, draw);
    const double radius = sqrt(-2 * log(u.x));
    double s, c;
    sincospi(2 * u.y, &s, &c);
    return make_double2(radius * c, radius * s);
}

/* Returns the coordinate x along `axis` after moving it into the box, as nb_contact_wrapped does. */
template <typename T> static __device__ T wrapped(const edges<T> &e, int axis, T x)
{
    const double low = e.low[axis], high = e.high[axis], length = high - low;
    const T y = (T)(x - length * floor((x - low) / length));
    return !isfinite(x) ? x : (double)y < high && (double)y >= low ? y : (T)low;
}

template <typename T> struct disk { /* position and velocity of a disk; the inlet changes both */
    T &x, &y, &vx, &vy, &vz;
};

struct inlet_step { /* values for one step, the same for all disks */
    unsigned long long number;
    /* mixes: disks in the chamber get new positions in this step; counts: this step measures the stock (the mass in
     * chamber and entry, contact_inlet.h); known: an earlier step measured the stock, so `rate` is valid */
    bool mixes, counts, known;
    struct nb_contact_rate rate;
};

/* Applies the inlet to disk i (global index), which is in the fringe: changes its velocity and, in the chamber, its
 * position. radius: the disk's own radius; NULL if all disks have the header's radius. */
template <typename T>
static __device__ void let_in(const edges<T> &e, const inlet_step &t, uint64_t i, double mass, const T *radius,
                              const disk<T> &d)
{
    const nb_contact_inlet &in = e.inlet;
    const double x = (double)d.x;
    if (x >= in.outlet) {
        if ((i / 32 + t.number) % NB_CONTACT_DRAW_STEPS == 0) {
            const double sigma =
                contact_sigma(e.sound, e.density, radius ? (double)*radius : e.radius, mass, e.stiffness);
            const double2 g = normals(e.seed, i, t.number);
            d.vx = (T)(e.speed + sigma * g.x);
            d.vy = (T)(sigma * g.y);
            d.vz = 0;
        }
        return;
    }
    if (t.mixes && x >= in.chamber && x < in.nozzle) {
        const double2 u = uniforms(e.seed, NB_CONTACT_PLACES, i, t.number);
        d.x = (T)(in.chamber + u.x * (in.nozzle - in.chamber));
        d.y = (T)(in.low[1] + u.y * (in.high - in.low[1]));
    }
    if (t.known) {
        d.vx = (T)contact_inlet_speed(&in, &t.rate, (double)d.x);
        d.vy = 0;
        d.vz = 0;
    }
}

/* number of blocks per multiprocessor; small, because each block updates the counters in device memory */
#define BOUNDARY_BLOCKS 4
#define BOUNDARY_DISKS  2 /* number of disks that a thread loads at the same time */

/* Called by one thread of each block at the end of the kernel. Adds the block's sums `counted` to the counters. When
 * the last block calls it, no block still reads the counters, so this call also sets them for the next step. */
static __device__ void end_step(const inlet_step &t, const unsigned long long *counted, contact_counters *counters)
{
    for (int k = 0; k < 2; k++)
        if (counted[k] > 0)
            atomicAdd(&counters->counted[k], counted[k]);
    __threadfence();
    if (atomicAdd(&counters->done, 1u) < gridDim.x - 1)
        return;
    __threadfence();
    counters->done = 0;
    counters->step = t.number + 1;
    if (t.known) {
        counters->tally.let.steps++;
        counters->tally.let.filling += fmin(contact_filling(&counters->tally.stock), 1.0);
    }
    if (t.counts) {
        counters->tally.stock.chamber = atomicExch(&counters->counted[0], 0ull);
        counters->tally.stock.entry = atomicExch(&counters->counted[1], 0ull);
    }
}

/* Sets *t to the values of this step, which are the same for all disks. Called by one thread of a block. */
template <typename T>
static __device__ void begin_step(const edges<T> &e, const contact_counters *counters, inlet_step *t)
{
    const bool flows = e.fringe > (T)e.low[0];
    t->number = counters->step;
    t->mixes = t->number % NB_CONTACT_MIX_STEPS == 0;
    t->known = counters->tally.stock.chamber != NB_CONTACT_UNKNOWN;
    t->counts = flows && (t->mixes || !t->known);
    t->rate = contact_rate(&e.inlet, &counters->tally.stock);
}

template <typename T> struct moving { /* all disks of the state; rows of `stride` elements */
    uint64_t n, stride, first;        /* first: global index of disk 0 */
    const T *m, *radius;
    T *x, *v;
};

/* Applies the boundary conditions to disk i, which is in the inlet's fringe or outside the box. If this step measures
 * the stock (the masses in chamber and entry of the inlet), adds the disk's mass to the block's sums `counted`. Then
 * calls next.put (see apply_boundary), and returns whether the lists of partners must be rebuilt. */
template <typename T, typename V>
static __device__ __forceinline__ bool move(const edges<T> &e, const inlet_step &t, const moving<T> &all, uint64_t i,
                                            const V &next, unsigned long long *counted)
{
    const T x0 = all.x[i], y0 = all.x[i + all.stride];
    T x = x0, y = y0, *v = all.v + i;
    if (!(x >= e.from[0] && x < e.to[0]))
        x = wrapped(e, 0, x);
    if (x < e.fringe) {
        const double mass = (double)all.m[i];
        if (t.counts && (double)x < e.inlet.nozzle)
            atomicAdd(&counted[(double)x < e.inlet.chamber], (unsigned long long)contact_stock(&e.inlet, mass));
        let_in(e, t, all.first + i, mass, all.radius ? all.radius + i : nullptr,
               disk<T>{x, y, v[0], v[all.stride], v[2 * all.stride]});
    }
    if (!(y >= e.from[1] && y < e.to[1]))
        y = wrapped(e, 1, y);
    if (x != x0)
        all.x[i] = x;
    if (y != y0)
        all.x[i + all.stride] = y;
    return next.put(i, x, y, next.read(i));
}

/* Applies the boundary conditions to all disks. Reads and writes x and v. If this step measures the stock (the masses
 * in chamber and entry of the inlet), adds it to `counters`.
 * - A block processes tiles of NB_BLOCK * BOUNDARY_DISKS disks.
 * - Disks inside the box and outside the inlet's fringe do not change. The other disks are few and scattered. The block
 *   collects them in a queue in shared memory until there is a disk for each thread.
 * - `next` prepares the following force evaluation. next.read(i) returns data of disk i. next.put(i, x, y, data) stores
 *   the disk's position, and returns whether the lists of partners must be rebuilt. */
template <typename T, typename V>
static __global__ void __launch_bounds__(NB_BLOCK, BOUNDARY_BLOCKS)
    apply_boundary(const __grid_constant__ moving<T> all, const __grid_constant__ edges<T> e,
                   contact_counters *counters, const __grid_constant__ V next, bool counts)
{
    const uint64_t tile = NB_BLOCK * BOUNDARY_DISKS;
    __shared__ inlet_step t;
    __shared__ unsigned long long counted[2];
    __shared__ uint32_t queue[NB_BLOCK * (BOUNDARY_DISKS + 1)], queued;
    bool build = false;
    if (threadIdx.x == 0) {
        begin_step(e, counters, &t);
        counted[0] = counted[1] = queued = 0;
    }
    if (blockIdx.x == 0 && counts)
        contact_begin(counters);
    __syncthreads();
    for (uint64_t begin = blockIdx.x * tile; begin < all.n; begin += gridDim.x * tile) {
        T x[BOUNDARY_DISKS], y[BOUNDARY_DISKS];
        typename V::before before[BOUNDARY_DISKS];
        for (int k = 0; k < BOUNDARY_DISKS; k++) {
            const uint64_t i = min(begin + k * NB_BLOCK + threadIdx.x, all.n - 1);
            x[k] = all.x[i];
            y[k] = all.x[i + all.stride];
            before[k] = next.read(i);
        }
        for (int k = 0; k < BOUNDARY_DISKS; k++) {
            const uint64_t i = begin + k * NB_BLOCK + threadIdx.x;
            const bool stays =
                x[k] >= e.from[0] && x[k] < e.to[0] && !(x[k] < e.fringe) && y[k] >= e.from[1] && y[k] < e.to[1];
            if (i < all.n && stays)
                build |= next.put(i, x[k], y[k], before[k]);
            else if (i < all.n)
                queue[atomicAdd(&queued, 1u)] = (uint32_t)i;
        }
        __syncthreads();
        const bool last = begin + gridDim.x * tile >= all.n;
        uint32_t left = queued;
        while (left >= NB_BLOCK || (last && left > 0)) {
            const uint32_t some = min(left, (uint32_t)NB_BLOCK);
            left -= some;
            if (threadIdx.x < some)
                build |= move(e, t, all, queue[left + threadIdx.x], next, counted);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            queued = left;
        __syncthreads();
    }
    build = __syncthreads_or(build);
    if (threadIdx.x > 0)
        return;
    if (build)
        counters->build = 1;
    end_step(t, counted, counters);
}

/* Returns the smallest number of type T that is not below `bound`. */
template <typename T> static T least_from(double bound)
{
    const T rounded = (T)bound;
    return (double)rounded < bound ? std::nextafter(rounded, (T)INFINITY) : rounded;
}

/* Launches apply_boundary for the disks of s. first: global index of the first disk of s. counts: true if the next
 * force evaluation sums the forces on walls. */
template <typename T, typename V>
static int contact_bound(contact_base *w, struct nb_state *s, uint64_t first, const V &next, bool counts = false)
{
    const nb_scene *scene = &w->contact.scene;
    const unsigned tiles = nb_blocks_for((s->n + BOUNDARY_DISKS - 1) / BOUNDARY_DISKS);
    const moving<T> all = {
        s->n,      s->stride, first, (const T *)s->m, w->contact.own_radii ? (const T *)s->radius : nullptr,
        (T *)s->x, (T *)s->v};
    int processors = 0;
    if (NB_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, w->device->index)))
        return -1;
    const unsigned most = BOUNDARY_BLOCKS * (unsigned)processors, blocks = tiles < most ? (tiles ? tiles : 1) : most;
    edges<T> e = {};
    for (int k = 0; k < 2; k++) {
        e.low[k] = scene->low[k];
        e.high[k] = scene->high[k];
        e.from[k] = scene->periodic[k] ? least_from<T>(scene->low[k]) : (T)-INFINITY;
        e.to[k] = scene->periodic[k] ? least_from<T>(scene->high[k]) : (T)INFINITY;
    }
    e.fringe = scene->flowing ? least_from<T>(nb_contact_fringe(scene)) : (T)-INFINITY;
    e.inlet = w->contact.inlet;
    e.speed = scene->speed;
    e.sound = scene->speed / scene->mach;
    e.density = scene->density;
    e.radius = scene->radius;
    e.stiffness = scene->stiffness;
    e.seed = w->contact.seed;
    w->counted = scene->flowing && (w->number % NB_CONTACT_MIX_STEPS == 0 || !w->known);
    w->known |= w->counted;
    w->number++;
    apply_boundary<<<blocks, NB_BLOCK, 0, w->stream>>>(all, e, contact_counters_of(w), next, counts);
    return NB_CUDA(cudaGetLastError());
}
