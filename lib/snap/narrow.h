/* narrow.h - conversion of real numbers to single precision, for the option --store f32. */
#pragma once

#include "base/bodies.h"

/* Rounds `count` values to f32. Returns the index of the first value that f32 cannot represent: a finite value that
 * becomes infinite or, if `mass` is true, a value other than 0 that becomes 0. Returns count if there is none. */
size_t nb_narrow(const double *from, float *to, size_t count, bool mass);
/* Converts an f64 column of n bodies to f32. Returns 0. Returns -1 after nb_fail if there is no memory, or if f32
 * cannot represent a value; the message names the first body with such a value. */
int nb_column_narrow(struct nb_column *c, uint64_t n);
