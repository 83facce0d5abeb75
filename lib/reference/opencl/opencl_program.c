/* opencl_program.c - compiles kernels at their first call, and runs them. Declared in opencl.h. */
#include "reference/opencl/opencl.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char nb_opencl_source_types[];

/* ---- compilation ---- */

/* Calls nb_fail with a line of the compiler's log: the first line that contains "error", otherwise the first line. If
 * there is no log, calls nb_fail with a general message. Sets errno to EIO. */
static void tell_log(const struct nb_opencl *o, cl_program program)
{
    size_t size = 0;
    char *log = NULL;
    if (o->cl->GetProgramBuildInfo(program, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS)
        log = calloc(1, size + 1);
    if (!log || o->cl->GetProgramBuildInfo(program, o->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS ||
        *log == '\0')
        nb_fail("OpenCL: the compiler of %s failed", o->base.description);
    else {
        char *line = strstr(log, "error");
        while (line && line > log && line[-1] != '\n')
            line--;
        line = line ? line : log;
        line[strcspn(line, "\n")] = '\0';
        nb_fail("OpenCL: the compiler of %s: %s", o->base.description, line);
    }
    free(log);
    errno = EIO;
}

static cl_program build(const struct nb_opencl *o, const char *source, enum nb_precision precision)
{
    const char *text[] = {nb_opencl_source_types, source};
    char options[128];
    cl_int status;
    cl_program program = o->cl->CreateProgramWithSource(o->context, 2, text, NULL, &status);
    if (nb_opencl_check(status, "clCreateProgramWithSource"))
        return NULL;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DPRECISION=%d -DGROUP=%d%s%s", (int)precision, NB_OPENCL_GROUP,
             o->is_cpu ? " -DIS_CPU" : "", o->has_double ? "" : " -cl-single-precision-constant");
    status = o->cl->BuildProgram(program, 1, &o->device, options, NULL, NULL);
    if (status == CL_SUCCESS)
        return program;
    if (status == CL_BUILD_PROGRAM_FAILURE)
        tell_log(o, program);
    else
        nb_opencl_check(status, "clBuildProgram");
    o->cl->ReleaseProgram(program);
    return NULL;
}

/* Returns the program that was compiled from this source for this precision, compiling it if necessary. Returns NULL
 * after nb_fail. The program is released with the kernels. */
static cl_program program_of(struct nb_opencl *o, const char *source, enum nb_precision precision)
{
    for (int k = 0; k < o->kernel_count; k++)
        if (o->kernels[k].source == source && o->kernels[k].precision == precision)
            return o->kernels[k].program;
    return build(o, source, precision);
}

static cl_kernel add_kernel(struct nb_opencl *o, const char *source, enum nb_precision precision, const char *name)
{
    cl_int status;
    cl_program program = program_of(o, source, precision);
    cl_kernel kernel = program ? o->cl->CreateKernel(program, name, &status) : NULL;
    if (!program || nb_opencl_check(status, "clCreateKernel"))
        return NULL;
    o->kernels[o->kernel_count++] = (struct nb_opencl_kernel){source, name, precision, program, kernel};
    return kernel;
}

static cl_kernel find_kernel(struct nb_opencl *o, const char *source, enum nb_precision precision, const char *name)
{
    for (int k = 0; k < o->kernel_count; k++)
        if (o->kernels[k].source == source && o->kernels[k].precision == precision &&
            strcmp(o->kernels[k].name, name) == 0)
            return o->kernels[k].kernel;
    if (o->kernel_count == NB_OPENCL_KERNELS_MAX)
        return nb_null(
            nb_fail("OpenCL: this version can use at most %d kernels (increase NB_OPENCL_KERNELS_MAX in opencl.h)",
                    NB_OPENCL_KERNELS_MAX));
    return add_kernel(o, source, precision, name);
}

void nb_opencl_release_kernels(struct nb_opencl *o)
{
    for (int k = 0; k < o->kernel_count; k++) {
        bool again = false;
        for (int j = 0; j < k; j++)
            again = again || o->kernels[j].program == o->kernels[k].program;
        o->cl->ReleaseKernel(o->kernels[k].kernel);
        if (!again)
            o->cl->ReleaseProgram(o->kernels[k].program);
    }
    o->kernel_count = 0;
}

/* ---- calls ---- */

struct nb_opencl_call nb_opencl_begin(struct nb_device *d, const char *source, enum nb_precision precision,
                                      const char *kernel)
{
    struct nb_opencl *o = nb_opencl_of(d);
    return (struct nb_opencl_call){
        o, precision, nb_opencl_offers(o, precision) ? NULL : find_kernel(o, source, precision, kernel), 0};
}

void nb_opencl_value(struct nb_opencl_call *c, const void *value, size_t size_bytes)
{
    if (c->kernel && nb_opencl_check(c->o->cl->SetKernelArg(c->kernel, c->arguments, size_bytes, value), //
                                     "clSetKernelArg"))
        c->kernel = NULL;
    c->arguments++;
}

void nb_opencl_ulong(struct nb_opencl_call *c, uint64_t value)
{
    nb_opencl_value(c, &value, sizeof value);
}

void nb_opencl_int(struct nb_opencl_call *c, int value)
{
    const cl_int number = value;
    nb_opencl_value(c, &number, sizeof number);
}

static void pass_number(struct nb_opencl_call *c, bool is_single, double value)
{
    const float single = (float)value;
    if (is_single)
        nb_opencl_value(c, &single, sizeof single);
    else
        nb_opencl_value(c, &value, sizeof value);
}

void nb_opencl_number(struct nb_opencl_call *c, double value)
{
    pass_number(c, c->precision == NB_SINGLE, value);
}

void nb_opencl_pair_number(struct nb_opencl_call *c, double value)
{
    pass_number(c, c->precision != NB_DOUBLE, value);
}

void nb_opencl_place(struct nb_opencl_call *c, const void *d_p, size_t element_bytes)
{
    size_t place_bytes = 0;
    cl_mem mem = d_p ? nb_opencl_find(c->o, d_p, &place_bytes) : NULL;
    nb_opencl_value(c, mem ? &mem : NULL, sizeof mem);
    nb_opencl_ulong(c, place_bytes / element_bytes);
}

void nb_opencl_rows(struct nb_opencl_call *c, const void *d_p)
{
    nb_opencl_place(c, d_p, nb_precision_size(c->precision));
}

int nb_opencl_run(struct nb_opencl_call *c, uint64_t items)
{
    const size_t local = NB_OPENCL_GROUP, global = (items + local - 1) / local * local;
    if (!c->kernel)
        return -1;
    if (global == 0)
        return 0;
    return nb_opencl_check(
        c->o->cl->EnqueueNDRangeKernel(c->o->queue, c->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
}
