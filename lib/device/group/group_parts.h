/* group_parts.h - the structure of a group, for the files that implement it. */
#pragma once

#include "device/device_kind.h"
#include "device/group.h"

struct nb_group {
    struct nb_device base;
    struct nb_device_kind kind; /* the group's table of functions, each of which calls the functions of the parts;
                                   base.kind points to this member */
    int count;
    struct nb_device *part[NB_GROUP_MAX];
    struct nb_workers *workers;
    struct nb_group_memory *memory;
    uint32_t *d_due[NB_GROUP_MAX]; /* d_due[k], in part k's memory: indices of those bodies of part k whose steps end
                                      now (nb_device_select_due). due_room[k]: number of indices allocated */
    uint64_t due_room[NB_GROUP_MAX];
};

static inline struct nb_group *nb_group_of(const struct nb_device *d)
{
    return (struct nb_group *)d;
}

/* Returns whether the parts belong to several processes (device/ranks.h). */
bool nb_group_is_of_ranks(const struct nb_group *g);
