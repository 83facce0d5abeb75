/* hdf.h - the little of HDF5 that snapshots of GADGET's kind need: groups, attributes, and tables of n rows with 1 or 3
 * numbers each.
 *
 * The first failure of a file (damage, a full disk, no memory) is kept in it. What is called after that does nothing,
 * and finds nothing; hdf_close tells. HDF5 itself prints nothing. An object is named by its path, "/" or
 * "/PartType1/Masses". */
#pragma once

#include "base/bodies.h"

#include <hdf5.h>

/* To be called before anything else. -1 after nb_fail. */
int hdf_begin(void);

struct hdf { /* an open file */
    hid_t file;
    char *path;        /* its own, or NULL */
    const char *name;  /* for messages */
    const char *doing; /* "written" or "read" */
    bool failed;
    hid_t table; /* being written, or -1 */
    hid_t table_type;
    int table_width;
    char table_path[64];
};

/* Notes a failure, "NAME: FORMAT...", unless there was one before, whose message stays. Returns -1. */
int hdf_fail(struct hdf *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Closes a file, what is left being written, and frees it. -1 after nb_fail if anything has failed. */
int hdf_close(struct hdf *h);
/* Notes the failure that an id, or a status, below 0 is, with HDF5's reason. Returns the id. */
hid_t hdf_checked(struct hdf *h, hid_t id, const char *object);
/* The type of numbers of a column's type, or HDF_I32, in memory or in the file. */
hid_t hdf_type(int type, bool in_file);

/* ---- writing: equal calls give equal bytes ---- */

/* Writes to the file at `path`, which is there; `name` is for messages and lives on. NULL after nb_fail. */
struct hdf *hdf_create(const char *path, const char *name);
void hdf_group(struct hdf *h, const char *path);
#define HDF_I32 NB_TYPES /* besides the types of columns */
/* An attribute: `count` values as an array, or with 0 one as a scalar. */
void hdf_put(struct hdf *h, const char *object, const char *name, int type, const void *values, int count);
void hdf_put_text(struct hdf *h, const char *object, const char *name, const char *text);
/* A table of lines of text. */
void hdf_put_lines(struct hdf *h, const char *path, char *const *lines, int count);
/* A table of rows >= 1, which are given piece by piece, with checksums that every reader looks at. Rows that a damaged
 * index has lost are read as NaN, or the largest whole number. One at a time. */
void hdf_table_begin(struct hdf *h, const char *path, enum nb_type type, uint64_t rows, int width);
/* Rows [first, first + count), real numbers as doubles; best is a multiple of HDF_PIECE. */
void hdf_table_rows(struct hdf *h, uint64_t first, uint64_t count, const void *data);
void hdf_table_end(struct hdf *h);
#define HDF_PIECE 32768

/* ---- reading ---- */

struct hdf_table {
    uint64_t rows;
    int width;         /* 1 or 3 */
    enum nb_type type; /* that holds its numbers: f64 for signed ones */
};

/* Takes over the path, which is freed with the file, or if this fails; /dev/stdin is called stdin in messages. NULL
 * after nb_fail. */
struct hdf *hdf_open(char *path);
/* Whether there is an object of that path, and an attribute of that object. */
bool hdf_has(struct hdf *h, const char *path);
bool hdf_has_attribute(struct hdf *h, const char *object, const char *name);
/* An attribute's numbers, `max` of them at most; how many there are, 0 without such a one. */
int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max);
/* One whole number, exactly. False: there is none. */
bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value);
/* An attribute's text, cut to size - 1 bytes. False: there is none. */
bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size);
/* Gives `add` each of the lines of text that hdf_put_lines leaves; nothing without such a table. */
void hdf_get_lines(struct hdf *h, const char *path, int (*add)(struct nb_meta *, const char *), struct nb_meta *meta);
/* Calls `each` with the name of every object in a group, sorted. */
void hdf_list(struct hdf *h, const char *group, void (*each)(void *context, const char *name), void *context);
/* What a table is like; false where the object is none. Its rows are no more than the file has bytes for. */
bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table);
/* Reads all rows of a table, as `type`. */
void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data);
