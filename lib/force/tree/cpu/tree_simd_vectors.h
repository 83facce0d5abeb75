/* tree_simd_vectors.h - vector types and functions of one precision, and the functions of tree_expansion.h for scalars
 * and for vectors. Included by tree_simd.c once for each precision, with these macros defined: PRECISION (name of the
 * precision), ELEMENT (type of a number), INTEGER (integer type with the size of ELEMENT), SQRT (square root) and LANES
 * (lanes of a vector). */

#define vec  NAME(vec)
#define ivec NAME(ivec)

typedef VECTOR(ELEMENT, LANES) vec;
typedef VECTOR(INTEGER, LANES) ivec;
typedef vec NAME(unaligned_vec) UNALIGNED(ELEMENT);
typedef VECTOR(double, LANES) NAME(double_vec);
typedef NAME(double_vec) NAME(unaligned_double_vec) UNALIGNED(double);
typedef VECTOR(float, LANES) NAME(float_vec);
typedef NAME(float_vec) NAME(unaligned_float_vec) UNALIGNED(float);

/* Returns 1/sqrt(r2) to full precision: an estimate y, corrected by the series of (1 - e)^(-1/2) with e = 1 - r2 *
 * y^2. */
INLINE vec NAME(rsqrt)(vec r2)
{
    const vec y = NAME(estimate)(r2), e = (ELEMENT)1 - r2 * y * y;
    if (NAME(TERMS) == 0)
        return y;
    return y + y * e * ((ELEMENT)0.5 + e * ((ELEMENT)0.375 + e * (ELEMENT)0.3125));
}

INLINE vec NAME(splat)(ELEMENT value)
{
    return value - (vec){0}; /* subtracting 0 preserves -0 */
}

INLINE vec NAME(magnitude)(vec v)
{
    const ivec sign = (ivec)NAME(splat)((ELEMENT)-0.0);
    return (vec)((ivec)v & ~sign);
}

INLINE ELEMENT NAME(sum)(vec v)
{
    ELEMENT lane[LANES];
    memcpy(lane, &v, sizeof v);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

/* One step of the transposition of a LANES x LANES matrix. For each pair of rows a = row[k] and b = row[k + half],
 * EXCHANGE swaps lane i + half of a with lane i of b, for all i with (i & half) == 0. `half` is a power of 2. LOWER
 * gives the indices for SHUFFLE(a, b) that yield the new a, and UPPER the indices that yield the new b: an index below
 * LANES is a lane of the old a, and LANES + i is lane i of the old b. */
#define LOWER(lane, h) ((lane) & (h) ? LANES + (lane) - (h) : (lane))
#define UPPER(lane, h) ((lane) & (h) ? LANES + (lane) : (lane) + (h))
#define EXCHANGE(row, half)                                     \
    UNROLL(16) for (int k = 0; k < LANES; k++) if (!(k & half)) \
    {                                                           \
        const vec a = row[k], b = row[k + half];                \
        row[k] = SHUFFLE(a, b, INDICES(LOWER, half));           \
        row[k + half] = SHUFFLE(a, b, INDICES(UPPER, half));    \
    }

/* Loads elements [offset, offset + LANES) from LANES addresses, transposed: row[k] contains element offset + k from
 * each address. */
INLINE void NAME(transpose)(const ELEMENT *const *place, int offset, vec *row)
{
    UNROLL(16)
    for (int k = 0; k < LANES; k++)
        row[k] = *(const NAME(unaligned_vec) *)(place[k] + offset);
#if LANES > 8
    EXCHANGE(row, 8)
#endif
#if LANES > 4
    EXCHANGE(row, 4)
#endif
#if LANES > 2
    EXCHANGE(row, 2)
#endif
    EXCHANGE(row, 1)
}

/* One step of a sum over lanes: REDUCE replaces rows 0 to 2 half - 1 by `half` rows. In the old row k, and in the old
 * row k + half, it adds pairs of lanes at distance `half` from each other. In the new row k, lanes with
 * (lane & half) == 0 get the sums from the old row k, and the other lanes get the sums from the old row k + half. */
#define REDUCE(row, half)                                               \
    UNROLL(8)                                                           \
    for (int k = 0; k < half; k++)                                      \
        row[k] = SHUFFLE(row[k], row[k + half], INDICES(LOWER, half)) + \
                 SHUFFLE(row[k], row[k + half], INDICES(UPPER, half));

/* Returns a vector whose lane k is the sum of the lanes of row[k]. Overwrites all LANES rows. */
INLINE vec NAME(sums)(vec *row)
{
#if LANES > 8
    REDUCE(row, 8)
#endif
#if LANES > 4
    REDUCE(row, 4)
#endif
#if LANES > 2
    REDUCE(row, 2)
#endif
    REDUCE(row, 1)
    return row[0];
}

#undef LOWER
#undef UPPER
#undef EXCHANGE
#undef REDUCE

#define EXPANSION_CALL static inline
#define REAL           ELEMENT
#define SCALAR(x)      ((ELEMENT)(x))
#define RSQRT(x)       (1 / SQRT(x))
#define EXPANSION(w)   NAME(one_##w)
#include "force/tree/tree_expansion.h"
#undef REAL
#undef RSQRT
#undef EXPANSION
#define REAL         vec
#define RSQRT(x)     NAME(rsqrt)(x)
#define EXPANSION(w) NAME(all_##w)
#include "force/tree/tree_expansion.h"
#undef REAL
#undef SCALAR
#undef RSQRT
#undef EXPANSION
#undef EXPANSION_CALL

#undef vec
#undef ivec
