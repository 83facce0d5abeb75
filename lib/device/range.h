/* range.h - what nb_device_extent is computed from: the largest values of x, -x, y, -y, z and -z over bodies, six for
 * each vector. The range of several sets of bodies is the larger value of each, so that every division of the bodies
 * into parts gives equal bits. If a value is not finite both of its axis are infinite; of no bodies all are
 * -infinity. */
#pragma once

#include "device/device.h"
#include "device/quad.h"

#define NB_RANGE_VALUES (6 * NB_EXTENTS_MAX)

union nb_range { /* of the scalar type of a precision */
    double wide[NB_RANGE_VALUES];
    nb_quad quad[NB_RANGE_VALUES];
};

/* For lib/device: the range of n bodies in `count` vectors, 1 to NB_EXTENTS_MAX; other values are not set. The call
 * waits. */
int nb_device_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range);

/* extent[k]: the largest, over the axes, of the largest less the smallest value that n bodies have in vector k, of
 * `count` vectors, 1 to NB_EXTENTS_MAX; infinite where a value is not finite, 0 for one body. What is added to all of
 * them does not change it. The call waits. */
int nb_device_extent(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *d_vector, double *extent);
