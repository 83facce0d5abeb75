/* choose.h - opening a device, or several as one, by the name that a user gives. */
#pragma once

#include "device/device.h"

#define NB_DEVICE_NAMES "auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]"

/* Is it a name that nb_device_choose takes, whether or not there is such a device? */
bool nb_device_is_name(const char *name);
/* What nb_device_choose opened it by: "cpu", "cuda:1", "cuda:0-3". */
void nb_device_print_name(const struct nb_device *d, char *text, size_t size);
/* "auto": the first kind that can be opened, which is never opencl, since it comes after cpu; else a kind, "cuda", one
 * of its devices, "cuda:1", or several as one (device/group.h), "cuda:0-3", "cuda:all". NULL after nb_fail. */
struct nb_device *nb_device_choose(const char *name);
