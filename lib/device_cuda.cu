/* One NVIDIA GPU as a device: memory, copies, vector operations. */
#include "cuda.cuh"
#include "device.h"

#include <stdio.h>

/* Enough threads for any card; each goes over the vector in strides. */
#define AXPY_BLOCK  256
#define AXPY_BLOCKS 2048

template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] += a * x[i];
}

cudaStream_t nb_cuda_stream(void)
{
    return 0;
}

static int cuda_open(char *description, size_t size)
{
    int count = 0, current = 0;
    cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError(); /* not to be met again by the next call */
        return nb_fail("device cuda: %s", status == cudaSuccess ? "no GPU here" : cudaGetErrorString(status));
    }
    if (NB_CUDA(cudaGetDevice(&current)) || NB_CUDA(cudaGetDeviceProperties(&properties, current)))
        return -1;
    snprintf(description, size, "%s", properties.name);
    return 0;
}

static void *cuda_alloc(size_t size_bytes)
{
    void *d = NULL;
    size_t available = 0, total = 0;
    if (size_bytes == 0)
        size_bytes = 1;
    if (cudaMalloc(&d, size_bytes) != cudaSuccess) {
        cudaGetLastError();
        cudaMemGetInfo(&available, &total);
        nb_fail("the GPU has no memory for %.3g GB more (%.3g GB free of %.3g)", 1e-9 * (double)size_bytes,
                1e-9 * (double)available, 1e-9 * (double)total);
        return NULL;
    }
    if (NB_CUDA(cudaMemset(d, 0, size_bytes))) {
        cudaFree(d);
        return NULL;
    }
    return d;
}

static void cuda_free(void *d)
{
    cudaFree(d);
}

static int cuda_to_device(void *d_to, const void *from, size_t size_bytes)
{
    return NB_CUDA(cudaMemcpy(d_to, from, size_bytes, cudaMemcpyHostToDevice));
}

static int cuda_from_device(void *to, const void *d_from, size_t size_bytes)
{
    return NB_CUDA(cudaMemcpy(to, d_from, size_bytes, cudaMemcpyDeviceToHost));
}

static int cuda_axpy(enum nb_precision precision, uint64_t count, double a, const void *d_x, void *d_y)
{
    uint64_t wanted = (count + AXPY_BLOCK - 1) / AXPY_BLOCK;
    unsigned blocks = (unsigned)(wanted < AXPY_BLOCKS ? wanted : AXPY_BLOCKS);
    if (count == 0)
        return 0;
    if (precision == NB_SINGLE)
        axpy_kernel<<<blocks, AXPY_BLOCK>>>(count, (float)a, (const float *)d_x, (float *)d_y);
    else
        axpy_kernel<<<blocks, AXPY_BLOCK>>>(count, a, (const double *)d_x, (double *)d_y);
    return NB_CUDA(cudaGetLastError());
}

static int cuda_sync(void)
{
    return NB_CUDA(cudaDeviceSynchronize());
}

static int cuda_speed(int *processors, double *clock_hz)
{
    int device = 0, clock_khz = 0;
    if (NB_CUDA(cudaGetDevice(&device)) ||
        NB_CUDA(cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, device)) ||
        NB_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device)))
        return -1;
    *clock_hz = 1e3 * clock_khz;
    return 0;
}

extern "C" const struct nb_device nb_device_cuda;
const struct nb_device nb_device_cuda = {
    "cuda",         NB_MIXED,         cuda_open, cuda_alloc, cuda_free,
    cuda_to_device, cuda_from_device, cuda_axpy, cuda_sync,  cuda_speed,
};
