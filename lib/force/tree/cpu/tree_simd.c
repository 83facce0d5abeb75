/* tree_simd.c - kernels of the tree compiled for the instruction set that the compiler's flags select. */
#include "force/tree/cpu/tree_simd.h"

#include "simd/vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNALIGNED(type) __attribute__((aligned(sizeof(type)), may_alias))

#define PRECISION single
#define ELEMENT   float
#define INTEGER   int32_t
#define SQRT      sqrtf
#define LANES     LANES_single
#define TINY      NB_TREE_TINY
#define EPSILON   FLT_EPSILON
#include "force/tree/cpu/tree_simd_vectors.h"

#include "force/tree/cpu/tree_simd_moments.h"

#include "force/tree/cpu/tree_simd_far.h"
#undef PRECISION
#undef ELEMENT
#undef INTEGER
#undef SQRT
#undef LANES
#undef TINY
#undef EPSILON

#define PRECISION double
#define ELEMENT   double
#define INTEGER   int64_t
#define SQRT      sqrt
#define LANES     LANES_double
#define EPSILON   DBL_EPSILON
#define TINY      0x1p-88 /* minimum distance for expansions: derivatives of the potential stay below 2^978 */
#include "force/tree/cpu/tree_simd_vectors.h"

#include "force/tree/cpu/tree_simd_moments.h"

#include "force/tree/cpu/tree_simd_far.h"
#undef PRECISION
#undef ELEMENT
#undef INTEGER
#undef SQRT
#undef LANES
#undef TINY
#undef EPSILON

#define PRECISION near_single
#define PAIR      float
#define INDEX     int32_t
#define ROW(t, k) ((t)->xs[k])
#define ROW_TYPE  float
#define MASS(t)   ((t)->ms)
#define PARTS     1
#define LANES     LANES_single
#define ESTIMATE  estimate_single
#define TERMS     TERMS_single
#define BITS      bits_single
#include "force/tree/cpu/tree_simd_near.h"

#define PRECISION near_mixed
#define PAIR      float
#define INDEX     int32_t
#define ROW(t, k) ((t)->x[k])
#define ROW_TYPE  double
#define MASS(t)   ((t)->m)
#define PARTS     2
#define LANES     LANES_single
#define ESTIMATE  estimate_single
#define TERMS     TERMS_single
#define BITS      bits_single
#include "force/tree/cpu/tree_simd_near.h"

#define PRECISION near_double
#define PAIR      double
#define INDEX     int64_t
#define ROW(t, k) ((t)->x[k])
#define ROW_TYPE  double
#define MASS(t)   ((t)->m)
#define PARTS     1
#define LANES     LANES_double
#define ESTIMATE  estimate_double
#define TERMS     TERMS_double
#define BITS      bits_double
#include "force/tree/cpu/tree_simd_near.h"

#define SET PASTE(nb_tree_, SET_WORD)

extern const struct nb_tree_set SET;
const struct nb_tree_set SET = {
    .expansion = {{moments_single, estimate_f_single, shift_single, visit_single, leaf_single},
                  {moments_double, estimate_f_double, shift_double, visit_double, leaf_double}},
    .near = {[NB_SINGLE] = pairs_near_single, [NB_MIXED] = pairs_near_mixed, [NB_DOUBLE] = pairs_near_double},
};
