/* external_table.h - values of an external field that change in time. They are read from the rows of a text file or
 * from the frames of a stream, and interpolated with cubics.
 *
 * A text has a row for each time, with one number per column, separated by spaces. The first line may name the columns
 * after a '#'. Other lines that begin with '#', and empty lines, are comments. Times increase. */
#pragma once

#include "base/bodies.h"

#define NB_EXTERNAL_COLUMNS 12

struct nb_external_table {
    size_t rows;  /* number of rows; 0: no table */
    int columns;  /* number of columns without the time */
    double *time; /* `rows` elements, increasing; owned */
    /* owned; element c * rows + k belongs to column c and row k */
    double *value, *slope;          /* slope: time derivative of the value */
    int place[NB_EXTERNAL_COLUMNS]; /* column c has the name names[place[c]] (`names` of nb_external_table_read) */
    uint64_t hash;                  /* checksum of the contents */
};

/* Reads a table from `file`. Returns -1 after nb_fail, with errno EDOM if the file is invalid or cannot be read.
 * - Without `orbit`: reads a text. The columns are the time t and some of `names`, an array that ends with NULL.
 * - With `orbit`: reads a text or a stream. The columns of a text are t, x, y, z, and optionally vx, vy, vz. If the
 *   text does not name them, they must be in this order. For a stream (nbs(5)), each frame gives one row: the centre of
 *   mass of its bodies. The units and G of the stream must be those of `meta`.
 * - If the velocity vx, vy, vz is given, it is the slope of x, y, z. All other slopes are computed from a cubic spline
 *   with not-a-knot ends (a parabola if there are three rows, a line if there are two).
 * - Without `orbit` the slopes are limited, so that every interpolated value lies between the values of the rows before
 *   and after. A slope becomes 0 in a row in which the value is a local maximum or minimum. */
int nb_external_table_read(struct nb_external_table *t, const char *file, const char *const *names, bool orbit,
                           const struct nb_meta *meta);
void nb_external_table_free(struct nb_external_table *t);
/* Returns the first row k for which the cubic between rows k and k + 1 has a coefficient that is not finite, or above
 * 1e150 in absolute value. Returns `rows` if there is no such row. */
size_t nb_external_table_first_bad(const struct nb_external_table *t);
/* Computes the values of all columns at `time`. Before the first row and after the last row, the nearest cubic is
 * extrapolated. */
void nb_external_table_at(const struct nb_external_table *t, double time, double *values);
/* Returns the time scale of the table between the times `begin` and `end`. A time step much longer than this time scale
 * can miss changes of the values. The function divides the rows into intervals. In each interval, one cubic agrees with
 * all rows within a small tolerance. The time scale is the duration of the shortest interval. The last interval does
 * not count, because it ends at the last row, not where the cubic becomes inaccurate. Returns INFINITY if there is only
 * one interval. */
double nb_external_table_grain(const struct nb_external_table *t, double begin, double end);
/* Returns the least and largest value of column c between the first and the last row. */
void nb_external_table_range(const struct nb_external_table *t, int c, double range[2]);
