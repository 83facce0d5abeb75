/* force_group.h - a force that several devices compute together. They form a group, and each device is a part of it
 * (device/group.h). Each part computes the field at its own bodies from the sources of all parts. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the force `row` on each part of the group. *entry gets a force whose functions compute on all parts, and *work
 * gets their working memory. entry->close frees both. Returns 0, or -1 after nb_fail. */
int nb_force_group_open(struct nb_device *group, const struct nb_force *row, const struct nb_force_spec *spec,
                        const struct nb_meta *meta, const struct nb_force **entry, void **work);
/* nb_group_own_sources returns the sources among the bodies of part k. nb_group_own_field returns the outputs of the
 * bodies of part k. s, out: sources and outputs of the group. Both results point into the memory of part k. */
struct nb_sources nb_group_own_sources(const struct nb_device *group, const struct nb_sources *s, int k);
struct nb_field nb_group_own_field(const struct nb_device *group, const struct nb_field *out, uint64_t n, int k);

#ifdef __cplusplus
}
#endif
