/* device_cpu.h - the parts of the CPU as a device. */
#ifndef NB_DEVICE_CPU_H
#define NB_DEVICE_CPU_H

#include "device.h"

/* nb_device.combine. */
int nb_cpu_combine(enum nb_precision precision, uint64_t count, int inputs, const void *const *in, int rows,
                   const struct nb_row *row, double *norm);

#endif
