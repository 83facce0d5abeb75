/* nemo.h - NEMO's binary structured file (filestruct(5NEMO)), read and written.
 *
 * A file is a sequence of items, each: a magic number of two bytes that says whether it is one value or an array; a
 * type, a letter and a zero; a tag, which ends in a zero; of an array its dimensions, four bytes each, which end in a
 * zero; its values. An item of type `(' begins a set, one of type `)', which has no tag, ends it. All is in the byte
 * order of the machine that wrote it, which the magic number tells. */
#ifndef NBCONV_NEMO_H
#define NBCONV_NEMO_H

#include "bytes.h"

#define NEMO_SINGLE     0x0992  /* magic numbers: of one value */
#define NEMO_ARRAY      0x0b92  /* of an array */
#define NEMO_TAG_MAX    65      /* bytes with the zero, of which NEMO knows no more */
#define NEMO_DIMS_MAX   9       /* with the zero */
#define NEMO_DEPTH_MAX  8       /* sets in sets */
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

/* Reads an item up to its values. False at the end of the file. Dies on what is none. */
bool nemo_item_next(struct bytes *s, struct nemo_item *item);
/* Passes over the values of an item, or over the rest of the set that it begins. */
void nemo_item_skip(struct bytes *s, const struct nemo_item *item);
/* Whether it is a set, or an item, of that tag. */
bool nemo_item_is_set(const struct nemo_item *item, const char *tag);
bool nemo_item_is(const struct nemo_item *item, const char *tag);
/* The one value of an item, a whole number (of s i l) or a real one (of those too). Dies where it is not one. */
int64_t nemo_item_integer(struct bytes *s, const struct nemo_item *item);
double nemo_item_real(struct bytes *s, const struct nemo_item *item);
/* The text of an item of type c as printable ASCII, what does not fit cut off. */
void nemo_item_text(struct bytes *s, const struct nemo_item *item, char *text, size_t size);
/* Dies unless it is an array of `width` values of each of n bodies. */
void nemo_item_check(const struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t width);
/* Reads an array of `width` real numbers of each of n bodies. With `second` there are twice as many, of which the
 * latter half goes there. */
void nemo_item_reals(struct bytes *s, const struct nemo_item *item, uint64_t n, int width, double *to, double *second);
/* Reads whole numbers, one a body; false where one is negative. */
bool nemo_item_unsigned(struct bytes *s, const struct nemo_item *item, uint64_t n, uint64_t *to);

void nemo_from(struct conv_import *import, const char *path);
void nemo_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
             struct tool_output *output);

#endif
