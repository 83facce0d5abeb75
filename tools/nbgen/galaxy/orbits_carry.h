/* orbits_carry.h - the smooth field of a galaxy, and stars carried on in it. */
#ifndef GALAXY_ORBITS_CARRY_H
#define GALAXY_ORBITS_CARRY_H

#include "nbgen/galaxy/orbits.h"

/* Fills in the tables `disks` and `round`, and mean[ORBITS_RADII]: the pull of disks inwards, the mean over the layer's
 * heights, at the radii of orbits_table_radius(). */
void orbits_find_pull(struct orbits *o, const struct orbits_field *field, double *mean);
double orbits_table_radius(const struct orbits *o, int k);

/* The acceleration at pos, to some 1e-3 of it. Returns the square of the frequency of small motions there. */
double orbits_pull(const struct orbits *o, const double pos[3], double acc[3]);

/* Carries a star on for that time, or for a thousand steps if these are less. */
void orbits_carry(const struct orbits *o, double time, double pos[3], double vel[3]);

#define ORBITS_STATIONS 128

/* A star's way from where it goes neither out nor in to where it does so again. */
struct orbits_way {
    int count;
    double time; /* that it takes */
    struct orbits_station {
        double time, pos[3], vel[3];
    } stations[ORBITS_STATIONS];
};

/* From pos, with a velocity that is not radial; `usual` is about the time. */
void orbits_go(const struct orbits *o, double usual, const double pos[3], const double vel[3], struct orbits_way *way);
/* Where the star is after that share, 0 to 1, of the time. */
void orbits_on_way(const struct orbits *o, const struct orbits_way *way, double share, double pos[3], double vel[3]);

#endif
