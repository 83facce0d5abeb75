/* merge.h - two galaxies, each a frame of a stream, put on an orbit about one another. Both are in memory; the result
 * goes out block by block, so that there is no copy. */
#pragma once

#include "nbgen/pair/pair.h"

struct merge_input {
    const char *name; /* for messages */
    struct nb_bodies bodies;
    double mass;
    double pos[3], vel[3]; /* of its centre of mass, as it is */
    double radius;         /* harmonic mean distance of its mass from there, its softening added in squares */
    uint8_t galaxy[256];   /* the number that each of its galaxies gets */
    struct orbit_plane plane;
    struct encounter_place place; /* where its centre goes */
};

struct merge {
    struct encounter orbit;
    double softening; /* NAN: not given */
    int store;        /* enum nb_type, or -1: the wider one of the inputs */
    struct merge_input inputs[2];
    struct nb_bodies out;                            /* layout and header */
    const struct nb_column *from[2][NB_COLUMNS_MAX]; /* of each column there the one of an input, or NULL */
};

/* Dies where the two cannot be one: units, G, external fields. Numbers the galaxies. merge_header.c */
void merge_match(struct merge *m);
/* Sets the softening in the header of `out`, with a line where the inputs' differ. */
void merge_softening(struct merge *m);
/* Sets the rest of it, dt, provenance, what else the inputs' have in common, and lays out the columns, with a line for
 * each that is left behind; places are set. */
void merge_header(struct merge *m);

/* Writes the stream. Dies on failure. merge_write.c */
void merge_write(struct merge *m);
