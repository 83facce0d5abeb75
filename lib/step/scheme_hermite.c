/* Hermite's scheme. */
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
