/* put.h - helpers of forces on the CPU: read an element of a row of floats or doubles, write or add a result
 * (nb_field.add), and write NaN for a state that is not finite. */
#pragma once

#include "force/force.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns element i of a row of floats (`single`) or doubles. */
static inline double nb_field_get(const void *row, bool single, uint64_t i)
{
    return single ? (double)((const float *)row)[i] : ((const double *)row)[i];
}

/* Writes `value` into element i of the row, or adds it to this element if `add` is true. */
static inline void nb_field_put(void *row, bool single, bool add, uint64_t i, double value)
{
    if (single)
        ((float *)row)[i] = (float)((add ? (double)((float *)row)[i] : 0) + value);
    else
        ((double *)row)[i] = (add ? ((double *)row)[i] : 0) + value;
}

/* Writes or adds the acceleration G a[] and the potential G phi of target i. a[] and phi are without the factor G. */
static inline void nb_field_put_sums(const struct nb_field *out, bool single, double G, uint64_t i, const double a[3],
                                     double phi)
{
    for (uint64_t k = 0; k < 3 && out->a; k++)
        nb_field_put(out->a, single, out->add, k * out->stride + i, G * a[k]);
    if (out->phi)
        nb_field_put(out->phi, single, out->add, i, G * phi);
}

/* Writes NaN as acceleration and potential of `count` targets. Used if a coordinate or a mass of the state is not
 * finite. */
static inline void nb_field_put_nan(const struct nb_field *out, bool single, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        nb_field_put_sums(out, single, 1, i, (const double[3]){NAN, NAN, NAN}, NAN);
}
