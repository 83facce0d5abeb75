/* external_table_read.h - private to the files that read tables. */
#pragma once

#include "force/external/external_table.h"

struct nb_external_rows { /* the rows of a table, in the order in which they were read */
    size_t rows;
    int columns;   /* number of columns including the time */
    double *value; /* rows x columns elements; owned */
    int place[2 * NB_EXTERNAL_COLUMNS];
};

/* Appends a row of the table `file`. Returns -1 after nb_fail if there is no memory. */
int nb_external_rows_add(struct nb_external_rows *r, const char *file, const double *row);
/* Appends a row for each frame of a stream: its time, and the position and velocity of the centre of mass of its bodies
 * (t x y z vx vy vz). Fails if a frame's units or G differ from those of `meta`. */
int nb_external_rows_of_stream(struct nb_external_rows *r, const char *file, const struct nb_meta *meta);
/* Computes the slopes of all columns from their values. If `monotone` is true, limits the slopes, so that every
 * interpolated value lies between the values of the rows before and after. Returns -1 after nb_fail, with the name
 * `file`, if there is no memory. */
int nb_external_table_slopes(struct nb_external_table *t, const char *file, bool monotone);
