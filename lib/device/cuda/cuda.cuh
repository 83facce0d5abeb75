/* cuda.cuh - shared by the CUDA sources: error checks, streams, growing buffers. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"

#include <cerrno>
#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>

/* Evaluates a CUDA call and returns 0. On an error calls nb_fail with the text of the call, the file and the line, sets
 * errno to EIO, and returns -1. */
#define NB_CUDA(call) nb_cuda_check((call), #call, __FILE__, __LINE__)

/* Makes the device current for this thread's CUDA calls. Must be the first call in every function that a CUDA source
 * offers to other sources. Returns 0 or -1. */
extern "C" int nb_cuda_enter(const struct nb_device *d);
/* Returns the stream on which all work of the device runs, in order. */
extern "C" cudaStream_t nb_cuda_stream(const struct nb_device *d);

/* Returns whether kernels on each device of a group can access the memory of all its devices. */
extern "C" bool nb_cuda_reach_each_other(const struct nb_device *group);

struct nb_cuda_buffer { /* device memory that grows on demand; initialise all members to zero */
    void *d;
    size_t size_bytes;
};

/* Makes the buffer at least size_bytes long. Its contents are lost if it grows. Returns 0, or -1 after nb_fail; the
 * buffer is then empty. */
extern "C" int nb_cuda_reserve(nb_cuda_buffer *b, size_t size_bytes);
extern "C" void nb_cuda_release(nb_cuda_buffer *b);

/* Releases all buffers. Does nothing if nb_cuda_enter fails. */
static inline void nb_cuda_release_all(const struct nb_device *d, std::initializer_list<nb_cuda_buffer *> buffers)
{
    if (nb_cuda_enter(d) == 0)
        for (nb_cuda_buffer *b : buffers)
            nb_cuda_release(b);
}

/* Makes the stream wait for the member `event` of each of the `count` elements of works[], except of works[k]. Returns
 * 0, or -1 after nb_fail. */
template <typename W>
static inline int nb_cuda_await_others(cudaStream_t stream, W *const *works, int count, int k, cudaEvent_t W::*event)
{
    for (int h = 0; h < count; h++)
        if (h != k && NB_CUDA(cudaStreamWaitEvent(stream, works[h]->*event, 0)))
            return -1;
    return 0;
}

/* Threads per block in simple kernels. nb_blocks_for returns the number of blocks. */
#define NB_BLOCK 256

static inline unsigned nb_blocks_for(uint64_t threads)
{
    return (unsigned)((threads + NB_BLOCK - 1) / NB_BLOCK);
}

/* Calls the lambda f, declared as []<typename T>(), with T = float in single precision and T = double in the other
 * precisions. Returns the result of f. */
template <typename F> static inline auto nb_for_state(enum nb_precision precision, const F &f)
{
    return precision == NB_SINGLE ? f.template operator()<float>() : f.template operator()<double>();
}

/* Returns the number of blocks for a kernel whose threads each handle several elements. More than 2048 blocks are not
 * needed to keep a GPU busy. */
static inline unsigned nb_blocks_in_strides(uint64_t elements)
{
    const uint64_t most = 2048;
    return elements < most * NB_BLOCK ? nb_blocks_for(elements) : (unsigned)most;
}

/* Returns y + a * x without a fused multiply-add, so that the bits are the same on any device. */
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
    cudaGetLastError(); /* clears the error, so that it is not reported again after the next launch */
    nb_fail("CUDA: %s (%s, %s:%d)", cudaGetErrorString(status), call, file, line);
    errno = EIO;
    return -1;
}
