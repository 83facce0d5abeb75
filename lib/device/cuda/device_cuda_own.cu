/* Steps of each body's own on the GPU: which are due, their kicks and their next steps (nb_device_kick_own). */
#include "device/cuda/device_cuda.cuh"
#define OWN_STEP_CALL static __device__ __forceinline__
#include "device/own_steps.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

/* One body's kick, at place i of the rows and j of the field. Returns the longest of next steps over its own. */
template <typename T> static __device__ double kick_one(const nb_own_kick &w, uint64_t i, uint64_t j)
{
    const T *field = (const T *)w.d_field;
    T *a = (T *)w.d_a + i, *v = (T *)w.d_v + i, *step = (T *)w.d_step + i;
    const T sign = w.backwards ? -1 : 1, ended = *step;
    T pull[3], begun;
    double a2 = 0, change2 = 0;
    for (int k = 0; k < 3; k++) {
        const T before = a[k * w.stride];
        pull[k] = field ? field[j + k * w.field_stride] : before;
        if (field)
            a[k * w.stride] = pull[k];
        const double change = (double)pull[k] - (double)before;
        a2 += (double)pull[k] * (double)pull[k];
        change2 += change * change;
    }
    if (w.close || ended == 0) {
        const double j2 = w.close ? change2 / ((double)ended * (double)ended) : 0;
        begun = (T)nb_own_step(&w, a2, j2, (double)((const T *)w.d_m)[i]);
    } else
        begun = (T)nb_own_step_again(&w, (double)ended);
    *step = begun;
    for (int k = 0; k < 3; k++) {
        T speed = v[k * w.stride];
        if (w.close)
            speed = nb_add_scaled(sign * ended / 2, pull[k], speed);
        if (w.open)
            speed = nb_add_scaled(sign * begun / 2, pull[k], speed);
        v[k * w.stride] = speed;
    }
    return w.longest / (double)begun;
}

/* Threads go over the bodies in strides of the grid. */
template <typename T>
static __global__ void __launch_bounds__(NB_BLOCK)
    kick_own_kernel(uint64_t count, const nb_own_kick w, unsigned long long *longest_over_least)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    double most = 0;
    for (uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; j < count; j += stride) {
        const uint64_t i = w.d_index ? w.d_index[j] - w.first : j;
        if (i < w.n)
            most = fmax(most, kick_one<T>(w, i, j));
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

template <typename T> struct is_due {
    const T *step;
    T most;
    uint32_t first;
    __device__ bool operator()(uint32_t body) const
    {
        return step[body - first] <= most;
    }
};

template <typename T>
static int select(struct nb_device *d, uint64_t first, uint64_t n, const void *d_step, double most, uint32_t *d_index)
{
    const is_due<T> due = {(const T *)d_step, (T)most, (uint32_t)first};
    const thrust::counting_iterator<uint32_t> all((uint32_t)first);
    unsigned long long *d_count = cuda_of(d)->d_norm;
    nb_cuda_buffer *scratch = &cuda_of(d)->piece;
    size_t size_bytes = 0;
    return NB_CUDA(cub::DeviceSelect::If(nullptr, size_bytes, all, d_index, d_count, n, due, nb_cuda_stream(d))) ||
                   nb_cuda_reserve(scratch, size_bytes) ||
                   NB_CUDA(
                       cub::DeviceSelect::If(scratch->d, size_bytes, all, d_index, d_count, n, due, nb_cuda_stream(d)))
               ? -1
               : 0;
}

int nb_cuda_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n, const void *d_step,
                       double most, uint32_t *d_index, uint64_t *count)
{
    if (nb_cuda_enter(d) || (precision == NB_SINGLE ? select<float>(d, first, n, d_step, most, d_index)
                                                    : select<double>(d, first, n, d_step, most, d_index)))
        return -1;
    return nb_device_from(d, count, cuda_of(d)->d_norm, sizeof *count);
}
