#include "curve_cuda.h"

#include "base/error.h"
#include "force/cuda/morton.cuh"

int nb_curve_order(struct nb_device *device, uint64_t n, const double *x, bool hilbert, uint32_t *order)
{
    morton_sorted sorted = {};
    nb_cuda_buffer points = {};
    sorted.hilbert = hilbert;
    bool failed = nb_cuda_enter(device) || nb_cuda_reserve(&points, 3 * n * sizeof *x) ||
                  nb_device_to(device, points.d, x, 3 * n * sizeof *x);
    const morton_points set = {points.d, n, n};
    failed = failed || morton_sort(nb_cuda_stream(device), NB_DOUBLE, &set, 1, 3, &sorted) ||
             nb_device_from(device, order, sorted.order.d, n * sizeof *order);
    morton_release(&sorted);
    nb_cuda_release(&points);
    return nb_status(failed);
}
