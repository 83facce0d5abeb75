/* direct_together.cu - direct summation with Newton's third law on several GPUs that can access each other's memory
 * (nb_force_shares.together). Each device computes an equal share of the pairs:
 *
 *   exchange positions  copies the masses and positions of all bodies
 *   pairs, sums         computes the field of its share of the pairs, for all bodies that have pairs in the share
 *   exchange fields     for its own bodies, adds the fields that all devices have computed
 *
 * The shares depend on the number of devices only, so repeated runs give identical bytes. Devices that cannot access
 * each other's memory, and ranks, give the same bytes: they use the same shares, and add in the same order
 * (force_group_shares.c). The host does not wait for the devices. */
#include "device/group.h"
#include "device/timing.h"
#include "force/direct/cuda/direct_cuda.cuh"
#include "force/force_group.h"

#include <cerrno>

struct body_rows {          /* the bodies of one device, in its memory */
    const void *x, *m;      /* x: three rows (x, y, z) with stride `stride`; m: one row of masses */
    uint64_t begin, stride; /* begin: index of the first of these bodies among all bodies */
};

struct all_bodies { /* part k has the bodies [of[k].begin, of[k + 1].begin); of[count].begin: number of all bodies */
    int count;
    body_rows of[NB_GROUP_MAX + 1];
};

struct partial_fields {
    int count;
    /* Device k has computed values of the bodies [0, end[k]), in four rows (acceleration, potential) from row[k] on.
     * Rows that are not wanted are not set. */
    const void *row[NB_GROUP_MAX];
    uint64_t end[NB_GROUP_MAX];
    uint64_t stride; /* of all rows */
};

/* One thread per body, of all devices: copies its position to x (rows of `stride` elements) and its mass to m, in the
 * memory of this device. */
template <typename T>
static __global__ void take_bodies(const __grid_constant__ all_bodies all, T *x, T *m, uint64_t stride)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= all.of[all.count].begin)
        return;
    int k = 0;
    while (i >= all.of[k + 1].begin)
        k++;
    const body_rows &from = all.of[k];
    const T *place = (const T *)from.x + (i - from.begin);
    const T value[4] = {place[0], place[from.stride], place[2 * from.stride], ((const T *)from.m)[i - from.begin]};
    for (int axis = 0; axis < 3; axis++)
        x[axis * stride + i] = value[axis];
    m[i] = value[3];
}

/* Sums the fields that all devices have computed for the n bodies of this device, which has the number `own`. begin:
 * global index of its first body. Takes the value of this device first, then the values of the other devices in their
 * order. Writes the sums to `out`, or adds them (out.add). One thread per body. */
template <typename T>
static __global__ void add_fields(const __grid_constant__ partial_fields from, int own, uint64_t begin, uint64_t n,
                                  nb_field out)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    const int first = out.a ? 0 : 3, end = out.phi ? 4 : 3;
    T sum[4] = {};
    if (i >= n)
        return;
    for (int row = first; row < end && begin + i < from.end[own]; row++)
        sum[row] = ((const T *)from.row[own])[row * from.stride + begin + i];
    for (int k = 0; k < from.count; k++)
        for (int row = first; row < end && k != own && begin + i < from.end[k]; row++)
            sum[row] += ((const T *)from.row[k])[row * from.stride + begin + i];
    for (int axis = 0; axis < 3 && out.a; axis++) {
        T *a = (T *)out.a + axis * out.stride + i;
        *a = out.add ? *a + sum[axis] : sum[axis];
    }
    if (out.phi) {
        T *phi = (T *)out.phi + i;
        *phi = out.add ? *phi + sum[3] : sum[3];
    }
}

/* ---- stages of an evaluation ---- */

struct plan {
    struct nb_device *group;
    direct_work *const *work; /* one for each part (device) */
    enum nb_precision precision;
    const nb_sources *s;
    const nb_field *out;
    double share[NB_GROUP_MAX][2]; /* begin and end of each device's share, as fractions of all pairs */
    all_bodies all;
    partial_fields fields;
};

/* Returns the address of row `row` in part k's memory `together`: four rows of the partial field, x, y, z, masses. */
static char *row_of(const plan *p, int k, int row)
{
    return (char *)p->work[k]->together.d + row * p->s->stride * nb_precision_size(p->precision);
}

static int reserve_tensor_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    return nb_status(nb_cuda_enter(p->work[k]->device) || direct_tensor_reserve(p->work[k], p->precision, p->s->n));
}

static int ready_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    direct_work *w = p->work[k];
    if (nb_cuda_enter(w->device) || nb_cuda_reserve(&w->together, 8 * p->s->stride * nb_precision_size(p->precision)) ||
        direct_symmetric_reserve(&w->symmetric, p->precision, p->s->n, p->share[k]))
        return -1;
    for (cudaEvent_t *event : {&w->ready, &w->summed, &w->added})
        if (!*event && NB_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming)))
            return -1;
    return NB_CUDA(cudaEventRecord(w->ready, w->stream));
}

static int sum_part(void *context, int k)
{
    plan *p = (plan *)context;
    direct_work *w = p->work[k];
    nb_sources all = *p->s;
    nb_field partial = {};
    nb_timing_stage(w->device, "exchange positions");
    if (nb_cuda_enter(w->device) || nb_cuda_await_others(w->stream, p->work, p->all.count, k, &direct_work::ready))
        return -1;
    all.x = row_of(p, k, 4);
    all.m = row_of(p, k, 7);
    nb_for_state(p->precision, [&]<typename T>() {
        take_bodies<T><<<nb_blocks_for(all.n), NB_BLOCK, 0, w->stream>>>(p->all, (T *)all.x, (T *)all.m, all.stride);
    });
    partial.stride = all.stride;
    partial.a = p->out->a ? row_of(p, k, 0) : nullptr;
    partial.phi = p->out->phi ? row_of(p, k, 3) : nullptr;
    return nb_status(NB_CUDA(cudaGetLastError()) ||
                     direct_symmetric_sum(&w->symmetric, w->device, p->precision, &all, p->share[k], &partial,
                                          NB_PAIR_TILES, DIRECT_SYMMETRIC_THREADS) ||
                     NB_CUDA(cudaEventRecord(w->summed, w->stream)));
}

static int add_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    const direct_work *w = p->work[k];
    const uint64_t begin = p->all.of[k].begin, n = p->all.of[k + 1].begin - begin;
    const nb_field out = nb_group_own_field(p->group, p->out, p->s->n, k);
    nb_timing_stage(w->device, "exchange fields");
    if (nb_cuda_enter(w->device) || nb_cuda_await_others(w->stream, p->work, p->all.count, k, &direct_work::summed))
        return -1;
    if (n > 0)
        nb_for_state(p->precision, [&]<typename T>() {
            add_fields<T><<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(p->fields, k, begin, n, out);
        });
    return nb_status(NB_CUDA(cudaGetLastError()) || NB_CUDA(cudaEventRecord(w->added, w->stream)));
}

/* Makes later work of part k wait until all other parts have read this part's memory. Such work may overwrite or
 * release the memory. */
static int end_part(void *context, int k)
{
    const plan *p = (const plan *)context;
    const direct_work *w = p->work[k];
    return nb_cuda_enter(w->device) ? -1
                                    : nb_cuda_await_others(w->stream, p->work, p->all.count, k, &direct_work::added);
}

/* ---- entry ---- */

/* If the failure was a lack of memory, releases memory on all devices, so that they use the same algorithm, and returns
 * 1. Else returns -1. */
static int after_failure(const plan *p)
{
    if (errno != ENOMEM)
        return -1;
    for (int k = 0; k < p->all.count; k++) {
        direct_release_all(p->work[k]);
        p->work[k]->has_room = false;
    }
    return 1;
}

int direct_together(struct nb_device *group, void *const *work, const double *, enum nb_precision precision,
                    const nb_sources *s, const nb_targets *t, const nb_field *out, double *)
{
    plan p = {};
    p.group = group;
    p.work = (direct_work *const *)work;
    p.precision = precision;
    p.s = s;
    p.out = out;
    p.all.count = p.fields.count = nb_group_count(group);
    p.fields.stride = s->stride;
    if (t || !s->m || out->jerk || out->snap || out->pressure)
        return 1;
    /* With the tensor cores, the caller computes the field in shares. All devices must have the memory for it. */
    if (direct_tensor_computes(p.work[0], precision, s->n, out) && nb_group_run(group, reserve_tensor_part, &p))
        return after_failure(&p);
    for (int k = 0; k < p.all.count; k++)
        if (!direct_shares_pairs(p.work[k], precision, s->n))
            return 1;
    if (!nb_cuda_reach_each_other(group))
        return 1;
    for (int k = 0; k < p.all.count; k++) {
        const nb_sources own = nb_group_own_sources(group, s, k);
        p.share[k][0] = (double)k / p.all.count;
        p.share[k][1] = (double)(k + 1) / p.all.count;
        p.all.of[k] = {own.x, own.m, nb_group_begin(group, s->n, k), own.stride};
        p.fields.end[k] = direct_symmetric_end(s->n, p.share[k]);
    }
    p.all.of[p.all.count].begin = s->n;
    if (nb_group_run(group, ready_part, &p))
        return after_failure(&p);
    for (int k = 0; k < p.all.count; k++)
        p.fields.row[k] = row_of(&p, k, 0);
    return nb_status(nb_group_run(group, sum_part, &p) || nb_group_run(group, add_part, &p) ||
                     nb_group_run(group, end_part, &p));
}
