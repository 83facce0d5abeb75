/* nemo.h - NEMO's binary structured file (filestruct(5NEMO)), read and written.
 *
 * A file is a sequence of items, each: a magic number of two bytes that says whether it is one value or an array; a
 * type, a letter and a zero; a tag, which ends in a zero; of an array its dimensions, four bytes each, which end in a
 * zero; its values. An item of type `(' begins a set, one of type `)', which has no tag, ends it. All is in the byte
 * order of the machine that wrote it, which the magic number tells. */
#pragma once

#include "nbconv/input.h"

#define NEMO_SINGLE     0x0992  /* magic numbers: of one value */
#define NEMO_ARRAY      0x0b92  /* of an array */
#define NEMO_TAG_MAX    65      /* bytes with the zero, of which NEMO knows no more */
#define NEMO_DIMS_MAX   9       /* with the zero */
#define NEMO_COORDINATE 0x10302 /* CoordSystem: Cartesian, three dimensions, positions and velocities */

struct nemo_item {
    char type;
    char tag[NEMO_TAG_MAX];
    int dim_count; /* 0: one value */
    uint64_t dims[NEMO_DIMS_MAX];
    uint64_t count; /* of values */
    size_t size;    /* bytes of one; 0 of sets */
    bool swapped;
};

struct nemo_array { /* of a snapshot's particles, and the column that it is */
    const char *tag, *column, *unit;
    int width;
    bool mass; /* has the unit of mass in it, and is times G where that is 1 */
};

/* In the order in which they are written, PhaseSpace being positions and velocities. tag NULL at the end. */
extern const struct nemo_array nemo_arrays[];

/* Functions that return int return 0, or -1 after nb_fail. */

/* Reads an item up to its values. 1; 0 at the end of the file; -1: it is none. */
int nemo_item_next(struct bytes *s, struct nemo_item *item);
/* Passes over the values of an item, or over the rest of the set that it begins. */
int nemo_item_skip(struct bytes *s, const struct nemo_item *item);
/* Whether it is a set, or an item, of that tag. */
bool nemo_item_is_set(const struct nemo_item *item, const char *tag);
bool nemo_item_is(const struct nemo_item *item, const char *tag);
/* The one value of an item, a whole number (of s i l) or a real one (of those too). */
int nemo_item_integer(struct bytes *s, const struct nemo_item *item, int64_t *value);
int nemo_item_real(struct bytes *s, const struct nemo_item *item, double *value);
/* The text of an item of type c as printable ASCII, what does not fit cut off. */
int nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size);
/* Fails unless it is an array of `width` values of each of n bodies. */
int nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width);
/* Reads an array of `width` real numbers of each of n bodies. With `second` there are twice as many, of which the
 * latter half goes there. */
int nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second);
/* Reads whole numbers, one a body; *negative: there is one below 0. */
int nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to, bool *negative);

int nemo_from(struct conv_import *import, const char *path);
int nemo_to(const struct conv_export *e, const struct nb_bodies *b);
