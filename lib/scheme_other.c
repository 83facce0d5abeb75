/* Implicit Runge-Kutta schemes, Adams schemes, extrapolation, Hermite's scheme. */
#include "scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

/* ---- implicit ---- */

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

/* ---- Adams ---- */

extern const struct nb_scheme nb_scheme_rk4, nb_scheme_verner65;

#define ADAMS(...)                                                \
    .family = &nb_family_adams, .table = &(const struct nb_adams) \
    {                                                             \
        __VA_ARGS__                                               \
    }
#define BASHFORTH .reference = "Bashforth & Adams 1883, Theories of Capillary Action", .evaluations = 1

#define AB5 ROW(1901 / 720.0Q, -2774 / 720.0Q, 2616 / 720.0Q, -1274 / 720.0Q, 251 / 720.0Q)

const struct nb_scheme nb_scheme_ab1 = {
    .name = "ab1",
    .about = "Adams-Bashforth, one step: Euler's scheme",
    .order = 1,
    BASHFORTH,
    ADAMS(1, ROW(1), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab2 = {
    .name = "ab2",
    .about = "Adams-Bashforth, two steps, started by rk4",
    .order = 2,
    BASHFORTH,
    ADAMS(2, ROW(3 / 2.0Q, -1 / 2.0Q), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab3 = {
    .name = "ab3",
    .about = "Adams-Bashforth, three steps, started by rk4",
    .order = 3,
    BASHFORTH,
    ADAMS(3, ROW(23 / 12.0Q, -16 / 12.0Q, 5 / 12.0Q), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab4 = {
    .name = "ab4",
    .about = "Adams-Bashforth, four steps, started by rk4",
    .order = 4,
    BASHFORTH,
    ADAMS(4, ROW(55 / 24.0Q, -59 / 24.0Q, 37 / 24.0Q, -9 / 24.0Q), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab5 = {
    .name = "ab5",
    .about = "Adams-Bashforth, five steps, started by verner65",
    .order = 5,
    BASHFORTH,
    ADAMS(5, AB5, NULL, &nb_scheme_verner65),
};

const struct nb_scheme nb_scheme_abm5 = {
    .name = "abm5",
    .about = "ab5, corrected by Adams-Moulton, started by verner65",
    .reference = "Moulton 1926, New Methods in Exterior Ballistics",
    .order = 5,
    .evaluations = 2,
    ADAMS(5, AB5, ROW(251 / 720.0Q, 646 / 720.0Q, -264 / 720.0Q, 106 / 720.0Q, -19 / 720.0Q), &nb_scheme_verner65),
};

/* ---- extrapolation ---- */

#define EXTRAPOLATION(...)                                                        \
    .family = &nb_family_extrapolation, .table = &(const struct nb_extrapolation) \
    {                                                                             \
        __VA_ARGS__                                                               \
    }

const struct nb_scheme nb_scheme_bulirsch_stoer = {
    .name = "bulirsch-stoer",
    .about = "extrapolated midpoint rule; variable order with --tolerance",
    .reference = "Bulirsch & Stoer 1966, Numer. Math. 8, 1; Deuflhard 1983, Numer. Math. 41, 399",
    .order = 8,
    .evaluations = 21,
    .traits = NB_ADAPTIVE,
    EXTRAPOLATION(2, 2, nb_rule_midpoint),
};

const struct nb_scheme nb_scheme_stormer = {
    .name = "stormer",
    .about = "extrapolated rule of Stormer; variable order with --tolerance",
    .reference = "Stormer 1907, Arch. Sci. Phys. Nat. 24; Hairer, Norsett & Wanner 1993, II.14",
    .order = 8,
    .evaluations = 11,
    .traits = NB_ADAPTIVE,
    EXTRAPOLATION(1, 1, nb_rule_stormer),
};

/* ---- with the jerk ---- */

const struct nb_scheme nb_scheme_hermite4 = {
    .name = "hermite4",
    .about = "predictor-corrector with the jerk, one step for all bodies",
    .reference = "Makino & Aarseth 1992, Publ. Astron. Soc. Japan 44, 141",
    .order = 4,
    .evaluations = 1,
    .want = NB_WANT_JERK,
    .family = &nb_family_hermite,
};
