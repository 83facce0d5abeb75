/* sum.h - compensated summation in double precision.
 *
 * Neumaier (1974), Z. angew. Math. Mech. 54, 39: the rounding errors of the additions are summed separately and added
 * at the end. The result is as accurate as if it were computed in twice the precision and rounded once, even if terms
 * are larger than the sum. To compute a rounding error, Neumaier first compares the two terms. This file uses Knuth's
 * six operations instead, which give the same value without a branch. Must not be compiled with -ffast-math. */
#pragma once

#include <math.h>

struct nb_sum { /* all zero: an empty sum */
    double sum, compensation;
};

static inline void nb_sum_add(struct nb_sum *s, double x)
{
    double total = s->sum + x, added = total - s->sum;
    s->compensation += (s->sum - (total - added)) + (x - added);
    s->sum = total;
}

/* Adds the sum `part` and its compensation to *s. */
static inline void nb_sum_merge(struct nb_sum *s, const struct nb_sum *part)
{
    nb_sum_add(s, part->sum);
    s->compensation += part->compensation;
}

/* Returns the sum. Infinite or NaN if the sum overflowed or a term was infinite or NaN. */
static inline double nb_sum_value(const struct nb_sum *s)
{
    return isfinite(s->sum) ? s->sum + s->compensation : s->sum;
}
