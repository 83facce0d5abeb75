/* device_cuda.cuh - the parts of the GPU as a device. */
#ifndef NB_DEVICE_CUDA_CUH
#define NB_DEVICE_CUDA_CUH

#include "cuda.cuh"
#include "device.h"

/* nb_device.combine. */
extern "C" int nb_cuda_combine(enum nb_precision precision, uint64_t count, int inputs, const void *const *d_in,
                               int rows, const struct nb_row *row, double *norm);

#endif
