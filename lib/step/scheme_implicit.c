/* Implicit Runge-Kutta schemes. */
#include "step/scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

#define BUTCHER(...)                                                   \
    .family = &nb_family_implicit, .table = &(const struct nb_butcher) \
    {                                                                  \
        __VA_ARGS__                                                    \
    }

#define SQRT_15 3.8729833462074168851792653997823996108Q

/* clang-format off */

static const nb_quad gauss6_a[] = {
    5 / 36.0Q, 2 / 9.0Q - SQRT_15 / 15, 5 / 36.0Q - SQRT_15 / 30,
    5 / 36.0Q + SQRT_15 / 24, 2 / 9.0Q, 5 / 36.0Q - SQRT_15 / 24,
    5 / 36.0Q + SQRT_15 / 30, 2 / 9.0Q + SQRT_15 / 15, 5 / 36.0Q,
};

static const nb_quad lobatto4_a[] = {
    0, 0, 0,
    5 / 24.0Q, 1 / 3.0Q, -1 / 24.0Q,
    1 / 6.0Q, 2 / 3.0Q, 1 / 6.0Q,
};

/* clang-format on */

const struct nb_scheme nb_scheme_gauss6 = {
    .name = "gauss6",
    .about = "Gauss-Legendre, three stages, iterated to rounding",
    .reference = "Butcher 1964, Math. Comput. 18, 50",
    .order = 6,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    BUTCHER(.stages = 3, .a = gauss6_a, .b = ROW(5 / 18.0Q, 4 / 9.0Q, 5 / 18.0Q),
            .c = ROW(0.5Q - SQRT_15 / 10, 0.5Q, 0.5Q + SQRT_15 / 10)),
};

const struct nb_scheme nb_scheme_lobatto4 = {
    .name = "lobatto4",
    .about = "Lobatto IIIA, three stages, iterated to rounding",
    .reference = "Ehle 1968, BIT 8, 276; Hairer & Wanner 1996, IV.5",
    .order = 4,
    .traits = NB_REVERSIBLE,
    BUTCHER(.stages = 3, .a = lobatto4_a, .b = ROW(1 / 6.0Q, 2 / 3.0Q, 1 / 6.0Q), .c = ROW(0, 0.5Q, 1)),
};

const struct nb_scheme nb_scheme_trapezoid = {
    .name = "trapezoid",
    .about = "trapezoidal rule, iterated to rounding",
    .reference = "Crank & Nicolson 1947, Proc. Camb. Phil. Soc. 43, 50",
    .order = 2,
    .traits = NB_REVERSIBLE,
    BUTCHER(.stages = 2, .a = ROW(0, 0, 0.5Q, 0.5Q), .b = ROW(0.5Q, 0.5Q), .c = ROW(0, 1)),
};
