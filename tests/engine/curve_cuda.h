/* curve_cuda.h - for test_curve.c: the order of points along a curve (force/cuda/morton.cuh). */
#pragma once

#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts n points along a Hilbert curve, or else a Morton curve. x: rows x, y, z of n elements. Returns 0, or -1 after
 * nb_fail. */
int nb_curve_order(struct nb_device *device, uint64_t n, const double *x, bool hilbert, uint32_t *order);

#ifdef __cplusplus
}
#endif
