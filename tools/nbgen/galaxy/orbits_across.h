/* orbits_across.h - motions across a disk: tables of struct orbits. */
#ifndef GALAXY_ORBITS_ACROSS_H
#define GALAXY_ORBITS_ACROSS_H

#include "nbgen/galaxy/orbits.h"

/* Radius of row k of a table with so many rows from 0 to reach: more are near the centre, where things change. */
double orbits_radius(double k, int rows, double reach);

/* Fills in actions, rarities and across, of motions at fixed radii. */
void orbits_find_across(struct orbits *o);

/* Fills in lift, when all else is there. */
void orbits_find_actions(struct orbits *o);

/* The action that a share exp(-rarity) of stars exceed which are a layer sech^2 at R. */
double orbits_action(const struct orbits *o, double R, double rarity);
/* Height and velocity across at R of a star with that action and phase, 0 to 1: from the plane upwards. */
void orbits_rise(const struct orbits *o, double R, double action, double phase, double *z, double *velocity);

/* The star of these random numbers, as orbits_draw() has them, at `count` moments of its orbit, at azimuths that mean
 * nothing. */
void orbits_place(const struct orbits *o, const double u[4], const double g[4], int count, double (*pos)[3],
                  double (*vel)[3]);

#endif
