/* heavy.h - chooses the heavy bodies of a system, and kicks them several times in a step by the far parts of the forces
 * between them. The energy error of a pair is proportional to the product of its masses; more kicks reduce it. The
 * kicks also act on the other bodies in the same components (components.h), because all members of a binary must be
 * kicked together. */
#pragma once

#include "force/changeover.h"
#include "step/p3t/components.h"

struct nb_heavy { /* initialise with zeros */
    double least; /* G times the minimum mass of a heavy body; 0: heavy bodies are not chosen yet */
    uint64_t room;
    uint64_t count; /* number of heavy bodies */
    uint32_t *body; /* indices of the heavy bodies, ascending */
    uint64_t some;  /* number of bodies in `with`: heavy bodies and members of their components in this step */
    uint32_t *with; /* indices of the heavy bodies and of the other bodies in their components */
    uint8_t *in;    /* one element per body: 1 if the body is in `with` */
    double *rows;
};

/* Chooses the heavy bodies among n bodies: none, or at least two. gm: G times the mass of each body; all: sum of gm;
 * outer: outer radius of the changeover; energy: nb_p3t.energy, G times the total kinetic energy of all bodies.
 * Returns 0, or -1 after nb_fail. */
int nb_heavy_choose(struct nb_heavy *o, uint64_t n, const double *gm, double all, double outer, double energy);
/* Sets o->with to the heavy bodies and all other bodies of their components. Returns 0, or -1 after nb_fail. */
int nb_heavy_gather(struct nb_heavy *o, const struct nb_components *parts);
/* Kicks the bodies in o->with by the far parts of the forces between these bodies: adds h times the acceleration to v.
 * x and v: vectors with rows of `stride` elements. Results are bitwise identical for any number of threads. */
void nb_heavy_kick(const struct nb_heavy *o, uint64_t stride, const double *x, double *v, const double *gm,
                   struct nb_changeover split, double h);
void nb_heavy_free(struct nb_heavy *o);
