/* direct_tensor.cu - forces of all bodies on each other, for large systems in single and mixed precision. Declared in
 * direct_cuda.cuh. The tensor cores compute the forces between far groups, each pair once, and the FP32 units the
 * forces between near groups. */
#include "device/timing.h"
#include "force/direct/tensor/direct_far.cuh"
#include "force/direct/tensor/direct_near.cuh"

/* Adds up the forces on each body that this device has computed, and writes the result to the body's unsorted index in
 * `out`. One thread per sorted position i, one block per group.
 * - reactions[3][n]: integers in units of 1 / scales[group], from far groups that own the pair.
 * - parts[count][n]: from near groups, and from far groups of pairs that the body's group owns. Only groups in `share`
 *   have them. */
template <typename T>
static __global__ void add_parts(const pair_vector<double> *parts, int count, const long long *reactions,
                                 const float *scales, uint64_t n, double G, const uint32_t *order, uint2 share,
                                 nb_field out)
{
    uint64_t i = (uint64_t)blockIdx.x * GROUP + threadIdx.x;
    if (i >= n)
        return;
    const double unit = 1 / (double)scales[blockIdx.x];
    pair_sums<double> total = {(double)reactions[i] * unit, (double)reactions[n + i] * unit,
                               (double)reactions[2 * n + i] * unit};
    for (int p = 0; p < count && is_in_share(share); p++) {
        pair_vector<double> v = parts[p * n + i];
        total.ax += v.x, total.ay += v.y, total.az += v.z;
    }
    pair_store<T>(out, total, G, order[i]);
}

/* The groups that have pairs with a group are divided into parts. One block computes one part, so that no block takes
 * very long: a group in a region of low density has thousands of near groups, but most groups have dozens. */
struct part_counts {
    unsigned far, near;
};

static unsigned within(uint64_t v, uint64_t least, uint64_t most)
{
    return (unsigned)(v < least ? least : v > most ? most : v);
}

static part_counts parts_of(uint64_t groups)
{
    return {within(32768 / groups, 2, 8), within(131072 / groups, 4, 32)};
}

int direct_tensor_reserve(direct_work *w, enum nb_precision precision, uint64_t n)
{
    const uint64_t groups = (n + GROUP - 1) / GROUP, words = (groups + 31) / 32;
    const part_counts parts = parts_of(groups);
    return nb_status(
        nb_cuda_reserve(&w->bodies, n * (precision == NB_SINGLE ? sizeof(body_single) : sizeof(body_mixed))) ||
        nb_cuda_reserve(&w->boxes, groups * sizeof(direct_box)) ||
        nb_cuda_reserve(&w->owned, groups * words * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->near, groups * words * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->scales, groups * sizeof(float)) ||
        nb_cuda_reserve(&w->partial, (parts.far + parts.near) * n * sizeof(pair_vector<double>)) ||
        nb_cuda_reserve(&w->reactions, 3 * n * sizeof(long long)));
}

template <typename B> static int run(direct_work *w, const nb_sources *s, const nb_field *out)
{
    cudaStream_t stream = w->stream;
    const uint64_t n = s->n, groups = (n + GROUP - 1) / GROUP;
    const part_counts parts = parts_of(groups);
    if (NB_CUDA(cudaMemsetAsync(w->reactions.d, 0, 3 * n * sizeof(long long), stream)))
        return -1;
    pair_vector<double> *partial = (pair_vector<double> *)w->partial.d;
    const B *bodies = (const B *)w->bodies.d;
    const float *scales = (const float *)w->scales.d;
    const float eps2 = (float)(s->softening * s->softening);
    const uint2 share = make_uint2((unsigned)(w->share[0] * (double)groups), (unsigned)(w->share[1] * (double)groups));
    nb_timing_stage(w->device, "near pairs");
    near_kernel<<<dim3((unsigned)groups, parts.near), NEAR_THREADS, 0, stream>>>(bodies, n, (const uint32_t *)w->near.d,
                                                                                 eps2, share, partial + parts.far * n);
    nb_timing_stage(w->device, "far pairs");
    far_kernel<<<dim3((unsigned)groups, parts.far), THREADS, 0, stream>>>(
        bodies, n, (const direct_box *)w->boxes.d, (const uint32_t *)w->owned.d, scales, eps2, share, partial,
        (unsigned long long *)w->reactions.d);
    nb_timing_stage(w->device, "add");
    add_parts<typename B::state><<<(unsigned)groups, GROUP, 0, stream>>>(
        partial, (int)(parts.far + parts.near), (const long long *)w->reactions.d, scales, n, s->G,
        (const uint32_t *)w->sort.order.d, share, *out);
    return NB_CUDA(cudaGetLastError());
}

int direct_tensor(direct_work *work, enum nb_precision precision, const nb_sources *s, const nb_field *out)
{
    return precision == NB_SINGLE ? run<body_single>(work, s, out) : run<body_mixed>(work, s, out);
}
