/* Adams schemes. */
#include "step/scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

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
