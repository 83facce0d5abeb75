/* narrow.h - real numbers in single precision, as --store f32 asks for. */
#pragma once

#include "base/bodies.h"

/* Rounds `count` values to f32. Returns the place of the first that f32 cannot hold: one that is finite and becomes
 * infinite or, of a `mass`, is not 0 and becomes 0; or count. */
size_t nb_narrow(const double *from, float *to, size_t count, bool mass);
/* Makes an f64 column of n bodies f32. -1: no memory, or it names the first body whose value f32 cannot hold. */
int nb_column_narrow(struct nb_column *c, uint64_t n);
