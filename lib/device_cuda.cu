/* One NVIDIA GPU as a device: memory, copies, vector operations. */
#include "cuda.cuh"
#include "device.h"

#include <stdio.h>

/* Enough threads for any card; each goes over the vector in strides. */
#define AXPY_BLOCK  256
#define AXPY_BLOCKS 2048

/* No fused multiply-add: the same bits as the operations one by one on any device. */
static __device__ float add_scaled(float a, float x, float y)
{
    return __fadd_rn(__fmul_rn(a, x), y);
}

static __device__ double add_scaled(double a, double x, double y)
{
    return __dadd_rn(__dmul_rn(a, x), y);
}

template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = add_scaled(a, x[i], y[i]);
}

template <typename T>
static __global__ void leap_kernel(uint64_t count, T k1, T k2, T d, const T *__restrict__ a, T *__restrict__ v,
                                   T *__restrict__ x)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        T speed = k1 != 0 ? add_scaled(k1, a[i], v[i]) : v[i];
        speed = add_scaled(k2, a[i], speed);
        v[i] = speed;
        x[i] = add_scaled(d, speed, x[i]);
    }
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

static int cuda_leap(enum nb_precision precision, uint64_t count, double k1, double k2, double d, const void *d_a,
                     void *d_v, void *d_x)
{
    uint64_t wanted = (count + AXPY_BLOCK - 1) / AXPY_BLOCK;
    unsigned blocks = (unsigned)(wanted < AXPY_BLOCKS ? wanted : AXPY_BLOCKS);
    if (count == 0)
        return 0;
    if (precision == NB_SINGLE)
        leap_kernel<<<blocks, AXPY_BLOCK, 0, nb_cuda_stream()>>>(count, (float)k1, (float)k2, (float)d,
                                                                 (const float *)d_a, (float *)d_v, (float *)d_x);
    else
        leap_kernel<<<blocks, AXPY_BLOCK, 0, nb_cuda_stream()>>>(count, k1, k2, d, (const double *)d_a, (double *)d_v,
                                                                 (double *)d_x);
    return NB_CUDA(cudaGetLastError());
}

static int cuda_sync(void)
{
    return NB_CUDA(cudaDeviceSynchronize());
}

static void *cuda_alloc_host(size_t size_bytes)
{
    void *p = NULL;
    return NB_CUDA(cudaMallocHost(&p, size_bytes ? size_bytes : 1)) ? NULL : p;
}

static void cuda_free_host(void *p)
{
    cudaFreeHost(p);
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
    "cuda",    NB_MIXED,  cuda_open, cuda_alloc,      cuda_free,      cuda_to_device, cuda_from_device,
    cuda_axpy, cuda_leap, cuda_sync, cuda_alloc_host, cuda_free_host, cuda_speed,
};
