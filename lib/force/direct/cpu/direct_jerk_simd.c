/* direct_jerk_simd.c - direct summation with jerk and snap, compiled for the instruction set that the compiler's flags
 * select. Pairs and sums are computed in double precision. */
#include "force/direct/cpu/direct_simd.h"

#include "simd/vectors.h"

#include <math.h>

#define SET PASTE(nb_direct_jerk_, SET_WORD)

INLINE double rsqrt(double x)
{
    return 1 / sqrt(x);
}

#define PRECISION      single
#define STATE          float
#define REAL           double
#define RSQRT          rsqrt
#define LANES          LANES_double
#define PARALLEL_PAIRS NB_DIRECT_PARALLEL_PAIRS
#include "force/direct/cpu/direct_pairs.h"

#define PRECISION      double
#define STATE          double
#define REAL           double
#define RSQRT          rsqrt
#define LANES          LANES_double
#define PARALLEL_PAIRS NB_DIRECT_PARALLEL_PAIRS
#include "force/direct/cpu/direct_pairs.h"

extern const struct nb_direct_jerk_set SET;
const struct nb_direct_jerk_set SET = {
    .field = {[NB_SINGLE] = field_single, [NB_MIXED] = field_double, [NB_DOUBLE] = field_double}};
