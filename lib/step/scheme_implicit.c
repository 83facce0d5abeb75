/* scheme_implicit.c - Butcher tables of implicit Runge-Kutta schemes. */
#include "step/scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

#define BUTCHER(...)                                                   \
    .family = &nb_family_implicit, .table = &(const struct nb_butcher) \
    {                                                                  \
        __VA_ARGS__                                                    \
    }

#define SQRT_15 Q(3.8729833462074168851792653997823996108)

/* clang-format off */

static const nb_quad gauss6_a[] = {
    5 / Q(36.0), 2 / Q(9.0) - SQRT_15 / 15, 5 / Q(36.0) - SQRT_15 / 30,
    5 / Q(36.0) + SQRT_15 / 24, 2 / Q(9.0), 5 / Q(36.0) - SQRT_15 / 24,
    5 / Q(36.0) + SQRT_15 / 30, 2 / Q(9.0) + SQRT_15 / 15, 5 / Q(36.0),
};

static const nb_quad lobatto4_a[] = {
    0, 0, 0,
    5 / Q(24.0), 1 / Q(3.0), -1 / Q(24.0),
    1 / Q(6.0), 2 / Q(3.0), 1 / Q(6.0),
};

/* clang-format on */

const struct nb_scheme nb_scheme_gauss6 = {
    .name = "gauss6",
    .about = "Gauss-Legendre, three stages, iterated to rounding",
    .reference = "Butcher 1964, Math. Comput. 18, 50",
    .order = 6,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    BUTCHER(.stages = 3, .a = gauss6_a, .b = ROW(5 / Q(18.0), 4 / Q(9.0), 5 / Q(18.0)),
            .c = ROW(Q(0.5) - SQRT_15 / 10, Q(0.5), Q(0.5) + SQRT_15 / 10)),
};

const struct nb_scheme nb_scheme_lobatto4 = {
    .name = "lobatto4",
    .about = "Lobatto IIIA, three stages, iterated to rounding",
    .reference = "Ehle 1968, BIT 8, 276; Hairer & Wanner 1996, IV.5",
    .order = 4,
    .traits = NB_REVERSIBLE,
    BUTCHER(.stages = 3, .a = lobatto4_a, .b = ROW(1 / Q(6.0), 2 / Q(3.0), 1 / Q(6.0)), .c = ROW(0, Q(0.5), 1)),
};

const struct nb_scheme nb_scheme_trapezoid = {
    .name = "trapezoid",
    .about = "trapezoidal rule, iterated to rounding",
    .reference = "Crank & Nicolson 1947, Proc. Camb. Phil. Soc. 43, 50",
    .order = 2,
    .traits = NB_REVERSIBLE,
    BUTCHER(.stages = 2, .a = ROW(0, 0, Q(0.5), Q(0.5)), .b = ROW(Q(0.5), Q(0.5)), .c = ROW(0, 1)),
};
