/* opencl_api.h - the part of OpenCL 1.2 that nbtools uses (Khronos, The OpenCL Specification, version 1.2, revision
 * 19): types, constants and functions with the names of the specification. The library is loaded at run time, so that
 * neither headers nor the library are needed for building. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong, cl_bits; /* cl_bits: OpenCL's cl_bitfield */

enum {
    CL_SUCCESS = 0,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_INVALID_BUFFER_SIZE = -61
};

#define CL_DEVICE_TYPE_CPU        (1u << 1)
#define CL_DEVICE_TYPE_GPU        (1u << 2)
#define CL_DEVICE_TYPE_ALL        0xffffffffu
#define CL_QUEUE_PROFILING_ENABLE (1u << 1)
#define CL_MEM_READ_WRITE         (1u << 0)

enum { /* queries */
       CL_PLATFORM_VERSION = 0x0901,
       CL_DEVICE_TYPE = 0x1000,
       CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
       CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100c, /* MHz */
       CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
       CL_DEVICE_AVAILABLE = 0x1027,
       CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
       CL_DEVICE_NAME = 0x102b,
       CL_DRIVER_VERSION = 0x102d,
       CL_DEVICE_EXTENSIONS = 0x1030,
       CL_DEVICE_PLATFORM = 0x1031,
       CL_PROGRAM_BUILD_LOG = 0x1183,
       CL_PROFILING_COMMAND_END = 0x1283
};

/* Expands to CALL(result, name, (parameters)) for each function of OpenCL. The name GetDeviceIDs means clGetDeviceIDs.
 */
#define NB_OPENCL_CALLS(CALL)                                                                                         \
    CALL(cl_int, GetPlatformIDs, (cl_uint room, cl_platform_id * list, cl_uint * count))                              \
    CALL(cl_int, GetPlatformInfo, (cl_platform_id, cl_uint what, size_t size, void *value, size_t *size_is))          \
    CALL(cl_int, GetDeviceIDs, (cl_platform_id, cl_bits types, cl_uint room, cl_device_id * list, cl_uint * count))   \
    CALL(cl_int, GetDeviceInfo, (cl_device_id, cl_uint what, size_t size, void *value, size_t *size_is))              \
    CALL(cl_context, CreateContext,                                                                                   \
         (const intptr_t *properties, cl_uint count, const cl_device_id *devices,                                     \
          void (*notify)(const char *, const void *, size_t, void *), void *of_notify, cl_int *status))               \
    CALL(cl_int, ReleaseContext, (cl_context))                                                                        \
    CALL(cl_command_queue, CreateCommandQueue, (cl_context, cl_device_id, cl_bits properties, cl_int * status))       \
    CALL(cl_int, ReleaseCommandQueue, (cl_command_queue))                                                             \
    CALL(cl_int, Finish, (cl_command_queue))                                                                          \
    CALL(cl_mem, CreateBuffer, (cl_context, cl_bits flags, size_t size, void *host, cl_int *status))                  \
    CALL(cl_int, ReleaseMemObject, (cl_mem))                                                                          \
    CALL(cl_int, EnqueueFillBuffer,                                                                                   \
         (cl_command_queue, cl_mem, const void *pattern, size_t pattern_size, size_t offset, size_t size,             \
          cl_uint waits, const cl_event *wait, cl_event *event))                                                      \
    CALL(cl_int, EnqueueWriteBuffer,                                                                                  \
         (cl_command_queue, cl_mem, cl_uint blocking, size_t offset, size_t size, const void *from, cl_uint waits,    \
          const cl_event *wait, cl_event *event))                                                                     \
    CALL(cl_int, EnqueueReadBuffer,                                                                                   \
         (cl_command_queue, cl_mem, cl_uint blocking, size_t offset, size_t size, void *to, cl_uint waits,            \
          const cl_event *wait, cl_event *event))                                                                     \
    CALL(cl_program, CreateProgramWithSource,                                                                         \
         (cl_context, cl_uint count, const char **text, const size_t *length, cl_int *status))                        \
    CALL(cl_int, BuildProgram,                                                                                        \
         (cl_program, cl_uint count, const cl_device_id *devices, const char *options,                                \
          void (*notify)(cl_program, void *), void *of_notify))                                                       \
    CALL(cl_int, GetProgramBuildInfo,                                                                                 \
         (cl_program, cl_device_id, cl_uint what, size_t size, void *value, size_t *size_is))                         \
    CALL(cl_int, ReleaseProgram, (cl_program))                                                                        \
    CALL(cl_kernel, CreateKernel, (cl_program, const char *name, cl_int *status))                                     \
    CALL(cl_int, ReleaseKernel, (cl_kernel))                                                                          \
    CALL(cl_int, SetKernelArg, (cl_kernel, cl_uint place, size_t size, const void *value))                            \
    CALL(cl_int, EnqueueNDRangeKernel,                                                                                \
         (cl_command_queue, cl_kernel, cl_uint dimensions, const size_t *offset, const size_t *global,                \
          const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event))                                 \
    CALL(cl_int, EnqueueMarkerWithWaitList, (cl_command_queue, cl_uint waits, const cl_event *wait, cl_event *event)) \
    CALL(cl_int, WaitForEvents, (cl_uint count, const cl_event *events))                                              \
    CALL(cl_int, GetEventProfilingInfo, (cl_event, cl_uint what, size_t size, void *value, size_t *size_is))          \
    CALL(cl_int, ReleaseEvent, (cl_event))

#define NB_OPENCL_MEMBER(result, name, parameters) result(*name) parameters;

struct nb_opencl_api {
    NB_OPENCL_CALLS(NB_OPENCL_MEMBER)
};

/* Returns the functions of the OpenCL library, which the first call loads; NULL after nb_fail. Thread-safe. */
const struct nb_opencl_api *nb_opencl_api(void);

/* Tests in a child process whether the drivers can be opened. Returns 0, or -1 after nb_fail if a signal ended the
 * child. The first call takes about 30 ms; later calls return the same result. Thread-safe. */
int nb_opencl_ask(const struct nb_opencl_api *cl);
