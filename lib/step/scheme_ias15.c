/* scheme_ias15.c - the IAS15 scheme. step_radau.c computes its coefficients. */
#include "step/scheme.h"

const struct nb_scheme nb_scheme_ias15 = {
    .name = "ias15",
    .about = "Gauss-Radau, eight nodes, iterated to rounding; steps by each body's time scale",
    .reference = "Everhart 1985, Dynamics of Comets, 185; Rein & Spiegel 2015, MNRAS 446, 1424",
    .order = 15,
    .traits = NB_ADAPTIVE,
    .usual_tolerance = 1e-9,
    .family = &nb_family_ias15,
};
