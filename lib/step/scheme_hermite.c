/* Hermite's schemes. */
#include "step/scheme.h"

const struct nb_scheme nb_scheme_hermite4 = {
    .name = "hermite4",
    .about = "predictor-corrector with the jerk, one step for all bodies",
    .reference = "Makino & Aarseth 1992, Publ. Astron. Soc. Japan 44, 141",
    .order = 4,
    .evaluations = 1,
    .want = NB_WANT_JERK,
    .family = &nb_family_hermite,
};

const struct nb_scheme nb_scheme_hermite6 = {
    .name = "hermite6",
    .about = "predictor-corrector with jerk and snap, one step for all bodies",
    .reference = "Nitadori & Makino 2008, New Astronomy 13, 498",
    .order = 6,
    .evaluations = 1,
    .want = NB_WANT_JERK | NB_WANT_SNAP,
    .family = &nb_family_hermite6,
};
