/* map_bodies.h - what bodies put into a map of density or of a mean: their mass, and with it a quantity. */
#ifndef NBRENDER_MAP_BODIES_H
#define NBRENDER_MAP_BODIES_H

#include "base/bodies.h"

struct map_bodies {
    float *light; /* mass / total; 0 of a body whose quantity is not a finite number of single precision */
    float *value; /* (quantity - least) / span, from 0 to 1: single precision serves whatever the offset */
    double total; /* mass, of all */
    double least, span;
    uint64_t capacity;
    bool warned; /* of quantities that are not numbers */
};

/* Takes them from the bodies; `name`: the quantity (quantity.h), NULL for the mass alone. Warns once of bodies
 * that are left out. Dies without memory, and where the bodies do not have it. */
void map_bodies_take(struct map_bodies *m, const struct nb_bodies *b, const char *name);
void map_bodies_free(struct map_bodies *m);

#endif
