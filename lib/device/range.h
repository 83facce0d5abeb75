/* range.h - ranges of vectors, for nb_device_extent. The range of a vector consists of six maxima over the bodies: of
 * x, -x, y, -y, z and -z. The maxima are bitwise identical for every division of the bodies among devices. If a
 * coordinate of a body is not finite, the two maxima of its axis are infinite. Without bodies, all six maxima are
 * -infinity. */
#pragma once

#include "device/device.h"
#include "device/quad.h"

#define NB_RANGE_VALUES (6 * NB_EXTENTS_MAX)

union nb_range {
    double wide[NB_RANGE_VALUES];
    nb_quad quad[NB_RANGE_VALUES]; /* used if the precision is `quad`; otherwise `wide` is used */
};

/* For lib/device: computes the ranges of `count` vectors of n bodies, 1 <= count <= NB_EXTENTS_MAX. Sets the first
 * 6 * count elements of `range`. Waits for the device. */
int nb_device_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range);

/* Sets extent[k] to the extent of vector k over the n bodies: (maximum - minimum) on the axis where it is largest.
 * There are `count` vectors, 1 to NB_EXTENTS_MAX. The extent is infinite if a value is not finite, and 0 for one body.
 * A constant vector added to all bodies does not change the extent. Waits for the device. */
int nb_device_extent(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *d_vector, double *extent);
