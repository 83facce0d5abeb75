/* orbits_across.h - how high the stars of a disk are, and how fast across it: tables of struct orbits. */
#ifndef GALAXY_ORBITS_ACROSS_H
#define GALAXY_ORBITS_ACROSS_H

#include "nbgen/galaxy/orbits.h"

/* Radius of row k of a table with so many rows from 0 to reach: more are near the centre, where things change. */
double orbits_radius(double k, int rows, double reach);

/* Fills in flare and tilt, from the pull of disks across and that in the plane. */
void orbits_find_flare(struct orbits *o, const struct orbits_field *field);

/* Fills in height and vertical, from the number of stars of each guiding radius, the shares of them that are in each
 * bin of R, and the bins' radii. */
void orbits_find_heights(struct orbits *o, const struct orbits_field *field, const double stars[ORBITS_ROWS],
                         double (*into)[ORBITS_BINS], const double R[ORBITS_BINS]);

/* How much higher a star of guiding radius x is at R than at x: heights go with this, velocities across with its
 * inverse, and the radial velocity times the tilt, d ln(height)/dR, times z comes on top. */
double orbits_flare(const struct orbits *o, double R, double x, double *tilt);

#endif
