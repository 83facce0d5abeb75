/* scheme_adams.c - coefficients of the Adams-Bashforth and Adams-Moulton schemes. */
#include "step/scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

extern const struct nb_scheme nb_scheme_rk4, nb_scheme_verner65;

#define ADAMS(...)                                                \
    .family = &nb_family_adams, .table = &(const struct nb_adams) \
    {                                                             \
        __VA_ARGS__                                               \
    }
#define BASHFORTH .reference = "Bashforth & Adams 1883, Theories of Capillary Action", .evaluations = 1

#define AB5 ROW(1901 / Q(720.0), -2774 / Q(720.0), 2616 / Q(720.0), -1274 / Q(720.0), 251 / Q(720.0))

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
    ADAMS(2, ROW(3 / Q(2.0), -1 / Q(2.0)), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab3 = {
    .name = "ab3",
    .about = "Adams-Bashforth, three steps, started by rk4",
    .order = 3,
    BASHFORTH,
    ADAMS(3, ROW(23 / Q(12.0), -16 / Q(12.0), 5 / Q(12.0)), NULL, &nb_scheme_rk4),
};

const struct nb_scheme nb_scheme_ab4 = {
    .name = "ab4",
    .about = "Adams-Bashforth, four steps, started by rk4",
    .order = 4,
    BASHFORTH,
    ADAMS(4, ROW(55 / Q(24.0), -59 / Q(24.0), 37 / Q(24.0), -9 / Q(24.0)), NULL, &nb_scheme_rk4),
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
    ADAMS(5, AB5, ROW(251 / Q(720.0), 646 / Q(720.0), -264 / Q(720.0), 106 / Q(720.0), -19 / Q(720.0)),
          &nb_scheme_verner65),
};
