/* vectors.h - what one instruction set offers, the one that the compiler's flags allow: the width of a vector, and
 * estimates of 1/sqrt. For the kernels in this directory, which are compiled once for each set. */
#ifndef NB_VECTORS_H
#define NB_VECTORS_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define NAME(word)   PASTE(PASTE(word, _), PRECISION)
#define INLINE       static inline __attribute__((always_inline))

#define VECTOR(type, lanes) __attribute__((vector_size((lanes) * sizeof(type)))) type

/* estimate_*(r2) is an estimate y of 1/sqrt(r2), and TERMS_* says how many terms of the binomial series in
 * e = 1 - r2 y^2 mend it: r2^(-3/2) = y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + ...), which folds
 * the refinement of the square root into the force. What is left out is below the digits of the type. bits_* are the
 * highest bits of lanes, lane 0's lowest. */

#if defined __AVX512F__

#define SET_WORD     avx512
#define VECTOR_BYTES 64
#define NB_VECTORS   4
#define NB_TURNS     4
#define TERMS_single 1 /* 14 bits: |e| < 2^-13 */
#define TERMS_mixed  1
#define TERMS_double 3

INLINE __m512 estimate_single(__m512 r2)
{
    return _mm512_rsqrt14_ps(r2);
}

INLINE __m256 estimate_mixed(__m256 r2)
{
    return _mm256_rsqrt14_ps(r2);
}

INLINE __m512d estimate_double(__m512d r2)
{
    return _mm512_rsqrt14_pd(r2);
}

typedef __m512i bits_vec;

INLINE unsigned bits_single(bits_vec mask)
{
    return _mm512_movepi32_mask(mask);
}

INLINE unsigned bits_double(bits_vec mask)
{
    return _mm512_movepi64_mask(mask);
}

#elif defined __AVX2__

#define SET_WORD     avx2
#define VECTOR_BYTES 32
#define NB_VECTORS   2
#define NB_TURNS     2
#define TERMS_single 2 /* 11 bits and a half: |e| < 2^-10 */
#define TERMS_mixed  2
#define TERMS_double 0 /* there is no estimate for double */

INLINE __m256 estimate_single(__m256 r2)
{
    return _mm256_rsqrt_ps(r2);
}

INLINE __m128 estimate_mixed(__m128 r2)
{
    return _mm_rsqrt_ps(r2);
}

INLINE __m256d estimate_double(__m256d r2)
{
    return 1.0 / _mm256_sqrt_pd(r2);
}

typedef __m256i bits_vec;

INLINE unsigned bits_single(bits_vec mask)
{
    return (unsigned)_mm256_movemask_ps((__m256)mask);
}

INLINE unsigned bits_double(bits_vec mask)
{
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

#else

#define SET_WORD     baseline
#define VECTOR_BYTES 16
#define NB_VECTORS   2
#define NB_TURNS     2
#define TERMS_single 0
#define TERMS_mixed  0
#define TERMS_double 0

INLINE __m128 estimate_single(__m128 r2)
{
    return 1.0f / _mm_sqrt_ps(r2);
}

INLINE __m128 estimate_mixed(__m128 r2)
{
    return 1.0f / _mm_sqrt_ps(r2);
}

INLINE __m128d estimate_double(__m128d r2)
{
    return 1.0 / _mm_sqrt_pd(r2);
}

typedef __m128i bits_vec;

INLINE unsigned bits_single(bits_vec mask)
{
    return (unsigned)_mm_movemask_ps((__m128)mask);
}

INLINE unsigned bits_double(bits_vec mask)
{
    return (unsigned)_mm_movemask_pd((__m128d)mask);
}

#endif

#define TEXT2(a) #a
#define TEXT(a)  TEXT2(a)

#endif
