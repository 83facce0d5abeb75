/* densest.h - the densest place of a system: where a core or a nucleus is. */
#ifndef NBRENDER_DENSEST_H
#define NBRENDER_DENSEST_H

#include "base/bodies.h"

/* By a sphere that shrinks about the centre of mass of what is in it (Power et al. 2003, MNRAS 338, 14), until 1 % of
 * the bodies are left (64 at least), of a sample where they are many; then the maximum, next to it, of the density that
 * is smoothed over that sphere, so that it moves steadily with the bodies. The sphere begins with all bodies; or with
 * the quarter of them next to `centre`, if that is a number, so that of several nuclei one is followed. -1: no finite
 * number. */
int densest_find(const struct nb_bodies *b, double centre[3]);

#endif
