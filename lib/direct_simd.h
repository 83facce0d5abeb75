/* direct_simd.h - the direct sum on the CPU as one kernel source, compiled for several instruction sets.
 *
 * A kernel computes targets [i0, i1) against all sources. Sums run over blocks of NB_DIRECT_BLOCK sources in the pair's
 * precision and from block to block in double, so that long single-precision sums keep their digits. */
#ifndef NB_DIRECT_SIMD_H
#define NB_DIRECT_SIMD_H

#include "force.h"

#define NB_DIRECT_BLOCK 256
#define NB_DIRECT_GROUP 64 /* targets of one task; every kernel's own group divides it */

/* out->a and out->phi as in force.h; either may be NULL. */
typedef void nb_direct_kernel(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                              uint64_t i0, uint64_t i1);

struct nb_direct_set {
    const char *name; /* of the instruction set */
    nb_direct_kernel *kernel[NB_PRECISIONS];
};

extern const struct nb_direct_set nb_direct_baseline, nb_direct_avx2, nb_direct_avx512;

#endif
