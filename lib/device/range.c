/* range.c - computes the ranges (maxima and minima) and extents of vectors. Declared in range.h. */
#include "device/range.h"

#include "device/device_kind.h"

#include <math.h>

int nb_device_range(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                    const void *const *d_vector, union nb_range *range)
{
    for (int v = 0; v < NB_RANGE_VALUES && n == 0; v++)
        if (precision == NB_QUAD)
            range->quad[v] = -(nb_quad)INFINITY;
        else
            range->wide[v] = -(double)INFINITY;
    return n == 0 ? 0 : d->kind->range(d, precision, n, stride, count, d_vector, range);
}

int nb_device_extent(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int count,
                     const void *const *d_vector, double *extent)
{
    union nb_range range;
    if (nb_device_range(d, precision, n, stride, count, d_vector, &range))
        return -1;
    for (int k = 0; k < count; k++) {
        extent[k] = 0;
        for (int up = 6 * k; up < 6 * k + 6; up += 2)
            extent[k] = fmax(extent[k], precision == NB_QUAD ? (double)(range.quad[up] + range.quad[up + 1])
                                                             : range.wide[up] + range.wide[up + 1]);
    }
    return 0;
}
