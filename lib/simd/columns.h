/* columns.h - loops over columns of numbers with SIMD instructions. Results are bitwise identical for all instruction
 * sets. */
#pragma once

#include "base/sum.h"

#include <stdbool.h>
#include <stddef.h>

struct nb_columns_set {
    /* Computes v = factor * (v + shift) for n vectors v, stored as x0 y0 z0 x1 y1 z1 ... NULL is a shift of 0. */
    void (*move)(size_t n, const double *shift, double factor, double *xyz);
    /* Adds n numbers to a sum. */
    void (*add)(size_t n, const double *x, struct nb_sum *sum);
    /* Adds the products m * x, m * y and m * z of n bodies to three sums. */
    void (*add_weighted)(size_t n, const double *m, const double *xyz, struct nb_sum sums[3]);
    /* Returns whether all n numbers are finite. */
    bool (*finite)(size_t n, const double *x);
    /* Rounds n numbers to single precision. Returns false if a finite number becomes infinite. If `positive` is true,
     * also returns false if a number other than 0 becomes 0. */
    bool (*narrow)(size_t n, const double *from, bool positive, float *to);
    /* Counts how many of n moving spheres are near the sphere `other`. The seven rows are x, y, z, vx, vy, vz and
     * radius of the n spheres; `other` has the same values for one sphere. Two spheres are near each other if the
     * squared distance of their centres is at most share * (relative speed)^2 + 2 * (sum of radii)^2. `share` is a
     * factor in units of time squared. */
    size_t (*near)(size_t n, const double *const row[7], const double other[7], double share);
};

/* Returns the functions for the instruction set in use. */
const struct nb_columns_set *nb_columns(void);
