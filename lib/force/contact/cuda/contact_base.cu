/* contact_base.cu - functions of contact forces on the GPU that do not use the lists of disks that may touch: boundary,
 * limit of the step size, report of the forces on walls. Declared in contact_cuda.cuh. */
#include "base/pack.h"
#include "device/timing.h"
#include "force/contact/cuda/contact_boundary.cuh"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <Random123/philox.h>

/* ---- opening and closing ---- */

/* one array of the walls' table. from: the array in host memory; to: address of the pointer to its copy on the
 * device */
struct table_part {
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

/* Sets w->number to the number of the next step, and w->known to whether the mass in the inlet has been measured. */
static void follow(contact_base *w, const contact_counters *counters)
{
    w->number = counters->step;
    w->known = counters->tally.stock.chamber != NB_CONTACT_UNKNOWN;
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
    counters.tally.stock = w->contact.first_stock;
    follow(w, &counters);
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

int contact_check(const contact_base *w, const nb_sources *s, const nb_targets *t)
{
    if (s->n >= (uint64_t)1 << 31)
        return nb_fail("contact forces support fewer than 2^31 disks, not %llu", (unsigned long long)s->n);
    return nb_contact_check(&w->contact, s, t);
}

/* ---- the boundary ---- */

struct nothing { /* argument `next` of apply_boundary if nothing is to be prepared for the next force evaluation */
    typedef int before;
    __device__ before read(uint64_t) const
    {
        return 0;
    }
    template <typename T> __device__ bool put(uint64_t, T, T, before) const
    {
        return false;
    }
};

int contact_boundary(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    contact_base *w = (contact_base *)work;
    (void)asked;
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "boundary");
    return nb_for_state(s->precision, [&]<typename T>() { return contact_bound<T>(w, s, first, nothing()); });
}

/* ---- functions called by the host ---- */

/* Writes the largest squared speed and the least mass of n disks to the counters, and the least radius if `radius` is
 * not NULL. NaN speeds count as infinite. Each thread reads several disks. Each warp combines the values of its
 * threads, and its first lane updates the counters. v: rows of `stride` elements. */
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

/* Waits for the device and fetches the counters. Adds the last evaluation's wall forces to the tally. */
static int fetch(const contact_base *w, contact_counters *counters)
{
    if (nb_device_from(w->device, counters, w->counters.d, sizeof *counters))
        return -1;
    for (int k = 0; k < 2 * NB_WALLS_MAX; k++)
        nb_contact_units_add(&counters->tally.walls[k], counters->wall[k]);
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

int contact_longest_step(struct nb_device *device, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                         double *h)
{
    const contact_base *w = (const contact_base *)work;
    contact_counters counters;
    if (s->n == 0)
        return nb_contact_bound_step(&w->contact, least, h);
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "longest step");
    if ((s->precision == NB_SINGLE ? look<float>(w, s) : look<double>(w, s)) || fetch(w, &counters) ||
        check(w, &counters))
        return -1;
    const double radius = w->contact.own_radii ? from_bits(counters.least_radius) : w->contact.scene.radius;
    least[NB_CONTACT_LEAST_RADIUS] = fmin(least[NB_CONTACT_LEAST_RADIUS], radius);
    least[NB_CONTACT_LEAST_MASS] = fmin(least[NB_CONTACT_LEAST_MASS], from_bits(counters.least_mass));
    least[NB_CONTACT_FASTEST] = fmin(least[NB_CONTACT_FASTEST], -sqrt(from_bits(counters.fastest2)));
    return nb_contact_bound_step(&w->contact, least, h);
}

int contact_report(struct nb_device *device, void *work, struct nb_meta *meta)
{
    const contact_base *w = (const contact_base *)work;
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch(w, &counters) || check(w, &counters) ||
        nb_contact_report(&w->contact, &counters.tally, meta))
        return -1;
    return store(w, &counters);
}

static bool counts_changed(const void *work)
{
    return ((const contact_base *)work)->counted;
}

static int fetch_counts(struct nb_device *device, void *work, void *counts)
{
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch((const contact_base *)work, &counters))
        return -1;
    memcpy(counts, &counters.tally, sizeof counters.tally);
    return 0;
}

static int put_counts(struct nb_device *device, void *work, const void *counts)
{
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch((const contact_base *)work, &counters))
        return -1;
    memcpy(&counters.tally, counts, sizeof counters.tally);
    return store((const contact_base *)work, &counters);
}

extern const struct nb_force_counts nb_contact_counts_cuda = {sizeof(struct nb_contact_tally), counts_changed,
                                                              fetch_counts, put_counts, nb_contact_join};

/* A checkpoint does not contain the lists of pairs of disks that may touch. They are rebuilt after loading. The new
 * lists contain all pairs that touch, but may differ from the old lists in pairs that do not touch. Such pairs have no
 * force, so the forces remain bitwise identical. */
int contact_carry(struct nb_device *device, void *work, uint64_t, struct nb_pack *k)
{
    contact_base *w = (contact_base *)work;
    contact_counters counters;
    if (nb_cuda_enter(device) || fetch(w, &counters))
        return -1;
    uint64_t number = counters.step - 1;
    if (nb_contact_pack(k, &number, &counters.tally))
        return -1;
    if (k->way != NB_PACK_LOAD)
        return 0;
    counters.step = number + 1;
    follow(w, &counters);
    return store(w, &counters);
}
