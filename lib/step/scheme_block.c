/* scheme_block.c - schemes in which each body has its own step. */
#include "step/scheme.h"

const struct nb_scheme nb_scheme_leapfrog_block = {
    .name = "leapfrog-block",
    .about = "kick-drift-kick, each body with a step of its own: --dt over a power of 2",
    .reference = "Springel 2005, Mon. Not. R. Astron. Soc. 364, 1105",
    .order = 2,
    .evaluations = 1,
    .traits = NB_OWN_STEPS | NB_NO_VELOCITY,
    .family = &nb_family_block,
};

const struct nb_scheme nb_scheme_hermite4_block = {
    .name = "hermite4-block",
    .about = "predictor-corrector with the jerk, each body with a step of its own, by Aarseth's criterion",
    .reference = "Makino & Aarseth 1992, Publ. Astron. Soc. Japan 44, 141",
    .order = 4,
    .evaluations = 1,
    .traits = NB_OWN_STEPS | NB_ADAPTIVE,
    .want = NB_WANT_JERK | NB_WANT_SNAP,
    .usual_tolerance = 1e-7,
    .family = &nb_family_hermite_block,
};

const struct nb_scheme nb_scheme_hermite4_groups = {
    .name = "hermite4-groups",
    .about = "hermite4-block for star clusters: binaries and close encounters are regularised",
    .reference = "Mikkola & Tanikawa 1999, Mon. Not. R. Astron. Soc. 310, 745",
    .order = 4,
    .evaluations = 1,
    .traits = NB_OWN_STEPS | NB_ADAPTIVE | NB_REGULARISED,
    .want = NB_WANT_JERK,
    .usual_tolerance = 1e-5,
    .family = &nb_family_groups,
};

const struct nb_scheme nb_scheme_ahmad_cohen = {
    .name = "ahmad-cohen",
    .about = "hermite4-block with two steps of each body: for the force of its neighbours, and for that of all others",
    .reference = "Ahmad & Cohen 1973, J. Comput. Phys. 12, 389",
    .order = 4,
    .evaluations = 1,
    .traits = NB_OWN_STEPS | NB_ADAPTIVE | NB_NEIGHBOURS,
    .want = NB_WANT_JERK | NB_WANT_SNAP,
    .usual_tolerance = 1e-7,
    .family = &nb_family_ahmad_cohen,
};

const struct nb_scheme nb_scheme_p3t = {
    .name = "p3t",
    .about = "for large star clusters: close pairs as in hermite4-groups, all else by the tree once a step",
    .reference = "Oshino, Funato & Makino 2011, Publ. Astron. Soc. Japan 63, 881",
    .order = 2,
    .evaluations = 1,
    .traits = NB_REGULARISED | NB_SPLIT | NB_NO_VELOCITY,
    .want = NB_WANT_FAR,
    .family = &nb_family_p3t,
};
