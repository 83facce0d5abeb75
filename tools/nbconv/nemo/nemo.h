/* nemo.h - reads and writes NEMO's structured binary files (filestruct(5NEMO)).
 *
 * A file is a sequence of items. An item consists of
 *
 *   magic number  two bytes: whether the item is one value or an array, and the byte order of all numbers
 *   type          a letter and a zero byte
 *   tag           text and a zero byte
 *   dimensions    only of an array: four bytes each, and a dimension 0 at the end
 *   values
 *
 * An item of type `(' begins a set. An item of type `)', which has no tag, ends the set. */
#pragma once

#include "nbconv/input.h"

#define NEMO_SINGLE   0x0992 /* magic number of an item that is one value */
#define NEMO_ARRAY    0x0b92 /* magic number of an array */
#define NEMO_TAG_MAX  65     /* maximum bytes of a tag, including its NUL: the limit of NEMO */
#define NEMO_DIMS_MAX 9      /* maximum number of dimensions, plus 1 for the 0 that follows them */
/* The only accepted value of the item CoordSystem: three Cartesian dimensions, with positions and velocities. */
#define NEMO_COORDINATE 0x10302

struct nemo_item {
    char type;
    char tag[NEMO_TAG_MAX];
    int dim_count; /* number of dimensions; 0: one value */
    uint64_t dims[NEMO_DIMS_MAX];
    uint64_t count; /* number of values */
    size_t size;    /* bytes of a value; 0 for sets */
    bool swapped;
};

/* Describes an array in the set Particles of a snapshot, and the column of the stream with the same values. */
struct nemo_array {
    const char *tag, *column, *unit;
    int width;
    bool mass; /* true for mass and density: the file contains them multiplied by G, because NEMO has G = 1 */
};

/* The arrays in the order in which nbconv writes them. The last entry has tag NULL. nbconv writes Position and Velocity
 * together, as the array PhaseSpace. */
extern const struct nemo_array nemo_arrays[];

/* Functions that return int return 0, or -1 after nb_fail, except nemo_item_next. */

/* Reads the head of the next item, up to its values. Returns 1, or 0 at the end of the file, or -1 (after nb_fail) if
 * the item is invalid. */
int nemo_item_next(struct bytes *s, struct nemo_item *item);
/* Skips the values of an item. If the item begins a set, skips all items of the set. */
int nemo_item_skip(struct bytes *s, const struct nemo_item *item);
/* nemo_item_is_set returns whether the item has this tag and begins a set. nemo_item_is returns whether the item has
 * this tag and contains values. */
bool nemo_item_is_set(const struct nemo_item *item, const char *tag);
bool nemo_item_is(const struct nemo_item *item, const char *tag);
/* Read the only value of an item. Fail if the item has more values or none. nemo_item_integer accepts whole numbers
 * (types s, i and l). nemo_item_real also accepts real numbers (types f and d). */
int nemo_item_integer(struct bytes *s, const struct nemo_item *item, int64_t *value);
int nemo_item_real(struct bytes *s, const struct nemo_item *item, double *value);
/* Reads the text of an item of type c. Control characters are escaped, and each byte that is not ASCII becomes `?'. A
 * text that does not fit in `size` bytes is shortened. */
int nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size);
/* Fails unless the item is an array of `width` values for each of n bodies. */
int nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width);
/* Reads an array of `width` real numbers for each of n bodies into `to`. If `second` is not NULL, the array has twice
 * as many numbers for each body: the first `width` go into `to`, the others into `second`. */
int nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second);
/* Reads whole numbers, one for each body. Sets *negative to true if any of them is below 0, otherwise to false. */
int nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to, bool *negative);

/* nemo_from implements conv_format.from, and nemo_to implements conv_format.to. */
int nemo_from(struct conv_import *import, const char *path);
int nemo_to(const struct conv_export *e, const struct nb_bodies *b);
