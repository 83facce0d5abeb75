/* device_cuda_own.cu - individual time steps on the GPU: kicks, Hermite steps, the choice of the next step sizes, and
 * the list of the bodies whose steps have at most a given size. Declared in device_cuda.cuh. */
#include "device/cuda/device_cuda.cuh"
#include "device/cuda/own.cuh"

#include <cub/device/device_scan.cuh>

/* Kicks the `count` bodies that the list w.d_index contains, or all bodies if the list is NULL (nb_device_kick_own). Of
 * P threads, thread t kicks bodies t, t + P, ... Each block raises *longest_over_least once, to the maximum of
 * w.longest / (next step size) over its bodies. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    kick_own_kernel(uint64_t count, const nb_own_kick w, unsigned long long *longest_over_least)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    double most = 0;
    for (uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; j < count; j += stride) {
        const uint64_t i = w.d_index ? w.d_index[j] - w.first : j;
        if (i >= w.n)
            continue;
        T now[3];
        for (int k = 0; k < 3 && w.d_field; k++)
            now[k] = ((const T *)w.d_field)[j + k * w.field_stride];
        most = fmax(most, kick_one<T>(w, i, w.d_field ? now : nullptr));
    }
    raise(longest_over_least, most);
}

int nb_cuda_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least)
{
    cudaStream_t stream = nb_cuda_stream(d);
    unsigned long long *d_ratio = cuda_of(d)->d_norm;
    const uint64_t count = kick->d_index ? kick->count : kick->n;
    const unsigned blocks = nb_blocks_in_strides(count);
    double ratio = 0;
    if (nb_cuda_enter(d) || NB_CUDA(cudaMemsetAsync(d_ratio, 0, sizeof ratio, stream)))
        return -1;
    if (count > 0 && precision == NB_SINGLE)
        kick_own_kernel<float><<<blocks, NB_BLOCK, 0, stream>>>(count, *kick, d_ratio);
    else if (count > 0)
        kick_own_kernel<double><<<blocks, NB_BLOCK, 0, stream>>>(count, *kick, d_ratio);
    if (NB_CUDA(cudaGetLastError()) || nb_device_from(d, &ratio, d_ratio, sizeof ratio))
        return -1;
    *least = kick->longest / ratio;
    return 0;
}

/* ---- Hermite steps ---- */

/* Returns the time scale for the first step of the body at element i (NB_OWN_START). d_field_a contains the snaps
 * (second derivatives of the accelerations). */
static __device__ double start_one(const nb_own_hermite &w, uint64_t i)
{
    const nb_own_body b = own_body(w, i);
    double snap[3];
    read_triple(snap, w.d_field_a, w.stride, i);
    return nb_own_start(w.least, &b, snap);
}

/* Predicts position and velocity of each body at time w.now. One thread per body, w.n bodies. Reads x, v, a, j and the
 * times at which the steps began, writes px and pv. */
static __global__ void __launch_bounds__(NB_BLOCK) predict_kernel(const nb_own_hermite w)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < w.n)
        predict_one(w, i);
}

/* Executes NB_OWN_PUT: for each listed body, copies 13 values from the rows of d_field_a to d_x, d_v, d_a, d_j and
 * d_begun. One thread per listed body. */
static __global__ void __launch_bounds__(NB_BLOCK) put_kernel(const nb_own_hermite w)
{
    const uint64_t f = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (f >= w.count || w.d_index[f] - w.first >= w.n)
        return;
    const uint64_t i = w.d_index[f] - w.first;
    const double *from = (const double *)w.d_field_a + f;
    double *const to[] = {(double *)w.d_x, (double *)w.d_v, (double *)w.d_a, (double *)w.d_j};
    for (int k = 0; k < 12; k++)
        to[k / 3][i + k % 3 * w.stride] = from[k * w.field_stride];
    ((double *)w.d_begun)[i] = from[12 * w.field_stride];
}

/* Ends the step of the body at element i of the rows. Element f of d_field_a and d_field_j has the body's acceleration
 * and jerk at the end of the step. Returns the body's time scale. */
static __device__ double end_one(const nb_own_hermite &w, uint64_t i, uint64_t f)
{
    double a[3], j[3];
    read_triple(a, w.d_field_a, w.field_stride, f);
    read_triple(j, w.d_field_j, w.field_stride, f);
    return correct_one(w, i, a, j);
}

/* Executes the tasks NB_OWN_START, NB_OWN_OPEN and NB_OWN_CORRECT. Of P threads, thread t processes bodies t, t + P,
 * ... range[0]: maximum of 1 / d_step over the processed bodies. range[1]: maximum of d_step over these bodies. Both
 * are updated once per block. */
static __global__ void __launch_bounds__(NB_BLOCK)
    hermite_kernel(uint64_t count, const nb_own_hermite w, unsigned long long *range)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    double inverse = 0, most = 0;
    for (uint64_t f = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; f < count; f += stride) {
        const uint64_t i = w.d_index ? w.d_index[f] - w.first : f;
        if (i >= w.n)
            continue;
        const double step = next_one(w, i,
                                     w.task == NB_OWN_START  ? start_one(w, i)
                                     : w.task == NB_OWN_OPEN ? ((const double *)w.d_step)[i]
                                                             : end_one(w, i, f));
        inverse = fmax(inverse, 1 / step);
        most = fmax(most, step);
    }
    raise(range, inverse);
    raise(range + 1, most);
}

int nb_cuda_hermite_own(struct nb_device *d, enum nb_precision, const struct nb_own_hermite *own, double range[2])
{
    cudaStream_t stream = nb_cuda_stream(d);
    unsigned long long *d_range = cuda_of(d)->d_norm;
    const uint64_t count = own->d_index ? own->count : own->n;
    range[0] = INFINITY, range[1] = 0;
    if (nb_cuda_enter(d))
        return -1;
    if (own->task == NB_OWN_PREDICT) {
        if (own->n > 0)
            predict_kernel<<<nb_blocks_for(own->n), NB_BLOCK, 0, stream>>>(*own);
        return NB_CUDA(cudaGetLastError());
    }
    if (own->task == NB_OWN_PUT) {
        if (count > 0)
            put_kernel<<<nb_blocks_for(count), NB_BLOCK, 0, stream>>>(*own);
        return NB_CUDA(cudaGetLastError());
    }
    if (NB_CUDA(cudaMemsetAsync(d_range, 0, 2 * sizeof *range, stream)))
        return -1;
    if (count > 0)
        hermite_kernel<<<nb_blocks_in_strides(count), NB_BLOCK, 0, stream>>>(count, *own, d_range);
    if (NB_CUDA(cudaGetLastError()) || nb_device_from(d, range, d_range, 2 * sizeof *range))
        return -1;
    range[0] = 1 / range[0];
    return 0;
}

/* ---- due bodies: bodies whose value in d_step is at most a limit (nb_device_select_due) ---- */

/* Sets due[i] to 1 if step[i] <= most, else to 0. One thread per body, n bodies. */
template <typename T> static __global__ void mark_kernel(uint64_t n, const T *step, T most, uint32_t *due)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < n)
        due[i] = step[i] <= most;
}

/* Writes the indices of the bodies with due[i] = 1 to index[], and the number of these bodies to *count. at[i]: number
 * of bodies before body i that have due = 1. One thread per body, n bodies. */
static __global__ void place_kernel(uint64_t first, uint64_t n, const uint32_t *due, const uint32_t *at,
                                    uint32_t *index, unsigned long long *count)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < n && due[i])
        index[at[i]] = (uint32_t)(first + i);
    if (i + 1 == n)
        *count = at[i] + due[i];
}

int nb_cuda_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n, const void *d_step,
                       double most, uint32_t *d_index, uint64_t *count)
{
    cudaStream_t stream = nb_cuda_stream(d);
    nb_cuda_buffer *scratch = &cuda_of(d)->piece;
    uint32_t *none = nullptr;
    size_t scan_bytes = 0;
    if (nb_cuda_enter(d) || NB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, none, none, n, stream)) ||
        nb_cuda_reserve(scratch, 2 * n * sizeof *none + scan_bytes))
        return -1;
    uint32_t *due = (uint32_t *)scratch->d, *at = due + n;
    if (precision == NB_SINGLE)
        mark_kernel<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(n, (const float *)d_step, (float)most, due);
    else
        mark_kernel<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(n, (const double *)d_step, most, due);
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(at + n, scan_bytes, due, at, n, stream)))
        return -1;
    place_kernel<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(first, n, due, at, d_index, cuda_of(d)->d_norm);
    return NB_CUDA(cudaGetLastError()) ? -1 : nb_device_from(d, count, cuda_of(d)->d_norm, sizeof *count);
}
