/* decimal.c - converts a number that is stored as the sum of two doubles to decimal digits and back. */
#include "nbconv/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_DIGITS 800 /* maximum number of digits that are read from a text; a double has at most 767 */
/* Size of an array of digits. The sum of two doubles has at most 1384 digits, from 10^309 to 10^-1074. */
#define SUM_DIGITS    1600
#define EXPONENT_MOST 99999
#define FEWEST        31 /* minimum number of written digits; two doubles store any number of 31 digits without loss */
#define MOST          36 /* maximum number of written digits; 36 suffice for a significand of 113 bits (quadruple) */

/* The number +-0.d0d1d2... * 10^exponent with `count` digits, where d0 is not 0; the number 0 has no digits. */
struct decimal {
    bool negative;
    int exponent, count;
    signed char digits[SUM_DIGITS];
};

static void trim(struct decimal *d)
{
    int zeros = 0;
    while (zeros < d->count && d->digits[zeros] == 0)
        zeros++;
    d->count -= zeros;
    d->exponent -= zeros;
    memmove(d->digits, d->digits + zeros, (size_t)d->count);
    while (d->count > 0 && d->digits[d->count - 1] == 0)
        d->count--;
}

static bool parse(const char *text, struct decimal *d)
{
    bool point = false;
    *d = (struct decimal){.negative = *text == '-'};
    for (text += *text == '-' || *text == '+'; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        d->exponent += !point;
        if (d->count < TEXT_DIGITS)
            d->digits[d->count++] = (signed char)(*text - '0');
        else if (*text != '0')
            d->digits[TEXT_DIGITS - 1] |= 1;
        if (d->count == 1 && d->digits[0] == 0) { /* drop a leading zero */
            d->count = 0;
            d->exponent--;
        }
    }
    if (*text == 'e' || *text == 'E') {
        const long exponent = strtol(text + 1, (char **)&text, 10);
        d->exponent += exponent > EXPONENT_MOST    ? EXPONENT_MOST
                       : exponent < -EXPONENT_MOST ? -EXPONENT_MOST
                                                   : (int)exponent;
    }
    trim(d);
    return *text == '\0';
}

/* Converts a double to a decimal number with all its digits. */
static void expand(double x, struct decimal *d)
{
    char text[TEXT_DIGITS];
    snprintf(text, sizeof text, "%.770e", x);
    parse(text, d);
}

/* `digits` contains the digits of a number, but each can be from -18 to 18. Makes each digit 0 to 9 by a carry to the
 * digit before it, beginning with the last digit. Returns the carry of the first digit, which is negative if the number
 * is negative. */
static int carry_on(signed char *digits, int count)
{
    int carry = 0;
    for (int k = count - 1; k >= 0; k--) {
        const int value = digits[k] + carry;
        carry = value < 0 ? -(9 - value) / 10 : value / 10;
        digits[k] = (signed char)(value - 10 * carry);
    }
    return carry;
}

static void add_digits(const struct decimal *d, int sign, int first, signed char *digits)
{
    for (int k = 0; k < d->count; k++)
        digits[first - d->exponent + k] += (signed char)(d->negative ? -sign * d->digits[k] : sign * d->digits[k]);
}

static void add(const struct decimal *a, const struct decimal *b, struct decimal *sum)
{
    if (a->count == 0 || b->count == 0) {
        *sum = a->count == 0 ? *b : *a;
        return;
    }
    const int first = (a->exponent > b->exponent ? a->exponent : b->exponent) + 1; /* one more digit for the carry */
    const int end_a = a->exponent - a->count, end_b = b->exponent - b->count;
    *sum = (struct decimal){.exponent = first, .count = first - (end_a < end_b ? end_a : end_b)};
    /* If the sum turns out to be negative, the second pass adds both numbers with reversed signs. */
    for (int sign = 1; sign >= -1; sign -= 2) {
        memset(sum->digits, 0, sizeof sum->digits);
        add_digits(a, sign, first, sum->digits);
        add_digits(b, sign, first, sum->digits);
        sum->negative = sign < 0;
        if (carry_on(sum->digits, sum->count) == 0)
            break;
    }
    trim(sum);
}

static double value(const struct decimal *d)
{
    char text[SUM_DIGITS + 32], *at = text + sprintf(text, "%s0.0", d->negative ? "-" : "");
    for (int k = 0; k < d->count; k++)
        *at++ = (char)('0' + d->digits[k]);
    sprintf(at, "e%d", d->count > 0 ? d->exponent + 1 : 0);
    return strtod(text, NULL);
}

double decimal_rest(const char *text, double high)
{
    struct decimal a, b, rest;
    if (high == 0 || !parse(text, &a))
        return 0;
    expand(-high, &b);
    add(&a, &b, &rest);
    return value(&rest);
}

static void round_to(struct decimal *d, int count)
{
    if (d->count <= count)
        return;
    const bool up = d->digits[count] >= 5;
    d->count = count;
    if (up && (d->digits[count - 1]++, carry_on(d->digits, count)) > 0) { /* 9.99 becomes 10 */
        d->digits[0] = 1;
        d->count = 1;
        d->exponent++;
    }
    trim(d);
}

/* Writes `d`, which has at most MOST digits, as text. Returns the number of characters before the NUL. */
static size_t print(char *text, const struct decimal *d)
{
    char digits[MOST];
    for (int k = 0; k < d->count; k++)
        digits[k] = (char)('0' + d->digits[k]);
    return number_place(text, d->negative, digits, d->count, d->count > 0 ? d->exponent - 1 : 0);
}

size_t decimal_print(char *text, double high, double low)
{
    struct decimal a, b, sum, rounded;
    size_t size = 0;
    expand(high, &a);
    expand(low, &b);
    add(&a, &b, &sum);
    if (sum.count == 0)
        sum.negative = signbit(high);
    for (int count = FEWEST; count <= MOST; count++) {
        rounded = sum;
        round_to(&rounded, count);
        size = print(text, &rounded);
        if (strtod(text, NULL) == high && decimal_rest(text, high) == low)
            break;
    }
    return size;
}
