/* device_cuda_vectors.cu - vector operations on an NVIDIA GPU: y += a x, kicks and drifts. Declared in device_cuda.cuh.
 */
#include "device/cuda/device_cuda.cuh"

/* Computes y += a * x for vectors of `count` elements. Of P threads, thread t computes elements t, t + P, ... */
template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = nb_add_scaled(a, x[i], y[i]);
}

/* W consecutive elements, which a thread reads or writes with one access. */
template <typename T, int W> struct alignas(W * sizeof(T)) elements {
    T of[W];
};

/* Kicks and drifts (nb_device_kick_drift). A thread owns W elements; a, v and x have `count` groups of W elements. */
template <typename T, int W>
static __global__ void __launch_bounds__(NB_BLOCK)
    kick_drift_kernel(uint64_t count, T k1, T k2, T d, const elements<T, W> *__restrict__ a,
                      elements<T, W> *__restrict__ v, elements<T, W> *__restrict__ x)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= count)
        return;
    const elements<T, W> pull = k1 != 0 || k2 != 0 ? a[i] : elements<T, W>{};
    elements<T, W> speed = v[i], place = x[i];
    for (int k = 0; k < W; k++) {
        if (k1 != 0)
            speed.of[k] = nb_add_scaled(k1, pull.of[k], speed.of[k]);
        if (k2 != 0)
            speed.of[k] = nb_add_scaled(k2, pull.of[k], speed.of[k]);
        place.of[k] = nb_add_scaled(d, speed.of[k], place.of[k]);
    }
    v[i] = speed;
    x[i] = place;
}

/* Launches kick_drift_kernel for `count` elements of type T. A thread owns 16 bytes of each vector if the alignment and
 * the length of the vectors allow 16-byte accesses, otherwise one element. */
template <typename T>
static void kick_drift(cudaStream_t stream, uint64_t count, double k1, double k2, double d, const void *a, void *v,
                       void *x)
{
    const int W = 16 / sizeof(T);
    const bool wide = count % W == 0 && ((uintptr_t)a | (uintptr_t)v | (uintptr_t)x) % 16 == 0;
    if (wide)
        kick_drift_kernel<T, W><<<nb_blocks_for(count / W), NB_BLOCK, 0, stream>>>(
            count / W, (T)k1, (T)k2, (T)d, (const elements<T, W> *)a, (elements<T, W> *)v, (elements<T, W> *)x);
    else
        kick_drift_kernel<T, 1><<<nb_blocks_for(count), NB_BLOCK, 0, stream>>>(
            count, (T)k1, (T)k2, (T)d, (const elements<T, 1> *)a, (elements<T, 1> *)v, (elements<T, 1> *)x);
}

int nb_cuda_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x, void *d_y)
{
    cudaStream_t stream = nb_cuda_stream(d);
    const unsigned blocks = nb_blocks_in_strides(count);
    if (count == 0)
        return 0;
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        axpy_kernel<<<blocks, NB_BLOCK, 0, stream>>>(count, (float)a, (const float *)d_x, (float *)d_y);
    else
        axpy_kernel<<<blocks, NB_BLOCK, 0, stream>>>(count, a, (const double *)d_x, (double *)d_y);
    return NB_CUDA(cudaGetLastError());
}

int nb_cuda_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                       double drift, const void *d_a, void *d_v, void *d_x)
{
    cudaStream_t stream = nb_cuda_stream(d);
    if (count == 0)
        return 0;
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        kick_drift<float>(stream, count, k1, k2, drift, d_a, d_v, d_x);
    else
        kick_drift<double>(stream, count, k1, k2, drift, d_a, d_v, d_x);
    return NB_CUDA(cudaGetLastError());
}
