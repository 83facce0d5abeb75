/* devices.h - for tests on several devices and forces: opens each device once, and makes the forces of a test. */
#pragma once

#include "base/error.h"
#include "device/choose.h"
#include "device/device_kind.h"
#include "force/force.h"
#include "loopback.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As nb_device_choose, and also accepts "ranks:N": the CPUs of N ranks of a run, which are threads of this program. */
static inline struct nb_device *open_device(const char *name)
{
    static struct loopback_run run; /* shared by all devices that the program opens in sequence; never ended */
    static const struct nb_ranks_program *const programs[8] = {&loopback_program, &loopback_program, &loopback_program,
                                                               &loopback_program, &loopback_program, &loopback_program,
                                                               &loopback_program, &loopback_program};
    if (strncmp(name, "ranks:", 6) != 0)
        return nb_device_choose(name);
    if (!run.ranks)
        loopback_start(&run, atoi(name + 6), programs);
    return run.ranks ? nb_ranks_open(run.ranks, "cpu", &(struct nb_ranks_setting){.threads = 1}) : NULL;
}

/* Replacement of a device in all tests: NB_TEST_CPU=cpu:0-2 and NB_TEST_CUDA=cuda:0-1 run the tests on several devices
 * together, NB_TEST_CPU=ranks:3 on several ranks. */
static inline const char *device_in_place_of(const char *name)
{
    const char *other = strcmp(name, "cpu") == 0    ? getenv("NB_TEST_CPU")
                        : strcmp(name, "cuda") == 0 ? getenv("NB_TEST_CUDA")
                                                    : NULL;
    return other ? other : name;
}

/* Returns the device of that name, or NULL after nb_fail. The first call opens the device, and it stays open until the
 * program ends. A device that cannot be opened is not tried again: later calls fail with the message of the first. */
static inline struct nb_device *device_of(const char *name)
{
    static struct {
        char name[16], why[400];
        struct nb_device *device;
    } known[8];
    size_t k = 0;
    for (; k < 8 && known[k].name[0]; k++)
        if (strcmp(known[k].name, name) == 0) {
            if (!known[k].device)
                nb_fail("%s", known[k].why);
            return known[k].device;
        }
    struct nb_device *device = open_device(device_in_place_of(name));
    if (k < 8 && strlen(name) < sizeof known[k].name) {
        snprintf(known[k].name, sizeof known[k].name, "%s", name);
        snprintf(known[k].why, sizeof known[k].why, "%s", device ? "" : nb_error());
        known[k].device = device;
    }
    return device;
}

/* Returns the CPU only, without the replacement from NB_TEST_CPU: for tests that read its memory, or the internal data
 * of a method. */
static inline struct nb_device *cpu_alone(void)
{
    static struct nb_device *opened;
    if (!opened)
        opened = nb_device_choose("cpu");
    return opened;
}

/* Returns whether a kernel start takes so long on the device that tests with many steps of few bodies run a sample
 * only. */
static inline bool starts_slowly(const struct nb_device *device)
{
    return strcmp(device->name, "opencl") == 0;
}

/* Returns the method's entry for the device, or NULL. */
static inline const struct nb_force *row_on(const char *device, const char *method)
{
    return nb_force_find(method, device);
}

/* Opens a single force. `theta` NAN: the default. If the first parameter is lambda, it is set to 1 / theta. Close with
 * nb_force_set_close. */
static inline struct nb_force_set open_force(struct nb_device *device, enum nb_precision precision, unsigned want,
                                             const char *method, double theta)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device);
    assert_int_equal(nb_force_parse(method, &spec), 0);
    if (!isnan(theta))
        spec.value[0] = isnan(nb_force_value(&spec, "lambda")) ? theta : 1 / theta;
    assert_int_equal(nb_force_set_add(&set, &spec, precision, want, 1, NULL), 0);
    return set;
}

static inline void run_nothing(void **state)
{
    (void)state;
}

/* Returns the device of that name; NULL after nb_fail, also if its method refuses the wanted fields in double. */
static inline struct nb_device *device_with(const char *name, const struct nb_force *row, unsigned want)
{
    const char *why = row && row->refuse ? row->refuse(NB_DOUBLE, want) : NULL;
    struct nb_device *device = device_of(name);
    if (device && why)
        nb_fail("%s: %s", row->method, why);
    return why ? NULL : device;
}

/* Adds `count` tests, named "TYPE: NAME", whose state is the device. `device` NULL: adds one skipped test. */
static inline size_t add_tests(struct CMUnitTest *to, const char *kind, struct nb_device *device,
                               const struct CMUnitTest *of_device, size_t count)
{
    for (size_t k = 0; k < (device ? count : 1); k++) {
        char *name;
        if (asprintf(&name, device ? "%s: %s" : "%s # SKIP %s", kind, device ? of_device[k].name : nb_error()) < 0)
            abort();
        to[k] = device ? of_device[k] : (struct CMUnitTest){NULL, run_nothing, NULL, NULL, NULL};
        to[k].name = name;
        to[k].initial_state = device;
    }
    return device ? count : 1;
}

/* Runs `first`, NULL or one test that needs no device, then `count` tests on each type of device that has the method
 * (NULL: any type). The state of a test is the device. A type of device that cannot be opened, or whose method refuses
 * the wanted fields, gives one skipped test. Returns the exit status for main. */
static inline int run_on_devices_with(const char *method, unsigned want, const char *group,
                                      const struct CMUnitTest *first, const struct CMUnitTest *of_device, size_t count)
{
    static struct CMUnitTest tests[32];
    size_t made = 0;
    if (first)
        tests[made++] = *first;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        const struct nb_force *row = method ? row_on((*kind)->name, method) : NULL;
        if (method && !row)
            continue;
        struct nb_device *device = device_with((*kind)->name, row, want);
        assert(made + count <= sizeof tests / sizeof *tests);
        made += add_tests(tests + made, (*kind)->name, device, of_device, count);
    }
    return _cmocka_run_group_tests(group, tests, made, NULL, NULL);
}

static inline int run_on_devices(const char *group, const struct CMUnitTest *first, const struct CMUnitTest *of_device,
                                 size_t count)
{
    return run_on_devices_with(NULL, 0, group, first, of_device, count);
}

/* The same on each type of device whose entry of the method has the flags, without the replacements of other tests: for
 * functions that several devices together do not support. */
static inline int run_on_devices_alone(const char *method, unsigned flags, const char *group,
                                       const struct CMUnitTest *of_device, size_t count)
{
    static struct CMUnitTest tests[32];
    size_t made = 0;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        const struct nb_force *row = row_on((*kind)->name, method);
        if (!row || (row->flags & flags) != flags)
            continue;
        assert(made + count <= sizeof tests / sizeof *tests);
        made += add_tests(tests + made, (*kind)->name, nb_device_choose((*kind)->name), of_device, count);
    }
    return _cmocka_run_group_tests(group, tests, made, NULL, NULL);
}
