/* elementary.h - functions of arrays, in vectors of the instruction set in use, for models of many bodies.
 *
 * Only additions, multiplications, divisions and roots that IEEE 754 rounds, none of them fused, in a fixed order:
 * equal bits on every machine and for every set. Errors are below 2 units in the last place. Arrays may be the same
 * where a line says so, else they do not overlap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nb_elementary_set {
    /* Natural logarithms of n numbers, finite and at least 2^-1022; `y` may be `x`. */
    void (*log)(size_t n, const double *x, double *y);
    /* log(1 + x) of n numbers with 1 + x as above, exact for small x too; `y` may be `x`. */
    void (*log1p)(size_t n, const double *x, double *y);
    /* Cube roots of numbers as for log; `y` may be `x`. */
    void (*cbrt)(size_t n, const double *x, double *y);
    /* Sines and cosines of 2 pi u, |u| at most 2^40; `sine` may be `u`. */
    void (*turn)(size_t n, const double *u, double *sine, double *cosine);
    /* n vectors (x, y, z of each together) of these lengths, in directions uniform on the sphere where u and v, in
     * [0, 1], are uniform: z = 2 u - 1 of a unit vector, and v turns about the axis. */
    void (*directions)(size_t n, const double *length, const double *u, const double *v, double *xyz);
};

/* For the instruction set in use. */
const struct nb_elementary_set *nb_elementary(void);
