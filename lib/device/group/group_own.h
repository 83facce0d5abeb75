/* group_own.h - functions for individual time steps on groups of devices, for a group's table (device_kind.h). */
#pragma once

#include "device/device.h"

int nb_group_kick_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_kick *kick, double *least);
int nb_group_hermite_own(struct nb_device *d, enum nb_precision precision, const struct nb_own_hermite *own,
                         double range[2]);
int nb_group_select_due(struct nb_device *d, enum nb_precision precision, uint64_t first, uint64_t n,
                        const void *d_step, double most, uint32_t *d_index, uint64_t *count);
