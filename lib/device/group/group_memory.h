/* group_memory.h - memory of a group of devices, which are its parts. Each allocation of the group has a struct with
 * pointers to the memory of the parts. */
#pragma once

#include "device/group/group_parts.h"

struct nb_group_memory {
    char *base; /* beginning of a range of `size_bytes` reserved addresses. The group's pointers to this allocation are
                   addresses in this range, and are never dereferenced */
    size_t size_bytes;
    /* n: number of bodies in a row of the group. The bodies are divided among the parts. If n is 0, the memory is not
     * divided, and each part has a copy of it. stride: number of elements in a row of the group */
    uint64_t n, stride;
    size_t row_bytes;       /* bytes of a row of the group */
    void *at[NB_GROUP_MAX]; /* memory of each part; NULL if the part has no bodies */
    struct nb_group_memory *next;
};

void *nb_group_alloc(struct nb_device *d, size_t size_bytes);
void *nb_group_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows);
void nb_group_free(struct nb_device *d, void *p);
int nb_group_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
int nb_group_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
/* Returns the allocation that contains an address, or NULL. */
const struct nb_group_memory *nb_group_find(const struct nb_device *d, const void *p);
