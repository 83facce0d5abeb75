/* scheme_hermite.c - coefficients of the Hermite schemes of order 4 and 6. */
#include "step/scheme.h"

static const struct nb_hermite hermite4 = {
    .derivatives = 2,
    .divisor = {2, 12},
    .end = {{6, -6, 2, 4}, {12, -12, 6, 6}},
};

static const struct nb_hermite hermite6 = {
    .derivatives = 3,
    .divisor = {2, 10, 120},
    .end = {{-60, 60, -24, -36, -3, 9}},
    .start = {-60, 60, -36, -24, -9, 3},
};

const struct nb_scheme nb_scheme_hermite4 = {
    .name = "hermite4",
    .about = "predictor-corrector with the jerk, one step for all bodies, by Aarseth's criterion",
    .reference = "Makino & Aarseth 1992, Publ. Astron. Soc. Japan 44, 141",
    .order = 4,
    .evaluations = 1,
    .traits = NB_ADAPTIVE,
    .want = NB_WANT_JERK,
    .usual_tolerance = 1e-6,
    .family = &nb_family_hermite,
    .table = &hermite4,
};

const struct nb_scheme nb_scheme_hermite6 = {
    .name = "hermite6",
    .about = "predictor-corrector with jerk and snap, one step for all bodies, by Aarseth's criterion",
    .reference = "Nitadori & Makino 2008, New Astronomy 13, 498",
    .order = 6,
    .evaluations = 1,
    .traits = NB_ADAPTIVE,
    .want = NB_WANT_JERK | NB_WANT_SNAP,
    .usual_tolerance = 1e-8,
    .family = &nb_family_hermite,
    .table = &hermite6,
};
