/* binary.h - GADGET's binary snapshots: Fortran's records, each between two counts of its bytes. Format 1 has the
 * blocks in an order that everyone knows; format 2 has a record with a name before each. */
#pragma once

#include "nbconv/gadget/gadget_units.h"
#include "nbconv/input.h"

#define BINARY_HEAD  256 /* bytes of the header's record */
#define BINARY_TYPES CONV_TYPES

/* Where numbers of the header stand. */
enum {
    BINARY_COUNT = 0, /* int32 of each type in this file */
    BINARY_MASS = 24, /* double of each type: of all its bodies, 0 where they have a block */
    BINARY_TIME = 72, /* double; so are the following */
    BINARY_REDSHIFT = 80,
    BINARY_TOTAL = 96,      /* uint32 of each type in all files */
    BINARY_FILES = 124,     /* int32 */
    BINARY_BOX = 128,       /* double */
    BINARY_MATTER = 136,    /* double */
    BINARY_LAMBDA = 144,    /* double */
    BINARY_HUBBLE = 152,    /* double */
    BINARY_TOTAL_HIGH = 168 /* uint32 of each type: times 2^32 */
};

struct binary_block {
    const char *name, *column;
    int width;
    const char *unit;
    bool optional; /* not in format 1, whose readers could not tell it from others */
};

/* In the order of format 1. MASS has only the types whose mass the header does not give. */
extern const struct binary_block binary_blocks[]; /* name NULL at the end */

int binary_from(struct conv_import *import, const char *path);
int binary_to(const struct conv_export *e, const struct nb_bodies *b);
