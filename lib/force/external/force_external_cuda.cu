/* force_external_cuda.cu - external fields on the GPU: the entry of the table of forces. */
#include "device/cuda/cuda.cuh"
#include "device/timing.h"

#define EXTERNAL_CALL static __device__ inline
#include "force/external/external_field.h"

/* Computes acceleration and potential of the external field. One thread per target, t.n targets. Reads the vectors x
 * and v with stride t.stride; writes a and phi with stride out.stride. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK) external_kernel(const nb_external field, nb_targets t, nb_field out)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= t.n)
        return;
    const uint64_t at = t.index ? t.index[i] : i;
    const T *x_rows = (const T *)t.x, *v_rows = (const T *)t.v;
    T *a = (T *)out.a, *phi = (T *)out.phi;
    nb_external_sum sum = {};
    double x[3], v[3] = {};
    for (int k = 0; k < 3; k++) {
        x[k] = x_rows[k * t.stride + at];
        if (v_rows)
            v[k] = v_rows[k * t.stride + at];
    }
    external_add(&field, x, v, &sum);
    for (int k = 0; k < 3 && a; k++)
        a[k * out.stride + i] = (T)((out.add ? (double)a[k * out.stride + i] : 0) + sum.a[k]);
    if (phi)
        phi[i] = (T)((out.add ? (double)phi[i] : 0) + sum.phi);
}

static int external_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                          const struct nb_targets *t, const struct nb_field *out)
{
    const nb_external field = nb_external_at(work, s ? s->time : 0);
    cudaStream_t stream = nb_cuda_stream(device);
    if (t->n == 0)
        return 0;
    if (nb_cuda_enter(device))
        return -1;
    nb_timing_stage(device, "external");
    nb_for_state(precision, [&]<typename T>() {
        external_kernel<T><<<nb_blocks_for(t->n), NB_BLOCK, 0, stream>>>(field, *t, *out);
    });
    return NB_CUDA(cudaGetLastError());
}

/* Returns whether an evaluation can be recorded in a CUDA graph. A replayed graph would repeat the field at the time of
 * recording. Recording is therefore possible only if the field does not change in time. */
static bool external_recordable(const void *work, enum nb_precision, uint64_t)
{
    return !nb_external_moves(work);
}

extern "C" const struct nb_force nb_force_external_cuda;
const struct nb_force nb_force_external_cuda = {
    .method = "external",
    .device = "cuda",
    .about = "analytic fields that act on every body",
    .flags = NB_EXACT | NB_EXTERNAL,
    .kinds = nb_external_kinds,
    .tolerance = {1e-6, 1e-14, 1e-14, 0}, /* single, mixed, double, quad */
    .refuse = nb_external_refuse,
    .field = external_field,
    .recordable = external_recordable,
    .frequency = nb_external_frequency,
    .covers = nb_external_covers,
    .grain = nb_external_grain,
    .note_files = nb_external_note_files,
    .open = nb_external_open,
    .close = nb_external_close,
};
