/* elementary.h - elementary functions of arrays with SIMD instructions, for models of many bodies.
 *
 * The functions use only correctly rounded IEEE 754 operations (addition, multiplication, division, square root) in a
 * fixed order, and no fused multiply-add. Results are bitwise identical on every machine and for all instruction sets.
 * Errors are below 2 units in the last place. Arrays must not overlap, except where a comment allows it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nb_elementary_set {
    /* Natural logarithms of n finite numbers >= 2^-1022. `y` may be `x`. */
    void (*log)(size_t n, const double *x, double *y);
    /* log(1 + x) of n finite numbers with 1 + x >= 2^-1022, accurate for small x too. `y` may be `x`. */
    void (*log1p)(size_t n, const double *x, double *y);
    /* Cube roots of n finite numbers >= 2^-1022. `y` may be `x`. */
    void (*cbrt)(size_t n, const double *x, double *y);
    /* Sines and cosines of 2 pi u, |u| <= 2^40. `sine` may be `u`. */
    void (*turn)(size_t n, const double *u, double *sine, double *cosine);
    /* Computes n vectors x0 y0 z0 x1 y1 z1 ... from their lengths and directions: z / length = 2 u - 1, and the azimuth
     * is 2 pi v. Directions are uniform on the sphere if u and v are uniform in [0, 1]. */
    void (*directions)(size_t n, const double *length, const double *u, const double *v, double *xyz);
};

/* Returns the functions for the instruction set in use. */
const struct nb_elementary_set *nb_elementary(void);
