/* heavy.h - heavy bodies among many light ones. The energy of a pair goes with the product of its masses, and so does
 * its error in a step: the far parts of forces between heavy bodies kick them several times in a step of all. They kick
 * all bodies of their components alike: the members of a binary must be kicked together. */
#pragma once

#include "force/changeover.h"
#include "step/p3t/components.h"

struct nb_heavy { /* begins as zeros */
    double least; /* G times the mass from which on a body is heavy; 0: not chosen yet */
    uint64_t room;
    uint64_t count; /* heavy ones, */
    uint32_t *body; /* rising */
    uint64_t some;  /* of this step: they and all in components with them, */
    uint32_t *with; /* each of which has a 1 in `in` */
    uint8_t *in;    /* of all bodies */
    double *rows;
};

/* Which of n bodies are heavy, by G times their masses, of which `all` is the sum, the changeover's outer end, and the
 * energy of all times G: two or more, or none. -1 after nb_fail. */
int nb_heavy_choose(struct nb_heavy *o, uint64_t n, const double *gm, double all, double outer, double energy);
/* Finds the bodies in components with heavy ones. -1 after nb_fail. */
int nb_heavy_gather(struct nb_heavy *o, const struct nb_components *parts);
/* Kicks heavy bodies and those in components with them, by the far parts of their mutual forces, for a time h; x and v:
 * rows of `stride`. The same bits for any number of threads. */
void nb_heavy_kick(const struct nb_heavy *o, uint64_t stride, const double *x, double *v, const double *gm,
                   struct nb_changeover split, double h);
void nb_heavy_free(struct nb_heavy *o);
