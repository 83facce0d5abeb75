/* extent.h - density and potential depth of a system of bodies, from a sample. The system may be several clusters. */
#pragma once

#include "step/p3t/close.h"

/* Measures the system. `all`: G times the total mass. *distance: mean distance between bodies at the median density.
 * *speed: mean speed of the bodies in equilibrium (virial theorem). The speed is computed from the 0.9 quantile of the
 * potential depths, as for a Plummer sphere. Both results are 1 for a single body. They are 0 or not finite if all
 * bodies are at one position or have no mass. */
void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed);
