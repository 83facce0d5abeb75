/* device_cuda.cuh - shared declarations of the files that implement device_kind.h for CUDA. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "device/device_kind.h"

struct cuda_device {
    struct nb_device base;
    cudaStream_t stream; /* not the default stream, which cannot be captured in a CUDA graph */
    /* work space of nb_cuda_select_due, and of copies of columns, which are converted piece by piece. Kept between
     * calls, because an allocation takes longer than copying a small column */
    nb_cuda_buffer piece;
    unsigned long long *d_norm; /* array of NORMS elements (device_cuda.cu) for the results of a kernel: maxima of
                                   values, or the number of bodies that nb_cuda_select_due found */
    cudaStream_t copies; /* CUDA stream for copies to and from other cards, concurrent with `stream`; NULL before the
                            first copy */
    cudaEvent_t ready, copied;
    void *fabric; /* NCCL communicator with other processes' cards; NULL: none */
};

static inline cuda_device *cuda_of(struct nb_device *d)
{
    return (cuda_device *)d;
}

/* Makes the device current as nb_cuda_enter does, but preserves nb_error. Used to release something after a failure. */
bool nb_cuda_enter_again(const struct nb_device *d);

/* Sets *to to the maximum of *to and of the values `bits` of the threads of a block. All threads of the block must call
 * this function. */
static __device__ __forceinline__ void raise_bits(unsigned long long *to, unsigned long long bits)
{
    __shared__ unsigned long long largest;
    if (threadIdx.x == 0)
        largest = 0;
    __syncthreads();
    atomicMax(&largest, bits);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(to, largest);
    __syncthreads();
}

/* Like raise_bits for values `size` >= 0. *norm contains the bits of a double. The bits of doubles >= 0, read as
 * integers, have the same order as the doubles. */
static __device__ __forceinline__ void raise(unsigned long long *norm, double size)
{
    raise_bits(norm, (unsigned long long)__double_as_longlong(size));
}

/* ---- device_cuda_vectors.cu, device_cuda_columns.cu, device_cuda_combine.cu ---- */

int nb_cuda_axpy(struct nb_device *d, enum nb_precision precision, uint64_t count, double a, const void *d_x,
                 void *d_y);
int nb_cuda_kick_drift(struct nb_device *d, enum nb_precision precision, uint64_t count, double k1, double k2,
                       double drift, const void *d_a, void *d_v, void *d_x);
int nb_cuda_store(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                  const void *column, enum nb_type type, void *d_rows);
int nb_cuda_fetch(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int width,
                  const void *d_rows, enum nb_type type, void *column);
int nb_cuda_combine(struct nb_device *d, enum nb_precision precision, uint64_t count, int inputs,
                    const void *const *d_in, int rows, const struct nb_combination *row, double *norm);
int nb_cuda_step_scale(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride,
                       const void *const *d_derivative, double least, double *time);
int nb_cuda_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                  const void *const *d_vector, union nb_range *range);

/* ---- device_cuda_own.cu ---- */

int nb_cuda_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                        double range[2]);
int nb_cuda_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least);
int nb_cuda_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n, const void *d_step,
                       double most, uint32_t *d_index, uint64_t *count);

/* ---- device_cuda_peers.cu ---- */

int nb_cuda_peer_ready(struct nb_device *d);
int nb_cuda_peer_copy(struct nb_device *d, void *d_to, struct nb_device *from, const void *d_from, size_t size_bytes);
int nb_cuda_peer_taken(struct nb_device *d, struct nb_device *const *all, int count);
extern const struct nb_device_staging nb_cuda_staging;
/* Prepares a card for exchanges of data with the other cards. If two cards cannot access each other's memory, copies
 * between them go through host memory. */
int nb_cuda_join_peers(cuda_device *c);
/* Releases what nb_cuda_join_peers allocated. */
void nb_cuda_peers_close(cuda_device *c);

/* ---- device_cuda_fabric.cu ---- */

extern const struct nb_device_fabric nb_cuda_fabric;
