/* The direct sum for one instruction set, the one that the compiler's flags allow, in all precisions.
 *
 * Targets lie in vector lanes, NB_VECTORS vectors of them in flight; each source is broadcast. Lanes never meet, so
 * nothing depends on the order in which a compiler may add. */
#include "direct_simd.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define NAME(word)   PASTE(PASTE(word, _), PRECISION)
#define INLINE       static inline __attribute__((always_inline))

#define VECTOR(type, lanes) __attribute__((vector_size((lanes) * sizeof(type)))) type

/* 1/sqrt(r2) to the digits of the type. A Newton step takes r2 y first: y^2 overflows where r2 is tiny. */
#define NEWTON(y, r2) ((y) * (1.5f - 0.5f * ((r2) * (y)) * (y)))

#if defined __AVX512F__

#define SET          nb_direct_avx512
#define SET_NAME     "avx512"
#define VECTOR_BYTES 64
#define NB_VECTORS   4

INLINE __m512 rsqrt_single(__m512 r2)
{
    __m512 y = _mm512_rsqrt14_ps(r2);
    return NEWTON(y, r2);
}

INLINE __m256 rsqrt_mixed(__m256 r2)
{
    __m256 y = _mm256_rsqrt14_ps(r2);
    return NEWTON(y, r2);
}

INLINE __m512d rsqrt_double(__m512d r2)
{
    __m512d y = _mm512_rsqrt14_pd(r2);
    y = NEWTON(y, r2);
    return NEWTON(y, r2);
}

#elif defined __AVX2__

#define SET          nb_direct_avx2
#define SET_NAME     "avx2"
#define VECTOR_BYTES 32
#define NB_VECTORS   2

INLINE __m256 rsqrt_single(__m256 r2)
{
    __m256 y = _mm256_rsqrt_ps(r2);
    return NEWTON(y, r2);
}

INLINE __m128 rsqrt_mixed(__m128 r2)
{
    __m128 y = _mm_rsqrt_ps(r2);
    return NEWTON(y, r2);
}

INLINE __m256d rsqrt_double(__m256d r2) /* there is no estimate for double */
{
    return 1.0 / _mm256_sqrt_pd(r2);
}

#else

#define SET          nb_direct_baseline
#define SET_NAME     "baseline"
#define VECTOR_BYTES 16
#define NB_VECTORS   2

INLINE __m128 rsqrt_single(__m128 r2)
{
    return 1.0f / _mm_sqrt_ps(r2);
}

INLINE __m128 rsqrt_mixed(__m128 r2)
{
    return 1.0f / _mm_sqrt_ps(r2);
}

INLINE __m128d rsqrt_double(__m128d r2)
{
    return 1.0 / _mm_sqrt_pd(r2);
}

#endif

#define PRECISION single
#define STATE     float
#define PAIR      float
#define INDEX     int32_t
#define LANES     (VECTOR_BYTES / 4)
#include "direct_kernel.h"

#define PRECISION mixed
#define STATE     double
#define PAIR      float
#define INDEX     int32_t
#define LANES     (VECTOR_BYTES < 32 ? 4 : VECTOR_BYTES / 8)
#include "direct_kernel.h"

#define PRECISION double
#define STATE     double
#define PAIR      double
#define INDEX     int64_t
#define LANES     (VECTOR_BYTES / 8)
#include "direct_kernel.h"

const struct nb_direct_set SET = {
    .name = SET_NAME,
    .kernel = {[NB_SINGLE] = kernel_single, [NB_MIXED] = kernel_mixed, [NB_DOUBLE] = kernel_double},
};
