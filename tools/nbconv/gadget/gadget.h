/* gadget.h - reads and writes HDF5 snapshots of GADGET and SWIFT. HDF5 datasets are called tables. GADGET's units are
 * kpc, km/s and 10^10 Msun. SWIFT's files differ:
 * - tables and units have other names;
 * - an attribute with a number is an array of one value;
 * - the unit of time is rounded to 0.97779 Gyr.
 *
 * Functions that return int or a pointer return -1 or NULL after nb_fail. Functions that read from or write to a struct
 * hdf store failures in it (hdf.h). */
#pragma once

#include "nbconv/gadget/gadget_units.h"
#include "nbconv/gadget/hdf.h"

/* Name of an attribute that nbconv adds to each table: the XXH3 hash of the table's values. Floating-point values are
 * hashed as doubles. HDF5's own checksums are not sufficient: they do not cover the list of chunks of a table. */
#define GADGET_HASH "XXH3"

/* gadget_from implements conv_format.from, and gadget_to implements conv_format.to. */
int gadget_from(struct conv_import *import, const char *path);
int gadget_to(const struct conv_export *e, const struct nb_bodies *b);

/* ---- names of tables and files ---- */

#define GADGET_NAME_MAX 64                     /* maximum bytes of a table's name */
#define GADGET_PATH_MAX (GADGET_NAME_MAX + 16) /* maximum bytes of a table's path */

/* Writes to `name` the name that GADGET or SWIFT gives to the table of a column. If these codes have no such table,
 * writes the column's name in their style, such as PhiExternal for phi_external. */
void gadget_table_name(const char *column, bool swift, char name[GADGET_NAME_MAX]);
/* Writes the path of a table, such as "/PartType1/Masses". If `table` is empty, writes the path of the group with all
 * tables of the type, such as "/PartType1". */
void gadget_table_path(char path[GADGET_PATH_MAX], int type, const char *table);
/* Writes to `column` the name of the column for a table of GADGET, SWIFT or a similar code. Returns false if the name
 * of the table cannot be made into a column name, or if a column of this name has another meaning in streams. */
bool gadget_column_name(const char *table, char column[NB_NAME_MAX]);
/* gadget_find_file tries `path`, then `path` with the suffixes .hdf5, .h5, .0.hdf5 and .0.h5, and returns the first
 * name that exists. gadget_file_name returns the name of file k of the snapshot to which the file `path` belongs. The
 * caller frees the name. Both return NULL after nb_fail if there is no readable regular file. */
char *gadget_find_file(const char *path);
char *gadget_file_name(const char *path, int k);

/* ---- reading the groups Header, Units, Parameters, Cosmology and Provenance of a file from GADGET-2, GADGET-4, AREPO,
 * GIZMO or SWIFT ---- */

/* Reads the header. Returns -1 if there is no header or a value is impossible. */
int gadget_header_read(struct hdf *h, struct gadget_header *head);
/* ---- reading columns ---- */

#define GADGET_FIELDS_MAX 256
#define GADGET_PLAIN      5 /* number of plain columns (gadget_is_plain): mass, pos, vel, id, component */

struct gadget_field { /* a column of the frame */
    char column[NB_NAME_MAX], unit[NB_NAME_MAX], table[GADGET_NAME_MAX];
    enum nb_type type;
    int width;
    /* A part is all bodies of one type in one file. Parts are numbered from 1 in the order of reading. parts: how many
     * of the parts read so far have the column; last_part: number of the last part that has it */
    int parts, last_part;
};

struct gadget_snapshot {
    const struct conv_options *o;
    char *first;               /* name of the given file */
    struct gadget_header head; /* header of the given file */
    struct gadget_field fields[GADGET_FIELDS_MAX];
    int field_count;
    int parts; /* number of parts in all files; a part is the bodies of one type in one file */
    /* for each type: number of bodies in all files. During the second pass, which reads the tables into the frame:
     * number of bodies that are not read yet */
    uint64_t count[GADGET_TYPES];
    uint64_t next[GADGET_TYPES]; /* index in the frame of the next body of a type */
    int types[NB_COMPONENTS];
    char left_out[256];
    struct nb_bodies b;
};

struct gadget_part { /* the bodies of one type in one file */
    struct gadget_snapshot *s;
    struct hdf *h;
    const struct gadget_header *head; /* header of this file */
    int type;
    uint64_t rows;
};

/* Finds the column of the frame into which a table of part p is read. If nbconv wrote the table, an attribute contains
 * the name of the column. In other files the column follows from the table's name. Sets *f to the column, `path` to the
 * path of the table, and *t to the table's size and type. Returns false if no column belongs to the table, or if the
 * table does not have p->rows rows. */
bool gadget_find_table(const struct gadget_part *p, const char *table, struct gadget_field *f,
                       char path[GADGET_PATH_MAX], struct hdf_table *t);
/* Calls `take` for each part. In each file, each type that has bodies is a part. */
int gadget_each_part(struct gadget_snapshot *s, void (*take)(struct gadget_part *p));
/* Returns whether the column is mass, pos, vel, id or component. The array gadget_snapshot.fields always has space for
 * these GADGET_PLAIN columns. */
bool gadget_is_plain(const char *column);
/* Called for a table that is not read. Adds its name to s->left_out, a list that is printed at the end. */
void gadget_leave_out(struct gadget_snapshot *s, const char *table);
/* Finds all bodies and columns in all files. Returns -1 if the files contradict one another. */
int gadget_look_over(struct gadget_snapshot *s);
/* Opens the file that the user gave, and reads its header into *head. */
struct hdf *gadget_open_first(const struct gadget_snapshot *s, struct gadget_header *head);

/* ---- writing ---- */

struct gadget_file {
    const struct nb_bodies *b;
    bool swift;
    struct hdf *h;
    struct conv_physical unit;   /* the stream's units of mass, length and time, in cgs units */
    double time_cgs;             /* unit of time of the file in seconds */
    struct conv_physical factor; /* (value in the file) / (value in the stream), for masses, lengths and times */
    double box, shift;           /* for SWIFT, in the file's unit of length. box: side of the box; shift: is added to
                                    all coordinates, so that they are between 0 and `box` */
    int types[NB_COMPONENTS];
    uint64_t count[CONV_TYPES]; /* number of bodies of each type */
    bool mixed[CONV_TYPES];     /* the bodies of this type belong to more than one component */
    const uint8_t *component;   /* component of each body; NULL: the stream has no column component */
};

/* Returns (value in the file) / (value in the stream) for the unit M^powers[0] L^powers[1] T^powers[2]. */
double gadget_factor_of(const struct gadget_file *f, const double powers[3]);
/* Writes a number as an attribute: a scalar in GADGET's files, an array of one value in SWIFT's files. */
void gadget_put_f64(const struct gadget_file *f, const char *object, const char *name, double value);
/* Writes the groups Header and Units, and further groups that readers of SWIFT's files expect. */
void gadget_put_header(const struct gadget_file *f);
/* Writes the group Provenance: the history of the frame and other data for which GADGET has no group. */
void gadget_put_provenance(const struct gadget_file *f);
