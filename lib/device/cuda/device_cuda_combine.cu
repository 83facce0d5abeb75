/* device_cuda_combine.cu - operations that read vectors on the GPU in one pass and return a maximum or minimum: linear
 * combinations with their norms (nb_device_combine), the least time scale (nb_device_step_scale) and the range of
 * values (nb_device_kind.range). Declared in device_cuda.cuh. */
#include "device/cuda/device_cuda.cuh"
#define TIME_SCALE_CALL static __device__ __forceinline__
#include "device/time_scale.h"

#include <float.h>
#include <string.h>

/* A kernel argument, passed by value. Its size is 2 KiB; the arguments of a kernel may have up to 4 KiB. */
template <typename T> struct combination {
    int inputs;
    const T *in[NB_INPUTS_MAX];
    T c[NB_COMBINATIONS_MAX][NB_INPUTS_MAX];
    const T *base[NB_COMBINATIONS_MAX], *compensation[NB_COMBINATIONS_MAX];
    T *out[NB_COMBINATIONS_MAX], *compensation_out[NB_COMBINATIONS_MAX];
};

/* Computes ROWS linear combinations of vectors; every vector of w has `count` elements. Of P threads, thread t computes
 * elements t, t + P, ... norm[r]: largest absolute value of an element of combination r, updated once per block; NULL:
 * not wanted. */
template <typename T, int ROWS>
static __global__ void __launch_bounds__(NB_BLOCK)
    combine_kernel(uint64_t count, const combination<T> w, unsigned long long *norm)
{
    double size[ROWS] = {};
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        T d[ROWS] = {}, y[ROWS];
        for (int k = w.inputs - 1; k >= 0; k--) {
            const T in = w.in[k] ? w.in[k][i] : 0;
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (w.c[r][k] != 0)
                    d[r] = nb_add_scaled(w.c[r][k], in, d[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) { /* compensated sum y = b + d; d becomes its rounding error (Knuth's two-sum) */
            if (w.compensation[r])
                d[r] += w.compensation[r][i];
            const T b = w.base[r] ? w.base[r][i] : 0, sum = b + d[r], added = sum - b;
            d[r] = (b - (sum - added)) + (d[r] - added);
            y[r] = sum;
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (w.out[r])
                w.out[r][i] = y[r];
            if (w.compensation_out[r])
                w.compensation_out[r][i] = d[r];
            const double here = fabs((double)y[r]);
            if (!(here <= size[r]))
                size[r] = here <= DBL_MAX ? here : INFINITY;
        }
    }
#pragma unroll
    for (int r = 0; norm && r < ROWS; r++)
        raise(norm + r, size[r]);
}

template <typename T>
static void launch(cudaStream_t stream, uint64_t count, int rows, const combination<T> &w, unsigned long long *d_norm)
{
    const unsigned blocks = nb_blocks_in_strides(count);
    switch (rows) {
    case 1: combine_kernel<T, 1><<<blocks, NB_BLOCK, 0, stream>>>(count, w, d_norm); break;
    case 2: combine_kernel<T, 2><<<blocks, NB_BLOCK, 0, stream>>>(count, w, d_norm); break;
    case 3: combine_kernel<T, 3><<<blocks, NB_BLOCK, 0, stream>>>(count, w, d_norm); break;
    default: combine_kernel<T, 4><<<blocks, NB_BLOCK, 0, stream>>>(count, w, d_norm); break;
    }
}

template <typename T>
static int combine(struct nb_device *d, uint64_t count, int inputs, const void *const *d_in, int rows,
                   const struct nb_combination *row, double *norm)
{
    cudaStream_t stream = nb_cuda_stream(d);
    unsigned long long *d_norm = cuda_of(d)->d_norm;
    combination<T> w;
    memset(&w, 0, sizeof w);
    w.inputs = inputs;
    for (int r = 0; r < rows; r++) {
        w.base[r] = (const T *)row[r].base;
        w.compensation[r] = (const T *)row[r].compensation;
        w.out[r] = (T *)row[r].out;
        w.compensation_out[r] = (T *)row[r].compensation_out;
        for (int k = 0; k < inputs; k++) {
            w.c[r][k] = (T)((const double *)row[r].c)[k];
            if (w.c[r][k] != 0) /* inputs used by no combination are not read */
                w.in[k] = (const T *)d_in[k];
        }
    }
    const size_t size_bytes = (size_t)rows * sizeof *norm;
    if (norm && NB_CUDA(cudaMemsetAsync(d_norm, 0, size_bytes, stream)))
        return -1;
    if (count > 0)
        launch<T>(stream, count, rows, w, norm ? d_norm : nullptr);
    if (NB_CUDA(cudaGetLastError()))
        return -1;
    return norm ? nb_device_from(d, norm, d_norm, size_bytes) : 0;
}

int nb_cuda_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                    const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        return combine<float>(d, count, inputs, d_in, rows, row, norm);
    return combine<double>(d, count, inputs, d_in, rows, row, norm);
}

/* ---- time scale ---- */

template <typename T> struct derivatives {
    const T *row[NB_DERIVATIVES_MAX]; /* first of the three rows of each vector */
};

/* Computes *rate2, the maximum of 1/tau^2 over n bodies (tau: a body's time scale). Each block updates *rate2 once. Of
 * P threads, thread t processes bodies t, t + P, ... Reads NB_DERIVATIVES_MAX vectors, whose rows have `stride`
 * elements. Accelerations below `least` are replaced by `least`. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    time_scale_kernel(uint64_t n, uint64_t stride, const derivatives<T> w, double least, unsigned long long *rate2)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    double most = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        double size[NB_DERIVATIVES_MAX] = {};
#pragma unroll
        for (int k = 0; k < NB_DERIVATIVES_MAX; k++)
            size[k] =
                time_scale_length((double)w.row[k][i], (double)w.row[k][stride + i], (double)w.row[k][2 * stride + i]);
        most = fmax(most, time_scale_rate2(least, size));
    }
    raise(rate2, most);
}

template <typename T>
static void launch_time_scale(cudaStream_t stream, unsigned long long *d_rate2, uint64_t n, uint64_t stride,
                              const void *const *d_derivative, double least)
{
    derivatives<T> w = {};
    for (int k = 0; k < NB_DERIVATIVES_MAX; k++)
        w.row[k] = (const T *)d_derivative[k];
    time_scale_kernel<T><<<nb_blocks_in_strides(n), NB_BLOCK, 0, stream>>>(n, stride, w, least, d_rate2);
}

int nb_cuda_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                       const void *const *d_derivative, double least, double *time)
{
    cudaStream_t stream = nb_cuda_stream(d);
    unsigned long long *d_rate2 = cuda_of(d)->d_norm;
    double rate2 = 0;
    if (nb_cuda_enter(d) || NB_CUDA(cudaMemsetAsync(d_rate2, 0, sizeof rate2, stream)))
        return -1;
    if (n > 0 && precision == NB_SINGLE)
        launch_time_scale<float>(stream, d_rate2, n, stride, d_derivative, least);
    else if (n > 0)
        launch_time_scale<double>(stream, d_rate2, n, stride, d_derivative, least);
    if (NB_CUDA(cudaGetLastError()) || nb_device_from(d, &rate2, d_rate2, sizeof rate2))
        return -1;
    *time = 1 / sqrt(rate2);
    return 0;
}

/* ---- range ---- */

#define SIGN (1ull << 63)

/* `ordered` maps a number of any sign to an integer > 0. The integers have the same order as the numbers. `unordered`
 * maps back. */
static __device__ unsigned long long ordered(double v)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(v);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double unordered(unsigned long long bits)
{
    double v;
    bits = bits & SIGN ? bits & ~SIGN : ~bits;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Computes the range of each of the 3 rows of a vector of n bodies. range[2 k]: the maximum of row k. range[2 k + 1]:
 * minus the minimum of row k. The elements of `range` are integers made by `ordered`. Of P threads, thread t reads
 * bodies t, t + P, ... of each row; each block updates the range once. Rows have `stride` elements. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    range_kernel(uint64_t n, uint64_t stride, const T *vector, unsigned long long *range)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (int k = 0; k < 3; k++) {
        const T *row = vector + k * stride;
        double up = -INFINITY, down = -INFINITY;
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
            const double v = (double)row[i];
            const bool finite = fabs(v) <= DBL_MAX;
            up = fmax(up, finite ? v : INFINITY);
            down = fmax(down, finite ? -v : INFINITY);
        }
        raise_bits(range + 2 * k, ordered(up));
        raise_bits(range + 2 * k + 1, ordered(down));
    }
}

int nb_cuda_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                  const void *const *d_vector, union nb_range *range)
{
    cudaStream_t stream = nb_cuda_stream(d);
    unsigned long long bits[NB_EXTENTS_MAX * 6], *d_range = cuda_of(d)->d_norm;
    const unsigned blocks = nb_blocks_in_strides(n);
    if (nb_cuda_enter(d) || NB_CUDA(cudaMemsetAsync(d_range, 0, sizeof bits, stream)))
        return -1;
    for (int k = 0; k < count; k++)
        if (precision == NB_SINGLE)
            range_kernel<float>
                <<<blocks, NB_BLOCK, 0, stream>>>(n, stride, (const float *)d_vector[k], d_range + 6 * k);
        else
            range_kernel<double>
                <<<blocks, NB_BLOCK, 0, stream>>>(n, stride, (const double *)d_vector[k], d_range + 6 * k);
    if (NB_CUDA(cudaGetLastError()) || nb_device_from(d, bits, d_range, sizeof bits))
        return -1;
    for (int v = 0; v < 6 * count; v++)
        ((double *)range)[v] = unordered(bits[v]); /* `range` has doubles: this device has no quad precision */
    return 0;
}
