/* opencl.h - what the OpenCL sources share: an opened device, kernels by their names, and a call of one.
 *
 * OpenCL has buffers and no addresses. A device pointer here is a place in a range of addresses that nothing is mapped
 * to, reserved for its buffer, so that callers may add to it as to any other; a kernel is given the buffer and the
 * place in it, by PLACE of types.cl. */
#pragma once

#include "device/device.h"
#include "reference/opencl/opencl_api.h"

#define NB_OPENCL_GROUP 64 /* work-items of a work-group, GROUP in the kernels */

struct nb_opencl_buffer {
    char *at; /* its range of addresses */
    size_t size_bytes;
    cl_mem mem;
};

struct nb_opencl_kernel {
    const char *source, *name; /* the text that it is in, one of the nb_opencl_source_... */
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
    cl_command_queue queue; /* in order */
    bool is_cpu, has_double;
    struct nb_opencl_buffer *buffers; /* by address; owned */
    size_t buffer_count;
    double used_bytes, total_bytes;
    struct nb_opencl_kernel kernels[NB_OPENCL_KERNELS_MAX];
    int kernel_count;
    void *d_largest; /* device memory of the vectors' largest sizes, with room for so many: */
    size_t largest_bytes;
};

static inline struct nb_opencl *nb_opencl_of(struct nb_device *d)
{
    return (struct nb_opencl *)d;
}

/* 0, or -1 after nb_fail with errno EIO: `status` is what the call of that name returned. */
int nb_opencl_check(cl_int status, const char *call);
/* Does the device compute in this precision? -1 after nb_fail with why not. */
int nb_opencl_offers(const struct nb_opencl *o, enum nb_precision precision);
/* The buffer of a device pointer, and its place there, bytes. */
cl_mem nb_opencl_find(const struct nb_opencl *o, const void *d_p, size_t *place_bytes);

/* ---- calls of kernels: begin, arguments in the kernel's order, run ---- */

struct nb_opencl_call {
    struct nb_opencl *o;
    enum nb_precision precision;
    cl_kernel kernel; /* NULL after a failure, nb_fail having told it */
    cl_uint arguments;
};

/* The kernel is compiled when it is first called. `source` is the text of a .cl file, nb_opencl_source_NAME. */
struct nb_opencl_call nb_opencl_begin(struct nb_device *d, const char *source, enum nb_precision precision,
                                      const char *kernel);
/* A place in device memory, counted in elements of that size: PLACE; NULL is allowed. */
void nb_opencl_place(struct nb_opencl_call *c, const void *d_p, size_t element_bytes);
/* The same of the precision's elements. */
void nb_opencl_rows(struct nb_opencl_call *c, const void *d_p);
void nb_opencl_value(struct nb_opencl_call *c, const void *value, size_t size_bytes);
void nb_opencl_ulong(struct nb_opencl_call *c, uint64_t value);
void nb_opencl_int(struct nb_opencl_call *c, int value);
/* A number of the type of the precision's elements; of its pairs' arithmetic. */
void nb_opencl_number(struct nb_opencl_call *c, double value);
void nb_opencl_pair_number(struct nb_opencl_call *c, double value);
/* Puts `items` work-items, rounded up to whole groups, in the queue. 0, or -1 after nb_fail. */
int nb_opencl_run(struct nb_opencl_call *c, uint64_t items);

/* ---- parts of the device, as device_kind.h says: opencl_program.c, opencl_memory.c, opencl_vectors.c ---- */

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
