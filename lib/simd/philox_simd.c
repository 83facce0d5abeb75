/* philox_simd.c - Philox4x64-10 of many counters, for one instruction set. SIMD instructions are used only if a vector
 * has eight lanes. With fewer lanes, one scalar 64-bit multiplication is faster than the several 32-bit vector
 * multiplications that replace it. */
#include "simd/philox.h"
#include "simd/vectors.h"

#include <Random123/philox.h>
#include <string.h>

#if LANES_double == 8

#define PAIR 2 /* number of vectors that are processed together, to hide the latency of multiplications */

typedef VECTOR(uint64_t, 8) words_vec;
typedef VECTOR(double, 8) numbers_vec;

static const words_vec lanes = {0, 1, 2, 3, 4, 5, 6, 7};
#define SAME(x) ((x) + (words_vec){0}) /* vector with all lanes x */

struct product {
    words_vec upper, lower;
};

/* Returns the 64-bit products of the lower 32 bits of the lanes of a and b. */
INLINE words_vec times(words_vec a, words_vec b)
{
    return (words_vec)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}

/* Returns the 128-bit products of `constant` and each lane of b, as upper and lower words. */
INLINE struct product product(uint64_t constant, words_vec b)
{
    const words_vec a = SAME(constant), a_upper = SAME(constant >> 32), b_upper = b >> 32;
    const words_vec low = times(a, b), cross = times(a, b_upper);
    const words_vec sum = (low >> 32) + (cross & SAME((uint64_t)UINT32_MAX)) + times(a_upper, b);
    return (struct product){
        times(a_upper, b_upper) + (cross >> 32) + (sum >> 32),
        (words_vec)_mm512_mask_blend_epi32(0xaaaa, (__m512i)low, (__m512i)(sum << 32)),
    };
}

/* Computes the ten rounds of Philox for 8 * PAIR bodies from `begin` on. Sets c[k][p] to a vector: lane l is random
 * number k of body begin + 8 p + l. */
INLINE void philox(const uint64_t key[2], uint64_t begin, uint64_t draw, words_vec c[4][PAIR])
{
    uint64_t k0 = key[0], k1 = key[1];
    for (int p = 0; p < PAIR; p++) {
        c[0][p] = begin + 8 * (uint64_t)p + lanes;
        c[1][p] = SAME(draw);
        c[2][p] = c[3][p] = SAME((uint64_t)0);
    }
    UNROLL(10)
    for (int round = 0; round < 10; round++, k0 += PHILOX_W64_0, k1 += PHILOX_W64_1) {
        UNROLL(2)
        for (int p = 0; p < PAIR; p++) {
            const struct product first = product(PHILOX_M4x64_0, c[0][p]), second = product(PHILOX_M4x64_1, c[2][p]);
            c[0][p] = second.upper ^ c[1][p] ^ k0;
            c[1][p] = second.lower;
            c[2][p] = first.upper ^ c[3][p] ^ k1;
            c[3][p] = first.lower;
        }
    }
}

/* Applies nb_philox_number to each lane, and stores the results at `to`. The random bits become the mantissa of a
 * number in [1, 2); then 1 is subtracted and 2^-53 is added. All operations are exact. */
INLINE void put(double *to, words_vec random)
{
    const words_vec bits = (random >> 12) | SAME((uint64_t)0x3ff0000000000000);
    const numbers_vec u = (numbers_vec)bits - 1 + 0x1p-53;
    memcpy(to, &u, sizeof u);
}

#define GROUP (8 * PAIR)

INLINE void put_group(words_vec c[4][PAIR], double *const u[4], size_t at)
{
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < PAIR; p++)
            put(u[k] + at + 8 * p, c[k][p]);
}

static void uniforms(const uint64_t key[2], uint64_t begin, size_t n, uint64_t draw, double *const u[4])
{
    words_vec c[4][PAIR];
    double rest[4][GROUP], *const room[4] = {rest[0], rest[1], rest[2], rest[3]};
    size_t i = 0;
    for (; i + GROUP <= n; i += GROUP) {
        philox(key, begin + i, draw, c);
        put_group(c, u, i);
    }
    if (i == n)
        return;
    philox(key, begin + i, draw, c);
    put_group(c, room, 0);
    for (int k = 0; k < 4; k++)
        memcpy(u[k] + i, rest[k], (n - i) * sizeof *rest[k]);
}

#else

static void uniforms(const uint64_t key[2], uint64_t begin, size_t n, uint64_t draw, double *const u[4])
{
    const philox4x64_key_t words = {{key[0], key[1]}};
    for (size_t i = 0; i < n; i++) {
        const philox4x64_ctr_t counter = {{begin + i, draw, 0, 0}}, random = philox4x64(counter, words);
        for (int k = 0; k < 4; k++)
            u[k][i] = nb_philox_number(random.v[k]);
    }
}

#endif

#define SET PASTE(nb_philox_, SET_WORD)

extern const struct nb_philox_set SET;
const struct nb_philox_set SET = {uniforms};
