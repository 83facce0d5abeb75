/* device_calls.h - the arguments of a device function as a struct, which can be passed to another thread
 * (device/group.h) or sent to another process (device/ranks.h). */
#pragma once

#include "device/device.h"

struct nb_column_call { /* arguments of nb_device_store and nb_device_fetch, without the column */
    enum nb_precision precision;
    uint64_t n, stride;
    int width;
    enum nb_type type;
    void *d_rows;
};

struct nb_axpy_call {
    enum nb_precision precision;
    uint64_t count;
    double a;
    const void *d_x;
    void *d_y;
};

struct nb_kick_call {
    enum nb_precision precision;
    uint64_t count;
    double k1, k2, drift;
    const void *d_a;
    void *d_v, *d_x;
};
