/* Chooses round values for contours. */
#include "nbrender/nbrender.h"

#define SLACK 1e-9 /* minimum distance of a level from the ends of the range, as a fraction of the range */

struct levels {
    double low, high; /* all levels are above `low` and below `high` */
    int most, count;  /* most: capacity of level[]; count: number of levels found, may exceed most */
    double *level;
};

static void add(struct levels *l, double value)
{
    const double slack = SLACK * (l->high - l->low);
    if (!(value > l->low + slack && value < l->high - slack))
        return;
    if (l->count < l->most)
        l->level[l->count] = value;
    l->count++;
}

/* Adds all multiples of a step as levels. The step is 1, 2 or 5 times a power of ten. It is the smallest of these steps
 * with which there are at most l->most levels. */
static void add_multiples(struct levels *l)
{
    double step = rounding_up((l->high - l->low) / (l->most + 1));
    do {
        l->count = 0;
        const double first = ceil(l->low / step);
        for (int k = 0; k <= l->most + 1; k++)
            add(l, (first + k) * step);
        step = rounding_up(1.5 * step);
    } while (l->count > l->most);
}

/* Adds levels with the same leading digits in each decade, for example 1, 3, 10, 30, 100. If there are more than
 * l->most powers of ten, adds only every second (third, ...) power. l->low and l->high must be positive. */
static void add_decades(struct levels *l)
{
    static const double mantissa[][9] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 4, 5, 7}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
    const int series = sizeof mantissa / sizeof *mantissa, first = (int)floor(log10(l->low));
    for (int s = 0, every = 1; s == 0 || l->count > l->most; s++) {
        const double *of = mantissa[s < series ? s : series - 1];
        every = s < series ? 1 : every + 1;
        l->count = 0;
        for (int power = every * (int)floor((double)first / every); pow(10, power) < l->high; power += every)
            for (int k = 0; k < 9 && of[k] > 0; k++)
                add(l, of[k] * pow(10, power));
    }
    if (l->high < 10 * l->low || l->count == 0)
        add_multiples(l);
}

/* Adds levels that are evenly spaced on the colour scale. A level is `factor` times a value of the scale, rounded to
 * two digits. */
static void add_even(struct levels *l, const struct colour_scale *scale, double factor)
{
    for (int k = 0; k < l->most; k++) {
        const double value = factor * scale_value(scale, (k + 1.0) / (l->most + 1));
        const double digit = value != 0 ? pow(10, floor(log10(fabs(value))) - 1) : 1,
                     round = digit * rint(value / digit);
        if (l->count == 0 || round > l->level[l->count - 1])
            add(l, round);
    }
}

/* Changes the signs of all levels and reverses them, so that they ascend again. */
static void negate(struct levels *l)
{
    for (int k = 0, j = l->count - 1; k <= j; k++, j--) {
        const double other = -l->level[k];
        l->level[k] = -l->level[j];
        l->level[j] = other;
    }
}

int contour_levels(const struct colour_scale *scale, double factor, int most, double *level)
{
    struct levels l = {factor * scale_value(scale, 0), factor * scale_value(scale, 1), most, 0, level};
    const enum scaling scaling = scale_scaling(scale);
    const bool is_negative = scaling == SCALE_LOG && l.high < 0;
    if (most == 0 || !(l.low < l.high) || !isfinite(l.high - l.low))
        return 0;
    if (is_negative)
        l = (struct levels){-l.high, -l.low, most, 0, level};
    if (scaling == SCALE_LOG)
        add_decades(&l);
    else if (scaling == SCALE_LINEAR)
        add_multiples(&l);
    else
        add_even(&l, scale, factor);
    if (is_negative)
        negate(&l);
    for (int k = 0; k < l.count; k++)
        level[k] /= factor;
    return l.count;
}
