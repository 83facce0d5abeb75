/* spheres.h - what the models of round and hot systems share. Units: G = 1. */
#ifndef SPHERES_H
#define SPHERES_H

#include <stdint.h>

/* A vector of that length in a direction uniform on the sphere, from two uniform numbers. */
void sphere_direction(const double u[2], double length, double out[3]);

/* Half the mean distance of n bodies at the density of a homogeneous sphere of that radius: what Rodionov & Sotnikova
 * (2005) find best, taken where the model is densest. */
double sphere_softening(double radius, uint64_t n);
/* The time in which a body at that speed passes a quarter of the softening length (of radius/100, if that is more). */
double sphere_dt(double softening, double radius, double speed);

#define SPHERE_DOC                                                                                               \
    "Suggested softening: half the mean distance of bodies where they are densest (Rodionov & Sotnikova 2005). " \
    "Suggested time step: a quarter of the softening length at the greatest speed to expect."

#endif
