/* both.h - declares functions that are compiled for the CPU and for the GPU from one source. */
#pragma once

#ifdef __CUDACC__
#define NB_BOTH __host__ __device__ static inline
#else
#define NB_BOTH static inline
#endif
