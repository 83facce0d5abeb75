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
/* 1/sqrt(x) for 1e-300 < x < 1e300, within 2e-34 of it, relatively; infinite for less, 0 for more. Two steps of
 * Newton's from double: 2^-52, 2^-103, and what is left of 2^-204 is the rounding of the last step. */
static inline nb_quad nb_quad_rsqrt(nb_quad x)
{
    const double rough = 1 / __builtin_sqrt((double)x);
    nb_quad y = rough;
    if (!(x > 1e-300 && x < 1e300))
        return rough;
    y += y * (0.5Q - 0.5Q * x * y * y);
    return y + y * (0.5Q - 0.5Q * x * y * y);
}
#endif

#ifdef __cplusplus
}
#endif
#endif
