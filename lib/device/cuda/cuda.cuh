/* cuda.cuh - what the CUDA sources share: checks of errors, streams, growing buffers. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"

#include <cerrno>
#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>

/* Evaluates a CUDA call; on an error nb_fail with call, file and line, errno EIO, and -1. */
#define NB_CUDA(call) nb_cuda_check((call), #call, __FILE__, __LINE__)

/* Makes the opened device's card the one that this thread's CUDA calls are about; every entry from outside begins so.
 * 0 or -1. */
extern "C" int nb_cuda_enter(const struct nb_device *d);
/* The stream on which all work of the opened device runs, in order. */
extern "C" cudaStream_t nb_cuda_stream(const struct nb_device *d);

/* Can kernels on the first device read and write the memory of the second? */
extern "C" bool nb_cuda_reaches(struct nb_device *d, const struct nb_device *other);

struct nb_cuda_buffer { /* device memory that grows on demand; begins as zeros */
    void *d;
    size_t size_bytes;
};

/* At least that many bytes; what was there is lost when it grows. 0, or -1 after nb_fail with nothing allocated. */
extern "C" int nb_cuda_reserve(nb_cuda_buffer *b, size_t size_bytes);
extern "C" void nb_cuda_release(nb_cuda_buffer *b);

/* All of them, where the device can be entered. */
static inline void nb_cuda_release_all(const struct nb_device *d, std::initializer_list<nb_cuda_buffer *> buffers)
{
    if (nb_cuda_enter(d) == 0)
        for (nb_cuda_buffer *b : buffers)
            nb_cuda_release(b);
}

/* Threads of a block in all simple kernels, and blocks of so many for a thread each. */
#define NB_BLOCK 256

static inline unsigned nb_blocks_for(uint64_t threads)
{
    return (unsigned)((threads + NB_BLOCK - 1) / NB_BLOCK);
}

/* What f returns for the type of the state's numbers: f is a function template without arguments, a lambda
 * []<typename T>(). */
template <typename F> static inline auto nb_for_state(enum nb_precision precision, const F &f)
{
    return precision == NB_SINGLE ? f.template operator()<float>() : f.template operator()<double>();
}

/* Blocks for threads that go over so many elements in strides of the grid: no more than any card is busy with. */
static inline unsigned nb_blocks_in_strides(uint64_t elements)
{
    const uint64_t most = 2048;
    return elements < most * NB_BLOCK ? nb_blocks_for(elements) : (unsigned)most;
}

/* y + a x without a fused multiply-add: the bits of the operations one by one on any device. */
static __device__ __forceinline__ float nb_add_scaled(float a, float x, float y)
{
    return __fadd_rn(__fmul_rn(a, x), y);
}

static __device__ __forceinline__ double nb_add_scaled(double a, double x, double y)
{
    return __dadd_rn(__dmul_rn(a, x), y);
}

static inline int nb_cuda_check(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess)
        return 0;
    cudaGetLastError(); /* not to be met again after the next launch */
    nb_fail("CUDA: %s (%s, %s:%d)", cudaGetErrorString(status), call, file, line);
    errno = EIO;
    return -1;
}
