/* choose.c - opens a device by the name that a user gives. Declared in choose.h. */
#include "device/choose.h"

#include "base/error.h"
#include "device/device_kind.h"
#include "device/group.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct nb_device *first_that_opens(void)
{
    for (const struct nb_device_kind *const *k = nb_device_kinds; *k; k++) {
        struct nb_device *d = nb_device_open(*k, 0);
        if (d)
            return d;
    }
    return NULL;
}

struct numbers {     /* indices of devices of one type */
    int first, last; /* last = -1: all devices from index `first` on */
};

static const char *parse_number(const char *text, int *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    const long value = strtol(text, &end, 10);
    *number = (int)value;
    return value <= INT_MAX - 1 ? end : NULL;
}

/* Parses the text after a type of device such as "cuda": "", ":N", ":A-B" or ":all". Returns false for any other
 * text. */
static bool parse_numbers(const char *text, struct numbers *n)
{
    *n = (struct numbers){0, 0};
    if (*text == '\0')
        return true;
    if (strcmp(text, ":all") == 0) {
        n->last = -1;
        return true;
    }
    text = parse_number(text + 1, &n->first);
    n->last = n->first;
    if (text && *text == '-')
        text = parse_number(text + 1, &n->last);
    return text && *text == '\0' && n->last >= n->first;
}

/* All types of device, including those not compiled in. */
static const char *const kind_names[] = {"cpu", "cuda", "opencl"};

/* Returns the type of device at the beginning of `name` and sets *n to the indices that follow it. Returns NULL if the
 * name is not valid. */
static const char *parse_kind(const char *name, struct numbers *n)
{
    const size_t length = strcspn(name, ":");
    if (!parse_numbers(name + length, n))
        return NULL;
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++)
        if (strlen(kind_names[k]) == length && strncmp(name, kind_names[k], length) == 0)
            return kind_names[k];
    return NULL;
}

bool nb_device_is_name(const char *name)
{
    struct numbers n;
    return strcmp(name, "auto") == 0 || parse_kind(name, &n);
}

void nb_device_print_name(const struct nb_device *d, char *text, size_t size)
{
    if (nb_device_is_group(d))
        nb_group_print_name(d, text, size);
    else if (d->index > 0)
        snprintf(text, size, "%s:%d", d->name, d->index);
    else
        snprintf(text, size, "%s", d->name);
}

/* Returns the largest index `last` such that the devices from `first` to `last` are at most NB_GROUP_MAX devices and
 * all of them can be opened. Returns `first` if device `first` cannot be opened. */
static int find_last(const struct nb_device_kind *kind, int first)
{
    int last = first;
    for (struct nb_device *d; last - first < NB_GROUP_MAX && (d = nb_device_open(kind, last)); last++)
        nb_device_close(d);
    return last > first ? last - 1 : first;
}

static struct nb_device *open_numbers(const struct nb_device_kind *kind, const struct numbers *n)
{
    const int last = n->last < 0 ? find_last(kind, n->first) : n->last;
    if (last == n->first)
        return nb_device_open(kind, n->first);
    if (kind->peer_copy)
        return nb_group_open(kind, n->first, last);
    nb_fail("device %s:%d-%d: devices of this type cannot be combined in one run (choose one, such as %s:%d)",
            kind->name, n->first, last, kind->name, n->first);
    return NULL;
}

struct nb_device *nb_device_choose(const char *name)
{
    struct numbers n;
    const char *known = parse_kind(name, &n);
    if (strcmp(name, "auto") == 0)
        return first_that_opens();
    for (const struct nb_device_kind *const *k = nb_device_kinds; known && *k; k++)
        if (strcmp((*k)->name, known) == 0)
            return open_numbers(*k, &n);
    if (known)
        nb_fail("device %s: this program was built without %s", name, strcmp(known, "cuda") == 0 ? "CUDA" : "OpenCL");
    else
        nb_fail("unknown device '%s': expected " NB_DEVICE_NAMES, name);
    return NULL;
}
