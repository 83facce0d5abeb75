/* cuda.cuh - what the CUDA sources share: checks of errors, streams, growing buffers. */
#ifndef NB_CUDA_CUH
#define NB_CUDA_CUH

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

/* y + a x without a fused multiply-add: the bits of the operations one by one on any device. */
static __device__ __forceinline__ float nb_add_scaled(float a, float x, float y)
{
    return __fadd_rn(__fmul_rn(a, x), y);
}

static __device__ __forceinline__ double nb_add_scaled(double a, double x, double y)
{
    return __dadd_rn(__dmul_rn(a, x), y);
}

/* Operations of nb_device_kind, of vectors on this card. */
extern "C" int nb_cuda_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                            void *d_y);
extern "C" int nb_cuda_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1,
                                  double k2, double drift, const void *d_a, void *d_v, void *d_x);
/* The same of columns; `piece` is what they pass through, the device's. */
extern "C" int nb_cuda_store(struct nb_device *d, nb_cuda_buffer *piece, enum nb_precision precision, uint64_t n,
                             uint64_t stride, int width, const void *column, enum nb_type type, void *d_rows);
extern "C" int nb_cuda_fetch(struct nb_device *d, nb_cuda_buffer *piece, enum nb_precision precision, uint64_t n,
                             uint64_t stride, int width, const void *d_rows, enum nb_type type, void *column);

/* nb_device_combine, in a file of its own; d_norm: device memory for NB_COMBINATIONS_MAX norms. */
extern "C" int nb_cuda_combine(cudaStream_t stream, unsigned long long *d_norm, enum nb_precision precision,
                               uint64_t count, int inputs, const void *const *d_in, int rows,
                               const struct nb_combination *row, double *norm);
/* nb_device_step_scale, beside it; d_rate2: device memory for a number. */
extern "C" int nb_cuda_step_scale(cudaStream_t stream, unsigned long long *d_rate2, enum nb_precision precision,
                                  uint64_t n, uint64_t stride, const void *const *d_derivative, double least,
                                  double *time);

/* nb_device_kind.range, beside it; range, and d_range in device memory: NB_EXTENTS_MAX * 6 numbers. */
extern "C" int nb_cuda_range(cudaStream_t stream, unsigned long long *d_range, enum nb_precision precision, uint64_t n,
                             uint64_t stride, int count, const void *const *d_vector, double *range);

static inline int nb_cuda_check(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess)
        return 0;
    cudaGetLastError(); /* not to be met again after the next launch */
    nb_fail("CUDA: %s (%s, %s:%d)", cudaGetErrorString(status), call, file, line);
    errno = EIO;
    return -1;
}

#endif
