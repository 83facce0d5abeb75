/* vectors.h - properties of the instruction set that the compiler's flags select: width of vectors, estimates of
 * 1/sqrt. For kernels (*_simd.c), which are compiled once for each set (simd.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define NAME(word)   PASTE(PASTE(word, _), PRECISION)
#define INLINE       static inline __attribute__((always_inline))

#define TEXT2(a) #a
#define TEXT(a)  TEXT2(a)

#define VECTOR(type, lanes) __attribute__((vector_size((lanes) * sizeof(type)))) type

/* Unrolls the following loop n times. The loop must have a constant number of iterations. */
#if defined __clang__
#define UNROLL(n) _Pragma(TEXT(unroll n))
#else
#define UNROLL(n) _Pragma(TEXT(GCC unroll n))
#endif

/* SHUFFLE(a, b, i0, i1, ...) returns a vector of the lanes with indices i0, i1, ... from a and b. Lane l of b has the
 * index (number of lanes of a) + l. The indices are constants. Uses __builtin_shuffle if the compiler has no
 * __builtin_shufflevector (GCC before 12). */
#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef SHUFFLE
#define LANE_INT(a)        __typeof__(__builtin_choose_expr(sizeof((a)[0]) == 4, 0, 0LL))
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (LANE_INT(a) __attribute__((vector_size(sizeof(a))))){__VA_ARGS__})
#endif

/* Expands to of(0, h), of(1, h), ..., of(LANES - 1, h), the indices for SHUFFLE. The macro `of` computes the index for
 * a lane; h is a constant that is passed to `of`. */
#define INDICES(of, h)   PASTE(INDICES_, LANES)(of, h)
#define INDICES_2(of, h) of(0, h), of(1, h)
#define INDICES_4(of, h) INDICES_2(of, h), of(2, h), of(3, h)
#define INDICES_8(of, h) INDICES_4(of, h), of(4, h), of(5, h), of(6, h), of(7, h)
#define INDICES_16(of, h) \
    INDICES_8(of, h), of(8, h), of(9, h), of(10, h), of(11, h), of(12, h), of(13, h), of(14, h), of(15, h)

/* Defined below for each instruction set. `*` in a name is single, mixed or double.
 *
 *   estimate_*(r2)        an estimate y of 1/sqrt(r2)
 *   TERMS_*               number of terms of the binomial series in e = 1 - r2 y^2 that correct y:
 *                             r2^(-3/2) = y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + ...)
 *                         The omitted terms are smaller than the rounding error of the type
 *   MUTUAL_TERMS          limit of the number of terms in direct_simd_mutual.h, which sums over thousands of bodies
 *   root_single(x)        the square root of x
 *   inverse_single(x)     1/x; with AVX-512 an estimate with 14 correct bits
 *   larger_single(a, b)   the maximum for each lane, or the lane of b if the lane of a is NaN
 *   smaller_single(a, b)  the minimum for each lane, or the lane of b if the lane of a is NaN
 *   narrow_single(x)      the lanes, at most 65535, as 16-bit numbers at the beginning of the result
 *   widen_single(from)    loads 16-bit numbers without sign from memory, one into each lane
 *   bits_*(x)             integer of the highest bits of the lanes; bit l is from lane l
 *   LANES_*               number of lanes, as literal digits for pasting
 *   NB_VECTORS            number of vectors of targets (bodies that are accelerated) that a kernel processes together
 *   NB_ROTATIONS          number of rotated copies of a vector of bodies that are processed together
 *                         (direct_simd_mutual.h)
 *
 * NB_VECTORS and NB_ROTATIONS are limited by the number of registers. */

#if defined __AVX512F__

#define SET_WORD     avx512
#define LANES_single 16
#define LANES_mixed  8
#define LANES_double 8
#define NB_VECTORS   4
#define NB_ROTATIONS 4
#define TERMS_single 1 /* estimate_* has 14 correct bits, so |e| < 2^-13 */
#define TERMS_mixed  1
#define TERMS_double 3

INLINE __m512 estimate_single(__m512 r2)
{
    return _mm512_rsqrt14_ps(r2);
}

INLINE __m512 root_single(__m512 x)
{
    return _mm512_sqrt_ps(x);
}

typedef __m512i wide_vec;
typedef __m256i narrow_vec;

INLINE narrow_vec narrow_single(wide_vec x)
{
    return _mm512_cvtepi32_epi16(x);
}

INLINE wide_vec widen_single(const uint16_t *from)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from));
}

INLINE __m512 inverse_single(__m512 x)
{
    return _mm512_rcp14_ps(x);
}

INLINE __m512 larger_single(__m512 a, __m512 b)
{
    return _mm512_max_ps(a, b);
}

INLINE __m512 smaller_single(__m512 a, __m512 b)
{
    return _mm512_min_ps(a, b);
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
#define LANES_single 8
#define LANES_mixed  4
#define LANES_double 4
#define NB_VECTORS   2
#define NB_ROTATIONS 2
#define TERMS_single 2 /* estimate_single has 11.5 correct bits, so |e| < 2^-10 */
#define TERMS_mixed  2
#define TERMS_double 0 /* no correction: AVX2 has no estimate for double, so estimate_double computes 1 / sqrt(r2) */
#define MUTUAL_TERMS 1 /* the omitted terms of r2^(-3/2) are at most 1.0e-6; on Intel 8e-7, on average 1e-7 */

INLINE __m256 estimate_single(__m256 r2)
{
    return _mm256_rsqrt_ps(r2);
}

INLINE __m256 root_single(__m256 x)
{
    return _mm256_sqrt_ps(x);
}

typedef __m256i wide_vec;
typedef __m128i narrow_vec;

INLINE narrow_vec narrow_single(wide_vec x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

INLINE wide_vec widen_single(const uint16_t *from)
{
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from));
}

INLINE __m256 inverse_single(__m256 x)
{
    return 1.0f / x;
}

INLINE __m256 larger_single(__m256 a, __m256 b)
{
    return _mm256_max_ps(a, b);
}

INLINE __m256 smaller_single(__m256 a, __m256 b)
{
    return _mm256_min_ps(a, b);
}

INLINE __m128 estimate_mixed(__m128 r2)
{
    return _mm_rsqrt_ps(r2);
}

INLINE __m256d estimate_double(__m256d r2)
{
    return 1.0 / _mm256_sqrt_pd(r2);
}

/* A second estimate of 1/sqrt(r2) in double, with 11.5 correct bits. It is wrong if r2 is not a normal number in single
 * precision. estimate_double uses the divide unit, and second_double with its series the other units of the CPU. A loop
 * that alternates between them is faster than a loop with one of them. SECOND_TERMS: see TERMS_*. */
#define SECOND_TERMS 4
INLINE __m256d second_double(__m256d r2)
{
    return _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(r2)));
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
#define LANES_single 4
#define LANES_mixed  4
#define LANES_double 2
#define NB_VECTORS   2
#define NB_ROTATIONS 2
#define TERMS_single 0
#define TERMS_mixed  0
#define TERMS_double 0

#if defined __x86_64__

INLINE __m128 estimate_single(__m128 r2)
{
    return 1.0f / _mm_sqrt_ps(r2);
}

INLINE __m128 root_single(__m128 x)
{
    return _mm_sqrt_ps(x);
}

typedef __m128i wide_vec, narrow_vec;

INLINE narrow_vec narrow_single(wide_vec x) /* SSE2 packs signed integers only, so values are biased by 2^15 */
{
    const __m128i low = _mm_packs_epi32(_mm_sub_epi32(x, _mm_set1_epi32(1 << 15)), _mm_setzero_si128());
    return _mm_xor_si128(low, _mm_set1_epi16((short)(1 << 15)));
}

INLINE wide_vec widen_single(const uint16_t *from)
{
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)from), _mm_setzero_si128());
}

INLINE __m128 inverse_single(__m128 x)
{
    return 1.0f / x;
}

INLINE __m128 larger_single(__m128 a, __m128 b)
{
    return _mm_max_ps(a, b);
}

INLINE __m128 smaller_single(__m128 a, __m128 b)
{
    return _mm_min_ps(a, b);
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

#else /* other processors: vector extensions of the compiler only */

typedef VECTOR(float, 4) floats_vec;
typedef VECTOR(double, 2) doubles_vec;
typedef VECTOR(int32_t, 4) words_vec;
typedef VECTOR(int64_t, 2) bits_vec;

INLINE floats_vec estimate_single(floats_vec r2)
{
    floats_vec root;
    for (int lane = 0; lane < 4; lane++)
        root[lane] = __builtin_sqrtf(r2[lane]);
    return 1.0f / root;
}

INLINE floats_vec root_single(floats_vec x)
{
    for (int lane = 0; lane < 4; lane++)
        x[lane] = __builtin_sqrtf(x[lane]);
    return x;
}

typedef words_vec wide_vec;
typedef VECTOR(uint16_t, 4) narrow_vec;

INLINE narrow_vec narrow_single(wide_vec x)
{
    return __builtin_convertvector(x, narrow_vec);
}

INLINE wide_vec widen_single(const uint16_t *from)
{
    return (wide_vec){from[0], from[1], from[2], from[3]};
}

INLINE floats_vec inverse_single(floats_vec x)
{
    return 1.0f / x;
}

INLINE floats_vec larger_single(floats_vec a, floats_vec b)
{
    const words_vec first = a > b;
    return (floats_vec)(((words_vec)a & first) | ((words_vec)b & ~first));
}

INLINE floats_vec smaller_single(floats_vec a, floats_vec b)
{
    const words_vec first = a < b;
    return (floats_vec)(((words_vec)a & first) | ((words_vec)b & ~first));
}

INLINE doubles_vec estimate_double(doubles_vec r2)
{
    doubles_vec root;
    for (int lane = 0; lane < 2; lane++)
        root[lane] = __builtin_sqrt(r2[lane]);
    return 1.0 / root;
}

INLINE unsigned bits_single(bits_vec mask)
{
    const words_vec bit = ((words_vec)mask >> 31) & (words_vec){1, 2, 4, 8};
    return (unsigned)(bit[0] | bit[1] | bit[2] | bit[3]);
}

INLINE unsigned bits_double(bits_vec mask)
{
    const bits_vec bit = (mask >> 63) & (bits_vec){1, 2};
    return (unsigned)(bit[0] | bit[1]);
}

#endif

#define estimate_mixed estimate_single

#endif

#ifndef MUTUAL_TERMS
#define MUTUAL_TERMS 4 /* no limit */
#endif
