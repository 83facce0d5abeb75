/* extent.h - density and potential depth of a system of bodies, from a sample. The system may be several clusters. */
#pragma once

#include "step/p3t/close.h"

/* Measures the system. *distance: mean distance between bodies at the median density. *speed: mean speed of the bodies
 * by the virial theorem, if the system is in equilibrium. It is computed from the 0.9 quantile of the potential depths,
 * with a factor for a Plummer sphere. `all`: G times the total mass. Both results are 1 for a single body, and 0 or not
 * finite if all bodies are at one position or have no mass. */
void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed);
