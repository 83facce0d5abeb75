/* device_cuda_columns.cu - copies a frame's columns in host memory to rows in GPU memory, and rows to columns. The GPU
 * does the conversion, in pieces of CHUNK bodies. Declared in device_cuda.cuh. */
#include "device/cuda/device_cuda.cuh"

#define CHUNK ((uint64_t)1 << 21) /* number of bodies per piece */

/* Converts column[n][width] to `width` rows of `stride` elements. One thread per body. */
template <typename T, typename C>
static __global__ void to_rows_kernel(uint64_t n, uint64_t stride, int width, const C *column, T *rows)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < width && i < n; k++)
        rows[k * stride + i] = (T)column[i * width + k];
}

/* Converts `width` rows of `stride` elements to column[n][width]. One thread per element of the column. */
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
    nb_cuda_buffer *piece = &cuda_of(d)->piece;
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    if (nb_cuda_enter(d) || nb_cuda_reserve(piece, chunk * width * sizeof(C)))
        return -1;
    C *d_piece = (C *)piece->d;
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        if (nb_device_to(d, d_piece, column + i0 * width, count * width * sizeof *d_piece))
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
    nb_cuda_buffer *piece = &cuda_of(d)->piece;
    const uint64_t chunk = n < CHUNK ? n : CHUNK;
    if (nb_cuda_enter(d) || nb_cuda_reserve(piece, chunk * width * sizeof(C)))
        return -1;
    C *d_piece = (C *)piece->d;
    for (uint64_t i0 = 0; i0 < n; i0 += chunk) {
        uint64_t count = n - i0 < chunk ? n - i0 : chunk;
        to_column_kernel<<<nb_blocks_for(count * width), NB_BLOCK, 0, nb_cuda_stream(d)>>>(count, stride, width,
                                                                                           d_rows + i0, d_piece);
        if (NB_CUDA(cudaGetLastError()) ||
            nb_device_from(d, column + i0 * width, d_piece, count * width * sizeof *d_piece))
            return -1;
    }
    return 0;
}

int nb_cuda_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                  const void *column, enum nb_type type, void *d_rows)
{
    if (precision == NB_SINGLE && type == NB_F32)
        return store_as(d, n, stride, width, (const float *)column, (float *)d_rows);
    if (precision == NB_SINGLE)
        return store_as(d, n, stride, width, (const double *)column, (float *)d_rows);
    if (type == NB_F32)
        return store_as(d, n, stride, width, (const float *)column, (double *)d_rows);
    return store_as(d, n, stride, width, (const double *)column, (double *)d_rows);
}

int nb_cuda_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                  const void *d_rows, enum nb_type type, void *column)
{
    if (precision == NB_SINGLE && type == NB_F32)
        return fetch_as(d, n, stride, width, (const float *)d_rows, (float *)column);
    if (precision == NB_SINGLE)
        return fetch_as(d, n, stride, width, (const float *)d_rows, (double *)column);
    if (type == NB_F32)
        return fetch_as(d, n, stride, width, (const double *)d_rows, (float *)column);
    return fetch_as(d, n, stride, width, (const double *)d_rows, (double *)column);
}
