/* both.h - functions that CPU and GPU compile from one source. */
#ifndef NB_BOTH_H
#define NB_BOTH_H

#ifdef __CUDACC__
#define NB_BOTH __host__ __device__ static inline
#else
#define NB_BOTH static inline
#endif

#endif
