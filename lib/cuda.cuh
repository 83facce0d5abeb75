/* cuda.cuh - what the CUDA sources share. */
#ifndef NB_CUDA_CUH
#define NB_CUDA_CUH

#include "error.h"

#include <cuda_runtime.h>

/* Evaluates a CUDA call; on an error nb_fail with call, file and line, and -1. */
#define NB_CUDA(call) nb_cuda_check((call), #call, __FILE__, __LINE__)

/* The stream on which all work of the device runs, in order. */
extern "C" cudaStream_t nb_cuda_stream(void);

struct nb_cuda_buffer { /* device memory that grows on demand; begins as zeros */
    void *d;
    size_t size_bytes;
};

/* At least that many bytes; what was there is lost when it grows. 0, or -1 after nb_fail with nothing allocated. */
extern "C" int nb_cuda_reserve(nb_cuda_buffer *b, size_t size_bytes);
extern "C" void nb_cuda_release(nb_cuda_buffer *b);

static inline int nb_cuda_check(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess)
        return 0;
    return nb_fail("CUDA: %s (%s, %s:%d)", cudaGetErrorString(status), call, file, line);
}

#endif
