/* Vectors of one NVIDIA GPU: y += a x, kicks and drifts. Declared in cuda.cuh. */
#include "device/cuda/cuda.cuh"

/* Enough threads for any card; each goes over the vector in strides. */
#define AXPY_BLOCKS 2048

/* Threads go over the elements in strides of the grid; x, y: count each. y += a x. */
template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = nb_add_scaled(a, x[i], y[i]);
}

/* Threads go over the elements in strides of the grid; a, v, x: count each. */
template <typename T>
static __global__ void kick_drift_kernel(uint64_t count, T k1, T k2, T d, const T *__restrict__ a, T *__restrict__ v,
                                         T *__restrict__ x)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        T speed = k1 != 0 ? nb_add_scaled(k1, a[i], v[i]) : v[i];
        if (k2 != 0)
            speed = nb_add_scaled(k2, a[i], speed);
        v[i] = speed;
        x[i] = nb_add_scaled(d, speed, x[i]);
    }
}

static unsigned axpy_blocks(uint64_t count)
{
    return count < (uint64_t)AXPY_BLOCKS * NB_BLOCK ? nb_blocks_for(count) : AXPY_BLOCKS;
}

int nb_cuda_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x, void *d_y)
{
    cudaStream_t stream = nb_cuda_stream(d);
    if (count == 0)
        return 0;
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        axpy_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, (float)a, (const float *)d_x, (float *)d_y);
    else
        axpy_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, a, (const double *)d_x, (double *)d_y);
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
        kick_drift_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, (float)k1, (float)k2, (float)drift,
                                                                       (const float *)d_a, (float *)d_v, (float *)d_x);
    else
        kick_drift_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, k1, k2, drift, (const double *)d_a,
                                                                       (double *)d_v, (double *)d_x);
    return NB_CUDA(cudaGetLastError());
}
