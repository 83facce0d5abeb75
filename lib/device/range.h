/* range.h - what nb_device_extent is computed from: the largest values of x, -x, y, -y, z and -z over bodies, six for
 * each vector. The range of several sets of bodies is the larger value of each, so that every division of the bodies
 * into parts gives equal bits. If a value is not finite both of its axis are infinite; of no bodies all are -infinity.
 *
 * For lib/device; everyone else calls nb_device_extent. */
#ifndef NB_RANGE_H
#define NB_RANGE_H

#include "device/device.h"
#include "device/quad.h"

#define NB_RANGE_VALUES (6 * NB_EXTENTS_MAX)

union nb_range { /* of the scalar type of a precision */
    double wide[NB_RANGE_VALUES];
    nb_quad quad[NB_RANGE_VALUES];
};

/* The range of n bodies in `count` vectors, 1 to NB_EXTENTS_MAX; other values are not set. The call waits. */
int nb_device_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range);

#endif
