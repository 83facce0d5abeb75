/* binary.h - GADGET's binary snapshots. A file consists of Fortran records. The size of a record in bytes is written
 * before and after its data. The first record is a header. Each further record, called a block, contains one quantity
 * of the bodies, such as their positions. In format 1 the blocks have a fixed order. In format 2, a record with the
 * block's name comes before each block. */
#pragma once

#include "nbconv/gadget/gadget_units.h"
#include "nbconv/input.h"

#define BINARY_HEAD  256 /* number of bytes of the header record */
#define BINARY_TYPES CONV_TYPES

/* Byte offsets of numbers in the header. */
enum {
    BINARY_COUNT = 0,       /* int32[6]: number of bodies of each type in this file */
    BINARY_MASS = 24,       /* double[6]: mass of every body of a type; 0: block MASS has the masses of this type */
    BINARY_TIME = 72,       /* double: time, or scale factor in a cosmological run */
    BINARY_REDSHIFT = 80,   /* double: redshift */
    BINARY_TOTAL = 96,      /* uint32[6]: number of bodies of each type in all files, lower 32 bits */
    BINARY_FILES = 124,     /* int32: number of files of the snapshot */
    BINARY_BOX = 128,       /* double: size of the periodic box */
    BINARY_MATTER = 136,    /* double: density parameter of matter */
    BINARY_LAMBDA = 144,    /* double: density parameter of the cosmological constant */
    BINARY_HUBBLE = 152,    /* double: Hubble constant in 100 km/s/Mpc */
    BINARY_TOTAL_HIGH = 168 /* uint32[6]: number of bodies of each type in all files, upper 32 bits */
};

struct binary_block {
    const char *name, *column;
    int width;
    const char *unit;
    bool optional; /* a file may lack this block. nbconv writes it in format 2 only, where blocks have names */
};

/* The blocks that nbconv reads and writes, in the order of format 1. The last entry has name NULL. If the header has a
 * mass for a type of bodies, block MASS has no masses of these bodies. */
extern const struct binary_block binary_blocks[];

/* binary_from implements conv_format.from, and binary_to implements conv_format.to. */
int binary_from(struct conv_import *import, const char *path);
int binary_to(const struct conv_export *e, const struct nb_bodies *b);
