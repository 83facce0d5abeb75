/* tipsy.h - TIPSY's binary file, read and written: a header, then the bodies, gas first, then dark matter, then stars,
 * each a record of single precision. G is 1.
 *
 *   header  f8 time; i4 bodies, dimensions (3), gas, dark, star; i4 padding, which old files lack: 32 or 28 bytes
 *   gas     mass x y z vx vy vz density temperature eps metals phi          48 bytes
 *   dark    mass x y z vx vy vz eps phi                                     36 bytes
 *   star    mass x y z vx vy vz metals formation_time eps phi               44 bytes
 *
 * Beside FILE lie NAME.param, lines `key = value` of which dMsolUnit and dKpcUnit say the units, and arrays of further
 * numbers of the bodies in text, FILE.iord and the like: their count, then a line each. */
#pragma once

#include "nbconv/input.h"

enum tipsy_family { TIPSY_GAS, TIPSY_DARK, TIPSY_STAR, TIPSY_FAMILIES };

#define TIPSY_FIELDS_MAX 12
#define TIPSY_HEAD       32
#define TIPSY_HEAD_OLD   28

struct tipsy_header {
    double time;
    uint32_t n, dimensions, count[TIPSY_FAMILIES]; /* as they stand in the file */
};

struct tipsy_field { /* a number of a record */
    const char *column;
    int component; /* of a vector */
};

struct tipsy_record {
    const char *name;
    int count; /* of fields */
    struct tipsy_field fields[TIPSY_FIELDS_MAX];
};

extern const struct tipsy_record tipsy_records[TIPSY_FAMILIES];

struct tipsy_column { /* what the fields make */
    const char *name, *unit;
    int width;
    bool optional; /* where it is 0 of all bodies it was not there */
};

extern const struct tipsy_column tipsy_columns[]; /* name NULL at the end */
/* The bytes of all records. */
uint64_t tipsy_size(const struct tipsy_header *h);

/* ---- what lies beside a file; functions that return int return -1 after nb_fail ---- */

struct tipsy_units { /* as NAME.param has them; 0 where it does not say */
    double length_cgs, mass_cgs, dt;
};

/* Writes NAME.param, which gets its name with the file, unless it is there and says the same. */
int tipsy_write_param(struct tool_output *file, const struct tipsy_units *u);
/* Leaves zeros if there is no such file. */
int tipsy_read_param(const char *path, struct tipsy_units *u);
/* Columns of whole numbers that FILE.EXTENSION may hold. */
extern const struct tipsy_aside {
    const char *column, *extension;
    enum nb_type type;
} tipsy_asides[]; /* column NULL at the end */
/* Writes the column's values of the bodies in that order, to a file that gets its name with the other one. */
int tipsy_write_aside(struct tool_output *file, const struct tipsy_aside *a, const struct nb_bodies *b,
                      const uint64_t *order);
/* Adds the column if its file is there. */
int tipsy_read_aside(const char *path, const struct tipsy_aside *a, struct nb_bodies *b);

int tipsy_from(struct conv_import *import, const char *path);
int tipsy_to(const struct conv_export *e, const struct nb_bodies *b);
