/* pair.h - two galaxies in one plan, on an orbit about one another. Units: those of the first galaxy (galaxy.h). */
#ifndef PAIR_H
#define PAIR_H

#include "nbgen/encounter.h"
#include "nbgen/galaxy/galaxy.h"

struct pair {
    struct galaxy_shape shapes[2];
    double mass_ratio;         /* total mass of the second over that of the first; 0: as the shapes have it */
    double size;               /* factor on all lengths of the second */
    double second_share;       /* of the bodies; 0: that of the mass */
    struct encounter orbit;    /* lengths in the first's unit */
    bool first_flat;           /* the first lies in the xy plane, and the orbit is turned so that its tilt is that */
    struct galaxy galaxies[2]; /* from here on set by pair_add */
    struct galaxy_place places[2];
    double mass[2];
};

#define PAIR_LEAST 200 /* bodies in all; half of them of each galaxy */

/* Makes both galaxies parts of the plan, with its scale, softening and time step, and says what they are. Dies (usage)
 * as galaxy_begin and encounter_places do. The pair lives on. */
void pair_add(struct gen_plan *plan, struct pair *pair);

#endif
