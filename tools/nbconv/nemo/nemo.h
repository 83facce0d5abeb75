/* nemo.h - NEMO's structured binary file (filestruct(5NEMO)), read and written.
 *
 * A file is a sequence of items. An item has a magic number of two bytes (one value or an array), a type (a letter and
 * a zero), a tag ended by a zero, and its values. An array has its dimensions before the values, four bytes each, ended
 * by a zero. An item of type `(' begins a set, and one of type `)', without a tag, ends it. All numbers are in the byte
 * order of the machine that wrote the file, which the magic number shows. */
#pragma once

#include "nbconv/input.h"

#define NEMO_SINGLE   0x0992 /* magic number of one value */
#define NEMO_ARRAY    0x0b92 /* magic number of an array */
#define NEMO_TAG_MAX  65     /* maximum bytes of a tag, including its NUL: the limit of NEMO */
#define NEMO_DIMS_MAX 9      /* maximum number of dimensions, including the 0 at the end */
/* Value of the item CoordSystem: Cartesian, three dimensions, positions and velocities. */
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

struct nemo_array { /* an array of a snapshot's particles, and its column */
    const char *tag, *column, *unit;
    int width;
    bool mass; /* whether it is a mass, which the file contains multiplied by G (NEMO has G = 1) */
};

/* Arrays in the order of writing, ended by tag NULL. PhaseSpace is positions and velocities. */
extern const struct nemo_array nemo_arrays[];

/* Functions that return int return 0, or -1 after nb_fail. */

/* Reads the head of the next item, up to its values. Returns 1, or 0 at the end of the file, or -1 if the item is
 * invalid. */
int nemo_item_next(struct bytes *s, struct nemo_item *item);
/* Skips the values of an item, or the remaining items of the set that it begins. */
int nemo_item_skip(struct bytes *s, const struct nemo_item *item);
/* nemo_item_is_set returns whether the item begins a set with that tag. nemo_item_is returns whether it contains values
 * and has that tag. */
bool nemo_item_is_set(const struct nemo_item *item, const char *tag);
bool nemo_item_is(const struct nemo_item *item, const char *tag);
/* Read the only value of an item. nemo_item_integer accepts whole numbers (types s i l), nemo_item_real whole and real
 * numbers. */
int nemo_item_integer(struct bytes *s, const struct nemo_item *item, int64_t *value);
int nemo_item_real(struct bytes *s, const struct nemo_item *item, double *value);
/* Reads the text of an item of type c as printable ASCII, truncated to size - 1 bytes. */
int nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size);
/* Fails unless the item is an array of `width` values for each of n bodies. */
int nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width);
/* Reads an array of `width` real numbers for each of n bodies into `to`. If `second` is not NULL, the array has twice
 * as many numbers for each body, and the second half of them goes into `second`. */
int nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second);
/* Reads whole numbers, one for each body. Sets *negative if any of them is below 0. */
int nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to, bool *negative);

/* Implement `from` and `to` of struct conv_format. */
int nemo_from(struct conv_import *import, const char *path);
int nemo_to(const struct conv_export *e, const struct nb_bodies *b);
