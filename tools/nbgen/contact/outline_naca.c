/* outline_naca.c - computes NACA airfoils from their digits. Half of the thickness, measured perpendicular to the mean
 * line, is
 *
 *     y = 5 t (0.2969 sqrt(x) - 0.1260 x - 0.3516 x^2 + 0.2843 x^3 - 0.1036 x^4),
 *
 * where x and y are in chords and t is the maximum thickness in chords. With the last coefficient 0.1036, y is 0 at the
 * trailing edge. The reports have 0.1015, which leaves a gap of 0.021 t chords there. The mean line is
 * - for four digits: two parabolas (Jacobs, Ward & Pinkerton 1933, NACA report 460);
 * - for five digits: a cubic and a straight line, or two cubics for zero moment about the quarter chord (Jacobs &
 *   Pinkerton 1935, report 537). */
#include "nbgen/contact/disks.h"

#include <math.h>
#include <string.h>

struct mean_line {
    double y, slope;
};

struct camber {
    int digits;  /* number of digits, 4 or 5 */
    double m, p; /* four digits: largest camber, and its x in chords */
    /* five digits: x where the first part of the mean line ends, and the factors k1 and k2 / k1 of the NACA reports */
    double end, k1, k2_to_k1;
    bool reflexed;
};

static struct mean_line parabolas(const struct camber *c, double x)
{
    const double m = c->m, p = c->p, q = 1 - p;
    if (m == 0)
        return (struct mean_line){0, 0};
    if (x < p)
        return (struct mean_line){m / (p * p) * x * (2 * p - x), 2 * m / (p * p) * (p - x)};
    return (struct mean_line){m / (q * q) * (1 - 2 * p + x * (2 * p - x)), 2 * m / (q * q) * (p - x)};
}

static struct mean_line simple_cubic(const struct camber *c, double x)
{
    const double e = c->end, k = c->k1 / 6;
    if (x < e)
        return (struct mean_line){k * x * (x * (x - 3 * e) + e * e * (3 - e)),
                                  k * (3 * x * (x - 2 * e) + e * e * (3 - e))};
    return (struct mean_line){k * e * e * e * (1 - x), -k * e * e * e};
}

static struct mean_line reflexed_cubic(const struct camber *c, double x)
{
    const double e = c->end, k = c->k1 / 6, d = x - e, ratio = c->k2_to_k1, e3 = e * e * e;
    const double fall = ratio * pow(1 - e, 3) + e3, factor = x < e ? 1 : ratio;
    return (struct mean_line){k * (factor * d * d * d - fall * x + e3), k * (3 * factor * d * d - fall)};
}

static struct mean_line mean_line(const struct camber *c, double x)
{
    return c->digits == 4 ? parabolas(c, x) : c->reflexed ? reflexed_cubic(c, x) : simple_cubic(c, x);
}

/* ---- the digits ---- */

static struct camber of_four(const char *digits)
{
    const struct camber c = {.digits = 4, .m = (digits[0] - '0') / 100., .p = (digits[1] - '0') / 10.};
    if (c.m > 0 && c.p == 0)
        die_usage("--airfoil naca%s: the second digit, the position of the camber, must be 1 to 9", digits);
    return c;
}

/* Returns the mean line of an airfoil with five digits. The table is for airfoils with the first digit 2. For another
 * first digit, k1 is scaled: it is proportional to the lift coefficient, which is 0.15 times the first digit. */
static struct camber of_five(const char *digits)
{
    static const struct {
        double end, k1, k2_to_k1;
    } table[2][5] = {
        {{0.0580, 361.400, 0}, {0.1260, 51.640, 0}, {0.2025, 15.957, 0}, {0.2900, 6.643, 0}, {0.3910, 3.230, 0}},
        {{0, 0, 0},
         {0.1300, 51.990, 0.000764},
         {0.2170, 15.793, 0.00677},
         {0.3180, 6.520, 0.0303},
         {0.4410, 3.191, 0.1355}}};
    const int lift = digits[0] - '0', place = digits[1] - '0', reflexed = digits[2] - '0';
    if (lift < 1 || place < 1 || place > 5 || reflexed > 1 || table[reflexed][place - 1].end == 0)
        die_usage(
            "--airfoil naca%s: for five digits the first is 1 or more, and the second and third are 10 to 50, or 21 "
            "to 51 for a reflexed mean line",
            digits);
    return (struct camber){.digits = 5,
                           .end = table[reflexed][place - 1].end,
                           .k1 = table[reflexed][place - 1].k1 * lift / 2,
                           .k2_to_k1 = table[reflexed][place - 1].k2_to_k1,
                           .reflexed = reflexed};
}

/* ---- points ---- */

static double half_thickness(double t, double x)
{
    return 5 * t * (0.2969 * sqrt(x) - x * (0.1260 + x * (0.3516 - x * (0.2843 - x * 0.1036))));
}

/* Computes points along the upper side from the trailing edge to the leading edge, and back along the lower side. The
 * points are denser near both edges. */
struct outline outline_naca(const char *digits, int points)
{
    const size_t length = strlen(digits);
    if (length != 4 && length != 5)
        die_usage("--airfoil naca%s: expected 4 or 5 digits", digits);
    const struct camber camber = length == 4 ? of_four(digits) : of_five(digits);
    const double t = ((digits[length - 2] - '0') * 10 + digits[length - 1] - '0') / 100.;
    if (t == 0)
        die_usage("--airfoil naca%s: the profile has no thickness", digits);
    const int half = (points + 1) / 2;
    struct outline o = outline_new(2 * half + 1, 0.25);
    for (int k = 0; k <= 2 * half; k++) {
        const double x = k % (2 * half) == 0 ? 1 : (1 + cos(M_PI * k / half)) / 2;
        const struct mean_line line = mean_line(&camber, x);
        const double side = k % (2 * half) == 0 ? 0 : k < half ? 1 : -1;
        const double across = side * half_thickness(t, x) / hypot(1, line.slope);
        o.xy[2 * k] = x - across * line.slope;
        o.xy[2 * k + 1] = line.y + across;
    }
    return o;
}
