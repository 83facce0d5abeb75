/* elementary_simd.c - functions of elementary.h for one instruction set. The inlined functions have no branches and no
 * calls, so that the compiler can vectorise the loops. */
#include "simd/elementary.h"
#include "simd/vectors.h"

#include <math.h>
#include <string.h>

INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Converts an integer below 2^52 to double. */
INLINE double number(uint64_t k)
{
    return of_bits(k | 0x4330000000000000) - 0x1p52;
}

/* ---- logarithm ---- */

/* Splits x = 2^k * m with sqrt(1/2) <= m < sqrt(2). Then log x = k * log 2 + log m. With s = (m - 1) / (m + 1) and |s|
 * < 0.172, log m is 2 artanh(s), computed with the first eleven terms of the series (up to s^21). LOG2_UPPER has 32
 * bits, so that k * LOG2_UPPER is exact. */
#define LOG2_UPPER 0x1.62e42fee00000p-1
#define LOG2_LOWER 0x1.a39ef35793c76p-33

INLINE double logarithm(double x)
{
    const uint64_t bits = bits_of(x), raised = bits + (bits_of(1) - bits_of(M_SQRT1_2)), biased = raised >> 52;
    const double k = number(biased) - 1023, m = of_bits(bits - ((biased - 1023) << 52));
    const double f = m - 1, s = f / (m + 1), z = s * s;
    double series = 1. / 21;
    for (int odd = 19; odd >= 3; odd -= 2)
        series = series * z + 1. / odd;
    return k * LOG2_UPPER + (2 * s + (2 * s * (z * series) + k * LOG2_LOWER));
}

static void logarithms(size_t n, const double *x, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = logarithm(x[i]);
}

/* Computes y = log(1 + x). The rounded sum of 1 and x has an error e, so y = log(sum) + e / sum to first order. */
static void logarithms_plus_one(size_t n, const double *x, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const double sum = 1 + x[i];
        y[i] = logarithm(sum) + (x[i] - (sum - 1)) / sum;
    }
}

/* ---- cube root ---- */

/* Returns the cube root of x in four steps:
 * - y, an approximation of x^(-1/3) with an error of 4 %. The bits of y, as an integer, are a constant minus a third of
 *   the bits of x, because the bits of a double are almost a linear function of its logarithm.
 * - a better y with an error of 2e-6, by the binomial series in e = 1 - x y^3
 * - t, an approximation of the cube root: x y^2, truncated to 26 bits, so that t^2 is exact
 * - one step of Halley's method, which triples the number of correct digits of t */
INLINE double cube_root(double x)
{
    const uint64_t third = (bits_of(x) >> 32) * 0x55555556 >> 32;
    double y = of_bits((0x553ef0ff - third) << 32);
    const double e = 1 - x * y * (y * y);
    y += y * e * (1. / 3 + e * (2. / 9 + e * (14. / 81 + e * (35. / 243))));
    const double t = of_bits(bits_of(x * y * y) & ~(uint64_t)0x7ffffff), r = x / (t * t);
    return t + t * ((r - t) / (t + t + r));
}

static void cube_roots(size_t n, const double *x, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = cube_root(x[i]);
}

/* ---- sine and cosine ---- */

struct turned {
    double sine, cosine;
};

/* Returns sine and cosine of 2 pi u. Subtracts the nearest multiple of 1/4 from u, without rounding. The remaining
 * angle is at most pi / 4. Its sine and cosine are computed with Taylor series. */
INLINE struct turned turn(double u)
{
    const double nearest = 4 * u + 0x1.8p52;
    const uint64_t quarter = bits_of(nearest);
    const double a = 2 * M_PI * (u - 0.25 * (nearest - 0x1.8p52)), z = a * a;
    double sine = -1. / (15 * 14), cosine = -1. / (16 * 15);
    for (int k = 13; k >= 3; k -= 2)
        sine = (sine * z + 1) * (-1. / (k * (k - 1)));
    for (int k = 14; k >= 4; k -= 2)
        cosine = (cosine * z + 1) * (-1. / (k * (k - 1)));
    sine = a + a * (z * sine);
    cosine = 1 - z * (0.5 + 0.5 * (z * cosine));
    const uint64_t exchange = (bits_of(sine) ^ bits_of(cosine)) & -(quarter & 1);
    return (struct turned){
        of_bits(bits_of(sine) ^ exchange ^ (quarter >> 1) << 63),
        of_bits(bits_of(cosine) ^ exchange ^ ((quarter + 1) >> 1) << 63),
    };
}

static void turns(size_t n, const double *u, double *sine, double *cosine)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const struct turned t = turn(u[i]);
        sine[i] = t.sine;
        cosine[i] = t.cosine;
    }
}

static void directions(size_t n, const double *length, const double *u, const double *v, double *xyz)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const double z = 2 * u[i] - 1, across = length[i] * sqrt(1 - z * z);
        const struct turned t = turn(v[i]);
        xyz[3 * i] = across * t.cosine;
        xyz[3 * i + 1] = across * t.sine;
        xyz[3 * i + 2] = length[i] * z;
    }
}

#define SET PASTE(nb_elementary_, SET_WORD)

extern const struct nb_elementary_set SET;
const struct nb_elementary_set SET = {logarithms, logarithms_plus_one, cube_roots, turns, directions};
