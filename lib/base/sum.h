/* sum.h - compensated summation in double precision.
 *
 * Neumaier (1974), Z. angew. Math. Mech. 54, 39: what each addition rounds away is summed beside and added at the end,
 * so that the result is that of twice the precision, rounded once, also where terms are larger than the sum. The error
 * of an addition is taken with Knuth's six operations, the same value without a branch. Not for -ffast-math. */
#pragma once

#include <math.h>

struct nb_sum { /* all zero is an empty one */
    double sum, compensation;
};

static inline void nb_sum_add(struct nb_sum *s, double x)
{
    double total = s->sum + x, added = total - s->sum;
    s->compensation += (s->sum - (total - added)) + (x - added);
    s->sum = total;
}

/* Adds all that `part` has summed, with what it carries. */
static inline void nb_sum_merge(struct nb_sum *s, const struct nb_sum *part)
{
    nb_sum_add(s, part->sum);
    s->compensation += part->compensation;
}

/* The sum; infinite or NaN where it overflowed or a term was. */
static inline double nb_sum_value(const struct nb_sum *s)
{
    return isfinite(s->sum) ? s->sum + s->compensation : s->sum;
}
