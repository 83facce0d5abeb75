/* gpu_parts.h - for tests of several GPUs that access each other's memory: groups whose parts may be on the same GPU,
 * so that one GPU is enough. */
#pragma once

#include "common/devices.h"
#include "device/choose.h"
#include "device/group.h"
#include "device/timing.h"

static const struct nb_device_kind *cuda_kind;
static struct nb_device_kind several; /* as cuda, its devices those that there are, again and again */
static int cards;

static inline struct nb_device *open_again(int index)
{
    return cuda_kind->open(index % cards);
}

static inline bool find_cards(void)
{
    for (const struct nb_device_kind *const *k = nb_device_kinds; *k; k++)
        if (strcmp((*k)->name, "cuda") == 0)
            cuda_kind = *k;
    if (!cuda_kind)
        return nb_fail("built without CUDA"), false;
    for (struct nb_device *d; cards < 2 && (d = nb_device_open(cuda_kind, cards)); cards++)
        nb_device_close(d);
    several = *cuda_kind;
    several.open = open_again;
    return cards > 0;
}

static inline struct nb_device *open_parts(int parts)
{
    struct nb_device *group = nb_group_open(&several, 0, parts - 1);
    assert_non_null(group);
    for (int k = 0; k < parts; k++)
        nb_group_part(group, k)->index %= cards;
    return group;
}

/* Returns whether work of this stage has been measured on the device (nb_timing_begin). */
static inline bool has_stage(struct nb_device *d, const char *name)
{
    size_t count;
    const struct nb_stage *table = nb_timing_table(d, &count);
    for (size_t k = 0; k < count; k++)
        if (strcmp(table[k].name, name) == 0)
            return true;
    return false;
}

/* Runs the tests, or reports them as skipped if there is no GPU. Returns the exit status. */
static inline int run_gpu_tests(const char *name, const struct CMUnitTest *tests, size_t count)
{
    char skip[256];
    if (find_cards())
        return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    snprintf(skip, sizeof skip, "%s # SKIP %s", name, nb_error());
    const struct CMUnitTest nothing = {.name = skip, .test_func = run_nothing};
    return _cmocka_run_group_tests(name, &nothing, 1, NULL, NULL);
}
