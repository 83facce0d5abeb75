/* spheres.h - what the models of round and hot systems share. Units: G = 1. */
#ifndef SPHERES_H
#define SPHERES_H

#include "nbgen.h"

/* A vector of that length in a direction uniform on the sphere, from two uniform numbers. */
void sphere_direction(const double u[2], double length, double out[3]);

/* Half the mean distance of n bodies at the density of a homogeneous sphere of that radius: what Rodionov & Sotnikova
 * (2005) find best, taken where the model is densest. */
double sphere_softening(double radius, uint64_t n);
/* The step for passages of the plan's bodies at that speed. Light ones (nbgen.h) only ask for steps in which a body
 * passes a hundredth of the radius. */
double sphere_dt(const struct gen_plan *plan, double radius, double speed);

#define SPHERE_DOC                                                                                               \
    "Suggested softening: half the mean distance of bodies where they are densest (Rodionov & Sotnikova 2005). " \
    "Suggested time step: a quarter of the time in which two bodies pass the softening length at the greatest "  \
    "speed to expect, less for n < 1000, for a step that stays the same (leapfrog); without softening, the "     \
    "distance at which they turn by 90 degrees: single pairs come closer than such a step follows."

#endif
