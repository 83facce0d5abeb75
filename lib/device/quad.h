/* quad.h - quadruple precision (113 bits), computed in software; on the CPU only.
 *
 * Times and the coefficients of integrators have the type nb_quad in every precision of a run. An integrator therefore
 * needs only one table of coefficients. nb_quad is long double if this type has 113 bits (as on 64-bit Arm), otherwise
 * another 113-bit type of the compiler. If the compiler has no such type (NB_QUAD_BITS in portable.h), nb_quad is long
 * double, and no device offers quad. NB_Q(0.1) is a literal with full precision. */
#pragma once

#include "base/portable.h"

#include <float.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef NB_QUAD_TYPE nb_quad;
#define NB_Q(literal) NB_QUAD_LITERAL(literal)

static inline nb_quad nb_quad_abs(nb_quad x)
{
    return x < 0 ? -x : x;
}

#ifndef __cplusplus
/* Computes 1/sqrt(x) in long double (64 bits), and improves it by one Newton step. Error: 2^-126 plus rounding. */
static inline nb_quad nb_quad_rsqrt_64(nb_quad x)
{
    const long double rough = 1 / __builtin_sqrtl((long double)x);
    const nb_quad y = rough;
    return rough > 0 && rough < __builtin_infl() ? y + y * (NB_Q(0.5) - NB_Q(0.5) * x * y * y) : y;
}

/* Computes y = 1/sqrt(x) in double (53 bits), and e = 1 - x y^2. The exact result is y (1 - e)^(-1/2). The series up to
 * e^2 has an error of 2^-154, even if the term with e^2 is computed in double. If x is outside the range of double,
 * uses a slower square root. */
static inline nb_quad nb_quad_rsqrt_53(nb_quad x)
{
    if (!(x > NB_Q(0x1p-1000) && x < NB_Q(0x1p1000)))
        return 1 / __builtin_sqrtl(x);
    const nb_quad y = 1 / __builtin_sqrt((double)x), e = 1 - x * (y * y);
    return y + y * (NB_Q(0.5) * e + 0.375 * (double)e * (double)e);
}

/* Returns 1/sqrt(x) with a relative error below 3e-34. Returns infinity if x is 0, and 0 if x is infinity. */
static inline nb_quad nb_quad_rsqrt(nb_quad x)
{
    return LDBL_MANT_DIG == 64 ? nb_quad_rsqrt_64(x) : nb_quad_rsqrt_53(x);
}
#endif

#ifdef __cplusplus
}
#endif
