/* columns.h - what is done to columns of numbers as they pass, in vectors of the instruction set in use. Every set
 * gives equal bits. */
#pragma once

#include "base/sum.h"

#include <stdbool.h>
#include <stddef.h>

struct nb_columns_set {
    /* v = factor (v + shift) of n vectors, x, y, z of each together; without the sum where shift is NULL. */
    void (*move)(size_t n, const double *shift, double factor, double *xyz);
    /* Adds n numbers to a sum. */
    void (*add)(size_t n, const double *x, struct nb_sum *sum);
    /* Adds m x, m y, m z of n bodies to three sums. */
    void (*add_weighted)(size_t n, const double *m, const double *xyz, struct nb_sum sums[3]);
    /* Whether all of n numbers are finite. */
    bool (*finite)(size_t n, const double *x);
    /* Rounds n numbers to single precision: whether all went well. None that is finite is to become infinite, and with
     * `positive` none that is not 0 is to become 0. */
    bool (*narrow)(size_t n, const double *from, bool positive, float *to);
    /* How many of n moving spheres, in rows x, y, z, vx, vy, vz and radius, are near another: the squared distance is
     * at most `share` times the squared relative velocity, plus twice the square of the sum of the radii. */
    size_t (*near)(size_t n, const double *const row[7], const double other[7], double share);
};

/* For the instruction set in use. */
const struct nb_columns_set *nb_columns(void);
