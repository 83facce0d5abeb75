/* direct_simd.c - direct summation in all precisions, compiled for the instruction set that the compiler's flags
 * select.
 *
 * Each vector lane holds a target, and NB_VECTORS vectors are processed at a time. Each source is broadcast to all
 * lanes. No sum runs over lanes, so results do not depend on the order in which a compiler would add them. */
#include "force/direct/cpu/direct_simd.h"

#include "simd/vectors.h"

#define SET PASTE(nb_direct_, SET_WORD)

#define PRECISION single
#define STATE     float
#define PAIR      float
#define INDEX     int32_t
#define LANES     LANES_single
#include "force/direct/cpu/direct_simd_kernel.h"

#define PRECISION mixed
#define STATE     double
#define PAIR      float
#define INDEX     int32_t
#define LANES     LANES_mixed
#include "force/direct/cpu/direct_simd_kernel.h"

#define PRECISION double
#define STATE     double
#define PAIR      double
#define INDEX     int64_t
#define LANES     LANES_double
#ifdef SECOND_TERMS
#define SECOND second_double
#endif
#include "force/direct/cpu/direct_simd_kernel.h"

extern const struct nb_direct_set SET;
const struct nb_direct_set SET = {
    .kernel = {[NB_SINGLE] = kernel_single, [NB_MIXED] = kernel_mixed, [NB_DOUBLE] = kernel_double},
    .block_pair = {[NB_SINGLE] = block_pair_single, [NB_MIXED] = block_pair_mixed, [NB_DOUBLE] = block_pair_double},
};
