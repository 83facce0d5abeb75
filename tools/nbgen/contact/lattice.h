/* lattice.h - disks on rows of a jittered lattice, in what a scene's walls leave free of a rectangle: exactly as many
 * as asked for, evenly spread, none that touches another or a wall.
 *
 * A row has the same height everywhere. Its *spans* are the stretches of x where a disk anywhere in the middle of the
 * row is at least its radius from every wall, outside of solids and inside of containers. The spans of all rows, one
 * behind the other, are divided evenly among the disks, so that a disk is found from its number alone. Memory goes with
 * the rows, as the square root of the number of disks. */
#ifndef LATTICE_H
#define LATTICE_H

#include "scene/scene.h"

#include <stddef.h>

struct lattice_span {
    double from, to;
};

struct lattice {
    double low[2], high[2]; /* of the rectangle */
    double radius;
    uint64_t n;
    size_t rows;
    double height;    /* from row to row */
    double jitter;    /* greatest distance from the middle of the row */
    uint64_t *before; /* disks in the rows before; rows + 1 of them */
    double *length;   /* of a row's spans together */
    size_t *first;    /* span of a row; rows + 1 of them */
    struct lattice_span *spans;
    size_t span_count;
};

/* Sets all but low, high, radius and n, which are given. Dies (usage) where so many do not fit. Lives until the tool
 * ends. */
void lattice_make(struct lattice *lattice, const struct nb_scene *scene);
/* Places disks first .. first + n - 1 by uniform numbers: vectors with z = 0. */
void lattice_place(const struct lattice *lattice, uint64_t first, size_t n, double *const u[2], double *pos);

/* Finds the spans of every row, their lengths, from rows, height and jitter; allocates both. lattice_spans.c */
void lattice_find_spans(struct lattice *lattice, const struct nb_scene *scene);

#endif
