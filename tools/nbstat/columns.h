/* columns.h - lists of the possible columns. A column with an empty name ends a list. Used only by columns.c and
 * column_lists.c. */
#pragma once

#include "nbstat.h"

#include <stddef.h>

#define COLUMN(line, label, member, kind, count, names, need)                                                 \
    {                                                                                                         \
        .name = label, .parts = names, .type = kind, .offset = offsetof(struct line, member), .width = count, \
        .needs = need                                                                                         \
    }
#define ROW(label, member, width, parts, needs) COLUMN(stat_row, label, member, STAT_NUMBER, width, parts, needs)

/* The columns of stat_centre and stat_cluster are printed only if --columns names them. */
extern const struct stat_column stat_rows[], stat_centre[], stat_cluster[];
extern const struct stat_column stat_modes[], stat_escaped[], stat_spherical[], stat_cylindrical[], stat_pairs[];
