/* neighbours_run.cuh - the neighbour scheme on the GPU (force/neighbours.h): memory, sums of forces over the neighbours
 * of a body and over all other bodies, and the search for neighbours. */
#pragma once

#include "force/direct/cuda/direct_own.cuh"
#define OWN_STEP_CALL static __device__ __forceinline__
#include "device/own_regular.h"
#include "force/neighbours.h"

/* mass, predicted position and velocity of a body in one record, because lists access bodies in random order */
struct alignas(16) near_place {
    double x, y, z, m;
    double u, v, w, unused;
};

struct near_sum { /* acceleration and jerk */
    double a[3], j[3];
};

/* Change of the regular part of a body's acceleration, jerk and snap when a new neighbour list replaces the old list.
 * The regular part comes from all bodies outside the list. Its change is the contributions of the bodies that leave the
 * list, minus the contributions of the bodies that join it. */
struct near_change {
    double a[3], j[3], s[3];
};

struct near_regular { /* results at the end of a regular step, the longer of a body's two steps */
    /* acceleration and jerk caused by all bodies that were not in this body's neighbour list when the regular step
     * began */
    near_sum sum;
    near_change change;
};

struct near_state { /* must be zeros before a base step (the longest step; the steps of all bodies end at its end) */
    /* Times at which steps end are numbered t = 0, 1, ... inverse[t % 3]: maximum of 1 / (next step size) over the
     * bodies whose steps end at time t, as the bits of a double. At time t, the element of time t - 1 is reset to 0 for
     * time t + 2. */
    unsigned long long inverse[3];
    unsigned long long opened; /* maximum of 1 / (first step size) over all bodies, as the bits of a double */
    /* Maxima over all bodies at the end of a base step, as the bits of doubles. range[0]: 1 / (next step size that the
     * body needs). range[1]: time scale on which the force of the body's neighbours changes. */
    unsigned long long range[2];
    unsigned long long done, shortest, times, steps, pairs, massive;
    /* mean: mean mass of the `massive` bodies with nonzero mass; spread2: mean over all bodies of the squared distance
     * from the first body */
    double mean, spread2;
    unsigned stop, ended; /* 0 or 1. stop: the kernel returns when the steps that end now are complete; ended: the base
                             step has ended */
    own_rung rung[NB_RUNGS_MAX + 1];
};

struct near_run { /* device pointers; n elements each, one per body, unless stated otherwise */
    nb_neighbours w;
    nb_sources s; /* x and v: predicted positions and velocities */
    near_state *state;
    near_place *place;
    near_sum *irregular; /* for each due body (its step ends now): acceleration and jerk caused by its neighbours */
    near_regular *regular;
    /* (mass / mean of the nonzero masses)^(2/3). Body j is a neighbour of body i if its squared distance from i is
     * below w.d_reach2[i] * weight[j]. */
    double *weight;
    double *regular_begun; /* time at which the body's regular step began */
    /* due: indices of due bodies. regular_due: indices of due bodies whose regular steps also end. Each block of
     * threads has a list in both arrays. The lists of block b begin at element b * chunk. */
    uint32_t *due, *regular_due;
    uint32_t *due_counts, *regular_counts; /* numbers of entries of `due` and `regular_due`, for each block */
    uint64_t chunk;                        /* number of bodies per block */
    /* When regular steps end, the forces of bodies that are not neighbours are summed, for one batch of targets at a
     * time. A batch has `count` targets, at most `batch`. The sources are divided into parts. Element p * count + t of
     * `partial`, `found_count` and `found` belongs to part p of the sources and target t of the batch. */
    uint32_t batch;
    near_sum *partial;
    /* found_count: number of neighbours found; found: lists of the indices of these neighbours, each with room for
     * w.most indices */
    uint32_t *found_count, *found;
    uint32_t *fresh;      /* new neighbour lists of the bodies of the batch, each with room for w.most indices */
    uint64_t most, whole; /* most: the kernel returns after `most` times at which steps end; whole: number of units
                             of time in a base step */
    int log2_whole;
};

/* Allocates the arrays of r. Queues kernels that compute r.weight, the masses in r.place, and the members `mean`,
 * `massive` and `spread2` of *r.state. Sets *blocks to the number of blocks of a persistent kernel. Returns -1 after
 * nb_fail. */
int near_begin(direct_work *work, const nb_sources *s, const nb_neighbours *w, near_run &r, unsigned *blocks);
/* Implements nb_force_neighbours.start. */
int near_start(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w);

static __device__ __forceinline__ unsigned lane_of()
{
    return threadIdx.x % 32;
}

static __device__ __forceinline__ moving_body<double> body_of(const near_place &p)
{
    return {p.x, p.y, p.z, p.u, p.v, p.w, p.m};
}

static __device__ __forceinline__ double mass_of(const near_run &r, uint64_t i)
{
    return ((const double *)r.s.m)[i];
}

/* Called by a warp: sums the accelerations and jerks of its lanes, and returns G times these sums. */
static __device__ __forceinline__ near_sum total_of(const jerk_sums<double> &sum, double G)
{
    near_sum total = {{G * sum.ax, G * sum.ay, G * sum.az}, {G * sum.jx, G * sum.jy, G * sum.jz}};
    sum_lanes(total);
    return total;
}

/* ---- neighbours ---- */

static __device__ __forceinline__ const uint32_t *list_of(const near_run &r, uint32_t i)
{
    return r.w.d_list + (uint64_t)i * r.w.most;
}

/* Called by a warp: returns the acceleration and jerk of body i caused by the `count` neighbours in its list. The
 * neighbours are distributed over the lanes. */
static __device__ near_sum pull(const near_run &r, uint32_t i, uint32_t count)
{
    const uint32_t *list = list_of(r, i);
    const double eps2 = r.s.softening * r.s.softening;
    const moving_body<double> to = body_of(r.place[i]);
    jerk_sums<double> sum = {};
#pragma unroll 2
    for (uint32_t k = lane_of(); k < count; k += 32)
        add(sum, body_of(r.place[list[k]]), to, eps2, false);
    return total_of(sum, r.s.G);
}

/* Returns the index of the first element that is at least j, or `count`. The list is in ascending order. */
static __device__ __forceinline__ uint32_t place_in(const uint32_t *list, uint32_t count, uint32_t j)
{
    uint32_t low = 0;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool right = list[low + half] < j;
        low += right ? half + 1 : 0;
        count = right ? count - half - 1 : half;
    }
    return low;
}

static __device__ __forceinline__ bool is_in(const uint32_t *list, uint32_t count, uint32_t j)
{
    const uint32_t at = place_in(list, count, j);
    return at < count && list[at] == j;
}

/* Called by a warp. Each lane has a body index j, which increases with the lane. Lanes whose `near` is true append
 * their j to `list`, which has `count` elements and room for `most`. Adds the number of these lanes to `count`, even if
 * `list` is too short for all of them. */
static __device__ __forceinline__ void append(uint32_t *list, uint32_t &count, uint32_t most, bool near, uint32_t j)
{
    const unsigned all = __ballot_sync(ALL, near);
    const uint32_t at = count + (uint32_t)__popc(all & ((1u << lane_of()) - 1));
    if (near && at < most)
        list[at] = j;
    count += (uint32_t)__popc(all);
}

/* Called by a warp: finds the bodies j other than i whose squared distance from body i is below reach2 * weight[j].
 * Writes at most w.most of their indices to `list`. Returns the number of all bodies found. */
static __device__ uint32_t find(const near_run &r, uint32_t i, double reach2, uint32_t *list)
{
    const uint32_t n = (uint32_t)r.s.n;
    const uint64_t stride = r.s.stride;
    const double *x = (const double *)r.s.x, xi = x[i], yi = x[i + stride], zi = x[i + 2 * stride];
    uint32_t count = 0;
#pragma unroll 4
    for (uint32_t j0 = 0; j0 < n; j0 += 32) {
        const uint32_t j = j0 + lane_of(), from = j < n ? j : i;
        const double dx = x[from] - xi, dy = x[from + stride] - yi, dz = x[from + 2 * stride] - zi;
        append(list, count, r.w.most, from != i && fma(dx, dx, fma(dy, dy, dz * dz)) < reach2 * r.weight[from], j);
    }
    __syncwarp();
    return count;
}

/* ---- all other bodies ---- */

/* Called by a warp. Marks the sources whose force on a target must not be summed: the target itself, which is body
 * `own`, and its neighbours, the `count` body indices in `list` in ascending order. Examines the sources j0 to
 * j0 + 32 * RUN - 1: bit b of skip[w] becomes 1 if source j0 + 32 w + b is marked, otherwise 0. list[at] is the first
 * neighbour with an index of at least j0. Returns `at` for the next call, which begins at source j0 + 32 * RUN. */
static __device__ __forceinline__ uint32_t mark(uint32_t *skip, const uint32_t *list, uint32_t at, uint32_t count,
                                                uint32_t own, uint32_t j0)
{
    const uint32_t lane = lane_of();
    unsigned all = ALL;
    __syncwarp();
    if (lane < RUN)
        skip[lane] = (own - j0) / 32 == lane ? 1u << own % 32 : 0;
    __syncwarp();
    while (all == ALL) {
        const uint32_t j = at + lane < count ? list[at + lane] : UINT32_MAX;
        const bool in = j - j0 < 32 * RUN;
        if (in)
            atomicOr(&skip[(j - j0) / 32], 1u << j % 32);
        all = __ballot_sync(ALL, in);
        at += (uint32_t)__popc(all);
    }
    __syncwarp();
    return at;
}

/* targets of a warp, and results for these targets */
template <int TARGETS> struct near_targets {
    uint32_t own[TARGETS];
    uint32_t *found[TARGETS]; /* for each target, a list for its new neighbours, with room for w.most indices */
    uint32_t count[TARGETS];  /* number of entries of each list in `found` */
    jerk_sums<double> sum[TARGETS];
};

/* Called by a warp: computes the forces of sources [begin, end) on each target k, and adds them to t.sum[k]. Skips the
 * sources in the target's neighbour list. With FIND, appends the sources that are now neighbours of the target to
 * t.found[k]. The sources are distributed over the lanes. `begin` is a multiple of 32. skip: work space, TARGETS * RUN
 * words of shared memory per warp. */
template <int TARGETS, bool FIND>
static __device__ __forceinline__ void pull_rest(const near_run &r, near_targets<TARGETS> &t, uint32_t begin,
                                                 uint32_t end, uint32_t *skip)
{
    const double eps2 = r.s.softening * r.s.softening;
    moving_body<double> target[TARGETS];
    double reach2[TARGETS];
    uint32_t at[TARGETS];
    for (int k = 0; k < TARGETS; k++) {
        read(target[k], r.s.x, r.s.v, nullptr, nullptr, r.s.stride, t.own[k]);
        reach2[k] = ((const double *)r.w.d_reach2)[t.own[k]];
        at[k] = place_in(list_of(r, t.own[k]), r.w.d_count[t.own[k]], begin);
    }
    for (uint32_t j0 = begin; j0 < end; j0 += 32 * RUN) {
        for (int k = 0; k < TARGETS; k++)
            at[k] = mark(skip + k * RUN, list_of(r, t.own[k]), at[k], r.w.d_count[t.own[k]], t.own[k], j0);
        const uint32_t rows = min((end - j0 + 31) / 32, (uint32_t)RUN);
#pragma unroll 2
        for (uint32_t row = 0; row < rows; row++) {
            const uint32_t j = j0 + 32 * row + lane_of(), from = j < end ? j : begin;
            const double weight = FIND ? r.weight[from] : 0;
            moving_body<double> source;
            read(source, r.s.x, r.s.v, nullptr, r.s.m, r.s.stride, from);
#pragma unroll
            for (int k = 0; k < TARGETS; k++) {
                add(t.sum[k], source, target[k], eps2, j >= end || skip[k * RUN + row] >> lane_of() & 1);
                const double dx = source.x - target[k].x, dy = source.y - target[k].y, dz = source.z - target[k].z;
                const double r2 = fma(dx, dx, fma(dy, dy, dz * dz));
                if (FIND)
                    append(t.found[k], t.count[k], r.w.most, j < end && j != t.own[k] && r2 < reach2[k] * weight, j);
            }
        }
    }
    __syncwarp();
}
