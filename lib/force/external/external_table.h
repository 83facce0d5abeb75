/* external_table.h - values of external fields that change in time: rows of a text, or the frames of a stream, and the
 * cubics between them.
 *
 * A text has a row for each time and a number for each column, separated by spaces. The first line may name the columns
 * behind a '#'; other lines that begin with '#', and empty ones, are comments. Times rise. */
#pragma once

#include "base/bodies.h"

#define NB_EXTERNAL_COLUMNS 12

struct nb_external_table {
    size_t rows;  /* 0: there is no table */
    int columns;  /* without the time */
    double *time; /* rows, rising; owned */
    /* Of column c at [c * rows, (c + 1) * rows); owned: */
    double *value, *slope;          /* and its derivative in time */
    int place[NB_EXTERNAL_COLUMNS]; /* of column c, among the names that were asked for */
    uint64_t hash;                  /* checksum of what was read */
};

/* Reads a table whose columns are the time t and some of `names`, NULL at the end. With `orbit` the names are x, y and
 * z, all of which it has: the columns may also be vx, vy, vz, a text without names has t x y z or those too, and a
 * stream (nbs(5), in the units of `meta`) gives the centre of mass of each frame's bodies. Velocities are the slopes.
 * Other slopes are those of the cubic spline through the rows with a continuous third derivative behind the first and
 * before the last interval; of a parabola for three rows, of a line for two. Without `orbit` they are limited so
 * that no value between two rows is beyond them, and are 0 in rows that are extrema. -1 after nb_fail, with errno EDOM
 * where the file is wrong or cannot be read. */
int nb_external_table_read(struct nb_external_table *t, const char *file, const char *const *names, bool orbit,
                           const struct nb_meta *meta);
void nb_external_table_free(struct nb_external_table *t);
/* The first row whose cubic to the next row has a coefficient beyond 1e150, or one that is not finite; `rows`: none. */
size_t nb_external_table_first_bad(const struct nb_external_table *t);
/* The values of all columns at that time; before the first and after the last row by the cubic next to it. */
void nb_external_table_at(const struct nb_external_table *t, double time, double *values);
/* The shortest time from one row to a later one, between two times, over which one cubic has all rows to a small part
 * of how far their columns range; INFINITY: one cubic has them all. A step that is much longer can miss what they say.
 */
double nb_external_table_grain(const struct nb_external_table *t, double begin, double end);
/* Least and largest value of column c between the first and the last row. */
void nb_external_table_range(const struct nb_external_table *t, int c, double range[2]);
