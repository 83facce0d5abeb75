/* columns.h - private to the columns: the lists of those that an option brings, each with an empty name at its end. */
#pragma once

#include "nbstat.h"

#include <stddef.h>

#define COLUMN(line, label, member, kind, count, names, need)                                                 \
    {                                                                                                         \
        .name = label, .parts = names, .type = kind, .offset = offsetof(struct line, member), .width = count, \
        .needs = need                                                                                         \
    }
#define ROW(label, member, width, parts, needs) COLUMN(stat_row, label, member, STAT_NUMBER, width, parts, needs)

extern const struct stat_column stat_rows[], stat_centre[], stat_cluster[]; /* the last two: for --columns only */
extern const struct stat_column stat_modes[], stat_escaped[], stat_spherical[], stat_cylindrical[], stat_pairs[];
