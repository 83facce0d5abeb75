/* One NVIDIA GPU as a device: memory, copies, vector operations. */
#include "device/cuda/cuda.cuh"

#include <stdio.h>

/* Enough threads for any card; each goes over the vector in strides. */
#define AXPY_BLOCKS 2048

template <typename T>
static __global__ void axpy_kernel(uint64_t count, T a, const T *__restrict__ x, T *__restrict__ y)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = nb_add_scaled(a, x[i], y[i]);
}

template <typename T>
static __global__ void leap_kernel(uint64_t count, T k1, T k2, T d, const T *__restrict__ a, T *__restrict__ v,
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

/* Made by cuda_open. Not the default stream, whose work cannot be recorded. */
static cudaStream_t the_stream;

cudaStream_t nb_cuda_stream(void)
{
    return the_stream;
}

static int cuda_open(char *description, size_t size)
{
    int count = 0, current = 0;
    cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError(); /* not to be met again by the next call */
        return nb_fail("device cuda: %s", status == cudaSuccess ? "no GPU here" : cudaGetErrorString(status));
    }
    if (NB_CUDA(cudaGetDevice(&current)) || NB_CUDA(cudaGetDeviceProperties(&properties, current)))
        return -1;
    snprintf(description, size, "%s", properties.name);
    return the_stream ? 0 : NB_CUDA(cudaStreamCreateWithFlags(&the_stream, cudaStreamNonBlocking));
}

static int cuda_mark(void **mark)
{
    if (!*mark && NB_CUDA(cudaEventCreate((cudaEvent_t *)mark)))
        return -1;
    return NB_CUDA(cudaEventRecord((cudaEvent_t)*mark, nb_cuda_stream()));
}

static double cuda_marked_s(void *from, void *to)
{
    float ms = 0;
    if (NB_CUDA(cudaEventSynchronize((cudaEvent_t)to)) ||
        NB_CUDA(cudaEventElapsedTime(&ms, (cudaEvent_t)from, (cudaEvent_t)to)))
        return -1;
    return 1e-3 * ms;
}

static void cuda_mark_free(void *mark)
{
    if (mark)
        cudaEventDestroy((cudaEvent_t)mark);
}

static int cuda_memory(double *free_bytes, double *total_bytes)
{
    size_t available = 0, total = 0;
    if (NB_CUDA(cudaMemGetInfo(&available, &total)))
        return -1;
    *free_bytes = (double)available;
    *total_bytes = (double)total;
    return 0;
}

static int cuda_sync(void)
{
    return NB_CUDA(cudaStreamSynchronize(nb_cuda_stream()));
}

static void *cuda_alloc(size_t size_bytes)
{
    void *d = NULL;
    size_t available = 0, total = 0;
    if (size_bytes == 0)
        size_bytes = 1;
    if (cudaMalloc(&d, size_bytes) != cudaSuccess) {
        cudaGetLastError();
        cudaMemGetInfo(&available, &total);
        nb_fail("the GPU has no memory for %.3g GB more (%.3g GB free of %.3g)", 1e-9 * (double)size_bytes,
                1e-9 * (double)available, 1e-9 * (double)total);
        return NULL;
    }
    if (NB_CUDA(cudaMemsetAsync(d, 0, size_bytes, nb_cuda_stream()))) {
        cudaFree(d);
        return NULL;
    }
    return d;
}

int nb_cuda_reserve(nb_cuda_buffer *b, size_t size_bytes)
{
    if (b->size_bytes >= size_bytes)
        return 0;
    nb_cuda_release(b);
    if (cudaMalloc(&b->d, size_bytes) != cudaSuccess) {
        cudaGetLastError(); /* not to be met again after the next launch */
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

static void cuda_free(void *d)
{
    cudaFree(d);
}

static int cuda_to_device(void *d_to, const void *from, size_t size_bytes)
{
    return NB_CUDA(cudaMemcpyAsync(d_to, from, size_bytes, cudaMemcpyHostToDevice, nb_cuda_stream())) ? -1
                                                                                                      : cuda_sync();
}

static int cuda_from_device(void *to, const void *d_from, size_t size_bytes)
{
    return NB_CUDA(cudaMemcpyAsync(to, d_from, size_bytes, cudaMemcpyDeviceToHost, nb_cuda_stream())) ? -1
                                                                                                      : cuda_sync();
}

static int cuda_axpy(enum nb_precision precision, uint64_t count, nb_quad factor, const void *d_x, void *d_y)
{
    const double a = (double)factor;
    uint64_t wanted = (count + NB_BLOCK - 1) / NB_BLOCK;
    unsigned blocks = (unsigned)(wanted < AXPY_BLOCKS ? wanted : AXPY_BLOCKS);
    if (count == 0)
        return 0;
    if (precision == NB_SINGLE)
        axpy_kernel<<<blocks, NB_BLOCK, 0, nb_cuda_stream()>>>(count, (float)a, (const float *)d_x, (float *)d_y);
    else
        axpy_kernel<<<blocks, NB_BLOCK, 0, nb_cuda_stream()>>>(count, a, (const double *)d_x, (double *)d_y);
    return NB_CUDA(cudaGetLastError());
}

static int cuda_leap(enum nb_precision precision, uint64_t count, nb_quad first, nb_quad second, nb_quad drift,
                     const void *d_a, void *d_v, void *d_x)
{
    const double k1 = (double)first, k2 = (double)second, d = (double)drift;
    uint64_t wanted = (count + NB_BLOCK - 1) / NB_BLOCK;
    unsigned blocks = (unsigned)(wanted < AXPY_BLOCKS ? wanted : AXPY_BLOCKS);
    if (count == 0)
        return 0;
    if (precision == NB_SINGLE)
        leap_kernel<<<blocks, NB_BLOCK, 0, nb_cuda_stream()>>>(count, (float)k1, (float)k2, (float)d,
                                                               (const float *)d_a, (float *)d_v, (float *)d_x);
    else
        leap_kernel<<<blocks, NB_BLOCK, 0, nb_cuda_stream()>>>(count, k1, k2, d, (const double *)d_a, (double *)d_v,
                                                               (double *)d_x);
    return NB_CUDA(cudaGetLastError());
}

/* ---- recordings: CUDA graphs ---- */

/* Of this thread alone: another may go on with its own copies. */
static int cuda_record_begin(void)
{
    return NB_CUDA(cudaStreamBeginCapture(nb_cuda_stream(), cudaStreamCaptureModeThreadLocal));
}

static void *cuda_record_end(void)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t recording = NULL;
    if (NB_CUDA(cudaStreamEndCapture(nb_cuda_stream(), &graph))) {
        cudaGetLastError(); /* not to be met again by the next call */
        return NULL;
    }
    int status = NB_CUDA(cudaGraphInstantiateWithFlags(&recording, graph, 0));
    cudaGraphDestroy(graph);
    return status ? NULL : recording;
}

static int cuda_replay(void *recording)
{
    return NB_CUDA(cudaGraphLaunch((cudaGraphExec_t)recording, nb_cuda_stream()));
}

static void cuda_record_free(void *recording)
{
    if (recording)
        cudaGraphExecDestroy((cudaGraphExec_t)recording);
}

/* ---- between columns and rows: turned over on the device, in bounded pieces ---- */

#define CHUNK ((uint64_t)1 << 21) /* bodies of a piece */

/* Device memory for a piece of a column; kept, since allocating takes longer than copying a small one. */
static void *piece_memory(size_t size_bytes)
{
    static void *d_piece;
    static size_t d_size_bytes;
    if (size_bytes > d_size_bytes) {
        cudaFree(d_piece);
        d_piece = cuda_alloc(size_bytes);
        d_size_bytes = d_piece ? size_bytes : 0;
    }
    return d_piece;
}

template <typename T, typename C>
static __global__ void spread_kernel(uint64_t n, uint64_t stride, int width, const C *column, T *rows)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < width && i < n; k++)
        rows[k * stride + i] = (T)column[i * width + k];
}

template <typename T, typename C>
static __global__ void gather_kernel(uint64_t n, uint64_t stride, int width, const T *rows, C *column)
{
    uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n * width)
        column[at] = (C)rows[at % width * stride + at / width];
}

template <typename T, typename C>
static int store_as(uint64_t n, uint64_t stride, int width, const C *column, T *d_rows)
{
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    C *d_piece = (C *)piece_memory(chunk * width * sizeof *d_piece);
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        if (!d_piece || cuda_to_device(d_piece, column + i0 * width, count * width * sizeof *d_piece))
            return -1;
        spread_kernel<<<nb_blocks_for(count), NB_BLOCK, 0, nb_cuda_stream()>>>(count, stride, width, d_piece,
                                                                               d_rows + i0);
        if (NB_CUDA(cudaGetLastError()))
            return -1;
    }
    return 0;
}

template <typename T, typename C>
static int fetch_as(uint64_t n, uint64_t stride, int width, const T *d_rows, C *column)
{
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    C *d_piece = (C *)piece_memory(chunk * width * sizeof *d_piece);
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        if (!d_piece)
            return -1;
        gather_kernel<<<nb_blocks_for(count * width), NB_BLOCK, 0, nb_cuda_stream()>>>(count, stride, width,
                                                                                       d_rows + i0, d_piece);
        if (NB_CUDA(cudaGetLastError()) ||
            cuda_from_device(column + i0 * width, d_piece, count * width * sizeof *d_piece))
            return -1;
    }
    return 0;
}

static int cuda_store(enum nb_precision precision, uint64_t n, uint64_t stride, int width, const void *column,
                      enum nb_type type, void *d_rows)
{
    if (precision == NB_QUAD)
        return nb_fail("device cuda: there is no quadruple precision on a GPU");
    if (precision == NB_SINGLE && type == NB_F32)
        return store_as(n, stride, width, (const float *)column, (float *)d_rows);
    if (precision == NB_SINGLE)
        return store_as(n, stride, width, (const double *)column, (float *)d_rows);
    if (type == NB_F32)
        return store_as(n, stride, width, (const float *)column, (double *)d_rows);
    return store_as(n, stride, width, (const double *)column, (double *)d_rows);
}

static int cuda_fetch(enum nb_precision precision, uint64_t n, uint64_t stride, int width, const void *d_rows,
                      enum nb_type type, void *column)
{
    if (precision == NB_SINGLE && type == NB_F32)
        return fetch_as(n, stride, width, (const float *)d_rows, (float *)column);
    if (precision == NB_SINGLE)
        return fetch_as(n, stride, width, (const float *)d_rows, (double *)column);
    if (type == NB_F32)
        return fetch_as(n, stride, width, (const double *)d_rows, (float *)column);
    return fetch_as(n, stride, width, (const double *)d_rows, (double *)column);
}

/* Memory that cannot be pinned is copied all the same, only slower. */
static void cuda_pin(void *p, size_t size_bytes)
{
    if (cudaHostRegister(p, size_bytes, cudaHostRegisterDefault) != cudaSuccess)
        cudaGetLastError();
}

static void cuda_unpin(void *p)
{
    if (cudaHostUnregister(p) != cudaSuccess)
        cudaGetLastError();
}

static int cuda_speed(int *processors, double *clock_hz)
{
    int device = 0, clock_khz = 0;
    if (NB_CUDA(cudaGetDevice(&device)) ||
        NB_CUDA(cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, device)) ||
        NB_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device)))
        return -1;
    *clock_hz = 1e3 * clock_khz;
    return 0;
}

extern "C" const struct nb_device nb_device_cuda;
const struct nb_device nb_device_cuda = {
    "cuda",           NB_MIXED,    cuda_open,        cuda_alloc,      cuda_free,   cuda_to_device,
    cuda_from_device, cuda_axpy,   cuda_leap,        nb_cuda_combine, cuda_sync,   cuda_record_begin,
    cuda_record_end,  cuda_replay, cuda_record_free, cuda_store,      cuda_fetch,  cuda_pin,
    cuda_unpin,       cuda_mark,   cuda_marked_s,    cuda_mark_free,  cuda_memory, cuda_speed,
};
