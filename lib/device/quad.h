/* quad.h - quadruple precision, 113 bits, as the compiler computes it in software; for the CPU alone.
 *
 * The coefficients of integrators and time itself are of this type too, so that a scheme's table serves every
 * precision. */
#ifndef NB_QUAD_H
#define NB_QUAD_H

#ifdef __cplusplus
extern "C" {
#endif

typedef __float128 nb_quad;

static inline nb_quad nb_quad_abs(nb_quad x)
{
    return x < 0 ? -x : x;
}

#ifndef __cplusplus
/* 1/sqrt(x) within 3e-34 of it, relatively; infinite for 0, 0 for infinity. From the 64 bits of long double a step of
 * Newton's leaves 2^-126 and its own rounding. */
static inline nb_quad nb_quad_rsqrt(nb_quad x)
{
    const long double rough = 1 / __builtin_sqrtl((long double)x);
    const nb_quad y = rough;
    _Static_assert(__LDBL_MANT_DIG__ >= 64, "one step of Newton's is enough from 64 bits only");
    return rough > 0 && rough < __builtin_infl() ? y + y * (0.5Q - 0.5Q * x * y * y) : y;
}
#endif

#ifdef __cplusplus
}
#endif
#endif
