/* choose.h - opens a device, or several devices as one, by the name that a user gives. */
#pragma once

#include "device/device.h"

#define NB_DEVICE_NAMES "auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]"

/* Returns whether nb_device_choose accepts the name, whether or not the device exists. */
bool nb_device_is_name(const char *name);
/* Writes the name with which nb_device_choose opens this device: "cpu", "cuda:1", "cuda:0-3". */
void nb_device_print_name(const struct nb_device *d, char *text, size_t size);
/* Opens a device by name. Returns NULL after nb_fail.
 * - "auto": a device of the first type in nb_device_kinds that can be opened. This is never opencl, because cpu comes
 *   before opencl
 * - "cuda": the first device of that type
 * - "cuda:1": the device with index 1
 * - "cuda:0-3" or "cuda:all": several devices as one (device/group.h) */
struct nb_device *nb_device_choose(const char *name);
