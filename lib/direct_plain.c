/* The direct sum on the CPU in plain C, for what the SIMD kernels leave out: the jerk, and quadruple precision. */
#include "direct_simd.h"

#include <math.h>

/* Below this the start of the threads costs more than they save: some 2000 pairs in quad, 10000 in double. */
#define PARALLEL_BYTES 40000

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)

static inline double rsqrt_double(double x)
{
    return 1 / sqrt(x);
}

#define STATE float
#define REAL  double
#define RSQRT rsqrt_double
#define LANES 8
#define NAME  single
#include "direct_plain_type.h"

#define STATE double
#define REAL  double
#define RSQRT rsqrt_double
#define LANES 8
#define NAME  double
#include "direct_plain_type.h"

#define STATE nb_quad
#define REAL  nb_quad
#define RSQRT nb_quad_rsqrt
#define LANES 1
#define NAME  quad
#include "direct_plain_type.h"

int nb_direct_plain(enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                    const struct nb_field *out)
{
    if (precision == NB_SINGLE)
        field_single(s, t, out);
    else if (precision == NB_QUAD)
        field_quad(s, t, out);
    else
        field_double(s, t, out);
    return 0;
}
