/* device_opencl.c - opens, closes, synchronises and times an OpenCL device. Defines nb_device_opencl. */
#include "base/error.h"
#include "base/memory.h"
#include "device/device_kind.h"
#include "reference/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

#define DEVICES_MAX 64

/* Lists the devices of all platforms, GPUs first. Returns the number of devices, at most DEVICES_MAX, or -1 after
 * nb_fail. */
static int list_devices(const struct nb_opencl_api *cl, cl_device_id *list)
{
    cl_platform_id platforms[DEVICES_MAX];
    cl_device_id all[DEVICES_MAX];
    cl_bits type[DEVICES_MAX];
    cl_uint platform_count = 0, count = 0;
    int sorted = 0;
    if (cl->GetPlatformIDs(DEVICES_MAX, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0; /* OpenCL returns an error if no driver is installed */
    if (platform_count == 0)
        return nb_fail("device opencl: no OpenCL driver is installed");
    for (cl_uint p = 0; p < platform_count && p < DEVICES_MAX && count < DEVICES_MAX; p++) {
        cl_uint more = 0;
        if (cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES_MAX - count, all + count, &more) == CL_SUCCESS)
            count += more < DEVICES_MAX - count ? more : DEVICES_MAX - count;
    }
    for (cl_uint k = 0; k < count; k++)
        if (cl->GetDeviceInfo(all[k], CL_DEVICE_TYPE, sizeof type[k], &type[k], NULL) != CL_SUCCESS)
            type[k] = 0;
    for (int gpu = 1; gpu >= 0; gpu--)
        for (cl_uint k = 0; k < count; k++)
            if ((type[k] & CL_DEVICE_TYPE_GPU ? 1 : 0) == gpu)
                list[sorted++] = all[k];
    return sorted > 0 ? sorted : nb_fail("device opencl: no installed OpenCL driver has a device");
}

static int ask(const struct nb_opencl *o, cl_uint what, void *value, size_t size)
{
    return nb_opencl_check(o->cl->GetDeviceInfo(o->device, what, size, value, NULL), "clGetDeviceInfo");
}

/* Returns a text property of the device, or NULL after nb_fail. The caller frees the text. */
static char *ask_text(const struct nb_opencl *o, cl_uint what)
{
    size_t size = 0;
    if (nb_opencl_check(o->cl->GetDeviceInfo(o->device, what, 0, NULL, &size), "clGetDeviceInfo"))
        return NULL;
    char *text = calloc(1, size + 1);
    if (!text)
        nb_fail("no memory");
    else if (ask(o, what, text, size)) {
        free(text);
        text = NULL;
    }
    return text;
}

static int describe(struct nb_opencl *o)
{
    cl_platform_id platform;
    char version[64] = "";
    char *name = ask_text(o, CL_DEVICE_NAME), *driver = name ? ask_text(o, CL_DRIVER_VERSION) : NULL;
    const int status = driver ? ask(o, CL_DEVICE_PLATFORM, &platform, sizeof platform) : -1;
    if (status == 0) {
        char *is = name + strspn(name, " ");
        if (o->cl->GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL) != CL_SUCCESS)
            strcpy(version, "OpenCL");
        snprintf(o->base.description, sizeof o->base.description, "%.100s, OpenCL", is);
        snprintf(o->base.model, sizeof o->base.model, "%.100s", is);
        snprintf(o->base.driver, sizeof o->base.driver, "%.60s, driver %.40s", version, driver);
    }
    free(name);
    free(driver);
    return status;
}

/* Reads description, type, memory size and support of double precision of the device. Fails if the device has no
 * compiler or is not available. Returns -1 after nb_fail. */
static int examine(struct nb_opencl *o)
{
    cl_bits type = 0;
    cl_uint is_there = 0, compiles = 0;
    cl_ulong total = 0;
    if (describe(o) || ask(o, CL_DEVICE_TYPE, &type, sizeof type) ||
        ask(o, CL_DEVICE_AVAILABLE, &is_there, sizeof is_there) ||
        ask(o, CL_DEVICE_COMPILER_AVAILABLE, &compiles, sizeof compiles) ||
        ask(o, CL_DEVICE_GLOBAL_MEM_SIZE, &total, sizeof total))
        return -1;
    if (!is_there || !compiles)
        return nb_fail("device opencl:%d (%s) %s", o->base.index, o->base.description,
                       is_there ? "has no compiler" : "is not available");
    char *extensions = ask_text(o, CL_DEVICE_EXTENSIONS);
    if (!extensions)
        return -1;
    o->has_double = strstr(extensions, "cl_khr_fp64") != NULL;
    free(extensions);
    o->is_cpu = type & CL_DEVICE_TYPE_CPU;
    o->base.usual = !o->has_double ? NB_SINGLE : o->is_cpu ? NB_DOUBLE : NB_MIXED;
    o->total_bytes = (double)total;
    return 0;
}

static void opencl_close(struct nb_device *d)
{
    struct nb_opencl *o = nb_opencl_of(d);
    nb_opencl_free(d, o->d_largest);
    nb_opencl_release_kernels(o);
    if (o->queue)
        o->cl->ReleaseCommandQueue(o->queue);
    if (o->context)
        o->cl->ReleaseContext(o->context);
    free(o->buffers);
    free(o);
}

static int start(struct nb_opencl *o, int index)
{
    cl_device_id list[DEVICES_MAX];
    cl_int status;
    const int count = list_devices(o->cl, list);
    if (count < 0)
        return -1;
    if (index >= count)
        return nb_fail("device opencl:%d: there %s %d OpenCL device%s here, numbered from 0", index,
                       count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    o->device = list[index];
    o->base.index = index;
    if (examine(o))
        return -1;
    o->context = o->cl->CreateContext(NULL, 1, &o->device, NULL, NULL, &status);
    if (nb_opencl_check(status, "clCreateContext"))
        return -1;
    o->queue = o->cl->CreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &status);
    return nb_opencl_check(status, "clCreateCommandQueue");
}

static struct nb_device *opencl_open(int index)
{
    const struct nb_opencl_api *cl = nb_opencl_api();
    if (!cl || nb_opencl_ask(cl))
        return NULL;
    struct nb_opencl *o = nb_memory_new(sizeof *o);
    if (!o)
        return NULL;
    o->base.name = "opencl";
    o->cl = cl;
    if (start(o, index) == 0)
        return &o->base;
    opencl_close(&o->base);
    return NULL;
}

/* ---- synchronisation and timing ---- */

static int opencl_sync(struct nb_device *d)
{
    struct nb_opencl *o = nb_opencl_of(d);
    return nb_opencl_check(o->cl->Finish(o->queue), "clFinish");
}

static void opencl_mark_free(struct nb_device *d, void *mark)
{
    if (mark)
        nb_opencl_of(d)->cl->ReleaseEvent(mark);
}

static int opencl_mark(struct nb_device *d, void **mark)
{
    struct nb_opencl *o = nb_opencl_of(d);
    cl_event event = NULL;
    if (nb_opencl_check(o->cl->EnqueueMarkerWithWaitList(o->queue, 0, NULL, &event), "clEnqueueMarkerWithWaitList"))
        return -1;
    opencl_mark_free(d, *mark);
    *mark = event;
    return 0;
}

static double opencl_marked_s(struct nb_device *d, void *from, void *to)
{
    const struct nb_opencl_api *cl = nb_opencl_of(d)->cl;
    const cl_event events[] = {from, to};
    cl_ulong at[2] = {0};
    if (nb_opencl_check(cl->WaitForEvents(2, events), "clWaitForEvents"))
        return -1;
    for (int k = 0; k < 2; k++)
        if (nb_opencl_check(cl->GetEventProfilingInfo(events[k], CL_PROFILING_COMMAND_END, sizeof at[k], &at[k], NULL),
                            "clGetEventProfilingInfo"))
            return -1;
    return 1e-9 * (double)(int64_t)(at[1] - at[0]);
}

static int opencl_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    const struct nb_opencl *o = nb_opencl_of(d);
    cl_uint units = 0, clock_mhz = 0;
    if (ask(o, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units) ||
        ask(o, CL_DEVICE_MAX_CLOCK_FREQUENCY, &clock_mhz, sizeof clock_mhz))
        return -1;
    *processors = (int)units;
    *clock_hz = 1e6 * clock_mhz;
    return 0;
}

extern const struct nb_device_kind nb_device_opencl;
const struct nb_device_kind nb_device_opencl = {
    .name = "opencl",
    .open = opencl_open,
    .close = opencl_close,
    .alloc = nb_opencl_alloc,
    .free = nb_opencl_free,
    .to_device = nb_opencl_to,
    .from_device = nb_opencl_from,
    .memory = nb_opencl_memory,
    .store = nb_opencl_store,
    .fetch = nb_opencl_fetch,
    .axpy = nb_opencl_axpy,
    .kick_drift = nb_opencl_kick_drift,
    .combine = nb_opencl_combine,
    .step_scale = nb_opencl_step_scale,
    .range = nb_opencl_range,
    .sync = opencl_sync,
    .mark = opencl_mark,
    .marked_s = opencl_marked_s,
    .mark_free = opencl_mark_free,
    .speed = opencl_speed,
};
