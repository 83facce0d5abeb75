/* force_group.h - a force on several devices as one (device/group.h): its row runs on each part, for the part's
 * bodies, with the sources of all. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the row on each part of the group: *entry is then a row of its own, which serves the group, and *work what goes
 * with it; its close frees both. 0, or -1 after nb_fail, also where the row cannot serve several devices. */
int nb_force_group_open(struct nb_device *group, const struct nb_force *row, const struct nb_force_spec *spec,
                        const struct nb_meta *meta, const struct nb_force **entry, void **work);
/* Those of the sources that part k of the group has, where they are in its memory; and its places of the field of all n
 * of them. */
struct nb_sources nb_group_own_sources(const struct nb_device *group, const struct nb_sources *s, int k);
struct nb_field nb_group_own_field(const struct nb_device *group, const struct nb_field *out, uint64_t n, int k);

#ifdef __cplusplus
}
#endif
