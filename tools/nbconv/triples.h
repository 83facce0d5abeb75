/* triples.h - forms in which a line is one value of a body, a mass or a vector, and numbers are separated by white
 * space of any kind: rosetta's, `G n steps', then of each body its mass, its position and its velocity; and that of J.
 * Barnes's treecode (zeno): the number of bodies, 3, the time, all masses, all positions, all velocities, snapshots one
 * behind the other. */
#ifndef NBCONV_TRIPLES_H
#define NBCONV_TRIPLES_H

#include "nbconv.h"

int rosetta_from(struct conv_import *import, const char *path);
int rosetta_to(const struct conv_export *e, const struct nb_bodies *b);
int zeno_from(struct conv_import *import, const char *path);
int zeno_to(const struct conv_export *e, const struct nb_bodies *b);

#endif
