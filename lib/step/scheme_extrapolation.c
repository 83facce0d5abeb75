/* scheme_extrapolation.c - the two extrapolation schemes. */
#include "step/scheme.h"

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
    .usual_tolerance = 1e-12,
    EXTRAPOLATION(2, 2, nb_rule_midpoint),
};

const struct nb_scheme nb_scheme_stormer = {
    .name = "stormer",
    .about = "extrapolated rule of Stormer; variable order with --tolerance",
    .reference = "Stormer 1907, Arch. Sci. Phys. Nat. 24; Hairer, Norsett & Wanner 1993, II.14",
    .order = 8,
    .evaluations = 11,
    .traits = NB_ADAPTIVE | NB_NO_VELOCITY,
    .usual_tolerance = 1e-12,
    EXTRAPOLATION(1, 1, nb_rule_stormer),
};
