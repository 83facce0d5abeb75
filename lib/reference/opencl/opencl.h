/* opencl.h - shared by the OpenCL sources: the opened device, kernels by name, and kernel calls.
 *
 * OpenCL has buffers but no addresses. Therefore a range of unused host addresses is reserved for each buffer. A device
 * pointer is an address in this range. Callers may do arithmetic with it, but must not access memory there. A kernel
 * receives the buffer and the offset of the pointer in it (PLACE in types.cl). */
#pragma once

#include "device/device.h"
#include "reference/opencl/opencl_api.h"

#define NB_OPENCL_GROUP 64 /* number of work-items per work-group; called GROUP in the kernels */

struct nb_opencl_buffer {
    char *at; /* beginning of the reserved range of addresses */
    size_t size_bytes;
    cl_mem mem;
};

struct nb_opencl_kernel {
    /* source: text of the .cl file with the kernel (nb_opencl_source_NAME); name: name of the kernel */
    const char *source, *name;
    enum nb_precision precision;
    cl_program program;
    cl_kernel kernel;
};

#define NB_OPENCL_KERNELS_MAX 64

struct nb_opencl {
    struct nb_device base;
    const struct nb_opencl_api *cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* executes commands in order */
    bool is_cpu, has_double;
    struct nb_opencl_buffer *buffers; /* sorted by address; owned */
    size_t buffer_count;
    double used_bytes, total_bytes;
    struct nb_opencl_kernel kernels[NB_OPENCL_KERNELS_MAX];
    int kernel_count;
    /* device memory of largest_bytes bytes. A kernel that computes maxima over the bodies stores here the maxima of
     * each work-group (opencl_vectors.c) */
    void *d_largest;
    size_t largest_bytes;
};

static inline struct nb_opencl *nb_opencl_of(struct nb_device *d)
{
    return (struct nb_opencl *)d;
}

/* Returns 0 if `status` is success, otherwise -1 after nb_fail with errno EIO. `call`: name of the OpenCL function. */
int nb_opencl_check(cl_int status, const char *call);
/* Returns 0 if the device supports this precision, otherwise -1 after nb_fail. */
int nb_opencl_offers(const struct nb_opencl *o, enum nb_precision precision);
/* Returns the buffer of the device pointer d_p, and sets *place_bytes to the offset of d_p in this buffer. */
cl_mem nb_opencl_find(const struct nb_opencl *o, const void *d_p, size_t *place_bytes);

/* ---- a kernel call: nb_opencl_begin, the arguments in the order of the kernel, nb_opencl_run ---- */

struct nb_opencl_call {
    struct nb_opencl *o;
    enum nb_precision precision;
    cl_kernel kernel; /* NULL after a failure, for which nb_fail was called */
    cl_uint arguments;
};

/* Begins a call of the kernel named `kernel`. The kernel is compiled at its first call. `source`: text of the .cl file
 * with the kernel (nb_opencl_source_NAME). */
struct nb_opencl_call nb_opencl_begin(struct nb_device *d, const char *source, enum nb_precision precision,
                                      const char *kernel);
/* Adds a PLACE argument, which consists of the buffer of the device pointer d_p and of the offset of d_p in the buffer.
 * The offset is in elements of element_bytes bytes. d_p may be NULL. */
void nb_opencl_place(struct nb_opencl_call *c, const void *d_p, size_t element_bytes);
/* Adds a PLACE argument (a buffer and an offset) for the vector at d_p. Its elements have the type of the call's
 * precision. */
void nb_opencl_rows(struct nb_opencl_call *c, const void *d_p);
/* Each function adds one argument to the call: a value of size_bytes bytes, an OpenCL ulong, or an int. */
void nb_opencl_value(struct nb_opencl_call *c, const void *value, size_t size_bytes);
void nb_opencl_ulong(struct nb_opencl_call *c, uint64_t value);
void nb_opencl_int(struct nb_opencl_call *c, int value);
/* nb_opencl_number adds a real number as an argument, in the type of the elements of vectors (in mixed precision:
 * double). nb_opencl_pair_number adds a real number in the type in which forces between pairs of bodies are computed
 * (in mixed precision: float). */
void nb_opencl_number(struct nb_opencl_call *c, double value);
void nb_opencl_pair_number(struct nb_opencl_call *c, double value);
/* Enqueues `items` work-items, rounded up to whole work-groups. Returns 0, or -1 after nb_fail. */
int nb_opencl_run(struct nb_opencl_call *c, uint64_t items);

/* ---- functions of struct nb_device_kind: opencl_program.c, opencl_memory.c, opencl_vectors.c ---- */

/* Releases all compiled kernels. */
void nb_opencl_release_kernels(struct nb_opencl *o);

void *nb_opencl_alloc(struct nb_device *d, size_t size_bytes);
void nb_opencl_free(struct nb_device *d, void *p);
int nb_opencl_memory(struct nb_device *d, double *free_bytes, double *total_bytes);
int nb_opencl_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
int nb_opencl_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
int nb_opencl_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *column, enum nb_type type, void *d_rows);
int nb_opencl_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                    const void *d_rows, enum nb_type type, void *column);

int nb_opencl_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                   void *d_y);
int nb_opencl_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                         double drift, const void *d_a, void *d_v, void *d_x);
int nb_opencl_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                      const void *const *d_in, int rows, const struct nb_combination *row, double *norm);
int nb_opencl_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                         const void *const *d_derivative, double least, double *time);
int nb_opencl_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range);
