/* number.c - prints numbers as the shortest text that is read back to the same bits. */
#include "nbconv/text/text.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* ---- powers of ten: 128 bits each, rounded up, with the highest bit set ---- */

#define POWER_LEAST (-292) /* exponent of the smallest power of ten that is needed to print doubles */
#define POWER_MOST  324    /* exponent of the largest power of ten that is needed to print doubles */
#define LIMBS       18     /* number of 64-bit limbs of 10^324 * 2^64, which has 1141 bits */

/* Element k - POWER_LEAST has the 128 highest bits of 10^k, the higher 64 bits first. */
static uint64_t powers[POWER_MOST - POWER_LEAST + 1][2];

/* Sets `top` to the 128 highest bits of a number, rounded up. limbs[0] is the lowest limb. `inexact`: the number has
 * bits below limbs[0] that are not 0. */
static void keep_top(const uint64_t limbs[LIMBS], bool inexact, uint64_t top[2])
{
    int k = LIMBS - 1;
    while (k > 1 && limbs[k] == 0)
        k--;
    const int shift = __builtin_clzll(limbs[k]);
    const uint64_t third = k > 1 ? limbs[k - 2] : 0;
    uint128 high = (uint128)limbs[k] << 64 | limbs[k - 1];
    inexact |= shift ? third << shift != 0 : third != 0;
    if (shift)
        high = high << shift | third >> (64 - shift);
    for (int j = k - 3; j >= 0; j--)
        inexact |= limbs[j] != 0;
    high += inexact;
    top[0] = (uint64_t)(high >> 64);
    top[1] = (uint64_t)high;
}

static void fill_powers(void)
{
    uint64_t limbs[LIMBS] = {[1] = 1}; /* 10^k * 2^64; the factor 2^64 ensures that at least two limbs are used */
    for (int k = 0; k <= POWER_MOST; k++) {
        keep_top(limbs, false, powers[k - POWER_LEAST]);
        uint128 carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            carry += (uint128)limbs[j] * 10;
            limbs[j] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    memset(limbs, 0, sizeof limbs);
    /* Negative powers: the loop divides a power of two by 10 again and again. The power of two is so large that all
     * quotients have at least 128 bits. */
    limbs[LIMBS - 1] = (uint64_t)1 << 63;
    for (int k = -1; k >= POWER_LEAST; k--) {
        uint128 rest = 0;
        for (int j = LIMBS - 1; j >= 0; j--) {
            rest = rest << 64 | limbs[j];
            limbs[j] = (uint64_t)(rest / 10);
            rest %= 10;
        }
        keep_top(limbs, true, powers[k - POWER_LEAST]);
    }
}

/* ---- shortest digits ---- */

struct digits { /* the number digits * 10^exponent */
    uint64_t digits;
    int exponent;
};

static int floor_log10_pow2(int e) /* returns floor(log10(2^e)) */
{
    return (e * 1262611) >> 22;
}

static int floor_log10_pow2_less(int e) /* returns floor(log10(3/4 * 2^e)) */
{
    return (e * 1262611 - 524031) >> 22;
}

static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* Returns the highest 64 bits of the 192-bit product power * c. Also sets the lowest bit of the result to 1 if the
 * lower bits of the product matter: if the next 64 bits, read as an integer, are above 1. The value 1 does not matter,
 * because it can result from the rounding of `power`, which is rounded up. */
static uint64_t multiply_to_odd(const uint64_t power[2], uint64_t c)
{
    const uint128 low = (uint128)power[1] * c, high = (uint128)power[0] * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* Returns the shortest decimal number that is read back as c * 2^q. `closer`: c * 2^q is a power of two, so the
 * distance to the next smaller floating-point number is half of the distance to the next larger one. */
static struct digits shorten(uint64_t c, int q, bool closer)
{
    /* 1 if c is odd, otherwise 0. A decimal number halfway between two floating-point numbers is read as the one whose
     * c is even. So if c is odd, the numbers halfway to both neighbours must be excluded. */
    const uint64_t out = c & 1;
    const int k = closer ? floor_log10_pow2_less(q) : floor_log10_pow2(q), h = q + floor_log2_pow10(-k) + 1;
    const uint64_t *power = powers[-k - POWER_LEAST];
    const uint64_t lower = multiply_to_odd(power, (4 * c - 2 + closer) << h) + out;
    const uint64_t middle = multiply_to_odd(power, (4 * c) << h);
    const uint64_t upper = multiply_to_odd(power, (4 * c + 2) << h) - out;
    const uint64_t s = middle / 4;
    if (s >= 10) { /* tries a number with one digit less */
        const uint64_t tens = s / 10;
        const bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up)
            return (struct digits){tens + up, k + 1};
    }
    const bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down != up)
        return (struct digits){s + up, k};
    const uint64_t half = 4 * s + 2;
    return (struct digits){s + (middle > half || (middle == half && (s & 1))), k};
}

/* ---- text ---- */

size_t number_print_u64(char *text, uint64_t value)
{
    char digits[NUMBER_BYTES], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    const size_t size = (size_t)(digits + sizeof digits - at);
    memcpy(text, at, size);
    text[size] = '\0';
    return size;
}

static char *add(char *at, const char *bytes, int count)
{
    memcpy(at, bytes, (size_t)count);
    return at + count;
}

size_t number_place(char *text, bool negative, const char *digits, int count, int exponent)
{
    const bool scientific = exponent < -5 || exponent > 16;
    /* Number of digits before the decimal point. If it is 0 or negative, (-point) zeros, at most 4, follow the decimal
     * point. */
    const int point = scientific ? 1 : exponent + 1;
    /* Number of elements of `digits` before the decimal point. */
    const int before = point < 0 ? 0 : point < count ? point : count;
    char *at = text;
    if (negative)
        *at++ = '-';
    if (point < 1)
        at = add(at, "0.0000", 2 - point);
    at = add(at, digits, before);
    for (int k = count; k < point; k++)
        *at++ = '0';
    if (before > 0 && before < count)
        *at++ = '.';
    at = add(at, digits + before, count - before);
    *at = '\0';
    return (size_t)(at - text) + (size_t)(scientific ? sprintf(at, "e%d", exponent) : 0);
}

static size_t print_digits(char *text, bool negative, struct digits d)
{
    char digits[NUMBER_BYTES];
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    const int count = (int)number_print_u64(digits, d.digits);
    return number_place(text, negative, digits, count, d.exponent + count - 1);
}

static size_t print_special(char *text, double value)
{
    return (size_t)sprintf(text, "%s",
                           isnan(value)     ? "nan"
                           : isinf(value)   ? value < 0 ? "-inf" : "inf"
                           : signbit(value) ? "-0"
                                            : "0");
}

/* Returns the shortest decimal number that is read back as the same floating-point number. `fraction` (`bits` bits) and
 * `exponent` are the fields of this number in IEEE format. 2^least is the smallest positive number of its type. */
static struct digits shorten_ieee(uint64_t fraction, int exponent, int bits, int least)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_powers);
    if (exponent == 0)
        return shorten(fraction, least, false);
    return shorten(fraction | (uint64_t)1 << bits, least + exponent - 1, fraction == 0 && exponent > 1);
}

size_t number_print_f64(char *text, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value == 0 || !isfinite(value))
        return print_special(text, value);
    return print_digits(text, bits >> 63,
                        shorten_ieee(bits & (((uint64_t)1 << 52) - 1), (int)(bits >> 52 & 0x7ff), 52, -1074));
}

size_t number_print_f32(char *text, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value == 0 || !isfinite(value))
        return print_special(text, (double)value);
    return print_digits(text, bits >> 31, shorten_ieee(bits & ((1u << 23) - 1), (int)(bits >> 23 & 0xff), 23, -149));
}

size_t number_print_value(char *text, const struct nb_column *c, uint64_t at, double factor)
{
    switch (c->type) {
    case NB_F32:
        return factor == 1 ? number_print_f32(text, ((const float *)c->data)[at])
                           : number_print_f64(text, (double)((const float *)c->data)[at] * factor);
    case NB_F64: return number_print_f64(text, ((const double *)c->data)[at] * factor);
    case NB_U8: return number_print_u64(text, ((const uint8_t *)c->data)[at]);
    case NB_U32: return number_print_u64(text, ((const uint32_t *)c->data)[at]);
    default: return number_print_u64(text, ((const uint64_t *)c->data)[at]);
    }
}
