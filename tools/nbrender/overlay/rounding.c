/* Finds round numbers, and converts numbers to text. */
#include "nbrender/overlay/overlay.h"

#define SLACK 1e-9 /* relative tolerance for rounding errors in the comparison with round numbers */

/* Returns x rounded up (if `up`) or down to a round number: 1, 2, 5 or 10 times a power of ten. */
static double near(double x, int up)
{
    static const double mantissa[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(x)));
    int k = up ? 0 : 3;
    while (up && k < 3 && mantissa[k] * power < x * (1 - SLACK))
        k++;
    while (!up && k > 0 && mantissa[k] * power > x * (1 + SLACK))
        k--;
    return mantissa[k] * power;
}

double rounding_down(double x)
{
    return near(x, 0);
}

double rounding_up(double x)
{
    return near(x, 1);
}

int rounding_decimals(double step)
{
    int decimals = step > 0 && isfinite(step) ? (int)fmin(fmax(ceil(-log10(step) - SLACK), 0), 14) : 0;
    double whole = step * pow(10, decimals);
    /* use one more decimal if `step` is then exact: a step of 0.25 gets two decimals, a step of 1/3 only one */
    bool one_more = fabs(10 * whole - round(10 * whole)) < 1e-6 && fabs(whole - round(whole)) > 1e-6;
    return decimals + one_more;
}

/* Replaces the leading hyphen by a minus sign, which has the width of a plus sign. If the number is zero, removes the
 * hyphen. */
static void put_sign(char text[ROUNDING_TEXT])
{
    static const char minus[] = "\xe2\x88\x92";
    if (text[0] != '-')
        return;
    bool nothing = strspn(text, "-0.") == strlen(text);
    size_t at = nothing ? 0 : strlen(minus);
    memmove(text + at, text + 1, strlen(text));
    memcpy(text, minus, at);
}

void rounding_print(char text[ROUNDING_TEXT], double x, int decimals)
{
    snprintf(text, ROUNDING_TEXT - 3, fabs(x) < 1e9 ? "%.*f" : "%.*e", fabs(x) < 1e9 ? decimals : 3, x);
    put_sign(text);
}

void rounding_print_short(char text[ROUNDING_TEXT], double x)
{
    snprintf(text, ROUNDING_TEXT - 3, fabs(x) >= 1e3 && fabs(x) < 1e6 ? "%.0f" : "%.3g", x);
    put_sign(text);
}

void rounding_print_error(char text[ROUNDING_TEXT], double x)
{
    snprintf(text, ROUNDING_TEXT - 3, "%+.1e", x == 0 ? 0 : x);
    put_sign(text);
}
