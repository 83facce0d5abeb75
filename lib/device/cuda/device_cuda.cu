/* device_cuda.cu - one NVIDIA GPU as a device: memory, copies, CUDA graphs, timing, and the table of its functions
 * (device_kind.h). */
#include "device/cuda/device_cuda.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NORMS (6 * NB_EXTENTS_MAX)
static_assert(NORMS >= NB_COMBINATIONS_MAX, "norms of combinations have room too");

/* ---- opening ---- */

int nb_cuda_enter(const struct nb_device *d)
{
    return NB_CUDA(cudaSetDevice(d->index));
}

bool nb_cuda_enter_again(const struct nb_device *d)
{
    const bool entered = cudaSetDevice(d->index) == cudaSuccess;
    if (!entered)
        cudaGetLastError(); /* clears the error, so that the next call does not report it */
    return entered;
}

cudaStream_t nb_cuda_stream(const struct nb_device *d)
{
    return ((const cuda_device *)d)->stream;
}

static void cuda_close(struct nb_device *d)
{
    cuda_device *c = cuda_of(d);
    if (nb_cuda_enter_again(d)) {
        if (c->stream)
            cudaStreamDestroy(c->stream);
        nb_cuda_peers_close(c);
        nb_cuda_release(&c->piece);
        cudaFree(c->d_norm);
    }
    free(c);
}

/* Writes two versions to `text`: the CUDA version that the driver supports, and the version of the driver. Results
 * can depend on the driver, because it compiles the PTX code of kernels. */
static int find_driver(char *text, size_t size)
{
    int cuda = 0;
    char module[32] = "unknown";
    if (NB_CUDA(cudaDriverGetVersion(&cuda)))
        return -1;
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file && fscanf(file, "%31s", module) != 1)
        strcpy(module, "unknown");
    if (file)
        fclose(file);
    snprintf(text, size, "CUDA %d.%d, driver %s", cuda / 1000, cuda % 1000 / 10, module);
    return 0;
}

static int start(cuda_device *c, int index)
{
    cudaDeviceProp properties;
    c->base.index = index;
    c->base.usual = NB_MIXED;
    if (nb_cuda_enter(&c->base) || NB_CUDA(cudaGetDeviceProperties(&properties, index)))
        return -1;
    snprintf(c->base.description, sizeof c->base.description, "%s", properties.name);
    snprintf(c->base.model, sizeof c->base.model, "%.100s", properties.name);
    return find_driver(c->base.driver, sizeof c->base.driver) ||
                   NB_CUDA(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking)) ||
                   NB_CUDA(cudaMalloc((void **)&c->d_norm, NORMS * sizeof(double)))
               ? -1
               : 0;
}

static int cuda_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError(); /* clears the error, so that the next call does not report it */
        return 0;
    }
    return count;
}

static struct nb_device *cuda_open(int index)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError(); /* clears the error, so that the next call does not report it */
        nb_fail("device cuda: %s", status == cudaSuccess ? "no GPU here" : cudaGetErrorString(status));
        return nullptr;
    }
    if (index >= count) {
        nb_fail("device cuda:%d: there %s %d GPU%s here, numbered from 0", index, count == 1 ? "is" : "are", count,
                count == 1 ? "" : "s");
        return nullptr;
    }
    cuda_device *c = (cuda_device *)calloc(1, sizeof *c);
    if (!c)
        nb_fail("device cuda:%d: no memory on the host", index);
    else if (start(c, index)) {
        char why[NB_ERROR_MAX];
        snprintf(why, sizeof why, "%s", nb_error());
        cuda_close(&c->base);
        nb_fail("device cuda:%d: %s", index, why);
        c = nullptr;
    }
    return c ? &c->base : nullptr;
}

/* ---- marks, memory, copies ---- */

static int cuda_mark(struct nb_device *d, void **mark)
{
    if (nb_cuda_enter(d))
        return -1;
    if (!*mark && NB_CUDA(cudaEventCreate((cudaEvent_t *)mark)))
        return -1;
    return NB_CUDA(cudaEventRecord((cudaEvent_t)*mark, nb_cuda_stream(d)));
}

static double cuda_marked_s(struct nb_device *d, void *from, void *to)
{
    float ms = 0;
    if (nb_cuda_enter(d) || NB_CUDA(cudaEventSynchronize((cudaEvent_t)to)) ||
        NB_CUDA(cudaEventElapsedTime(&ms, (cudaEvent_t)from, (cudaEvent_t)to)))
        return -1;
    return 1e-3 * ms;
}

static void cuda_mark_free(struct nb_device *d, void *mark)
{
    if (mark && nb_cuda_enter_again(d))
        cudaEventDestroy((cudaEvent_t)mark);
}

static int cuda_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    size_t available = 0, total = 0;
    if (nb_cuda_enter(d) || NB_CUDA(cudaMemGetInfo(&available, &total)))
        return -1;
    *free_bytes = (double)available;
    *total_bytes = (double)total;
    return 0;
}

static int cuda_sync(struct nb_device *d)
{
    return nb_cuda_enter(d) || NB_CUDA(cudaStreamSynchronize(nb_cuda_stream(d))) ? -1 : 0;
}

static void *cuda_alloc(struct nb_device *d, size_t size_bytes)
{
    void *p = NULL;
    size_t available = 0, total = 0;
    if (size_bytes == 0)
        size_bytes = 1;
    if (nb_cuda_enter(d))
        return NULL;
    if (cudaMalloc(&p, size_bytes) != cudaSuccess) {
        cudaGetLastError();
        cudaMemGetInfo(&available, &total);
        nb_fail("the GPU has no memory for %.3g GB more (%.3g GB free of %.3g)", 1e-9 * (double)size_bytes,
                1e-9 * (double)available, 1e-9 * (double)total);
        errno = ENOMEM;
        return NULL;
    }
    if (NB_CUDA(cudaMemsetAsync(p, 0, size_bytes, nb_cuda_stream(d)))) {
        cudaFree(p);
        return NULL;
    }
    return p;
}

int nb_cuda_reserve(nb_cuda_buffer *b, size_t size_bytes)
{
    if (b->size_bytes >= size_bytes)
        return 0;
    /* A buffer that has grown once often grows again by a small amount, and an allocation of gigabytes is slow. The
     * buffer therefore gets 1/16 more than it needs now. */
    const size_t roomy = b->size_bytes > 0 ? size_bytes + size_bytes / 16 : size_bytes;
    nb_cuda_release(b);
    if (cudaMalloc(&b->d, roomy) == cudaSuccess) {
        b->size_bytes = roomy;
        return 0;
    }
    cudaGetLastError(); /* clears the error, so that the next launch does not report it */
    if (cudaMalloc(&b->d, size_bytes) != cudaSuccess) {
        cudaGetLastError();
        b->d = nullptr;
        nb_fail("the GPU has no memory for %.3g GB of working space", 1e-9 * (double)size_bytes);
        errno = ENOMEM;
        return -1;
    }
    b->size_bytes = size_bytes;
    return 0;
}

void nb_cuda_release(nb_cuda_buffer *b)
{
    cudaFree(b->d);
    b->d = nullptr;
    b->size_bytes = 0;
}

static void cuda_free(struct nb_device *d, void *p)
{
    if (p && nb_cuda_enter_again(d))
        cudaFree(p);
}

static int copy(struct nb_device *d, void *to, const void *from, size_t size_bytes, cudaMemcpyKind way)
{
    return nb_cuda_enter(d) || NB_CUDA(cudaMemcpyAsync(to, from, size_bytes, way, nb_cuda_stream(d))) ? -1
                                                                                                      : cuda_sync(d);
}

static int cuda_to_device(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    return copy(d, d_to, from, size_bytes, cudaMemcpyHostToDevice);
}

static int cuda_from_device(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    return copy(d, to, d_from, size_bytes, cudaMemcpyDeviceToHost);
}

/* Pins host memory. If this fails, does nothing: copies still work, but they are slower. */
static void cuda_pin(struct nb_device *d, void *p, size_t size_bytes)
{
    if (!nb_cuda_enter_again(d) || cudaHostRegister(p, size_bytes, cudaHostRegisterPortable) != cudaSuccess)
        cudaGetLastError();
}

static void cuda_unpin(struct nb_device *d, void *p)
{
    if (!nb_cuda_enter_again(d) || cudaHostUnregister(p) != cudaSuccess)
        cudaGetLastError();
}

/* ---- recordings: CUDA graphs ---- */

/* Begins to record the device's work in a CUDA graph. Only calls of this thread are recorded; other threads can still
 * copy data. */
static int cuda_record_begin(struct nb_device *d)
{
    return nb_cuda_enter(d) || NB_CUDA(cudaStreamBeginCapture(nb_cuda_stream(d), cudaStreamCaptureModeThreadLocal)) ? -1
                                                                                                                    : 0;
}

static void *cuda_record_end(struct nb_device *d)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t recording = NULL;
    if (nb_cuda_enter(d) || NB_CUDA(cudaStreamEndCapture(nb_cuda_stream(d), &graph))) {
        cudaGetLastError(); /* clears the error, so that the next call does not report it */
        return NULL;
    }
    int status = NB_CUDA(cudaGraphInstantiateWithFlags(&recording, graph, 0));
    cudaGraphDestroy(graph);
    return status ? NULL : recording;
}

static int cuda_replay(struct nb_device *d, void *recording)
{
    return nb_cuda_enter(d) || NB_CUDA(cudaGraphLaunch((cudaGraphExec_t)recording, nb_cuda_stream(d))) ? -1 : 0;
}

static void cuda_record_free(struct nb_device *d, void *recording)
{
    if (nb_cuda_enter_again(d))
        cudaGraphExecDestroy((cudaGraphExec_t)recording);
}

static int cuda_speed(struct nb_device *d, int *processors, double *clock_hz)
{
    int clock_khz = 0;
    if (NB_CUDA(cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, d->index)) ||
        NB_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, d->index)))
        return -1;
    *clock_hz = 1e3 * clock_khz;
    return 0;
}

extern "C" const struct nb_device_kind nb_device_cuda;
const struct nb_device_kind nb_device_cuda = {
    .name = "cuda",
    .quad = false,
    .host = false,
    .open = cuda_open,
    .count = cuda_count,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .to_device = cuda_to_device,
    .from_device = cuda_from_device,
    .memory = cuda_memory,
    .store = nb_cuda_store,
    .fetch = nb_cuda_fetch,
    .axpy = nb_cuda_axpy,
    .kick_drift = nb_cuda_kick_drift,
    .combine = nb_cuda_combine,
    .step_scale = nb_cuda_step_scale,
    .range = nb_cuda_range,
    .hermite_own = nb_cuda_hermite_own,
    .kick_own = nb_cuda_kick_own,
    .select_due = nb_cuda_select_due,
    .sync = cuda_sync,
    .mark = cuda_mark,
    .marked_s = cuda_marked_s,
    .mark_free = cuda_mark_free,
    .speed = cuda_speed,
    .record_begin = cuda_record_begin,
    .record_end = cuda_record_end,
    .replay = cuda_replay,
    .record_free = cuda_record_free,
    .peer_ready = nb_cuda_peer_ready,
    .peer_copy = nb_cuda_peer_copy,
    .peer_taken = nb_cuda_peer_taken,
    .staging = &nb_cuda_staging,
    .fabric = &nb_cuda_fabric,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
};
