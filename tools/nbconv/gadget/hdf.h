/* hdf.h - the parts of HDF5 that GADGET snapshots need: groups, attributes, and tables. A table here is an HDF5 dataset
 * of n rows with 1 or 3 numbers each.
 *
 * The first failure of a file (damage, full disk, no memory) is stored in its struct hdf. After a failure, functions
 * that write do nothing, functions that read return no data, and hdf_close reports it. HDF5 itself prints nothing.
 * An object is named by its path, for example "/" or "/PartType1/Masses". */
#pragma once

#include "base/bodies.h"

#include <hdf5.h>

/* Prepares the HDF5 library. Must be called before all other functions. Returns -1 after nb_fail. */
int hdf_begin(void);

struct hdf { /* an open file */
    hid_t file;
    char *path;        /* path of the file; owned, or NULL */
    const char *name;  /* name of the file for messages */
    const char *doing; /* "written" or "read", for messages such as "cannot be read" */
    bool failed;
    hid_t table; /* table being written, or -1 */
    hid_t table_type;
    int table_width;
    char table_path[64];
};

/* Marks h as failed. For the first failure of h, also calls nb_fail with the name of the file and the formatted text.
 * Returns -1. */
int hdf_fail(struct hdf *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the remaining data, closes and frees the file. Returns -1 after nb_fail if h has a failure. */
int hdf_close(struct hdf *h);
/* Returns `id`, an id or status that HDF5 returned. If `id` is below 0, stores a failure with HDF5's reason.
 * object: path of the object, for the message. */
hid_t hdf_checked(struct hdf *h, hid_t id, const char *object);
/* Returns the HDF5 type of values in memory or, if in_file is true, in files. type: enum nb_type or HDF_I32. */
hid_t hdf_type(int type, bool in_file);

/* ---- writing: equal calls write equal bytes ---- */

/* Opens the existing file at `path` for writing, and replaces its contents by an empty HDF5 file. name: name of the
 * file in messages; must stay valid until hdf_close. Returns NULL after nb_fail. */
struct hdf *hdf_create(const char *path, const char *name);
void hdf_group(struct hdf *h, const char *path);
#define HDF_I32 NB_TYPES /* 32-bit signed integers, a type in addition to enum nb_type */
/* Write an attribute: an array of `count` values (a scalar if count is 0), or a text. */
void hdf_put(struct hdf *h, const char *object, const char *name, int type, const void *values, int count);
void hdf_put_text(struct hdf *h, const char *object, const char *name, const char *text);
/* Writes a table of lines of text. */
void hdf_put_lines(struct hdf *h, const char *path, char *const *lines, int count);
/* Begins a table with at least one row. Only one table can be open. The rows are written in pieces with checksums,
 * which every reader verifies. HDF5 stores the position of each piece without a checksum. If such a position is
 * damaged, HDF5 does not find the rows of the piece, and returns the fill value (NaN, or the largest whole number) for
 * them. */
void hdf_table_begin(struct hdf *h, const char *path, enum nb_type type, uint64_t rows, int width);
/* Writes rows [first, first + count) of the open table. In `data`, values of real types are doubles, and other values
 * have the type of the table. The most efficient count is HDF_PIECE. */
void hdf_table_rows(struct hdf *h, uint64_t first, uint64_t count, const void *data);
void hdf_table_end(struct hdf *h);
#define HDF_PIECE 32768

/* ---- reading ---- */

struct hdf_table {
    uint64_t rows;
    int width;         /* numbers in each row: 1 or 3 */
    enum nb_type type; /* type for the values in a frame; f64 for signed integers, because frames have no signed type */
};

/* Opens a file for reading. Takes ownership of the path, even on failure. In messages, the file /dev/stdin is called
 * stdin. Returns NULL after nb_fail. */
struct hdf *hdf_open(char *path);
/* hdf_has returns whether an object with this path exists, hdf_has_attribute whether `object` has the attribute
 * `name`. */
bool hdf_has(struct hdf *h, const char *path);
bool hdf_has_attribute(struct hdf *h, const char *object, const char *name);
/* Reads at most `max` numbers of an attribute. Returns how many were read, or 0 if the attribute does not exist. */
int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max);
/* Reads an attribute that is one whole number of up to 64 bits. Returns false if `object` has no such attribute. */
bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value);
/* Reads an attribute's text, truncated to size - 1 bytes. Returns false if `object` has no such attribute. */
bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size);
/* Reads the lines of text that hdf_put_lines wrote at `path`, and calls add(meta, line) for each line. Does nothing if
 * there is no such table. */
void hdf_get_lines(struct hdf *h, const char *path, int (*add)(struct nb_meta *, const char *), struct nb_meta *meta);
/* Calls `each` with the name of every object in a group, in alphabetical order. */
void hdf_list(struct hdf *h, const char *group, void (*each)(void *context, const char *name), void *context);
/* Reads the number of rows, the width and the type of a table. Returns false if the object is not a table. Stores a
 * failure if the file has too few bytes for the rows. */
bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table);
/* Reads all rows of a table into `data`, converted to `type`. `table`: result of hdf_look. */
void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data);
