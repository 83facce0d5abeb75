/* extent.h - density and potential depth of a system of bodies, from a sample. The system may consist of several
 * parts. */
#pragma once

#include "step/p3t/close.h"

/* Measures the system. *distance: mean distance between bodies at the median density. *speed: mean speed in equilibrium
 * (virial theorem), from the potential exceeded by a tenth of the bodies, as in a Plummer sphere. `all`: G times the
 * total mass. Both are 1 for a single body, and 0 or not finite for bodies at one place or without mass. */
void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed);
