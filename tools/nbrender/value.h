/* value.h - a value of a column known to be f32 or f64, inlined: nb_column_get costs a call for each. */
#ifndef NBRENDER_VALUE_H
#define NBRENDER_VALUE_H

#include "base/bodies.h"

static inline double value_of(const struct nb_column *c, uint64_t i, int k)
{
    size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    return c->type == NB_F32 ? (double)((const float *)c->data)[at] : ((const double *)c->data)[at];
}

#endif
