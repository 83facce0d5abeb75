/* One NVIDIA GPU as a device: memory, copies, vector operations. */
#include "device/cuda/cuda.cuh"
#include "device/device_kind.h"

#include <stdio.h>
#include <stdlib.h>

/* Enough threads for any card; each goes over the vector in strides. */
#define AXPY_BLOCKS 2048
#define NORMS       (6 * NB_EXTENTS_MAX)
static_assert(NORMS >= NB_COMBINATIONS_MAX, "norms of combinations have room too");

/* Threads go over the elements in strides of the grid; x, y: count each. y += a x. */
template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = nb_add_scaled(a, x[i], y[i]);
}

/* Threads go over the elements in strides of the grid; a, v, x: count each. */
template <typename T>
static __global__ void kick_drift_kernel(uint64_t count, T k1, T k2, T d, const T *__restrict__ a, T *__restrict__ v,
                                         T *__restrict__ x)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        T speed = k1 != 0 ? nb_add_scaled(k1, a[i], v[i]) : v[i];
        if (k2 != 0)
            speed = nb_add_scaled(k2, a[i], speed);
        v[i] = speed;
        x[i] = nb_add_scaled(d, speed, x[i]);
    }
}

/* ---- opening ---- */

struct cuda_device {
    struct nb_device base;
    cudaStream_t stream; /* not the default one, whose work cannot be recorded */
    void *d_piece;       /* of a column on its way; d, since allocating takes longer than copying a small one */
    size_t piece_bytes;
    unsigned long long *d_norm; /* NORMS largest values: of combinations or extents */
};

static cuda_device *cuda_of(struct nb_device *d)
{
    return (cuda_device *)d;
}

int nb_cuda_enter(const struct nb_device *d)
{
    return NB_CUDA(cudaSetDevice(d->index));
}

cudaStream_t nb_cuda_stream(const struct nb_device *d)
{
    return ((const cuda_device *)d)->stream;
}

static void cuda_close(struct nb_device *d)
{
    cuda_device *c = cuda_of(d);
    if (nb_cuda_enter(d) == 0) {
        if (c->stream)
            cudaStreamDestroy(c->stream);
        cudaFree(c->d_piece);
        cudaFree(c->d_norm);
    }
    free(c);
}

/* The CUDA version that the driver serves, and the driver's own, which compiles PTX. */
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

static struct nb_device *cuda_open(int index)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError(); /* not to be met again by the next call */
        nb_fail("device cuda: %s", status == cudaSuccess ? "no GPU here" : cudaGetErrorString(status));
        return nullptr;
    }
    if (index >= count) {
        nb_fail("device cuda:%d: there are %d GPUs here, numbered from 0", index, count);
        return nullptr;
    }
    cuda_device *c = (cuda_device *)calloc(1, sizeof *c);
    if (!c)
        nb_fail("no memory");
    else if (start(c, index)) {
        cuda_close(&c->base);
        c = nullptr;
    }
    return c ? &c->base : nullptr;
}

/* ---- order of work ---- */

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
    if (mark && nb_cuda_enter(d) == 0)
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
    /* What has grown once may grow again, a little at a time, and to allocate gigabytes takes longer than to use them.
     */
    const size_t roomy = b->size_bytes > 0 ? size_bytes + size_bytes / 16 : size_bytes;
    nb_cuda_release(b);
    if (cudaMalloc(&b->d, roomy) == cudaSuccess) {
        b->size_bytes = roomy;
        return 0;
    }
    cudaGetLastError(); /* not to be met again after the next launch */
    if (cudaMalloc(&b->d, size_bytes) != cudaSuccess) {
        cudaGetLastError();
        b->d = nullptr;
        return nb_fail("the GPU has no memory for %.3g GB of working space", 1e-9 * (double)size_bytes);
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
    if (p && nb_cuda_enter(d) == 0)
        cudaFree(p);
}

static int cuda_to_device(struct nb_device *d, void *d_to, const void *from, size_t size_bytes)
{
    return nb_cuda_enter(d) ||
                   NB_CUDA(cudaMemcpyAsync(d_to, from, size_bytes, cudaMemcpyHostToDevice, nb_cuda_stream(d)))
               ? -1
               : cuda_sync(d);
}

static int cuda_from_device(struct nb_device *d, void *to, const void *d_from, size_t size_bytes)
{
    return nb_cuda_enter(d) ||
                   NB_CUDA(cudaMemcpyAsync(to, d_from, size_bytes, cudaMemcpyDeviceToHost, nb_cuda_stream(d)))
               ? -1
               : cuda_sync(d);
}

/* ---- vectors ---- */

static unsigned axpy_blocks(uint64_t count)
{
    return count < (uint64_t)AXPY_BLOCKS * NB_BLOCK ? nb_blocks_for(count) : AXPY_BLOCKS;
}

static int cuda_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                     void *d_y)
{
    cudaStream_t stream = nb_cuda_stream(d);
    if (count == 0)
        return 0;
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        axpy_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, (float)a, (const float *)d_x, (float *)d_y);
    else
        axpy_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, a, (const double *)d_x, (double *)d_y);
    return NB_CUDA(cudaGetLastError());
}

static int cuda_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                           double drift, const void *d_a, void *d_v, void *d_x)
{
    cudaStream_t stream = nb_cuda_stream(d);
    if (count == 0)
        return 0;
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE)
        kick_drift_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, (float)k1, (float)k2, (float)drift,
                                                                       (const float *)d_a, (float *)d_v, (float *)d_x);
    else
        kick_drift_kernel<<<axpy_blocks(count), NB_BLOCK, 0, stream>>>(count, k1, k2, drift, (const double *)d_a,
                                                                       (double *)d_v, (double *)d_x);
    return NB_CUDA(cudaGetLastError());
}

static int cuda_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                        const void *const *d_in, int rows, const struct nb_combination *row, double *norm)
{
    return nb_cuda_enter(d) ? -1
                            : nb_cuda_combine(nb_cuda_stream(d), cuda_of(d)->d_norm, precision, count, inputs, d_in,
                                              rows, row, norm);
}

static int cuda_time_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                           const void *const *d_derivative, double least, double *time)
{
    return nb_cuda_enter(d) ? -1
                            : nb_cuda_time_scale(nb_cuda_stream(d), cuda_of(d)->d_norm, precision, n, stride, count,
                                                 d_derivative, least, time);
}

static int cuda_extent(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                       const void *const *d_vector, double *extent)
{
    return nb_cuda_enter(d)
               ? -1
               : nb_cuda_extent(nb_cuda_stream(d), cuda_of(d)->d_norm, precision, n, stride, count, d_vector, extent);
}

/* ---- recordings: CUDA graphs ---- */

/* Of this thread alone: another may go on with its own copies. */
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
        cudaGetLastError(); /* not to be met again by the next call */
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
    if (nb_cuda_enter(d) == 0)
        cudaGraphExecDestroy((cudaGraphExec_t)recording);
}

/* ---- between columns and rows: transposed on the device, in pieces of bounded size ---- */

#define CHUNK ((uint64_t)1 << 21) /* bodies of a piece */

static void *piece_memory(struct nb_device *d, size_t size_bytes)
{
    cuda_device *c = cuda_of(d);
    if (size_bytes > c->piece_bytes) {
        cudaFree(c->d_piece);
        c->d_piece = cuda_alloc(d, size_bytes);
        c->piece_bytes = c->d_piece ? size_bytes : 0;
    }
    return c->d_piece;
}

/* A thread a body: column[n][width] becomes `width` rows of stride. */
template <typename T, typename C>
static __global__ void to_rows_kernel(uint64_t n, uint64_t stride, int width, const C *column, T *rows)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < width && i < n; k++)
        rows[k * stride + i] = (T)column[i * width + k];
}

/* A thread a value of the column: `width` rows of stride become column[n][width]. */
template <typename T, typename C>
static __global__ void to_column_kernel(uint64_t n, uint64_t stride, int width, const T *rows, C *column)
{
    uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n * width)
        column[at] = (C)rows[at % width * stride + at / width];
}

template <typename T, typename C>
static int store_as(struct nb_device *d, uint64_t n, uint64_t stride, int width, const C *column, T *d_rows)
{
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    C *d_piece = (C *)piece_memory(d, chunk * width * sizeof *d_piece);
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        if (!d_piece || cuda_to_device(d, d_piece, column + i0 * width, count * width * sizeof *d_piece))
            return -1;
        to_rows_kernel<<<nb_blocks_for(count), NB_BLOCK, 0, nb_cuda_stream(d)>>>(count, stride, width, d_piece,
                                                                                 d_rows + i0);
        if (NB_CUDA(cudaGetLastError()))
            return -1;
    }
    return 0;
}

template <typename T, typename C>
static int fetch_as(struct nb_device *d, uint64_t n, uint64_t stride, int width, const T *d_rows, C *column)
{
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    C *d_piece = (C *)piece_memory(d, chunk * width * sizeof *d_piece);
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        if (!d_piece)
            return -1;
        to_column_kernel<<<nb_blocks_for(count * width), NB_BLOCK, 0, nb_cuda_stream(d)>>>(count, stride, width,
                                                                                           d_rows + i0, d_piece);
        if (NB_CUDA(cudaGetLastError()) ||
            cuda_from_device(d, column + i0 * width, d_piece, count * width * sizeof *d_piece))
            return -1;
    }
    return 0;
}

static int cuda_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                      const void *column, enum nb_type type, void *d_rows)
{
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE && type == NB_F32)
        return store_as(d, n, stride, width, (const float *)column, (float *)d_rows);
    if (precision == NB_SINGLE)
        return store_as(d, n, stride, width, (const double *)column, (float *)d_rows);
    if (type == NB_F32)
        return store_as(d, n, stride, width, (const float *)column, (double *)d_rows);
    return store_as(d, n, stride, width, (const double *)column, (double *)d_rows);
}

static int cuda_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                      const void *d_rows, enum nb_type type, void *column)
{
    if (nb_cuda_enter(d))
        return -1;
    if (precision == NB_SINGLE && type == NB_F32)
        return fetch_as(d, n, stride, width, (const float *)d_rows, (float *)column);
    if (precision == NB_SINGLE)
        return fetch_as(d, n, stride, width, (const float *)d_rows, (double *)column);
    if (type == NB_F32)
        return fetch_as(d, n, stride, width, (const double *)d_rows, (float *)column);
    return fetch_as(d, n, stride, width, (const double *)d_rows, (double *)column);
}

/* Memory that cannot be pinned is copied all the same, only slower. */
static void cuda_pin(struct nb_device *d, void *p, size_t size_bytes)
{
    if (nb_cuda_enter(d) || cudaHostRegister(p, size_bytes, cudaHostRegisterPortable) != cudaSuccess)
        cudaGetLastError();
}

static void cuda_unpin(struct nb_device *d, void *p)
{
    if (nb_cuda_enter(d) || cudaHostUnregister(p) != cudaSuccess)
        cudaGetLastError();
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
    .usual = NB_MIXED,
    .quad = false,
    .host = false,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .to_device = cuda_to_device,
    .from_device = cuda_from_device,
    .memory = cuda_memory,
    .store = cuda_store,
    .fetch = cuda_fetch,
    .axpy = cuda_axpy,
    .kick_drift = cuda_kick_drift,
    .combine = cuda_combine,
    .time_scale = cuda_time_scale,
    .extent = cuda_extent,
    .sync = cuda_sync,
    .mark = cuda_mark,
    .marked_s = cuda_marked_s,
    .mark_free = cuda_mark_free,
    .speed = cuda_speed,
    .record_begin = cuda_record_begin,
    .record_end = cuda_record_end,
    .replay = cuda_replay,
    .record_free = cuda_record_free,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
};
