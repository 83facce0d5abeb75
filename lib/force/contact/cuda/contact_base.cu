/* What a contact row does on the GPU beside its field: boundary, the bound of the step, forces on walls. */
#include "device/timing.h"
#include "force/contact/cuda/contact_cuda.cuh"
#include "pack.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <Random123/philox.h>

/* ---- opened, closed ---- */

struct table_part { /* of the walls: host memory, and where its device pointer goes */
    const void *from;
    size_t size_bytes;
    void **to;
};

static int copy_walls(contact_base *w)
{
    const nb_contact_walls *t = &w->walls;
    nb_contact_walls *d = &w->d_walls;
    const size_t cells = (size_t)t->cells[0] * t->cells[1];
    *d = *t;
    if (cells == 0)
        return 0;
    const table_part parts[] = {{t->segment, t->segments * sizeof *t->segment, (void **)&d->segment},
                                {t->begin, (cells + 1) * sizeof *t->begin, (void **)&d->begin},
                                {t->item, t->begin[cells] * sizeof *t->item, (void **)&d->item},
                                {t->solid, cells, (void **)&d->solid}};
    size_t at = 0;
    for (const table_part &part : parts)
        at += (part.size_bytes + 255) / 256 * 256;
    if (nb_cuda_reserve(&w->table, at))
        return -1;
    at = 0;
    for (const table_part &part : parts) {
        *part.to = (char *)w->table.d + at;
        if (nb_device_to(w->device, *part.to, part.from, part.size_bytes))
            return -1;
        at += (part.size_bytes + 255) / 256 * 256;
    }
    return 0;
}

int contact_base_open(contact_base *w, struct nb_device *device, const struct nb_force_spec *spec,
                      const struct nb_meta *meta)
{
    contact_counters counters = {};
    if (nb_contact_make(spec, meta, &w->contact))
        return -1;
    const nb_scene *s = &w->contact.scene;
    w->device = device;
    w->stream = nb_cuda_stream(device);
    w->unit = NB_CONTACT_UNIT * s->stiffness * s->radius;
    counters.step = w->contact.first_step + 1;
    counters.stock = w->contact.first_stock;
    if (nb_contact_walls_make(s, &w->walls)) {
        nb_contact_free(&w->contact);
        return -1;
    }
    if (nb_cuda_enter(device) || copy_walls(w) || nb_cuda_reserve(&w->counters, sizeof counters) ||
        nb_device_to(device, w->counters.d, &counters, sizeof counters)) {
        contact_base_close(w);
        return -1;
    }
    return 0;
}

void contact_base_close(contact_base *w)
{
    nb_contact_free(&w->contact);
    nb_contact_walls_free(&w->walls);
    if (nb_cuda_enter(w->device) == 0) {
        nb_cuda_release(&w->table);
        nb_cuda_release(&w->counters);
    }
}

unsigned contact_opened_flags(const void *work)
{
    return nb_contact_flags(&((const contact_base *)work)->contact);
}

int contact_check(const contact_base *w, const nb_sources *s, const nb_targets *t)
{
    if (!t->index && t->self < 0)
        return nb_fail("contact forces act between disks, and not at other points");
    if (s->n >= (uint64_t)1 << 31)
        return nb_fail("contact forces take fewer than 2^31 disks");
    if (w->contact.own_radii && !s->radius)
        return nb_fail("contact forces with radius=column want the radii of all disks");
    if (w->contact.scene.damping > 0 && !s->v && !(contact_is_all(s, t) && t->v))
        return nb_fail("contact forces with damping want the velocities of all disks");
    return 0;
}

/* ---- the boundary ---- */

template <typename T> struct edges { /* of the box, as the boundary needs them */
    double low[2], high[2];
    T from[2], to[2]; /* a place x of type T is in the box where from <= x < to: infinite where it is not periodic */
    T fringe;         /* the inlet's end, or below all x where there is no flow */
    struct nb_contact_inlet inlet;
    double speed, sound, density, radius;
    uint64_t seed;
};

/* The first two numbers of nb_rng_uniforms. */
static __device__ double2 uniforms(uint64_t seed, uint64_t stream, uint64_t body, uint64_t draw)
{
    const philox4x64_key_t key = {{seed, stream}};
    const philox4x64_ctr_t counter = {{body, draw, 0, 0}}, random = philox4x64(counter, key);
    return make_double2(((double)(random.v[0] >> 12) + 0.5) * 0x1p-52, ((double)(random.v[1] >> 12) + 0.5) * 0x1p-52);
}

/* Those of nb_rng_normals, but for rounding. */
static __device__ double2 normals(uint64_t seed, uint64_t body, uint64_t draw)
{
    const double2 u = uniforms(seed, NB_CONTACT_STREAM, body, draw);
    const double radius = sqrt(-2 * log(u.x));
    double s, c;
    sincospi(2 * u.y, &s, &c);
    return make_double2(radius * c, radius * s);
}

/* As nb_contact_wrapped. */
template <typename T> static __device__ T wrapped(const edges<T> &e, int axis, T x)
{
    const double low = e.low[axis], high = e.high[axis], length = high - low;
    const T y = (T)(x - length * floor((x - low) / length));
    return !isfinite(x) ? x : (double)y < high && (double)y >= low ? y : (T)low;
}

template <typename T> struct disk { /* what the inlet changes */
    T &x, &y, &vx, &vy, &vz;
};

struct inlet_step { /* of all disks */
    unsigned long long number;
    bool mixes, counts, known; /* known: the rate */
    struct nb_contact_rate rate;
};

/* Disk i of that mass in the fringe; radius: of all disks, NULL where they have the same. */
template <typename T>
static __device__ void let_in(const edges<T> &e, const inlet_step &t, uint64_t i, double mass, const T *radius,
                              const disk<T> &d)
{
    const nb_contact_inlet &in = e.inlet;
    const double x = (double)d.x;
    if (x >= in.outlet) {
        if ((i / 32 + t.number) % NB_CONTACT_DRAW_STEPS == 0) {
            const double sigma = contact_sigma(e.sound, e.density, radius ? (double)radius[i] : e.radius, mass);
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

#define BOUNDARY_BLOCKS 1024 /* each reads and counts in one place, which takes longer the more there are */

/* One thread's, once the whole block is done: the last block counts the step, which all have read. */
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
        counters->let.steps++;
        counters->let.filling += fmin(contact_filling(&counters->stock), 1.0);
    }
    if (t.counts) {
        counters->stock.chamber = atomicExch(&counters->counted[0], 0ull);
        counters->stock.entry = atomicExch(&counters->counted[1], 0ull);
    }
}

/* Threads go over the disks in strides of the grid. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    apply_boundary(uint64_t n, uint64_t stride, const __grid_constant__ edges<T> e, const T *m, const T *radius, T *x,
                   T *v, contact_counters *counters)
{
    __shared__ inlet_step t;
    __shared__ unsigned long long counted[2]; /* as the counters' */
    if (threadIdx.x == 0) {
        const bool flows = e.fringe > (T)e.low[0];
        t.number = counters->step;
        t.mixes = t.number % NB_CONTACT_MIX_STEPS == 0;
        t.known = counters->stock.chamber != NB_CONTACT_UNKNOWN;
        t.counts = flows && (t.mixes || !t.known);
        t.rate = contact_rate(&e.inlet, &counters->stock);
        counted[0] = counted[1] = 0;
    }
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        T at = x[i];
        if (!(at >= e.from[0] && at < e.to[0]))
            x[i] = at = wrapped(e, 0, at);
        if (at < e.fringe) {
            const disk<T> d = {x[i], x[i + stride], v[i], v[i + stride], v[i + 2 * stride]};
            if (t.counts && (double)at < e.inlet.nozzle)
                atomicAdd(&counted[(double)at < e.inlet.chamber],
                          (unsigned long long)contact_stock(&e.inlet, (double)m[i]));
            let_in(e, t, i, (double)m[i], radius, d);
        }
        const T across = x[i + stride];
        if (!(across >= e.from[1] && across < e.to[1]))
            x[i + stride] = wrapped(e, 1, across);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        end_step(t, counted, counters);
}

/* The least number of type T that is not below a double. */
template <typename T> static T least_from(double bound)
{
    const T rounded = (T)bound;
    return (double)rounded < bound ? std::nextafter(rounded, (T)INFINITY) : rounded;
}

template <typename T> static int boundary(const contact_base *w, struct nb_state *s)
{
    const nb_scene *scene = &w->contact.scene;
    const unsigned blocks = nb_blocks_for(s->n) < BOUNDARY_BLOCKS ? nb_blocks_for(s->n) : BOUNDARY_BLOCKS;
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
    e.seed = w->contact.seed;
    apply_boundary<<<blocks, NB_BLOCK, 0, w->stream>>>(s->n, s->stride, e, (const T *)s->m,
                                                       w->contact.own_radii ? (const T *)s->radius : nullptr, (T *)s->x,
                                                       (T *)s->v, contact_counters_of(w));
    return NB_CUDA(cudaGetLastError());
}

int contact_boundary(struct nb_device *device, void *work, struct nb_state *s)
{
    const contact_base *w = (const contact_base *)work;
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "boundary");
    return s->precision == NB_SINGLE ? boundary<float>(w, s) : boundary<double>(w, s);
}

/* ---- what the host asks for ---- */

/* Threads go over the disks in strides of the grid, a warp reduces its own. What is not a number is infinitely fast. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    find_fastest(uint64_t n, uint64_t stride, const T *m, const T *v, const T *radius, contact_counters *counters)
{
    double fastest2 = 0, least = INFINITY, smallest = INFINITY;
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        const double vx = v[i], vy = v[i + stride], v2 = vx * vx + vy * vy;
        fastest2 = v2 <= DBL_MAX ? fmax(fastest2, v2) : INFINITY;
        least = fmin(least, (double)m[i]);
        if (radius)
            smallest = fmin(smallest, (double)radius[i]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        fastest2 = fmax(fastest2, __shfl_xor_sync(~0u, fastest2, distance));
        least = fmin(least, __shfl_xor_sync(~0u, least, distance));
        smallest = fmin(smallest, __shfl_xor_sync(~0u, smallest, distance));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(&counters->fastest2, (unsigned long long)__double_as_longlong(fastest2));
        atomicMin(&counters->least_mass, (unsigned long long)__double_as_longlong(fmax(least, 0.0)));
        atomicMin(&counters->least_radius, (unsigned long long)__double_as_longlong(smallest));
    }
}

/* The counters on the host, with the last evaluation among the others. The call waits. */
static int fetch(const contact_base *w, contact_counters *counters)
{
    if (nb_device_from(w->device, counters, w->counters.d, sizeof *counters))
        return -1;
    for (int k = 0; k < 2 * NB_WALLS_MAX; k++)
        counters->walls[k] += (double)counters->wall[k];
    memset(counters->wall, 0, sizeof counters->wall);
    return 0;
}

static int check(const contact_base *w, const contact_counters *counters)
{
    if (counters->crowded)
        return nb_contact_fail_crowded();
    return counters->deep
               ? nb_contact_fail_deep(&w->contact.scene, counters->deep - 1, counters->deep_at[0], counters->deep_at[1])
               : 0;
}

template <typename T> static int look(const contact_base *w, const nb_state *s)
{
    contact_counters *d = contact_counters_of(w);
    const unsigned blocks = nb_blocks_for(s->n) < 1024 ? nb_blocks_for(s->n) : 1024;
    if (NB_CUDA(cudaMemsetAsync(&d->fastest2, 0, sizeof d->fastest2, w->stream)) ||
        NB_CUDA(cudaMemsetAsync(&d->least_mass, 0xff, sizeof d->least_mass + sizeof d->least_radius, w->stream)))
        return -1;
    find_fastest<<<blocks, NB_BLOCK, 0, w->stream>>>(s->n, s->stride, (const T *)s->m, (const T *)s->v,
                                                     (const T *)s->radius, d);
    return NB_CUDA(cudaGetLastError());
}

static int store(const contact_base *w, const contact_counters *counters)
{
    return nb_device_to(w->device, w->counters.d, counters, sizeof *counters);
}

static double from_bits(unsigned long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int contact_longest_step(struct nb_device *device, void *work, const struct nb_state *s, double *h)
{
    const contact_base *w = (const contact_base *)work;
    contact_counters counters;
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "longest step");
    if ((s->precision == NB_SINGLE ? look<float>(w, s) : look<double>(w, s)) || fetch(w, &counters) ||
        check(w, &counters))
        return -1;
    const double radius = w->contact.own_radii ? from_bits(counters.least_radius) : w->contact.scene.radius;
    return nb_contact_bound_step(&w->contact, radius, from_bits(counters.least_mass),
                                 sqrt(from_bits(counters.fastest2)), h);
}

int contact_report(struct nb_device *device, void *work, struct nb_meta *meta)
{
    const contact_base *w = (const contact_base *)work;
    const nb_scene *s = &w->contact.scene;
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch(w, &counters) || check(w, &counters))
        return -1;
    for (int k = 0; k < s->wall_count && counters.evaluations > 0; k++) {
        const double share = w->unit / (double)counters.evaluations;
        const double force[2] = {share * counters.walls[2 * k], share * counters.walls[2 * k + 1]};
        if (nb_scene_put_wall_force(meta, s->walls[k].name, force))
            return -1;
    }
    if (nb_contact_report_inflow(&w->contact, &counters.stock, &counters.let, meta))
        return -1;
    counters.let = {};
    counters.evaluations = 0;
    memset(counters.walls, 0, sizeof counters.walls);
    return store(w, &counters);
}

/* Lists are made anew: sums do not depend on them. */
int contact_carry(struct nb_device *device, void *work, uint64_t, struct nb_pack *k)
{
    const contact_base *w = (const contact_base *)work;
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch(w, &counters) || nb_pack_bytes(k, &counters.step, sizeof counters.step) ||
        nb_pack_bytes(k, &counters.evaluations, sizeof counters.evaluations) ||
        nb_pack_bytes(k, counters.walls, sizeof counters.walls) ||
        nb_pack_bytes(k, &counters.stock, sizeof counters.stock) ||
        nb_pack_bytes(k, &counters.let, sizeof counters.let))
        return -1;
    return k->way == NB_PACK_LOAD ? store(w, &counters) : 0;
}
