/* hdf.h - the little of HDF5 that snapshots of GADGET's kind need: groups, attributes, and tables of n rows with 1 or 3
 * numbers each. Without the library (make HDF5=0, or where it is not found) hdf_demand says so.
 *
 * What fails here (damage, a full disk, no memory) ends the tool with one line; HDF5 itself prints nothing. An object
 * is named by its path, "/" or "/PartType1/Masses". */
#ifndef NBCONV_HDF_H
#define NBCONV_HDF_H

#include "base/bodies.h"

/* To be called before anything else: dies (exit 1) with a sentence in an nbconv without HDF5. */
void hdf_demand(const char *format);

struct hdf; /* an open file */

/* ---- writing: equal calls give equal bytes ---- */

/* Writes to the file at `path`, which is there; `name` is for messages and lives on. */
struct hdf *hdf_create(const char *path, const char *name);
/* Writes what is left and closes. */
void hdf_finish(struct hdf *h);
void hdf_group(struct hdf *h, const char *path);

/* Attributes: `count` values as an array, or with 0 one as a scalar. */
void hdf_put_f64(struct hdf *h, const char *object, const char *name, const double *values, int count);
void hdf_put_i32(struct hdf *h, const char *object, const char *name, const int32_t *values, int count);
void hdf_put_u32(struct hdf *h, const char *object, const char *name, const uint32_t *values, int count);
void hdf_put_u64(struct hdf *h, const char *object, const char *name, const uint64_t *values, int count);
void hdf_put_text(struct hdf *h, const char *object, const char *name, const char *text);

/* A table of lines of text. */
void hdf_put_lines(struct hdf *h, const char *path, char *const *lines, int count);
/* A table of rows >= 1, which are given piece by piece, with checksums that every reader looks at. Rows that a damaged
 * index has lost are read as NaN, or the largest whole number. One at a time. */
void hdf_table_begin(struct hdf *h, const char *path, enum nb_type type, uint64_t rows, int width);
/* Rows [first, first + count); best is a multiple of HDF_PIECE. */
void hdf_table_rows(struct hdf *h, uint64_t first, uint64_t count, const void *data);
void hdf_table_end(struct hdf *h);
#define HDF_PIECE 32768

/* ---- reading ---- */

struct hdf_table {
    uint64_t rows;
    int width;         /* 1 or 3 */
    enum nb_type type; /* that holds its numbers: f64 for signed ones */
};

/* Whether the file is there, can be sought in and begins as HDF5 does. */
bool hdf_is(const char *path);
struct hdf *hdf_open(const char *path, const char *name);
void hdf_close(struct hdf *h);
/* Whether there is an object of that path, and an attribute of that object. */
bool hdf_has(struct hdf *h, const char *path);
bool hdf_has_attribute(struct hdf *h, const char *object, const char *name);
/* An attribute's numbers, `max` of them at most; how many there are, 0 without such a one. */
int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max);
/* One whole number, exactly. False: there is none. */
bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value);
/* An attribute's text, cut to size - 1 bytes. False: there is none. */
bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size);
/* Lines of text, as hdf_put_lines leaves them, their number in *count; NULL without such a table. To be freed, each. */
char **hdf_get_lines(struct hdf *h, const char *path, int *count);
/* Calls `each` with the name of every object in a group, sorted. */
void hdf_list(struct hdf *h, const char *group, void (*each)(void *context, const char *name), void *context);
/* What a table is like; false where the object is none. Its rows are no more than the file has bytes for. */
bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table);
/* Reads all rows of a table, as `type`. */
void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data);

#endif
