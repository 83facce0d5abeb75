/* extent.h - how dense and how deep a system of bodies is, by a sample of them; it may be in several parts. */
#pragma once

#include "step/p3t/close.h"

/* *distance: the mean one of bodies from one another where the body of median density is; *speed: the mean one
 * in equilibrium (virial theorem), by the depth at which a tenth of the bodies are, as in a Plummer sphere. `all`: G
 * times the mass of all. A body alone has 1 and 1. Bodies at one place, or without mass, have 0 or what is not finite.
 */
void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed);
