/* gadget.h - GADGET's HDF5 snapshots, read and written. Its units are kpc, km/s and 10^10 Msun; SWIFT's dialect has
 * other names for columns and units, its attributes are arrays of one, and its time is in 0.97779 Gyr.
 *
 * Functions that return int or a pointer return -1 or NULL after nb_fail. What reads or writes a file notes failures in
 * it (hdf.h). */
#pragma once

#include "nbconv/gadget/gadget_units.h"
#include "nbconv/gadget/hdf.h"

/* An attribute of tables that nbconv writes: the XXH3 of the values, real ones as doubles; HDF5's own checksums do not
 * cover the index of a table's pieces. */
#define GADGET_HASH "XXH3"

int gadget_from(struct conv_import *import, const char *path);
int gadget_to(const struct conv_export *e, const struct nb_bodies *b);

/* ---- names of tables and files ---- */

#define GADGET_NAME_MAX 64                     /* bytes of a table's name */
#define GADGET_PATH_MAX (GADGET_NAME_MAX + 16) /* of its path */

/* The name of a column's table: one of those that the codes have, else PhiExternal for phi_external. */
void gadget_table_name(const char *column, bool swift, char name[GADGET_NAME_MAX]);
/* "/PartType1/Masses", or with an empty table the group. */
void gadget_table_path(char path[GADGET_PATH_MAX], int type, const char *table);
/* The column that a table of any code becomes. False: its name is none for a column, or means something else there. */
bool gadget_column_name(const char *table, char column[NB_NAME_MAX]);
/* The file that a path means: itself, or with the endings that snapshots have; a regular file that can be read. And
 * file k of the set that one is of. To be freed; NULL after nb_fail. */
char *gadget_find_file(const char *path);
char *gadget_file_name(const char *path, int k);

/* ---- reading: what the groups Header, Units, Parameters, Cosmology and Provenance of a file say, whichever of
 * GADGET-2, GADGET-4, AREPO, GIZMO and SWIFT wrote it ---- */

/* Fails if there is no header, or a value that cannot be. */
int gadget_header_read(struct hdf *h, struct gadget_header *head);
/* ---- reading: the columns ---- */

#define GADGET_FIELDS_MAX 256
#define GADGET_PLAIN      5 /* columns that gadget_is_plain knows */

struct gadget_field { /* a column to be */
    char column[NB_NAME_MAX], unit[NB_NAME_MAX], table[GADGET_NAME_MAX];
    enum nb_type type;
    int width;
    int parts, last_part; /* that have it, and the last of them */
};

struct gadget_snapshot {
    const struct conv_options *o;
    char *first;               /* the file that was given */
    struct gadget_header head; /* of that file */
    struct gadget_field fields[GADGET_FIELDS_MAX];
    int field_count;
    int parts;                    /* types with bodies, counted in every file */
    uint64_t count[GADGET_TYPES]; /* bodies of a type in all files */
    uint64_t next[GADGET_TYPES];  /* where the next of that type go */
    int types[NB_COMPONENTS];
    char left_out[256];
    struct nb_bodies b;
};

struct gadget_part { /* one type in one file */
    struct gadget_snapshot *s;
    struct hdf *h;
    const struct gadget_header *head; /* of that file */
    int type;
    uint64_t rows;
};

/* What column a table of p is: as we wrote it, or by its name in any of the codes. Its path and its numbers. False: it
 * is none, or not one of that many rows. */
bool gadget_find_table(const struct gadget_part *p, const char *table, struct gadget_field *f,
                       char path[GADGET_PATH_MAX], struct hdf_table *t);
/* Calls `take` for each file with bodies of each type, in order. */
int gadget_each_part(struct gadget_snapshot *s, void (*take)(struct gadget_part *p));
/* A column of every snapshot, or one that a body is known by. */
bool gadget_is_plain(const char *column);
/* Notes a table that is not read. */
void gadget_leave_out(struct gadget_snapshot *s, const char *table);
/* Finds all bodies and all columns, in all files. Fails if they contradict one another. */
int gadget_look_over(struct gadget_snapshot *s);
/* Opens the file that was given and reads its header. */
struct hdf *gadget_open_first(const struct gadget_snapshot *s, struct gadget_header *head);

/* ---- writing ---- */

struct gadget_file {
    const struct nb_bodies *b;
    bool swift;
    struct hdf *h;
    struct conv_physical unit;   /* of the stream */
    double time_cgs;             /* the file's unit of time */
    struct conv_physical factor; /* of the stream's units, in the file's */
    double box, shift;           /* SWIFT's, in the file's unit of length: positions are from 0 to box */
    int types[NB_COMPONENTS];
    uint64_t count[CONV_TYPES]; /* bodies of each type */
    bool mixed[CONV_TYPES];     /* of several components */
    const uint8_t *component;   /* of each body, or NULL */
};

/* A value in these units, powers of M, L and T, times this is one in the file's. */
double gadget_factor_of(const struct gadget_file *f, const double powers[3]);
/* A scalar in GADGET's dialect, an array of one in SWIFT's. */
void gadget_put_f64(const struct gadget_file *f, const char *object, const char *name, double value);
/* Header, Units, and the further groups that readers of SWIFT's files look into. */
void gadget_put_header(const struct gadget_file *f);
/* What these have no place for: where the frame comes from. */
void gadget_put_provenance(const struct gadget_file *f);
