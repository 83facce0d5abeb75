/* group_memory.h - what a group has allocated: for each pointer of the group's, those of its parts. */
#pragma once

#include "device/group/group_parts.h"

struct nb_group_memory {
    char *base; /* an address that is nobody else's, size_bytes long; nothing can be read there */
    size_t size_bytes;
    uint64_t n, stride;     /* of rows; n 0: not split */
    size_t row_bytes;       /* of the group's row */
    void *at[NB_GROUP_MAX]; /* of the parts; NULL where a part has none of the bodies */
    struct nb_group_memory *next;
};

void *nb_group_alloc(struct nb_device *d, size_t size_bytes);
void *nb_group_alloc_rows(struct nb_device *d, enum nb_precision precision, uint64_t n, uint64_t stride, int rows);
void nb_group_free(struct nb_device *d, void *p);
int nb_group_to(struct nb_device *d, void *d_to, const void *from, size_t size_bytes);
int nb_group_from(struct nb_device *d, void *to, const void *d_from, size_t size_bytes);
/* What an address lies in, NULL where in nothing. */
const struct nb_group_memory *nb_group_find(const struct nb_device *d, const void *p);
