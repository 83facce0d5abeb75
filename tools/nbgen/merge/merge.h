/* merge.h - reads two galaxies, each from a frame of a stream, and places them on an orbit about each other. Both
 * frames are in memory. The output is computed and written block by block, so it needs no further memory. */
#pragma once

#include "nbgen/pair/pair.h"

struct merge_input {
    const char *name; /* name of the input for messages */
    struct nb_bodies bodies;
    double mass;
    double pos[3], vel[3]; /* position and velocity of the input's centre of mass, as read */
    /* mass-weighted harmonic mean of sqrt(r^2 + softening^2), where r is a body's distance from the centre of mass */
    double radius;
    uint8_t galaxy[256]; /* galaxy[g]: number in the output for galaxy g of the input */
    struct orbit_plane plane;
    struct encounter_place place; /* position and velocity of the input's centre in the output */
};

struct merge {
    struct encounter orbit;
    double softening; /* value of --softening; NAN: not given */
    int store;        /* --store (enum nb_type); -1: not given, so a column is double if it is double in an input */
    struct merge_input inputs[2];
    struct nb_bodies out; /* columns (without data) and header of the output */
    /* from[k][c]: column of input k with the same name as column c of `out`; NULL: none */
    const struct nb_column *from[2][NB_COLUMNS_MAX];
};

/* Dies if the two frames cannot be merged, for example because of different units. Sets the array `galaxy` of both
 * inputs. In merge_header.c. */
void merge_match(struct merge *m);
/* Sets the softening in the header of `out` to --softening. If --softening was not given, takes the smaller softening
 * of the two inputs, and prints a line if they differ. */
void merge_softening(struct merge *m);
/* Fills in the header of `out`: the time step, the history, and the values that both inputs have in common. Adds the
 * columns of `out`. Prints a line for each column that is dropped. `place` of both inputs must be set. */
void merge_header(struct merge *m);

/* Writes the output stream. Dies on failure. In merge_write.c. */
void merge_write(struct merge *m);
