/* devices.h - for tests that go over devices and forces: each device opened once, and the forces of a test. */
#ifndef DEVICES_H
#define DEVICES_H

#include "error.h"
#include "force/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The device of that name, opened by the first call and open as long as the program runs; NULL after nb_fail. */
static inline struct nb_device *device_of(const char *name)
{
    static struct nb_device *opened[8];
    size_t k = 0;
    for (; k < 8 && opened[k]; k++)
        if (strcmp(opened[k]->name, name) == 0)
            return opened[k];
    struct nb_device *device = nb_device_choose(name);
    if (device && k < 8)
        opened[k] = device;
    return device;
}

/* One force alone; `theta` NAN: the usual one. Close with nb_force_set_close. */
static inline struct nb_force_set open_force(struct nb_device *device, enum nb_precision precision, unsigned want,
                                             const char *method, double theta)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device);
    assert_int_equal(nb_force_parse(method, &spec), 0);
    if (!isnan(theta))
        spec.value[0] = theta;
    assert_int_equal(nb_force_set_add(&set, &spec, precision, want, 1, NULL), 0);
    return set;
}

#endif
