/* external_table_read.h - private to the files that make a table. */
#pragma once

#include "force/external/external_table.h"

struct nb_external_rows { /* as they come */
    size_t rows;
    int columns;   /* with the time */
    double *value; /* rows of them; owned */
    int place[2 * NB_EXTERNAL_COLUMNS];
};

/* Appends a row; -1: no memory. */
int nb_external_rows_add(struct nb_external_rows *r, const double *row);
/* Reads the frames of a stream: t x y z vx vy vz of the centre of mass. */
int nb_external_rows_of_stream(struct nb_external_rows *r, const char *file, const struct nb_meta *meta);
/* The slopes of all columns from their values; `monotone`: limited, so that no value between two rows is beyond them.
 */
int nb_external_table_slopes(struct nb_external_table *t, bool monotone);
