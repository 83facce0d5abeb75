/* direct_simd.h - the direct sum on the CPU as one kernel source, compiled for several instruction sets.
 *
 * A kernel computes targets [i0, i1) against all sources. Sums run over blocks of NB_DIRECT_BLOCK sources in the pair's
 * precision and from block to block in double, so that long single-precision sums keep their digits. */
#ifndef NB_DIRECT_SIMD_H
#define NB_DIRECT_SIMD_H

#include "force.h"

#define NB_DIRECT_BLOCK 256
#define NB_DIRECT_TASK  64 /* targets of one task; every kernel's own group divides it */

/* out->a and out->phi as in force.h; either may be NULL. */
typedef void nb_direct_kernel(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                              uint64_t i0, uint64_t i1);

struct nb_direct_set {
    const char *name; /* of the instruction set */
    nb_direct_kernel *kernel[NB_PRECISIONS];
};

/* The instruction sets that are compiled in, best last, NULL at the end; whether this processor has one. */
extern const struct nb_direct_set *const nb_direct_sets[];
bool nb_direct_set_here(const struct nb_direct_set *set);
/* From now on that set, NULL: the best one. -1: not known, or not on this processor. */
int nb_direct_set_choose(const char *name);

extern const struct nb_direct_set nb_direct_baseline, nb_direct_avx2, nb_direct_avx512;

#endif
