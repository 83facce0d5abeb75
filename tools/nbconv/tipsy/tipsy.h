/* tipsy.h - reads and writes TIPSY's binary file: a header and the bodies (first gas, then dark matter, then stars).
 * Each body is a record of f4 numbers. f4 and f8 are floating-point numbers of 4 and 8 bytes, i4 is a 4-byte integer.
 * G is 1.
 *
 *   header  f8 time; i4 bodies, dimensions (3), gas, dark, star; i4 padding   32 bytes; old files: 28, no padding
 *   gas     mass x y z vx vy vz density temperature eps metals phi            48 bytes
 *   dark    mass x y z vx vy vz eps phi                                       36 bytes
 *   star    mass x y z vx vy vz metals formation_time eps phi                 44 bytes
 *
 * Two types of text files can lie in the same folder. NAME.param has lines `key = value`: the keys dMsolUnit and
 * dKpcUnit give the units. FILE.iord and similar files contain the number of bodies in the first line. Each of the next
 * lines contains the value of one body. */
#pragma once

#include "nbconv/input.h"

enum tipsy_family { TIPSY_GAS, TIPSY_DARK, TIPSY_STAR, TIPSY_FAMILIES };

#define TIPSY_FIELDS_MAX 12
#define TIPSY_HEAD       32
#define TIPSY_HEAD_OLD   28

struct tipsy_header {
    double time;
    /* n: number of bodies; count: numbers of gas, dark and star bodies */
    uint32_t n, dimensions, count[TIPSY_FAMILIES];
};

struct tipsy_field { /* the column of a stream in which one number of a record is stored */
    const char *column;
    int component; /* component of a vector column, 0 to 2; 0 for a scalar column */
};

struct tipsy_record {
    const char *name;
    int count; /* number of fields */
    struct tipsy_field fields[TIPSY_FIELDS_MAX];
};

extern const struct tipsy_record tipsy_records[TIPSY_FAMILIES];

struct tipsy_column { /* a column of the frame, made from fields of the records */
    const char *name, *unit;
    int width;
    bool optional; /* true: the column is dropped if its values are 0 for all bodies */
};

extern const struct tipsy_column tipsy_columns[]; /* the last element has the name NULL */
/* Returns the number of bytes of all records. */
uint64_t tipsy_size(const struct tipsy_header *h);

/* ---- accompanying files; functions that return int return -1 after nb_fail ---- */

struct tipsy_units { /* units and time step as in NAME.param; 0: not given */
    double length_cgs, mass_cgs, dt;
};

/* Writes NAME.param next to the output `file`, whose name begins with NAME. Both files get their final names at the
 * same time. If NAME.param exists and --overwrite was not given, writes nothing, and fails if the units in NAME.param
 * differ from *u. */
int tipsy_write_param(struct tool_output *file, const struct tipsy_units *u);
/* Reads the units and the time step from NAME.param, which belongs to the TIPSY file `path`. If NAME.param does not
 * exist, reads the only file with the suffix .param in the folder of `path`. If the folder has no such file or more
 * than one, leaves *u unchanged. */
int tipsy_read_param(const char *path, struct tipsy_units *u);
/* Columns of whole numbers. Each is stored in its own file FILE.EXTENSION next to the TIPSY file FILE. */
extern const struct tipsy_aside {
    const char *column, *extension;
    enum nb_type type;
} tipsy_asides[]; /* the last element has the column NULL */
/* Writes column a->column of b to FILE.EXTENSION, where FILE is the name of `file`. The values are in the order of the
 * bodies order[0], order[1] and so on. FILE.EXTENSION gets its final name when `file` gets its final name. */
int tipsy_write_aside(struct tool_output *file, const struct tipsy_aside *a, const struct nb_bodies *b,
                      const uint64_t *order);
/* If FILE.EXTENSION exists, adds its values to b as column a->column. `path` is the name of FILE. */
int tipsy_read_aside(const char *path, const struct tipsy_aside *a, struct nb_bodies *b);

/* tipsy_from implements conv_format.from, and tipsy_to implements conv_format.to. */
int tipsy_from(struct conv_import *import, const char *path);
int tipsy_to(const struct conv_export *e, const struct nb_bodies *b);
