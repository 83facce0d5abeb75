/* plummer.h - Plummer spheres for the models that are made of them. Henon's units: G = 1, mass 1, E = -1/4. */
#ifndef PLUMMER_H
#define PLUMMER_H

#include "nbgen.h"
#include "sphere/cluster.h"

struct plummer {
    struct nb_rng rng; /* draws 0 to 2 */
    double body_mass;
    double share; /* of the mass of the sphere without a limit */
    double a;     /* scale radius */
};

/* Cut off at that many scale radii, from 1 on; INFINITY: nowhere. */
struct plummer plummer_make(struct nb_rng rng, double body_mass, double truncation);
/* Its part is a struct plummer. */
gen_fill plummer_fill;
/* Its bodies, of a struct plummer, at places that are given. */
cluster_make plummer_bodies;

#endif
