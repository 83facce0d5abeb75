// Calls of CUDA that fail as fault.h says: linked into tools of their own (the runtime is static), the linker giving
// each call's __wrap_ the place of the call and leaving it as __real_. Besides by its own name each counts as "cuda":
// with FAULT_MODE=on that is a GPU that is lost, and FAULT_ERROR is a cudaError_t. With FAULT_PART only calls about the
// GPU of that number count; "lose" as FAULT_ERROR is no made-up error: a kernel writes to an address that there is not.
extern "C" {
#include "fault.h"
}

#include <cuda_runtime.h>
#include <stdlib.h>

static thread_local cudaError_t pending; // what cudaGetLastError has to say

__global__ static void write_nowhere(int *nowhere)
{
    *nowhere = 1;
}

static void lose_device(void)
{
    write_nowhere<<<1, 1, 0, cudaStreamPerThread>>>((int *)0x10);
}

static bool is_wanted(int device)
{
    static const char *const wanted = getenv("FAULT_PART");
    return !wanted || atoi(wanted) == device;
}

// One call after the other may count twice, and fails if either count says so.
static cudaError_t error_on(int device, struct fault_counter *counter)
{
    static struct fault_counter any = {"cuda", 0, nullptr, false};
    if (!is_wanted(device))
        return cudaSuccess;
    const int own = fault_at(counter), all = fault_at(&any), error = own ? own : all;
    if (error == FAULT_LOSE) {
        lose_device();
        return cudaSuccess;
    }
    if (error)
        pending = (cudaError_t)error;
    return (cudaError_t)error;
}

static cudaError_t error_of(struct fault_counter *counter)
{
    int device = 0;
    cudaGetDevice(&device); // 0 before the first is chosen
    return error_on(device, counter);
}

#define WRAP_BY(error, function, parameters, arguments)                       \
    extern "C" cudaError_t __real_##function parameters;                      \
    extern "C" cudaError_t __wrap_##function parameters                       \
    {                                                                         \
        static struct fault_counter counter = {#function, 0, nullptr, false}; \
        const cudaError_t status = error;                                     \
        return status ? status : __real_##function arguments;                 \
    }
#define WRAP(function, parameters, arguments) WRAP_BY(error_of(&counter), function, parameters, arguments)

WRAP(cudaMalloc, (void **to, size_t size), (to, size))
WRAP(cudaMallocAsync, (void **to, size_t size, cudaStream_t stream), (to, size, stream))
WRAP(cudaMallocHost, (void **to, size_t size), (to, size))
WRAP(cudaHostAlloc, (void **to, size_t size, unsigned flags), (to, size, flags))
WRAP(cudaHostRegister, (void *at, size_t size, unsigned flags), (at, size, flags))
WRAP(cudaMemcpyAsync, (void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, size, kind, stream))
WRAP(cudaMemcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
      cudaStream_t stream),
     (to, to_pitch, from, pitch, width, height, kind, stream))
WRAP(cudaMemcpyPeerAsync, (void *to, int device, const void *from, int other, size_t size, cudaStream_t stream),
     (to, device, from, other, size, stream))
WRAP(cudaMemsetAsync, (void *to, int value, size_t size, cudaStream_t stream), (to, value, size, stream))
WRAP(cudaMemGetInfo, (size_t * free_bytes, size_t *total), (free_bytes, total))

WRAP(cudaGetDeviceCount, (int *count), (count))
WRAP_BY(error_on(device, &counter), cudaSetDevice, (int device), (device))
WRAP_BY(error_on(device, &counter), cudaDeviceGetAttribute, (int *value, cudaDeviceAttr attribute, int device),
        (value, attribute, device))
WRAP_BY(error_on(device, &counter), cudaGetDeviceProperties, (cudaDeviceProp * properties, int device),
        (properties, device))
WRAP(cudaDriverGetVersion, (int *version), (version))
WRAP_BY(error_on(device, &counter), cudaDeviceCanAccessPeer, (int *reaches, int device, int other),
        (reaches, device, other))
WRAP(cudaDeviceEnablePeerAccess, (int other, unsigned flags), (other, flags))
WRAP(cudaFuncSetAttribute, (const void *function, cudaFuncAttribute attribute, int value), (function, attribute, value))
WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *blocks, const void *function, int size, size_t shared, unsigned flags),
     (blocks, function, size, shared, flags))

WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream))
WRAP(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
WRAP(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
WRAP(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
     (exec, graph, flags))
WRAP(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
WRAP(cudaEventCreate, (cudaEvent_t * event), (event))
WRAP(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WRAP(cudaEventSynchronize, (cudaEvent_t event), (event))
WRAP(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to))

WRAP(cudaLaunchKernel,
     (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (function, grid, block, arguments, shared, stream))
WRAP(cudaLaunchCooperativeKernel,
     (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (function, grid, block, arguments, shared, stream))
WRAP(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void **arguments),
     (config, function, arguments))
#if CUDART_VERSION >= 13000 // what <<<>>> calls
WRAP(__cudaLaunchKernel,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
#endif

// A capture has ended also where that failed.
extern "C" cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
extern "C" cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    static struct fault_counter counter = {"cudaStreamEndCapture", 0, nullptr, false};
    const cudaError_t error = error_of(&counter), real = __real_cudaStreamEndCapture(stream, graph);
    return error ? error : real;
}

static cudaError_t take_pending(void)
{
    const cudaError_t error = pending;
    pending = cudaSuccess;
    return error;
}

extern "C" cudaError_t __real_cudaGetLastError(void);
extern "C" cudaError_t __wrap_cudaGetLastError(void)
{
    const cudaError_t error = take_pending();
    return error ? error : __real_cudaGetLastError();
}

extern "C" cudaError_t __real_cudaPeekAtLastError(void);
extern "C" cudaError_t __wrap_cudaPeekAtLastError(void)
{
    return pending ? pending : __real_cudaPeekAtLastError();
}
